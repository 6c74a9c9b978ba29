//! Schur's form: reflections leave nothing under the subdiagonal of a matrix, and sweeps of the QR algorithm make it
//! triangular, from the last row up. Of real numbers, blocks of two rows stay whose eigenvalues are conjugates.

use super::reflection::Reflection;
use super::{Limits, Matrix, Number};
use std::ops::Range;

/// A matrix on its way, and the unitary change of basis.
pub(crate) struct Schur<T> {
    pub(super) t: Matrix<T>,
    /// None where eigenvalues alone are wanted: then `t` is right on its diagonal, and in its blocks, alone.
    pub(super) q: Option<Matrix<T>>,
    pub(super) limits: Limits,
}

/// Numbers whose matrices have such a form.
pub(crate) trait Sweep: Number {
    /// The most rows of a block that stays.
    const BLOCK: usize;

    /// Sweeps over a block that has taken this many sweeps with it.
    fn sweep(a: &mut Schur<Self>, block: Range<usize>, count: usize);

    /// Gives a block that stays the form that it should have.
    fn finish(a: &mut Schur<Self>, block: Range<usize>);
}

impl<T: Sweep> Schur<T> {
    /// The form of a matrix that has nothing to do but in these rows; nothing if that takes too long.
    pub(super) fn new(a: Matrix<T>, rows: Range<usize>, vectors: bool, limits: Limits) -> Option<Schur<T>> {
        let (t, q) = hessenberg(a, rows.clone(), vectors);
        let mut schur = Schur { t, q, limits };
        let nothing = limits.nothing(rows.len());
        let patience = 30 * rows.len().max(10);
        let mut left = rows.clone();
        while !left.is_empty() {
            let mut block = left.clone();
            for count in 1.. {
                block.start = schur.split(&block, &rows, nothing);
                if block.len() <= T::BLOCK {
                    break;
                }
                if count > patience {
                    return None;
                }
                T::sweep(&mut schur, block.clone(), count);
            }
            T::finish(&mut schur, block.clone());
            left.end = block.start;
        }
        Some(schur)
    }

    /// The first row of the last block of these rows that is separate from those before it: the element beside is next to
    /// nothing (as Ahues and Tisseur say), and made zero.
    fn split(&mut self, block: &Range<usize>, rows: &Range<usize>, nothing: f64) -> usize {
        let (t, spacing) = (&mut self.t, self.limits.spacing());
        let separate = |k: usize| {
            let (under, over) = (t[(k, k - 1)].parts(), t[(k - 1, k)].parts());
            if under <= nothing {
                return true;
            }
            let (before, here) = (t[(k - 1, k - 1)], t[(k, k)]);
            let mut near = before.parts() + here.parts();
            if near == 0.0 {
                let mut add = |i: usize, j: usize| near += t[(i, j)].re().abs();
                if k >= rows.start + 2 {
                    add(k - 1, k - 2);
                }
                if k + 1 < rows.end {
                    add(k + 1, k);
                }
            }
            if under > spacing * near {
                return false;
            }
            let apart = (before - here).parts();
            let (most, least) = (under.max(over), under.min(over));
            let (large, small) = (here.parts().max(apart), here.parts().min(apart));
            let sum = large + most;
            least * (most / sum) <= nothing.max(spacing * (small * (large / sum)))
        };
        let first = (block.start + 1..block.end).rev().find(|&k| separate(k)).unwrap_or(block.start);
        if first > rows.start {
            t[(first, first - 1)] = T::zero();
        }
        first
    }

    /// The rows above a block, and the columns after it, that change with it: its own alone if nobody wants the others.
    pub(super) fn reach(&self, block: &Range<usize>) -> Range<usize> {
        if self.q.is_some() { 0..self.t.rows } else { block.clone() }
    }

    /// `hᴴ·t·h`, for the columns from `column` on, and the rows before `end`.
    pub(super) fn reflect(&mut self, h: &Reflection<T>, reach: &Range<usize>, column: usize, end: usize) {
        h.adjoint_left(&mut self.t, column..reach.end);
        h.right(&mut self.t, reach.start..end);
        if let Some(q) = &mut self.q {
            h.right(q, 0..q.rows);
        }
    }
}

/// `a = q·h·qᴴ`, with nothing under the subdiagonal of `h`, whose elements are real.
fn hessenberg<T: Number>(mut a: Matrix<T>, rows: Range<usize>, vectors: bool) -> (Matrix<T>, Option<Matrix<T>>) {
    let n = a.rows;
    let mut reflections = Vec::new();
    for j in rows.start..rows.end.saturating_sub(1) {
        let (h, beta) = Reflection::of(&a.column(j)[j + 1..rows.end], j + 1);
        h.adjoint_left(&mut a, j + 1..n);
        h.right(&mut a, 0..rows.end);
        let column = &mut a.column_mut(j)[j + 1..rows.end];
        column.fill(T::zero());
        column[0] = T::real(beta);
        reflections.push(h);
    }
    let q = vectors.then(|| {
        let mut q = Matrix::identity(n, n);
        // The columns that those after it reached.
        reflections.iter().rev().for_each(|h| h.left(&mut q, h.first..rows.end));
        q
    });
    (a, q)
}
