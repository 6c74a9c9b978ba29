//! The reference workloads, written with Wengert: the same programs on the same inputs as `peer_jax.py`.

mod learning;
mod numeric;

use wengert::{Array, Tree, leaves};

/// Deterministic values in `[-scale, scale)`: an integer hash of the flat index, as the peer makes them.
pub fn fill<const N: usize>(shape: [usize; N], seed: u32, scale: f64) -> Array {
    let n: usize = shape.iter().product();
    let value = |i: usize| {
        let mut i = (i as u32).wrapping_add(seed.wrapping_mul(7919));
        for _ in 0..2 {
            i = (i ^ (i >> 16)).wrapping_mul(0x45D9F3B);
        }
        i ^= i >> 16;
        let x = (i >> 8) as f64 / (1u32 << 24) as f64 * 2.0 - 1.0;
        (x * scale) as f32
    };
    Array::from((0..n).map(value).collect::<Vec<f32>>()).reshape(shape)
}

/// Row `i` has a one in column `i mod k`.
pub(crate) fn one_hot(n: usize, k: usize) -> Array {
    let v: Vec<f32> = (0..n * k).map(|i| if i / k % k == i % k { 1.0 } else { 0.0 }).collect();
    Array::from(v).reshape([n, k])
}

/// One workload: a staged function with its arguments inside.
pub struct Workload {
    /// The name it has in `peer_jax.py`.
    pub name: &'static str,
    /// Traces and compiles it anew, and gives the function that runs it and its results.
    pub stage: Box<dyn Fn() -> Box<dyn Fn() -> Vec<Array>>>,
}

/// A workload from a function of one tuple of arguments.
pub(crate) fn workload<T: Tree + Clone + 'static, R: Tree + 'static>(
    name: &'static str,
    f: fn(T) -> R,
    args: fn() -> T,
) -> Workload {
    let stage = move || -> Box<dyn Fn() -> Vec<Array>> {
        let (staged, args) = (wengert::jit(f), args());
        Box::new(move || leaves(&staged(args.clone())))
    };
    Workload { name, stage: Box::new(stage) }
}

/// Every workload, in the order of `peer_jax.py`.
pub fn workloads() -> Vec<Workload> {
    let order = [
        "dispatch",
        "selu_10m",
        "selu_grad_10m",
        "poly_64k",
        "softmax_layernorm",
        "matmul_1024",
        "mlp_train_step",
        "newton_cg",
        "allconv_train_step",
        "transformer_block_grad",
        "lstm_scan_grad",
        "while_scalar",
        "rk4_lorenz",
        "mandelbrot_vmap",
        "hessian_64",
        "gather_scatter",
        "sort_1m",
        "cumsum_4m",
        "threefry_normal_1m",
    ];
    let mut all: Vec<Workload> = numeric::workloads().into_iter().chain(learning::workloads()).collect();
    all.sort_by_key(|w| order.iter().position(|n| *n == w.name));
    all
}

/// The sum of the absolute values of all results, in double precision: the peer's `check`.
pub fn check(results: &[Array]) -> f64 {
    let sum = |x: &Array| -> f64 {
        let t = x.to_tensor();
        (0..t.size()).map(|i| t.get(i).as_f64().expect("a real number").abs()).sum()
    };
    results.iter().map(sum).sum()
}
