//! The logarithm of the gamma function and its derivatives.

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
/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;

/// `(-1)ᵏ (ζ(k) - 1) / k` from `k = 2` on.
const ZETA: [f64; 26] = [
    0.3224670334241132,
    -0.0673523010531981,
    0.020580808427784546,
    -0.007385551028673986,
    0.0028905103307415234,
    -0.001192753911703261,
    0.0005096695247430425,
    -0.00022315475845357939,
    9.945751278180853e-05,
    -4.492623673813314e-05,
    2.050721277567069e-05,
    -9.439488275268397e-06,
    4.374866789907488e-06,
    -2.039215753801366e-06,
    9.55141213040742e-07,
    -4.492469198764566e-07,
    2.1207184805554665e-07,
    -1.0043224823968099e-07,
    4.7698101693639804e-08,
    -2.2711094608943164e-08,
    1.0838659214896955e-08,
    -5.183475041970047e-09,
    2.4836745438024785e-09,
    -1.1921401405860912e-09,
    5.731367241678862e-10,
    -2.7595228851242334e-10,
];

/// `log |Γ(x)|`.
pub(crate) fn lgamma(x: f64) -> f64 {
    if x.is_infinite() {
        return f64::INFINITY;
    }
    if x <= 0.0 {
        // Γ(x) Γ(1-x) = π / sin πx
        let sine = (PI * (x - x.round())).sin().abs();
        return if sine == 0.0 { f64::INFINITY } else { (PI / sine).ln() - lgamma(1.0 - x) };
    }
    if x >= LARGE {
        let series = asymptotic(x, |k| 1.0 / (2.0 * k * (2.0 * k - 1.0))) * x;
        return (x - 0.5) * (x.ln() - 1.0) - 0.5 + 0.5 * (2.0 * PI).ln() + series;
    }
    if x < 0.5 {
        // Γ(x) = Γ(2+x) / x(1+x)
        return around_two(x) - x.ln() - x.ln_1p();
    }
    if x < 1.5 {
        // Γ(x) = Γ(1+x) / x, and near one its logarithm is small.
        return around_two(x - 1.0) - (x - 1.0).ln_1p();
    }
    // Γ(x) = (x-1)(x-2)… Γ(x-n)
    let (mut x, mut product) = (x, 1.0);
    while x > 2.5 {
        x -= 1.0;
        product *= x;
    }
    around_two(x - 2.0) + f64::ln(product)
}

/// `log Γ(2 + z)` for `|z| <= 1/2`.
fn around_two(z: f64) -> f64 {
    let series = ZETA.iter().rev().fold(0.0, |sum, c| (sum + c) * z);
    z * (1.0 - EULER + series)
}

/// `Σ B₂ₖ f(k) / x²ᵏ` for large `x`.
fn asymptotic(x: f64, f: impl Fn(f64) -> f64) -> f64 {
    let r = 1.0 / (x * x);
    BERNOULLI.iter().enumerate().rev().fold(0.0, |sum, (i, b)| (sum + b * f(i as f64 + 1.0)) * r)
}

/// The derivative of `log Γ(x)`.
pub(crate) fn digamma(x: f64) -> f64 {
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
