//! How long it takes to build, differentiate, simplify, print and read programs of 10,000 to 100,000 equations. The
//! time for one equation should not grow with their number: `cargo run --release -p wengert-core --example scaling`.

use std::sync::{Arc, LazyLock};
use std::time::Instant;
use wengert_core::ops::{Call, CallKind, Scan, Unary};
use wengert_core::simplify::Simplifier;
use wengert_core::{Builder, DType, Program, Type, Var, transform};

/// One value through `n` equations, with constants between.
fn chain(n: usize) -> Program {
    let mut b = Builder::new();
    let ty = Type::new(DType::F32, [8]);
    let (mut x, w) = (b.input(ty.clone()), b.input(ty));
    while b.equation_count() < n {
        let y = b.mul(x, w);
        let y = b.scale(y, 0.5);
        let y = b.unary(Unary::Sin, y);
        x = b.add(x, y);
    }
    b.finish(&[x])
}

/// As many inputs and results as there are equations, and each result twice.
fn wide(n: usize) -> Program {
    let mut b = Builder::new();
    let inputs: Vec<Var> = (0..n / 4).map(|_| b.input(Type::scalar(DType::F32))).collect();
    let mut outputs = Vec::new();
    for &x in &inputs {
        for _ in 0..2 {
            let y = b.unary(Unary::Tanh, x);
            outputs.push(b.add(y, x));
        }
    }
    b.finish(&outputs)
}

/// Loops and calls after each other, all of one small program.
fn nested(n: usize) -> Program {
    let body = Arc::new(chain(40));
    let ty = Type::new(DType::F32, [8]);
    let mut b = Builder::new();
    let (mut x, w) = (b.input(ty.clone()), b.input(ty));
    let body_of_loop = {
        let mut s = Builder::new();
        let args = s.inputs_of(&body);
        let y = s.inline(&body, &[args[1], args[0]]);
        Arc::new(s.finish(&y))
    };
    for i in 0..n / 40 {
        x = match i % 2 {
            0 => b.one(Call { program: body.clone(), kind: CallKind::Staged }, &[x, w]),
            _ => {
                let scan = Scan { length: 10, consts: 1, carries: 1, reverse: false, body: body_of_loop.clone() };
                b.one(scan, &[w, x])
            }
        };
    }
    b.finish(&[x])
}

/// Seconds that this thread has run, where the system tells; seconds that have passed, elsewhere.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let running = told.and_then(|s| s.split_whitespace().next()?.parse::<f64>().ok());
    running.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn time<T>(times: &mut Vec<f64>, f: impl FnOnce() -> T) -> T {
    let start = now();
    let y = f();
    times.push(now() - start);
    y
}

fn main() {
    let steps = ["build", "verify", "vjp", "simplify", "batch", "print", "parse"];
    for (name, make) in [("chain", chain as fn(usize) -> Program), ("wide", wide), ("nested", nested)] {
        println!("{name}: milliseconds, and nanoseconds for each equation");
        println!("{:>10}{}", "equations", steps.map(|s| format!("{s:>16}")).concat());
        for n in [10_000, 30_000, 100_000] {
            let mut times = Vec::new();
            let p = time(&mut times, || make(n));
            time(&mut times, || p.verify().expect("well formed"));
            let wrt = vec![true; p.inputs().len()];
            let back = time(&mut times, || transform::vjp(&p, &wrt).expect("every op has a derivative"));
            let simple = time(&mut times, || Simplifier::default().run(&back));
            let none = vec![false; simple.outputs().len()];
            let batched = vec![true; simple.inputs().len()];
            let (over, _) = time(&mut times, || transform::batch(&simple, 4, None, &batched, &none).expect("batched"));
            let text = time(&mut times, || over.to_text());
            let parsed = time(&mut times, || Program::parse(&text).expect("what was printed"));
            assert_eq!(parsed, over);
            let each = |t: &f64| format!("{:>9.1} {:>6.0}", t * 1e3, t * 1e9 / n as f64);
            println!("{n:>10}{}", times.iter().map(each).collect::<String>());
            if std::env::args().any(|a| a == "--passes") {
                let mut start = now();
                Simplifier::default().run_watched(&back, |pass, p, made| {
                    let took = now() - start;
                    println!("{:>20}{} → {} equations {made:?}", pass.as_str(), each(&took), p.equation_count());
                    start = now();
                });
            }
        }
    }
}
