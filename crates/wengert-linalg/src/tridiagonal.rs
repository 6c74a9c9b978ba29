//! Hermitian matrices made tridiagonal by blocks of reflections: half of the work is products.

use super::block::BLOCK;
use super::reflection::Reflection;
use super::vectors::{adjoint_times, hermitian_times, take_times};
use super::{Matrix, Number, Tools};

/// Columns that are updated at a time: what is above the diagonal of them is computed in vain.
const UPDATED: usize = 96;

/// `a = q·t·qᴴ`: the diagonal of the real `t`, the elements beside it, and the reflections whose product is `q`. The lower
/// triangle of `a` is read.
pub(super) fn tridiagonal<T: Number>(mut a: Matrix<T>, tools: Tools<'_>) -> (Vec<f64>, Vec<f64>, Vec<Reflection<T>>) {
    let n = a.rows;
    let (mut main, mut beside, mut reflections) = (Vec::new(), Vec::new(), Vec::new());
    for first in (0..n).step_by(BLOCK) {
        let end = n.min(first + BLOCK);
        // What is left is a - v·wᴴ - w·vᴴ.
        let (mut v, mut w) = (Matrix::<T>::zero(n, end - first), Matrix::<T>::zero(n, end - first));
        for j in first..end {
            let k = j - first;
            let row = |x: &Matrix<T>| (0..k).map(|i| x[(j, i)].conj()).collect::<Vec<T>>();
            let column = &mut a.column_mut(j)[j..];
            take_times(&v.elements()[j..], n, &row(&w), column);
            take_times(&w.elements()[j..], n, &row(&v), column);
            main.push(column[0].re());
            if j + 1 == n {
                break;
            }
            let (h, beta) = Reflection::of(&column[1..], j + 1);
            beside.push(beta);
            v.column_mut(k)[j + 1..].copy_from_slice(&h.v);
            let mut x = hermitian_times(&a.elements()[(j + 1) * (n + 1)..], n, &h.v);
            let (vs, ws) = (&v.elements()[j + 1..], &w.elements()[j + 1..]);
            let dots = [adjoint_times(ws, n, k, &h.v), adjoint_times(vs, n, k, &h.v)];
            take_times(vs, n, &dots[0], &mut x);
            take_times(ws, n, &dots[1], &mut x);
            x.iter_mut().for_each(|x| *x *= h.tau);
            let dot = adjoint_times(&x, n, 1, &h.v)[0];
            let half = (h.tau * dot).times(0.5);
            x.iter_mut().zip(&h.v).for_each(|(x, v)| *x -= *v * half);
            w.column_mut(k)[j + 1..].copy_from_slice(&x);
            reflections.push(h);
        }
        let both = |x: &Matrix<T>, y: &Matrix<T>| {
            let mut both = Matrix::zero(n - end, 2 * BLOCK);
            both.write((0, 0), &x.part(end..n, 0..x.columns));
            both.write((0, BLOCK), &y.part(end..n, 0..y.columns));
            both
        };
        let (x, y) = (both(&v, &w), both(&w, &v));
        for from in (end..n).step_by(UPDATED) {
            let to = n.min(from + UPDATED);
            let left = x.some(from - end..n - end, 0..2 * BLOCK);
            a.take_product((from, from), left, y.some(from - end..to - end, 0..2 * BLOCK).adjoint(), tools);
        }
    }
    (main, beside, reflections)
}
