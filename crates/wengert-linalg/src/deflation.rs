//! Eigenvalues of the last rows that have converged although nothing beside the diagonal has vanished yet (Braman, Byers and
//! Mathias): those rows by themselves are made triangular, and what that leaves of the element before them is looked at.

use super::back::{blocks, eigenvalues};
use super::bulges::Window;
use super::hessenberg::hessenberg;
use super::reflection::Reflection;
use super::schur::{Schur, Sweep};
use super::{Matrix, Tools};
use std::ops::Range;
use wengert_core::Complex;

/// What was found in the last rows of a block.
pub(super) struct Deflation {
    /// How many eigenvalues have converged. They are in their places.
    pub count: usize,
    /// The others, one or two for each bulge of a sweep.
    pub shifts: Vec<[Complex<f64>; 2]>,
}

/// Looks for eigenvalues in the last rows of a block, enough of them for so many bulges.
pub(super) fn deflate<T: Sweep>(
    a: &mut Schur<T>,
    block: &Range<usize>,
    bulges: usize,
    tools: Tools<'_>,
) -> Option<Deflation> {
    let size = (3 * T::BLOCK * bulges / 2).min(block.len() - 1);
    let rows = block.end - size..block.end;
    let first = rows.start;
    let mut schur = Schur::new(a.t.part(rows.clone(), rows.clone()), 0..size, true, a.limits, tools)?;
    let v = schur.q.take()?;
    let before = a.t[(first, first - 1)];
    let spike: Vec<T> = (0..size).map(|j| before * v[(0, j)].conj()).collect();
    let mut found = blocks(&schur.t);
    let mut left = size;
    while let Some(last) = found.last() {
        let near = eigenvalues(&schur.t, last, a.limits)[0];
        let most = last.clone().fold(0.0, |m: f64, j| m.max(spike[j].parts()));
        if most > a.limits.nothing(size).max(a.limits.rounding * (near.re.abs() + near.im.abs())) {
            break;
        }
        left = last.start;
        found.pop();
    }
    let values = found.iter().map(|b| eigenvalues(&schur.t, b, a.limits)).collect();
    if left < size {
        restore(a, schur.t, v, &spike[..left], rows, block, tools);
    }
    Some(Deflation { count: size - left, shifts: in_pairs(values, T::BLOCK, bulges) })
}

/// Brings rows that were made triangular, but for the last of them, back to where there is nothing under the subdiagonal.
fn restore<T: Sweep>(
    a: &mut Schur<T>,
    mut t: Matrix<T>,
    mut v: Matrix<T>,
    spike: &[T],
    rows: Range<usize>,
    block: &Range<usize>,
    tools: Tools<'_>,
) {
    let before = (rows.start, rows.start - 1);
    a.t[before] = T::zero();
    if !spike.is_empty() {
        let (h, beta) = Reflection::of(spike, 0);
        a.t[before] = T::real(beta);
        h.adjoint_left(&mut t, 0..rows.len());
        h.right(&mut t, 0..spike.len());
        h.right(&mut v, 0..rows.len());
        let (h, q) = hessenberg(t, 0..spike.len(), true, tools);
        if let Some(q) = q {
            v = Matrix::product(v.all(), q.all(), tools);
        }
        t = h;
    }
    let reach = a.reach(block);
    Window { h: t, u: v }.close(a, rows, &reach, tools);
}

/// The last eigenvalues for so many bulges. Real numbers have two for each: conjugates, or any two that are real.
fn in_pairs(values: Vec<Vec<Complex<f64>>>, each: usize, bulges: usize) -> Vec<[Complex<f64>; 2]> {
    let (mut alone, mut pairs) = (Vec::new(), Vec::new());
    for value in values.into_iter().rev() {
        match value[..] {
            [x, y] => pairs.push([x, y]),
            _ => alone.push(value[0]),
        }
    }
    pairs.extend(alone.chunks(each).map(|x| [x[0], x[x.len() - 1]]));
    pairs.truncate(bulges);
    pairs
}
