//! Networks: gradients and training steps.

use crate::{Workload, fill, one_hot, sized, workload};
use std::collections::BTreeMap;
use wengert::{
    Array, DType, concatenate, einsum, fori_loop, grad, jvp, keep, nn, ravel, scan, value_and_grad, where_, zip_leaves,
};

type Layers = Vec<(Array, Array)>;

fn mlp_params(sizes: &[usize]) -> Layers {
    let layer = |(k, w): (usize, &[usize])| {
        let (m, n) = (w[0], w[1]);
        (fill([m, n], 10 + k as u32, (1.0 / m as f64).sqrt()), Array::zeros([n], DType::F32))
    };
    sizes.windows(2).enumerate().map(layer).collect()
}

fn cross_entropy(z: Array, t: &Array) -> Array {
    -(t * (&z - z.logsumexp(keep(-1)))).sum(-1).mean(..)
}

fn mlp_loss(params: &Layers, x: &Array, t: &Array) -> Array {
    let mut x = x.clone();
    let (last, hidden) = params.split_last().expect("at least one layer");
    for (w, b) in hidden {
        x = (x.matmul(w) + b).tanh();
    }
    cross_entropy(x.matmul(&last.0) + &last.1, t)
}

fn mlp_train_step((params, x, t): (Layers, Array, Array)) -> (Array, Layers) {
    let (l, g) = value_and_grad(|p: Layers| mlp_loss(&p, &x, &t))(params.clone());
    (l, zip_leaves(&params, &g, |p, g| p - 0.1 * g))
}

fn newton_cg((params, x, t): (Layers, Array, Array)) -> Array {
    let (flat, unravel) = ravel(&params);
    let loss = |p: Array| mlp_loss(&unravel(&p), &x, &t);
    let g = grad(loss)(flat.clone());
    let hvp = |v: &Array| jvp(grad(loss), (flat.clone(),), (v.clone(),)).1 + 1e-3 * v;
    let body = |_: Array, (d, r, p, rr): (Array, Array, Array, Array)| {
        let hp = hvp(&p);
        let a = &rr / p.vdot(&hp);
        let (d, r) = (d + &a * &p, r - &a * hp);
        let next = r.vdot(&r);
        let p = &r + (&next / rr) * p;
        (d, r, p, next)
    };
    let start = (Array::zeros_like(&flat), -&g, -&g, g.vdot(&g));
    let (d, ..) = fori_loop(0, 10, body, start);
    flat.clone() + d
}

/// In, out, kernel, stride.
const CHANNELS: [(usize, usize, usize, usize); 9] = [
    (3, 96, 3, 1),
    (96, 96, 3, 1),
    (96, 96, 3, 2),
    (96, 192, 3, 1),
    (192, 192, 3, 1),
    (192, 192, 3, 2),
    (192, 192, 3, 1),
    (192, 192, 1, 1),
    (192, 10, 1, 1),
];

fn allconv_params() -> Vec<Array> {
    let layer = |(n, &(i, o, k, _)): (usize, &(usize, usize, usize, usize))| {
        fill([k, k, i, o], 20 + n as u32, (3.0 / (k * k * i) as f64).sqrt())
    };
    CHANNELS.iter().enumerate().map(layer).collect()
}

fn allconv_loss(params: &[Array], x: &Array, t: &Array) -> Array {
    let mut x = x.clone();
    for (w, (_, _, _, stride)) in params.iter().zip(CHANNELS) {
        let how = nn::Sliding::new().stride(stride).same().channels_last();
        x = nn::conv(&x, w, how).maximum(0.0);
    }
    cross_entropy(x.mean([1, 2]), t)
}

fn allconv_train_step((params, x, t): (Vec<Array>, Array, Array)) -> (Array, Vec<Array>) {
    let (l, g) = value_and_grad(|p: Vec<Array>| allconv_loss(&p, &x, &t))(params.clone());
    (l, zip_leaves(&params, &g, |p, g| p - 0.01 * g))
}

const D: usize = 256;
const HEADS: usize = 4;
const TOKENS: usize = 128;

