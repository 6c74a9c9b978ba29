//! Every program that has values from JAX, and its derivatives, compiled: the bits of the evaluator, which
//! `wengert-eval/tests/reference.rs` holds to those values.

#[allow(dead_code)] // Of the values, only the programs and their inputs are wanted.
#[path = "../../../../tests/reference/reader.rs"]
mod reader;

use crate::agree::{ALL, Way, check};
use reader::{Case, Family};
use std::sync::Arc;
use wengert_core::compare::Tolerance;
use wengert_core::run::Device;
use wengert_core::transform::{jvp, vjp};
use wengert_core::{DType, Op, Program, Tensor};
use wengert_cpu::CPU;

/// Runs a check of every case that has the line `word` on the programs that `make` makes of it, in two of all ways.
fn check_all(word: &str, make: impl Fn(Program, &Family, &Case) -> (Program, Vec<Tensor>)) {
    let (mut count, mut wrong) = (0, Vec::new());
    for family in Family::all() {
        for case in family.cases.iter().filter(|c| c.text(word).is_some()) {
            let Some(text) = case.text("program") else { continue };
            let program = Program::parse(text).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            let (program, x) = make(program, &family, case);
            let ways: Vec<Way> = (0..2).map(|i| ALL[(count + 5 * i) % ALL.len()]).collect();
            count += 1;
            let program = Arc::new(program);
            let checked = match program.any(|_, e| matches!(e.op, Op::Convolution(_))) {
                false => check(&program, &x, &ways),
                true => near(&program, &x),
            };
            wrong.extend(checked.err().map(|why| format!("{}: {why}", case.name)));
        }
    }
    assert!(count > 100 && wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Convolutions are sums in another order than the evaluator's.
fn near(program: &Arc<Program>, x: &[Tensor]) -> Result<(), String> {
    let expected = wengert_eval::run(program, x.to_vec()).map_err(|e| e.to_string())?;
    let compiled = CPU.compile(program.clone(), &[]).map_err(|e| e.to_string())?;
    let got = compiled.run_on_host(x.to_vec()).map_err(|e| e.to_string())?;
    expected.iter().zip(&got).try_for_each(|(want, got)| {
        let tolerance =
            Tolerance::near(if want.dtype().size() > 8 || want.dtype() == DType::F64 { 1e-13 } else { 1e-5 });
        tolerance.check(got, want).map_err(|e| e.to_string())
    })
}

fn active(program: &Program, case: &Case) -> Vec<bool> {
    let listed: Vec<usize> = case.text("active").unwrap().split(' ').map(|i| i.parse().unwrap()).collect();
    (0..program.inputs().len()).map(|i| listed.contains(&i)).collect()
}

#[test]
fn reference_programs() {
    check_all("out", |program, family, case| (program, family.arrays(case, "in").unwrap()));
}

#[test]
fn reference_tangents() {
    check_all("jvp", |program, family, case| {
        let x = ["in", "tangent"].map(|word| family.arrays(case, word).unwrap()).concat();
        (jvp(&program, &active(&program, case)).unwrap().0, x)
    });
}

#[test]
fn reference_cotangents() {
    check_all("vjp", |program, family, case| {
        let x = ["in", "cotangent"].map(|word| family.arrays(case, word).unwrap()).concat();
        (vjp(&program, &active(&program, case)).unwrap(), x)
    });
}
