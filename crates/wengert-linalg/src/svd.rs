//! Singular values and vectors: reflections make the matrix bidiagonal, and rotations that diagonal.

use super::bidiagonal::Bidiagonal;
use super::bidiagonalize::bidiagonalize;
use super::block::Block;
use super::qr::{factor, one_by_one};
use super::reflection::Reflection;
use super::{Limits, Matrix, Number, Tools, turn};

/// The left singular vectors, the singular values in descending order, and the adjoint of the right singular vectors.
type Svd<T> = (Matrix<T>, Vec<f64>, Matrix<T>);

/// Nothing if an element is not finite. With `full`, both matrices of vectors are square.
pub(super) fn svd<T: Number>(a: Matrix<T>, full: bool, limits: Limits, tools: Tools<'_>) -> Option<Svd<T>> {
    if !a.finite() {
        return None;
    }
    let (m, n) = (a.rows, a.columns);
    if m.min(n) == 0 {
        // No singular values; of square factors any will do.
        let (p, q) = if full { (m, n) } else { (0, 0) };
        return Some((Matrix::identity(m, p), Vec::new(), Matrix::identity(q, n)));
    }
    let (a, scale) = a.scaled();
    let (mut u, s, mut v) = match m.min(n) <= super::SMALL {
        true => small(a, full, limits, tools)?,
        false if m >= n => large(a, full, limits, tools)?,
        false => {
            let (u, s, v) = large(a.adjoint(), full, limits, tools)?;
            (v, s, u)
        }
    };
    if m.min(n) > super::SMALL {
        let turns = turn(&mut u);
        turns.iter().enumerate().take(s.len()).for_each(|(j, t)| v.column_mut(j).iter_mut().for_each(|x| *x *= *t));
    }
    Some((u, s.iter().map(|s| s * scale).collect(), v.adjoint()))
}

/// The singular values alone.
pub(super) fn values<T: Number>(a: Matrix<T>, limits: Limits, tools: Tools<'_>) -> Option<Vec<f64>> {
    if !a.finite() {
        return None;
    }
    if a.rows.min(a.columns) == 0 {
        return Some(Vec::new());
    }
    let (a, scale) = a.scaled();
    let a = if a.rows < a.columns { a.adjoint() } else { a };
    let is_small = a.columns <= super::SMALL;
    let a = match is_long(&a) {
        true if is_small => triangle(&one_by_one(a).0),
        true => triangle(&factor(a, tools).0),
        false => a,
    };
    let b = match is_small {
        true => bidiagonal(a, limits).0,
        false => {
            let b = bidiagonalize(a, tools);
            Bidiagonal { main: b.main, beside: b.beside, lower: false, limits }
        }
    };
    let values = b.values()?;
    Some(values.iter().map(|s| s * scale).collect())
}

/// Whether a matrix is so much longer than wide that the triangular factor is decomposed instead.
fn is_long<T: Number>(a: &Matrix<T>) -> bool {
    let (most, least) = (a.rows.max(a.columns), a.rows.min(a.columns));
    most >= if T::REAL { 11 * least / 6 } else { 17 * least / 9 }
}

/// The triangular factor of what was reflected, without the rows that are zero.
fn triangle<T: Number>(a: &Matrix<T>) -> Matrix<T> {
    Matrix::new(a.columns, a.columns, |i, j| if i <= j { a[(i, j)] } else { T::zero() })
}

/// A real matrix in the corner of one with ones on the rest of its diagonal.
fn widened<T: Number>(x: &Matrix<f64>, rows: usize, columns: usize) -> Matrix<T> {
    let mut y = Matrix::identity(rows, columns);
    for j in 0..x.columns {
        y.column_mut(j)[..x.rows].iter_mut().zip(x.column(j)).for_each(|(y, x)| *y = T::real(*x));
    }
    y
}

/// Vectors as columns, those on the right too, of a matrix with no more columns than rows.
fn large<T: Number>(a: Matrix<T>, full: bool, limits: Limits, tools: Tools<'_>) -> Option<Svd<T>> {
    let (m, n) = (a.rows, a.columns);
    let (core, tall) = match is_long(&a) && m > n {
        true => {
            let (r, blocks) = factor(a, tools);
            (triangle(&r), blocks)
        }
        false => (a, Vec::new()),
    };
    let rows = core.rows;
    let b = bidiagonalize(core, tools);
    let (left, right) = (Block::all(&b.left, rows, tools), Block::all(&b.right, n, tools));
    let mut b = Bidiagonal { main: b.main, beside: b.beside, lower: false, limits };
    let [u, v] = b.diagonalize(tools)?;
    let apply = |blocks: &[Block<T>], y: &mut Matrix<T>, columns: usize| {
        blocks.iter().rev().for_each(|b| b.left(y, 0..columns, tools));
    };
    let columns = if full { m } else { n };
    let (mut u, mut v) = (widened(&u, m, columns), widened(&v, n, n));
    apply(&left, &mut u, if tall.is_empty() { columns } else { n });
    apply(&tall, &mut u, columns);
    apply(&right, &mut v, n);
    Some((u, b.main, v))
}

/// The same, of any shape, with the signs that LAPACK gives.
fn small<T: Number>(a: Matrix<T>, full: bool, limits: Limits, tools: Tools<'_>) -> Option<Svd<T>> {
    let (m, n) = (a.rows, a.columns);
    let k = m.min(n);
    let (core, tall, wide) = if m >= n && is_long(&a) {
        let (r, q) = one_by_one(a);
        (triangle(&r), q, Vec::new())
    } else if m < n && is_long(&a) {
        let (r, q) = one_by_one(a.adjoint());
        (triangle(&r).adjoint(), Vec::new(), q)
    } else {
        (a, Vec::new(), Vec::new())
    };
    let (mut b, left, right) = bidiagonal(core, limits);
    let [u, v] = b.diagonalize(tools)?;
    let vectors = |x: Matrix<f64>, rows: usize, reflections: [Vec<Reflection<T>>; 2]| {
        let columns = if full { rows } else { k };
        let mut y = widened(&x, rows, columns);
        reflections.iter().flatten().rev().for_each(|h| h.left(&mut y, 0..columns));
        y
    };
    Some((vectors(u, m, [tall, left]), b.main, vectors(v, n, [wide, right])))
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
