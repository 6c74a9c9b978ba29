//! Chapter 3: batching. A function of one example becomes a function of many, without a loop.
//!
//! `cargo run --release --example 03_batching`

use wengert::{Array, grad, jit, keep, make_program, pmean, vmap};

/// A layer applied to one vector.
fn layer(w: Array, x: Array) -> Array {
    w.matmul(&x).tanh()
}

fn main() {
    let w = Array::from([[1.0f32, -1.0], [0.5, 0.5], [0.0, 2.0]]);
    let x = Array::from([0.3f32, 0.4]);
    let xs = Array::from([[0.3f32, 0.4], [1.0, 0.0], [-2.0, 1.0], [0.0, 0.0]]);

    println!("one example: {}", layer(w.clone(), x.clone()));
    // `w` is shared, `x` is walked along its leading axis.
    let batched = vmap(layer).in_axes([None, Some(0)]);
    println!("four at once:\n{}\n", batched(w.clone(), xs.clone()));

    // There is one matrix product in it, not four.
    println!("{}", make_program(vmap(layer).in_axes([None, Some(0)]), (w.clone(), xs.clone())));

    // Transforms nest: a gradient for each example, staged.
    let loss = |w: Array, x: Array| layer(w, x).sum(..);
    let per_example = jit(vmap(grad(loss)).in_axes([None, Some(0)]));
    println!("a gradient for each example has shape {}", per_example(w, xs.clone()).shape());

    // All pairs: a batch of batches.
    let distance = |a: Array, b: Array| ((&a - &b) * (a - b)).sum(..).sqrt();
    let table = vmap(|a: Array| vmap(|b: Array| distance(a.clone(), b))(xs.clone()));
    println!("distances:\n{}\n", table(xs.clone()));

    // With a name, examples can know of each other.
    let normalized = vmap(|x: Array| {
        let mean = pmean(&x, "batch");
        let d = x - mean;
        let spread = pmean(&d * &d, "batch").sqrt();
        d / (spread + 1e-5)
    })
    .axis_name("batch");
    println!("normalized over the batch:\n{}", normalized(xs.clone()));
    println!("its columns have mean {}", normalized(xs.clone()).mean(keep(0)));
}
