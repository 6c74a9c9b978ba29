//! Schur's form: reflections leave nothing under the subdiagonal of a matrix, and sweeps of the QR algorithm make it
//! triangular, from the last row up. Of real numbers, blocks of two rows stay whose eigenvalues are conjugates.

use super::bulges;
use super::hessenberg::hessenberg;
use super::reflection::Reflection;
use super::{Limits, Matrix, Number, Tools};
use std::ops::Range;
use wengert_core::Complex;

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

    /// The first elements of the first column of `(t - x)·(t - y)`, or of `t - x` where one shift is enough, up to a factor.
    fn lead(t: &Matrix<Self>, shifts: [Complex<f64>; 2]) -> Vec<Self>;

    /// Makes the last element under the diagonal of a block real again.
    fn settle(a: &mut Schur<Self>, block: &Range<usize>, reach: &Range<usize>);

    /// The product with complex columns.
    fn times_complex(q: &Matrix<Self>, x: &Matrix<Complex<f64>>, tools: Tools<'_>) -> Matrix<Complex<f64>>;

    /// Gives a block that stays the form that it should have.
    fn finish(a: &mut Schur<Self>, block: Range<usize>);
}

impl<T: Sweep> Schur<T> {
    /// The form of a matrix that has nothing to do but in these rows; nothing if that takes too long.
    pub(super) fn new(
        a: Matrix<T>,
        rows: Range<usize>,
        vectors: bool,
        limits: Limits,
        tools: Tools<'_>,
    ) -> Option<Schur<T>> {
        let (t, q) = hessenberg(a, rows.clone(), vectors, tools);
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
                // One bulge with other shifts from time to time, should many lead nowhere.
                let many = block.len() >= bulges::ROWS && !count.is_multiple_of(10);
                if !many || bulges::sweep(&mut schur, &block, tools).is_none() {
                    T::sweep(&mut schur, block.clone(), count);
                }
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
