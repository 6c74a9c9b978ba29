//! Chapter 8: a Kalman filter as a `scan`, and its noise fitted by the gradient of the likelihood.
//!
//! `cargo run --release --example 08_kalman`

use std::f64::consts::TAU;
use wengert::{Array, DType, Tree, grad, hessian, jit, random, s, scan, stack, value_and_grad};

/// How strongly the object is pushed at each step, and how far off a measurement is: logarithms, so that any will do.
#[derive(Tree, Clone)]
struct Noise {
    push: Array,
    sensor: Array,
}

/// What is known of position and speed: mean and covariance.
#[derive(Tree, Clone)]
struct Belief {
    mean: Array,
    covariance: Array,
}

/// Position and speed one step later, without and with a push of size one.
fn motion() -> (Array, Array) {
    (Array::from([[1.0, 1.0], [0.0, 1.0]]), Array::from([0.5, 1.0]))
}

/// The belief after each measurement, and the logarithm of how likely all measurements are.
fn filter(noise: &Noise, measured: &Array) -> (Belief, Array) {
    let (moves, pushed) = motion();
    let pushes = pushed.outer(&pushed) * (2.0 * &noise.push).exp();
    let sensor = (2.0 * &noise.sensor).exp();
    let step = |b: Belief, z: Array| {
        // Where it should be now,
        let mean = moves.matmul(&b.mean);
        let covariance = moves.matmul(&b.covariance).matmul(moves.t()) + &pushes;
        // how far from there it was seen, and how far that is in the light of both noises,
        let surprise = z - mean.get(0);
        let spread = covariance.get(s![0, 0]) + &sensor;
        let likely = -0.5 * (surprise.square() / &spread + (TAU * &spread).log());
        // and what that teaches.
        let gain = covariance.get(s![.., 0]) / spread;
        let belief =
            Belief { mean: mean + &gain * surprise, covariance: &covariance - gain.outer(covariance.get(s![0, ..])) };
        (belief.clone(), (belief, likely))
    };
    let unknown = Belief { mean: Array::from([0.0, 0.0]), covariance: Array::from([[100.0, 0.0], [0.0, 1.0]]) };
    let (_, (beliefs, likely)) = scan(step, unknown, measured.clone());
    (beliefs, likely.sum(..))
}

/// What to make small: how unlikely a measurement is, on average.
fn unlikely(noise: Noise, measured: Array) -> Array {
    -filter(&noise, &measured).1 / measured.size()
}

/// Positions of an object that is pushed at random, and what a sensor sees of them.
fn simulate(count: usize, push: f64, sensor: f64) -> (Array, Array) {
    let (moves, pushed) = motion();
    let keys = random::key(1).split(2);
    let [pushes, errors] = [0, 1].map(|i| random::normal(&keys[i], [count], DType::F64));
    let step = |x: Array, push: Array| {
        let x = moves.matmul(&x) + &pushed * push;
        (x.clone(), x.get(0))
    };
    let (_, track) = scan(step, Array::from([0.0, 0.0]), push * pushes);
    (track.clone(), track + sensor * errors)
}

fn main() {
    let (push, sensor) = (0.1, 3.0);
    let (track, measured) = simulate(200, push, sensor);
    let rms = |x: &Array| (x - &track).square().mean(..).sqrt().to_f64();
    let filtered = |noise: &Noise| rms(&filter(noise, &measured).0.mean.get(s![.., 0]));

    // A guess, far off on both sides.
    let guess = Noise { push: Array::from(1.0f64.ln()), sensor: Array::from(1.0f64.ln()) };
    let mut noise = guess.clone();

    // The gradient goes through all 200 steps, backward.
    let descend = jit(|noise: Noise, measured: Array| {
        let (value, slope) = value_and_grad(unlikely)(noise.clone(), measured);
        let noise = Noise { push: noise.push - 0.5 * slope.push, sensor: noise.sensor - 0.5 * slope.sensor };
        (value, noise)
    });
    println!("step   -log likelihood    push   sensor");
    for i in 0..=125 {
        let (value, next) = descend(noise.clone(), measured.clone());
        if i % 25 == 0 {
            let [p, s] = [&noise.push, &noise.sensor].map(|x| x.exp().to_f64());
            println!("{i:4}   {:15.5}   {p:5.3}   {s:6.3}", value.to_f64());
        }
        noise = next;
    }

    // The curvature at the best says how sure the fit is.
    let of_vector = |x: Array| unlikely(Noise { push: x.get(0), sensor: x.get(1) }, measured.clone());
    let best = stack([&noise.push, &noise.sensor], 0);
    let information = hessian(of_vector)(best.clone()) * measured.size();
    let [a, b, d] = [(0, 0), (0, 1), (1, 1)].map(|(i, j)| information.get(s![i, j]).to_f64());
    let sd = |x: f64| (x / (a * d - b * b)).sqrt();
    let [p, s] = [&noise.push, &noise.sensor].map(|x| x.exp().to_f64());
    println!("\npush   {p:.3} ± {:.3}, in truth {push}", p * sd(d));
    println!("sensor {s:.3} ± {:.3}, in truth {sensor}", s * sd(a));
    println!("the gradient there is {}\n", grad(of_vector)(best));

    println!("how far from the track, on average:");
    println!("  as measured          {:.3}", rms(&measured));
    println!("  filtered, by guess   {:.3}", filtered(&guess));
    println!("  filtered, as fitted  {:.3}", filtered(&noise));
}
