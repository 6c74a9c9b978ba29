//! Decompositions of matrices, one matrix of a batch after the other: through `faer`, or as LAPACK does them where
//! results that are not unique should be its own.
//!
//! A crate of its own because `faer` is generic: this is compiled once, and not with every change of a kernel.

mod eig;
mod lu;
mod plain;
mod qr;

use eig::Eigen;
use faer::linalg::triangular_solve as solve;
use faer::traits::ComplexField;
use faer::traits::ext::ComplexFieldExt;
use faer::{Conj, Mat, MatRef, Par, Side};
use rayon::prelude::*;
use std::cmp::Ordering;
use wengert_core::ops::{Cholesky, MatrixTranspose, Svd, TriangularSolve};
use wengert_core::{Complex, DType, Element, Op, Scalar, Tensor, View, ViewMut, with_word};

/// The elements decompositions are computed in.
trait Field: Element + ComplexField<Real: Element> + Eigen {}
impl<T: Element + ComplexField<Real: Element> + Eigen> Field for T {}

/// The work above which the matrices of a batch are shared among threads.
const PARALLEL: usize = 1 << 15;

/// Runs an op of the linear algebra family on elements of `f64` or `c128`, to which those of a program with `dtype` were
/// converted. Results that do not exist are NaN.
///
/// # Panics
/// If the op or the element type is another.
pub fn run(op: &Op, dtype: DType, x: &[View<'_>], y: &mut [ViewMut<'_>]) {
    match x[0].dtype() {
        DType::F64 => run_in::<f64>(op, dtype, x, y),
        DType::C128 => run_in::<Complex<f64>>(op, dtype, x, y),
        d => panic!("no decomposition is computed in {d}"),
    }
}

