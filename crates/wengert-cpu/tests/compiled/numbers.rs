//! Short floats, complex numbers and narrow integers in compiled programs: the evaluator's bits, with machine code of every
//! kind and with none.

use crate::agree::{ALL, check, check_text, check_values_stay};
use proptest::prelude::*;
use std::sync::Arc;
use wengert_core::{DType, Program, Tensor};
use wengert_testing::{Choices, Recipe, cases, random_program, random_values};

proptest! {
    #![proptest_config(cases(60))]

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
fn all_short_floats_and_what_is_rounded_to_them() {
    let program = |from: &str, to: &str, n: usize| {
        let text = format!("program (x: {from}[{n}]) {{ y: {to}[{n}] = convert[dtype={to}](x) return y }}");
        Arc::new(Program::parse(&text).unwrap())
    };
    let bits: Vec<u32> =
        (0..1 << 17).step_by(5).flat_map(|i: u32| [i << 15, (i << 15) + 1, (i << 15).wrapping_sub(1)]).collect();
    let single = Tensor::new([bits.len()], bits.into_iter().map(f32::from_bits).collect()).unwrap();
    for short in ["f16", "bf16"] {
        let all = match short {
            "f16" => Tensor::new([1 << 16], (0..=u16::MAX).map(wengert_core::f16::from_bits).collect()),
            _ => Tensor::new([1 << 16], (0..=u16::MAX).map(wengert_core::bf16::from_bits).collect()),
        };
        check(&program(short, "f32", 1 << 16), &[all.unwrap()], &ALL).unwrap();
        check(&program("f32", short, single.size()), std::slice::from_ref(&single), &ALL).unwrap();
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

/// Quotients and remainders of integers in vectors: every pair of short ones, and the awkward ones of the others.
#[test]
fn integers_divided_in_loops() {
    check_text(
        "program () {
          i: i32[65536] = iota[ty=i32[65536], dim=0]()
          h: i32[65536] = shift_right_logical(i, 8:i32[65536])
          x: i8[65536] = convert[dtype=i8](h)
          y: i8[65536] = convert[dtype=i8](i)
          q: i8[65536] = div(x, y)
          r: i8[65536] = rem(x, y)
          return q, r
        }",
    );
    for (dtype, top, low) in [
        ("u8", "255", "254"),
        ("i16", "32767", "-32768"),
        ("u16", "65535", "65534"),
        ("i32", "2147483647", "-2147483648"),
        ("u32", "4294967295", "2147483648"),
    ] {
        let line = |name: &str, shape: &str, dims: &str| {
            let awkward = format!("dense[0, 1, 2, 3, 7, {top}, {low}, 100, 10, 6, 5, 25, 26, 127, 3, 17]:{dtype}[16]");
            let numbers = format!("{name}0: {dtype}[16] = mul({awkward}, 1:{dtype}[16])");
            format!("{numbers} {name}: {dtype}{shape} = broadcast[shape={shape}, dims={dims}]({name}0)")
        };
        let (x, y) = (line("x", "[3,16,16]", "[1]"), line("y", "[3,16,16]", "[2]"));
        let negative = if dtype.starts_with('i') { "sub(0:T[3,16,16], y)" } else { "add(y, 3:T[3,16,16])" };
        let negative = negative.replace('T', dtype);
        check_text(&format!(
            "program (z: {dtype}[3,16,16]) {{
              {x}
              {y}
              n: {dtype}[3,16,16] = {negative}
              q: {dtype}[3,16,16] = div(x, y)
              r: {dtype}[3,16,16] = rem(x, y)
              a: {dtype}[3,16,16] = div(x, n)
              b: {dtype}[3,16,16] = rem(x, n)
              c: {dtype}[3,16,16] = div(z, n)
              d: {dtype}[3,16,16] = rem(z, n)
              return q, r, a, b, c, d
            }}"
        ));
    }
}

/// Remainders by powers of two are exact without a division, of zeros, infinities and numbers of any size.
#[test]
fn remainders_by_powers_of_two() {
    for dtype in ["f32", "f64"] {
        for by in ["1.0", "2.0", "-2.0", "1024.0"] {
            for n in [3, 200] {
                let text = format!(
                    "program (x: {dtype}[{n}], s: {dtype}[{n}]) {{
                      a: {dtype}[{n}] = rem(x, {by}:{dtype}[{n}])
                      t: {dtype}[{n}] = mul(x, 1000000.0:{dtype}[{n}])
                      b: {dtype}[{n}] = rem(t, {by}:{dtype}[{n}])
                      z: {dtype}[{n}] = mul(s, -0.0:{dtype}[{n}])
                      c: {dtype}[{n}] = rem(z, {by}:{dtype}[{n}])
                      return a, b, c
                    }}"
                );
                check_text(&text);
                check_values_stay(&text);
            }
        }
    }
}

/// Floats of all classes and both signs: zeros, subnormal, tiny, whole, huge, infinite ones and NaN.
fn floats_of_all_classes() -> Vec<f64> {
    let mut sizes =
        vec![0.0, 5e-324, 1e-310, 1e-45, 1e-40, 1.5e-38, 0.3, 0.49999997, 0.5, 1.0, 1.5, 2.5, 3.0, 7.25, 20.0];
    sizes.extend([21.0, 1e3 + 0.1, 8388607.5, 16777216.0, 3e9, 1e16, 3.4e38, 1e200, f64::MAX, f64::INFINITY, f64::NAN]);
    sizes.iter().flat_map(|x| [*x, -x]).collect()
}

/// Remainders, derivatives of `digamma` and next floats of all pairs of classes, and the nearest whole numbers, in loops and
/// as scalars.
#[test]
fn floats_of_all_classes_in_pairs() {
    let all = floats_of_all_classes();
    let (x, y): (Vec<f64>, Vec<f64>) = all.iter().flat_map(|x| all.iter().map(|y| (*x, *y))).unzip();
    for n in [x.len(), 11] {
        for dtype in [DType::F32, DType::F64] {
            let text = format!(
                "program (x: {dtype}[{n}], y: {dtype}[{n}]) {{
                  r: {dtype}[{n}] = rem(x, y)
                  q: {dtype}[{n}] = rem(x, 0.3:{dtype}[{n}])
                  p: {dtype}[{n}] = polygamma(x, y)
                  d: {dtype}[{n}] = polygamma(0.0:{dtype}[{n}], y)
                  t: {dtype}[{n}] = polygamma(1.0:{dtype}[{n}], y)
                  a: {dtype}[{n}] = nextafter(x, y)
                  w: {dtype}[{n}] = round(x)
                  return r, q, p, d, t, a, w
                }}"
            );
            let program = Arc::new(Program::parse(&text).unwrap());
            let tensor = |v: &[f64]| match dtype {
                DType::F32 => Tensor::new([n], v[..n].iter().map(|x| *x as f32).collect()).unwrap(),
                _ => Tensor::new([n], v[..n].to_vec()).unwrap(),
            };
            check(&program, &[tensor(&x), tensor(&y)], &ALL).unwrap_or_else(|m| panic!("{m}"));
        }
    }
    check_values_stay("program (y: f64[100]) { d: f64[100] = polygamma(0.0:f64[100], y) return d }");
}
