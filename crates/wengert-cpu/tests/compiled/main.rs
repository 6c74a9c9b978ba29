//! Compiled programs give the bits that the evaluator gives with machine code of every kind and with none.

mod agree;
mod gathered;
mod held;
mod nests;
mod numbers;
mod products;
mod reference;
mod rewrites;
mod windows;

use agree::{ALL, check, check_text};
use proptest::prelude::*;
use std::sync::Arc;
use wengert_testing::{Choices, Recipe, cases, random_program, random_rows, random_values, varied_values};

proptest! {
    #![proptest_config(cases(60))]

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

proptest! {
    // Some have half a million elements, by each of the ways.
    #![proptest_config(cases(80))]

    #[test]
    fn rows_combined_and_spread_again_give_the_evaluators_bits(numbers in prop::collection::vec(any::<u16>(), 30..200)) {
        let mut choices = Choices::new(&numbers);
        let program = Arc::new(random_rows(&mut choices));
        let plain = choices.coin();
        let x = varied_values(&program.input_types(), &mut choices, plain);
        check(&program, &x, &ALL[..7]).map_err(TestCaseError::fail)?;
    }
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