fn run_in<T: Field + plain::Sweep>(op: &Op, dtype: DType, x: &[View<'_>], y: &mut [ViewMut<'_>]) {
    if plain::takes(op, x[0].shape()) {
        let limits = plain::Limits::of(dtype);
        return batched(x, y, |x: &[MatRef<'_, T>]| plain::decompose(op, limits, x[0]));
    }
    if !matches!(op, Op::Lu(_)) || !lu::small::<T>(x[0], y) {
        batched(x, y, |x: &[MatRef<'_, T>]| decompose(op, x));
    }
}

/// Writes the results that `f` gives for each matrix of a batch.
fn batched<T: Element>(
    x: &[View<'_>],
    y: &mut [ViewMut<'_>],
    f: impl Fn(&[MatRef<'_, T>]) -> Option<Vec<Tensor>> + Sync,
) {
    let batch = x[0].shape().rank() - 2;
    let count: usize = x[0].shape()[..batch].iter().product();
    let dense: Vec<Tensor> = x.iter().map(|x| spelled_out(*x)).collect();
    let one = |i: usize| {
        let operand = |k: usize| {
            let (m, n) = (x[k].shape()[batch], x[k].shape()[batch + 1]);
            MatRef::from_row_major_slice(&dense[k].elements::<T>()[i * m * n..(i + 1) * m * n], m, n)
        };
        let operands: Vec<MatRef<'_, T>> = (0..x.len()).map(operand).collect();
        f(&operands)
    };
    let (m, n) = (x[0].shape()[batch], x[0].shape()[batch + 1]);
    let parts: Vec<Option<Vec<Tensor>>> = match count > 1 && count * m * n * m.min(n) > PARALLEL {
        true => (0..count).into_par_iter().map(one).collect(),
        false => (0..count).map(one).collect(),
    };
    for (k, y) in y.iter_mut().enumerate() {
        let each = y.shape()[batch..].iter().product();
        let nan = Scalar::from_complex(y.dtype(), Complex::new(f64::NAN, f64::NAN));
        let nan = Tensor::splat([each], nan);
        // SAFETY: what is written are elements of the result's type.
        with_word!(y.dtype(), W => for (out, part) in unsafe { y.words::<W>() }.chunks_mut(each.max(1)).zip(&parts) {
            let part = part.as_ref().map_or(&nan, |part| &part[k]);
            assert_eq!(part.dtype(), nan.dtype(), "the type of a result");
            let v = part.view().words::<W>();
            if part.is_splat() { out.fill(v[0]) } else { out.copy_from_slice(v) }
        });
    }
}

/// The elements of an operand, one by one.
fn spelled_out(x: View<'_>) -> Tensor {
    let mut t = Tensor::room(&x.ty());
    t.view_mut().expect("nothing shares it").copy_from(x);
    t
}

/// These elements.
fn line<T: Element>(v: Vec<T>) -> Tensor {
    Tensor::new([v.len()], v).expect("as many as there are")
}

/// The results for one matrix; none if they do not exist.
fn decompose<T: Field>(op: &Op, x: &[MatRef<'_, T>]) -> Option<Vec<Tensor>> {
    let a = x[0];
    match op {
        Op::TriangularSolve(op) => Some(vec![rows(triangular_solve(op, a, x[1]).as_ref())]),
        Op::Cholesky(op) => cholesky(op, a),
        Op::Lu(_) => Some(lu::lu(a)),
        Op::Qr(op) => Some(qr::qr(op, a)),
        Op::Svd(op) => svd(op, a),
        Op::Eigh(op) => eig::eigh(op, a),
        Op::Eig(op) => eig::eig(op, a),
        op => unreachable!("`{}` is not linear algebra", op.name()),
    }
}

/// The elements in row-major order.
fn rows<T: Element>(a: MatRef<'_, T>) -> Tensor {
    line((0..a.nrows()).flat_map(|i| a.row(i).iter().copied()).collect())
}

/// The matrix, if all its elements are finite.
fn finite<T: Field>(a: MatRef<'_, T>) -> Option<MatRef<'_, T>> {
    a.col_iter().all(|c| c.iter().all(|x| x.is_finite())).then_some(a)
}

fn triangular_solve<T: Field>(op: &TriangularSolve, a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let mut x = b.to_owned();
    let (mut a, mut lower) = (a, op.lower);
    let mut flip = |a: &mut MatRef<'_, T>| {
        *a = a.transpose();
        lower = !lower;
    };
    if op.transpose_a != MatrixTranspose::No {
        flip(&mut a);
    }
    // x·a = b is aᵀ·xᵀ = bᵀ.
    if !op.left_side {
        flip(&mut a);
    }
    let rhs = if op.left_side { x.as_mut() } else { x.as_mut().transpose_mut() };
    let conj = if op.transpose_a == MatrixTranspose::Adjoint { Conj::Yes } else { Conj::No };
    match (lower, op.unit_diagonal) {
        (true, false) => solve::solve_lower_triangular_in_place_with_conj(a, conj, rhs, Par::Seq),
        (true, true) => solve::solve_unit_lower_triangular_in_place_with_conj(a, conj, rhs, Par::Seq),
        (false, false) => solve::solve_upper_triangular_in_place_with_conj(a, conj, rhs, Par::Seq),
        (false, true) => solve::solve_unit_upper_triangular_in_place_with_conj(a, conj, rhs, Par::Seq),
    }
    x
}

/// The lower triangle of the Hermitian matrix that one triangle of `a` stands for; its diagonal is real.
fn hermitian<T: Field>(a: MatRef<'_, T>, lower: bool) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| match i.cmp(&j) {
        Ordering::Less => T::zero(),
        Ordering::Equal => a[(i, i)].as_real(),
        Ordering::Greater if lower => a[(i, j)],
        Ordering::Greater => a[(j, i)].conj(),
    })
}

fn cholesky<T: Field>(op: &Cholesky, a: MatRef<'_, T>) -> Option<Vec<Tensor>> {
    let factor = hermitian(a, op.lower).llt(Side::Lower).ok()?;
    let l = factor.L();
    Some(vec![if op.lower { rows(l) } else { rows(l.adjoint().to_owned().as_ref()) }])
}

fn svd<T: Field>(op: &Svd, a: MatRef<'_, T>) -> Option<Vec<Tensor>> {
    let (m, n) = finite(a)?.shape();
    if m == 0 || n == 0 {
        // No singular values; of square factors any will do.
        let none = line::<T::Real>(Vec::new());
        let (p, q) = if op.full_matrices { (m, n) } else { (0, 0) };
        let (u, v) = (Mat::<T>::identity(m, p), Mat::<T>::identity(q, n));
        return Some(if op.compute_uv { vec![rows(u.as_ref()), none, rows(v.as_ref())] } else { vec![none] });
    }
    if !op.compute_uv {
        return Some(vec![line(a.singular_values().ok()?)]);
    }
    let svd = if op.full_matrices { a.svd() } else { a.thin_svd() }.ok()?;
    let s: Vec<T::Real> = svd.S().column_vector().iter().map(|s| s.real()).collect();
    let (mut u, mut v) = (svd.U().to_owned(), svd.V().to_owned());
    let turns = turn(&mut u);
    for (j, turn) in turns.into_iter().enumerate().take(s.len()) {
        scale(&mut v, j, turn);
    }
    Some(vec![rows(u.as_ref()), line(s), rows(v.adjoint().to_owned().as_ref())])
}

/// Turns each column, which is determined up to a sign or a phase only, so that its largest element is positive: then
/// columns move little when the operand does. Of elements about as large the first counts. Gives the turns.
fn turn<T: Field>(v: &mut Mat<T>) -> Vec<T> {
    let turns: Vec<T> = v
        .col_iter()
        .map(|c| {
            let most = c.iter().fold(T::Real::zero(), |m, x| if x.abs() > m { x.abs() } else { m });
            let most = most * <T::Real as Element>::from_f64(0.99);
            match c.iter().find(|x| x.abs() >= most && x.abs() > T::Real::zero()) {
                Some(x) => x.conj().mul_real(x.abs().recip()),
                None => T::one(),
            }
        })
        .collect();
    turns.iter().enumerate().for_each(|(j, &turn)| scale(v, j, turn));
    turns
}

fn scale<T: Field>(v: &mut Mat<T>, column: usize, by: T) {
    v.col_as_slice_mut(column).iter_mut().for_each(|x| *x *= by);
}
