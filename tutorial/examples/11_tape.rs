//! Chapter 11: what a run really did. A recording is a tree of nodes that can be printed and asked; `#[track]` gives it the
//! calls of your own functions, their names, and why each branch was taken.
//!
//! `cargo run --release --example 11_tape`

use wengert::random::{self, Key};
use wengert::tape::Kind;
use wengert::{Array, Capture, DType, Recorder, record, track, tracked, untracked};

/// A number between 0 and 1, and the key for the next ones.
#[track]
fn toss(key: Key) -> (Array, Key) {
    let [here, rest] = [0, 1].map(|i| key.fold_in(i));
    (random::uniform(&here, (), DType::F32), rest)
}

/// How often a coin falls on the wrong side: a function whose shape is known only once it ran.
#[track]
fn geom(key: Key, n: Array, beta: Array) -> Array {
    let (u, rest) = toss(key);
    if u < beta { n } else { geom(rest, n + 1.0, beta) }
}

/// A square root by Newton's steps, which stops when it is good enough.
#[track]
fn root(x: Array, tolerance: f64) -> Array {
    let mut y = x.clone();
    loop {
        let error = &y * &y - &x;
        if error.to_f64().abs() < tolerance {
            break;
        }
        y = &y - error / (&y * 2.0);
    }
    y
}

fn main() {
    // Without `#[track]`, a tape lists the operations. With it, it has the calls they are made in, and each call has its
    // arguments, its decisions and its result. `print_levels` shows as much of the tree as wanted.
    let (n, tape) = record(|| geom(random::key(7), Array::from(1.0f32), Array::from(0.4f32)));
    println!("geom gave {}. The calls, two levels of them:\n{}", n.item::<f32>(), tape.print_levels(2));

    // A branch knows its condition and the block of the function it went to. What stands after it knows the branch.
    println!("Each decision, and what it led to:");
    for node in tape.nodes().filter(|n| n.kind() == Kind::Branch && n.target().is_some()) {
        println!("  {node}");
        assert!(node.condition().is_some());
    }
    let last =
        tape.nodes().find(|n| n.kind() == Kind::Return && n.since().is_some_and(|b| b.condition() == Some(true)));
    println!("The call that ended it all: {}\n", last.and_then(|n| n.parent()).expect("it ended"));

    // Names of variables stay on the nodes. With values, a tape is a table of how they came about.
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| root(Array::from(2.0f64), 1e-6));
    println!("How the error went down:");
    for node in tape.nodes().filter(|n| n.name() == Some("error")) {
        println!("  {}", node.line());
    }

    // `backward` is all that a node depends on: here, of the last error, how many operations.
    let error = tape.nodes().rev().find(|n| n.name() == Some("error")).expect("there are errors");
    let operations = error.backward().filter(|n| n.kind() == Kind::Primitive).count();
    println!("The last error took {operations} operations.\n");

    // Closures are tracked by `tracked!`. What nobody wants to see goes into `untracked!`.
    let shift = Array::from(10.0f32);
    let shifted = tracked!("shifted", |x: Array| {
        let norm = untracked!(x.square().sum(..).sqrt());
        if norm > 1.0 { x / norm + &shift } else { x }
    });
    let (_, tape) = record(|| shifted(Array::from([3.0f32, 4.0])));
    println!("A closure, part of it left out:\n{tape}");
}
