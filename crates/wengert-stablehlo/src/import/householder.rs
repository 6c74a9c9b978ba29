//! Householder's factorization of one matrix as LAPACK stores it: reflections `1 - tau·v·vᴴ`, their `v` under the
//! diagonal of `r`, where each has a 1 that is not stored. Written with ordinary ops, so it has derivatives.

use super::custom_call::count;
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Dims, Program, Type, Var};

/// `x` along `dim` of a matrix of this shape.
fn spread(b: &mut Builder, x: Var, like: Var, dim: usize) -> Var {
    let shape = b.shape(like).clone();
    b.broadcast(x, &shape, &[dim])
}

/// A scalar over the shape of another variable.
fn spread_scalar(b: &mut Builder, x: Var, like: Var) -> Var {
    let shape = b.shape(like).clone();
    b.broadcast(x, &shape, &[])
}

fn conj(b: &mut Builder, x: Var) -> Var {
    if b.dtype(x).is_complex() { b.unary(Unary::Conj, x) } else { x }
}

/// How the numbers of an axis compare with one of them.
fn which(b: &mut Builder, n: usize, direction: Direction, j: Var) -> Var {
    let numbers = count(b, n);
    let j = spread_scalar(b, j, numbers);
    b.compare(direction, numbers, j)
}

/// `a - scale·v·(vᴴ·a)`.
fn reflect(b: &mut Builder, a: Var, v: Var, scale: Var) -> Var {
    let vh = conj(b, v);
    let first: (Dims, Dims) = ([0].as_slice().into(), [0].as_slice().into());
    let row = b.one(DotGeneral { contract: first, batch: Default::default() }, &[vh, a]);
    let (v, row) = (spread(b, v, a, 0), spread(b, row, a, 1));
    let scale = spread_scalar(b, scale, a);
    let change = b.mul(v, row);
    let change = b.mul(scale, change);
    b.sub(a, change)
}

/// From a matrix to its reflections and `r` in one, and the `tau` of each.
pub(super) fn factor(ty: &Type) -> Program {
    let (m, n) = (ty.shape[0], ty.shape[1]);
    let mut b = Builder::new();
    let a = b.input(ty.clone());
    let steps = count(&mut b, m.min(n));
    let body = Arc::new(factor_step(ty, m, n));
    let y = b.push(Scan { length: m.min(n), consts: 0, carries: 1, reverse: false, body }, &[a, steps]);
    b.finish(&y).with_name("geqrf")
}

fn factor_step(ty: &Type, m: usize, n: usize) -> Program {
    let mut b = Builder::new();
    let (a, j) = (b.input(ty.clone()), b.input(Type::scalar(DType::I32)));
    let zero = b.zeros(&Type::scalar(DType::I32));
    let column = b.dynamic_slice(a, &[zero, j], &[m, 1]);
    let column = b.reshape(column, &[m].into());
    let (here, below) = (which(&mut b, m, Direction::Eq, j), which(&mut b, m, Direction::Gt, j));
    let nothing = b.full_like(column, 0.0);
    let only = |b: &mut Builder, mask: Var| b.select(mask, column, nothing);
    let alpha = only(&mut b, here);
    let alpha = b.sum(alpha, &[0]);
    let rest = only(&mut b, below);
    let squares = conj(&mut b, rest);
    let squares = b.mul(rest, squares);
    let real = |b: &mut Builder, x: Var| if b.dtype(x).is_complex() { b.unary(Unary::Real, x) } else { x };
    let squares = real(&mut b, squares);
    let tail = b.sum(squares, &[0]);
    let size = conj(&mut b, alpha);
    let size = b.mul(alpha, size);
    let size = real(&mut b, size);
    let size = b.add(size, tail);
    // Nothing to reflect: `tau` is zero, and what is divided by is 1.
    let flat = b.full_like(tail, 0.0);
    let mut done = b.compare(Direction::Eq, tail, flat);
    if ty.dtype.is_complex() {
        let imag = b.unary(Unary::Imag, alpha);
        let is_real = b.compare(Direction::Eq, imag, flat);
        done = b.binary(Binary::And, done, is_real);
    }
    let one = b.full_like(size, 1.0);
    let size = b.select(done, one, size);
    let norm = b.unary(Unary::Sqrt, size);
    let alpha_real = real(&mut b, alpha);
    let negative = b.compare(Direction::Lt, alpha_real, flat);
    let opposite = b.neg(norm);
    let beta = b.select(negative, norm, opposite);
    let beta = b.convert(beta, ty.dtype);
    let tau = b.sub(beta, alpha);
    let tau = b.div(tau, beta);
    let none = b.full_like(tau, 0.0);
    let tau = b.select(done, none, tau);
    let divisor = b.sub(alpha, beta);
    let unit = b.full_like(divisor, 1.0);
    let divisor = b.select(done, unit, divisor);
    let divisor = spread_scalar(&mut b, divisor, rest);
    let rest = b.div(rest, divisor);
    let ones = b.full_like(rest, 1.0);
    let v = b.select(here, ones, rest);
    let scale = conj(&mut b, tau);
    let reflected = reflect(&mut b, a, v, scale);
    // Columns after this one are reflected; this one holds the new diagonal, and `v` under it.
    let beta = b.select(done, alpha, beta);
    let beta = spread_scalar(&mut b, beta, column);
    let stored = b.select(below, rest, column);
    let stored = b.select(here, beta, stored);
    let stored = spread(&mut b, stored, a, 0);
    let (after, this) = (which(&mut b, n, Direction::Gt, j), which(&mut b, n, Direction::Eq, j));
    let (after, this) = (spread(&mut b, after, a, 1), spread(&mut b, this, a, 1));
    let next = b.select(after, reflected, a);
    let next = b.select(this, stored, next);
    b.finish(&[next, tau])
}

