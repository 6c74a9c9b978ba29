//! Cholesky's factor.

use super::triangular::Triangle;
use super::{Matrix, Number, Tools};

/// Columns that are factored one by one.
const COLUMNS: usize = 32;
/// Columns that are updated at a time: what is above the diagonal of them is computed in vain.
const UPDATED: usize = 96;

/// The lower triangular `l` with `a = l·lᴴ`, of whose Hermitian `a` the lower triangle is read; none if `a` is not positive
/// definite.
pub(super) fn cholesky<T: Number>(mut a: Matrix<T>, tools: Tools<'_>) -> Option<Matrix<T>> {
    let n = a.rows;
    for j in (0..n).step_by(COLUMNS) {
        let end = n.min(j + COLUMNS);
        let corner = one_by_one(a.part(j..end, j..end))?;
        a.write((j, j), &corner);
        if end == n {
            break;
        }
        let mut below = a.part(end..n, j..end);
        Triangle { matrix: corner.adjoint(), upper: true, unit: false }.solve(&mut below, tools);
        a.write((end, j), &below);
        for first in (end..n).step_by(UPDATED) {
            let (from, to) = (first - end, n.min(first + UPDATED) - end);
            let (x, y) = (below.some(from..below.rows, 0..end - j), below.some(from..to, 0..end - j));
            a.take_product((first, first), x, y.adjoint(), tools);
        }
    }
    (1..n).for_each(|j| a.column_mut(j)[..j].fill(T::zero()));
    Some(a)
}

fn one_by_one<T: Number>(mut a: Matrix<T>) -> Option<Matrix<T>> {
    let n = a.rows;
    for j in 0..n {
        let square = a[(j, j)].re();
        if square <= 0.0 || square.is_nan() {
            return None;
        }
        let root = square.sqrt();
        a[(j, j)] = T::real(root);
        a.column_mut(j)[j + 1..].iter_mut().for_each(|x| *x = T::new(x.re() / root, x.im() / root));
        for k in j + 1..n {
            let by = a[(k, j)].conj();
            let (from, to) = a.two_columns(j, k);
            to[k..].iter_mut().zip(&from[k..]).for_each(|(to, from)| *to -= *from * by);
        }
        a.column_mut(j)[..j].fill(T::zero());
    }
    Some(a)
}
