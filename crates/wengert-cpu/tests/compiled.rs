//! Compiled programs give the bits that the evaluator gives with machine code of every kind and with none.

mod agree;

use agree::{ALL, check, same};
use proptest::prelude::*;
use std::sync::Arc;
use wengert_core::{DType, Program};
use wengert_cpu::{Rewrite, Rewrites};
use wengert_testing::{Choices, Recipe, cases, random_program, random_values};

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn random_programs_compiled_give_the_evaluators_bits(numbers in prop::collection::vec(any::<u16>(), 40..400)) {
        let mut choices = Choices::new(&numbers);
        let program = Arc::new(random_program(&Recipe::any(), &mut choices));
        let x = random_values(&program.input_types(), &mut choices, false);
        check(&program, &x, &ALL).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn awkward_programs_compiled_give_the_evaluators_bits(numbers in prop::collection::vec(any::<u16>(), 40..600)) {
        let mut choices = Choices::new(&numbers);
        let program = Arc::new(random_program(&Recipe::awkward(), &mut choices));
        let x = random_values(&program.input_types(), &mut choices, false);
        check(&program, &x, &ALL).map_err(TestCaseError::fail)?;
    }
}

/// Checks a program on numbers that are no round ones.
fn check_text(text: &str) {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let numbers: Vec<u16> = (0..2000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), false);
    check(&program, &x, &ALL).unwrap_or_else(|m| panic!("{m}"));
}

#[test]
fn what_is_repeated_along_rows_and_columns() {
    for (shape, small, dims) in [
        ("[5,40]", "[40]", "[1]"),
        ("[5,40]", "[5]", "[0]"),
        ("[5,40]", "[5,1]", "[0, 1]"),
        ("[5,40]", "[1,40]", "[0, 1]"),
        ("[3,4,20]", "[20]", "[2]"),
        ("[3,4,20]", "[3,4]", "[0, 1]"),
        ("[3,4,20]", "[4,20]", "[1, 2]"),
        ("[3,4,20]", "[3,20]", "[0, 2]"),
        ("[3,4,20]", "[4]", "[1]"),
        ("[1,9,9]", "[9]", "[1]"),
        ("[40,3]", "[40]", "[0]"),
    ] {
        for dtype in ["f32", "f64", "i8", "bf16"] {
            check_text(&format!(
                "program (x: {dtype}{shape}, y: {dtype}{small}) {{
                  b: {dtype}{shape} = broadcast[shape={shape}, dims={dims}](y)
                  s: {dtype}{shape} = add(x, b)
                  t: {dtype}{shape} = mul(s, b)
                  p: bool{shape} = compare[direction=lt](t, x)
                  u: {dtype}{shape} = select(p, b, t)
                  return u, s, b
                }}"
            ));
        }
    }
}

#[test]
fn rows_of_several_lengths_in_one_program() {
    check_text(
        "program (x: f32[12,20], r: f32[20], c: f32[12], q: f32[24]) {
          a: f32[12,20] = broadcast[shape=[12,20], dims=[1]](r)
          b: f32[12,20] = broadcast[shape=[12,20], dims=[0]](c)
          s: f32[12,20] = add(x, a)
          e: f32[12,20] = exp(b)
          t: f32[12,20] = mul(s, e)
          z: f32[10,24] = reshape[shape=[10,24]](t)
          d: f32[10,24] = broadcast[shape=[10,24], dims=[1]](q)
          w: f32[10,24] = sub(z, d)
          m: f32[12] = reduce[combiner=max, dims=[1]](t)
          n: f32[12,20] = broadcast[shape=[12,20], dims=[0]](m)
          v: f32[12,20] = sub(t, n)
          l: f32[12,20] = tanh(v)
          return w, l, s
        }",
    );
}

