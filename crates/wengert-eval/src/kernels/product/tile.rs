//! Products with one sum for each result: rows and columns of the result are computed a tile at a time, whose sums stay in
//! registers from the first product to the last.

use super::lanes::Lanes;
use super::{Part, ROOM, Shares, pack};

/// Vectors of a row of a tile.
const WIDTH: usize = 3;

/// A tile of the result.
pub(super) struct Tile<L: Lanes> {
    /// How many products are summed.
    k: usize,
    /// The first number of the left operand, and its steps along rows and products.
    x: *const L::T,
    steps: [isize; 2],
    /// The first number of the right operand, whose columns are neighbours, and its step along products.
    y: *const L::T,
    step: isize,
    /// The first result, whose columns are neighbours, and the step along rows.
    out: *mut L::T,
    row: isize,
    /// The columns of the last vector of each row.
    last: L::Mask,
    /// Whether the sums go on from those that are there.
    more: bool,
}

/// Whether the right operand is laid out anew: its columns are no neighbours, or it is read often and too large for the
/// nearest cache, whose lines are few where rows lie at a power of two.
pub(super) fn needs_room<L: Lanes>(p: &Part) -> bool {
    p.y[0] != 1 && p.n > 1 || p.m >= 4 * L::ROWS && p.n * p.k * size_of::<L::T>() > 32 << 10
}

/// Computes all results.
///
/// # Safety
/// All numbers that the part names lie at these places. A room, if it is needed, has [`ROOM`] bytes.
#[inline(always)]
pub(super) unsafe fn product<L: Lanes>(
    p: &Part,
    x: *const L::T,
    y: *const L::T,
    out: *mut L::T,
    room: Option<*mut L::T>,
) {
    let vectors = p.n.div_ceil(L::N);
    // As deep as the room allows.
    let depth = if room.is_some() { ROOM / (WIDTH * L::N * size_of::<L::T>()) } else { p.k };
    for panel in Shares::new(vectors, vectors.div_ceil(WIDTH)) {
        let (column, columns) = (panel.start * L::N, (panel.end * L::N).min(p.n) - panel.start * L::N);
        let last = L::mask(columns - (panel.len() - 1) * L::N);
        let mut from = 0;
        while from < p.k {
            let k = depth.min(p.k - from);
            // SAFETY: numbers of the operands and the result, as the caller says.
            unsafe {
                let y = y.offset(column as isize * p.y[0] + from as isize * p.y[1]);
                let (y, step) = match room {
                    Some(room) => {
                        pack::panel::<L>(y, p.y, [columns, k], room, panel.len() * L::N);
                        (room.cast_const(), (panel.len() * L::N) as isize)
                    }
                    None => (y, p.y[1]),
                };
                for rows in Shares::new(p.m, p.m.div_ceil(L::ROWS)) {
                    let tile = Tile::<L> {
                        k,
                        x: x.offset(rows.start as isize * p.x[0] + from as isize * p.x[1]),
                        steps: p.x,
                        y,
                        step,
                        out: out.offset(rows.start as isize * p.out[0] + column as isize),
                        row: p.out[0],
                        last,
                        more: from > 0,
                    };
                    tile.run_any(rows.len(), panel.len());
                }
            }
            from += k;
        }
    }
}

impl<L: Lanes> Tile<L> {
    /// Computes a tile of so many rows and vectors.
    ///
    /// # Safety
    /// As [`product`].
    #[inline(always)]
    unsafe fn run_any(&self, rows: usize, vectors: usize) {
        macro_rules! sizes {
            ($($r:literal)*) => {
                match (rows, vectors) {
                    $(($r, 1) => L::tile::<$r, 1>(self), ($r, 2) => L::tile::<$r, 2>(self), ($r, 3) => L::tile::<$r, 3>(self),)*
                    _ => unreachable!("a tile of so many rows and vectors"),
                }
            };
        }
        // SAFETY: the caller's word.
        unsafe { sizes!(1 2 3 4 5 6 7 8) }
    }

    /// Computes a tile of this many rows and vectors.
    ///
    /// # Safety
    /// As [`product`].
    #[inline(always)]
    pub(super) unsafe fn run<const R: usize, const C: usize>(&self) {
        if R > L::ROWS {
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
            let (mut x, mut y) = (self.x, self.y);
            for _ in 0..self.k {
                let mut v = [L::splat(super::nothing()); C];
                for (c, v) in v.iter_mut().enumerate() {
                    *v = if c + 1 < C { L::load(y.add(c * L::N)) } else { L::load_some(y.add(c * L::N), self.last) };
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let a = L::splat(*x.offset(r as isize * self.steps[0]));
                    for (sum, &v) in sums.iter_mut().zip(&v) {
                        *sum = L::mul_add(a, v, *sum);
                    }
                }
                x = x.wrapping_offset(self.steps[1]);
                y = y.wrapping_offset(self.step);
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
