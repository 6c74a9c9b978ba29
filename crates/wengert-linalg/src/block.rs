//! Reflections one after the other as one change of many rows: `1 - v·t·vᴴ`, with a triangular `t`. Products do most of the
//! work then.

use super::reflection::Reflection;
use super::{Matrix, Number, Tools};
use std::ops::Range;

/// How many reflections are put together.
pub(super) const BLOCK: usize = 32;

/// The product of some reflections, which acts on the rows from `first` on.
pub(super) struct Block<T> {
    pub first: usize,
    pub v: Matrix<T>,
    pub t: Matrix<T>,
}

impl<T: Number> Block<T> {
    /// The product of reflections, none of which acts on rows before those of the first, of a matrix with so many rows.
    pub(super) fn new(reflections: &[Reflection<T>], rows: usize, tools: Tools<'_>) -> Block<T> {
        let first = reflections[0].first;
        let mut v = Matrix::zero(rows - first, reflections.len());
        for (j, h) in reflections.iter().enumerate() {
            v.column_mut(j)[h.first - first..h.first - first + h.v.len()].copy_from_slice(&h.v);
        }
        let dots = Matrix::product(v.all().adjoint(), v.all(), tools);
        let mut t = Matrix::zero(reflections.len(), reflections.len());
        for (j, h) in reflections.iter().enumerate() {
            for i in 0..j {
                let sum = (i..j).fold(T::zero(), |s, k| s + t[(i, k)] * dots[(k, j)]);
                t[(i, j)] = -h.tau * sum;
            }
            t[(j, j)] = h.tau;
        }
        Block { first, v, t }
    }

    /// The products of all reflections, some at a time.
    pub(super) fn all(reflections: &[Reflection<T>], rows: usize, tools: Tools<'_>) -> Vec<Block<T>> {
        reflections.chunks(BLOCK).map(|some| Block::new(some, rows, tools)).collect()
    }

    /// Applies it to these columns of a matrix.
    pub(super) fn left(&self, a: &mut Matrix<T>, columns: Range<usize>, tools: Tools<'_>) {
        let t = Matrix::product(self.v.all(), self.t.all(), tools);
        self.left_with(&t, a, columns, tools);
    }

    /// Applies the adjoint to these columns of a matrix.
    pub(super) fn adjoint_left(&self, a: &mut Matrix<T>, columns: Range<usize>, tools: Tools<'_>) {
        let t = Matrix::product(self.v.all(), self.t.all().adjoint(), tools);
        self.left_with(&t, a, columns, tools);
    }

    fn left_with(&self, vt: &Matrix<T>, a: &mut Matrix<T>, columns: Range<usize>, tools: Tools<'_>) {
        if columns.is_empty() {
            return;
        }
        let rows = self.first..self.first + self.v.rows;
        let dots = Matrix::product(self.v.all().adjoint(), a.some(rows, columns.clone()), tools);
        a.take_product((self.first, columns.start), vt.all(), dots.all(), tools);
    }
}
