//! Arrays of no elements through every op: each reference program over a batch of nothing gives a batch of nothing.

use crate::reader::Family;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert_core::transform::{batch, jvp, vjp};
use wengert_core::{Op, Program, Result, Tensor, Type};
use wengert_eval::run;

/// The batch of no members of these types, each spelled out or one number repeated no times.
fn nothing(types: &[Type], repeated: bool) -> Vec<Tensor> {
    let none = |t: &Type| Tensor::zeros(&t.with_shape(t.shape.with_axis(0, 0)));
    types.iter().map(none).map(|t| if repeated { t } else { t.dense() }).collect()
}

/// Runs a program over a batch of nothing.
fn check(p: &Program) -> Result<()> {
    let (takes, gives) = (vec![true; p.inputs().len()], vec![true; p.outputs().len()]);
    let (over, _) = batch(p, 0, None, &takes, &gives)?;
    for repeated in [false, true] {
        let y = run(&over, nothing(&p.input_types(), repeated))?;
        for (y, t) in y.iter().zip(p.output_types()) {
            assert_eq!((y.dtype(), y.shape()), (t.dtype, &t.shape.with_axis(0, 0)));
            assert!(y.same_bits(&y.dense()) && format!("{:?}", y.dense()).ends_with("([])"), "{y:?}");
        }
    }
    Ok(())
}

/// Checks all programs of the reference that `make` makes another of, and reports all failures together.
fn check_all(one_in: usize, make: impl Fn(&Program) -> Option<Program>) -> usize {
    let (mut passed, mut failures) = (0, Vec::new());
    for family in Family::all() {
        for case in family.cases.iter().step_by(one_in) {
            let Some(text) = case.text("program") else { continue };
            let p = Program::parse(text).unwrap();
            let Some(p) = make(&p) else { continue };
            match catch_unwind(AssertUnwindSafe(|| check(&p))) {
                Ok(Ok(())) => passed += 1,
                Ok(Err(e)) => failures.push(format!("{}: {e}\n{p}", case.name)),
                Err(_) => failures.push(format!("{}: it panicked\n{p}", case.name)),
            }
        }
    }
    failures.truncate(20);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    passed
}

#[test]
fn every_op_over_a_batch_of_nothing() {
    let ops = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let passed = check_all(1, |p| {
        p.visit(&mut |e| ops.borrow_mut().extend([e.op.name().to_string()]));
        Some(p.clone())
    });
    assert!(passed > 500, "{passed}");
    let left: Vec<&str> = Op::names().into_iter().filter(|op| !ops.borrow().contains(*op)).collect();
    let known = [
        "constant",
        "select_and_gather",
        "threefry2x32",
        "rng_bit_generator",
        "custom_jvp",
        "custom_vjp",
        "linear_solve",
        "root",
    ];
    let other = |op: &&str| !known.contains(op) && !op.starts_with("all_") && !op.contains("collective");
    let left: Vec<&str> = left.into_iter().filter(other).collect();
    assert_eq!(left, ["pullback", "axis_index", "reduce_scatter"]);
}

#[test]
fn derivatives_over_a_batch_of_nothing() {
    let moving = |p: &Program| p.input_types().iter().map(|t| t.dtype.is_differentiable()).collect::<Vec<_>>();
    let forward = check_all(7, |p| jvp(p, &moving(p)).ok().map(|(p, _)| p));
    let back = check_all(7, |p| vjp(p, &moving(p)).ok());
    assert!(forward > 150 && back > 150, "{forward} {back}");
}
