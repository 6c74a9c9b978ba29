//! Sweeps over complex matrices with one shift. Elements under the diagonal stay real, which decides on all phases.

use super::reflection::Reflection;
use super::schur::{Schur, Sweep};
use super::{Matrix, Number, Tools};
use std::ops::Range;
use wengert_core::Complex;

impl Sweep for Complex<f64> {
    const BLOCK: usize = 1;

    fn sweep(a: &mut Schur<Complex<f64>>, block: Range<usize>, count: usize) {
        let shift = shift(&a.t, &block, count);
        let (start, lead) = lead(&a.t, &block, shift, a.limits.spacing());
        let reach = a.reach(&block);
        for k in start..block.end - 1 {
            let (h, beta) = match k == start {
                true => Reflection::of(&lead, k),
                false => Reflection::of(&a.t.column(k - 1)[k..k + 2], k),
            };
            if k > start {
                a.t[(k, k - 1)] = beta.into();
                a.t[(k + 1, k - 1)] = 0.0.into();
            }
            a.reflect(&h, &reach, k, block.end.min(k + 3));
            if k == start && k > block.start {
                // What stands before the first row keeps its phase if the others but the second are turned.
                let left = 1.0 - h.tau;
                let phase = left / left.size();
                a.t[(k + 1, k)] *= phase.conj();
                if k + 2 < block.end {
                    a.t[(k + 2, k + 1)] *= phase;
                }
                (k..block.end).filter(|&j| j != k + 1).for_each(|j| a.turn(j, phase.conj(), &reach));
            }
        }
        Complex::settle(a, &block, &reach);
    }

    fn lead(t: &Matrix<Complex<f64>>, [x, _]: [Complex<f64>; 2]) -> Vec<Complex<f64>> {
        vec![t[(0, 0)] - x, t[(1, 0)]]
    }

    fn settle(a: &mut Schur<Complex<f64>>, block: &Range<usize>, reach: &Range<usize>) {
        let (i, j) = (block.end - 1, block.end - 2);
        let end = a.t[(i, j)];
        if end.im != 0.0 {
            a.t[(i, j)] = end.size().into();
            a.turn(i, end / end.size(), reach);
        }
    }

    fn times_complex(q: &Matrix<Complex<f64>>, x: &Matrix<Complex<f64>>, tools: Tools<'_>) -> Matrix<Complex<f64>> {
        Matrix::product(q.all(), x.all(), tools)
    }

    fn finish(_: &mut Schur<Complex<f64>>, _: Range<usize>) {}
}

impl Schur<Complex<f64>> {
    /// Turns the row `j` after the diagonal back by a phase, and the column before it on; and the basis.
    fn turn(&mut self, j: usize, phase: Complex<f64>, reach: &Range<usize>) {
        (j + 1..reach.end).for_each(|k| self.t[(j, k)] *= phase.conj());
        self.t.column_mut(j)[reach.start..j].iter_mut().for_each(|x| *x *= phase);
        if let Some(q) = &mut self.q {
            q.column_mut(j).iter_mut().for_each(|x| *x *= phase);
        }
    }
}

/// The eigenvalue of the last two rows and columns that is nearer to the last element; from time to time something else,
/// should that lead nowhere.
fn shift(t: &Matrix<Complex<f64>>, block: &Range<usize>, count: usize) -> Complex<f64> {
    let last = block.end - 1;
    if count.is_multiple_of(20) {
        return t[(last, last)] + 0.75 * t[(last, last - 1)].re.abs();
    }
    if count.is_multiple_of(10) {
        return t[(block.start, block.start)] + 0.75 * t[(block.start + 1, block.start)].re.abs();
    }
    let end = t[(last, last)];
    let beside = t[(last - 1, last)].sqrt() * t[(last, last - 1)].sqrt();
    if beside.parts() == 0.0 {
        return end;
    }
    let half = (t[(last - 1, last - 1)] - end) * 0.5;
    let size = beside.parts().max(half.parts());
    let [x, y] = [half, beside].map(|x| x / size);
    let root = (x * x + y * y).sqrt() * size;
    let opposite = half.re * root.re + half.im * root.im < 0.0;
    end - beside * beside.over(half + if opposite { -root } else { root })
}

/// The row to start from, and the two elements from there on of its column of `t - shift`, up to a factor. Rows before the
/// start are left out if what that neglects is next to nothing.
fn lead(
    t: &Matrix<Complex<f64>>,
    block: &Range<usize>,
    shift: Complex<f64>,
    spacing: f64,
) -> (usize, [Complex<f64>; 2]) {
    let mut m = block.end - 2;
    loop {
        let (here, next) = (t[(m, m)], t[(m + 1, m + 1)]);
        let (apart, under) = (here - shift, t[(m + 1, m)].re);
        let size = apart.parts() + under.abs();
        let (apart, under) = (apart / size, under / size);
        let small = || {
            let enough = apart.parts() * (here.parts() + next.parts());
            t[(m, m - 1)].re.abs() * under.abs() <= spacing * enough
        };
        if m == block.start || small() {
            return (m, [apart, under.into()]);
        }
        m -= 1;
    }
}
