//! What the README says is printed is printed.

use wengert::{Array, Capture, Recorder, grad, jit, track, vmap};

const README: &str = include_str!("../../README.md");

/// A block of text in the README, by its first line.
fn printed(first: &str) -> &str {
    let blocks = README.split("```text\n").skip(1).map(|b| b.split("\n```").next().unwrap());
    blocks.into_iter().find(|b| b.starts_with(first)).unwrap_or_else(|| panic!("no block begins with {first}"))
}

fn loss(w: Array, x: Array, y: Array) -> Array {
    let error = (w * x).sum(..) - y;
    &error * &error
}

#[test]
fn the_first_program() {
    let w = Array::from([0.5f32, -0.25]);
    let xs = Array::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let ys = Array::from([1.0f32, 2.0, 3.0]);
    let per_example = jit(vmap(grad(loss)).in_axes([None, Some(0), Some(0)]));
    let found = format!("{}\n{}", per_example(w, xs, ys), per_example.simplified()[0]);
    assert_eq!(found, printed("[["), "{found}");
}

#[track]
fn root(a: Array) -> Array {
    let mut x = a.clone();
    while (&x * &x - &a).abs() > 1e-3 {
        x = (&x + &a / &x) / 2.0;
    }
    x
}

/// The lines without the places in their brackets, and without the first: those are another file's.
fn without_places(text: &str) -> Vec<String> {
    let place = |line: &str| {
        let (before, after) = line.split_once('[')?;
        let (place, after) = after.split_once(']')?;
        let block = place.split(' ').next().filter(|b| b.starts_with('§')).unwrap_or_default();
        Some(format!("{before}[{block}]{after}"))
    };
    text.trim_end().lines().map(|l| place(l).unwrap_or_else(|| l.to_string())).collect()
}

#[test]
fn the_tape_of_a_run() {
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| root(Array::from(1.5f64)));
    let found = tape.to_string();
    assert_eq!(without_places(&found), without_places(printed("@0")), "{found}");
}
