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
        // What is left is a - v·wᴴ - w·vᴴ, whose columns take turns in `p`.
        let mut p = Matrix::<T>::zero(n, 2 * (end - first));
        for j in first..end {
            let k = 2 * (j - first);
            let row: Vec<T> = (0..k).map(|i| p[(j, i ^ 1)].conj()).collect();
            let column = &mut a.column_mut(j)[j..];
            take_times(&p.elements()[j..], n, &row, column);
            main.push(column[0].re());
            if j + 1 == n {
                break;
            }
            let (h, beta) = Reflection::of(&column[1..], j + 1);
            beside.push(beta);
            let mut x = hermitian_times(&a.elements()[(j + 1) * (n + 1)..], n, &h.v);
            let before = &p.elements()[j + 1..];
            let mut dots = adjoint_times(before, n, k, &h.v);
            dots.chunks_exact_mut(2).for_each(|two| two.swap(0, 1));
            take_times(before, n, &dots, &mut x);
            x.iter_mut().for_each(|x| *x *= h.tau);
            let dot = adjoint_times(&x, n, 1, &h.v)[0];
            let half = (h.tau * dot).times(0.5);
            x.iter_mut().zip(&h.v).for_each(|(x, v)| *x -= *v * half);
            p.column_mut(k)[j + 1..].copy_from_slice(&h.v);
            p.column_mut(k + 1)[j + 1..].copy_from_slice(&x);
            reflections.push(h);
        }
        let mut turned = p.clone();
        (0..p.columns).step_by(2).for_each(|k| turned.swap_columns(k, k + 1));
        for from in (end..n).step_by(UPDATED) {
            let to = n.min(from + UPDATED);
            let (x, y) = (p.some(from..n, 0..p.columns), turned.some(from..to, 0..p.columns));
            a.take_product((from, from), x, y.adjoint(), tools);
        }
    }
    (main, beside, reflections)
}