#[test]
fn math_functions_in_loops_and_on_scalars() {
    for op in
        ["exp", "expm1", "log", "log1p", "logistic", "tanh", "erf_inv", "sin", "cbrt", "erf", "lgamma", "rsqrt", "sign"]
    {
        for (dtype, n) in [("f32", 3), ("f32", 100), ("f64", 3), ("f64", 100), ("f16", 70)] {
            check_text(&format!("program (x: {dtype}[{n}]) {{ y: {dtype}[{n}] = {op}(x) return y }}"));
        }
    }
}

/// How often each rewrite is made in a program.
fn made(text: &str, rewrites: Rewrites) -> Vec<(&'static str, usize)> {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let mut made = Vec::new();
    rewrites.rewrite(&program, |rewrite, _, count| made.push((rewrite.as_str(), count)));
    made
}

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
    for ty in ["i32[]", "f16[4]", "c64[3]"] {
        let text = "program (x: T, y: T) { a: T = mul(x, y) b: T = add(a, x) return b }".replace('T', ty);
        assert_eq!(made(&text, Rewrites::ALL), [], "{ty}");
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
            assert!(want.unwrap().iter().zip(&got.unwrap()).all(|(x, y)| same(x, y)), "{shape} {carried_flags}");
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

proptest! {
    #![proptest_config(cases(200))]

    /// Short floats, complex numbers and narrow integers come up all the time.
    #[test]
    fn random_programs_of_short_and_complex_numbers(numbers in prop::collection::vec(any::<u16>(), 40..400)) {
        use DType::*;
        let mut choices = Choices::new(&numbers);
        let recipe = Recipe { dtypes: vec![BF16, F16, C64, F32, I16, C128, U8, I32, Bool, U64, F64], ..Recipe::any() };
        let program = Arc::new(random_program(&recipe, &mut choices));
        let x = random_values(&program.input_types(), &mut choices, false);
        check(&program, &x, &ALL).map_err(TestCaseError::fail)?;
    }
}

const DTYPES: [&str; 15] =
    ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64", "c128"];

#[test]
fn every_type_to_every_other() {
    for from in DTYPES {
        for to in DTYPES {
            for n in [3, 100] {
                check_text(&format!("program (x: {from}[{n}]) {{ y: {to}[{n}] = convert[dtype={to}](x) return y }}"));
            }
        }
    }
}

#[test]
fn short_floats_in_all_ops() {
    for dtype in ["f16", "bf16"] {
        for op in
            ["neg", "abs", "sqrt", "rsqrt", "exp", "tanh", "logistic", "floor", "round_even", "sign", "sin", "erf"]
        {
            for n in [3, 100] {
                check_text(&format!("program (x: {dtype}[{n}]) {{ y: {dtype}[{n}] = {op}(x) return y }}"));
            }
        }
        for op in ["add", "sub", "mul", "div", "max", "min", "rem", "pow", "atan2", "nextafter"] {
            for n in [3, 100] {
                check_text(&format!(
                    "program (x: {dtype}[{n}], y: {dtype}[{n}]) {{ z: {dtype}[{n}] = {op}(x, y) return z }}"
                ));
            }
        }
        for (shape, y, dims) in
            [("[4,6]", "[4]", "[1]"), ("[4,6]", "[6]", "[0]"), ("[40,60]", "[40]", "[1]"), ("[40,60]", "[60]", "[0]")]
        {
            for op in ["add", "mul", "max", "min"] {
                check_text(&format!(
                    "program (x: {dtype}{shape}) {{ y: {dtype}{y} = reduce[combiner={op}, dims={dims}](x) return y }}"
                ));
            }
        }
        check_text(&format!(
            "program (x: {dtype}[3,4], y: {dtype}[4,5], l: {dtype}[], h: {dtype}[]) {{
              z: {dtype}[3,5] = dot_general[contract=([1], [0]), batch=([], [])](x, y)
              c: {dtype}[3,5] = clamp(l, z, h)
              p: bool[3,5] = compare[direction=lt](c, z)
              s: {dtype}[3,5] = select(p, c, z)
              a: i32[3] = arg_reduce[extreme=max, dim=1, dtype=i32](s)
              f: bool[3,5] = is_finite(s)
              b: u16[3,4] = bitcast[dtype=u16](x)
              return s, a, f, b
            }}"
        ));
    }
}

