//! Elementwise ops on element types that compilers know less of: unsigned signs, parts of reals, complex extremes and
//! conversions. Functions that need a series are in `special`.

use crate::{program, special};
use wengert_core::ops::{Binary, Convert, Direction, Unary};
use wengert_core::{DType, Program, Type};

pub(crate) fn unary(op: Unary, ty: &Type) -> Option<Program> {
    Some(match op {
        Unary::Real if !ty.dtype.is_complex() => program([ty], |_, x| x.to_vec()),
        Unary::Imag if !ty.dtype.is_complex() => program([ty], |b, _| vec![b.zeros(ty)]),
        Unary::Sign if ty.dtype.is_unsigned() => unsigned_sign(ty),
        Unary::BesselI0e => special::bessel_i0e(ty),
        _ => return None,
    })
}

pub(crate) fn binary(op: Binary, ty: &Type) -> Option<Program> {
    match op {
        Binary::Max | Binary::Min if ty.dtype.is_complex() => Some(complex_extreme(op, ty)),
        _ => None,
    }
}

/// Complex numbers are true unless zero, and give their real part else.
pub(crate) fn convert(op: &Convert, ty: &Type) -> Option<Program> {
    if !ty.dtype.is_complex() || op.dtype.is_complex() {
        return None;
    }
    Some(program([ty], |b, x| {
        if op.dtype == DType::Bool {
            let zero = b.zeros(ty);
            return vec![b.compare(Direction::Ne, x[0], zero)];
        }
        let part = b.unary(Unary::Real, x[0]);
        vec![b.convert(part, op.dtype)]
    }))
}

/// Zero or one.
fn unsigned_sign(ty: &Type) -> Program {
    program([ty], |b, x| {
        let one = b.full_like(x[0], 1.0);
        vec![b.binary(Binary::Min, x[0], one)]
    })
}

/// The larger or smaller of two complex numbers: by real parts, and by imaginary parts where those are equal.
fn complex_extreme(op: Binary, ty: &Type) -> Program {
    let direction = if op == Binary::Max { Direction::Gt } else { Direction::Lt };
    program([ty, ty], |b, x| {
        let [re, im] = [Unary::Real, Unary::Imag].map(|part| [b.unary(part, x[0]), b.unary(part, x[1])]);
        let equal = b.compare(Direction::Eq, re[0], re[1]);
        let first = b.compare(direction, re[0], re[1]);
        let second = b.compare(direction, im[0], im[1]);
        let left = b.select(equal, second, first);
        vec![b.select(left, x[0], x[1])]
    })
}
