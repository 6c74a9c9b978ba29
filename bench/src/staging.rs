//! What staging costs: tracing, transforming, simplifying, and finding a program again.

use crate::learning::{transformer_arguments, transformer_block_grad};
use std::time::{Duration, Instant};
use wengert::{Array, grad, jit, make_program, simplify};

/// The median of a few runs.
fn median(runs: usize, mut f: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[runs / 2]
}

/// Trace, gradient and simplification of the transformer block.
pub fn transformer() -> (Duration, usize) {
    let args = transformer_arguments();
    let stage = || simplify(&make_program(transformer_block_grad, (args.clone(),)));
    let equations = stage().equation_count();
    (median(21, || drop(stage())), equations)
}

/// A chain of `n` equations: traced, then its gradient, then simplified.
pub fn chain(n: usize) -> (Duration, usize) {
    let f = |x: Array| {
        let mut y = x;
        for i in 0..n / 2 {
            y = y.sin() * (1.0 + i as f64 * 1e-9);
        }
        y
    };
    let mut equations = 0;
    let time = median(3, || equations = simplify(&make_program(grad(f), (Array::from(0.5f64),))).equation_count());
    (time, equations)
}

/// One call that finds its program, of a program that does nothing.
pub fn cache_hit() -> Duration {
    let f = jit(|x: Array| x);
    let x = Array::from([1.0f32, 2.0]);
    f(x.clone());
    let calls = 100_000;
    let time = median(5, || (0..calls).for_each(|_| drop(f(x.clone()))));
    time / calls
}
