//! Whether integers of the host overflow, as equations of a program: its ops wrap, and an operator of Rust may stop the run.

use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{Builder, Op, Var};

/// A `bool` that says whether an operator of integers on these operands gives another number than arithmetic does, given its result
/// `y`; none of what can't.
pub(crate) fn overflow(b: &mut Builder, op: &Op, x: &[Var], y: Var) -> Option<Var> {
    use Direction::{Eq, Lt, Ne};
    let dtype = b.dtype(y);
    if !dtype.is_integer() {
        return None;
    }
    let zero = b.full_like(y, 0.0);
    Some(match (op, x) {
        // The smallest number is its own negation.
        (Op::Unary(Unary::Neg), &[x]) => {
            let (same, some) = (b.compare(Eq, y, x), b.compare(Ne, x, zero));
            b.binary(Binary::And, same, some)
        }
        (Op::Binary(Binary::Add), &[x, _]) if dtype.is_unsigned() => b.compare(Lt, y, x),
        (Op::Binary(Binary::Sub), &[x, z]) if dtype.is_unsigned() => b.compare(Lt, x, z),
        // Operands of one sign, and a result of the other.
        (Op::Binary(Binary::Add), &[x, z]) => {
            let (from_x, from_z) = (b.binary(Binary::Xor, x, y), b.binary(Binary::Xor, z, y));
            let both = b.binary(Binary::And, from_x, from_z);
            b.compare(Lt, both, zero)
        }
        // Operands of two signs, and a result of the second.
        (Op::Binary(Binary::Sub), &[x, z]) => {
            let (from_z, from_y) = (b.binary(Binary::Xor, x, z), b.binary(Binary::Xor, x, y));
            let both = b.binary(Binary::And, from_z, from_y);
            b.compare(Lt, both, zero)
        }
        // The quotient is another than what was multiplied, unless the smallest number was negated.
        (Op::Binary(Binary::Mul), &[x, z]) => {
            let (one, some) = (b.full_like(y, 1.0), b.compare(Ne, x, zero));
            let by = b.select(some, x, one);
            let quotient = b.div(y, by);
            let other = b.compare(Ne, quotient, z);
            let other = b.binary(Binary::And, some, other);
            if dtype.is_unsigned() {
                return Some(other);
            }
            let minus_one = b.full_like(y, -1.0);
            let (negates, same, some) = (b.compare(Eq, x, minus_one), b.compare(Eq, y, z), b.compare(Ne, z, zero));
            let same = b.binary(Binary::And, same, some);
            let negated = b.binary(Binary::And, negates, same);
            b.binary(Binary::Or, other, negated)
        }
        _ => return None,
    })
}
