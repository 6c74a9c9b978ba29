//! The reference workloads, written with Wengert: the same programs on the same inputs as `peer_jax.py`.

mod learning;
pub mod machine;
mod numeric;
pub mod stablehlo;
pub mod staging;
pub mod summaries;
pub mod tape;
pub mod tape_file;

use std::sync::atomic::{AtomicUsize, Ordering};
use wengert::{Array, Device, Program, Tree, leaves, make_program, map_leaves, simplify};

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

/// Quarters of the size that workloads have.
static QUARTERS: AtomicUsize = AtomicUsize::new(4);

/// Makes all workloads of this size from now on, in quarters: 1, 4 or 16, for a fourth, one, and four times the work. The
/// sums in [`CHECKS`] are those of 4.
pub fn set_quarters(quarters: usize) {
    QUARTERS.store(quarters, Ordering::Relaxed);
}

/// As many as the size of workloads asks for, where it is `n` for one: rows, images, steps.
pub(crate) fn sized(n: usize) -> usize {
    n * QUARTERS.load(Ordering::Relaxed) / 4
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
    /// Puts its arguments on a device, and gives the function that starts it and gives its results. The first
    /// call traces and compiles.
    pub stage: Stage,
    /// Its program, as it is compiled.
    pub program: Box<dyn Fn() -> Program>,
}

type Run = Box<dyn Fn() -> Vec<Array>>;
type Stage = Box<dyn Fn(&Device) -> Run>;

/// A workload from a function of one tuple of arguments.
pub(crate) fn workload<T: Tree + Clone + 'static, R: Tree + 'static>(
    name: &'static str,
    f: fn(T) -> R,
    args: fn() -> T,
) -> Workload {
    let stage = move |device: &Device| -> Run {
        let staged = wengert::jit(f).device(device);
        let args = map_leaves(&args(), |x| x.to_device(device).expect("arguments fit on the device"));
        leaves(&args).iter().for_each(|x| x.wait().expect("arguments arrive on the device"));
        Box::new(move || leaves(&staged(args.clone())))
    };
    let program = move || simplify(&make_program(f, (args(),)));
    Workload { name, stage: Box::new(stage), program: Box::new(program) }
}

/// The workloads in the order of `peer_jax.py`, with the `check` it prints for each.
pub const CHECKS: [(&str, f64); 19] = [
    ("dispatch", 2.0),
    ("selu_10m", 5860710.585899102),
    ("selu_grad_10m", 10809870.801955104),
    ("poly_64k", 7803.047434262),
    ("softmax_layernorm", 1405004.9128207671),
    ("matmul_1024", 8930013.18716092),
    ("mlp_train_step", 13080.038285310444),
    ("newton_cg", 914.4019795099011),
    ("allconv_train_step", 33381.658999004176),
    ("transformer_block_grad", 46.002258699538324),
    ("lstm_scan_grad", 0.29521844221812843),
    ("while_scalar", 1.4142941236495972),
    ("rk4_lorenz", 33.3373908996582),
    ("mandelbrot_vmap", 7631236.0),
    ("hessian_64", 56212.6840133667),
    ("gather_scatter", 4196660.537198544),
    ("sort_1m", 500309.7161080837),
    ("cumsum_4m", 2120664471.965856),
    ("threefry_normal_1m", 797848.0166968992),
];

/// Every workload, in that order.
pub fn workloads() -> Vec<Workload> {
    let mut all: Vec<Workload> = numeric::workloads().into_iter().chain(learning::workloads()).collect();
    all.sort_by_key(|w| CHECKS.iter().position(|(n, _)| *n == w.name));
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
