//! Hyperbolic functions and their inverses.

use super::exp::{exp_scaled, half_expm1};
use super::log::{log_of_sum, two_sum, two_sum_of_any};
use super::machine::{Machine, Series};
use crate::ir::{Binary, Compare, Unary};

/// `(sinh x / x - 1) / x²` in `x²`, for numbers up to 1.
const SINH: Series = Series {
    narrow: &[2.7839255e-6, 1.9842635e-4, 0.008333311, 0.16666667],
    wide: &[
        7.759312158191808e-13,
        1.6057240343107713e-10,
        2.5052123398526452e-8,
        2.7557319155337082e-6,
        0.0001984126984143768,
        0.008333333333333139,
        0.16666666666666669,
    ],
};

/// `(tanh x / x - 1) / x²` in `x²`, for numbers less than 0.55.
const TANH: Series = Series {
    narrow: &[-0.0062342472, 0.021045806, -0.053846687, 0.1333254, -0.33333316],
    wide: &[
        7.326430859030406e-6,
        -3.275266509353328e-5,
        9.380511511544785e-5,
        -0.0002381435498012248,
        0.0005898136394745532,
        -0.001455802339739183,
        0.00359212474207716,
        -0.008863235303323209,
        0.021869488526212795,
        -0.05396825396799793,
        0.13333333333333003,
        -0.3333333333333333,
    ],
};

/// `(arsinh x / x - 1) / x²` in `x²`, for numbers up to 0.5.
const ASINH: Series = Series {
    narrow: &[-0.013213942, 0.028156888, -0.044382397, 0.07498638, -0.16666643],
    wide: &[
        0.0017163666870555834,
        -0.004745162933952215,
        0.007464206151627292,
        -0.009533672811748764,
        0.011512885012889051,
        -0.013960218692082468,
        0.01735238574464913,
        -0.022372138289461187,
        0.03038194371403626,
        -0.04464285712778762,
        0.0749999999998438,
        -0.1666666666666661,
    ],
};

/// `(artanh x / x - 1) / x²` in `x²`, for numbers up to 0.3.
const ATANH: Series = Series {
    narrow: &[0.1339632, 0.14104289, 0.20005563, 0.3333328],
    wide: &[
        0.08021478585586926,
        0.05312851928437428,
        0.06729125524883377,
        0.07688243763069344,
        0.09091070739168051,
        0.11111107244486387,
        0.14285714337901387,
        0.19999999999655196,
        0.3333333333333412,
    ],
};

/// An odd function near zero, by a series in the square.
#[inline(always)]
pub(super) fn odd<M: Machine>(m: &M, x: M::Float, series: &Series) -> M::Float {
    let square = m.mul(x, x);
    m.mul_add(m.mul(x, square), m.series(square, series), x)
}

/// `e^|x| / 2` and `e^-|x| / 2`.
#[inline(always)]
fn halves<M: Machine>(m: &M, size: M::Float) -> [M::Float; 2] {
    let half = exp_scaled(m, size, -1);
    [half, m.div(m.float(0.25), half)]
}

#[inline(always)]
pub(super) fn sinh<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let [up, down] = halves(m, size);
    let y = m.where_less(size, 1.0, odd(m, size, &SINH), m.sub(up, down));
    m.binary(Binary::CopySign, y, x)
}

#[inline(always)]
pub(super) fn cosh<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let [up, down] = halves(m, m.abs(x));
    m.add(up, down)
}

#[inline(always)]
pub(super) fn tanh<M: Machine>(m: &M, x: M::Float) -> M::Float {
    // (e²ᵃ - 1) / (e²ᵃ + 1), and 1 to the last bit past the limit.
    let size = m.abs(x);
    let inside = m.at_most(size, m.pick(10.0, 22.0));
    let half = half_expm1(m, m.add(inside, inside));
    let y = m.div(half, m.add(half, m.float(1.0)));
    let y = m.where_less(size, 0.55, odd(m, size, &TANH), y);
    m.binary(Binary::CopySign, y, x)
}

/// `log(x + √(x² + unit))`, with what the sum and the root are rounded by.
#[inline(always)]
fn log_of_root<M: Machine>(m: &M, x: M::Float, unit: f64) -> M::Float {
    // From here on the unit is nothing, and the square may be too large.
    let limit = m.float(m.pick(1e12, 1e100));
    let large = m.compare(Compare::Gt, x, limit);
    let square = m.mul(x, x);
    let lost = m.mul_add(x, x, m.neg(square));
    let [sum, more] = two_sum_of_any(m, square, m.float(unit));
    let root = m.unary(Unary::Sqrt, sum);
    let rest = m.add(m.minus_product(sum, root, root), m.add(more, lost));
    let none = m.compare(Compare::Eq, root, m.float(0.0));
    let rest = m.div(m.select(none, root, rest), m.select(none, m.float(1.0), m.add(root, root)));
    let [sum, more] = if unit > 0.0 { two_sum(m, root, x) } else { two_sum(m, x, root) };
    let (sum, more) = (m.select(large, x, sum), m.select(large, m.float(0.0), m.add(more, rest)));
    log_of_sum(m, sum, more, m.select(large, m.float(1.0), m.float(0.0)))
}

#[inline(always)]
pub(super) fn asinh<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let y = m.where_less(size, 0.5, odd(m, size, &ASINH), log_of_root(m, size, 1.0));
    m.binary(Binary::CopySign, unless_infinite(m, size, y), x)
}

#[inline(always)]
pub(super) fn acosh<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let y = m.where_less(x, 1.0, m.float(f64::NAN), log_of_root(m, x, -1.0));
    unless_infinite(m, x, y)
}

/// The result, or `x` if it is infinite or NaN.
#[inline(always)]
fn unless_infinite<M: Machine>(m: &M, x: M::Float, y: M::Float) -> M::Float {
    m.where_less(x, f64::INFINITY, y, x)
}

#[inline(always)]
pub(super) fn atanh<M: Machine>(m: &M, x: M::Float) -> M::Float {
    // Half the logarithm of (1 + a) / (1 - a).
    let (size, one) = (m.abs(x), m.float(1.0));
    let [above, lost_above] = two_sum(m, one, size);
    let [below, lost_below] = two_sum(m, one, m.neg(size));
    let quotient = m.div(above, below);
    let rest = m.add(m.minus_product(above, quotient, below), m.minus_product(lost_above, quotient, lost_below));
    let y = m.mul(m.float(0.5), log_of_sum(m, quotient, m.div(rest, below), m.float(0.0)));
    let y = m.where_less(size, 0.3, odd(m, size, &ATANH), y);
    let edge = m.compare(Compare::Eq, size, one);
    let y = m.select(edge, m.float(f64::INFINITY), y);
    let outside = m.compare(Compare::Gt, size, one);
    m.binary(Binary::CopySign, m.select(outside, m.float(f64::NAN), y), x)
}
