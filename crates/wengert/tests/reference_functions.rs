//! The array functions against values that JAX computed (see `tests/reference/README.md`): at once, staged, and batched.

mod functions;
#[allow(dead_code)]
#[path = "../../../tests/reference/reader.rs"]
mod reader;

use functions::call;
use reader::{Family, show};
use wengert::{Array, Tensor, jit, stack, try_run, vmap};

/// Calls whose results have sizes that depend on values: they can't be staged.
const EAGER: [&str; 1] = ["index(x0, 'a', x0 > 0)"];

/// Runs a call in one way; what went wrong in words.
fn run(f: impl FnOnce() -> Option<Vec<Array>>) -> Result<Vec<Tensor>, String> {
    match try_run(f) {
        Ok(Some(y)) => Ok(y.iter().map(Array::to_tensor).collect()),
        Ok(None) => Err("no function for this call".into()),
        Err(e) => Err(e.to_string()),
    }
}

fn check(family: &Family, case: &reader::Case) -> Result<(), String> {
    let text = case.text("call").expect("a call");
    let x: Vec<Array> = family.arrays(case, "in").unwrap_or_default().into_iter().map(Array::from_tensor).collect();
    let want = family.arrays(case, "out").expect("results");
    let other = family.arrays(case, "or");
    let compare = |how: &str, got: Vec<Tensor>| {
        if got.len() != want.len() {
            return Err(format!("{how}: {} results, and there should be {}", got.len(), want.len()));
        }
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let other = other.as_ref().map(|o| &o[i]);
            case.measure().check(got, want, other).map_err(|e| format!("{how}, result {i}: {e}"))?;
        }
        Ok(())
    };
    compare("at once", run(|| call(text, &x))?)?;
    if EAGER.contains(&text) {
        return Ok(());
    }
    let staged = jit(|x: Vec<Array>| call(text, &x).unwrap_or_default());
    compare("staged", run(|| Some(staged(x.clone())))?)?;
    if !x.is_empty() {
        let batched = vmap(|x: Vec<Array>| call(text, &x).unwrap_or_default());
        let twice = || x.iter().map(|x| stack([x, x], 0)).collect();
        let first = |y: Vec<Array>| y.iter().map(|y| y.get(1)).collect();
        compare("batched", run(|| Some(first(batched(twice()))))?)?;
    }
    Ok(())
}

#[test]
fn functions_agree_with_jax() {
    let only = std::env::var("REFERENCE").unwrap_or_default();
    let (mut count, mut wrong) = (0, Vec::new());
    for family in Family::all() {
        for case in family.cases.iter().filter(|c| c.text("call").is_some_and(|t| !t.starts_with("jax.random"))) {
            if !case.name.contains(&only) {
                continue;
            }
            count += 1;
            if let Err(e) = check(&family, case) {
                let x = family.arrays(case, "in").unwrap_or_default();
                wrong.push(format!("{}: {}\n    {e}\n    {}", case.name, case.text("call").unwrap_or(""), show(&x)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} calls are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
