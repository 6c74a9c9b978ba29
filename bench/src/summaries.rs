//! What a summary of an array costs, beside one pass over its memory.

use crate::tape::by_turns;
use std::hint::black_box;
use wengert::tape::Summary;
use wengert::{Element, Tensor};

/// All bytes are read, and little is computed.
fn pass(bytes: &[u8]) -> u64 {
    bytes.as_chunks::<8>().0.iter().fold(0, |all, word| all ^ u64::from_le_bytes(*word))
}

fn print_one<T: Element>(n: usize) {
    let t = Tensor::new([n], (0..n).map(|i| T::from_f64((i % 1000) as f64 - 300.0)).collect()).expect("so many");
    // Short ones many times: the clock is not fine enough for one.
    let times = (10_000_000 / n).clamp(1, 1000);
    let compared = by_turns(
        25,
        || (0..times).for_each(|_| _ = black_box(pass(black_box(t.raw())))),
        || (0..times).for_each(|_| _ = black_box(Summary::of(black_box(&t)))),
    );
    let each = |seconds: f64| seconds / (times * n) as f64 * 1e9;
    println!(
        "summary of {n} {}: {:.3} ns an element; one pass over its memory {:.3}, ratio {:.2}",
        T::DTYPE,
        each(compared.second),
        each(compared.first),
        compared.ratio
    );
}

/// Prints what summaries cost in cache and outside of it.
pub fn print() {
    for n in [4_096, 10_240, 10_000_384, 100_000_000] {
        print_one::<f32>(n);
        print_one::<f64>(n);
    }
}
