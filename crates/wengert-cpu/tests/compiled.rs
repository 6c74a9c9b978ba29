//! Compiled programs give the bits that the evaluator gives (12: compiled = evaluator).

use proptest::prelude::*;
use std::sync::Arc;
use wengert_core::run::{Device, Executable};
use wengert_core::{DType, Program, Tensor};
use wengert_cpu::CPU;
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
    let compiled: Arc<dyn Executable> = CPU.compile(program.clone(), &[]).map_err(|e| e.to_string())?;
    // Twice: the second run finds memory that the first one left.
    for _ in 0..2 {
        match (&expected, compiled.run_on_host(x.to_vec())) {
            (Ok(want), Ok(got)) => {
                for (k, (want, got)) in want.iter().zip(&got).enumerate() {
                    if !same(want, got) {
                        return Err(format!("result {k}:\n{want:?}\n{got:?}\n{program}\n{x:?}"));
                    }
                }
            }
            (Err(_), Err(_)) => {}
            (want, got) => return Err(format!("{want:?} and {got:?}")),
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
