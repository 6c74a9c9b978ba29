//! Products with many sums for each result, for results that are few: products are summed apart by their number modulo that
//! of the sums, and those are added by halves. A chain of sums as long as the operand would leave the machine waiting.

use super::lanes::Lanes;
use super::{LONE, Part, Real, SIDE_BY_SIDE, nothing, pack};
use std::mem::MaybeUninit;

/// Products of each result up to which a product of many is done on numbers one by one: it takes less time than to find out
/// how vectors would do it.
pub(super) const TINY: usize = 4;

/// Computes all results, of few products each: those that are added by halves with nothing are left alone.
///
/// # Safety
/// All numbers that the part names lie at these places, and there are at most [`TINY`] products of each result.
pub(super) unsafe fn tiny<T: Real>(p: &Part, x: *const T, y: *const T, out: *mut T) {
    for (i, j) in (0..p.m as isize).flat_map(|i| (0..p.n as isize).map(move |j| (i, j))) {
        let product = |at: usize| {
            let at = at as isize;
            // SAFETY: numbers of the operands, as the caller says.
            unsafe { *x.offset(i * p.x[0] + at * p.x[1]) * *y.offset(j * p.y[0] + at * p.y[1]) }
        };
        let sum = match p.k {
            1 => product(0),
            2 => product(0) + product(1),
            3 => (product(0) + product(2)) + product(1),
            _ => (product(0) + product(2)) + (product(1) + product(3)),
        };
        // SAFETY: a place of the result.
        unsafe { *out.offset(i * p.out[0] + j * p.out[1]) = sum };
    }
}

/// How the right operand is read.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Columns are neighbours, and go into lanes.
    Columns,
    /// The numbers of a column are neighbours, and go into lanes.
    Rows,
    /// Neither: it is copied into columns.
    Packed,
}

fn way(p: &Part) -> Way {
    match p.y {
        _ if p.chains == LONE => Way::Rows,
        [1, _] if p.n > 1 => Way::Columns,
        [_, 1] if p.k > 8 => Way::Rows,
        _ => Way::Packed,
    }
}

/// The same product with the operand of fewer rows on the left.
pub(super) fn fewer_left<T>(p: &Part, x: *const T, y: *const T) -> (Part, *const T, *const T) {
    match p.n < p.m {
        true => (Part { m: p.n, n: p.m, x: p.y, y: p.x, out: [p.out[1], p.out[0]], ..*p }, y, x),
        false => (*p, x, y),
    }
}

/// How many numbers a room must have; none is needed for zero.
pub(super) fn room<L: Lanes>(p: &Part) -> usize {
    match way(p) {
        Way::Columns => 0,
        Way::Rows => p.k * ((p.x[1] != 1) as usize + (p.y[1] != 1) as usize),
        Way::Packed => p.k * L::N,
    }
}

/// Computes all results; rows of the left operand are few.
///
/// # Safety
/// All numbers that the part names lie at these places, and `room` has as many as [`room()`] says.
#[inline(always)]
pub(super) unsafe fn product<L: Lanes>(p: &Part, x: *const L::T, y: *const L::T, out: *mut L::T, room: *mut L::T) {
    // SAFETY: the caller's word.
    unsafe {
        match (way(p), L::N) {
            // Of rows that lie far apart many neighbours are read at a time.
            (Way::Columns, _) if p.n * size_of::<L::T>() >= 2048 => L::wide_columns(p, x, y, out),
            (Way::Columns, n) if n * size_of::<L::T>() == 64 && p.n > n => columns::<L, 8, 2>(p, x, y, out, room),
            (Way::Columns | Way::Packed, _) => columns::<L, 8, 1>(p, x, y, out, room),
            (Way::Rows, 16) if p.chains == LONE => rows::<L, 4, 1>(p, x, y, out, room),
            (Way::Rows, 8) if p.chains == LONE => rows::<L, 8, 1>(p, x, y, out, room),
            (Way::Rows, _) if p.chains == LONE => rows::<L, 16, 1>(p, x, y, out, room),
            (Way::Rows, 16) => rows::<L, 1, 8>(p, x, y, out, room),
            (Way::Rows, 8) => rows::<L, 2, 4>(p, x, y, out, room),
            (Way::Rows, _) => rows::<L, 4, 2>(p, x, y, out, room),
        }
    }
}

/// `CH` of the sums of some columns: those from `first` on.
///
/// # Safety
/// As [`product`].
#[inline(always)]
unsafe fn some_sums<L: Lanes, const CH: usize, const W: usize>(
    p: &Part,
    first: usize,
    x: *const L::T,
    (y, step): (*const L::T, isize),
    masks: &[L::Mask; W],
) -> [[L::V; W]; CH] {
    let mut sums = [[L::splat(nothing()); W]; CH];
    let full = p.k / SIDE_BY_SIDE * SIDE_BY_SIDE;
    let rest = (p.k - full).saturating_sub(first);
    // SAFETY: numbers of the operands.
    unsafe {
        let add = |at: usize, sum: &mut [L::V; W]| {
            let a = L::splat(*x.offset(at as isize * p.x[1]));
            let row = y.offset(at as isize * step);
            for w in 0..W {
                sum[w] = L::mul_add(a, L::load_some(row.wrapping_add(w * L::N), masks[w]), sum[w]);
            }
        };
        for from in (first..full).step_by(SIDE_BY_SIDE) {
            for (c, sum) in sums.iter_mut().enumerate() {
                add(from + c, sum);
            }
        }
        for (c, sum) in sums.iter_mut().enumerate() {
            if c < rest {
                add(full + first + c, sum);
            }
        }
    }
    sums
}

