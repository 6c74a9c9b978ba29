//! QR by Householder's reflections, with the signs LAPACK gives.

use super::block::{BLOCK, Block};
use super::reflection::Reflection;
use super::{Matrix, Number, Tools};

/// The factors of a matrix: `q` with so many columns, and `r` with as many rows.
pub(super) fn qr<T: Number>(a: Matrix<T>, k: usize, tools: Tools<'_>) -> (Matrix<T>, Matrix<T>) {
    let m = a.rows;
    let (r, blocks) = factor(a, tools);
    let mut q = Matrix::identity(m, k);
    blocks.iter().rev().for_each(|b| b.left(&mut q, b.first..k, tools));
    (q, Matrix::new(k, r.columns, |i, j| if i <= j { r[(i, j)] } else { T::zero() }))
}

/// The matrix reflected, so that its upper triangle is the triangular factor; and the reflections, whose product is the other.
pub(super) fn factor<T: Number>(mut a: Matrix<T>, tools: Tools<'_>) -> (Matrix<T>, Vec<Block<T>>) {
    let (m, n) = (a.rows, a.columns);
    let mut blocks = Vec::new();
    for j in (0..m.min(n)).step_by(BLOCK) {
        let end = m.min(n).min(j + BLOCK);
        let mut panel = a.part(j..m, j..end);
        let mut reflections = Vec::new();
        for i in 0..end - j {
            let (h, beta) = Reflection::of(&panel.column(i)[i..], i);
            h.adjoint_left(&mut panel, i + 1..end - j);
            panel[(i, i)] = T::real(beta);
            reflections.push(Reflection { first: j + i, ..h });
        }
        a.write((j, j), &panel);
        let block = Block::new(&reflections, m, tools);
        block.adjoint_left(&mut a, end..n, tools);
        blocks.push(block);
    }
    (a, blocks)
}
