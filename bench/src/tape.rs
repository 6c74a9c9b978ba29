//! What recording costs: nothing while it is off, little while it is on; and what re-evaluation saves.

use crate::learning::{transformer_arguments, transformer_block_grad};
use std::hint::black_box;
use std::time::Instant;
use wengert::{Array, Recorder, Tree, jit, record, track};

/// The least of a few times, in seconds: what the machine can do when nobody disturbs it.
fn least(runs: usize, mut f: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}

/// Two things that are compared, by turns: a machine whose speed changes does so for both.
pub(crate) struct Compared {
    /// The least times.
    pub(crate) first: f64,
    pub(crate) second: f64,
    /// The median of how much longer the second took than the first just before it.
    pub(crate) ratio: f64,
}

pub(crate) fn by_turns(runs: usize, mut f: impl FnMut(), mut g: impl FnMut()) -> Compared {
    let turns: Vec<(f64, f64)> = (0..runs).map(|_| (least(1, &mut f), least(1, &mut g))).collect();
    let mut ratios: Vec<f64> = turns.iter().map(|(a, b)| b / a).collect();
    ratios.sort_by(f64::total_cmp);
    let min = |of: fn(&(f64, f64)) -> f64| turns.iter().map(of).fold(f64::INFINITY, f64::min);
    Compared { first: min(|t| t.0), second: min(|t| t.1), ratio: ratios[runs / 2] }
}

/// Small ops one after another, at once.
fn chain(n: usize) -> Array {
    let mut x = Array::from([0.5f32, 0.25, 0.125, 1.0]);
    for _ in 0..n / 2 {
        x = x.sin() * 1.5;
    }
    x
}

/// How many steps a number takes to 1: a loop and a branch for every few instructions, and nothing else.
#[inline(never)]
fn steps(mut n: u64) -> u64 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

/// The same, tracked.
#[inline(never)]
#[track]
fn tracked_steps(mut n: u64) -> u64 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

/// A call and nothing else.
#[inline(never)]
fn call(n: u64) -> u64 {
    n + 1
}

/// The same, tracked.
#[inline(never)]
#[track]
fn tracked_call(n: u64) -> u64 {
    n + 1
}

/// Calls and nothing else, without a loop that a compiler could make of them.
#[inline(never)]
fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

/// The same, tracked.
#[inline(never)]
#[track]
fn tracked_fib(n: u64) -> u64 {
    if n < 2 { n } else { tracked_fib(n - 1) + tracked_fib(n - 2) }
}

/// Prints what a recursive function costs that is tracked, where nothing is recorded, and while another thread records; and
/// what the nodes of the host cost.
fn print_host() {
    let plain = || _ = black_box(fib(black_box(30)));
    let tracked = || _ = black_box(tracked_fib(black_box(30)));
    let alone = by_turns(15, plain, tracked);
    let beside = std::thread::scope(|s| {
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let (begin, begins) = std::sync::mpsc::channel::<()>();
        s.spawn(move || {
            record(|| {
                begin.send(()).expect("awaited");
                ends.recv().expect("sent");
                Array::from(0.0f32)
            })
        });
        begins.recv().expect("sent");
        let beside = by_turns(15, plain, tracked);
        end.send(()).expect("awaited");
        beside
    });
    println!(
        "fib(30): {:.2} ms; tracked, outside a recording, {:.2} ms, ratio {:.2}; while another thread records, ratio {:.2}",
        alone.first * 1e3,
        alone.second * 1e3,
        alone.ratio,
        beside.ratio
    );
    let (mut nodes, mut bytes) = (0, 0);
    let long = least(9, || {
        let (_, tape) = record(|| (1..2000).map(tracked_steps).sum::<u64>());
        (nodes, bytes) = (tape.len(), tape.bytes());
    });
    println!("{nodes} nodes of the host: {:.0} ns and {} bytes each", long / nodes as f64 * 1e9, bytes / nodes);
}

