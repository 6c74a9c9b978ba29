//! Sums whose columns have numbers of their own in both operands, which lie side by side: channels that are convolved each
//! by itself.

use super::lanes::Lanes;
use super::tile::{There, Tile};

/// The most rows that are computed at once.
pub(super) const ROWS: usize = 8;

/// A tile of one vector of columns, whose left operand has a vector for each row.
pub(super) struct Spread<'a, L: Lanes>(pub(super) &'a Tile<'a, L>);

impl<L: Lanes> Spread<'_, L> {
    /// Computes so many rows.
    ///
    /// # Safety
    /// As [`super::segments::Sums::run`].
    #[inline(always)]
    pub(super) unsafe fn run_any(&self, rows: usize) {
        // SAFETY: the caller's word.
        unsafe {
            match rows {
                1 => L::spread::<1>(self),
                2 => L::spread::<2>(self),
                3 => L::spread::<3>(self),
                4 => L::spread::<4>(self),
                5 => L::spread::<5>(self),
                6 => L::spread::<6>(self),
                7 => L::spread::<7>(self),
                ROWS => L::spread::<ROWS>(self),
                _ => unreachable!("so many rows"),
            }
        }
    }

    /// Computes this many rows.
    ///
    /// # Safety
    /// As [`super::segments::Sums::run`].
    #[inline(always)]
    pub(super) unsafe fn run<const R: usize>(&self) {
        let t = self.0;
        let mut sums = [L::splat(super::nothing()); R];
        // SAFETY: numbers of the operands and the result, as the caller says.
        unsafe {
            for segment in t.segments {
                let (mut x, mut y) = (t.x.offset(segment.x), t.y.offset(segment.y));
                for _ in 0..segment.k {
                    let v = L::load_some(y, t.last);
                    for (r, sum) in sums.iter_mut().enumerate() {
                        let a = L::load_some(x.offset(r as isize * t.rows[1]), t.last);
                        *sum = L::mul_add(a, v, *sum);
                    }
                    (x, y) = (x.wrapping_offset(t.x_step), y.wrapping_offset(t.y_step));
                }
            }
            for (r, &sum) in sums.iter().enumerate() {
                let out = t.out.offset(r as isize * t.row);
                let sum = match t.there {
                    There::Added => L::add(L::load_some(out, t.last), sum),
                    _ => sum,
                };
                L::store_some(out, sum, t.last);
            }
        }
    }
}
