//! Sweeps over large blocks with many shifts: bulges follow each other closely down the diagonal. Those in a window of rows are
//! moved on there alone, and the rest of the matrix is multiplied by what that came to (Braman, Byers and Mathias).

use super::deflation::{Deflation, deflate};
use super::reflection::Reflection;
use super::schur::{Schur, Sweep};
use super::{Matrix, Tools};
use std::ops::Range;

/// Blocks of fewer rows are swept with one bulge, as LAPACK does it: eigenvectors then have its signs.
pub(super) const ROWS: usize = 76;

/// A sweep is left out if more than one in so many of the eigenvalues that it takes have converged without it.
const MANY: usize = 4;

/// How many shifts there are in a block of so many rows.
fn shifts(rows: usize) -> usize {
    (rows / 10).clamp(8, 32)
}

/// Finds eigenvalues in the last rows of a block, and sweeps over it with those that have not converged as shifts, unless many
/// have; nothing if they are not found.
pub(super) fn sweep<T: Sweep>(a: &mut Schur<T>, block: &Range<usize>, tools: Tools<'_>) -> Option<()> {
    let bulges = shifts(block.len()) / T::BLOCK;
    let Deflation { count, shifts } = deflate(a, block, bulges, tools)?;
    let block = &(block.start..block.end - count);
    if count * MANY > bulges || block.len() < ROWS || shifts.is_empty() {
        return Some(());
    }
    // The rows that a reflection changes, which are also those from a bulge to the next.
    let spacing = T::BLOCK + 1;
    let size = 2 * spacing * shifts.len() + spacing;
    let mut left = shifts.into_iter().peekable();
    let reach = a.reach(block);
    // The next reflection of each bulge, that of the lowest first.
    let mut next: Vec<usize> = Vec::new();
    loop {
        let from = if left.peek().is_some() { block.start } else { next.last()? - 1 };
        let to = block.end.min(from + size);
        let mut window = Window { h: a.t.part(from..to, from..to), u: Matrix::identity(to - from, to - from) };
        while to == block.end || next.first().is_none_or(|k| k + spacing < to) {
            for k in &mut next {
                window.step(*k - from);
                *k += 1;
            }
            next.retain(|k| k + 1 < block.end);
            if next.last().is_none_or(|&k| k > block.start + spacing)
                && let Some(shift) = left.next()
            {
                window.start(T::lead(&window.h, shift));
                next.push(block.start + 1);
            }
            if next.is_empty() && left.peek().is_none() {
                break;
            }
        }
        window.close(a, from..to, &reach, tools);
        if next.is_empty() && left.peek().is_none() {
            T::settle(a, block, &reach);
            return Some(());
        }
    }
}

/// Some rows and the same columns of a matrix, and what they were multiplied by.
pub(super) struct Window<T> {
    pub h: Matrix<T>,
    pub u: Matrix<T>,
}

impl<T: Sweep> Window<T> {
    /// Makes a bulge in the first rows.
    fn start(&mut self, lead: Vec<T>) {
        self.reflect(&Reflection::of(&lead, 0).0);
    }

    /// Moves a bulge on, by the reflection of the rows from `k` on.
    fn step(&mut self, k: usize) {
        let some = k..self.h.rows.min(k + T::BLOCK + 1);
        let (h, beta) = Reflection::of(&self.h.column(k - 1)[some.clone()], k);
        self.h.column_mut(k - 1)[some].fill(T::zero());
        self.h[(k, k - 1)] = T::real(beta);
        self.reflect(&h);
    }

    fn reflect(&mut self, h: &Reflection<T>) {
        let rows = self.h.rows;
        h.adjoint_left(&mut self.h, h.first..rows);
        h.right(&mut self.h, 0..rows.min(h.first + T::BLOCK + 2));
        h.right(&mut self.u, 0..rows);
    }

    /// Writes what has become of the window, which has these rows, and changes the rest of the matrix.
    pub(super) fn close(self, a: &mut Schur<T>, rows: Range<usize>, reach: &Range<usize>, tools: Tools<'_>) {
        a.t.write((rows.start, rows.start), &self.h);
        let right = Matrix::product(self.u.all().adjoint(), a.t.some(rows.clone(), rows.end..reach.end), tools);
        a.t.write((rows.start, rows.end), &right);
        let above = Matrix::product(a.t.some(reach.start..rows.start, rows.clone()), self.u.all(), tools);
        a.t.write((reach.start, rows.start), &above);
        if let Some(q) = &mut a.q {
            let changed = Matrix::product(q.some(0..q.rows, rows.clone()), self.u.all(), tools);
            q.write((0, rows.start), &changed);
        }
    }
}