#[test]
fn complex_numbers_in_all_ops() {
    for (dtype, part) in [("c64", "f32"), ("c128", "f64")] {
        for n in [1, 3, 100] {
            for op in ["neg", "conj", "exp", "log", "sqrt", "tanh", "sign"] {
                check_text(&format!("program (x: {dtype}[{n}]) {{ y: {dtype}[{n}] = {op}(x) return y }}"));
            }
            for op in ["real", "imag", "abs"] {
                check_text(&format!("program (x: {dtype}[{n}]) {{ y: {part}[{n}] = {op}(x) return y }}"));
            }
            for op in ["add", "sub", "mul", "div", "max", "min", "pow", "atan2"] {
                check_text(&format!(
                    "program (x: {dtype}[{n}], y: {dtype}[{n}]) {{ z: {dtype}[{n}] = {op}(x, y) return z }}"
                ));
            }
            check_text(&format!(
                "program (r: {part}[{n}], i: {part}[{n}], x: {dtype}[{n}], a: bool[{n}]) {{
                  y: {dtype}[{n}] = complex(r, i)
                  z: {dtype}[{n}] = mul(x, y)
                  s: {dtype}[{n}] = select(a, z, y)
                  e: bool[{n}] = compare[direction=eq](s, y)
                  u: bool[{n}] = compare[direction=ne](s, x)
                  t: {dtype}[] = reduce[combiner=add, dims=[0]](z)
                  p: {dtype}[] = reduce[combiner=mul, dims=[0]](z)
                  v: {dtype}[{n}] = reverse[dims=[0]](s)
                  w: {dtype}[2,{n}] = broadcast[shape=[2,{n}], dims=[1]](v)
                  f: {dtype}[{n}] = fft[kind=fft, lengths=[{n}]](z)
                  return s, e, u, t, p, v, w, f
                }}"
            ));
        }
    }
}

#[test]
fn complex_numbers_in_loops_and_branches() {
    for n in [2, 70] {
        check_text(&format!(
            "program (z: c64[{n}], c: c64[{n}], xs: c64[5,{n}], k: i32[]) {{
              a: c64[{n}], b: i32[], ys: f32[5,{n}], zs: c64[5,{n}] = scan[length=5, consts=1, carries=2, reverse=false, body=program (c: c64[{n}], z: c64[{n}], i: i32[], x: c64[{n}]) {{
                  s: c64[{n}] = mul(z, z)
                  t: c64[{n}] = add(s, c)
                  u: c64[{n}] = sub(t, x)
                  r: f32[{n}] = abs(u)
                  j: i32[] = add(i, i)
                  return u, j, r, t
                }}](c, z, k, xs)
              p: bool[] = compare[direction=lt](b, k)
              d: c64[{n}] = cond[branches=[program (x: c64[{n}], y: c64[{n}]) {{
                  q: c64[{n}] = conj(x)
                  return q
                }}, program (x: c64[{n}], y: c64[{n}]) {{
                  q: c64[{n}] = mul(x, y)
                  return q
                }}]](p, a, c)
              e: c64[{n}], m: i32[] = while[consts=1, cond=program (c: c64[{n}], z: c64[{n}], i: i32[]) {{
                  go: bool[] = compare[direction=lt](i, 4:i32[])
                  return go
                }}, body=program (c: c64[{n}], z: c64[{n}], i: i32[]) {{
                  w: c64[{n}] = mul(c, z)
                  j: i32[] = add(i, 1:i32[])
                  return w, j
                }}](c, d, k)
              return a, ys, zs, d, e, m
            }}"
        ));
    }
}