/// The product of reflections, given as they are stored with the `tau` of each, and a matrix; or of their adjoint.
fn reflections(b: &mut Builder, a: Var, taus: Var, start: Var, adjoint: bool) -> Var {
    let (m, k, ty) = (b.shape(a)[0], b.shape(taus)[0], b.ty(start).clone());
    let rows = b.transpose(a, &[1, 0]);
    let vectors = b.slice_axis(rows, 0, 0, k);
    let steps = count(b, k);
    let mut step = Builder::new();
    let x = [ty.clone(), Type::scalar(DType::I32), Type::scalar(ty.dtype), Type::new(ty.dtype, [m])];
    let x = step.inputs(&x);
    let (here, below) = (which(&mut step, m, Direction::Eq, x[1]), which(&mut step, m, Direction::Gt, x[1]));
    let (zeros, ones) = (step.full_like(x[3], 0.0), step.full_like(x[3], 1.0));
    let v = step.select(below, x[3], zeros);
    let v = step.select(here, ones, v);
    let scale = if adjoint { conj(&mut step, x[2]) } else { x[2] };
    let y = reflect(&mut step, x[0], v, scale);
    let body = Arc::new(step.finish(&[y]));
    let scan = Scan { length: k, consts: 0, carries: 1, reverse: !adjoint, body };
    b.one(scan, &[start, steps, taus, vectors])
}

/// From reflections as they are stored, and the `tau` of each, to the first columns of their product.
pub(super) fn product(ty: &Type, taus: &Type) -> Program {
    let mut b = Builder::new();
    let (a, taus) = (b.input(ty.clone()), b.input(taus.clone()));
    let along = |b: &mut Builder, dim| b.one(Iota { ty: ty.with_dtype(DType::I32), dim }, &[]);
    let (row, column) = (along(&mut b, 0), along(&mut b, 1));
    let diagonal = b.compare(Direction::Eq, row, column);
    let eye = b.convert(diagonal, ty.dtype);
    let y = reflections(&mut b, a, taus, eye, false);
    b.finish(&[y]).with_name("orgqr")
}

/// From the same and a matrix to the product of both, the reflections (or their adjoint) standing left or right.
pub(super) fn multiplied(types: &[Type], left: bool, adjoint: bool) -> Program {
    let mut b = Builder::new();
    let x = b.inputs(types);
    let turned = |b: &mut Builder, v: Var| {
        let v = conj(b, v);
        b.transpose(v, &[1, 0])
    };
    let y = match left {
        true => reflections(&mut b, x[0], x[1], x[2], adjoint),
        false => {
            let start = turned(&mut b, x[2]);
            let y = reflections(&mut b, x[0], x[1], start, !adjoint);
            turned(&mut b, y)
        }
    };
    b.finish(&[y]).with_name("ormqr")
}