/// With `CH` sums of `W` vectors of columns at a time.
///
/// # Safety
/// As [`product`].
#[inline(always)]
pub(super) unsafe fn columns<L: Lanes, const CH: usize, const W: usize>(
    p: &Part,
    x: *const L::T,
    y: *const L::T,
    out: *mut L::T,
    room: *mut L::T,
) {
    let packed = way(p) == Way::Packed;
    let passes = SIDE_BY_SIDE / CH;
    for j in (0..p.n).step_by(W * L::N) {
        let width = (p.n - j).min(W * L::N);
        let lanes = |w: usize| width.saturating_sub(w * L::N).min(L::N);
        let masks: [L::Mask; W] = std::array::from_fn(|w| L::mask(lanes(w)));
        // SAFETY: numbers of the operands and the result, as the caller says.
        unsafe {
            let y = y.offset(j as isize * p.y[0]);
            let y = match packed {
                true => {
                    pack::panel::<L>(y, p.y, [width, p.k], room, W * L::N);
                    (room.cast_const(), (W * L::N) as isize)
                }
                false => (y, p.y[1]),
            };
            for i in 0..p.m {
                let x = x.offset(i as isize * p.x[0]);
                // Sums are computed in the order in which they are added, and wait for each other.
                let mut waiting = [MaybeUninit::<[[L::V; W]; CH]>::uninit(); 3];
                let (mut count, mut sums) = (0, [[L::splat(nothing()); W]; CH]);
                for pass in 0..passes {
                    let first = CH * (pass.reverse_bits() >> (usize::BITS - passes.ilog2()));
                    sums = some_sums::<L, CH, W>(p, first, x, y, &masks);
                    let mut done = pass + 1;
                    while done % 2 == 0 {
                        count -= 1;
                        let before = waiting[count].assume_init_ref();
                        for c in 0..CH {
                            (0..W).for_each(|w| sums[c][w] = L::add(before[c][w], sums[c][w]));
                        }
                        done /= 2;
                    }
                    if pass + 1 < passes {
                        waiting[count].write(sums);
                        count += 1;
                    }
                }
                for half in [4, 2, 1] {
                    for c in 0..CH / 2 {
                        if c < half && half < CH {
                            (0..W).for_each(|w| sums[c][w] = L::add(sums[c][w], sums[(c + half) % CH][w]));
                        }
                    }
                }
                let out = out.offset(i as isize * p.out[0] + j as isize * p.out[1]);
                for w in 0..W {
                    if p.out[1] == 1 {
                        L::store_some(out.wrapping_add(w * L::N), sums[0][w], masks[w]);
                        continue;
                    }
                    let mut line = [L::T::default(); 16];
                    L::store(line.as_mut_ptr(), sums[0][w]);
                    for (c, &v) in line.iter().take(lanes(w)).enumerate() {
                        *out.offset((w * L::N + c) as isize * p.out[1]) = v;
                    }
                }
            }
        }
    }
}

/// With `Q` vectors of sums for each result, and `R` results at a time.
///
/// # Safety
/// As [`product`].
#[inline(always)]
unsafe fn rows<L: Lanes, const Q: usize, const R: usize>(
    p: &Part,
    x: *const L::T,
    y: *const L::T,
    out: *mut L::T,
    room: *mut L::T,
) {
    let full = p.k / (Q * L::N) * (Q * L::N);
    let masks: [L::Mask; Q] = std::array::from_fn(|q| L::mask((p.k - full).saturating_sub(q * L::N).min(L::N)));
    for i in 0..p.m {
        // SAFETY: numbers of the operands and the result, as the caller says.
        unsafe {
            let x = pack::line(x.offset(i as isize * p.x[0]), p.x[1], p.k, room);
            let rest = if p.x[1] == 1 { room } else { room.wrapping_add(p.k) };
            for j in (0..p.n).step_by(R) {
                // The last results may be computed more than once.
                let y: [*const L::T; R] = std::array::from_fn(|r| {
                    pack::line(y.offset((j + r).min(p.n - 1) as isize * p.y[0]), p.y[1], p.k, rest)
                });
                let mut sums = [[L::splat(nothing()); Q]; R];
                for from in (0..full).step_by(Q * L::N) {
                    for q in 0..Q {
                        let a = L::load(x.add(from + q * L::N));
                        for (sums, y) in sums.iter_mut().zip(&y) {
                            sums[q] = L::mul_add(a, L::load(y.add(from + q * L::N)), sums[q]);
                        }
                    }
                }
                if full < p.k {
                    for q in 0..Q {
                        let at = (full + q * L::N).min(p.k);
                        let a = L::load_some(x.add(at), masks[q]);
                        for (sums, y) in sums.iter_mut().zip(&y) {
                            sums[q] = L::mul_add_some(a, L::load_some(y.add(at), masks[q]), sums[q], masks[q]);
                        }
                    }
                }
                for half in [8, 4, 2, 1] {
                    for q in 0..Q / 2 {
                        if q < half && half < Q {
                            (0..R).for_each(|r| sums[r][q] = L::add(sums[r][q], sums[r][(q + half) % Q]));
                        }
                    }
                }
                for (r, sums) in sums.iter().enumerate() {
                    let sum = L::sum(sums[0]);
                    if r < p.n - j {
                        *out.offset(i as isize * p.out[0] + (j + r) as isize * p.out[1]) = sum;
                    }
                }
            }
        }
    }
}
