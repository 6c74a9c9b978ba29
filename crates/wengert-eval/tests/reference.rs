//! Every op against values computed by JAX: see tests/reference/README.md for where they come from.
//!
//! `REFERENCE=scatter cargo test --workspace --test all reference::` runs the cases whose names contain that word.

use crate::reader::{Case, Family, show};
use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert_core::transform::{jvp, vjp};
use wengert_core::{Program, Tensor};
use wengert_eval::run;

/// Runs a check on every case that has the line `word`, and reports all failures together.
fn check_all(word: &str, check: impl Fn(&Family, &Case) -> Result<(), String>) {
    let only = std::env::var("REFERENCE").unwrap_or_default();
    let (mut passed, mut failures) = (0, Vec::new());
    for family in Family::all() {
        for case in family.cases.iter().filter(|c| c.text(word).is_some() && c.name.contains(&only)) {
            match outcome(&family, case, &check) {
                Ok(()) => passed += 1,
                Err(why) => failures.push(format!("{}\n  {why}", case.name)),
            }
        }
    }
    println!("{passed} cases agree with JAX, {} do not", failures.len());
    assert!(failures.is_empty(), "{} cases fail:\n\n{}", failures.len(), failures.join("\n\n"));
}

fn outcome(family: &Family, case: &Case, check: impl Fn(&Family, &Case) -> Result<(), String>) -> Result<(), String> {
    let why = match catch_unwind(AssertUnwindSafe(|| check(family, case))) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(why)) => why,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            format!("it panicked: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("for no reason given"))
        }
    };
    let inputs = family.arrays(case, "in").unwrap_or_default();
    Err(format!("{why}\n  {}\n  in {}", case.text("program").unwrap_or(""), show(&inputs)))
}

fn program(case: &Case) -> Result<Program, String> {
    Program::parse(case.text("program").expect("a program")).map_err(|e| e.to_string())
}

fn evaluate(p: &Program, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, String> {
    run(p, inputs).map_err(|e| e.to_string())
}

/// Compares some results with the arrays in a line of the case, and with those in another where either is right.
fn compare(family: &Family, case: &Case, got: &[Tensor], word: &str, or: Option<&str>) -> Result<(), String> {
    let want = family.arrays(case, word).expect("the line is there");
    let other = or.and_then(|or| family.arrays(case, or));
    let measure = if word == "out" { case.measure() } else { case.measure().loose() };
    if got.len() != want.len() {
        return Err(format!("{word}: {} results, and there should be {}", got.len(), want.len()));
    }
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        let other = other.as_ref().map(|o| &o[i]);
        measure
            .check(g, w, other)
            .map_err(|why| format!("{word} {i}: {why}\n  got  {}\n  want {}", show([g]), show([w])))?;
    }
    Ok(())
}

#[test]
fn values() {
    check_all("out", |family, case| {
        if case.text("program").is_none() {
            return Ok(());
        }
        let p = program(case)?;
        let got = evaluate(&p, family.arrays(case, "in").expect("inputs"))?;
        compare(family, case, &got, "out", Some("or"))
    });
}

/// A derivative case: the program, where it is differentiated, and in which direction.
struct Point {
    program: Program,
    active: Vec<bool>,
    x: Vec<Tensor>,
    t: Vec<Tensor>,
    ct: Vec<Tensor>,
}

impl Point {
    fn new(family: &Family, case: &Case) -> Result<Point, String> {
        let program = program(case)?;
        let listed: Vec<usize> =
            case.text("active").expect("active operands").split(' ').map(|i| i.parse().expect("a number")).collect();
        let active = (0..program.inputs().len()).map(|i| listed.contains(&i)).collect();
        let arrays = |word| family.arrays(case, word).expect("the line is there");
        Ok(Point { program, active, x: arrays("in"), t: arrays("tangent"), ct: arrays("cotangent") })
    }

    /// How many outputs of the program have derivatives.
    fn differentiable(&self) -> Vec<bool> {
        self.program.output_types().iter().map(|t| t.dtype.is_differentiable()).collect()
    }

    fn backward(&self) -> Result<Program, String> {
        vjp(&self.program, &self.active).map_err(|e| e.to_string())
    }
}

/// The tangents of the outputs with `wanted`, zero where nothing moves.
fn tangents(p: &Program, active: &[bool], x: Vec<Tensor>, wanted: &[bool]) -> Result<Vec<Tensor>, String> {
    let (j, moving) = jvp(p, active).map_err(|e| e.to_string())?;
    let mut out = evaluate(&j, x)?;
    let mut moved = out.split_off(p.outputs().len()).into_iter();
    let all = p.output_types().into_iter().zip(moving).zip(wanted).map(|((ty, moves), &wanted)| {
        let t = if moves { moved.next().expect("a tangent") } else { Tensor::zeros(&ty) };
        wanted.then_some(t)
    });
    Ok(all.flatten().collect())
}

#[test]
fn forward_mode() {
    check_all("jvp", |family, case| {
        let p = Point::new(family, case)?;
        let x = [p.x.clone(), p.t.clone()].concat();
        compare(family, case, &tangents(&p.program, &p.active, x, &p.differentiable())?, "jvp", None)
    });
}

#[test]
fn reverse_mode() {
    check_all("vjp", |family, case| {
        let p = Point::new(family, case)?;
        let got = evaluate(&p.backward()?, [p.x.clone(), p.ct.clone()].concat())?;
        compare(family, case, &got[p.program.outputs().len()..], "vjp", None)
    });
}

/// Of the vjp as a function of its operands: the tangent along `t`.
#[test]
fn forward_over_reverse() {
    check_all("second", |family, case| {
        let p = Point::new(family, case)?;
        let backward = p.backward()?;
        let active = [p.active.clone(), vec![false; p.ct.len()]].concat();
        let wanted: Vec<bool> = (0..backward.outputs().len()).map(|i| i >= p.program.outputs().len()).collect();
        let x = [p.x.clone(), p.ct.clone(), p.t.clone()].concat();
        compare(family, case, &tangents(&backward, &active, x, &wanted)?, "second", None)
    });
}

/// The same numbers once more: second derivatives are symmetric, so `t` may as well be the cotangent.
#[test]
fn reverse_over_reverse() {
    check_all("second", |family, case| {
        let p = Point::new(family, case)?;
        let backward = p.backward()?;
        let active = [p.active.clone(), vec![false; p.ct.len()]].concat();
        let twice = vjp(&backward, &active).map_err(|e| e.to_string())?;
        // Only the cotangents of the inner pass are pulled back; its values are not.
        let values = p.program.output_types().into_iter().filter(|t| t.dtype.is_differentiable());
        let zeros = values.map(|t| Tensor::zeros(&t)).collect();
        let got = evaluate(&twice, [p.x.clone(), p.ct.clone(), zeros, p.t.clone()].concat())?;
        compare(family, case, &got[backward.outputs().len()..], "second", None)
    });
}
