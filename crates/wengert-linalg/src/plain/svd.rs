//! Singular values and vectors: reflections make the matrix bidiagonal, and rotations that diagonal.

use super::bidiagonal::Bidiagonal;
use super::reflection::Reflection;
use super::{Limits, Matrix, Number};

/// The left singular vectors, the singular values in descending order, and the adjoint of the right singular vectors;
/// nothing if an element is not finite. With `full`, both matrices are square.
pub(super) fn svd<T: Number>(a: &Matrix<T>, full: bool, limits: Limits) -> Option<(Matrix<T>, Vec<f64>, Matrix<T>)> {
    if !a.finite() {
        return None;
    }
    let (a, scale) = a.clone().scaled();
    let (m, n) = (a.rows, a.columns);
    let k = m.min(n);
    // So much longer than wide that the triangular factor is decomposed instead.
    let long = if T::REAL { 11 * k / 6 } else { 17 * k / 9 };
    let (core, tall, wide) = if m >= n && m >= long {
        let (r, q) = factor(a);
        (r, q, Vec::new())
    } else if m < n && n >= long {
        let (r, q) = factor(a.adjoint());
        (r.adjoint(), Vec::new(), q)
    } else {
        (a, Vec::new(), Vec::new())
    };
    let (mut b, left, right) = bidiagonal(core, limits);
    let (u, v) = b.diagonalize()?;
    let widened = |x: Matrix<f64>, rows: usize, reflections: [Vec<Reflection<T>>; 2]| {
        let part = |i: usize, j: usize| if i < k && j < k { x[(i, j)] } else { (i == j) as u8 as f64 };
        let columns = if full { rows } else { k };
        let mut y = Matrix::new(rows, columns, |i, j| T::real(part(i, j)));
        reflections.iter().flatten().rev().for_each(|h| h.left(&mut y, 0..columns));
        y
    };
    let (u, v) = (widened(u, m, [tall, left]), widened(v, n, [wide, right]));
    Some((u, b.main.iter().map(|s| s * scale).collect(), v.adjoint()))
}

/// The triangular factor of a matrix that has no more columns than rows, without the rows that are zero; and the
/// reflections whose product is the other one.
fn factor<T: Number>(mut a: Matrix<T>) -> (Matrix<T>, Vec<Reflection<T>>) {
    let n = a.columns;
    let reflections = (0..n).map(|i| reflect_column(&mut a, i, i).0).collect();
    (Matrix::new(n, n, |i, j| if i <= j { a[(i, j)] } else { T::zero() }), reflections)
}

/// Reflects the rows from `i` on, so that the elements of a column after that become zero and that one real; and gives it.
fn reflect_column<T: Number>(a: &mut Matrix<T>, i: usize, column: usize) -> (Reflection<T>, f64) {
    let (h, beta) = Reflection::of(&a.column(column)[i..], i);
    h.adjoint_left(a, column + 1..a.columns);
    a[(i, column)] = T::real(beta);
    (h, beta)
}

/// The same for the columns from `j` on, and a row.
fn reflect_row<T: Number>(a: &mut Matrix<T>, row: usize, j: usize) -> (Reflection<T>, f64) {
    let x: Vec<T> = (j..a.columns).map(|j| a[(row, j)].conj()).collect();
    let (h, beta) = Reflection::of(&x, j);
    h.right(a, row + 1..a.rows);
    (h, beta)
}

/// `a = q·b·pᴴ`: the bidiagonal `b`, and the reflections whose products are `q` and `p`. The elements beside the diagonal
/// are above it, or under it if there are more columns than rows.
fn bidiagonal<T: Number>(mut a: Matrix<T>, limits: Limits) -> (Bidiagonal, Vec<Reflection<T>>, Vec<Reflection<T>>) {
    let (lower, k) = (a.rows < a.columns, a.rows.min(a.columns));
    let (mut main, mut beside) = (Vec::new(), Vec::new());
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for i in 0..k {
        let beta = if lower {
            keep(reflect_row(&mut a, i, i), &mut right)
        } else {
            keep(reflect_column(&mut a, i, i), &mut left)
        };
        main.push(beta);
        if i + 1 < k {
            beside.push(match lower {
                true => keep(reflect_column(&mut a, i + 1, i), &mut left),
                false => keep(reflect_row(&mut a, i, i + 1), &mut right),
            });
        }
    }
    (Bidiagonal { main, beside, lower, limits }, left, right)
}

fn keep<T>((h, beta): (Reflection<T>, f64), all: &mut Vec<Reflection<T>>) -> f64 {
    all.push(h);
    beta
}
