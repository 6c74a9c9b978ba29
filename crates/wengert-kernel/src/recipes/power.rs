//! Powers and roots.

use super::exp::{exp, exp_of_sum, power_of_two};
use super::log::{exponent, log, log_in_parts, split};
use super::machine::{Machine, Series};
use crate::ir::{Binary, Compare, Unary};

/// One over the cube root, for numbers between √½ and √2, to half of the digits.
const CBRT: Series = Series {
    narrow: &[0.13060029, -0.71185106, 1.5760838, -1.8718852, 1.8770322],
    wide: &[
        -0.06679925055594114,
        0.7100675675224708,
        -3.3823421259604807,
        9.515486270206816,
        -17.535148496244624,
        22.181460467492016,
        -19.62760787016374,
        12.187539429008217,
        -5.371557892205625,
        2.3889019015127904,
    ],
};

#[inline(always)]
pub(super) fn cbrt<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    // Subnormal numbers are scaled up by a cube.
    let (least, scaled) = m.pick((f32::MIN_POSITIVE as f64, 24), (f64::MIN_POSITIVE, 54));
    let tiny = m.compare(Compare::Lt, size, m.float(least));
    let normal = m.select(tiny, m.mul(size, m.float((1u64 << scaled) as f64)), size);
    let parts = split(m, normal);
    let e = exponent(m, parts.biased, None);
    // The exponent is three times a whole number and -1, 0 or 1.
    let magic = m.float(m.pick(12_582_912.0, 6_755_399_441_055_744.0));
    let sum = m.mul_add(e, m.float(1.0 / 3.0), magic);
    let rest = m.minus_product(e, m.sub(sum, magic), m.float(3.0));
    let between = m.add(parts.fraction, m.float(1.0));
    let inverse = m.series(between, &CBRT);
    let below = m.compare(Compare::Lt, rest, m.float(0.0));
    let above = m.compare(Compare::Gt, rest, m.float(0.0));
    let root = 1.259_921_049_894_873_2;
    let factor = m.select(above, m.float(1.0 / root), m.float(1.0));
    let factor = m.select(below, m.float(root), factor);
    let inverse = m.mul(inverse, factor);
    let power = m.select(above, m.float(2.0), m.float(1.0));
    let power = m.select(below, m.float(0.5), power);
    let a = m.mul(between, power);
    // Newton's step for one over the root, then one for the root itself.
    let cube = m.mul(m.mul(inverse, inverse), inverse);
    let off = m.minus_product(m.float(1.0), a, cube);
    let inverse = m.mul_add(m.mul(inverse, m.float(1.0 / 3.0)), off, inverse);
    let square = m.mul(inverse, inverse);
    let y = m.mul(a, square);
    let off = m.minus_product(a, m.mul(y, y), y);
    let y = m.mul_add(m.mul(off, m.float(1.0 / 3.0)), square, y);
    let y = m.mul(y, power_of_two(m, m.bits(sum), 0));
    let y = m.select(tiny, m.mul(y, m.float(1.0 / (1u64 << (scaled / 3)) as f64)), y);
    // Zeros, infinities and NaN are their own roots.
    let y = m.where_less(size, f64::INFINITY, y, x);
    let none = m.compare(Compare::Eq, x, m.float(0.0));
    m.binary(Binary::CopySign, m.select(none, x, y), x)
}

/// `xʸ`, with as many digits as the logarithm of `x` has after those of the power: of `f32`, computed in `f64`, all.
#[inline(always)]
pub(super) fn pow<M: Machine>(m: &M, x: M::Float, y: M::Float) -> M::Float {
    let size = m.abs(x);
    let exponent = m.mul(y, log(m, size));
    with_sign(m, x, y, exp(m, unless_one(m, size, exponent)))
}

/// `xʸ` of `f64`: the logarithm and its product with `y` are sums of two numbers each.
#[inline(always)]
pub(super) fn pow_long<M: Machine>(m: &M, x: M::Float, y: M::Float) -> M::Float {
    let size = m.abs(x);
    let [high, low] = log_in_parts(m, size);
    let exponent = m.mul(y, high);
    let more = m.mul_add(y, low, m.mul_add(y, high, m.neg(exponent)));
    // Beyond these exponents, the rest counts nothing, and may be no number.
    let more = m.where_less(m.abs(exponent), 800.0, more, m.float(0.0));
    with_sign(m, x, y, exp_of_sum(m, unless_one(m, size, exponent), more))
}

/// The exponent of a power; of one, whatever the power, even infinite or NaN, it is zero.
#[inline(always)]
fn unless_one<M: Machine>(m: &M, size: M::Float, exponent: M::Float) -> M::Float {
    m.select(m.compare(Compare::Eq, size, m.float(1.0)), m.float(0.0), exponent)
}

/// `xʸ`, by the power of the size of `x`.
#[inline(always)]
fn with_sign<M: Machine>(m: &M, x: M::Float, y: M::Float, power: M::Float) -> M::Float {
    let (size, zero, one) = (m.abs(x), m.float(0.0), m.float(1.0));
    // Of negative numbers: odd powers are negative, and those that are not whole are not real.
    let half = m.mul(y, m.float(0.5));
    let even = m.compare(Compare::Eq, m.unary(Unary::Floor, half), half);
    let signed = m.select(even, power, m.binary(Binary::CopySign, power, x));
    let whole = m.compare(Compare::Eq, m.unary(Unary::Floor, y), y);
    // Zero and infinity have powers that are not whole, which are positive.
    let finite = m.compare(Compare::Lt, size, m.float(f64::INFINITY));
    let no_number = m.select(finite, m.float(f64::NAN), power);
    let negative = m.compare(Compare::Lt, x, zero);
    let none = m.select(negative, no_number, power);
    let result = m.select(whole, signed, none);
    let no_power = m.compare(Compare::Eq, y, zero);
    m.select(no_power, one, result)
}