#[test]
fn products_of_all_sizes_and_layouts() {
    for (m, n, k) in
        [(1, 1, 5), (1, 1, 300), (1, 40, 30), (33, 1, 20), (3, 4, 50), (4, 4, 4), (2, 30, 17), (17, 20, 40), (9, 50, 3)]
    {
        for dtype in ["f32", "f64", "bf16", "i32"] {
            check_text(&format!(
                "program (a: {dtype}[{m},{k}], b: {dtype}[{k},{n}], c: {dtype}[{n},{k}], d: {dtype}[{k},{m}]) {{
                  p: {dtype}[{m},{n}] = dot_general[contract=([1], [0]), batch=([], [])](a, b)
                  q: {dtype}[{m},{n}] = dot_general[contract=([1], [1]), batch=([], [])](a, c)
                  r: {dtype}[{m},{n}] = dot_general[contract=([0], [0]), batch=([], [])](d, b)
                  s: {dtype}[{n},{m}] = dot_general[contract=([1], [0]), batch=([], [])](c, d)
                  t: {dtype}[{m},{n}] = add(p, q)
                  u: {dtype}[{m},{n}] = mul(t, r)
                  return p, q, r, s, u
                }}"
            ));
        }
    }
    for dtype in ["f32", "f64", "f16"] {
        check_text(&format!(
            "program (a: {dtype}[2,5,3,4], b: {dtype}[4,5,6,3], c: {dtype}[3,70,2], d: {dtype}[70,3,2]) {{
              p: {dtype}[5,2,6] = dot_general[contract=([2, 3], [3, 0]), batch=([1], [1])](a, b)
              q: {dtype}[3,2,2] = dot_general[contract=([1], [0]), batch=([0], [1])](c, d)
              return p, q
            }}"
        ));
    }
}

#[test]
fn triangular_solves_and_cholesky_of_small_matrices() {
    for (dtype, n) in [("f32", 1), ("f32", 3), ("f64", 4), ("f64", 8), ("f32", 9), ("bf16", 3)] {
        for (left, lower, unit, transpose) in [
            (true, true, false, "no"),
            (true, false, true, "no"),
            (false, true, false, "transpose"),
            (false, false, false, "no"),
        ] {
            let (l, r) = if left { (n, 2) } else { (2, n) };
            check_text(&format!(
                "program (a: {dtype}[{n},{n}], b: {dtype}[{l},{r}], c: {dtype}[2,{n},{n}], d: {dtype}[2,{l},{r}]) {{
                  x: {dtype}[{l},{r}] = triangular_solve[left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={transpose}](a, b)
                  y: {dtype}[2,{l},{r}] = triangular_solve[left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={transpose}](c, d)
                  s: {dtype}[{n},{n}] = dot_general[contract=([1], [1]), batch=([], [])](a, a)
                  z: {dtype}[{n},{n}] = cholesky[lower={lower}](s)
                  w: {dtype}[{n},{n}] = cholesky[lower={lower}](a)
                  return x, y, z, w
                }}"
            ));
        }
    }
}

#[test]
fn what_only_moves_elements_is_read_where_it_lies() {
    for dtype in ["f32", "f64", "i8", "bool", "u32"] {
        let combine = if dtype == "bool" { "xor" } else { "add" };
        check_text(&format!(
            "program (x: {dtype}[6,5,130], y: {dtype}[130,6,5]) {{
              t: {dtype}[130,6,5] = transpose[perm=[2,0,1]](x)
              a: {dtype}[130,6,5] = {combine}(t, y)
              r: {dtype}[130,6,5] = reverse[dims=[0,2]](a)
              b: {dtype}[130,6,5] = {combine}(r, t)
              s: {dtype}[64,3,5] = slice[start=[1,1,0], limit=[129,6,5], strides=[2,2,1]](b)
              z: {dtype}[192,5] = reshape[shape=[192,5]](s)
              w: {dtype}[5,192] = transpose[perm=[1,0]](z)
              q: {dtype}[960] = reshape[shape=[960]](w)
              v: {dtype}[960] = {combine}(q, q)
              c: {dtype}[5,192] = reshape[shape=[5,192]](v)
              d: {dtype}[5,192] = {combine}(c, w)
              e: {dtype}[2,5,192] = broadcast[shape=[2,5,192], dims=[1,2]](d)
              f: {dtype}[192,2,5] = transpose[perm=[2,0,1]](e)
              g: {dtype}[192,2,5] = {combine}(f, f)
              h: {dtype}[3,1,1] = slice[start=[7,0,0], limit=[10,1,1], strides=[1,1,1]](g)
              return b, d, g, h, t, q
            }}"
        ));
    }
}

