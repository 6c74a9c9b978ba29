//! The logarithm of the gamma function and its derivative, in `f64`: near their zeros an `f32` has no digits to spare.
//!
//! Numbers below 8 are raised by 8, to where asymptotic series hold; those on the negative side are reflected.

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
    3.141592653589793,
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

/// A polynomial by a table of coefficients.
#[inline(always)]
fn by_table<M: Machine>(m: &M, x: M::Float, table: &[f64]) -> M::Float {
    m.polynomial(x, table.len(), |i| table[i])
}

/// What `x` is above the nearest whole number, and the sine of that many half turns.
#[inline(always)]
fn sine_of_half_turns<M: Machine>(m: &M, x: M::Float) -> [M::Float; 2] {
    let r = m.sub(x, m.unary(Unary::RoundEven, x));
    [r, m.mul(r, by_table(m, m.mul(r, r), &SIN_PI))]
}

/// `log |Γ(x)|`.
#[inline(always)]
pub(super) fn lgamma<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (one, half) = (m.float(1.0), m.float(0.5));
    // Γ(x) Γ(1 - x) = π / sin πx
    let y = m.where_less(x, 0.5, m.sub(one, x), x);
    // Γ(y + 8) = y (y + 1) … (y + 7) Γ(y)
    let product = (1..8).fold(y, |product, k| m.mul(product, m.add(y, m.float(k as f64))));
    let z = m.where_less(y, 8.0, m.add(y, m.float(8.0)), y);
    let inverse = m.div(one, z);
    let series = m.mul(inverse, by_table(m, m.mul(inverse, inverse), &STIRLING));
    let rest = m.add(series, m.float(0.5 * (2.0 * PI).ln() - 0.5));
    let large = m.mul_add(m.sub(z, half), m.sub(log(m, z), one), rest);
    // Near the zeros at 1 and 2 by a polynomial, since there is a difference of large numbers else; Γ(y) = Γ(1 + y) / y.
    let d = m.sub(y, m.where_less(y, 1.5, one, m.float(2.0)));
    let value = m.where_less(y, 2.5, m.mul(d, by_table(m, d, &AROUND_TWO)), large);
    let factor = m.where_less(y, 8.0, product, one);
    let factor = m.where_less(y, 2.5, one, factor);
    let factor = m.where_less(y, 1.5, y, factor);
    let [_, sine] = sine_of_half_turns(m, x);
    let reflected = m.div(m.mul(factor, m.float(PI)), m.abs(sine));
    let argument = m.where_less(x, 0.5, reflected, factor);
    // Next to zero it is `-log |x|`, and the quotient above may be too large.
    let size = m.abs(x);
    let logarithm = log(m, m.where_less(size, 1e-20, size, argument));
    let y = m.where_less(x, 0.5, m.sub(logarithm, value), m.sub(value, logarithm));
    let y = m.where_less(size, 1e-20, m.neg(logarithm), y);
    let infinity = m.float(f64::INFINITY);
    let infinite = m.compare(Compare::Eq, size, infinity);
    m.select(infinite, infinity, y)
}

/// The derivative of `log |Γ(x)|`; NaN at the poles, where both signs meet.
#[inline(always)]
pub(super) fn digamma<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (zero, one) = (m.float(0.0), m.float(1.0));
    // ψ(1 - x) - ψ(x) = π / tan πx
    let positive = m.compare(Compare::Gt, x, zero);
    let y = m.select(positive, x, m.sub(one, x));
    // The derivative of the logarithm of y (y + 1) … (y + 7), as a quotient.
    let mut quotient = (one, y);
    for k in 1..8 {
        let t = m.add(y, m.float(k as f64));
        quotient = (m.mul_add(quotient.0, t, quotient.1), m.mul(quotient.1, t));
    }
    let raised = m.where_less(y, 8.0, m.div(quotient.0, quotient.1), zero);
    let z = m.where_less(y, 8.0, m.add(y, m.float(8.0)), y);
    let inverse = m.div(one, z);
    let square = m.mul(inverse, inverse);
    let series = m.mul_add(square, by_table(m, square, &DIGAMMA), m.mul(inverse, m.float(0.5)));
    let value = m.sub(m.sub(log(m, z), series), raised);
    let [r, sine] = sine_of_half_turns(m, x);
    let cosine = by_table(m, m.mul(r, r), &COS_PI);
    let reflected = m.sub(value, m.div(m.mul(cosine, m.float(PI)), sine));
    let pole = m.compare(Compare::Eq, r, zero);
    let reflected = m.select(pole, m.float(f64::NAN), reflected);
    let positive = m.compare(Compare::Gt, x, zero);
    m.select(positive, value, reflected)
}
