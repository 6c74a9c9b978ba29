//! A matrix, and what is done to all of one.

use super::Number;
use std::ops::{Index, IndexMut, Range};

/// The rows and columns of a square that is turned at once: they stay in the nearest cache.
const SQUARE: usize = 16;

/// A matrix that lies column after column.
#[derive(Clone)]
pub(crate) struct Matrix<T> {
    pub rows: usize,
    pub columns: usize,
    elements: Vec<T>,
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.elements[i + j * self.rows]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.elements[i + j * self.rows]
    }
}

impl<T: Number> Matrix<T> {
    pub(super) fn new(rows: usize, columns: usize, f: impl Fn(usize, usize) -> T) -> Matrix<T> {
        let elements = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).map(|(i, j)| f(i, j)).collect();
        Matrix { rows, columns, elements }
    }

    pub(super) fn zero(rows: usize, columns: usize) -> Matrix<T> {
        Matrix { rows, columns, elements: vec![T::zero(); rows * columns] }
    }

    /// The matrix whose columns lie one after the other.
    pub(super) fn of_columns(rows: usize, columns: usize, elements: Vec<T>) -> Matrix<T> {
        assert_eq!(elements.len(), rows * columns, "as many as there are");
        Matrix { rows, columns, elements }
    }

    /// The matrix whose rows lie one after the other.
    pub(super) fn of_rows(rows: usize, columns: usize, elements: &[T]) -> Matrix<T> {
        Matrix { rows, columns, elements: turned(elements, columns, rows) }
    }

    pub(super) fn identity(rows: usize, columns: usize) -> Matrix<T> {
        Matrix::new(rows, columns, |i, j| if i == j { T::one() } else { T::zero() })
    }

    /// The elements row by row.
    pub(super) fn by_rows(&self) -> Vec<T> {
        turned(&self.elements, self.rows, self.columns)
    }

    pub(super) fn elements(&self) -> &[T] {
        &self.elements
    }

    pub(super) fn into_elements(self) -> Vec<T> {
        self.elements
    }

    pub(super) fn elements_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }

    /// A copy of some rows and columns.
    pub(super) fn part(&self, rows: Range<usize>, columns: Range<usize>) -> Matrix<T> {
        let elements = columns.clone().flat_map(|j| self.column(j)[rows.clone()].iter().copied()).collect();
        Matrix { rows: rows.len(), columns: columns.len(), elements }
    }

    /// Writes a matrix from a row and a column on.
    pub(super) fn write(&mut self, (i, j): (usize, usize), part: &Matrix<T>) {
        (0..part.columns).for_each(|k| self.column_mut(j + k)[i..i + part.rows].copy_from_slice(part.column(k)));
    }

    pub(super) fn column(&self, j: usize) -> &[T] {
        &self.elements[j * self.rows..(j + 1) * self.rows]
    }

    pub(super) fn column_mut(&mut self, j: usize) -> &mut [T] {
        &mut self.elements[j * self.rows..(j + 1) * self.rows]
    }

    /// Two columns, the first before the second.
    pub(super) fn two_columns(&mut self, j: usize, k: usize) -> (&mut [T], &mut [T]) {
        let (left, right) = self.elements.split_at_mut(k * self.rows);
        (&mut left[j * self.rows..(j + 1) * self.rows], &mut right[..self.rows])
    }

    /// A column, and some after it.
    pub(super) fn columns_mut<const N: usize>(&mut self, first: usize) -> (&mut [T], [&mut [T]; N]) {
        let mut columns = self.elements[first * self.rows..].chunks_exact_mut(self.rows);
        let mut next = || columns.next().expect("a column");
        (next(), std::array::from_fn(|_| next()))
    }

    pub(super) fn swap_columns(&mut self, j: usize, k: usize) {
        if j != k {
            let (a, b) = self.two_columns(j.min(k), j.max(k));
            a.swap_with_slice(b);
        }
    }

    pub(super) fn swap_rows(&mut self, i: usize, k: usize) {
        (0..self.columns).for_each(|j| self.column_mut(j).swap(i, k));
    }

    pub(super) fn adjoint(&self) -> Matrix<T> {
        let elements = turned(&self.elements, self.rows, self.columns);
        let turned = Matrix { rows: self.columns, columns: self.rows, elements };
        if T::REAL { turned } else { turned.map(T::conj) }
    }

    /// Whether all elements are finite.
    pub(super) fn finite(&self) -> bool {
        self.elements.iter().all(|x| x.re().is_finite() && x.im().is_finite())
    }

    /// The largest part of an element.
    pub(super) fn largest(&self) -> f64 {
        self.elements.iter().fold(0.0f64, |m, x| m.max(x.re().abs()).max(x.im().abs()))
    }

    pub(super) fn map(mut self, f: impl Fn(T) -> T) -> Matrix<T> {
        self.elements.iter_mut().for_each(|x| *x = f(*x));
        self
    }

    /// The matrix divided by a power of two, and that one: its largest element is about 1 then, if there is one that is
    /// not zero. No bits are lost.
    pub(super) fn scaled(self) -> (Matrix<T>, f64) {
        let most = self.largest();
        if most == 0.0 {
            return (self, 1.0);
        }
        // In two steps, because the factor of a tiny number is too large for one.
        let exponent = most.log2().floor() as i32;
        let half = exponent / 2;
        let rest = exponent - half;
        let scaled = self.map(|x| x.times(2f64.powi(-half)).times(2f64.powi(-rest)));
        (scaled, 2f64.powi(half) * 2f64.powi(rest))
    }
}

/// The elements of `columns` columns of `rows` elements, row after row.
fn turned<T: Number>(elements: &[T], rows: usize, columns: usize) -> Vec<T> {
    let mut all = vec![T::zero(); elements.len()];
    for first in (0..rows).step_by(SQUARE) {
        for from in (0..columns).step_by(SQUARE) {
            for i in first..rows.min(first + SQUARE) {
                (from..columns.min(from + SQUARE)).for_each(|j| all[i * columns + j] = elements[i + j * rows]);
            }
        }
    }
    all
}
