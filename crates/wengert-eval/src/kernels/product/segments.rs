//! Sums of products that lie in segments: what convolutions are made of. Each result has one sum, as in a product of
//! matrices; its products lie at one step from each other within a segment, and anywhere from one segment to the next.

use super::lanes::Lanes;
use super::tile::{Segment, Tile, next_rows, next_spread_rows, panels};
use super::{Real, Shares};

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
    let count = if p.spread { vectors } else { panels::<L>(vectors) };
    for panel in Shares::new(vectors, count) {
        let column = panel.start * L::N;
        let last = L::mask(((panel.end * L::N).min(p.columns) - column) - (panel.len() - 1) * L::N);
        let mut row = 0;
        while row < p.rows {
            let some = match p.spread {
                true => next_spread_rows(p.rows - row),
                false => next_rows(p.rows - row, [panel.len(); 2], L::ROWS[panel.len() - 1]),
            };
            // SAFETY: numbers of the operands and the result, as the caller says.
            unsafe {
                let x = x.offset(row as isize * p.x[0]);
                let tile = Tile::<L> {
                    segments: p.segments,
                    x: if p.spread { x.add(column) } else { x },
                    x_step: p.x[1],
                    rows: &rows,
                    y: y.add(column),
                    y_step: p.y,
                    ahead: 0,
                    laid: std::ptr::null_mut(),
                    out: out.offset(row as isize * p.out).add(column),
                    row: p.out,
                    last,
                    add: p.add,
                    goes_on: false,
                };
                match p.spread {
                    true => tile.run_any_spread(some),
                    false => tile.run_any(some, panel.len()),
                }
            }
            row += some;
        }
    }
}
