//! Functions of complex numbers, in `f64`: accurate to the last digits near branch points and where squares of the
//! parts would leave the range. Infinite and NaN parts, and the sides of cuts, are as XLA has them: where a result jumps
//! across a cut, a zero counts as positive, but for `log` and `atanh`.

use std::f64::consts::{FRAC_PI_2, LN_2, PI};
use wengert_core::Complex;

type C = Complex<f64>;

const NAN: C = C::new(f64::NAN, f64::NAN);
/// From here on `x² + 1` is `x²`, far from overflow.
const HUGE: f64 = 1e100;

/// `r`, with the sign of `x`; a negative zero counts as positive.
fn side(r: f64, x: f64) -> f64 {
    if x < 0.0 { -r } else { r }
}

/// `x y`, where `x` may be infinite but a zero `y` stays zero.
fn times(x: f64, y: f64) -> f64 {
    if y == 0.0 { y } else { x * y }
}

/// `i z`.
fn turn(z: C) -> C {
    C::new(-z.im, z.re)
}

/// `-i z`.
fn turn_back(z: C) -> C {
    C::new(z.im, -z.re)
}

/// The distance from zero; NaN if a part is.
pub(crate) fn abs(z: C) -> f64 {
    if z.re.is_nan() || z.im.is_nan() { f64::NAN } else { z.re.hypot(z.im) }
}

/// `z / |z|`, and zero at zero.
pub(crate) fn sign(z: C) -> C {
    let r = abs(z);
    if r == 0.0 { C::new(0.0, 0.0) } else { C::new(z.re / r, z.im / r) }
}

/// The quotient, by Smith's method; infinities and zeros as the C standard recommends.
pub(crate) fn div(x: C, y: C) -> C {
    let largest = [x.re, x.im, y.re, y.im].into_iter().fold(0f64, |m, v| m.max(v.abs()));
    if largest > 1e300 && largest.is_finite() {
        // Room for the sums below.
        return div(x * 2f64.powi(-40), y * 2f64.powi(-40));
    }
    let q = if y.re.abs() >= y.im.abs() {
        let r = y.im / y.re;
        let d = y.re + y.im * r;
        C::new((x.re + x.im * r) / d, (x.im - x.re * r) / d)
    } else {
        let r = y.re / y.im;
        let d = y.re * r + y.im;
        C::new((x.re * r + x.im) / d, (x.im * r - x.re) / d)
    };
    if !(q.re.is_nan() && q.im.is_nan()) {
        return q;
    }
    let finite = |z: C| z.re.is_finite() && z.im.is_finite();
    let infinite = |z: C| z.re.is_infinite() || z.im.is_infinite();
    let units = |z: C| {
        let unit = |x: f64| if x.is_infinite() { 1f64 } else { 0.0 }.copysign(x);
        C::new(unit(z.re), unit(z.im))
    };
    if y.re == 0.0 && y.im == 0.0 {
        x * f64::INFINITY.copysign(y.re)
    } else if infinite(x) && finite(y) {
        units(x) * y.conj() * f64::INFINITY
    } else if infinite(y) && finite(x) {
        x * units(y).conj() * 0.0
    } else {
        q
    }
}

/// `eˣ (cos y, sin y)`, also where `eˣ` alone is too large.
pub(crate) fn exp(z: C) -> C {
    let (s, c) = z.im.sin_cos();
    scaled_exp(z.re, c, s)
}

/// `eˣ (a, b)`.
fn scaled_exp(x: f64, a: f64, b: f64) -> C {
    if x > 709.0 && x < 1400.0 {
        let half = (x / 2.0).exp();
        return C::new(times(half, a) * half, times(half, b) * half);
    }
    C::new(x.exp() * a, times(x.exp(), b))
}

pub(crate) fn expm1(z: C) -> C {
    // eˣ cos y - 1 = (eˣ - 1) cos y + (cos y - 1), and cos y - 1 = -2 sin²(y/2).
    let e = exp(z);
    let half = (z.im / 2.0).sin();
    let re = if z.re > 700.0 { e.re } else { z.re.exp_m1() * z.im.cos() - 2.0 * half * half };
    C::new(re, e.im)
}

pub(crate) fn sinh(z: C) -> C {
    let (s, c) = z.im.sin_cos();
    if z.re.abs() > 700.0 {
        return scaled_exp(z.re.abs(), side(c, z.re) / 2.0, s / 2.0);
    }
    C::new(z.re.sinh() * c, times(z.re.cosh(), s))
}

pub(crate) fn cosh(z: C) -> C {
    let (s, c) = z.im.sin_cos();
    if z.re.abs() > 700.0 {
        return scaled_exp(z.re.abs(), c / 2.0, side(s, z.re) / 2.0);
    }
    C::new(z.re.cosh() * c, times(z.re.sinh(), s))
}

pub(crate) fn sin(z: C) -> C {
    turn_back(sinh(turn(z)))
}

