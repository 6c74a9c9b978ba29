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
        let width = end - first;
        // What is left is a - v·yᴴ - x·uᴴ, with the vectors of reflections from the left and from the right.
        let (mut v, mut x) = (Matrix::<T>::zero(m, width), Matrix::<T>::zero(m, width));
        let (mut u, mut y) = (Matrix::<T>::zero(n, width), Matrix::<T>::zero(n, width));
        for j in first..end {
            let k = j - first;
            let row = |x: &Matrix<T>, i: usize, count: usize| (0..count).map(|c| x[(i, c)].conj()).collect::<Vec<T>>();
            let column = &mut a.column_mut(j)[j..];
            take_times(&v.elements()[j..], m, &row(&y, j, k), column);
            take_times(&x.elements()[j..], m, &row(&u, j, k), column);
            let (h, beta) = Reflection::of(column, j);
            main.push(beta);
            v.column_mut(k)[j..].copy_from_slice(&h.v);
            if j + 1 < n {
                let next = j + 1;
                let mut z = adjoint_times(&a.elements()[j + next * m..], m, n - next, &h.v);
                let dots =
                    [adjoint_times(&v.elements()[j..], m, k, &h.v), adjoint_times(&x.elements()[j..], m, k, &h.v)];
                take_times(&y.elements()[next..], n, &dots[0], &mut z);
                take_times(&u.elements()[next..], n, &dots[1], &mut z);
                z.iter_mut().for_each(|z| *z *= h.tau);
                y.column_mut(k)[next..].copy_from_slice(&z);

                let mut across: Vec<T> = (next..n).map(|c| a[(j, c)].conj()).collect();
                take_times(&y.elements()[next..], n, &row(&v, j, k + 1), &mut across);
                take_times(&u.elements()[next..], n, &row(&x, j, k), &mut across);
                let (g, beta) = Reflection::of(&across, next);
                beside.push(beta);
                u.column_mut(k)[next..].copy_from_slice(&g.v);
                let mut z = vec![T::zero(); m - next];
                if next < m {
                    let negated: Vec<T> = g.v.iter().map(|v| -*v).collect();
                    take_times(&a.elements()[next * (m + 1)..], m, &negated, &mut z);
                    let dots = [
                        adjoint_times(&y.elements()[next..], n, k + 1, &g.v),
                        adjoint_times(&u.elements()[next..], n, k, &g.v),
                    ];
                    take_times(&v.elements()[next..], m, &dots[0], &mut z);
                    take_times(&x.elements()[next..], m, &dots[1], &mut z);
                    z.iter_mut().for_each(|z| *z *= g.tau);
                    x.column_mut(k)[next..].copy_from_slice(&z);
                }
                right.push(g);
            }
            left.push(h);
        }
        if end < n {
            let both = |x: &Matrix<T>, y: &Matrix<T>| {
                let mut both = Matrix::zero(x.rows - end, 2 * width);
                both.write((0, 0), &x.part(end..x.rows, 0..width));
                both.write((0, width), &y.part(end..x.rows, 0..width));
                both
            };
            a.take_product((end, end), both(&v, &x).all(), both(&y, &u).all().adjoint(), tools);
        }
    }
    Bidiagonalized { main, beside, left, right }
}
