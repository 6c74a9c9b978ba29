//! The numbers that matrices are made of, and how exactly they are known.

use num_traits::NumAssign;
use std::ops::Neg;
use wengert_core::{Complex, DType};

/// A real or complex number.
pub(crate) trait Number: Copy + NumAssign + Neg<Output = Self> {
    /// Whether there is no imaginary part.
    const REAL: bool;

    /// Numbers as reals, the parts of each beside each other.
    fn parts_of(x: &[Self]) -> &[f64];
    fn parts_of_mut(x: &mut [Self]) -> &mut [f64];

    fn new(re: f64, im: f64) -> Self;
    fn re(self) -> f64;
    fn im(self) -> f64;

    fn real(re: f64) -> Self {
        Self::new(re, 0.0)
    }

    fn complex(self) -> Complex<f64> {
        Complex::new(self.re(), self.im())
    }

    fn conj(self) -> Self {
        Self::new(self.re(), -self.im())
    }

    fn times(self, by: f64) -> Self {
        Self::new(self.re() * by, self.im() * by)
    }

    /// The quotient, also where the square of the divisor is too small or too large for its type.
    fn over(self, divisor: Self) -> Self {
        let size = divisor.parts();
        Self::new(self.re() / size, self.im() / size) / Self::new(divisor.re() / size, divisor.im() / size)
    }

    /// The quotient; that of reals as they have it, of zeros too.
    fn divided(self, divisor: Self) -> Self {
        if Self::REAL { self / divisor } else { self.over(divisor) }
    }

    /// The sum of the sizes of both parts, which is about as good as the absolute value and found sooner.
    fn parts(self) -> f64 {
        self.re().abs() + self.im().abs()
    }

    /// The absolute value.
    fn size(self) -> f64 {
        hypotenuse(self.re(), self.im())
    }
}

impl Number for f64 {
    const REAL: bool = true;

    fn parts_of(x: &[f64]) -> &[f64] {
        x
    }
    fn parts_of_mut(x: &mut [f64]) -> &mut [f64] {
        x
    }

    fn new(re: f64, _: f64) -> f64 {
        re
    }
    fn re(self) -> f64 {
        self
    }
    fn im(self) -> f64 {
        0.0
    }
}

impl Number for Complex<f64> {
    const REAL: bool = false;

    fn parts_of(x: &[Complex<f64>]) -> &[f64] {
        // SAFETY: a complex number is laid out as two reals.
        unsafe { std::slice::from_raw_parts(x.as_ptr().cast(), 2 * x.len()) }
    }
    fn parts_of_mut(x: &mut [Complex<f64>]) -> &mut [f64] {
        // SAFETY: a complex number is laid out as two reals.
        unsafe { std::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), 2 * x.len()) }
    }

    fn new(re: f64, im: f64) -> Complex<f64> {
        Complex { re, im }
    }
    fn re(self) -> f64 {
        self.re
    }
    fn im(self) -> f64 {
        self.im
    }
}

/// `√(x² + y²)`, without overflow.
pub(super) fn hypotenuse(x: f64, y: f64) -> f64 {
    let (most, least) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    if least == 0.0 {
        return most;
    }
    let part = least / most;
    most * (1.0 + part * part).sqrt()
}

/// What is next to nothing in the type of the elements. The number of iterations, and with it signs, depends on that.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The error of rounding a number about 1.
    pub rounding: f64,
    /// The smallest number that is as exact as others.
    pub least: f64,
}

impl Limits {
    /// The distance from 1 to the next number.
    pub(crate) fn spacing(self) -> f64 {
        2.0 * self.rounding
    }

    /// A number as the type has it, where a tie depends on how it is rounded.
    pub(crate) fn rounded(self, x: f64) -> f64 {
        if self.rounding < f32::EPSILON as f64 / 2.0 { x } else { x as f32 as f64 }
    }

    /// What is nothing next to elements about 1 of a matrix with so many rows.
    pub(crate) fn nothing(self, rows: usize) -> f64 {
        self.least * (rows as f64 / self.spacing())
    }

    /// Those of `f32` for types that are no wider: LAPACK has no shorter ones.
    pub(crate) fn of(dtype: DType) -> Limits {
        match dtype.real() {
            DType::F64 => Limits { rounding: f64::EPSILON / 2.0, least: f64::MIN_POSITIVE },
            _ => Limits { rounding: f32::EPSILON as f64 / 2.0, least: f32::MIN_POSITIVE as f64 },
        }
    }
}
