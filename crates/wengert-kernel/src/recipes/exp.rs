//! The exponential function and what is made of it.
//!
//! `x` is a whole number of `ln 2` and a rest `r` of at most half of it, so that `eˣ` is a power of two times `eʳ`.

use super::log::two_sum;
use super::machine::{Machine, Series, WHOLE};
use crate::ir::{Binary, Compare};
use std::f64::consts::LOG2_E;

/// `(eʳ - 1 - r) / r²`.
const EXP: Series = Series {
    narrow: &[1.9915226e-4, 0.0013941143, 0.008333271, 0.04166635, 0.16666667, 0.5],
    wide: &[
        2.092552684206078e-9,
        2.5109190549884248e-8,
        2.7557239526442233e-7,
        2.755724379750529e-6,
        2.4801587364007467e-5,
        0.00019841269886503967,
        0.0013888888888865267,
        0.008333333333321495,
        0.041666666666666706,
        0.16666666666666677,
        0.5,
    ],
};

/// `ln 2` in two parts, of the precision.
#[inline(always)]
pub(super) fn ln2<M: Machine>(m: &M) -> [f64; 2] {
    let narrow = [std::f32::consts::LN_2, -1.9046542e-9].map(f64::from);
    m.pick(narrow, [std::f64::consts::LN_2, 2.3190468138462996e-17])
}

/// What a number, and a small one beside it, are made of.
struct Reduced<M: Machine> {
    /// `eʳ - 1` for the rest.
    rest: M::Float,
    /// The whole number.
    whole: M::Float,
    /// Bits whose lowest ones are the whole number.
    bits: M::Int,
}

#[inline(always)]
fn reduced<M: Machine>(m: &M, x: M::Float, more: Option<M::Float>) -> Reduced<M> {
    let magic = m.float(m.pick(WHOLE.0, WHOLE.1));
    let sum = m.mul_add(x, m.float(LOG2_E), magic);
    let whole = m.sub(sum, magic);
    let [high, low] = ln2(m);
    // The first part is exact. The second one is added last, so that its rounding is that of a small number.
    let first = m.mul_add(whole, m.float(-high), x);
    let second = match more {
        Some(more) => m.mul_add(whole, m.float(-low), more),
        None => m.mul(whole, m.float(-low)),
    };
    let r = m.add(first, second);
    let square = m.mul(r, r);
    let series = m.series_by(r, square, &EXP);
    Reduced { rest: m.add(first, m.mul_add(square, series, second)), whole, bits: m.bits(sum) }
}

/// Two to the power of the lowest bits and `more`.
#[inline(always)]
pub(super) fn power_of_two<M: Machine>(m: &M, whole: M::Int, more: i64) -> M::Float {
    let shifted = m.integers(Binary::Shl, whole, m.int(m.place()));
    m.of_bits(m.integers(Binary::Add, shifted, m.int(m.bits_of(1.0) + (more << m.place()))))
}

/// A number, or the nearest one whose exponential is zero or too large.
#[inline(always)]
fn limited<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let limit = m.pick(105.0, 747.0);
    m.at_least(m.at_most(x, limit), -limit)
}

/// `eˣ · 2ᵏ` for small `k`.
#[inline(always)]
pub(super) fn exp_scaled<M: Machine>(m: &M, x: M::Float, k: i64) -> M::Float {
    let x = reduced(m, limited(m, x), None);
    let power = if k == 0 { x.whole } else { m.add(x.whole, m.float(k as f64)) };
    m.scale(m.add(m.float(1.0), x.rest), power)
}

/// `e` to the power of a number and a small one.
#[inline(always)]
pub(super) fn exp_of_sum<M: Machine>(m: &M, x: M::Float, more: M::Float) -> M::Float {
    let x = reduced(m, limited(m, x), Some(more));
    m.scale(m.add(m.float(1.0), x.rest), x.whole)
}

/// `eˣ · 2ᵏ` for small `k`, and what it was rounded by.
#[inline(always)]
pub(super) fn exp_in_parts<M: Machine>(m: &M, x: M::Float, k: i64) -> [M::Float; 2] {
    let x = reduced(m, limited(m, x), None);
    // Two factors, one after the other: `eˣ` may be subnormal, or only `eˣ · 2ᵏ` be finite.
    let half = m.integers(Binary::ShrLogical, x.bits, m.int(1));
    let other = m.integers(Binary::Sub, x.bits, half);
    let [first, second] = [power_of_two(m, half, 0), power_of_two(m, other, k)];
    two_sum(m, m.float(1.0), x.rest).map(|part| m.mul(m.mul(part, first), second))
}

#[inline(always)]
pub(super) fn exp<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let parts = reduced(m, limited(m, x), None);
    // What rounds to zero is zero from the start: machines take many times as long for a product that is too small.
    let is_zero = m.compare(Compare::Lt, x, m.float(m.pick(-104.0, -745.2)));
    let size = m.select(is_zero, m.float(0.0), m.add(m.float(1.0), parts.rest));
    m.scale(size, parts.whole)
}

/// `(eˣ - 1) / 2`, where that is not much less than `-1 / 2` nor too large.
#[inline(always)]
pub(super) fn half_expm1<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let x = reduced(m, x, None);
    let power = power_of_two(m, x.bits, -1);
    m.mul_add(power, x.rest, m.sub(power, m.float(0.5)))
}

#[inline(always)]
pub(super) fn expm1<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let inside = m.at_least(m.at_most(x, m.pick(89.0, 710.0)), m.pick(-30.0, -50.0));
    let half = half_expm1(m, inside);
    m.where_less(m.abs(x), m.pick(1e-8, 1e-17), x, m.add(half, half))
}

#[inline(always)]
pub(super) fn logistic<M: Machine>(m: &M, x: M::Float) -> M::Float {
    // Of `-|x|`, so that nothing is too large, and what is small stays exact.
    let (small, one) = (exp(m, m.neg(m.abs(x))), m.float(1.0));
    let below = m.compare(Compare::Lt, x, m.float(0.0));
    let sum = m.add(one, small);
    let quotient = m.div(m.select(below, small, one), sum);
    // Without what the sum was rounded by.
    let lost = m.sub(small, m.sub(sum, one));
    m.minus_product(quotient, quotient, lost)
}
