//! LU with partial pivoting: LAPACK's choice of pivots, and columns without one left as they are.

use super::{Field, line, rows};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::traits::ext::ComplexFieldExt;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use wengert_core::{Tensor, View, ViewMut};

/// Up to this many columns are done one by one.
const COLUMNS: usize = 16;

pub(super) fn lu<T: Field>(a: MatRef<'_, T>) -> Vec<Tensor> {
    let mut a = a.to_owned();
    let mut pivots = vec![0; a.nrows().min(a.ncols())];
    factor(a.as_mut(), &mut pivots);
    let mut permutation: Vec<i32> = (0..a.nrows() as i32).collect();
    pivots.iter().enumerate().for_each(|(i, &p)| permutation.swap(i, p));
    let pivots: Vec<i32> = pivots.into_iter().map(|p| p as i32).collect();
    vec![rows(a.as_ref()), line(pivots), line(permutation)]
}

/// A batch of matrices of few columns, where the results go.
pub(super) fn small<T: Field>(x: View<'_>, y: &mut [ViewMut<'_>]) -> bool {
    let [.., m, n] = x.shape()[..] else { return false };
    let least = m.min(n);
    if n > COLUMNS || least == 0 || y[0].size() == 0 {
        return false;
    }
    let [factors, pivots, permutations] = y else { return false };
    factors.copy_from(x);
    let work = factors.size() * least;
    let each = factors.elements::<T>().par_chunks_mut(m * n);
    let each = each.zip(pivots.elements::<i32>().par_chunks_mut(least));
    let each = each.zip(permutations.elements::<i32>().par_chunks_mut(m));
    // Some at a time: one takes less than it takes to hand it to another thread.
    let some = if work > super::PARALLEL { (super::PARALLEL / (m * n * least)).max(1) } else { usize::MAX };
    each.with_min_len(some).for_each(|((a, pivots), permutation)| {
        let mut found = [0; COLUMNS];
        let found = &mut found[..least];
        one_by_one(MatMut::from_row_major_slice_mut(a, m, n), found);
        permutation.iter_mut().enumerate().for_each(|(i, p)| *p = i as i32);
        for (i, (to, &p)) in pivots.iter_mut().zip(&*found).enumerate() {
            *to = p as i32;
            permutation.swap(i, p);
        }
    });
    true
}

/// Factors the left half, updates the right one, and factors that.
fn factor<T: Field>(mut a: MatMut<'_, T>, pivots: &mut [usize]) {
    let (m, n) = a.shape();
    if n <= COLUMNS || m <= 1 {
        return one_by_one(a, pivots);
    }
    let half = m.min(n) / 2;
    let (first, second) = pivots.split_at_mut(half);
    let (mut left, mut right) = a.rb_mut().split_at_col_mut(half);
    factor(left.rb_mut(), first);
    swap_rows(right.rb_mut(), first);
    let (l11, l21) = left.rb().split_at_row(half);
    let (mut u12, mut a22) = right.split_at_row_mut(half);
    solve_unit_lower_triangular_in_place(l11, u12.rb_mut(), Par::Seq);
    matmul(a22.rb_mut(), Accum::Add, l21, u12.rb(), -T::one(), Par::Seq);
    factor(a22, second);
    swap_rows(left.split_at_row_mut(half).1, second);
    second.iter_mut().for_each(|p| *p += half);
}

fn one_by_one<T: Field>(mut a: MatMut<'_, T>, pivots: &mut [usize]) {
    let (m, n) = a.shape();
    for (k, pivot) in pivots.iter_mut().enumerate() {
        // The first of the largest elements, by |re| + |im|.
        *pivot = k;
        for i in k + 1..m {
            if a[(i, k)].abs1() > a[(*pivot, k)].abs1() {
                *pivot = i;
            }
        }
        swap(a.rb_mut(), k, *pivot);
        let top = a[(k, k)];
        if top != T::zero() {
            (k + 1..m).for_each(|i| a[(i, k)] /= top);
        }
        for j in k + 1..n {
            let u = a[(k, j)];
            (k + 1..m).for_each(|i| a[(i, j)] = a[(i, j)] - a[(i, k)] * u);
        }
    }
}

fn swap_rows<T: Field>(mut a: MatMut<'_, T>, pivots: &[usize]) {
    pivots.iter().enumerate().for_each(|(i, &p)| swap(a.rb_mut(), i, p));
}

fn swap<T: Field>(mut a: MatMut<'_, T>, i: usize, k: usize) {
    if i != k {
        (0..a.ncols()).for_each(|j| (a[(i, j)], a[(k, j)]) = (a[(k, j)], a[(i, j)]));
    }
}
