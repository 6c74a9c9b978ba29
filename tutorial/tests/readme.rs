//! What the README says is printed is printed.

use wengert::{Array, Capture, Recorder, grad, jit, track, try_run, vmap};

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

/// A block of Rust in the README, by a line in it.
fn code(line: &str) -> &str {
    let blocks = README.split("```rust").skip(1).map(|b| b.split_once('\n').unwrap().1.split("\n```").next().unwrap());
    blocks.into_iter().find(|b| b.lines().any(|l| l == line)).unwrap_or_else(|| panic!("no program has {line}"))
}

/// The text with what stands at each place of this file, to the end of the line, instead of the place.
fn with_sources(text: &str, file: &str, source: &str) -> String {
    let mark = format!("{file}:");
    let mut parts = text.split(&mark);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let digits = |s: &str| s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
        let (line, rest) = part.split_at(digits(part));
        let (column, rest) = rest[1..].split_at(digits(&rest[1..]));
        let [line, column] = [line, column].map(|n| n.parse::<usize>().expect("a place") - 1);
        let shown = source.lines().nth(line).and_then(|l| l.get(column..)).unwrap_or("nothing");
        out += &format!("⟨{shown}⟩{rest}");
    }
    out
}

/// What was found is what the README has for a program, with places that stand for the same.
#[track_caller]
fn check(found: &str, first: &str, program: &str) {
    let here = with_sources(found.trim_end(), file!(), include_str!("readme.rs"));
    assert_eq!(here, with_sources(printed(first), "src/main.rs", code(program)), "{found}");
}

#[test]
fn the_tape_of_a_run() {
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| root(Array::from(1.5f64)));
    check(&tape.to_string(), "@0", "fn root(a: Array) -> Array {");
}

fn divide(x: Array, y: Array) -> Array {
    if y >= 1.0 { x / y } else { Array::from(0.0f32) }
}

#[test]
fn the_mistake_of_a_staged_function() {
    let divide = jit(divide);
    let mistake = try_run(|| divide(Array::from(3.0f32), Array::from(2.0f32))).unwrap_err();
    check(
        &mistake.to_string().replace("`readme::", "`hello::"),
        "a traced",
        "fn divide(x: Array, y: Array) -> Array {",
    );
}
