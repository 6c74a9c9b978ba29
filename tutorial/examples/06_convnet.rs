//! Chapter 6: a convolutional net that sees which way a bar lies.
//!
//! `cargo run --release --example 06_convnet`

use std::f64::consts::PI;
use wengert::random::{self, Key};
use wengert::{Array, DType, Tree, jit, keep, nn, s, value_and_grad, zip_leaves};

const SIZE: usize = 12;
const CLASSES: [char; 4] = ['─', '/', '│', '\\'];

#[derive(Tree, Clone)]
struct Layer {
    weight: Array,
    bias: Array,
}

impl Layer {
    /// Weights of this shape, each sum over `inputs` of them of a size near one.
    fn new(key: &Key, shape: &[usize], inputs: usize, bias: &[usize]) -> Layer {
        let weight = random::normal(key, shape, DType::F32) * (2.0 / inputs as f64).sqrt();
        Layer { weight, bias: Array::zeros(bias, DType::F32) }
    }

    /// A convolution that keeps the size, then the largest of each 2 × 2.
    fn convolve(&self, x: &Array) -> Array {
        let y = nn::conv(x, &self.weight, nn::Sliding::new().same()) + &self.bias;
        nn::max_pool(&y.relu(), 2, nn::Sliding::new())
    }
}

#[derive(Tree, Clone)]
struct Net {
    edges: Layer,
    shapes: Layer,
    output: Layer,
}

impl Net {
    fn new(key: &Key) -> Net {
        let keys = key.split(3);
        Net {
            edges: Layer::new(&keys[0], &[6, 1, 3, 3], 9, &[6, 1, 1]),
            shapes: Layer::new(&keys[1], &[12, 6, 3, 3], 54, &[12, 1, 1]),
            output: Layer::new(&keys[2], &[108, 4], 108, &[4]),
        }
    }

    /// Images `[batch, 1, 12, 12]` to a number for each class, the largest the likeliest.
    fn predict(&self, images: &Array) -> Array {
        let x = self.shapes.convolve(&self.edges.convolve(images));
        x.flatten(1, -1).matmul(&self.output.weight) + &self.output.bias
    }
}

fn loss(net: Net, images: Array, labels: Array) -> Array {
    nn::cross_entropy(&net.predict(&images), labels).mean(..)
}

/// One step of descent with momentum, on examples drawn by the key.
fn train(net: Net, speed: Net, key: Key, images: Array, labels: Array) -> (Array, Net, Net) {
    let batch = random::randint(&key, [32], 0, labels.size(), DType::I32);
    let (loss, slope) = value_and_grad(loss)(net.clone(), images.get(&batch), labels.get(&batch));
    let speed = zip_leaves(&speed, &slope, |v, g| 0.9 * v - 0.03 * g);
    (loss, zip_leaves(&net, &speed, |p, v| p + v), speed)
}

/// Images of noisy bars, and which way each lies.
fn bars(key: &Key, count: usize) -> (Array, Array) {
    let keys = key.split(3);
    let labels = random::randint(&keys[0], [count], 0, CLASSES.len(), DType::I32);
    let angle = (labels.to(DType::F32) * (PI / 4.0)).reshape([count, 1, 1]);
    let center = random::uniform_between(&keys[1], [2, count, 1, 1], 3.5, 7.5, DType::F32);
    let row = Array::iota([SIZE, SIZE], 0, DType::F32) - center.get(0);
    let column = Array::iota([SIZE, SIZE], 1, DType::F32) - center.get(1);
    // How far each pixel is from the middle line of the bar, and along it from its center.
    let across = &row * angle.cos() + &column * angle.sin();
    let along = column * angle.cos() - row * angle.sin();
    let bar = (-across.square()).exp() * (4.5 - along.abs()).sigmoid();
    let images = bar + 0.2 * random::normal(&keys[2], [count, SIZE, SIZE], DType::F32);
    (images.expand_dims(1), labels)
}

/// Some images side by side.
fn show(images: &Array) {
    for row in 0..SIZE {
        for image in 0..5 {
            let pixels = images.get(s![image, 0, row]).to_vec::<f32>();
            let shade = |&p: &f32| [' ', '░', '▒', '▓', '█'][(p * 5.0).clamp(0.0, 4.0) as usize].to_string().repeat(2);
            print!("{}  ", pixels.iter().map(shade).collect::<String>());
        }
        println!();
    }
}

fn main() {
    let keys = random::key(0).split(4);
    let (images, labels) = bars(&keys[0], 1024);
    show(&images);

    let mut net = Net::new(&keys[1]);
    let mut speed = zip_leaves(&net, &net, |p, _| p.zeros_like());
    let train = jit(train);
    for (i, key) in keys[2].split(150).into_iter().enumerate() {
        let loss;
        (loss, net, speed) = train(net, speed, key, images.clone(), labels.clone());
        if i % 25 == 0 {
            println!("step {i:3}  loss {:.4}", loss.to_f64());
        }
    }

    // Images it has not seen: for each way they lie, which way they were said to lie.
    let (images, labels) = bars(&keys[3], 400);
    let says = net.predict(&images);
    let said = says.eq(says.max(keep(-1))).to(DType::F32);
    let table = labels.one_hot(CLASSES.len(), DType::F32).t().matmul(&said);
    println!("\nof 400 new ones, right: {:.1} %", 100.0 * table.trace().to_f64() / 400.0);
    println!("    {}", CLASSES.map(|c| format!("{c:>4}")).concat());
    for (i, class) in CLASSES.into_iter().enumerate() {
        let row = table.get(i).to_vec::<f32>();
        println!("   {class}{}", row.iter().map(|n| format!("{n:4}")).collect::<String>());
    }
}
