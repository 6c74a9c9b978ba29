//! Sums of products that lie in segments: what convolutions are made of. Each result has one sum, as in a product of
//! matrices; its products lie at one step from each other within a segment, and anywhere from one segment to the next.

use super::lanes::Lanes;
use super::tile::WIDTH;
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

/// The rows of tiles of one, two and three vectors, and of those whose left operand has a number for each column: few
/// sizes, since each is a function of its own.
const ROWS: [&[usize]; WIDTH] = [&[1, 2, 4, 8], &[1, 2, 4, 6, 8, 10, 12], &[1, 2, 4, 6, 7, 8]];
const SPREAD: &[usize] = &[1, 2, 4, 8];

/// How many of so many rows are computed next, of these sizes: as evenly as can be.
fn next(rows: usize, sizes: &[usize], most: usize) -> usize {
    let even = rows.div_ceil(rows.div_ceil(most));
    let mut fit = sizes.iter().copied().filter(|&s| s <= rows.min(most));
    fit.clone().find(|&s| s >= even).or(fit.next_back()).unwrap_or(1)
}

/// # Safety
/// As [`Sums::run`].
#[inline(always)]
pub(super) unsafe fn sums<L: Lanes>(p: &Sums<'_>, x: *const L::T, y: *const L::T, out: *mut L::T) {
    let vectors = p.columns.div_ceil(L::N);
    let rows = [0, 1, 2, 3, 4].map(|r| r * p.x[0]);
    let width = if p.spread { 1 } else { WIDTH };
    for panel in Shares::new(vectors, vectors.div_ceil(width)) {
        let column = panel.start * L::N;
        let last = L::mask(((panel.end * L::N).min(p.columns) - column) - (panel.len() - 1) * L::N);
        let (sizes, most) = match p.spread {
            true => (SPREAD, SPREAD[SPREAD.len() - 1]),
            false => (ROWS[panel.len() - 1], L::ROWS[panel.len() - 1]),
        };
        let mut row = 0;
        while row < p.rows {
            let some = next(p.rows - row, sizes, most);
            // SAFETY: numbers of the operands and the result, as the caller says.
            unsafe {
                let x = x.offset(row as isize * p.x[0]);
                let tile = SegmentTile::<L> {
                    p,
                    x: if p.spread { x.add(column) } else { x },
                    rows: &rows,
                    y: y.add(column),
                    out: out.offset(row as isize * p.out).add(column),
                    last,
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

/// A tile of the sums, which stay in registers from the first segment to the last.
pub(super) struct SegmentTile<'a, L: Lanes> {
    p: &'a Sums<'a>,
    x: *const L::T,
    /// The steps along none to four rows of the left operand.
    rows: &'a [isize; 5],
    y: *const L::T,
    out: *mut L::T,
    /// The columns of the last vector of each row.
    last: L::Mask,
}

impl<L: Lanes> SegmentTile<'_, L> {
    /// Computes a tile of so many rows and vectors.
    ///
    /// # Safety
    /// As [`Sums::run`].
    #[inline(always)]
    unsafe fn run_any(&self, rows: usize, vectors: usize) {
        macro_rules! sizes {
            ($($c:literal: $($r:literal)*;)*) => {
                match (rows, vectors) {
                    $($(($r, $c) => L::segments::<$r, $c>(self),)*)*
                    _ => unreachable!("a tile of so many rows and vectors"),
                }
            };
        }
        // SAFETY: the caller's word.
        unsafe {
            sizes! {
                1: 1 2 4 8;
                2: 1 2 4 6 8 10 12;
                3: 1 2 4 6 7 8;
            }
        }
    }

    /// The same, of one vector of columns that have numbers of their own in the left operand.
    ///
    /// # Safety
    /// As [`Sums::run`].
    #[inline(always)]
    unsafe fn run_any_spread(&self, rows: usize) {
        // SAFETY: the caller's word.
        unsafe {
            match rows {
                1 => L::spread::<1>(self),
                2 => L::spread::<2>(self),
                4 => L::spread::<4>(self),
                8 => L::spread::<8>(self),
                _ => unreachable!("so many rows"),
            }
        }
    }

    /// Computes a tile of this many rows and vectors.
    ///
    /// # Safety
    /// As [`Sums::run`].
    #[inline(always)]
    pub(super) unsafe fn run<const R: usize, const C: usize>(&self) {
        if R > L::ROWS[C - 1] {
            return;
        }
        // Nothing changes when it is added to this zero.
        let mut sums = [[L::splat(super::nothing()); C]; R];
        // SAFETY: numbers of the operands, as the caller says.
        unsafe {
            for segment in self.p.segments {
                let mut y = self.y.offset(segment.y);
                let start = self.x.offset(segment.x);
                let mut x = [0, 1, 2].map(|r| start.wrapping_offset(r * self.rows[4]));
                for _ in 0..segment.k {
                    let mut v = [L::splat(super::nothing()); C];
                    for (c, v) in v.iter_mut().enumerate() {
                        *v = self.some::<C>(y, c);
                    }
                    for (r, sums) in sums.iter_mut().enumerate() {
                        // The places of many rows, computed one after the other, would be there too late.
                        let place = match R > 8 {
                            true => x[r / 4].offset(self.rows[r % 4]),
                            false => x[0].offset(r as isize * self.rows[1]),
                        };
                        let a = L::splat(*place);
                        for (sum, &v) in sums.iter_mut().zip(&v) {
                            *sum = L::mul_add(a, v, *sum);
                        }
                    }
                    x = x.map(|x| x.wrapping_offset(self.p.x[1]));
                    y = y.wrapping_offset(self.p.y);
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for (c, &sum) in sums.iter().enumerate() {
                // SAFETY: the caller's word.
                unsafe { self.put::<C>(r, c, sum) };
            }
        }
    }

    /// The same, of columns that have numbers of their own in the left operand.
    ///
    /// # Safety
    /// As [`Sums::run`].
    #[inline(always)]
    pub(super) unsafe fn run_spread<const R: usize>(&self) {
        let mut sums = [L::splat(super::nothing()); R];
        // SAFETY: numbers of the operands, as the caller says.
        unsafe {
            for segment in self.p.segments {
                let (mut x, mut y) = (self.x.offset(segment.x), self.y.offset(segment.y));
                for _ in 0..segment.k {
                    let v = L::load_some(y, self.last);
                    for (r, sum) in sums.iter_mut().enumerate() {
                        let a = L::load_some(x.offset(r as isize * self.rows[1]), self.last);
                        *sum = L::mul_add(a, v, *sum);
                    }
                    (x, y) = (x.wrapping_offset(self.p.x[1]), y.wrapping_offset(self.p.y));
                }
            }
        }
        for (r, &sum) in sums.iter().enumerate() {
            // SAFETY: the caller's word.
            unsafe { self.put::<1>(r, 0, sum) };
        }
    }

    /// A vector of a row: all columns, but for the last vector.
    ///
    /// # Safety
    /// The columns lie there.
    #[inline(always)]
    unsafe fn some<const C: usize>(&self, row: *const L::T, c: usize) -> L::V {
        // SAFETY: the caller's word.
        unsafe {
            match c + 1 < C {
                true => L::load(row.add(c * L::N)),
                false => L::load_some(row.add(c * L::N), self.last),
            }
        }
    }

    /// Writes a vector of the result, or adds it to what is there.
    ///
    /// # Safety
    /// As [`Sums::run`].
    #[inline(always)]
    unsafe fn put<const C: usize>(&self, r: usize, c: usize, sum: L::V) {
        // SAFETY: the caller's word.
        unsafe {
            let row = self.out.offset(r as isize * self.p.out);
            let sum = if self.p.add { L::add(self.some::<C>(row, c), sum) } else { sum };
            match c + 1 < C {
                true => L::store(row.add(c * L::N), sum),
                false => L::store_some(row.add(c * L::N), sum, self.last),
            }
        }
    }
}