pub(crate) fn cos(z: C) -> C {
    cosh(turn(z))
}

/// By the tangent of the imaginary part (Kahan).
pub(crate) fn tanh(z: C) -> C {
    if z.im == 0.0 {
        return C::new(z.re.tanh(), z.im);
    }
    if z.re.abs() > 20.0 {
        let im = if z.re.is_infinite() { 0.0 } else { 2.0 * (2.0 * z.im).sin() * (-2.0 * z.re.abs()).exp() };
        return if im.is_nan() { NAN } else { C::new(1f64.copysign(z.re), im) };
    }
    let t = z.im.tan();
    let (beta, s) = (1.0 + t * t, z.re.sinh());
    let d = 1.0 + beta * s * s;
    C::new(beta * z.re.cosh() * s / d, t / d)
}

pub(crate) fn tan(z: C) -> C {
    turn_back(tanh(turn(z)))
}

/// `1 / (1 + e⁻ᶻ)`.
pub(crate) fn logistic(z: C) -> C {
    let one = C::new(1.0, 0.0);
    if z.re < 0.0 {
        let e = exp(z);
        return div(e, one + e);
    }
    div(one, one + exp(-z))
}

/// `log √(1 + t)`, where `t` is given in two parts.
fn half_log1p((high, low): (f64, f64)) -> f64 {
    (high.ln_1p() + low / (1.0 + high)) / 2.0
}

/// The sum of squares of some numbers and other terms, in two parts that do not overlap.
fn squares_and<const N: usize, const M: usize>(squares: [f64; N], terms: [f64; M]) -> (f64, f64) {
    let (mut high, mut low) = (0.0, 0.0);
    let mut add = |x: f64| {
        // What rounding takes from the sum (Knuth).
        let sum: f64 = high + x;
        let back = sum - high;
        low += (high - (sum - back)) + (x - back);
        high = sum;
    };
    terms.into_iter().for_each(&mut add);
    for x in squares {
        add(x * x);
        add(x.mul_add(x, -(x * x)));
    }
    (high + low, low - ((high + low) - high))
}

pub(crate) fn log(z: C) -> C {
    let (r, near) = (abs(z), z.re.abs().max(z.im.abs()));
    let re = if near > 0.5 && r < 2.0 {
        // |z|² - 1 without the loss of digits near the unit circle.
        half_log1p(squares_and([z.re, z.im], [-1.0]))
    } else if r.is_infinite() && near.is_finite() {
        (z.re / 2.0).hypot(z.im / 2.0).ln() + LN_2
    } else {
        r.ln()
    };
    C::new(re, z.im.atan2(z.re))
}

/// `log(1 + z)`, accurate near zero.
pub(crate) fn log1p(z: C) -> C {
    let r = C::new(1.0 + z.re, z.im);
    if abs(z) < 3.0 && abs(r) > 0.5 {
        // |1+z|² - 1 = x² + 2x + y²
        return C::new(half_log1p(squares_and([z.re, z.im], [2.0 * z.re])), z.im.atan2(r.re));
    }
    log(r)
}

/// The square root with non-negative real part, the sign of zero kept.
fn root(z: C) -> C {
    let (x, y) = (z.re.abs(), z.im.abs());
    if y.is_infinite() && !x.is_nan() {
        return C::new(y, z.im);
    }
    if x == 0.0 && y == 0.0 {
        return C::new(0.0, z.im);
    }
    // Scaled by a power of four, so that sums stay in range and small numbers keep their digits.
    let (down, up) = match x.max(y) {
        m if m > 2f64.powi(1000) => (2f64.powi(-4), 2f64.powi(2)),
        m if m < 2f64.powi(-900) => (2f64.powi(120), 2f64.powi(-60)),
        _ => (1.0, 1.0),
    };
    let u = ((x * down + (x * down).hypot(y * down)) / 2.0).sqrt();
    let v = y * down / (2.0 * u);
    let (u, v) = (u * up, v * up);
    // An infinite real part leaves a finite imaginary one nothing.
    let v = if x.is_infinite() && y.is_finite() { 0.0 } else { v };
    if z.re >= 0.0 || z.re.is_nan() { C::new(u, v.copysign(z.im)) } else { C::new(v, u.copysign(z.im)) }
}

pub(crate) fn sqrt(z: C) -> C {
    let r = root(z);
    if z.re.is_nan() || z.im.is_nan() { NAN } else { C::new(r.re, side(r.im.abs(), z.im)) }
}

pub(crate) fn rsqrt(z: C) -> C {
    if z.re == 0.0 && z.im == 0.0 {
        return C::new(f64::INFINITY, f64::NAN);
    }
    if z.re.is_infinite() || z.im.is_infinite() {
        return C::new(0.0, 0.0);
    }
    let r = root(z);
    // 1/r = conj(r) / |r|², and |r|² = |z| may be out of range where |r| is not.
    let m = abs(r);
    C::new(r.re / m / m, -r.im / m / m)
}

