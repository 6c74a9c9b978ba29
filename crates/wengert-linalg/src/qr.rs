//! QR by Householder's reflections, with the signs LAPACK gives.

use super::block::{BLOCK, Block};
use super::reflection::Reflection;
use super::{Matrix, Number, Tools};

/// The factors of a matrix: `q` with so many columns, and `r` with as many rows.
pub(super) fn qr<T: Number>(a: Matrix<T>, k: usize, tools: Tools<'_>) -> (Matrix<T>, Matrix<T>) {
    let m = a.rows;
    let mut q = Matrix::identity(m, k);
    let r = if a.rows.max(a.columns) <= super::SMALL {
        let (r, reflections) = one_by_one(a);
        reflections.iter().rev().for_each(|h| h.left(&mut q, h.first..k));
        r
    } else {
        let (r, blocks) = factor(a, tools);
        blocks.iter().rev().for_each(|b| b.left(&mut q, b.first..k, tools));
        r
    };
    (q, Matrix::new(k, r.columns, |i, j| if i <= j { r[(i, j)] } else { T::zero() }))
}

/// The matrix reflected, so that its upper triangle is the triangular factor; and the reflections, whose product is the other.
pub(super) fn factor<T: Number>(mut a: Matrix<T>, tools: Tools<'_>) -> (Matrix<T>, Vec<Block<T>>) {
    let (m, n) = (a.rows, a.columns);
    let mut blocks = Vec::new();
    for j in (0..m.min(n)).step_by(BLOCK) {
        let end = m.min(n).min(j + BLOCK);
        let (panel, mut reflections) = one_by_one(a.part(j..m, j..end));
        reflections.iter_mut().for_each(|h| h.first += j);
        a.write((j, j), &panel);
        let block = Block::new(&reflections, m, tools);
        block.adjoint_left(&mut a, end..n, tools);
        blocks.push(block);
    }
    (a, blocks)
}

/// The same with the reflections one by one.
pub(super) fn one_by_one<T: Number>(mut a: Matrix<T>) -> (Matrix<T>, Vec<Reflection<T>>) {
    let mut reflections = Vec::new();
    for i in 0..a.rows.min(a.columns) {
        let (h, beta) = Reflection::of(&a.column(i)[i..], i);
        let columns = i + 1..a.columns;
        h.adjoint_left(&mut a, columns);
        a[(i, i)] = T::real(beta);
        reflections.push(h);
    }
    (a, reflections)
}