type Weights = BTreeMap<&'static str, Array>;

fn transformer_weights() -> Weights {
    let shapes = [("q", [D, D]), ("k", [D, D]), ("v", [D, D]), ("o", [D, D]), ("up", [D, 4 * D]), ("down", [4 * D, D])];
    let weight = |(i, (name, s)): (usize, (&'static str, [usize; 2]))| {
        (name, fill(s, 40 + i as u32, (1.0 / s[0] as f64).sqrt()))
    };
    shapes.into_iter().enumerate().map(weight).collect()
}

fn norm(x: &Array) -> Array {
    let d = x - x.mean(keep(-1));
    let v = (&d * &d).mean(keep(-1));
    d * (v + 1e-5).rsqrt()
}

fn transformer_block(p: &Weights, x: &Array) -> Array {
    let h = norm(x);
    let split = |y: Array| y.reshape([sized(4), TOKENS, HEADS, D / HEADS]).transpose([0, 2, 1, 3]);
    let [q, k, v] = ["q", "k", "v"].map(|n| split(h.matmul(&p[n])));
    let s = einsum("bhqd,bhkd->bhqk", [&q, &k]) / ((D / HEADS) as f64).sqrt();
    let seen = Array::ones([TOKENS, TOKENS], DType::Bool).tril(0);
    let a = einsum("bhqk,bhkd->bhqd", [where_(seen, s, -1e9).softmax(-1), v]);
    let x = x + a.transpose([0, 2, 1, 3]).reshape([sized(4), TOKENS, D]).matmul(&p["o"]);
    let u = norm(&x).matmul(&p["up"]);
    let g = 0.5 * &u * (1.0 + (0.7978845608028654 * (&u + 0.044715 * u.pow(3))).tanh());
    let x = x + g.matmul(&p["down"]);
    (&x * &x).mean(..)
}

pub(crate) fn transformer_arguments() -> (Weights, Array) {
    (transformer_weights(), fill([sized(4), TOKENS, D], 5, 1.0))
}

/// The gradient of the transformer block in its weights: also what staging is timed on.
pub(crate) fn transformer_block_grad((p, x): (Weights, Array)) -> Weights {
    grad(|p: Weights| transformer_block(&p, &x))(p)
}

const WIDTH: usize = 128;

fn lstm_loss(w: &Array, xs: &Array) -> Array {
    let cell = |(h, c): (Array, Array), x: Array| {
        let gates = concatenate(&[x, h], -1).matmul(w).split(4, -1);
        let [i, g, o, r] = <[Array; 4]>::try_from(gates).expect("four gates");
        let c = r.sigmoid() * c + i.sigmoid() * g.tanh();
        let h = o.sigmoid() * c.tanh();
        ((h.clone(), c), h)
    };
    let z = Array::zeros([16, WIDTH], DType::F32);
    let (_, hs) = scan(cell, (z.clone(), z), xs.clone());
    (&hs * &hs).mean(..)
}

fn lstm_scan_grad((w, xs): (Array, Array)) -> Array {
    grad(|w: Array| lstm_loss(&w, &xs))(w)
}

pub(crate) fn workloads() -> Vec<Workload> {
    let image = || (allconv_params(), fill([sized(4), 32, 32, 3], 4, 1.0), one_hot(sized(4), 10));
    vec![
        workload("mlp_train_step", mlp_train_step, || {
            (mlp_params(&[784, 512, 512, 10]), fill([sized(128), 784], 3, 1.0), one_hot(sized(128), 10))
        }),
        workload("newton_cg", newton_cg, || {
            (mlp_params(&[784, 64, 10]), fill([sized(256), 784], 3, 1.0), one_hot(sized(256), 10))
        }),
        workload("allconv_train_step", allconv_train_step, image),
        workload("transformer_block_grad", transformer_block_grad, transformer_arguments),
        workload("lstm_scan_grad", lstm_scan_grad, || {
            (fill([2 * WIDTH, 4 * WIDTH], 6, 0.08), fill([sized(128), 16, WIDTH], 7, 1.0))
        }),
    ]
}
