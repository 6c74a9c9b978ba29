//! Decompositions of small matrices by the algorithms that LAPACK uses for them, step for step: eigenvectors, singular
//! vectors and Schur forms are determined up to signs (or phases) and an order, and here they come out as LAPACK gives
//! them. Larger matrices go to `faer`.
//!
//! The arithmetic is that of `f64`; [`Limits`] says what is next to nothing in the type of the elements. With `f32`
//! roundings decide on some signs (for 24 rows, on one of twelve): LAPACK gives another then for a matrix that differs in
//! the last bits alone, and so do we.

mod back;
mod balance;
mod bidiagonal;
mod francis;
mod general;
mod matrix;
mod number;
mod reflection;
mod rotation;
mod schur;
mod single_shift;
mod svd;
mod symmetric;
mod two;

pub(crate) use number::{Limits, Number};
pub(crate) use schur::Sweep;

use super::line;
use faer::MatRef;
use matrix::Matrix;
use wengert_core::ops::Eigenvectors;
use wengert_core::{Element, Op, Shape, Tensor};

/// The most rows and columns that LAPACK decomposes without dividing the matrix in parts.
const MOST: usize = 25;

/// Whether matrices of these shapes are decomposed here.
pub(crate) fn takes(op: &Op, shape: &Shape) -> bool {
    let [m, n] = [2, 1].map(|axis| shape[shape.rank() - axis]);
    match op {
        Op::Eigh(_) => (1..=MOST).contains(&n) && m == n,
        // Of left eigenvectors `faer` knows nothing.
        Op::Eig(op) => n > 0 && (n <= MOST || op.compute_v == Eigenvectors::Both),
        Op::Svd(op) => op.compute_uv && (1..=MOST).contains(&m.min(n)),
        _ => false,
    }
}

/// The results for one matrix; none if they do not exist.
pub(crate) fn decompose<T: Sweep + Element>(op: &Op, limits: Limits, a: MatRef<'_, T>) -> Option<Vec<Tensor>> {
    let a = Matrix::new(a.nrows(), a.ncols(), |i, j| a[(i, j)]);
    match op {
        Op::Eigh(op) => {
            let (w, v) = symmetric::eigh(&a, op.lower, limits)?;
            Some(vec![line(w), line(v.by_rows())])
        }
        Op::Eig(op) => {
            let (w, vectors) = general::eig(&a, op.compute_v, limits)?;
            Some([line(w)].into_iter().chain(vectors.iter().map(|v| line(v.by_rows()))).collect())
        }
        Op::Svd(op) => {
            let (u, s, vh) = svd::svd(&a, op.full_matrices, limits)?;
            Some(vec![line(u.by_rows()), line(s), line(vh.by_rows())])
        }
        op => unreachable!("`{}` is decomposed elsewhere", op.name()),
    }
}
