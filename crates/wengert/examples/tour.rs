//! The whole, in one walk: a function, its programs before and after each transform, and a small model trained.
//!
//! `cargo run --release --example tour`

use wengert::{Array, Tree, cond, grad, jit, jvp, make_program, random, scan, vmap, zip_leaves};

fn heading(text: &str) {
    println!("\n\x1b[1m── {text} {}\x1b[0m\n", "─".repeat(100usize.saturating_sub(text.len())));
}

/// A function of one number, to look at.
fn bump(x: Array) -> Array {
    (-(&x * &x)).exp() * x.sin()
}

#[derive(Tree, Clone)]
struct Model {
    hidden: (Array, Array),
    output: (Array, Array),
}

fn predict(m: &Model, x: &Array) -> Array {
    let h = (x.matmul(&m.hidden.0) + &m.hidden.1).tanh();
    h.matmul(&m.output.0) + &m.output.1
}

fn loss(m: Model, x: Array, y: Array) -> Array {
    let error = predict(&m, &x) - y;
    (&error * &error).mean(..)
}

fn main() {
    let x = Array::from(0.5f32);

    heading("a function is traced to a program");
    println!("{}", make_program(bump, (x.clone(),)));

    heading("jvp: values and tangents side by side");
    println!("{}", make_program(|x: Array, t: Array| jvp(bump, (x,), (t,)), (x.clone(), x.clone())));

    heading("grad: the linear part, run backward");
    println!("{}", make_program(grad(bump), (x.clone(),)));

    heading("vmap(grad): the same over a batch");
    let xs = Array::from([0.0f32, 0.5, 1.0]);
    println!("{}", make_program(vmap(grad(bump)), (xs.clone(),)));
    println!("vmap(grad(bump))([0, 0.5, 1]) = {}", vmap(grad(bump))(xs.clone()));

    heading("grad(grad): derivatives of derivatives");
    println!("bump'' at 0.5 = {}", grad(grad(bump))(x.clone()));

    heading("control flow keeps its structure, also in reverse");
    let walk = |x: Array| {
        let step = |c: Array, w: Array| {
            let c = cond(c.gt(0.5), |c: Array| c.sin(), |c: Array| c.exp(), c * w);
            (c.clone(), c)
        };
        let (last, path) = scan(step, x, Array::from([0.9f32, 1.1, 0.7]));
        last + path.sum(..)
    };
    println!("{}", make_program(grad(walk), (x.clone(),)));
    println!("walk(0.5) = {}, its derivative {}", walk(x.clone()), grad(walk)(x));

    heading("a model trained with one staged step");
    let key = random::key(0);
    let keys = key.split(2);
    let model = Model {
        hidden: (random::normal(&keys[0], [1, 16], wengert::DType::F32), Array::zeros([16], wengert::DType::F32)),
        output: (
            random::normal(&keys[1], [16, 1], wengert::DType::F32) * 0.25,
            Array::zeros([1], wengert::DType::F32),
        ),
    };
    let x = Array::linspace(-2.0, 2.0, 64, wengert::DType::F32).reshape([64, 1]);
    let y = bump(x.clone());
    let step = jit(|m: Model, x: Array, y: Array| {
        let (l, g) = wengert::value_and_grad(loss)(m.clone(), x, y);
        (l, zip_leaves(&m, &g, |p, g| p - 0.1 * g))
    });
    let mut model = model;
    for i in 0..=2000 {
        let (l, next) = step(model, x.clone(), y.clone());
        model = next;
        if i % 400 == 0 {
            println!("step {i:4}  loss {l}");
        }
    }
    println!("staged {} time, found again {} times", step.misses(), step.hits());
    println!("its program has {} equations", step.programs()[0].equation_count());

    heading("why a call stages again");
    step(model, x.reshape([2, 32, 1]).get(0), y.reshape([2, 32, 1]).get(0));
    println!("{}", step.explain());
}
