//! Householder's factorization of one matrix as LAPACK stores it: reflections `1 - tau·v·vᴴ`, their `v` under the
//! diagonal of `r`, where each has a 1 that is not stored. Written with ordinary ops, so it has derivatives.

use super::{conj, real};
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Dims, Program, Type, Var};

/// The numbers from 0 to `n`.
fn count(b: &mut Builder, n: usize) -> Var {
    b.one(Iota { ty: Type::new(DType::I32, [n]), dim: 0 }, &[])
}

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

/// The adjoint.
fn turned(b: &mut Builder, x: Var) -> Var {
    let x = conj(b, x);
    b.transpose(x, &[1, 0])
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
pub fn factor(ty: &Type) -> Program {
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
    let (next, tau) = factor_column(&mut b, a, j, m, n);
    b.finish(&[next, tau])
}

/// Column `j` as the reflection that makes the rest of it zero, the columns after it reflected; and its `tau`.
fn factor_column(b: &mut Builder, a: Var, j: Var, m: usize, n: usize) -> (Var, Var) {
    let column = column_at(b, a, j, m);
    let Reflection { v, tau, stored } = reflection(b, column, j);
    (left_reflected(b, a, v, tau, stored, j, n), tau)
}

fn column_at(b: &mut Builder, a: Var, j: Var, m: usize) -> Var {
    let zero = b.zeros(&Type::scalar(DType::I32));
    let column = b.dynamic_slice(a, &[zero, j], &[m, 1]);
    b.reshape(column, &[m].into())
}

/// The columns after `j` reflected, and this one replaced.
fn left_reflected(b: &mut Builder, a: Var, v: Var, tau: Var, stored: Var, j: Var, n: usize) -> Var {
    let scale = conj(b, tau);
    let reflected = reflect(b, a, v, scale);
    let stored = spread(b, stored, a, 0);
    let (after, this) = (which(b, n, Direction::Gt, j), which(b, n, Direction::Eq, j));
    let (after, this) = (spread(b, after, a, 1), spread(b, this, a, 1));
    let next = b.select(after, reflected, a);
    b.select(this, stored, next)
}

/// `1 - tau·v·vᴴ`, and the column it was made for as it is stored then.
struct Reflection {
    v: Var,
    tau: Var,
    stored: Var,
}

/// The reflection that takes the elements of a column after `at` to zero, and the one there to a real number.
fn reflection(b: &mut Builder, column: Var, at: Var) -> Reflection {
    let (m, dtype) = (b.shape(column)[0], b.dtype(column));
    let (here, below) = (which(b, m, Direction::Eq, at), which(b, m, Direction::Gt, at));
    let nothing = b.full_like(column, 0.0);
    let only = |b: &mut Builder, mask: Var| b.select(mask, column, nothing);
    let alpha = only(b, here);
    let alpha = b.sum(alpha, &[0]);
    let rest = only(b, below);
    let tail = squared_length(b, rest);
    let size = conj(b, alpha);
    let size = b.mul(alpha, size);
    let size = real(b, size);
    let size = b.add(size, tail);
    // Nothing to reflect: `tau` is zero, and what is divided by is 1.
    let flat = b.full_like(tail, 0.0);
    let mut done = b.compare(Direction::Eq, tail, flat);
    if dtype.is_complex() {
        let imag = b.unary(Unary::Imag, alpha);
        let is_real = b.compare(Direction::Eq, imag, flat);
        done = b.binary(Binary::And, done, is_real);
    }
    let one = b.full_like(size, 1.0);
    let size = b.select(done, one, size);
    let norm = b.unary(Unary::Sqrt, size);
    let alpha_real = real(b, alpha);
    let negative = b.compare(Direction::Lt, alpha_real, flat);
    let opposite = b.neg(norm);
    let beta = b.select(negative, norm, opposite);
    let beta = b.convert(beta, dtype);
    let tau = b.sub(beta, alpha);
    let tau = b.div(tau, beta);
    let none = b.full_like(tau, 0.0);
    let tau = b.select(done, none, tau);
    let divisor = b.sub(alpha, beta);
    let unit = b.full_like(divisor, 1.0);
    let divisor = b.select(done, unit, divisor);
    let divisor = spread_scalar(b, divisor, rest);
    let rest = b.div(rest, divisor);
    let ones = b.full_like(rest, 1.0);
    let v = b.select(here, ones, rest);
    // The number that is left, and `v` under it.
    let beta = b.select(done, alpha, beta);
    let beta = spread_scalar(b, beta, column);
    let stored = b.select(below, rest, column);
    Reflection { v, tau, stored: b.select(here, beta, stored) }
}

/// The sum of the squares of a column, or of each column of a matrix.
fn squared_length(b: &mut Builder, x: Var) -> Var {
    let squares = conj(b, x);
    let squares = b.mul(x, squares);
    let squares = real(b, squares);
    b.sum(squares, &[0])
}

/// From a matrix to the same as by [`factor`], of its columns in another order: each the one with most left of it. Between
/// them, that order, counted from 1.
pub fn factor_pivoting(ty: &Type) -> Program {
    let mut b = Builder::new();
    let a = b.input(ty.clone());
    let order = count(&mut b, ty.shape[1]);
    let order = b.offset(order, 1.0);
    let body = Arc::new(pivoting_step(ty, false));
    let y = pivoted(&mut b, body, &[], a, order);
    b.finish(&y).with_name("geqp3")
}

/// The same from a matrix and a number for each column: those where it is not zero come first, and stay there.
pub fn factor_keeping(ty: &Type, kept: &Type) -> Program {
    let n = ty.shape[1];
    let mut b = Builder::new();
    let (a, kept) = (b.input(ty.clone()), b.input(kept.clone()));
    let order = count(&mut b, n);
    let (fixed, steps) = (b.zeros(&Type::scalar(DType::I32)), count(&mut b, n));
    let mut step = Builder::new();
    let x = [Type::new(DType::I32, [n]), Type::scalar(DType::I32), Type::scalar(DType::I32), Type::scalar(DType::I32)];
    let x = step.inputs(&x);
    let (order_so_far, fixed_so_far, j, kept_j) = (x[0], x[1], x[2], x[3]);
    let none = step.full_like(kept_j, 0.0);
    let keeps = step.compare(Direction::Ne, kept_j, none);
    let other = step.select(keeps, fixed_so_far, j);
    let swap = exchange(&mut step, n, j, other);
    let order_next = step.gather_rows(order_so_far, swap);
    let one = step.offset(fixed_so_far, 1.0);
    let fixed_next = step.select(keeps, one, fixed_so_far);
    let body = Arc::new(step.finish(&[order_next, fixed_next]));
    let scan = Scan { length: n, consts: 0, carries: 2, reverse: false, body };
    let y = b.push(scan, &[order, fixed, steps, kept]);
    let (order, fixed) = (y[0], y[1]);
    let a = columns_in_order(&mut b, a, order);
    let order = b.offset(order, 1.0);
    let body = Arc::new(pivoting_step(ty, true));
    let y = pivoted(&mut b, body, &[fixed], a, order);
    b.finish(&y).with_name("geqp3")
}

/// The steps of a factorization with pivots, each after the other.
fn pivoted(b: &mut Builder, body: Arc<Program>, consts: &[Var], a: Var, order: Var) -> Vec<Var> {
    let length = b.shape(a)[0].min(b.shape(a)[1]);
    let steps = count(b, length);
    let scan = Scan { length, consts: consts.len(), carries: 2, reverse: false, body };
    b.push(scan, &[consts, &[a, order, steps]].concat()).to_vec()
}

/// From the number of columns that are kept in front (if some are), the matrix, the order of its columns and the number of
/// the step to the next matrix and order, and `tau`.
fn pivoting_step(ty: &Type, keeps: bool) -> Program {
    let (m, n) = (ty.shape[0], ty.shape[1]);
    let mut step = Builder::new();
    let fixed = keeps.then(|| step.input(Type::scalar(DType::I32)));
    let (a, order, j) =
        (step.input(ty.clone()), step.input(Type::new(DType::I32, [n])), step.input(Type::scalar(DType::I32)));
    let below = which(&mut step, m, Direction::Ge, j);
    let below = spread(&mut step, below, a, 0);
    let nothing = step.full_like(a, 0.0);
    let left = step.select(below, a, nothing);
    let sizes = squared_length(&mut step, left);
    let (free, done) = (which(&mut step, n, Direction::Ge, j), step.full_like(sizes, -1.0));
    let sizes = step.select(free, sizes, done);
    let mut pivot = step.one(ArgReduce { extreme: Extreme::Max, dim: 0, dtype: DType::I32 }, &[sizes]);
    if let Some(fixed) = fixed {
        let stays = step.compare(Direction::Lt, j, fixed);
        pivot = step.select(stays, j, pivot);
    }
    let swap = exchange(&mut step, n, j, pivot);
    let order = step.gather_rows(order, swap);
    let a = columns_in_order(&mut step, a, swap);
    let (next, tau) = factor_column(&mut step, a, j, m, n);
    step.finish(&[next, order, tau])
}

/// The numbers from 0 to `n` with two of them exchanged.
fn exchange(b: &mut Builder, n: usize, i: Var, j: Var) -> Var {
    let numbers = count(b, n);
    let [here, there] = [i, j].map(|k| which(b, n, Direction::Eq, k));
    let [mine, other] = [i, j].map(|k| spread_scalar(b, k, numbers));
    let swap = b.select(there, mine, numbers);
    b.select(here, other, swap)
}

fn columns_in_order(b: &mut Builder, a: Var, order: Var) -> Var {
    let rows = b.transpose(a, &[1, 0]);
    let rows = b.gather_rows(rows, order);
    b.transpose(rows, &[1, 0])
}

/// From a square matrix to one that has nothing under its subdiagonal and the same eigenvalues, with the reflections that
/// lead there stored in place of zeros; and the `tau` of each.
pub fn hessenberg(ty: &Type) -> Program {
    let mut b = Builder::new();
    let a = b.input(ty.clone());
    let y = reduce(&mut b, a);
    b.finish(&y).with_name("gehrd")
}

fn reduce(b: &mut Builder, a: Var) -> Vec<Var> {
    let ty = b.ty(a).clone();
    let n = ty.shape[0];
    let mut step = Builder::new();
    let (x, j) = (step.input(ty), step.input(Type::scalar(DType::I32)));
    let column = column_at(&mut step, x, j, n);
    let next = step.offset(j, 1.0);
    let Reflection { v, tau, stored } = reflection(&mut step, column, next);
    let x = left_reflected(&mut step, x, v, tau, stored, j, n);
    // From the right: `vᴴ` is zero where reflections are stored.
    let x = turned(&mut step, x);
    let scale = conj(&mut step, tau);
    let x = reflect(&mut step, x, v, scale);
    let x = turned(&mut step, x);
    let body = Arc::new(step.finish(&[x, tau]));
    let length = n.saturating_sub(1);
    let steps = count(b, length);
    b.push(Scan { length, consts: 0, carries: 1, reverse: false, body }, &[a, steps]).to_vec()
}

/// From one triangle of a matrix that is its own adjoint to one with three diagonals, with the reflections stored in that
/// triangle; then the diagonal, the one beside it, and the `tau` of each.
pub fn tridiagonal(ty: &Type, lower: bool) -> Program {
    let n = ty.shape[0];
    let mut b = Builder::new();
    let given = b.input(ty.clone());
    // The upper triangle is the lower one seen from the other end.
    let seen = |b: &mut Builder, x: Var| {
        let dims: Dims = (0..b.shape(x).rank()).collect();
        if lower { x } else { b.one(Reverse { dims }, &[x]) }
    };
    let a = seen(&mut b, given);
    let along = |b: &mut Builder, dim| b.one(Iota { ty: ty.with_dtype(DType::I32), dim }, &[]);
    let (row, column) = (along(&mut b, 0), along(&mut b, 1));
    let [above, on] = [Direction::Lt, Direction::Eq].map(|d| b.compare(d, row, column));
    let mirrored = turned(&mut b, a);
    let whole = b.select(above, mirrored, a);
    let level = real(&mut b, whole);
    let level = b.convert(level, ty.dtype);
    let whole = b.select(on, level, whole);
    let y = reduce(&mut b, whole);
    let all = real(&mut b, y[0]);
    let zero = b.full_like(all, 0.0);
    let main = b.select(on, all, zero);
    let main = b.sum(main, &[1]);
    let next = b.offset(column, 1.0);
    let under = b.compare(Direction::Eq, row, next);
    let beside = b.select(under, all, zero);
    let beside = b.sum(beside, &[0]);
    let beside = b.slice_axis(beside, 0, 0, n.saturating_sub(1));
    let stored = b.select(above, a, y[0]);
    let y = [stored, main, beside, y[1]].map(|v| seen(&mut b, v));
    b.finish(&y).with_name("sytrd")
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
pub fn product(ty: &Type, taus: &Type) -> Program {
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
pub fn multiplied(types: &[Type], left: bool, adjoint: bool) -> Program {
    let mut b = Builder::new();
    let x = b.inputs(types);
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