#[test]
fn numbers_of_positions_are_read_from_nowhere() {
    for dtype in ["f32", "f64", "i8", "i64", "u16"] {
        check_text(&format!(
            "program (x: {dtype}[20,30]) {{
              i: {dtype}[20,30] = iota[ty={dtype}[20,30], dim=0]()
              j: {dtype}[20,30] = iota[ty={dtype}[20,30], dim=1]()
              k: {dtype}[30,20] = transpose[perm=[1,0]](i)
              r: {dtype}[30,20] = reverse[dims=[1]](k)
              l: {dtype}[20,30] = reshape[shape=[20,30]](r)
              a: {dtype}[20,30] = mul(x, i)
              b: {dtype}[20,30] = add(a, j)
              c: {dtype}[20,30] = add(b, l)
              s: {dtype}[4,5] = slice[start=[3,2], limit=[19,17], strides=[4,3]](j)
              return c, l, s
            }}"
        ));
    }
}

#[test]
fn sums_along_all_axes_in_the_evaluators_order() {
    for n in [2, 3, 17, 100, 255, 256, 257, 600, 4096, 4100, 9000] {
        for combiner in if n < 300 { &["add", "max", "mul"][..] } else { &["add"] } {
            check_text(&format!(
                "program (x: f32[{n}], y: f32[3,{n}], z: f32[{n},3], w: f32[2,{n},20]) {{
                  e: f32[3,{n}] = tanh(y)
                  a: f32[] = reduce[combiner={combiner}, dims=[0]](x)
                  b: f32[3] = reduce[combiner={combiner}, dims=[1]](e)
                  c: f32[3] = reduce[combiner={combiner}, dims=[0]](z)
                  d: f32[2,20] = reduce[combiner={combiner}, dims=[1]](w)
                  t: f32[3,{n}] = transpose[perm=[1,0]](z)
                  f: f32[3] = reduce[combiner={combiner}, dims=[1]](t)
                  g: f32[] = reduce[combiner={combiner}, dims=[0,1]](e)
                  h: f32[20] = reduce[combiner={combiner}, dims=[0,1]](w)
                  k: f32[2,{n},20] = tanh(w)
                  l: f32[2,20] = reduce[combiner={combiner}, dims=[1]](k)
                  r: f32[20] = slice[start=[0], limit=[20], strides=[1]](h)
                  rb: f32[2,{n},20] = broadcast[shape=[2,{n},20], dims=[2]](r)
                  o: f32[2,{n},20] = add(k, rb)
                  p: f32[2,20] = reduce[combiner={combiner}, dims=[1]](o)
                  return a, b, c, d, f, g, h, e, l, p, o
                }}"
            ));
        }
    }
    for (dtype, combiner) in
        [("i8", "add"), ("u32", "max"), ("bool", "or"), ("f64", "min"), ("bf16", "add"), ("c64", "add")]
    {
        check_text(&format!(
            "program (x: {dtype}[30,300]) {{
              a: {dtype}[30] = reduce[combiner={combiner}, dims=[1]](x)
              b: {dtype}[300] = reduce[combiner={combiner}, dims=[0]](x)
              c: {dtype}[] = reduce[combiner={combiner}, dims=[1,0]](x)
              return a, b, c
            }}"
        ));
    }
}

