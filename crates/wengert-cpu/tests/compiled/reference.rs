//! Every program that has values from JAX, and its derivatives, compiled: the bits of the evaluator, which
//! `wengert-eval/tests/reference.rs` holds to those values.

#[allow(dead_code)] // Of the values, only the programs and their inputs are wanted.
#[path = "../../../../tests/reference/reader.rs"]
mod reader;

use crate::agree::{ALL, Way, check};
use reader::{Case, Family};
use std::sync::Arc;
use wengert_core::transform::{jvp, vjp};
use wengert_core::{Program, Tensor};

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
            let checked = check(&Arc::new(program), &x, &ways);
            wrong.extend(checked.err().map(|why| format!("{}: {why}", case.name)));
        }
    }
    assert!(count > 100 && wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n\n"));
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
