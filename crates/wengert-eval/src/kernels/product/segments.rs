//! Sums of products that lie in segments: what convolutions are made of. Each result has one sum, as in a product of
//! matrices; its products lie at one step from each other within a segment, and anywhere from one segment to the next.

use super::lanes::Lanes;
use super::spread::{self, Spread};
use super::tile::{There, Tile, WIDTH};
use super::{Real, Shares};

/// Products that follow each other at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where the first number lies in the left operand, and in the right one.
    pub x: isize,
    /// See `x`.
    pub y: isize,
    /// How many products there are.
    pub k: usize,
}

/// `out[i, j] = Σ x[i, p] · y[j, p]`, or that added to what is there, for the products `p` of all segments in their order:
/// every one is multiplied and added with one rounding, from the first product on. The columns `j` of the right operand
/// and of the result are neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Sums<'a> {
    /// How many rows there are.
    pub rows: usize,
    /// How many columns there are.
    pub columns: usize,
    /// The products.
    pub segments: &'a [Segment],
    /// The steps of the left operand along rows and along products.
    pub x: [isize; 2],
    /// Whether the left operand has a number for each column, which are neighbours, and not one for all of them.
    pub spread: bool,
    /// The step of the right operand along products.
    pub y: isize,
    /// The step of the result along rows.
    pub out: isize,
    /// Whether the sums are added to what is there.
    pub add: bool,
}

impl Sums<'_> {
    /// Computes the sums.
    ///
    /// # Safety
    /// All numbers that rows, columns, segments and steps name lie at these places, and there is room for the results,
    /// which lie apart from the operands; where the sums are added there are numbers.
    pub unsafe fn run<T: Real>(&self, x: *const T, y: *const T, out: *mut T) {
        // SAFETY: the caller's word; the kernel is one for this machine.
        unsafe { (T::kernels().sums)(self, x, y, out) }
    }
}

/// Computes sums. All numbers that they name lie at these places.
pub(super) type SumsKernel<T> = unsafe fn(&Sums<'_>, *const T, *const T, *mut T);

/// # Safety
/// As [`Sums::run`].
#[inline(always)]
pub(super) unsafe fn sums<L: Lanes>(p: &Sums<'_>, x: *const L::T, y: *const L::T, out: *mut L::T) {
    let vectors = p.columns.div_ceil(L::N);
    let rows = [0, 1, 2, 3, 4].map(|r| r * p.x[0]);
    let there = if p.add { There::Added } else { There::Overwritten };
    let width = if p.spread { 1 } else { WIDTH };
    for panel in Shares::new(vectors, vectors.div_ceil(width)) {
        let column = panel.start * L::N;
        let last = L::mask(((panel.end * L::N).min(p.columns) - column) - (panel.len() - 1) * L::N);
        let most = if p.spread { spread::ROWS } else { L::ROWS[panel.len() - 1] };
        for part in Shares::new(p.rows, p.rows.div_ceil(most)) {
            // SAFETY: numbers of the operands and the result, as the caller says.
            unsafe {
                let x = x.offset(part.start as isize * p.x[0]);
                let tile = Tile::<L> {
                    segments: p.segments,
                    x: if p.spread { x.add(column) } else { x },
                    x_step: p.x[1],
                    rows: &rows,
                    y: y.add(column),
                    y_step: p.y,
                    out: out.offset(part.start as isize * p.out).add(column),
                    row: p.out,
                    last,
                    ahead: 0,
                    there,
                };
                match p.spread {
                    true => Spread(&tile).run_any(part.len()),
                    false => tile.run_any(part.len(), panel.len()),
                }
            }
        }
    }
}
