//! Products with one sum for each result: rows and columns of the result are computed a tile at a time, whose sums stay in
//! registers from the first product to the last.

use super::lanes::Lanes;
use super::{Part, ROOM, Shares, pack};

/// The most vectors of a row of a tile.
pub(super) const WIDTH: usize = 3;
/// How many products ahead the right operand is fetched where it is read across its rows.
const AHEAD: isize = 12;
/// Products of each result from which on tiles are as high as registers allow: what comes before and after the loop over
/// them takes longer there.
const DEEP: usize = 64;
/// The bytes that are in the nearest cache after they were read once.
const NEAR: usize = 32 << 10;

/// A tile of the result.
pub(super) struct Tile<'a, L: Lanes> {
    /// How many products are summed.
    k: usize,
    /// The first number of the left operand, and its step along products.
    x: *const L::T,
    x_step: isize,
    /// The steps along none to four of its rows.
    rows: &'a [isize; 5],
    /// The first number of the right operand, whose columns are neighbours, and its step along products.
    y: *const L::T,
    y_step: isize,
    /// The first result, whose columns are neighbours, and the step along rows.
    out: *mut L::T,
    row: isize,
    /// The columns of the last vector of each row.
    last: L::Mask,
    /// The distance to the numbers of the right operand that are fetched ahead.
    ahead: isize,
    /// Whether the sums go on from those that are there.
    more: bool,
}

/// Whether the right operand is laid out anew: its columns are no neighbours, or it is read often and too large for the
/// nearest cache, whose lines are few where rows lie at a power of two.
pub(super) fn needs_room<L: Lanes>(p: &Part) -> bool {
    p.y[0] != 1 && p.n > 1 || p.m >= 12 * L::ROWS[WIDTH - 1] && p.n * p.k * size_of::<L::T>() > NEAR
}

/// Computes all results.
///
/// # Safety
/// All numbers that the part names lie at these places. A room, if it is needed, has [`ROOM`] bytes; else it is null.
#[inline(always)]
pub(super) unsafe fn product<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T, room: *mut L::T) {
    let vectors = p.n.div_ceil(L::N);
    let rows = [0, 1, 2, 3, 4].map(|r| r * p.x[0]);
    for panel in Shares::new(vectors, vectors.div_ceil(WIDTH)) {
        let (column, columns) = (panel.start * L::N, (panel.end * L::N).min(p.n) - panel.start * L::N);
        let last = L::mask(columns - (panel.len() - 1) * L::N);
        // As deep as the room allows.
        let (depth, ahead) = match room.is_null() {
            false => (ROOM / (panel.len() * L::N * size_of::<L::T>()), 0),
            true if p.n * p.k * size_of::<L::T>() > NEAR => (p.k, AHEAD.wrapping_mul(p.y[1])),
            true => (p.k, 0),
        };
        let most = L::ROWS[if p.k < DEEP { WIDTH } else { panel.len() } - 1];
        for from in (0..p.k).step_by(depth) {
            let k = depth.min(p.k - from);
            // SAFETY: numbers of the operands and the result, as the caller says.
            unsafe {
                let y = y.offset(column as isize * p.y[0] + from as isize * p.y[1]);
                let (y, y_step) = match room.is_null() {
                    false => {
                        pack::panel::<L>(y, p.y, [columns, k], room, panel.len() * L::N);
                        (room.cast_const(), (panel.len() * L::N) as isize)
                    }
                    true => (y, p.y[1]),
                };
                for part in Shares::new(p.m, p.m.div_ceil(most)) {
                    let tile = Tile::<L> {
                        k,
                        x: x.offset(part.start as isize * p.x[0] + from as isize * p.x[1]),
                        x_step: p.x[1],
                        rows: &rows,
                        y,
                        y_step,
                        out: out.offset(part.start as isize * p.out[0] + column as isize),
                        row: p.out[0],
                        last,
                        ahead,
                        more: from > 0,
                    };
                    tile.run_any(part.len(), panel.len());
                }
            }
        }
    }
}

impl<L: Lanes> Tile<'_, L> {
    /// Computes a tile of so many rows and vectors.
    ///
    /// # Safety
    /// As [`product`].
    #[inline(always)]
    unsafe fn run_any(&self, rows: usize, vectors: usize) {
        macro_rules! sizes {
            ($($c:literal: $($r:literal)*;)*) => {
                match (rows, vectors) {
                    $($(($r, $c) => L::tile::<$r, $c>(self),)*)*
                    _ => unreachable!("a tile of so many rows and vectors"),
                }
            };
        }
        // SAFETY: the caller's word.
        unsafe {
            sizes! {
                1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16;
                2: 1 2 3 4 5 6 7 8 9 10 11 12;
                3: 1 2 3 4 5 6 7 8;
            }
        }
    }

    /// Computes a tile of this many rows and vectors.
    ///
    /// # Safety
    /// As [`product`].
    #[inline(always)]
    pub(super) unsafe fn run<const R: usize, const C: usize>(&self) {
        if R > L::ROWS[C - 1] {
            return;
        }
        // Nothing changes when it is added to this zero.
        let mut sums = [[L::splat(super::nothing()); C]; R];
        // SAFETY: numbers of the operands and the result, as the caller says.
        unsafe {
            if self.more {
                for (r, sums) in sums.iter_mut().enumerate() {
                    let row = self.out.offset(r as isize * self.row);
                    for (c, sum) in sums.iter_mut().enumerate() {
                        *sum = if c + 1 < C {
                            L::load(row.add(c * L::N))
                        } else {
                            L::load_some(row.add(c * L::N), self.last)
                        };
                    }
                }
            }
            let mut y = self.y;
            let mut x = [0, 1, 2, 3].map(|r| self.x.wrapping_offset(r * self.rows[4]));
            for _ in 0..self.k {
                let mut v = [L::splat(super::nothing()); C];
                for (c, v) in v.iter_mut().enumerate() {
                    // Narrow operands lie in few lines, which the machine fetches by itself.
                    if C == WIDTH {
                        L::prefetch(y.wrapping_offset(self.ahead).wrapping_add(c * L::N));
                    }
                    *v = if c + 1 < C { L::load(y.add(c * L::N)) } else { L::load_some(y.add(c * L::N), self.last) };
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
                x = x.map(|x| x.wrapping_offset(self.x_step));
                y = y.wrapping_offset(self.y_step);
            }
            for (r, sums) in sums.iter().enumerate() {
                let row = self.out.offset(r as isize * self.row);
                for (c, &sum) in sums.iter().enumerate() {
                    match c + 1 < C {
                        true => L::store(row.add(c * L::N), sum),
                        false => L::store_some(row.add(c * L::N), sum, self.last),
                    }
                }
            }
        }
    }
}
