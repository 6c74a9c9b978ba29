//! What can be read off Schur's form: eigenvalues, and eigenvectors row by row upwards.

use super::{Limits, Matrix, Number};
use std::ops::Range;
use wengert_core::Complex;

/// The rows of each block on the diagonal: two where there is something under it.
pub(super) fn blocks<T: Number>(t: &Matrix<T>) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut i = 0;
    while i < t.rows {
        let end = if i + 1 < t.rows && t[(i + 1, i)] != T::zero() { i + 2 } else { i + 1 };
        all.push(i..end);
        i = end;
    }
    all
}

/// The eigenvalues of a block; of two, the one with a positive imaginary part first.
pub(super) fn eigenvalues<T: Number>(t: &Matrix<T>, block: &Range<usize>, limits: Limits) -> Vec<Complex<f64>> {
    let (i, w) = (block.start, t[(block.start, block.start)].complex());
    if block.len() == 1 {
        return vec![w];
    }
    let [over, under] = [(i, i + 1), (i + 1, i)].map(|at| limits.rounded(t[at].size().sqrt()));
    let im = limits.rounded(over * under);
    vec![Complex::new(w.re, im), Complex::new(w.re, -im)]
}

/// The eigenvector of the first eigenvalue of a block, which ends with it. Where others are the same, or as good as that, they
/// are taken for a little different: then vectors come out the same where there is only one.
pub(super) fn eigenvector<T: Number>(t: &Matrix<T>, block: &Range<usize>, limits: Limits) -> Vec<Complex<f64>> {
    let (i, n) = (block.start, t.rows);
    let w = eigenvalues(t, block, limits)[0];
    let least = (limits.spacing() * w.parts()).max(limits.nothing(n));
    let mut x = vec![Complex::default(); n];
    if block.len() == 1 {
        x[i] = Complex::from(1.0);
    } else {
        let (over, under) = (t[(i, i + 1)].re(), t[(i + 1, i)].re());
        (x[i], x[i + 1]) = match over.abs() >= under.abs() {
            true => (Complex::new(1.0, 0.0), Complex::new(0.0, limits.rounded(w.im / over))),
            false => (Complex::new(limits.rounded(-w.im / under), 0.0), Complex::new(0.0, 1.0)),
        };
    }
    // What the elements that are known leave for those above.
    let take = |x: &mut [Complex<f64>], known: Range<usize>, end: usize| {
        for k in known {
            let by = x[k];
            x[..end].iter_mut().zip(t.column(k)).for_each(|(x, t)| *x -= t.complex() * by);
        }
    };
    take(&mut x, block.clone(), i);
    let mut end = i;
    while end > 0 {
        let two = end > 1 && t[(end - 1, end - 2)] != T::zero();
        let rows = end - 1 - usize::from(two)..end;
        match two {
            true => solve_two(t, rows.start, w, least, &mut x[..block.end]),
            false => {
                let apart = t[(end - 1, end - 1)].complex() - w;
                let apart = if apart.parts() < least { least.into() } else { apart };
                make_room(&mut x[..block.end], &rows, apart);
                x[end - 1] = x[end - 1].over(apart);
            }
        }
        make_room(&mut x[..block.end], &rows, Complex::from(1e-200));
        take(&mut x, rows.clone(), rows.start);
        end = rows.start;
    }
    x
}

/// Makes a vector smaller if some of its elements could not be divided by this number.
fn make_room(x: &mut [Complex<f64>], some: &Range<usize>, divisor: Complex<f64>) {
    let most = some.clone().fold(0.0, |m: f64, k| m.max(x[k].parts()));
    if most > 1e300 * divisor.parts() {
        x.iter_mut().for_each(|x| *x /= most);
    }
}

/// Solves for two elements, whose right side is in their place: by elimination from the largest coefficient.
fn solve_two<T: Number>(t: &Matrix<T>, i: usize, w: Complex<f64>, least: f64, x: &mut [Complex<f64>]) {
    let a = |r: usize, c: usize| t[(i + r, i + c)].complex() - if r == c { w } else { Complex::default() };
    let all = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let (r, c) = all.into_iter().fold((0, 0), |m, p| if a(p.0, p.1).parts() > a(m.0, m.1).parts() { p } else { m });
    let first = a(r, c);
    if first.parts() < least {
        make_room(x, &(i..i + 2), least.into());
        (x[i], x[i + 1]) = (x[i] / least, x[i + 1] / least);
        return;
    }
    let (down, across) = (a(1 - r, c).over(first), a(r, 1 - c).over(first));
    let second = a(1 - r, 1 - c) - a(r, 1 - c) * down;
    let second = if second.parts() < least { least.into() } else { second };
    make_room(x, &(i..i + 2), second);
    let right = [x[i + r], x[i + 1 - r]];
    let late = (right[1] - right[0] * down).over(second);
    x[i + c] = right[0].over(first) - across * late;
    x[i + 1 - c] = late;
}
