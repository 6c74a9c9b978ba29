//! Matrices without anything under the subdiagonal, by blocks of reflections: most of the work is products.

use super::block::{BLOCK, Block};
use super::reflection::Reflection;
use super::vectors::{adjoint_times, take_times};
use super::{Matrix, Number, Tools};
use std::ops::Range;

/// `a = q·h·qᴴ`, with nothing under the subdiagonal of `h`, whose elements are real; `q` if it is wanted. There is something
/// to do in these rows alone.
pub(super) fn hessenberg<T: Number>(
    mut a: Matrix<T>,
    rows: Range<usize>,
    vectors: bool,
    tools: Tools<'_>,
) -> (Matrix<T>, Option<Matrix<T>>) {
    let n = a.rows;
    if rows.len() <= super::SMALL {
        return one_by_one(a, rows, vectors);
    }
    let mut blocks = Vec::new();
    let last = rows.end.saturating_sub(1);
    for first in (rows.start..last).step_by(BLOCK) {
        let end = last.min(first + BLOCK);
        blocks.push(panel(&mut a, rows.end, first..end, tools));
    }
    let q = vectors.then(|| {
        let mut q = Matrix::identity(n, n);
        blocks.iter().rev().for_each(|b| b.left(&mut q, b.first..rows.end, tools));
        q
    });
    (a, q)
}

/// The same for few rows, one reflection after the other.
fn one_by_one<T: Number>(mut a: Matrix<T>, rows: Range<usize>, vectors: bool) -> (Matrix<T>, Option<Matrix<T>>) {
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

/// Reflects some columns, and applies what that takes to all others: with the reflections `1 - v·t·vᴴ` it is
/// `(1 - v·tᴴ·vᴴ)·(a - y·vᴴ)`.
fn panel<T: Number>(a: &mut Matrix<T>, bottom: usize, some: Range<usize>, tools: Tools<'_>) -> Block<T> {
    let (n, first) = (a.rows, some.start + 1);
    let mut v = Matrix::<T>::zero(bottom, some.len());
    let mut y = v.clone();
    let mut t = Matrix::<T>::zero(some.len(), some.len());
    for (k, j) in some.clone().enumerate() {
        let row: Vec<T> = (0..k).map(|i| v[(j, i)].conj()).collect();
        let column = &mut a.column_mut(j)[..bottom];
        take_times(y.elements(), bottom, &row, column);
        let vs = &v.elements()[first..];
        let dots = adjoint_times(vs, bottom, k, &column[first..]);
        let turned: Vec<T> = (0..k).map(|i| (0..=i).fold(T::zero(), |s, l| s + t[(l, i)].conj() * dots[l])).collect();
        take_times(vs, bottom, &turned, &mut column[first..]);
        let (h, beta) = Reflection::of(&column[j + 1..], j + 1);
        column[j + 1..].fill(T::zero());
        column[j + 1] = T::real(beta);
        v.column_mut(k)[j + 1..].copy_from_slice(&h.v);

        let dots = adjoint_times(&v.elements()[j + 1..], bottom, k, &h.v);
        let mut z = vec![T::zero(); bottom];
        let negated: Vec<T> = h.v.iter().map(|v| -*v).collect();
        take_times(&a.elements()[(j + 1) * n..], n, &negated, &mut z);
        take_times(y.elements(), bottom, &dots, &mut z);
        y.column_mut(k).iter_mut().zip(&z).for_each(|(y, z)| *y = *z * h.tau);
        for i in 0..k {
            let sum = (i..k).fold(T::zero(), |s, l| s + t[(i, l)] * dots[l]);
            t[(i, k)] = -h.tau * sum;
        }
        t[(k, k)] = h.tau;
    }
    let rest = some.end;
    a.take_product((0, rest), y.all(), v.some(rest..bottom, 0..some.len()).adjoint(), tools);
    let block = Block { first, v: v.part(first..bottom, 0..some.len()), t };
    block.adjoint_left(a, rest..n, tools);
    block
}
