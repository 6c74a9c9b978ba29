//! Chapter 4: control flow that is staged: branches and loops inside one program.
//!
//! `cargo run --release --example 04_control_flow`

use wengert::{Array, ScanOptions, cond, fori_loop, grad, jit, make_program, scan_with, try_run, vmap, while_loop};

/// The square root by Newton's method, until it does not change.
fn square_root(x: Array) -> Array {
    let close = |(y, last): (Array, Array)| (&y - last).abs().gt(1e-12);
    let step = |(y, _): (Array, Array)| ((&y + &x / &y) * 0.5, y);
    while_loop(close, step, (x.clone(), Array::from(0.0f64))).0
}

fn main() {
    // Under `jit` a native `if` can't see the value, and says so.
    let native = jit(|x: Array| if x > 0.0 { x } else { -x });
    println!("{}\n", try_run(|| native(Array::from(1.0f64))).unwrap_err());

    // `cond` is staged: both branches are in the program, one runs.
    let staged = jit(|x: Array| cond(x.gt(0.0), |x: Array| x, |x: Array| -x, x));
    println!("|-3| = {}", staged(Array::from(-3.0f64)));
    println!("{}", staged.programs()[0]);

    // A loop of unknown length, differentiated in reverse: d√x/dx = 1/(2√x).
    let x = Array::from(2.0f64);
    println!("√2 = {}, its derivative {}", square_root(x.clone()), jit(grad(square_root))(x.clone()));

    // Over a batch, the loop runs until every example is done.
    println!("roots of 1, 4, 9: {}\n", vmap(square_root)(Array::from([1.0, 4.0, 9.0])));

    // A loop of known length that carries a value and gives one at each step.
    let ten = ScanOptions { length: Some(10), ..Default::default() };
    let step = |(a, b): (Array, Array), ()| ((b.clone(), &a + b), a);
    let (last, path) = scan_with(&ten, step, (Array::from(0i64), Array::from(1i64)), ());
    println!("Fibonacci {path}, then {}", last.0);

    // A counted loop is a scan, so its derivative keeps one value for each step, and no more.
    let power = |x: Array| fori_loop(0, 5, |_: Array, y: Array| y * &x, Array::from(1.0f64));
    println!("d(x⁵)/dx at 2 = {}", grad(power)(x.clone()));
    println!("{}", make_program(grad(power), (x,)));
}
