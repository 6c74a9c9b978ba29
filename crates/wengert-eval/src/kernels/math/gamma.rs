//! Derivatives of the logarithm of the gamma function.

use std::f64::consts::PI;

/// Bernoulli's numbers `B₂, B₄, …`.
const BERNOULLI: [f64; 12] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174611.0 / 330.0,
    854513.0 / 138.0,
    -236364091.0 / 2730.0,
];
/// From here on the asymptotic series are exact to the last bits.
const LARGE: f64 = 12.0;

/// `Σ B₂ₖ f(k) / x²ᵏ` for large `x`.
fn asymptotic(x: f64, f: impl Fn(f64) -> f64) -> f64 {
    let r = 1.0 / (x * x);
    BERNOULLI.iter().enumerate().rev().fold(0.0, |sum, (i, b)| (sum + b * f(i as f64 + 1.0)) * r)
}

/// The derivative of `log Γ(x)`.
fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        // NaN at the poles, where both signs meet.
        let r = x - x.round();
        return if r == 0.0 || r.is_nan() { f64::NAN } else { digamma(1.0 - x) - PI / (PI * r).tan() };
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum -= 1.0 / x;
        x += 1.0;
    }
    sum + x.ln() - 0.5 / x - asymptotic(x, |k| 1.0 / (2.0 * k))
}

/// The derivative of order `n` of `digamma`: `(-1)ⁿ⁺¹ n! ζ(n+1, x)`.
pub(crate) fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    if n < 0.0 || n.fract() != 0.0 || n.is_nan() {
        return f64::NAN;
    }
    let odd = n % 2.0 == 1.0;
    if x <= 0.0 && x.fract() == 0.0 {
        return if odd { f64::INFINITY } else { f64::NAN };
    }
    let factorial = if n > 170.0 { f64::INFINITY } else { (1..=n as u32).map(f64::from).product() };
    let s = n + 1.0;
    let zeta = if x > 0.0 {
        zeta(s, x)
    } else {
        // The terms (x+k)⁻ˢ below zero are a sum of the same kind, of their distances from zero.
        let above = x - x.floor();
        let below = zeta(s, 1.0 - above) - zeta(s, 1.0 - x);
        zeta(s, above) + if odd { below } else { -below }
    };
    factorial * if odd { zeta } else { -zeta }
}

/// Hurwitz' `ζ(s, q) = Σ (q+k)⁻ˢ` for `s >= 2` and `q > 0`: some terms, and Euler–Maclaurin's formula for the others.
fn zeta(s: f64, q: f64) -> f64 {
    let (mut a, mut sum) = (q, 0.0);
    while a < LARGE + s {
        let term = a.powf(-s);
        sum += term;
        if term < sum * 1e-18 {
            return sum;
        }
        a += 1.0;
    }
    let power = a.powf(-s);
    if power == 0.0 {
        return sum;
    }
    let mut rest = a / (s - 1.0) + 0.5;
    // B₂ⱼ/(2j)! · s(s+1)…(s+2j-2) / a²ʲ⁻¹
    let mut factor = s / (2.0 * a);
    for (j, b) in BERNOULLI.iter().enumerate() {
        rest += b * factor;
        let m = 2.0 * j as f64;
        factor *= (s + m + 1.0) * (s + m + 2.0) / ((m + 3.0) * (m + 4.0) * a * a);
    }
    sum + power * rest
}
