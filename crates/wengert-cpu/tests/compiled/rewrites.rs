//! What rewrites make of programs.

use crate::agree::{check_text, made};
use std::sync::Arc;
use wengert_core::{Program, Tensor, Type};
use wengert_cpu::{Rewrite, Rewrites};
use wengert_testing::{Choices, random_values, same_bits};

/// Sums, differences and what is not to be contracted, of one type.
fn products(ty: &str) -> String {
    format!(
        "program (x: {ty}, y: {ty}, z: {ty}) {{
          a: {ty} = mul(x, y)
          b: {ty} = add(a, z)
          c: {ty} = mul(b, z)
          d: {ty} = sub(c, y)
          e: {ty} = mul(d, b)
          f: {ty} = sub(x, e)
          g: {ty} = mul(f, x)
          h: {ty} = mul(f, y)
          i: {ty} = sub(g, h)
          j: {ty} = mul(i, i)
          k: {ty} = add(j, z)
          l: {ty} = neg(k)
          m: {ty} = mul(l, f)
          n: {ty} = add(m, l)
          return n, j, l
        }}"
    )
}

#[test]
fn products_are_contracted() {
    for ty in ["f32[]", "f64[]", "f32[3]", "f32[200]", "f64[70]", "f32[9,33]"] {
        let text = products(ty);
        check_text(&text);
        // `j` is a result too.
        assert_eq!(made(&text, Rewrites::ALL), [("contract", 5)], "{ty}");
        assert_eq!(made(&text, Rewrites::ALL.with(Rewrite::Contract, 2)), [("contract", 2)]);
        assert_eq!(made(&text, Rewrites::NONE), []);
    }
    for (ty, made_of) in [("i32[]", vec![]), ("f16[4]", vec![]), ("c64[3]", vec![("pairs", 2)])] {
        let text = "program (x: T, y: T) { a: T = mul(x, y) b: T = add(a, x) return b }".replace('T', ty);
        assert_eq!(made(&text, Rewrites::ALL), made_of, "{ty}");
    }
}

#[test]
fn products_in_loops_are_contracted() {
    let text = "program (x: f32[3], c: f32[3]) {
      y: f32[3] = scan[length=9, consts=1, carries=1, reverse=false, body=program (c: f32[3], x: f32[3]) {
          a: f32[3] = mul(x, c)
          b: f32[3] = add(a, x)
          return b
        }](c, x)
      return y
    }";
    check_text(text);
    assert_eq!(made(text, Rewrites::ALL), [("contract", 1)]);
}

/// A loop over lanes that stop at different times. The flags are a carry, or are computed from what is carried.
fn lanes(shape: &str, carried_flags: bool) -> String {
    let (b, f, i) = (format!("bool{shape}"), format!("f32{shape}"), format!("i32{shape}"));
    let dims: Vec<String> = (0..shape.matches(',').count() + 1).map(|d| d.to_string()).collect();
    let any = format!("reduce[combiner=or, dims=[{}]](p)", dims.join(", "));
    let test = format!(
        "s: {f} = mul(x, x)
         u: {b} = compare[direction=lt](s, 40.0:{f})
         v: {b} = compare[direction=lt](n, 30:{i})
         p: {b} = and(u, v)"
    );
    let step = format!(
        "m: {i} = add(n, 1:{i})
         k: {f} = broadcast[shape={shape}, dims=[]](q)
         w: {f} = mul(x, k)
         y: {f} = add(w, c)
         n2: {i} = select(p, m, n)
         x2: {f} = select(p, y, x)"
    );
    if !carried_flags {
        return format!(
            "program (q: f32[], c: {f}, x: {f}) {{
              n: {i}, y: {f} = while[consts=2, cond=program (q: f32[], c: {f}, n: {i}, x: {f}) {{ {test} g: bool[] = {any} return g }}, body=program (q: f32[], c: {f}, n: {i}, x: {f}) {{ {test} {step} return n2, x2 }}](q, c, 0:{i}, x)
              return n, y
            }}"
        );
    }
    format!(
        "program (q: f32[], c: {f}, x: {f}) {{
          s0: {f} = mul(x, x)
          p0: {b} = compare[direction=lt](s0, 40.0:{f})
          p1: {b}, n: {i}, y: {f} = while[consts=2, cond=program (q: f32[], c: {f}, p: {b}, n: {i}, x: {f}) {{ g: bool[] = {any} return g }}, body=program (q: f32[], c: {f}, p: {b}, n: {i}, x: {f}) {{
              {step}
              s: {f} = mul(x2, x2)
              u: {b} = compare[direction=lt](s, 40.0:{f})
              v: {b} = compare[direction=lt](n2, 30:{i})
              h: {b} = and(u, v)
              p2: {b} = and(p, h)
              return p2, n2, x2
            }}](q, c, p0, 0:{i}, x)
          return n, y
        }}"
    )
}

