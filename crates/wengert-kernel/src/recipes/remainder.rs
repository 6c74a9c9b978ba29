//! The remainder of a division, which is exact.

use super::machine::{Machine, RarePair};
use crate::ir::{Binary, Compare, Unary};

/// Functions of the numbers that a recipe has nothing for.
mod far {
    pub(super) extern "C" fn narrow(x: f32, y: f32) -> f32 {
        x % y
    }
    pub(super) extern "C" fn wide(x: f64, y: f64) -> f64 {
        x % y
    }
}

/// `x - y · q`, where `q` is `x / y` without its fraction; it has the sign of `x`.
///
/// A quotient that a float holds without its fraction is rounded up to the next whole number at most. The dividend less so
/// many divisors has no digit below those of the divisor and is not larger than it, so that it is exact; and so is the sum
/// with one divisor, where that was one too many. Larger quotients are left to a function.
#[inline(always)]
pub(super) fn rem<M: Machine>(m: &M, x: M::Float, y: M::Float) -> M::Float {
    let [size, by] = [x, y].map(|v| m.abs(v));
    let quotient = m.unary(Unary::Floor, m.div(size, by));
    let rest = m.minus_product(size, quotient, by);
    let rest = m.where_less(rest, 0.0, m.add(rest, by), rest);
    // What is less than the divisor stays, an infinite one too.
    let less = m.compare(Compare::Lt, size, by);
    let rest = m.binary(Binary::CopySign, m.select(less, size, rest), x);
    let far = m.compare(Compare::Ge, quotient, m.float(m.pick(16_777_216.0, 9_007_199_254_740_992.0)));
    m.call_pair_where(&RarePair { narrow: far::narrow, wide: far::wide }, far, [x, y], rest)
}
