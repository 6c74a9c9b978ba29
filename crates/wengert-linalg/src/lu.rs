//! LU with partial pivoting: LAPACK's choice of pivots, and columns without one left as they are.

use super::triangular::Triangle;
use super::vectors::take_times;
use super::{Matrix, Number, Tools};
use std::sync::Mutex;
use wengert_core::{Element, View, ViewMut};

/// Up to this many columns are done where the results go.
const FEW: usize = 16;
/// Columns that are factored one by one.
const COLUMNS: usize = 32;

/// Both factors of a matrix of so many rows and columns, row after row; which row was exchanged with each; and where the rows
/// came from.
pub(super) fn lu<T: Number>(a: &[T], [m, n]: [usize; 2], tools: Tools<'_>) -> (Vec<T>, Vec<i32>, Vec<i32>) {
    // Rows are columns of what is transposed, and exchanged as such.
    let mut t = Matrix::of_columns(n, m, a.to_vec());
    let least = m.min(n);
    let mut pivots = Vec::with_capacity(least);
    for j in (0..least).step_by(COLUMNS) {
        let end = least.min(j + COLUMNS);
        let mut panel = Matrix::new(m - j, end - j, |i, k| t[(j + k, j + i)]);
        for (k, p) in one_by_one(&mut panel).into_iter().enumerate() {
            t.swap_columns(j + k, j + p);
            pivots.push(j + p);
        }
        for i in 0..m - j {
            (0..end - j).for_each(|k| t[(j + k, j + i)] = panel[(i, k)]);
        }
        if end < n {
            let mut right = t.part(end..n, j..end);
            let corner = Matrix::new(end - j, end - j, |i, k| panel[(k, i)]);
            Triangle { matrix: corner, upper: true, unit: true }.solve(&mut right, tools);
            t.write((end, j), &right);
            let below = panel.some(end - j..panel.rows, 0..end - j);
            t.take_product((end, end), right.all(), below.transposed(), tools);
        }
    }
    let mut permutation: Vec<i32> = (0..m as i32).collect();
    pivots.iter().enumerate().for_each(|(i, &p)| permutation.swap(i, p));
    (t.into_elements(), pivots.into_iter().map(|p| p as i32).collect(), permutation)
}

/// A batch of matrices of few columns, where the results go.
pub(super) fn small<T: Number + Element>(x: View<'_>, y: &mut [ViewMut<'_>], tools: Tools<'_>) -> bool {
    let [.., m, n] = x.shape()[..] else { return false };
    let least = m.min(n);
    if n > FEW || least == 0 || y[0].size() == 0 {
        return false;
    }
    let [factors, pivots, permutations] = y else { return false };
    factors.copy_from(x);
    // Some at a time: one takes less than it takes to hand it to another thread.
    let some = (super::PARALLEL / (m * n * least)).max(1);
    let work = factors.size() * least;
    let each = factors.elements::<T>().chunks_mut(some * m * n);
    let each = each.zip(pivots.elements::<i32>().chunks_mut(some * least));
    let each = each.zip(permutations.elements::<i32>().chunks_mut(some * m));
    let each: Vec<_> = each.map(Mutex::new).collect();
    (tools.spread)(each.len(), work, &|i| {
        let mut some = each[i].lock().expect("nobody else has it");
        let ((factors, pivots), permutations) = &mut *some;
        let each = factors.chunks_mut(m * n).zip(pivots.chunks_mut(least)).zip(permutations.chunks_mut(m));
        each.for_each(|((a, pivots), permutation)| by_rows(a, n, pivots, permutation));
    });
    true
}

/// A matrix of `n` columns that lies row after row.
fn by_rows<T: Number>(a: &mut [T], n: usize, pivots: &mut [i32], permutation: &mut [i32]) {
    let m = permutation.len();
    permutation.iter_mut().enumerate().for_each(|(i, p)| *p = i as i32);
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let p = largest(k..m, |i| a[i * n + k]);
        *pivot = p as i32;
        permutation.swap(k, p);
        if p != k {
            (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let row = &upper[k * n..];
        for below in lower.chunks_exact_mut(n) {
            if row[k] != T::zero() {
                below[k] = below[k].divided(row[k]);
            }
            let by = below[k];
            below[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(x, u)| *x -= by * *u);
        }
    }
}

/// The first of the rows whose element is the largest, by |re| + |im|.
fn largest<T: Number>(rows: std::ops::Range<usize>, element: impl Fn(usize) -> T) -> usize {
    let (mut at, mut most) = (rows.start, element(rows.start).parts());
    for i in rows.start + 1..rows.end {
        let size = element(i).parts();
        if size > most {
            (at, most) = (i, size);
        }
    }
    at
}

/// Factors a matrix with no more columns than rows, and gives the row that was exchanged with each.
fn one_by_one<T: Number>(a: &mut Matrix<T>) -> Vec<usize> {
    let (m, n) = (a.rows, a.columns);
    let mut pivots = Vec::with_capacity(n);
    for k in 0..n {
        let (before, column) = a.elements_mut().split_at_mut(k * m);
        let column = &mut column[..m];
        for i in 1..k {
            let sum = (0..i).fold(T::zero(), |s, l| s + before[i + l * m] * column[l]);
            column[i] -= sum;
        }
        let (above, below) = column.split_at_mut(k);
        take_times(&before[k.min(before.len())..], m, above, below);
        let pivot = largest(k..m, |i| a[(i, k)]);
        pivots.push(pivot);
        if pivot != k {
            a.swap_rows(k, pivot);
        }
        let top = a[(k, k)];
        if top != T::zero() {
            a.column_mut(k)[k + 1..].iter_mut().for_each(|x| *x = x.divided(top));
        }
    }
    pivots
}
