//! Logarithms. A number is a power of two times one between √½ and √2, whose logarithm is a polynomial.

use super::exp::ln2;
use super::machine::{Machine, Series};
use crate::ir::{Binary, Compare};
use std::f64::consts::FRAC_1_SQRT_2;

/// `(log(1 + f) - f + f²/2) / f³`.
const LOG: Series = Series {
    narrow: &[
        0.041451775,
        -0.10289377,
        0.123113826,
        -0.12671067,
        0.14198102,
        -0.16651917,
        0.20002502,
        -0.25000307,
        0.3333331,
    ],
    wide: &[
        -0.02498102092977795,
        0.05789332082477815,
        -0.06287054841061805,
        0.053844443019480076,
        -0.05315281658391585,
        0.05821812196378647,
        -0.06272125087088605,
        0.06674943040961176,
        -0.07141767716074512,
        0.07691712562183022,
        -0.08333359061257817,
        0.09090934218523962,
        -0.09999999933720026,
        0.11111110482395778,
        -0.12499999990700443,
        0.14285714294548413,
        -0.166666666668287,
        0.19999999999939488,
        -0.2499999999999924,
        0.33333333333333476,
    ],
};

/// A positive normal number as a power of two times one between √½ and √2.
pub(super) struct Split<M: Machine> {
    /// The exponent, with the bias of the type.
    pub biased: M::Int,
    /// The number between, less one.
    pub fraction: M::Float,
}

#[inline(always)]
pub(super) fn split<M: Machine>(m: &M, x: M::Float) -> Split<M> {
    let root = m.bits_of(FRAC_1_SQRT_2);
    let moved = m.integers(Binary::Add, m.bits(x), m.int(m.bits_of(1.0) - root));
    let biased = m.integers(Binary::ShrLogical, moved, m.int(m.place()));
    let low = m.integers(Binary::And, moved, m.int((1 << m.place()) - 1));
    let between = m.of_bits(m.integers(Binary::Add, low, m.int(root)));
    Split { biased, fraction: m.sub(between, m.float(1.0)) }
}

/// The exponent without its bias; less by a number where a condition holds.
#[inline(always)]
pub(super) fn exponent<M: Machine>(m: &M, biased: M::Int, tiny: Option<(M::Bool, f64)>) -> M::Float {
    // Beside the bits of this number, those of the exponent count ones.
    let ones = m.pick(8_388_608.0, 4_503_599_627_370_496.0);
    let bias = ones + m.pick(127.0, 1023.0);
    let sum = m.of_bits(m.integers(Binary::Or, biased, m.int(m.bits_of(ones))));
    let bias = match tiny {
        Some((tiny, scaled)) => m.select(tiny, m.float(bias + scaled), m.float(bias)),
        None => m.float(bias),
    };
    m.sub(sum, bias)
}

/// The logarithm of `(1 + f) · 2ᵉ`.
#[inline(always)]
fn combined<M: Machine>(m: &M, f: M::Float, e: M::Float) -> M::Float {
    let square = m.mul(f, f);
    let [high, low] = ln2(m);
    let cubic = m.mul_add(m.mul(f, square), m.series(f, &LOG), m.mul(e, m.float(low)));
    let rest = m.minus_product(cubic, m.float(0.5), square);
    m.mul_add(e, m.float(high), m.add(f, rest))
}

/// The result, but for what is not positive, infinity and NaN: `edge` is where the logarithm is the negative infinity.
#[inline(always)]
fn with_edges<M: Machine>(m: &M, x: M::Float, edge: f64, y: M::Float) -> M::Float {
    let (edge, infinity) = (m.float(edge), m.float(f64::INFINITY));
    let at_edge = m.compare(Compare::Eq, x, edge);
    let below = m.select(at_edge, m.float(f64::NEG_INFINITY), m.float(f64::NAN));
    let inside = m.compare(Compare::Gt, x, edge);
    let y = m.select(inside, y, below);
    let finite = m.compare(Compare::Lt, x, infinity);
    m.select(finite, y, x)
}

#[inline(always)]
pub(super) fn log<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (least, scaled) = m.pick((f32::MIN_POSITIVE as f64, 24), (f64::MIN_POSITIVE, 54));
    let up = m.mul(x, m.float((1u64 << scaled) as f64));
    let tiny = m.compare(Compare::Lt, x, m.float(least));
    let normal = m.select(tiny, up, x);
    let e = split(m, normal);
    let y = combined(m, e.fraction, exponent(m, e.biased, Some((tiny, scaled as f64))));
    with_edges(m, x, 0.0, y)
}

/// A sum, and what it was rounded by. The first number is not the smaller one.
#[inline(always)]
pub(super) fn two_sum<M: Machine>(m: &M, large: M::Float, small: M::Float) -> [M::Float; 2] {
    let sum = m.add(large, small);
    [sum, m.sub(small, m.sub(sum, large))]
}

/// A sum, and what it was rounded by, of any two numbers.
#[inline(always)]
pub(super) fn two_sum_of_any<M: Machine>(m: &M, x: M::Float, y: M::Float) -> [M::Float; 2] {
    let sum = m.add(x, y);
    let of_y = m.sub(sum, x);
    [sum, m.add(m.sub(x, m.sub(sum, of_y)), m.sub(y, of_y))]
}

/// The logarithm of `(x + more) · 2ᵏ`, where `x` is positive and normal, and `more` at most about its last bit.
#[inline(always)]
pub(super) fn log_of_sum<M: Machine>(m: &M, x: M::Float, more: M::Float, k: M::Float) -> M::Float {
    let e = split(m, x);
    // In the scale of the fraction `more` is its half times two to 1 - k, which is 0 for the largest numbers.
    let turned = m.integers(Binary::Sub, m.int(m.pick(255, 2047)), e.biased);
    let scale = m.of_bits(m.integers(Binary::Shl, turned, m.int(m.place())));
    let f = m.mul_add(m.mul(more, m.float(0.5)), scale, e.fraction);
    combined(m, f, m.add(exponent(m, e.biased, None), k))
}

#[inline(always)]
pub(super) fn log1p<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let one = m.float(1.0);
    let larger = m.compare(Compare::Gt, m.abs(x), one);
    let [sum, more] = two_sum(m, m.select(larger, x, one), m.select(larger, one, x));
    let y = log_of_sum(m, sum, more, m.float(0.0));
    let y = with_edges(m, x, -1.0, y);
    m.where_less(m.abs(x), m.pick(1e-8, 1e-17), x, y)
}
