//! Chapter 2: derivatives. Of any order, forward and reverse, through native control flow.
//!
//! `cargo run --release --example 02_gradients`

use wengert::{All, Array, grad, hessian, hvp, jacrev, jvp, make_program, value_and_grad, vjp};

fn rosenbrock(x: Array) -> Array {
    let (a, b) = (x.get(0), x.get(1));
    let valley = b - &a * &a;
    let slope = 1.0 - a;
    &slope * &slope + 100.0 * &valley * &valley
}

/// Native `if` and loops work: the values are there while `grad` traces.
fn collatz_length_times(x: Array) -> Array {
    let mut steps = 0;
    let mut n = x.clone();
    while n > 1.5 {
        n = if n.to_f64() as i64 % 2 == 0 { n / 2.0 } else { n * 3.0 + 1.0 };
        steps += 1;
    }
    x * steps
}

fn main() {
    let at = Array::from([-1.0f64, 2.0]);

    let (value, gradient) = value_and_grad(rosenbrock)(at.clone());
    println!("value {value}, gradient {gradient}");
    println!("hessian\n{}", hessian(rosenbrock)(at.clone()));
    println!("hessian times a vector {}\n", hvp(rosenbrock, at.clone(), Array::from([1.0, 1.0])));

    // A derivative is a function like any other, so it has derivatives too.
    let f = |x: Array| x.sin();
    let third = grad(grad(grad(f)));
    println!("the third derivative of sin at 0: {}", third(Array::from(0.0f64)));

    // Forward: how the result moves along a direction. Reverse: what a change of the result asks of the arguments.
    let (y, dy) = jvp(rosenbrock, (at.clone(),), (Array::from([1.0, 0.0]),));
    println!("at {y}, moving along the first axis changes it by {dy}");
    let (_, back) = vjp(|x: Array, y: Array| (&x * &y, x + y), (Array::from(3.0), Array::from(4.0)));
    let (dx, dy) = back.pull((Array::from(1.0), Array::from(10.0)));
    println!("pulled back: {dx} and {dy}");
    println!("jacobian of x ↦ x·‖x‖²\n{}\n", jacrev(|x: Array| &x * (&x * &x).sum(..))(at));

    // In several arguments at once.
    let (da, db) = grad(|a: Array, b: Array| a.exp() * b).wrt(All)(Array::from(0.0), Array::from(2.0));
    println!("in both arguments: {da}, {db}");
    println!("through a native loop: {}\n", grad(collatz_length_times)(Array::from(6.0f64)));

    // What `grad` makes of a function is a program.
    println!("{}", make_program(grad(|x: Array| x.sin().exp()), (Array::from(1.0f32),)));
}
