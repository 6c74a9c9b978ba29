//! Elementwise ops of several operands and conversions, mostly on complex numbers, of which compilers know less.

use crate::program;
use wengert_core::ops::{Binary, Bitcast, Combiner, Convert, Direction, Iota, Unary};
use wengert_core::{Builder, DType, Program, Shape, Type};

pub(crate) fn binary(op: Binary, ty: &Type) -> Option<Program> {
    match op {
        Binary::Max | Binary::Min if ty.dtype.is_complex() => Some(complex_extreme(op, ty)),
        _ => None,
    }
}

/// A product and a sum: who compiles them may round once, as the op does.
pub(crate) fn mul_add(ty: &Type) -> Program {
    program([ty, ty, ty], |b, x| {
        let product = b.mul(x[0], x[1]);
        vec![b.add(product, x[2])]
    })
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

/// Bools as the bits of a number, the lowest first, and the other way round.
pub(crate) fn bitcast(op: &Bitcast, ty: &Type) -> Option<Program> {
    let (from, to) = (ty.dtype, op.dtype);
    if (from == DType::Bool) == (to == DType::Bool) {
        return None;
    }
    let word = match from.bits().max(to.bits()) {
        8 => DType::U8,
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    };
    Some(program([ty], |b, x| {
        let bits = |b: &mut Builder, shape: &Shape| {
            b.one(Iota { ty: Type::new(word, shape.clone()), dim: shape.rank() - 1 }, &[])
        };
        if from == DType::Bool {
            let shape = ty.shape.clone();
            let (ones, places) = (b.convert(x[0], word), bits(b, &shape));
            let set = b.binary(Binary::Shl, ones, places);
            let sum = b.reduce(Combiner::Add, set, &[shape.rank() - 1]);
            return vec![if to == word { sum } else { b.one(Bitcast { dtype: to }, &[sum]) }];
        }
        let whole = if from == word { x[0] } else { b.one(Bitcast { dtype: word }, &[x[0]]) };
        let mut shape = ty.shape.clone();
        let kept: Vec<usize> = (0..shape.rank()).collect();
        shape.0.push(word.bits());
        let (whole, places) = (b.broadcast(whole, &shape, &kept), bits(b, &shape));
        let shifted = b.binary(Binary::ShrLogical, whole, places);
        let one = b.full_like(shifted, 1.0);
        let bit = b.binary(Binary::And, shifted, one);
        vec![b.compare(Direction::Eq, bit, one)]
    }))
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
