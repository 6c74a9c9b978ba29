//! One number repeated gives the bits that it gives spelled out: through every op, alone and beside arrays that are not
//! repeated.

use crate::reader::Family;
use proptest::collection::vec;
use proptest::prelude::*;
use wengert_core::compare::Tolerance;
use wengert_core::transform::{jvp, vjp};
use wengert_core::{Program, Tensor};
use wengert_eval::run;
use wengert_testing::{Choices, Recipe, random_program, random_values};

/// The first element everywhere.
fn repeated(t: &Tensor) -> Tensor {
    if t.size() == 0 { Tensor::zeros(&t.ty()) } else { Tensor::splat(t.shape().clone(), t.get(0)) }
}

/// Checks a program on inputs of which some are repeated, against the same spelled out.
fn check(p: &Program, inputs: &[Tensor], which: usize) -> Result<(), String> {
    let some: Vec<Tensor> =
        inputs.iter().enumerate().map(|(i, x)| if which >> i & 1 == 1 { repeated(x) } else { x.dense() }).collect();
    let spelled_out: Vec<Tensor> = some.iter().map(Tensor::dense).collect();
    match (run(p, some), run(p, spelled_out)) {
        (Ok(found), Ok(expected)) => {
            for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
                Tolerance::BITS.check(f, e).map_err(|m| format!("inputs {which:b}: output {i}: {m}\n{p}"))?;
            }
            Ok(())
        }
        (Err(a), Err(b)) if a.to_string() == b.to_string() => Ok(()),
        (a, b) => Err(format!("inputs {which:b}: {:?} and {:?}\n{p}", a.err(), b.err())),
    }
}

proptest! {
    #![proptest_config(wengert_testing::cases(100))]

    #[test]
    fn random_programs(numbers in vec(any::<u16>(), 0..250), values in vec(any::<u16>(), 80), which in 0usize..16) {
        let p = random_program(&Recipe::any(), &mut Choices::new(&numbers));
        let inputs = random_values(&p.input_types(), &mut Choices::new(&values), false);
        check(&p, &inputs, which).map_err(TestCaseError::fail)?;
    }
}

/// Checks what `make` makes of each program of the reference, or of one in so many: there are many alike.
fn check_all(one_in: usize, make: impl Fn(&Program, Vec<Tensor>) -> Option<(Program, Vec<Tensor>)>) {
    let mut failures = Vec::new();
    for family in Family::all() {
        for case in family.cases.iter().step_by(one_in) {
            let (Some(text), Some(inputs)) = (case.text("program"), family.arrays(case, "in")) else { continue };
            let p = Program::parse(text).unwrap();
            let Some((p, inputs)) = make(&p, inputs) else { continue };
            let all = (1usize << inputs.len().min(8)) - 1;
            let alone = (0..inputs.len().min(8)).flat_map(|i| [1 << i, all & !(1 << i)]);
            for which in alone.chain([all]) {
                failures.extend(check(&p, &inputs, which).err().map(|why| format!("{}: {why}", case.name)));
            }
        }
    }
    let count = failures.len();
    failures.truncate(12);
    assert!(failures.is_empty(), "{count} fail:\n{}", failures.join("\n\n"));
}

#[test]
fn every_op_of_the_reference() {
    check_all(2, |p, inputs| Some((p.clone(), inputs)));
}

fn moving(p: &Program) -> Vec<bool> {
    p.input_types().iter().map(|t| t.dtype.is_differentiable()).collect()
}

#[test]
fn tangents_of_every_op() {
    check_all(7, |p, mut inputs| {
        let (forward, _) = jvp(p, &moving(p)).ok()?;
        let tangents: Vec<Tensor> = inputs.iter().filter(|x| x.dtype().is_differentiable()).cloned().collect();
        inputs.extend(tangents);
        Some((forward, inputs))
    });
}

#[test]
fn cotangents_of_every_op() {
    check_all(7, |p, mut inputs| {
        let back = vjp(p, &moving(p)).ok()?;
        let types = back.input_types();
        inputs.extend(random_values(
            &types[inputs.len()..],
            &mut Choices::new(&[7, 1, 900, 44, 3000, 12, 5, 77]),
            true,
        ));
        Some((back, inputs))
    });
}
