//! Tasks that move complex numbers between arrays and blocks, and multiply lines of them.
//!
//! Steps are those from row to row, in numbers of `T`: a complex number takes two.

use super::lanes::{Float, Lanes, Pair, Task};
use super::plain::Plain;
use super::plan::BESIDE;

/// Rows of up to `N` complex numbers become rows of a block; lanes without a number hold zeros. Parts are exchanged if `swap`.
///
/// Asks for the numbers, and for room for the block elsewhere.
pub struct Gather<T> {
    pub from: *const T,
    pub step: usize,
    pub rows: usize,
    pub count: usize,
    pub swap: bool,
    pub to: *mut T,
}

impl<T: Float> Task<T> for Gather<T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let order = L::order(self.swap);
        for i in 0..self.rows {
            // SAFETY: as the task asks.
            unsafe {
                let from = self.from.add(i * self.step);
                let [re, im] = match self.count == L::N {
                    true => L::load_pairs(from, order),
                    false => L::load_some(from, self.count, order),
                };
                Pair { re, im }.store(self.to.add(i * 2 * L::N));
            }
        }
    }
}

/// Rows of a block become rows of up to `N` complex numbers, scaled. Parts are exchanged if `swap`.
///
/// Asks for the block, and for room for the numbers elsewhere.
pub struct Scatter<T> {
    pub from: *const T,
    pub rows: usize,
    pub count: usize,
    pub swap: bool,
    pub scale: T,
    pub to: *mut T,
    pub step: usize,
}

impl<T: Float> Task<T> for Scatter<T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let (scale, order) = (L::splat(self.scale), L::order(self.swap));
        for i in 0..self.rows {
            // SAFETY: as the task asks.
            unsafe {
                let Pair { re, im } = Pair::<L>::load(self.from.add(i * 2 * L::N)).scale(scale);
                let to = self.to.add(i * self.step);
                match self.count == L::N {
                    true => L::store_pairs(re, im, to, order),
                    false => L::store_some(re, im, to, self.count, order),
                }
            }
        }
    }
}

/// Asks for rows of numbers to be brought near, before they are read or written. Nothing depends on it.
pub fn expect<T>((start, step): (*const T, usize), rows: usize, numbers: usize) {
    #[cfg(target_arch = "x86_64")]
    for i in 0..rows {
        let row = start.wrapping_add(i * step).cast::<i8>();
        for at in (0..numbers * size_of::<T>()).step_by(64) {
            // SAFETY: any place may be asked for.
            unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(row.wrapping_add(at)) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, step, rows, numbers);
}

/// Writes complex numbers with rows as columns.
///
/// Asks for `rows` rows of `columns` numbers, and for room for as many columns elsewhere.
pub struct Turn<T> {
    pub from: *const T,
    pub from_step: usize,
    pub rows: usize,
    pub columns: usize,
    pub to: *mut T,
    pub to_step: usize,
}

impl<T: Float> Task<T> for Turn<T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let &Turn { from, from_step, rows, columns, to, to_step } = self;
        let (whole_rows, whole_columns) = (rows / L::SQUARE * L::SQUARE, columns / L::SQUARE * L::SQUARE);
        for j in (0..whole_columns).step_by(L::SQUARE) {
            for i in (0..whole_rows).step_by(L::SQUARE) {
                // SAFETY: as the task asks.
                unsafe { L::turn(from.add(i * from_step + 2 * j), from_step, to.add(j * to_step + 2 * i), to_step) }
            }
        }
        for i in 0..rows {
            for j in if i < whole_rows { whole_columns } else { 0 }..columns {
                // SAFETY: as the task asks.
                unsafe {
                    let x = from.add(i * from_step + 2 * j).cast::<[T; 2]>().read();
                    to.add(j * to_step + 2 * i).cast::<[T; 2]>().write(x);
                }
            }
        }
    }
}

/// Turns rows of a block by a root each, the same in all lanes.
///
/// Asks for the block, and for `BESIDE` real and imaginary parts for each row.
pub struct TwistRows<T> {
    pub block: *mut T,
    pub rows: usize,
    pub twist: *const T,
}

impl<T: Float> Task<T> for TwistRows<T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        for i in 0..self.rows {
            // SAFETY: as the task asks.
            unsafe {
                let (row, twist) = (self.block.add(i * 2 * L::N), self.twist.add(i * 2 * BESIDE));
                let by = Pair { re: L::splat(*twist), im: L::splat(*twist.add(BESIDE)) };
                Pair::<L>::load(row).mul(by).store(row);
            }
        }
    }
}

/// Turns rows of a block by a root for each lane, into complex numbers.
///
/// Asks for the block, for room for as many numbers elsewhere, and for `BESIDE` real and imaginary parts for each row.
pub struct TwistLanes<T> {
    pub block: *const T,
    pub rows: usize,
    pub twist: *const T,
    pub to: *mut T,
}

impl<T: Float> Task<T> for TwistLanes<T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let order = L::order(false);
        for i in 0..self.rows {
            // SAFETY: as the task asks.
            unsafe {
                let twist = self.twist.add(i * 2 * BESIDE);
                let by = Pair { re: L::load(twist), im: L::load(twist.add(BESIDE)) };
                Pair::<L>::load(self.block.add(i * 2 * L::N)).mul(by).scatter(self.to.add(i * 2 * L::N), order);
            }
        }
    }
}

/// Products of complex numbers, scaled. Parts of the first factor are exchanged if `swap_in`, those of the product if `swap_out`.
///
/// Asks for `count` numbers of both, and for room for as many, which may be that of the first factor.
pub struct Multiply<T> {
    pub a: *const T,
    pub b: *const T,
    pub count: usize,
    pub swap_in: bool,
    pub swap_out: bool,
    pub scale: T,
    pub to: *mut T,
}

impl<T: Float> Multiply<T> {
    #[inline(always)]
    unsafe fn at<L: Lanes<T = T>>(&self, i: usize) {
        // SAFETY: the caller's word.
        unsafe {
            let a = Pair::<L>::gather(self.a.add(2 * i), L::order(self.swap_in));
            let b = Pair::gather(self.b.add(2 * i), L::order(false));
            a.mul(b).scale(L::splat(self.scale)).scatter(self.to.add(2 * i), L::order(self.swap_out));
        }
    }
}

impl<T: Float> Task<T> for Multiply<T> {
    #[inline(always)]
    unsafe fn run<L: Lanes<T = T>>(&self) {
        let whole = self.count / L::N * L::N;
        // SAFETY: as the task asks.
        unsafe {
            for i in (0..whole).step_by(L::N) {
                self.at::<L>(i);
            }
            for i in whole..self.count {
                self.at::<Plain<T, 1>>(i);
            }
        }
    }
}
