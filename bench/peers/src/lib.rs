//! What the peers share: inputs, and how workloads are timed and printed, as `peer_jax.py` does it.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Deterministic values in `[-scale, scale)`: an integer hash of the flat index.
pub fn fill(n: usize, seed: u32, scale: f64) -> Vec<f32> {
    let value = |i: usize| {
        let mut i = (i as u32).wrapping_add(seed.wrapping_mul(7919));
        for _ in 0..2 {
            i = (i ^ (i >> 16)).wrapping_mul(0x45D9F3B);
        }
        i ^= i >> 16;
        let x = (i >> 8) as f64 / (1u32 << 24) as f64 * 2.0 - 1.0;
        (x * scale) as f32
    };
    (0..n).map(value).collect()
}

/// The sum of the absolute values, in double precision.
pub fn check<'a>(x: impl IntoIterator<Item = &'a f32>) -> f64 {
    x.into_iter().map(|x| x.abs() as f64).sum()
}

/// Which workloads are asked for, and for how long each is timed: `[--seconds S] [NAME …]`.
pub struct Asked {
    seconds: f64,
    names: Vec<String>,
}

impl Asked {
    /// What the command line says.
    pub fn read() -> Asked {
        let mut asked = Asked { seconds: 0.5, names: Vec::new() };
        let mut args = std::env::args().skip(1);
        while let Some(a) = args.next() {
            match a.as_str() {
                "--seconds" => asked.seconds = args.next().and_then(|s| s.parse().ok()).expect("--seconds takes a number"),
                _ => asked.names.push(a),
            }
        }
        asked
    }

    /// Times a workload, if it is asked for, and prints a line of JSON; `sum` is that of its results.
    pub fn time<R>(&self, name: &str, run: impl Fn() -> R, sum: impl Fn(&R) -> f64) {
        if !self.names.is_empty() && !self.names.iter().any(|n| n == name) {
            return;
        }
        let check = sum(&run());
        let mut times = Vec::new();
        let end = Instant::now() + Duration::from_secs_f64(self.seconds);
        while times.len() < 3 || Instant::now() < end {
            let start = Instant::now();
            let y = black_box(run());
            times.push(start.elapsed());
            drop(y);
        }
        times.sort();
        let median = times[times.len() / 2].as_secs_f64() * 1e6;
        println!("{{\"name\": \"{name}\", \"run_us\": {median:.2}, \"runs\": {}, \"check\": {check}}}", times.len());
    }
}
