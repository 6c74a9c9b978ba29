//! Transforms of arrays of complex numbers along one axis.

use super::lanes::{Float, Level};
use super::line::{self, Sense};
use super::moves::{Turn, expect};
use super::plan::Plan;
use super::room::Room;
use super::{Place, Spread, block};
use num_complex::Complex;

/// An axis of an array: so many numbers before it, along it, and behind it.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The product of the sizes of the axes before it.
    pub outer: usize,
    /// The size of the axis: the length of lines.
    pub n: usize,
    /// The product of the sizes of the axes after it.
    pub inner: usize,
}

/// Numbers that a thread takes at a time.
pub const PIECE: usize = 1 << 13;

/// See [`Transform::complex`](crate::Transform::complex).
pub fn complex<T: Float>(
    n: usize,
    inverse: bool,
    from: &[Complex<T>],
    to: &mut [Complex<T>],
    level: Level,
    spread: Spread<'_>,
) {
    assert!(from.len() == to.len() && from.len().is_multiple_of(n.max(1)), "lines of {n} numbers, and room for them");
    if n <= 1 || from.is_empty() {
        return to.copy_from_slice(from);
    }
    let plan = T::plans().get(n);
    let count = to.len() / n;
    // SAFETY: the numbers are there, and there is room elsewhere.
    unsafe { lines(&plan, level, sense(n, inverse), from.as_ptr().cast(), to.as_mut_ptr().cast(), count, spread) }
}

/// See [`Transform::complex_over`](crate::Transform::complex_over).
pub fn complex_over<T: Float>(axis: Axis, inverse: bool, numbers: &mut [Complex<T>], level: Level, spread: Spread<'_>) {
    let Axis { outer, n, inner } = axis;
    assert_eq!(outer * n * inner, numbers.len(), "numbers of the axis");
    if n <= 1 || numbers.is_empty() {
        return;
    }
    let plan = T::plans().get(n);
    let lanes = T::lanes(level);
    let beside = inner.div_ceil(lanes);
    let group = (PIECE / (n * lanes)).max(1);
    let start = Place(numbers.as_mut_ptr().cast::<T>());
    spread((outer * beside).div_ceil(group), 8 * numbers.len(), &|piece| {
        for i in piece * group..(outer * beside).min((piece + 1) * group) {
            let at = i % beside * lanes;
            let count = lanes.min(inner - at);
            // SAFETY: each line is read and written where it lies, by one piece.
            unsafe {
                columns(&plan, level, sense(n, inverse), start.at(2 * (i / beside * n * inner + at)), inner, count)
            }
        }
    });
}

fn sense<T: Float>(n: usize, inverse: bool) -> Sense<T> {
    Sense { inverse, scale: T::of(if inverse { 1.0 / n as f64 } else { 1.0 }) }
}

/// Transforms so many lines that lie one after the other.
///
/// # Safety
/// The machine has these instructions. The numbers are there, there is room elsewhere, and nothing else uses it.
pub unsafe fn lines<T: Float>(
    plan: &Plan<T>,
    level: Level,
    sense: Sense<T>,
    from: *const T,
    to: *mut T,
    count: usize,
    spread: Spread<'_>,
) {
    let n = plan.n;
    let (from, to) = (Place(from.cast_mut()), Place(to));
    if count == 1 {
        // SAFETY: the caller's word.
        return unsafe { line::one(plan, level, sense, from.0, to.0, spread) };
    }
    let group = group(n, T::lanes(level));
    spread(count.div_ceil(group), 8 * n * count, &|i| {
        let (at, some) = (i * group, group.min(count - i * group));
        // SAFETY: the caller's word; each piece has lines of its own.
        unsafe { line::some(plan, level, sense, (from.at(2 * n * at), 2 * n), (to.at(2 * n * at), 2 * n), some) }
    });
}

/// How many lines a thread takes at a time: as many as there are lanes, or several times that.
pub fn group(n: usize, lanes: usize) -> usize {
    match n * lanes <= 8 * PIECE {
        true => (PIECE / (n * lanes)).max(1) * lanes,
        false => 1,
    }
}

/// Transforms up to as many lines as a vector has lanes, which lie side by side with `inner` numbers from row to row.
///
/// # Safety
/// The machine has these instructions, the numbers are there, and nothing else uses them.
unsafe fn columns<T: Float>(plan: &Plan<T>, level: Level, sense: Sense<T>, start: *mut T, inner: usize, count: usize) {
    let n = plan.n;
    let step = 2 * inner;
    if block::fits(plan, level) {
        // The columns beside these are next.
        expect((start.cast_const().wrapping_add(2 * count), step), n, 2 * count);
        // SAFETY: the caller's word.
        return unsafe { block::run(plan, level, (start, step, count), sense) };
    }
    let mut room = Room::new::<T>(4 * n * count);
    let room = room.start::<T>();
    // SAFETY: the caller's word.
    unsafe {
        let other = room.add(2 * n * count);
        T::run(level, &Turn { from: start, from_step: step, rows: n, columns: count, to: room, to_step: 2 * n });
        line::some(plan, level, sense, (room, 2 * n), (other, 2 * n), count);
        T::run(level, &Turn { from: other, from_step: 2 * n, rows: count, columns: n, to: start, to_step: step });
    }
}
