//! The logarithm of the gamma function and its derivative, in `f64`: near their zeros an `f32` has no digits to spare.
//!
//! From 8 on asymptotic series hold, others are moved; those on the negative side are reflected.

use super::log::log;
use super::machine::Machine;
use crate::ir::{Compare, Unary};
use std::f64::consts::PI;

/// `log Γ(2 + d) / d` for `|d| <= 1/2`.
const AROUND_TWO: [f64; 18] = [
    2.976804767481282e-07,
    -5.807227464186613e-07,
    8.999038094328312e-07,
    -1.974724211070858e-06,
    4.393531368388228e-06,
    -9.456116951779577e-06,
    2.0503538729328946e-05,
    -4.492376464452439e-05,
    9.945794527413823e-05,
    -0.00022315497302007717,
    0.0005096694949988441,
    -0.0011927539012877057,
    0.0028905103318476472,
    -0.00738555102892627,
    0.020580808427765825,
    -0.06735230105319576,
    0.3224670334241133,
    0.42278433509846713,
];

/// `z · (log Γ(z) - (z - 1/2) log z + z - log(2π) / 2)` in `1 / z²`, from 8 on.
const STIRLING: [f64; 7] = [
    0.005069264641640123,
    -0.001890540791836306,
    0.00084147286619605,
    -0.0005952366071092999,
    0.000793650789835527,
    -0.0027777777777741003,
    0.08333333333333333,
];

/// `z² · (log z - 1 / 2z - ψ(z))` in `1 / z²`, from 8 on.
const DIGAMMA: [f64; 7] = [
    0.06367456297771554,
    -0.0207004762556974,
    0.007571733394195062,
    -0.0041666451776799195,
    0.0039682539132498635,
    -0.008333333333280356,
    0.08333333333333333,
];

/// `sin(π r) / r` in `r²`, for `|r| <= 1/2`.
const SIN_PI: [f64; 9] = [
    7.694726923428457e-07,
    -2.1903185384016193e-05,
    0.0004662996887609497,
    -0.0073704304787608555,
    0.0821458865698926,
    -0.5992645293187382,
    2.550164039877294,
    -5.167712780049969,
    PI,
];

/// `cos(π r)` in `r²`, for `|r| <= 1/2`.
const COS_PI: [f64; 9] = [
    4.149591699565863e-06,
    -0.00010456658073536071,
    0.0019295562835928391,
    -0.02580688873935289,
    0.23533063012980837,
    -1.3352627688434646,
    4.058712126416498,
    -4.934802200544676,
    1.0,
];

/// What `x` is above the nearest whole number, and the sine of that many half turns.
#[inline(always)]
fn sine_of_half_turns<M: Machine>(m: &M, x: M::Float) -> [M::Float; 2] {
    let r = m.sub(x, m.unary(Unary::RoundEven, x));
    [r, m.mul(r, m.by_table(m.mul(r, r), &SIN_PI))]
}

/// `log |Γ(x)|`.
#[inline(always)]
pub(super) fn lgamma<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (one, two) = (m.float(1.0), m.float(2.0));
    // Γ(x) Γ(1 - x) = π / sin πx
    let y = m.where_less(x, 0.5, m.sub(one, x), x);
    // Γ(y) = (y - 1) (y - 2) … Γ(y - n), down to a number around two; below that, Γ(y) = Γ(1 + y) / y.
    let (mut t, mut product) = (y, one);
    for _ in 0..6 {
        let less = m.sub(t, one);
        product = m.where_less(t, 2.5, product, m.mul(product, less));
        t = m.where_less(t, 2.5, t, less);
    }
    let d = m.where_less(y, 1.5, m.sub(y, one), m.sub(t, two));
    let around_two = m.mul(d, m.by_table(d, &AROUND_TWO));
    let factor = m.where_less(y, 8.0, m.where_less(y, 1.5, y, product), y);
    let logarithm = log(m, factor);
    let inverse = m.div(one, y);
    let series = m.mul(inverse, m.by_table(m.mul(inverse, inverse), &STIRLING));
    let rest = m.add(series, m.float(0.5 * (2.0 * PI).ln() - 0.5));
    let stirling = m.mul_add(m.sub(y, m.float(0.5)), m.sub(logarithm, one), rest);
    let small = m.where_less(y, 1.5, m.sub(around_two, logarithm), m.add(around_two, logarithm));
    let value = m.where_less(y, 8.0, small, stirling);
    // Reflected, the logarithm of a small number is that of a quotient: one where there would be two. Next to zero it is
    // `-log |x|`, and the quotient may be too large.
    let [_, sine] = sine_of_half_turns(m, x);
    let above = m.mul(m.float(PI), m.where_less(y, 1.5, y, one));
    let below = m.where_less(y, 1.5, one, m.where_less(y, 8.0, product, one));
    let quotient = m.div(above, m.mul(below, m.abs(sine)));
    let size = m.abs(x);
    let logarithm = log(m, m.where_less(size, 1e-20, size, quotient));
    let infinity = m.float(f64::INFINITY);
    let reflected = m.sub(logarithm, m.where_less(y, 8.0, around_two, stirling));
    let pole = m.compare(Compare::Eq, sine, m.float(0.0));
    let reflected = m.select(pole, infinity, reflected);
    let value = m.where_less(x, 0.5, reflected, value);
    let value = m.where_less(size, 1e-20, m.neg(logarithm), value);
    let infinite = m.compare(Compare::Eq, size, infinity);
    m.select(infinite, infinity, value)
}

/// The derivative of `log |Γ(x)|`; NaN at the poles, where both signs meet.
#[inline(always)]
pub(super) fn digamma<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (zero, one) = (m.float(0.0), m.float(1.0));
    // ψ(1 - x) - ψ(x) = π / tan πx
    let positive = m.compare(Compare::Gt, x, zero);
    let y = m.select(positive, x, m.sub(one, x));
    // Numbers below 8 are raised by 8: the derivative of the logarithm of y (y + 1) … (y + 7), as a quotient.
    let mut quotient = (one, y);
    for k in 1..8 {
        let t = m.add(y, m.float(k as f64));
        quotient = (m.mul_add(quotient.0, t, quotient.1), m.mul(quotient.1, t));
    }
    let raised = m.where_less(y, 8.0, m.div(quotient.0, quotient.1), zero);
    let z = m.where_less(y, 8.0, m.add(y, m.float(8.0)), y);
    let inverse = m.div(one, z);
    let square = m.mul(inverse, inverse);
    let series = m.mul_add(square, m.by_table(square, &DIGAMMA), m.mul(inverse, m.float(0.5)));
    let value = m.sub(m.sub(log(m, z), series), raised);
    let [r, sine] = sine_of_half_turns(m, x);
    let cosine = m.by_table(m.mul(r, r), &COS_PI);
    let reflected = m.sub(value, m.div(m.mul(cosine, m.float(PI)), sine));
    let pole = m.compare(Compare::Eq, r, zero);
    let reflected = m.select(pole, m.float(f64::NAN), reflected);
    let positive = m.compare(Compare::Gt, x, zero);
    m.select(positive, value, reflected)
}