#[test]
fn loops_over_lanes_go_by_blocks() {
    for shape in ["[2048]", "[1999]", "[40,50]", "[3,5,211]"] {
        for carried_flags in [false, true] {
            let text = lanes(shape, carried_flags);
            assert_eq!(made(&text, Rewrites::ALL)[0], ("while_in_blocks", 1), "{shape} {carried_flags}");
            check_text(&text);
            // Not a value changes.
            let program = Arc::new(Program::parse(&text).unwrap());
            let blocks = Rewrites::NONE.with(Rewrite::WhileInBlocks, 1).rewrite(&program, |_, _, _| ());
            let numbers: Vec<u16> = (0..9000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
            let x = random_values(&program.input_types(), &mut Choices::new(&numbers), false);
            let (want, got) = (wengert_eval::run(&program, x.clone()), wengert_eval::run(&blocks, x));
            assert!(want.unwrap().iter().zip(&got.unwrap()).all(|(x, y)| same_bits(x, y)), "{shape} {carried_flags}");
        }
    }
    // A lane that goes on changing when it is done, few lanes, and lanes that look at each other.
    for (from, to) in [
        ("select(p, m, n)", "select(p, n, m)"),
        ("select(p, y, x)", "select(u, y, x)"),
        ("mul(x, k)", "reverse[dims=[0]](x)"),
    ] {
        let text = lanes("[2048]", false).replace(from, to);
        assert!(made(&text, Rewrites::NONE.with(Rewrite::WhileInBlocks, 9)).is_empty(), "{to}");
    }
    assert!(made(&lanes("[100]", true), Rewrites::NONE.with(Rewrite::WhileInBlocks, 9)).is_empty());
}

/// A loop that adds products to two carries: of what it walks along, what it computes, and what it carries.
fn sums_of_products(reverse: bool, dtype: &str) -> String {
    let t = |shape: &str| format!("{dtype}{shape}");
    let (a, b, s, r) = (t("[2,12]"), t("[2,10]"), t("[12,10]"), t("[12,12]"));
    format!(
        "program (k: {b}, a0: {a}, s0: {s}, r0: {r}, xs: {dtype}[7,2,12], ys: {dtype}[7,2,10]) {{
          a1: {a}, s1: {s}, r1: {r}, out: {dtype}[7,2,10] = scan[length=7, consts=1, carries=3, reverse={reverse},
            body=program (k: {b}, a: {a}, s: {s}, r: {r}, x: {a}, y: {b}) {{
              m: {b} = max(y, k)
              p: {s} = dot_general[contract=([0], [0]), batch=([], [])](x, m)
              q: {s} = dot_general[contract=([0], [0]), batch=([], [])](a, y)
              t: {s} = add(p, s)
              u: {s} = add(t, q)
              v: {r} = dot_general[contract=([0], [0]), batch=([], [])](a, x)
              w: {r} = add(r, v)
              z: {a} = max(a, x)
              return z, u, w, m
            }}](k, a0, s0, r0, xs, ys)
          return a1, s1, r1, out
        }}"
    )
}

#[test]
fn products_that_loops_add_up_are_one_after_them() {
    let only = Rewrites::NONE.with(Rewrite::ProductsAfterLoops, usize::MAX);
    for reverse in [false, true] {
        let text = sums_of_products(reverse, "f32");
        assert_eq!(made(&text, only), [("products_after_loops", 2)]);
        check_text(&text);
        check_text(&sums_of_products(reverse, "bf16"));
        // Sums of small whole numbers are the same in any order.
        let program = Arc::new(Program::parse(&text).unwrap());
        let whole = |(seed, t): (usize, &Type)| {
            let numbers = (0..t.shape.size()).map(|i| ((i * 7 + seed * 5) % 11) as f32 - 5.0);
            Tensor::new(t.shape.clone(), numbers.collect::<Vec<f32>>()).unwrap()
        };
        let x: Vec<Tensor> = program.input_types().iter().enumerate().map(whole).collect();
        let after = only.rewrite(&program, |_, _, _| ());
        let (want, got) = (wengert_eval::run(&program, x.clone()), wengert_eval::run(&after, x));
        assert!(want.unwrap().iter().zip(&got.unwrap()).all(|(x, y)| same_bits(x, y)), "{after}");
    }
    // A product with what is the same in every step, a carry that is not a sum alone, one that something else reads.
    for (from, to) in
        [("](x, m)", "](x, k)"), ("v)", "r)"), ("max(a, x)", "slice[start=[0, 0], limit=[2, 12], strides=[1, 1]](r)")]
    {
        let text = sums_of_products(false, "f32").replace(from, to);
        assert_eq!(made(&text, only), [("products_after_loops", 1)], "{to}");
        check_text(&text);
    }
    let short = sums_of_products(false, "f32").replace("[7,", "[3,").replace("length=7", "length=3");
    assert!(made(&short, only).is_empty());
    assert!(made(&sums_of_products(true, "i32"), only).is_empty());
}
