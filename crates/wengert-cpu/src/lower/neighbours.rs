//! Numbers near a float: the nearest whole one, and the next float in a direction.

use super::elementwise::constant;
use wengert_kernel::{Binary, Builder, Compare, Kind, Unary, Value};

/// The nearest whole number; halves go away from zero.
pub(super) fn round(b: &mut Builder, x: Value) -> Value {
    let kind = b.kind(x);
    let size = b.unary(Unary::Abs, x);
    let below = b.unary(Unary::Floor, size);
    let rest = b.binary(Binary::Sub, size, below);
    let (half, one) = (constant(b, kind, 0.5), constant(b, kind, 1.0));
    let above = b.binary(Binary::Add, below, one);
    let is_above = b.compare(Compare::Ge, rest, half);
    let nearest = b.select(is_above, above, below);
    b.binary(Binary::CopySign, nearest, x)
}

/// The next float after `x` in the direction of `to`.
pub(super) fn nextafter(b: &mut Builder, x: Value, to: Value) -> Value {
    let kind = b.kind(x);
    let word = if kind == Kind::F32 { Kind::I32 } else { Kind::I64 };
    let zero = constant(b, kind, 0.0);
    // Numbers of one sign have the order of their bits.
    let below = b.compare(Compare::Lt, x, to);
    let positive = b.compare(Compare::Gt, x, zero);
    let shrinks = b.binary(Binary::Xor, below, positive);
    let (bits, one) = (b.bitcast(x, word), b.constant(word, 1));
    let (more, less) = (b.binary(Binary::Add, bits, one), b.binary(Binary::Sub, bits, one));
    let stepped = b.select(shrinks, less, more);
    let stepped = b.bitcast(stepped, kind);
    let least = b.constant(kind, 1);
    let least = b.binary(Binary::CopySign, least, to);
    let is_zero = b.compare(Compare::Eq, x, zero);
    let y = b.select(is_zero, least, stepped);
    let is_there = b.compare(Compare::Eq, x, to);
    let y = b.select(is_there, to, y);
    // A sum with NaN is NaN.
    let sum = b.binary(Binary::Add, x, to);
    let [no_number, no_direction] = [x, to].map(|v| b.compare(Compare::Ne, v, v));
    let neither = b.binary(Binary::Or, no_number, no_direction);
    b.select(neither, sum, y)
}
