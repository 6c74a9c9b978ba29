//! What functions truly give, to the last digits of an `f64`, and how far an `f32` is from that.

use std::f64::consts::PI;
use wengert_kernel::recipes::Recipe;

/// Functions of the C library that Rust's lacks, or has with fewer digits.
macro_rules! c {
    ($($name:ident)*) => {
        mod c {
            $(pub fn $name(x: f64) -> f64 {
                unsafe extern "C" {
                    fn $name(x: f64) -> f64;
                }
                // SAFETY: a function of numbers.
                unsafe { $name(x) }
            })*
        }
    };
}
c! { asinh acosh atanh erf erfc lgamma }

/// What the function truly gives, to the last digits of an `f64`.
pub fn truth(recipe: Recipe) -> fn(f64) -> f64 {
    match recipe {
        Recipe::Exp => f64::exp,
        Recipe::Expm1 => f64::exp_m1,
        Recipe::Log => f64::ln,
        Recipe::Log1p => f64::ln_1p,
        Recipe::Logistic => |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) },
        Recipe::Tanh => f64::tanh,
        Recipe::Sinh => f64::sinh,
        Recipe::Cosh => f64::cosh,
        Recipe::Asinh => c::asinh,
        Recipe::Acosh => c::acosh,
        Recipe::Atanh => c::atanh,
        Recipe::Sin => f64::sin,
        Recipe::Cos => f64::cos,
        Recipe::Tan => f64::tan,
        Recipe::Asin => f64::asin,
        Recipe::Acos => f64::acos,
        Recipe::Atan => f64::atan,
        Recipe::Cbrt => f64::cbrt,
        Recipe::Erf => c::erf,
        Recipe::Erfc => c::erfc,
        Recipe::ErfInv => erf_inv,
        Recipe::Lgamma => c::lgamma,
        Recipe::Digamma => digamma,
        Recipe::BesselI0e => |x| bessel(x, 0.0),
        Recipe::BesselI1e => |x| if x.abs() < 1e-5 { 0.5 * x * (1.0 - x.abs()) } else { bessel(x, 1.0) },
    }
}

/// By a step of Newton's, from what the recipe gives.
fn erf_inv(x: f64) -> f64 {
    let mut y = [0.0];
    Recipe::ErfInv.row_f64()(&[x], &mut y);
    let y = y[0];
    let off = if x.abs() < 0.5 { c::erf(y) - x } else { (1.0 - x.abs() - c::erfc(y.abs())).copysign(x) };
    let next = y - off * PI.sqrt() / 2.0 * (y * y).exp();
    if next.is_finite() { next } else { y }
}

/// By the series for numbers so large that few terms are needed.
fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        let r = x - x.round();
        return if r == 0.0 || r.is_nan() { f64::NAN } else { digamma(1.0 - x) - PI / (PI * r).tan() };
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < 100.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let w = 1.0 / (x * x);
    sum + x.ln() - 0.5 / x - w * (1.0 / 12.0 - w * (1.0 / 120.0 - w / 252.0))
}

/// The mean of `e^(x cos t - |x|) cos(order · t)` over half a turn, or for large numbers the asymptotic series.
fn bessel(x: f64, order: f64) -> f64 {
    if x.abs() > 1e4 {
        let (mu, z) = (4.0 * order * order, 8.0 * x.abs());
        let terms = 1.0 - (mu - 1.0) / z + (mu - 1.0) * (mu - 9.0) / (2.0 * z * z);
        let y = terms / (2.0 * PI * x.abs()).sqrt();
        return if order > 0.0 { y.copysign(x) } else { y };
    }
    let n = 64 + (32.0 * x.abs().sqrt()) as usize;
    let term = |i: usize| {
        let t = PI * i as f64 / n as f64;
        (x * t.cos() - x.abs()).exp() * (order * t).cos()
    };
    ((term(0) + term(n)) / 2.0 + (1..n).map(term).sum::<f64>()) / n as f64
}

/// Units in the last place between a result and the true value.
pub fn ulps(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if got == rounded || got.is_nan() && rounded.is_nan() {
        return 0.0;
    }
    if !rounded.is_finite() || !got.is_finite() {
        return f64::INFINITY;
    }
    let unit = (f32::from_bits(rounded.abs().to_bits() + 1) - rounded.abs()) as f64;
    (got as f64 - want).abs() / unit
}
