//! Solves with triangular matrices.

use super::product::{Factor, take};
use super::vectors::{adjoint_times, take_times};
use super::{Matrix, Number, Tools};
use std::ops::Range;
use wengert_core::ops::{MatrixTranspose, TriangularSolve};

/// Up to this many columns are solved for one by one.
const COLUMNS: usize = 32;
/// Right sides of fewer rows are solved row by row.
const FEW: usize = 4;

/// A triangular matrix.
pub(super) struct Triangle<T> {
    pub matrix: Matrix<T>,
    pub upper: bool,
    /// Whether ones stand for what is on the diagonal.
    pub unit: bool,
}

/// The solution of an op, row after row, of matrices of so many rows and columns.
pub(super) fn solve<T: Number>(
    op: &TriangularSolve,
    (a, n): (&[T], usize),
    (b, [rows, columns]): (&[T], [usize; 2]),
    tools: Tools<'_>,
) -> Vec<T> {
    // a·x = b is xᵀ·aᵀ = bᵀ; rows that lie one after the other are columns of what is transposed.
    let turned = (op.transpose_a == MatrixTranspose::No) == op.left_side;
    let matrix = if turned { Matrix::of_columns(n, n, a.to_vec()) } else { Matrix::of_rows(n, n, a) };
    let matrix = if op.transpose_a == MatrixTranspose::Adjoint { matrix.map(T::conj) } else { matrix };
    let triangle = Triangle { matrix, upper: op.lower == turned, unit: op.unit_diagonal };
    if op.left_side {
        let mut x = Matrix::of_columns(columns, rows, b.to_vec());
        triangle.solve(&mut x, tools);
        return x.into_elements();
    }
    let mut x = Matrix::of_rows(rows, columns, b);
    triangle.solve(&mut x, tools);
    x.by_rows()
}

impl<T: Number> Triangle<T> {
    /// Finds `x` of `x·a = b`, which is in its place.
    pub(super) fn solve(&self, x: &mut Matrix<T>, tools: Tools<'_>) {
        match x.rows {
            0 => {}
            few if few < FEW => (0..few).for_each(|i| self.row(x, i)),
            _ => self.some(x, 0..x.columns, tools),
        }
    }

    /// The same for some columns, of which the others are taken off already.
    fn some(&self, x: &mut Matrix<T>, some: Range<usize>, tools: Tools<'_>) {
        if some.len() <= COLUMNS {
            return self.one_by_one(x, some);
        }
        let middle = some.start + (some.len() / 2).next_multiple_of(COLUMNS / 2);
        let (left, right) = (some.start..middle, middle..some.end);
        let (first, second) = if self.upper { (left, right) } else { (right, left) };
        self.some(x, first.clone(), tools);
        let rows = x.rows;
        let (before, after) = x.elements_mut().split_at_mut(middle * rows);
        let coefficients = self.matrix.some(first.clone(), second.clone());
        let part =
            |known: &mut [T], start: usize| -> Vec<T> { known[start * rows..(start + first.len()) * rows].to_vec() };
        let known = if self.upper { part(before, first.start) } else { part(after, 0) };
        let out = if self.upper { after } else { &mut before[second.start * rows..] };
        take(out, rows, Factor::new(&known, rows, rows, first.len()), coefficients, tools);
        self.some(x, second, tools);
    }

    fn one_by_one(&self, x: &mut Matrix<T>, some: Range<usize>) {
        let rows = x.rows;
        for step in 0..some.len() {
            let j = if self.upper { some.start + step } else { some.end - 1 - step };
            let known = if self.upper { some.start..j } else { j + 1..some.end };
            let coefficients = &self.matrix.column(j)[known.clone()];
            let (before, after) = x.elements_mut().split_at_mut((j + !self.upper as usize) * rows);
            let (known, column) = match self.upper {
                true => (&before[known.start * rows..], &mut after[..rows]),
                false => (&after[..], &mut before[j * rows..]),
            };
            take_times(known, rows, coefficients, column);
            if !self.unit {
                let divisor = self.matrix[(j, j)];
                column.iter_mut().for_each(|x| *x = x.divided(divisor));
            }
        }
    }

    /// One row, by dot products with columns.
    fn row(&self, x: &mut Matrix<T>, i: usize) {
        let n = x.columns;
        let mut v: Vec<T> = (0..n).map(|j| x[(i, j)].conj()).collect();
        for step in 0..n {
            let j = if self.upper { step } else { n - 1 - step };
            let known = if self.upper { 0..j } else { j + 1..n };
            let sum = adjoint_times(&self.matrix.column(j)[known.clone()], n, 1, &v[known])[0];
            v[j] -= sum;
            if !self.unit {
                v[j] = v[j].divided(self.matrix[(j, j)].conj());
            }
        }
        (0..n).for_each(|j| x[(i, j)] = v[j].conj());
    }
}
