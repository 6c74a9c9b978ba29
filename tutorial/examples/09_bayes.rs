//! Chapter 9: Bayesian linear regression by Markov chains: each chain a `scan`, all chains at once with `vmap`.
//!
//! `cargo run --release --example 09_bayes`

use wengert::random::{self, Key};
use wengert::{Array, DType, jit, s, scan, stack, vmap, where_};

const CHAINS: usize = 16;
const STEPS: usize = 4000;
const NOISE: f64 = 0.5;
const PRIOR: f64 = 10.0;

/// The logarithm of the posterior density of `[intercept, slope]`, up to a constant.
fn log_posterior(w: &Array, x: &Array, y: &Array) -> Array {
    let error = y - (w.get(0) + w.get(1) * x);
    -0.5 * (error.square().sum(..) / (NOISE * NOISE) + w.square().sum(..) / (PRIOR * PRIOR))
}

/// One chain: propose a step, and take it or leave it. Gives the path, and how often it moved.
fn metropolis(key: Key, x: Array, y: Array) -> (Array, Array) {
    let keys = key.split(3);
    let start = 3.0 * random::normal(&keys[0], [2], DType::F64);
    let steps = random::normal(&keys[1], [STEPS, 2], DType::F64);
    let luck = random::uniform(&keys[2], [STEPS], DType::F64);
    let density = |w: &Array| log_posterior(w, &x, &y);
    let first = (start.clone(), density(&start));
    let step = |(w, here): (Array, Array), (step, luck): (Array, Array)| {
        let proposed = &w + 0.2 * step;
        let there = density(&proposed);
        let take = luck.log().lt(&there - &here);
        let w = where_(&take, proposed, w);
        ((w.clone(), where_(&take, there, here)), (w, take))
    };
    let (_, (path, moved)) = scan(step, first, (steps, luck));
    (path, moved.mean(..))
}

/// The mean and standard deviations of the posterior, which for this model can be had exactly.
fn exact(x: &Array, y: &Array) -> ([f64; 2], [f64; 2]) {
    // The precision of the posterior is that of the data and of the prior.
    let features = stack([x.ones_like(), x.clone()], 1);
    let prior = Array::identity(2, DType::F64) / (PRIOR * PRIOR);
    let precision = features.t().matmul(&features) / (NOISE * NOISE) + prior;
    let [a, b, d] = [(0, 0), (0, 1), (1, 1)].map(|(i, j)| precision.get(s![i, j]).to_f64());
    let v = features.t().matmul(y) / (NOISE * NOISE);
    let [u, v] = [v.get(0).to_f64(), v.get(1).to_f64()];
    let det = a * d - b * b;
    ([(d * u - b * v) / det, (a * v - b * u) / det], [(d / det).sqrt(), (a / det).sqrt()])
}

fn main() {
    let keys = random::key(0).split(2);
    // Thirty points near the line 1 + 2x.
    let x = Array::linspace(-1.0, 1.0, 30, DType::F64);
    let y = 1.0 + 2.0 * &x + NOISE * random::normal(&keys[0], [30], DType::F64);

    // The chain is written for one key. `vmap` makes it one for many, and they share the data.
    let chains = jit(vmap(metropolis).in_axes([Some(0), None, None]));
    let (paths, moved) = chains(keys[1].split_stacked(CHAINS), x.clone(), y.clone());
    println!("{CHAINS} chains of {STEPS} steps; {:.0} % of the proposals taken\n", 100.0 * moved.mean(..).to_f64());

    println!("one chain on its way:");
    for i in [0, 5, 10, 20, 40, 80] {
        println!("  step {i:3}: {}", paths.get(s![0, i]));
    }

    // The first quarter still knows where it started.
    let kept = paths.get(s![.., STEPS / 4..]);
    let (mean, sd) = (kept.mean([0, 1]), kept.std([0, 1]));
    // Chains that agree spread among each other no more than each by itself.
    let between = kept.mean(1).var(0);
    let agreement = (1.0 + between / kept.var(1).mean(0)).sqrt();
    let (exact_mean, exact_sd) = exact(&x, &y);
    println!("\n{:12}{:16}{:16}R̂", "", "by chains", "exactly");
    for (i, name) in ["intercept", "slope"].into_iter().enumerate() {
        let [m, s, r] = [&mean, &sd, &agreement].map(|x| x.get(i).to_f64());
        println!("{name:9}   {m:.3} ± {s:.3}   {:.3} ± {:.3}   {r:.3}", exact_mean[i], exact_sd[i]);
    }
}