/// Prints what `#[track]` costs where nothing is recorded, on functions that do next to nothing.
fn print_tracked() {
    let over = |runs: u64, f: fn(u64) -> u64| move || (1..=runs).for_each(|n| _ = black_box(f(black_box(n))));
    let calls = 20_000_000;
    let Compared { first: plain, second: tracked, .. } = by_turns(5, over(calls, call), over(calls, tracked_call));
    let each = |t: f64| t / calls as f64 * 1e9;
    println!("a call that adds one: {:.2} ns; tracked, outside a recording, {:.2} ns", each(plain), each(tracked));
    let numbers = 300_000;
    let decisions = 2 * (1..=numbers).map(steps).sum::<u64>();
    let Compared { first: plain, second: tracked, .. } =
        by_turns(5, over(numbers, steps), over(numbers, tracked_steps));
    println!(
        "a decision in a loop: {:.2} ns; tracked, outside a recording, {:.2} ns",
        plain / decisions as f64 * 1e9,
        tracked / decisions as f64 * 1e9
    );
}

/// Prints the costs of recording.
pub fn print() {
    print_tracked();
    print_host();
    let n = 1_000_000;
    let mut bytes = 0;
    let recorded = || {
        let (_, tape) = record(|| chain(n));
        bytes = tape.bytes() / tape.len();
    };
    let Compared { first: off, second: on, ratio } = by_turns(15, || drop(black_box(chain(n))), recorded);
    let checks = 100_000_000u64;
    let branch = least(3, || (0..checks).for_each(|_| _ = black_box(wengert::tape::is_recording()))) / checks as f64;
    let each = off / n as f64;
    println!(
        "{n} small eager ops: {:.0} ns each; recorded with shapes {:.0} ns each, ratio {:.2}; {bytes} bytes a node",
        each * 1e9,
        on / n as f64 * 1e9,
        ratio
    );
    println!("recording off: one branch, {:.2} ns, {:.2}% of an eager op", branch * 1e9, branch / each * 100.0);

    let step = jit(transformer_block_grad);
    let args = transformer_arguments();
    let run = || drop(black_box(step(args.clone())));
    run();
    let Compared { first: off, second: on, ratio } = by_turns(61, run, || drop(record(|| leaf(step(args.clone())))));
    println!(
        "staged training step: {:.3} ms; recorded with shapes {:.3} ms, ratio {:.3}; the branch is {:.5}% of it",
        off * 1e3,
        on * 1e3,
        ratio,
        branch / off * 100.0
    );

    for n in [1_000, 10_000, 100_000] {
        // n independent inputs, each with three nodes; one of them changes.
        let args: Vec<Array> = (0..n).map(|i| Array::from(i as f64)).collect();
        let f = |x: Vec<Array>| x.iter().map(|x| (x.sin() * 2.0).exp()).collect::<Vec<Array>>();
        let start = Instant::now();
        let mut live = Recorder::new().live(f, (args.clone(),));
        let whole = start.elapsed().as_secs_f64();
        live.set(live.argument(0), Array::from(0.25)).expect("an argument");
        live.update().expect("no decisions");
        let mut at = 0;
        let mut changed = 0;
        let rounds = 1000;
        let time = least(3, || {
            for _ in 0..rounds {
                at = (at + 7919) % n;
                let x = live.tape().node(live.argument(at)).value(0).expect("kept").get(0).as_f64().expect("real");
                live.set(live.argument(at), Array::from(x + 0.5)).expect("an argument");
                changed = live.update().expect("no decisions").changed.len();
            }
        }) / rounds as f64;
        println!(
            "update of one of {n} inputs: {:.2} µs for {changed} nodes; the whole run {:.2} ms",
            time * 1e6,
            whole * 1e3
        );
    }
}

/// Any array of a tree: a recording gives back what it was given.
fn leaf<T: Tree>(tree: T) -> Array {
    wengert::leaves(&tree).swap_remove(0)
}
