//! The whole in one walk, in the order of the README: write and differentiate, run a JAX program, look at a run.
//!
//! `cargo run --release --example tour`

use std::io::IsTerminal;
use wengert::tape::UpdateOutcome;
use wengert::{
    Array, Capture, DType, Device, Recorder, Tree, call_program, cond, grad, jit, jvp, make_program, nn, scan,
    simplify, track, value_and_grad, vmap, zip_leaves,
};

fn heading(text: &str) {
    let (bold, plain) = if std::io::stdout().is_terminal() { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    println!("\n{bold}── {text} {}{plain}\n", "─".repeat(96usize.saturating_sub(text.chars().count())));
}

/// A function of one number, to look at.
fn bump(x: Array) -> Array {
    (-(&x * &x)).exp() * x.sin()
}

/// One with a branch in a loop: the state shrinks or grows with each weight, then takes one of two ways.
fn walk(x: Array) -> Array {
    let step = |state: Array, weight: Array| {
        let state = cond(state.gt(0.5), |s: Array| s.sin(), |s: Array| s.exp(), state * weight);
        (state.clone(), state)
    };
    let (last, path) = scan(step, x, Array::from([0.9f32, 1.1, 0.7]));
    last + path.sum(..)
}

/// A layer of 16 units between one number and another. A struct of arrays goes through every transform as it is.
#[derive(Tree, Clone)]
struct Model {
    hidden: Layer,
    output: Layer,
}

#[derive(Tree, Clone)]
struct Layer {
    weight: Array,
    bias: Array,
}

impl Layer {
    fn apply(&self, x: &Array) -> Array {
        x.matmul(&self.weight) + &self.bias
    }
}

fn loss(model: Model, x: Array, y: Array) -> Array {
    nn::mse(&model.output.apply(&model.hidden.apply(&x).tanh()), y)
}

/// Newton's method for a square root: how many steps it takes depends on the number.
#[track]
fn root(a: Array) -> Array {
    let mut x = a.clone();
    while (&x * &x - &a).abs() > 1e-3 {
        x = (&x + &a / &x) / 2.0;
    }
    x
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    write_and_differentiate();
    run_a_jax_program()?;
    look_at_a_run()
}

fn write_and_differentiate() {
    let x = Array::from(0.5f32);

    heading("a function is traced to a program");
    println!("{}", make_program(bump, (x.clone(),)));

    heading("jvp: values and tangents side by side");
    println!("{}", make_program(|x: Array, dx: Array| jvp(bump, (x,), (dx,)), (x.clone(), x.clone())));

    heading("grad: the linear part, run backward");
    let slope = make_program(grad(bump), (x.clone(),));
    println!("{slope}");

    heading("simplify: without what need not be done");
    println!("{}", simplify(&slope));

    heading("vmap(grad): the same for each of a batch");
    let xs = Array::from([0.0f32, 0.5, 1.0]);
    println!("{}", simplify(&make_program(vmap(grad(bump)), (xs.clone(),))));
    println!("\nat {xs}: {}", vmap(grad(bump))(xs.clone()));

    heading("grad(grad): a derivative is a function like any other");
    println!("bump' (0.5) = {}", grad(bump)(x.clone()));
    println!("bump''(0.5) = {}", grad(grad(bump))(x.clone()));

    heading("control flow keeps its structure, also in reverse");
    println!("{}", simplify(&make_program(grad(walk), (x.clone(),))));
    println!("\nwalk (0.5) = {}\nwalk'(0.5) = {}", walk(x.clone()), grad(walk)(x));

    heading("a model trained with one staged step");
    let spread = |from: f64, to: f64| Array::linspace(from, to, 16, DType::F32);
    let mut model = Model {
        hidden: Layer { weight: spread(0.5, 2.0).reshape([1, 16]), bias: spread(-3.0, 3.0) },
        output: Layer { weight: Array::zeros([16, 1], DType::F32), bias: Array::zeros([1], DType::F32) },
    };
    let x = Array::linspace(-2.0, 2.0, 64, DType::F32).reshape([64, 1]);
    let y = bump(x.clone());
    let step = jit(|model: Model, x: Array, y: Array| {
        let (loss, slope) = value_and_grad(loss)(model.clone(), x, y);
        (loss, zip_leaves(&model, &slope, |p, dp| p - 0.1 * dp))
    });
    for i in 0..=2000 {
        let (loss, next) = step(model, x.clone(), y.clone());
        model = next;
        if i % 400 == 0 {
            println!("step {i:4}  loss {loss}");
        }
    }
    println!("\nstaged {} time, found again {} times;", step.misses(), step.hits());
    let (traced, runs) = (&step.programs()[0], &step.simplified()[0]);
    println!("its program has {} equations as traced, {} as it runs", traced.equation_count(), runs.equation_count());

    heading("why a call stages again");
    let half = |x: &Array| x.get(..32);
    step(model, half(&x), half(&y));
    println!("{}", step.explain());
}

fn run_a_jax_program() -> Result<(), Box<dyn std::error::Error>> {
    heading("what JAX printed is a program like any other");
    let text = include_str!("../programs/softplus.mlir");
    println!("{text}");
    let program = wengert_stablehlo::parse(text)?;
    println!("{program}");

    heading("… and has a gradient");
    let slope = grad(|x: Array| call_program(&program, &[x]).remove(0).sum(..));
    println!("at [0. 2.]: {}", slope(Array::from([0.0f32, 2.0])));
    Ok(())
}

fn look_at_a_run() -> Result<(), Box<dyn std::error::Error>> {
    heading("a run as it was: calls, values, places, and why each branch was taken");
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| root(Array::from(2.0f64)));
    println!("{tape}");

    heading("the same run as a program without decisions");
    let straight = tape.to_program()?;
    println!("{}", straight.program());

    heading("one value changed: what depends on it is computed again");
    let mut live = Recorder::new().live(root, (Array::from(2.0f64),));
    for a in [2.001f64, 200.0] {
        live.set(live.argument(0), Array::from(a))?;
        match live.update_or_rerun()? {
            UpdateOutcome::Updated(changes) => {
                println!("√{a} = {}: {} nodes changed", live.value(), changes.changed.len())
            }
            UpdateOutcome::Reran(node) => println!("√{a} = {}: another way from {node} on, run again", live.value()),
        }
    }
    println!("\nall of it ran on the device `{}`", Device::cpu().name());
    Ok(())
}
