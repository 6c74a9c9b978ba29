//! Elementwise ops of one operand that compilers know less of: signs of unsigned integers, parts of reals, a Bessel
//! function by its series.

use crate::program;
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{Builder, DType, Program, Type, Var};
use wengert_kernel::recipes::series;

pub(crate) fn unary(op: Unary, ty: &Type) -> Option<Program> {
    Some(match op {
        Unary::Real if !ty.dtype.is_complex() => program([ty], |_, x| x.to_vec()),
        Unary::Imag if !ty.dtype.is_complex() => program([ty], |b, _| vec![b.zeros(ty)]),
        Unary::Sign if ty.dtype.is_unsigned() => unsigned_sign(ty),
        Unary::BesselI0e => bessel_i0e(ty),
        _ => return None,
    })
}

/// Zero or one.
fn unsigned_sign(ty: &Type) -> Program {
    program([ty], |b, x| {
        let one = b.full_like(x[0], 1.0);
        vec![b.binary(Binary::Min, x[0], one)]
    })
}

/// The Bessel function by its two series.
fn bessel_i0e(ty: &Type) -> Program {
    let wide = ty.with_dtype(if ty.dtype == DType::F64 { DType::F64 } else { DType::F32 });
    program([ty], |b, x| {
        let x = b.convert(x[0], wide.dtype);
        let a = b.unary(Unary::Abs, x);
        let quarter = b.scale(a, 0.25);
        let inner = b.offset(quarter, -1.0);
        let small = chebyshev(b, &series::I0E_SMALL, inner);
        let sixteen = b.full(&wide, 16.0);
        let inverse = b.div(sixteen, a);
        let outer = b.offset(inverse, -1.0);
        let large = chebyshev(b, &series::I0E_LARGE, outer);
        let root = b.unary(Unary::Sqrt, a);
        let large = b.div(large, root);
        let eight = b.full(&wide, 8.0);
        let near = b.compare(Direction::Le, a, eight);
        let y = b.select(near, small, large);
        vec![b.convert(y, ty.dtype)]
    })
}

/// `c₀/2 + Σ cᵢ Tᵢ(x)`, from the last term.
fn chebyshev(b: &mut Builder, c: &[f64], x: Var) -> Var {
    let twice = b.scale(x, 2.0);
    let (mut last, mut before) = (b.full_like(x, 0.0), b.full_like(x, 0.0));
    for &c in c[1..].iter().rev() {
        let next = b.mul(twice, last);
        let next = b.sub(next, before);
        (before, last) = (last, b.offset(next, c));
    }
    let y = b.mul(x, last);
    let y = b.sub(y, before);
    b.offset(y, c[0] / 2.0)
}
