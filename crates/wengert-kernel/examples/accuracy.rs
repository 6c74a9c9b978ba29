//! How far recipes of one `f32` are from the true values: the largest error in units in the last place, and where.
//!
//! `cargo run --release -p wengert-kernel --example accuracy [NAME…]` goes over every number; with `STRIDE=n` in the
//! environment over every `n`th.

#[path = "../tests/support/truth.rs"]
mod truth;

use truth::{truth, ulps};
use wengert_kernel::recipes::Recipe;

/// The largest error over the numbers with these bits, and where it is.
fn worst(recipe: Recipe, bits: std::ops::Range<u64>, stride: u64) -> (f64, f32) {
    let (row, truth) = (recipe.row_f32(), truth(recipe));
    let (mut worst, [mut x, mut y]) = ((0.0, 0.0), [[0f32; 1024]; 2]);
    for first in bits.step_by(1024 * stride as usize) {
        x.iter_mut().enumerate().for_each(|(i, x)| *x = f32::from_bits((first + i as u64 * stride) as u32));
        row(&x, &mut y);
        for (x, y) in x.iter().zip(&y) {
            let off = ulps(*y, truth(*x as f64));
            if off > worst.0 {
                worst = (off, *x);
            }
        }
    }
    worst
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let stride = std::env::var("STRIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    for &recipe in Recipe::ALL {
        let name = format!("{recipe:?}");
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let part = (1u64 << 32).div_ceil(threads);
        let parts: Vec<(f64, f32)> = std::thread::scope(|s| {
            let of = |i: u64| move || worst(recipe, i * part..(i + 1) * part, stride);
            let running: Vec<_> = (0..threads).map(|i| s.spawn(of(i))).collect();
            running.into_iter().map(|t| t.join().expect("no panic")).collect()
        });
        let (off, at) = parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("a thread");
        println!("{name}: {off:.3} at {at:e} ({:#010x})", at.to_bits());
    }
}
