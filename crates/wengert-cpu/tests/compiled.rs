//! Compiled programs give the bits that the evaluator gives with machine code of every kind and with none.

use proptest::prelude::*;
use std::sync::Arc;
use wengert_core::run::{Device, Executable};
use wengert_core::{DType, Program, Tensor};
use wengert_cpu::{Cpu, Native};
use wengert_testing::{Choices, Recipe, cases, random_program, random_values};

/// Whether both are the same to the bit; which NaN it is does not count.
fn same(x: &Tensor, y: &Tensor) -> bool {
    x.ty() == y.ty()
        && (0..x.size()).all(|i| {
            let (x, y) = (x.get(i), y.get(i));
            let nan = |z: f64| z.is_nan();
            x.bits() == y.bits()
                || match x.dtype() {
                    d if d.is_float() => nan(x.as_f64().unwrap()) && nan(y.as_f64().unwrap()),
                    DType::C64 | DType::C128 => {
                        let (x, y) = (x.as_complex(), y.as_complex());
                        [(x.re, y.re), (x.im, y.im)]
                            .iter()
                            .all(|(a, b)| a.to_bits() == b.to_bits() || nan(*a) && nan(*b))
                    }
                    _ => false,
                }
        })
}

fn check(program: &Arc<Program>, x: &[Tensor]) -> Result<(), String> {
    let expected = wengert_eval::run(program, x.to_vec());
    let all = [Native::Best, Native::Avx2, Native::Sse2, Native::Off];
    // With few scalars, small arrays are loops over lanes.
    for (native, small) in all.into_iter().flat_map(|native| [64, 2, 0].map(|small| (native, small))) {
        let cpu = Cpu::with(native).with_scalars_up_to(small);
        let compiled: Arc<dyn Executable> = cpu.compile(program.clone(), &[]).map_err(|e| e.to_string())?;
        // Twice: the second run finds memory that the first one left.
        for _ in 0..2 {
            match (&expected, compiled.run_on_host(x.to_vec())) {
                (Ok(want), Ok(got)) => {
                    for (k, (want, got)) in want.iter().zip(&got).enumerate() {
                        if !same(want, got) {
                            return Err(format!(
                                "{native:?}, {small}, result {k}:\n{want:?}\n{got:?}\n{program}\n{x:?}"
                            ));
                        }
                    }
                }
                (Err(_), Err(_)) => {}
                (want, got) => return Err(format!("{native:?}: {want:?} and {got:?}")),
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn random_programs_compiled_give_the_evaluators_bits(numbers in prop::collection::vec(any::<u16>(), 40..400)) {
        let mut choices = Choices::new(&numbers);
        let program = Arc::new(random_program(&Recipe::any(), &mut choices));
        let x = random_values(&program.input_types(), &mut choices, false);
        check(&program, &x).map_err(TestCaseError::fail)?;
    }
}

/// Checks a program on numbers that are no round ones.
fn check_text(text: &str) {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let numbers: Vec<u16> = (0..2000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), false);
    check(&program, &x).unwrap_or_else(|m| panic!("{m}"));
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
