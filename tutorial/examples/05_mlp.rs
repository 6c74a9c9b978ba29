//! Chapter 5: a multilayer perceptron that learns to tell two spirals apart.
//!
//! `cargo run --release --example 05_mlp`

use wengert::random::{self, Key};
use wengert::{Array, DType, Tree, concatenate, jit, nn, s, stack, value_and_grad, zip_leaves};

/// Parameters are structs of arrays: `Tree` lets every transform take and give them whole.
#[derive(Tree, Clone)]
struct Layer {
    weight: Array,
    bias: Array,
}

type Mlp = Vec<Layer>;

fn layer(key: &Key, inputs: usize, outputs: usize) -> Layer {
    let weight = random::normal(key, [inputs, outputs], DType::F32) * (1.0 / inputs as f64).sqrt();
    Layer { weight, bias: Array::zeros([outputs], DType::F32) }
}

/// For each point, how surely it is of the second spiral: above zero if so.
fn predict(mlp: &Mlp, points: &Array) -> Array {
    let (last, hidden) = mlp.split_last().expect("a layer");
    let x = hidden.iter().fold(points.clone(), |x, l| (x.matmul(&l.weight) + &l.bias).tanh());
    (x.matmul(&last.weight) + &last.bias).squeeze(-1)
}

fn loss(mlp: Mlp, points: Array, labels: Array) -> Array {
    nn::binary_cross_entropy_with_logits(&predict(&mlp, &points), labels).mean(..)
}

/// Everything that changes while training. The optimizer (Adam) keeps two more trees like the model.
#[derive(Tree, Clone)]
struct State {
    mlp: Mlp,
    mean: Mlp,
    square: Mlp,
    step: Array,
}

/// One step of training: the loss, and the state after it.
fn train(state: State, points: Array, labels: Array) -> (Array, State) {
    let (loss, slope) = value_and_grad(loss)(state.mlp.clone(), points, labels);
    let step = state.step + 1.0;
    let mean = zip_leaves(&state.mean, &slope, |m, g| 0.9 * m + 0.1 * g);
    let square = zip_leaves(&state.square, &slope, |v, g| 0.99 * v + 0.01 * g * g);
    // Both start from zero, and would be too small at first.
    let filled = |decay: f32| 1.0 - Array::from(decay).pow(&step);
    let rate = 0.01 * filled(0.99).sqrt() / filled(0.9);
    let change = zip_leaves(&mean, &square, |m, v| &rate * m / (v.sqrt() + 1e-8));
    let mlp = zip_leaves(&state.mlp, &change, |p, d| p - d);
    (loss, State { mlp, mean, square, step })
}

/// Points near a spiral, turned by an angle.
fn spiral(key: &Key, count: usize, turn: f64) -> Array {
    let t = Array::linspace(0.3, 1.0, count, DType::F32);
    let angle = &t * 9.0 + turn;
    stack([&t * angle.cos(), &t * angle.sin()], 1) + 0.02 * random::normal(key, [count, 2], DType::F32)
}

fn main() {
    // The same key gives the same numbers; each is used once.
    let keys = random::key(0).split(5);
    let points = concatenate([spiral(&keys[0], 150, 0.0), spiral(&keys[1], 150, std::f64::consts::PI)], 0);
    let labels = concatenate([Array::zeros([150], DType::F32), Array::ones([150], DType::F32)], 0);

    let mlp = vec![layer(&keys[2], 2, 32), layer(&keys[3], 32, 32), layer(&keys[4], 32, 1)];
    let zeros = zip_leaves(&mlp, &mlp, |p, _| p.zeros_like());
    let mut state = State { mlp, mean: zeros.clone(), square: zeros, step: Array::from(0.0f32) };

    // Staged at the first call; every other runs the compiled program.
    let train = jit(train);
    let steps = 600;
    for i in 0..steps {
        let (loss, next) = train(state, points.clone(), labels.clone());
        state = next;
        if i % 100 == 0 {
            println!("step {i:3}  loss {:.4}", loss.to_f64());
        }
    }

    let right = predict(&state.mlp, &points).gt(0.0).eq(labels.gt(0.5));
    println!("right: {:.1} % of {} points", 100.0 * right.mean(..).to_f64(), right.size());
    println!("staged {} time for {} steps\n", train.misses(), train.misses() + train.hits());

    // What it learned, over the plane.
    let (rows, columns) = (24, 56);
    let x = Array::linspace(-1.1, 1.1, columns, DType::F32).broadcast_to([rows, columns]);
    let y = Array::linspace(1.1, -1.1, rows, DType::F32).reshape([rows, 1]).broadcast_to([rows, columns]);
    let map = predict(&state.mlp, &stack([x, y], -1)).gt(0.0);
    for i in 0..rows {
        let row = map.get(s![i, ..]).to_vec::<bool>();
        println!("  {}", row.iter().map(|&b| if b { '#' } else { '·' }).collect::<String>());
    }
}
