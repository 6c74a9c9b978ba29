//! Balanced matrices: rows and columns exchanged so that eigenvalues that can be read off are at the ends of the diagonal,
//! and those between multiplied by powers of two so that a row is about as long as its column.

use super::reflection::length;
use super::{Limits, Matrix, Number};
use std::ops::Range;

/// What was done to a matrix, so that it can be undone on eigenvectors.
pub(super) struct Balance {
    /// The rows whose eigenvalues can't be read off.
    pub rows: Range<usize>,
    /// Rows that were exchanged, as were the columns, in this order.
    exchanges: Vec<(usize, usize)>,
    /// What each column was multiplied by, and each row divided.
    scales: Vec<f64>,
}

impl Balance {
    pub(super) fn new<T: Number>(a: &mut Matrix<T>, limits: Limits) -> Balance {
        let mut balance = Balance { rows: 0..a.rows, exchanges: Vec::new(), scales: vec![1.0; a.rows] };
        balance.permute(a);
        while balance.scale(a, limits) {}
        balance
    }

    /// Moves rows that are zero but for the diagonal to the end, and such columns to the front, for as long as there are
    /// any among those that are left.
    fn permute<T: Number>(&mut self, a: &mut Matrix<T>) {
        let mut found = true;
        while std::mem::take(&mut found) {
            for i in (0..self.rows.end).rev() {
                if (0..self.rows.end).all(|j| i == j || a[(i, j)] == T::zero()) {
                    self.rows.end -= 1;
                    self.exchange(a, i, self.rows.end);
                    if self.rows.is_empty() {
                        // The last of all is at its place, and a block of its own.
                        self.rows = 0..1;
                        return;
                    }
                    found = true;
                }
            }
        }
        found = true;
        while std::mem::take(&mut found) {
            for j in self.rows.clone() {
                if self.rows.clone().all(|i| i == j || a[(i, j)] == T::zero()) {
                    self.exchange(a, j, self.rows.start);
                    self.rows.start += 1;
                    found = true;
                }
            }
        }
    }

    fn exchange<T: Number>(&mut self, a: &mut Matrix<T>, i: usize, k: usize) {
        if i != k {
            a.swap_columns(i, k);
            a.swap_rows(i, k);
            self.exchanges.push((i, k));
        }
    }

    /// Scales each row and column once where that makes them clearly shorter, and says whether there were any.
    fn scale<T: Number>(&mut self, a: &mut Matrix<T>, limits: Limits) -> bool {
        // Factors stay between these, and elements away from them.
        let (tiny, huge) = (limits.least / limits.spacing(), limits.spacing() / limits.least);
        let (least, most) = (tiny * 2.0, huge / 2.0);
        let mut found = false;
        for i in self.rows.clone() {
            let row = |a: &Matrix<T>, from: usize, to: usize| (from..to).map(|j| a[(i, j)]).collect::<Vec<T>>();
            let mut down = length(&a.column(i)[self.rows.clone()]);
            let mut across = length(&row(a, self.rows.start, self.rows.end));
            if down == 0.0 || across == 0.0 {
                continue;
            }
            let largest = |x: &[T]| x.iter().fold(0f64, |m, x| m.max(x.size()));
            let (mut down_most, mut across_most) =
                (largest(&a.column(i)[..self.rows.end]), largest(&row(a, self.rows.start, a.columns)));
            let (before, mut by) = (down + across, 1.0f64);
            while down < across / 2.0 && by.max(down).max(down_most) < most && (across / 2.0).min(across_most) > least {
                (by, down, down_most) = (by * 2.0, down * 2.0, down_most * 2.0);
                (across, across_most) = (across / 2.0, across_most / 2.0);
            }
            while down / 2.0 >= across && across.max(across_most) < most && by.min(down / 2.0).min(down_most) > least {
                (by, down, down_most) = (by / 2.0, down / 2.0, down_most / 2.0);
                (across, across_most) = (across * 2.0, across_most * 2.0);
            }
            let whole = self.scales[i] * by;
            if down + across >= 0.95 * before || whole <= tiny || whole >= huge {
                continue;
            }
            self.scales[i] = whole;
            found = true;
            (self.rows.start..a.columns).for_each(|j| a[(i, j)] = a[(i, j)].times(1.0 / by));
            a.column_mut(i)[..self.rows.end].iter_mut().for_each(|x| *x = x.times(by));
        }
        found
    }

    /// An eigenvector of the matrix as it was, from one of what it became.
    pub(super) fn undo<T: Number>(&self, v: &mut [T], left: bool) {
        for i in self.rows.clone() {
            v[i] = v[i].times(if left { 1.0 / self.scales[i] } else { self.scales[i] });
        }
        self.exchanges.iter().rev().for_each(|&(i, k)| v.swap(i, k));
    }
}
