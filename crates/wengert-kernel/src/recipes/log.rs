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

/// `(atanh(s)/s - 1 - z/3) / z²` in `z = s²`, for `z` up to 0.03.
const ATANH: [f64; 11] = [
    1.0 / 25.0,
    1.0 / 23.0,
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
];
/// A third, and what it was rounded by.
const THIRD: [f64; 2] = [1.0 / 3.0, 1.850371707708594e-17];
/// `ln 2` in two parts, the first of which has few enough bits that its products with exponents are exact.
const LN2: [f64; 2] = [0.6931471803691238, 1.9082149292705877e-10];

/// The logarithm of a number that is not negative, of `f64`, in two parts: with ten more bits than one number has.
///
/// That of a number `1 + f` between √½ and √2 is `2 atanh(s)`, `s = f / (2 + f)`. What counts of the series, `s` and its first
/// coefficient, are two numbers each.
#[inline(always)]
pub(super) fn log_in_parts<M: Machine>(m: &M, x: M::Float) -> [M::Float; 2] {
    let tiny = m.compare(Compare::Lt, x, m.float(f64::MIN_POSITIVE));
    let normal = m.select(tiny, m.mul(x, m.float((1u64 << 54) as f64)), x);
    let parts = split(m, normal);
    let e = exponent(m, parts.biased, Some((tiny, 54.0)));
    let f = parts.fraction;
    let [sum, sum_low] = two_sum(m, m.float(2.0), f);
    let inverse = m.div(m.float(1.0), sum);
    let s = m.mul(f, inverse);
    let rest = m.minus_product(m.minus_product(f, s, sum), s, sum_low);
    let s_low = m.mul(rest, inverse);
    let z = m.mul(s, s);
    let z_low = m.mul_add(m.add(s, s), s_low, m.mul_add(s, s, m.neg(z)));
    // The series after its first 1: `z` times a third and more.
    let more = m.mul(z, m.polynomial(z, ATANH.len(), |i| ATANH[i]));
    let [w, w_low] = two_sum(m, m.float(THIRD[0]), more);
    let w_low = m.add(w_low, m.float(THIRD[1]));
    let v = m.mul(z, w);
    let v_low = m.mul_add(z_low, w, m.mul_add(z, w_low, m.mul_add(z, w, m.neg(v))));
    let t = m.mul(s, v);
    let t_low = m.mul_add(s_low, v, m.mul_add(s, v_low, m.mul_add(s, v, m.neg(t))));
    let [a, a_low] = two_sum(m, s, t);
    let a_low = m.add(m.add(a_low, t_low), s_low);
    let [sum, sum_low] = two_sum(m, m.mul(e, m.float(LN2[0])), m.add(a, a));
    let low = m.mul_add(e, m.float(LN2[1]), m.add(sum_low, m.add(a_low, a_low)));
    let [high, low] = two_sum(m, sum, low);
    // Zero, infinity and NaN have no second part.
    let inside = m.compare(Compare::Gt, x, m.float(0.0));
    let finite = m.compare(Compare::Lt, x, m.float(f64::INFINITY));
    let low = m.select(inside, m.select(finite, low, m.float(0.0)), m.float(0.0));
    let high = m.select(m.compare(Compare::Eq, x, m.float(0.0)), m.float(f64::NEG_INFINITY), high);
    [m.select(finite, high, x), low]
}