/// The parts of `asin` for `x, y >= 0`, and of `acos`: `(Re asin, Re acos, Im asin)` (Hull, Fairgrieve and Tang).
fn arcs(x: f64, y: f64) -> (f64, f64, f64) {
    if x.is_infinite() || y.is_infinite() || x.max(y) > HUGE {
        // Infinite even if the other part is NaN.
        let im = if x.is_infinite() || y.is_infinite() { f64::INFINITY } else { log(C::new(x, y)).re + LN_2 };
        return (x.atan2(y), y.atan2(x), im);
    }
    let (r, s) = ((x + 1.0).hypot(y), (x - 1.0).hypot(y));
    let a = (r + s) / 2.0;
    if y <= f64::EPSILON * (x - 1.0).abs() {
        // Next to the real axis y² would be lost.
        if x < 1.0 {
            return (x.asin(), x.acos(), y / ((1.0 - x) * (1.0 + x)).sqrt());
        }
        let root = ((x - 1.0) * (x + 1.0)).sqrt();
        let acos = if y == 0.0 { 0.0 } else { y / root };
        return (FRAC_PI_2, acos, ((x - 1.0) + root).ln_1p());
    }
    // y/(…) twice rather than y² once: y² may be too small.
    let (over, under) = (y / (r + (x + 1.0)), |s: f64, d: f64| y / (s + d));
    let b = x / a;
    let (asin, acos) = if b <= 0.6417 {
        (b.asin(), b.acos())
    } else {
        let c = if x <= 1.0 {
            ((a + x) / 2.0 * (y * over + (s + (1.0 - x)))).sqrt()
        } else {
            y * ((a + x) / 2.0 * (1.0 / (r + (x + 1.0)) + 1.0 / (s + (x - 1.0)))).sqrt()
        };
        (x.atan2(c), c.atan2(x))
    };
    let im = if a <= 1.5 {
        let more = if x < 1.0 { y * over + y * under(s, 1.0 - x) } else { y * over + (s + (x - 1.0)) } / 2.0;
        (more + (more * (a + 1.0)).sqrt()).ln_1p()
    } else {
        (a + ((a - 1.0) * (a + 1.0)).sqrt()).ln()
    };
    (asin, acos, im)
}

pub(crate) fn asin(z: C) -> C {
    let (re, _, im) = arcs(z.re.abs(), z.im.abs());
    C::new(re.copysign(z.re), side(im, z.im))
}

pub(crate) fn acos(z: C) -> C {
    let (_, re, im) = arcs(z.re.abs(), z.im.abs());
    C::new(if z.re < 0.0 { PI - re } else { re }, side(-im, z.im))
}

pub(crate) fn asinh(z: C) -> C {
    turn_back(asin(turn(z)))
}

pub(crate) fn acosh(z: C) -> C {
    let w = acos(z);
    C::new(w.im.abs(), side(w.re, z.im))
}

pub(crate) fn atanh(z: C) -> C {
    let (x, y) = (z.re.abs(), z.im.abs());
    if x.max(y) > HUGE || (x + y).is_nan() {
        // x / |z|², and the distance of the angle from π/2 is too small to see. It stays that where a part is NaN.
        let r = x.hypot(y);
        let re = if r.is_infinite() { 0.0 } else { x / r / r };
        return C::new(re.copysign(z.re), if z.im >= 0.0 { FRAC_PI_2 } else { -FRAC_PI_2 });
    }
    let near = (1.0 - x).hypot(y);
    // log((1+x)² + y²) - log((1-x)² + y²), where the second may be too small.
    let re = if near < 1e-8 { (2.0 * x.sqrt() / near).ln() / 2.0 } else { (4.0 * x / near / near).ln_1p() / 4.0 };
    let im = (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y) / 2.0;
    C::new(re.copysign(z.re), im.copysign(z.im))
}

pub(crate) fn atan(z: C) -> C {
    turn_back(atanh(turn(z)))
}

/// `-i log((x + iy) / √(x² + y²))`, of `y` first.
pub(crate) fn atan2(y: C, x: C) -> C {
    turn_back(log(div(x + turn(y), sqrt(x * x + y * y))))
}

/// `eʸ ˡᵒᵍ ˣ`; anything to the power of zero is one, and so is one to the power of anything. Zero and infinity to the
/// power of a real number are real.
pub(crate) fn pow(x: C, y: C) -> C {
    let (one, real) = (C::new(1.0, 0.0), x.im == 0.0 && y.im == 0.0);
    if y == C::new(0.0, 0.0) || x == one {
        return one;
    }
    if real && (x.re == 0.0 && y.re > 0.0 || x.re == f64::INFINITY && y.re < 0.0) {
        return C::new(0.0, 0.0);
    }
    if real && x.re == f64::INFINITY && y.re > 0.0 {
        return C::new(f64::INFINITY, 0.0);
    }
    exp(y * log(x))
}