#[test]
fn rows_that_are_combined_and_used_again() {
    for (rows, n) in [(100, 40), (3, 300), (70, 17), (2, 5000), (65, 2), (1, 500)] {
        check_text(&format!(
            "program (x: f32[{rows},{n}], u: f32[{n}], v: f32[{rows}]) {{
              m: f32[{rows}] = reduce[combiner=max, dims=[1]](x)
              mb: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](m)
              d: f32[{rows},{n}] = sub(x, mb)
              e: f32[{rows},{n}] = exp(d)
              s: f32[{rows}] = reduce[combiner=add, dims=[1]](e)
              s1: f32[{rows},1] = reshape[shape=[{rows},1]](s)
              sb: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0,1]](s1)
              p: f32[{rows},{n}] = div(e, sb)
              a: f32[{rows}] = reduce[combiner=add, dims=[1]](p)
              a2: f32[{rows}] = mul(a, v)
              ab: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](a2)
              c: f32[{rows},{n}] = sub(p, ab)
              q: f32[{rows},{n}] = mul(c, c)
              w: f32[{rows}] = reduce[combiner=add, dims=[1]](q)
              w2: f32[{rows}] = rsqrt(w)
              wb: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[0]](w2)
              ub: f32[{rows},{n}] = broadcast[shape=[{rows},{n}], dims=[1]](u)
              o: f32[{rows},{n}] = mul(c, wb)
              o2: f32[{rows},{n}] = add(o, ub)
              all: f32[] = reduce[combiner=add, dims=[0]](w2)
              t: f32[{n},{rows}] = transpose[perm=[1,0]](o2)
              t2: f32[{n},{rows}] = add(t, t)
              return o2, w2, all, t2, m
            }}"
        ));
    }
}

#[test]
fn what_is_read_where_it_lies_is_not_overwritten_before() {
    check_text(
        "program (x: f32[10,30], i: i32[], n: f32[20,10]) {
          y: f32[10,30] = add(x, x)
          t: f32[30,10] = transpose[perm=[1,0]](y)
          s: f32[10,20] = slice[start=[0,5], limit=[10,25], strides=[1,1]](y)
          u: f32[10,20] = transpose[perm=[1,0]](n)
          z: i32[] = constant[value=dense[0]:i32[]]()
          w: f32[10,30] = dynamic_update_slice(y, u, z, i)
          a: f32[30,10] = transpose[perm=[1,0]](w)
          b: f32[30,10] = sub(a, t)
          c: f32[10,20] = add(s, u)
          return b, c, w
        }",
    );
    check_text(
        "program (x: f32[9,9], y: f32[9,9], k: f32[4]) {
          a: f32[9,9], b: f32[9,9], c: f32[4,9,9] = scan[length=4, consts=0, carries=2, reverse=false, body=program (p: f32[9,9], q: f32[9,9], r: f32[]) {
            t: f32[9,9] = transpose[perm=[1,0]](q)
            u: f32[9,9] = reverse[dims=[0]](p)
            v: f32[9,9] = add(p, q)
            return t, u, v
          }](x, y, k)
          return a, b, c
        }",
    );
}

#[test]
fn parts_are_written_where_they_belong() {
    for dtype in ["f32", "f64", "i8", "bool"] {
        check_text(&format!(
            "program (x: {dtype}[6,40], y: {dtype}[6,3], z: {dtype}[40,6], c: {dtype}[]) {{
              n: {dtype}[6,40] = max(x, x)
              t: {dtype}[6,40] = transpose[perm=[1,0]](z)
              s: {dtype}[6,40] = broadcast[shape=[6,40], dims=[]](c)
              m: {dtype}[6] = reduce[combiner=max, dims=[1]](n)
              m2: {dtype}[6,1] = reshape[shape=[6,1]](m)
              a: {dtype}[6,124] = concatenate[dim=1](n, y, t, s, m2)
              b: {dtype}[18,40] = concatenate[dim=0](n, n, t)
              p: {dtype}[9,82] = pad[low=[1,2], high=[2,1], interior=[0,1]](n, c)
              q: {dtype}[6,40] = max(n, t)
              return a, b, p, q
            }}"
        ));
    }
}
