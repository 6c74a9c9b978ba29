//! Runs with threads, beside each other (D5). It is a process of its own: all of its threads are recorded.

use std::sync::{Mutex, mpsc};
use std::thread::{Builder, JoinHandle};
use wengert::{Array, Capture, Recorder, Tape, grad, tape};
use wengert_repro::diff::TapeDiff;

/// One switch is all that a process has.
static SWITCH: Mutex<()> = Mutex::new(());

fn x() -> Array {
    Array::from([0.25f32, 0.5, 2.0])
}

/// What a run does on each of its threads.
type Work = fn(usize) -> Array;

/// A run of three threads that begin in this order, and what came of them in the order of their numbers.
fn run(name: Option<&str>, order: [usize; 3], capture: Capture, work: Work) -> Tape {
    let _alone = SWITCH.lock().unwrap();
    tape::purge();
    tape::enable_with(Recorder::new().capture(capture));
    let tangent = || x().tan();
    // The first thread that computes something may do so before `main` or after.
    let before = (order[0] == 0).then(tangent);
    let mut started = order.map(|i| {
        let builder = match name {
            Some(name) => Builder::new().name(name.replace("{}", &i.to_string())),
            None => Builder::new(),
        };
        let (tell, told) = mpsc::channel();
        let thread: JoinHandle<Array> = builder
            .spawn(move || {
                let y = work(i);
                tell.send(()).unwrap();
                y
            })
            .unwrap();
        told.recv().unwrap();
        (i, thread)
    });
    started.sort_by_key(|(i, _)| *i);
    let factor = before.unwrap_or_else(tangent);
    let [first, second, third] = started.map(|(_, thread)| thread.join().unwrap());
    // They are told apart after they ended.
    let _ = (first * 0.5 + second) * factor - third;
    tape::disable();
    let tape = tape::collect();
    tape::purge();
    tape
}

fn scaled(i: usize) -> Array {
    let k = x() * (i as f32 + 1.0);
    grad(move |x: Array| (x * &k).sum(..))(x())
}

fn sine(_: usize) -> Array {
    x().sin()
}

/// Each by its structure.
fn unlike(i: usize) -> Array {
    match i {
        0 => x().exp(),
        1 => x().cos() + x(),
        _ => grad(|x: Array| x.sin().sum(..))(x()),
    }
}

/// Each by what it is given.
fn given(i: usize) -> Array {
    Array::from([i as f32, 1.0, 2.0]).exp()
}

const ORDERS: [[usize; 3]; 4] = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]];

#[test]
fn d5_threads_are_matched_whichever_began_first() {
    let names = [Some("worker-{}"), Some("worker"), None];
    for (name, capture) in names.iter().flat_map(|n| [(*n, Capture::Values), (*n, Capture::Shapes)]) {
        for work in [scaled, sine, unlike, given] as [Work; 4] {
            let a = run(name, ORDERS[0], capture, work);
            for order in ORDERS {
                let found = TapeDiff::new(&a, &run(name, order, capture, work), 1e-3).unwrap();
                assert!(found.is_none(), "{name:?} {order:?}: {found:#?}\n{a}");
            }
        }
    }
}

#[test]
fn d5_a_thread_that_did_otherwise_is_told_whichever_began_first() {
    let other = |i: usize| if i == 1 { x().sinh() } else { unlike(i) };
    for name in [Some("worker-{}"), None] {
        let a = run(name, ORDERS[0], Capture::Values, unlike);
        for order in ORDERS {
            let b = run(name, order, Capture::Values, other);
            let found = TapeDiff::new(&a, &b, 1e-3).unwrap();
            let structure = found.structure.expect("one thread did otherwise");
            let [thread] = &structure.inside[..] else { panic!("{name:?} {order:?}: {structure:#?}") };
            assert!(a.node(thread.a.unwrap()).to_string().contains("thread"), "{thread:#?}");
            assert!(format!("{thread:?}").contains(r#"Attributes { a: "cos", b: "sinh" }"#), "{thread:#?}");
        }
    }
}
