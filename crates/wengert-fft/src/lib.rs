//! Discrete Fourier transforms of lines of numbers, through `rustfft`.
//!
//! A crate of its own because `rustfft` is generic: this is compiled once, and not with every change of a kernel.

use rustfft::num_complex::Complex;
use rustfft::{FftDirection, FftPlanner};
use std::cell::RefCell;

/// A float type with transforms, planned once for each length and thread.
pub trait Transform: Copy {
    /// Transforms each line of `n` numbers; the inverse is not scaled.
    fn transform(lines: &mut [Complex<Self>], n: usize, inverse: bool);
}

macro_rules! transform {
    ($($t:ty)*) => {$(
        impl Transform for $t {
            fn transform(lines: &mut [Complex<$t>], n: usize, inverse: bool) {
                thread_local!(static PLANNER: RefCell<FftPlanner<$t>> = RefCell::new(FftPlanner::new()));
                let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
                PLANNER.with_borrow_mut(|p| p.plan_fft(n, direction)).process(lines);
            }
        }
    )*};
}
transform! { f32 f64 }
