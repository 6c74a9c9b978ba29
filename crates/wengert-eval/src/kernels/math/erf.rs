//! The error function, its complement and its inverse.

use super::chebyshev;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// `erf(x) / x` in `2x² - 1`, for `|x| <= 1`.
const ERF: [f64; 13] = [
    1.9509538787653082,
    -0.14226120510371365,
    0.010035582187599796,
    -0.0005768764699767485,
    2.741993125219606e-05,
    -1.1043175507344507e-06,
    3.8488755420345036e-08,
    -1.1808582533875466e-09,
    3.2334215826050907e-11,
    -7.991015947004549e-13,
    1.7990725113961456e-14,
    -3.718635487818693e-16,
    7.103599003714253e-18,
];

/// `log(erfc(x) e^(x²) / t)` in `2t - 1`, where `t = 2 / (2 + x)`, for `x >= 0`.
const ERFC: [f64; 28] = [
    -1.3026537197817094,
    0.6419697923564902,
    0.019476473204185836,
    -0.009561514786808632,
    -0.0009465953444820369,
    0.00036683949785276145,
    4.252332480690777e-05,
    -2.0278578112534242e-05,
    -1.6242900046470256e-06,
    1.3036558355805232e-06,
    1.5626441722066142e-08,
    -8.523809591492654e-08,
    6.5290544390988515e-09,
    5.059343495551469e-09,
    -9.91364156493033e-10,
    -2.273651222931836e-10,
    9.646791102015527e-11,
    2.3940380830391146e-12,
    -6.886027526497553e-12,
    8.944879273090725e-13,
    3.130921399342958e-13,
    -1.1270822361367252e-13,
    3.810905255189232e-16,
    7.106097613609237e-15,
    -1.5230282014571043e-15,
    -9.457494571291233e-17,
    1.210237189224279e-16,
    -2.816663087747177e-17,
];

/// `2/√π ∫ e^(-t²) dt` from 0 to `x`.
pub(crate) fn erf(x: f64) -> f64 {
    if x.abs() <= 1.0 { x * chebyshev(&ERF, 2.0 * x * x - 1.0) } else { (1.0 - erfc(x.abs())).copysign(x) }
}

/// `1 - erf(x)`, without the loss where that is small.
#[inline(always)]
pub(crate) fn erfc(x: f64) -> f64 {
    if x.abs() <= 0.5 {
        return 1.0 - erf(x);
    }
    let a = x.abs();
    let t = 2.0 / (2.0 + a);
    // Past 30 the result is zero, and the square of an infinity would meet another one.
    let tail = if a > 30.0 { 0.0 } else { t * (chebyshev(&ERFC, 2.0 * t - 1.0) - a * a).exp() };
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// The `y` with `erf(y) = x`: a guess good to three digits, refined by Halley's method, which triples them.
pub(crate) fn erf_inv(x: f64) -> f64 {
    let a = x.abs();
    if a >= 1.0 || a.is_nan() {
        return if a == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let mut y = if a < 0.05 {
        a / FRAC_2_SQRT_PI * (1.0 + PI / 12.0 * a * a)
    } else {
        let log = (-a * a).ln_1p();
        let b = 2.0 / (PI * 0.147) + log / 2.0;
        ((b * b - log / 0.147).sqrt() - b).sqrt()
    };
    for _ in 0..3 {
        let error = if a < 0.5 { erf(y) - a } else { (1.0 - a) - erfc(y) };
        let step = error / (FRAC_2_SQRT_PI * (-y * y).exp());
        y -= step / (1.0 + y * step);
    }
    y.copysign(x)
}
