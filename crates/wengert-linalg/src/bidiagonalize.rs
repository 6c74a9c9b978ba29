//! Matrices made bidiagonal by blocks of reflections from both sides: half of the work is products.

use super::block::BLOCK;
use super::reflection::Reflection;
use super::vectors::{adjoint_times, take_times};
use super::{Matrix, Number, Tools};

/// `a = q·b·pᴴ`, of a matrix with no more columns than rows.
pub(super) struct Bidiagonalized<T> {
    /// The diagonal of `b`.
    pub main: Vec<f64>,
    /// What is above it.
    pub beside: Vec<f64>,
    /// The reflections whose product is `q`.
    pub left: Vec<Reflection<T>>,
    /// The reflections whose product is `p`.
    pub right: Vec<Reflection<T>>,
}

pub(super) fn bidiagonalize<T: Number>(mut a: Matrix<T>, tools: Tools<'_>) -> Bidiagonalized<T> {
    let (m, n) = (a.rows, a.columns);
    let (mut main, mut beside) = (Vec::new(), Vec::new());
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for first in (0..n).step_by(BLOCK) {
        let end = n.min(first + BLOCK);
        // What is left is a - p·rᴴ. The vectors of reflections from the left are in columns of `p` of even numbers, and those
        // from the right in columns of `r` of odd ones.
        let (mut p, mut r) = (Matrix::<T>::zero(m, 2 * (end - first)), Matrix::<T>::zero(n, 2 * (end - first)));
        for j in first..end {
            let (k, next) = (2 * (j - first), j + 1);
            let row = |x: &Matrix<T>, count: usize| (0..count).map(|c| x[(j, c)].conj()).collect::<Vec<T>>();
            let column = &mut a.column_mut(j)[j..];
            take_times(&p.elements()[j..], m, &row(&r, k), column);
            let (h, beta) = Reflection::of(column, j);
            main.push(beta);
            p.column_mut(k)[j..].copy_from_slice(&h.v);
            if next < n {
                let mut y = adjoint_times(&a.elements()[j + next * m..], m, n - next, &h.v);
                let dots = adjoint_times(&p.elements()[j..], m, k, &h.v);
                take_times(&r.elements()[next..], n, &dots, &mut y);
                r.column_mut(k)[next..].iter_mut().zip(y).for_each(|(r, y)| *r = y * h.tau);

                let mut across: Vec<T> = (next..n).map(|c| a[(j, c)].conj()).collect();
                take_times(&r.elements()[next..], n, &row(&p, k + 1), &mut across);
                let (g, beta) = Reflection::of(&across, next);
                beside.push(beta);
                r.column_mut(k + 1)[next..].copy_from_slice(&g.v);
                if next < m {
                    // Of the other sign until it is multiplied by tau.
                    let mut x = vec![T::zero(); m - next];
                    take_times(&a.elements()[next * (m + 1)..], m, &g.v, &mut x);
                    let mut dots = adjoint_times(&r.elements()[next..], n, k + 1, &g.v);
                    dots.iter_mut().for_each(|x| *x = -*x);
                    take_times(&p.elements()[next..], m, &dots, &mut x);
                    p.column_mut(k + 1)[next..].iter_mut().zip(x).for_each(|(p, x)| *p = -(x * g.tau));
                }
                right.push(g);
            }
            left.push(h);
        }
        let (rows, columns) = (p.some(end..m, 0..p.columns), r.some(end..n, 0..r.columns));
        a.take_product((end, end), rows, columns.adjoint(), tools);
    }
    Bidiagonalized { main, beside, left, right }
}
