//! Decompositions of matrices of many kinds and sizes: the factors give the matrix, and vectors are orthogonal.

mod decompositions;
mod factors;
mod matrices;
mod products;

use super::{Limits, Matrix, Number, Product, Tools};
use wengert_core::DType;

pub(crate) const LIMITS: Limits = Limits { rounding: f64::EPSILON / 2.0, least: f64::MIN_POSITIVE };

/// Products by their definition, on one thread.
pub(crate) const TOOLS: Tools<'_> = Tools { product: &add_product, spread: &|count, _, f| (0..count).for_each(f) };

fn add_product(p: Product<'_>) {
    let [m, n, k] = p.sizes;
    for i in 0..m {
        let out = &mut p.out[i * p.row..][..n];
        for l in 0..k {
            let x = p.x.0[i * p.x.1[0] + l * p.x.1[1]];
            let y = &p.y.0[l * p.y.1[1]..];
            (0..n).for_each(|j| out[j] += x * y[j * p.y.1[0]]);
        }
    }
}

/// The product, by its definition.
fn times<T: Number>(x: &Matrix<T>, y: &Matrix<T>) -> Matrix<T> {
    assert_eq!(x.columns, y.rows);
    let mut out = Matrix::zero(x.rows, y.columns);
    for j in 0..y.columns {
        for k in 0..x.columns {
            let by = y[(k, j)];
            out.column_mut(j).iter_mut().zip(x.column(k)).for_each(|(o, x)| *o += *x * by);
        }
    }
    out
}

/// The largest difference of two matrices.
fn difference<T: Number>(x: &Matrix<T>, y: &Matrix<T>) -> f64 {
    assert_eq!((x.rows, x.columns), (y.rows, y.columns));
    let sizes = x.elements().iter().zip(y.elements()).map(|(x, y)| (*x - *y).parts());
    // What is no number is larger than all.
    sizes.fold(0.0, |m: f64, d| if d <= m { m } else { d })
}

/// Asserts that a difference is a few roundings for each row, next to this number.
#[track_caller]
fn is_close(difference: f64, rows: usize, next_to: f64, what: &str) {
    let bound = 10.0 * rows.max(1) as f64 * f64::EPSILON * next_to;
    assert!(difference <= bound, "{what}: off by {difference:e}, more than {bound:e}");
}

/// Asserts that columns are orthogonal to each other, and of length 1.
#[track_caller]
fn is_unitary<T: Number>(q: &Matrix<T>, what: &str) {
    let one = times(&q.adjoint(), q);
    is_close(difference(&one, &Matrix::identity(q.columns, q.columns)), q.rows, 1.0, what);
}

#[test]
fn limits_are_those_of_the_type() {
    let of = Limits::of(DType::F64);
    assert_eq!((of.rounding, of.least), (LIMITS.rounding, LIMITS.least));
}
