//! The array functions against values that JAX computed (see `tests/reference/README.md`): at once, staged, and batched.

#[allow(dead_code)]
#[path = "../../../tests/reference/reader.rs"]
mod reader;

use crate::functions::call;
use reader::{Family, show};
use wengert::{Array, DType, Tensor, jit, jvp, stack, try_run, vjp, vmap};

/// Calls whose results have sizes that depend on values: they can't be staged.
const EAGER: [&str; 1] = ["index(x0, 'a', x0 > 0)"];

/// Calls without a derivative, in JAX too.
const STEPS: [&str; 1] = ["jnp.nextafter(x0, x1)"];

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
    let (_, tape) = wengert::record(|| call(text, &x).unwrap_or_default());
    // `pinv` has a derivative of its own, and what is traced for that is our function.
    let inside = |n: &wengert::Node<'_>| n.ancestors().any(|a| a.function() == "pinv");
    let ours = |n: &wengert::Node<'_>| n.place().to_string().contains("crates/wengert/src/") && !inside(n);
    if let Some(n) = tape.nodes().find(ours) {
        return Err(format!("recorded: the place of `{}` is {}, which is no user's", n.function(), n.place()));
    }
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
    assert!(count > 1000 || !only.is_empty(), "{count} cases were found");
}

/// The sum of all results that can move.
fn total(text: &str, x: &[Array]) -> Array {
    let mut sum = Array::from(0.0f64);
    for y in call(text, x).unwrap_or_default() {
        match y.dtype() {
            DType::F64 => sum += (&y * weights(&y)).sum(..),
            DType::C128 => sum += ((y.real() + y.imag() * 0.5) * weights(&y)).sum(..),
            _ => {}
        }
    }
    sum
}

/// Numbers that differ from each other, in the shape of an array.
fn weights(x: &Array) -> Array {
    let line = Array::arange(0.0, x.size() as f64, 1.0);
    (line * 1.7 + 0.3).sin().reshape(x.shape())
}

/// The derivative along one direction, forward, backward, and as a difference.
fn slopes(text: &str, x: Vec<Array>) -> [f64; 3] {
    let t: Vec<Array> = x.iter().map(weights).collect();
    let f = |x: Vec<Array>| total(text, &x);
    let (_, forward) = jvp(f, (x.clone(),), (t.clone(),));
    let (_, back) = vjp(f, (x.clone(),));
    let (g,) = back.pull(Array::from(1.0f64));
    let backward: f64 = g.iter().zip(&t).map(|(g, t)| (g * t).sum(..).to_f64()).sum();
    let moved = |h: f64| f(x.iter().zip(&t).map(|(x, t)| x + t * h).collect()).to_f64();
    // A difference of the fourth order.
    let h = 1e-4;
    let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
    [forward.to_f64(), backward, difference]
}

#[test]
fn derivatives_of_functions_agree_with_differences() {
    let only = std::env::var("REFERENCE").unwrap_or_default();
    let (mut count, mut wrong) = (0, Vec::new());
    for family in Family::all() {
        for case in family.cases.iter().filter(|c| c.text("call").is_some_and(|t| !t.starts_with("jax.random"))) {
            let text = case.text("call").expect("a call");
            let x: Vec<Array> =
                family.arrays(case, "in").unwrap_or_default().into_iter().map(Array::from_tensor).collect();
            if !case.name.contains(&only)
                || STEPS.contains(&text)
                || x.is_empty()
                || x.iter().any(|x| x.dtype() != DType::F64)
            {
                continue;
            }
            count += 1;
            match try_run(|| slopes(text, x)) {
                Err(e) => wrong.push(format!("{}: {text}: {e}", case.name)),
                Ok([f, b, d]) => {
                    let near = |x: f64, y: f64, tol: f64| (x - y).abs() <= tol * (1.0 + y.abs());
                    if !near(f, d, 1e-6) || !near(b, f, 1e-9) {
                        wrong.push(format!("{}: {text}: forward {f}, backward {b}, difference {d}", case.name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} derivatives are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 200 || !only.is_empty(), "{count} cases were found");
}
