//! Transforms of lines that lie in an array: alone, with lanes for the columns of one line, or some beside each other.

use super::lanes::{Float, Level};
use super::moves::{Multiply, Turn, expect};
use super::passes::Leave;
use super::plan::{Chirp, Direct, Plan, Split, Way};
use super::room::Room;
use super::{Place, Spread, block};

/// Numbers of a line are not touched in the order they lie in, which memory is slow at. Lines of so many bytes are copied
/// before they are transformed, if there are several; shorter ones are asked for while those before them are transformed.
const NEAR: std::ops::RangeInclusive<usize> = 1 << 13..=1 << 17;

/// What is done with numbers besides their transform.
#[derive(Clone, Copy)]
pub struct Sense<T> {
    /// Whether parts are exchanged before and after, which makes the transform the inverse one.
    pub inverse: bool,
    /// What numbers are multiplied by in the end.
    pub scale: T,
}

impl<T: Float> Sense<T> {
    /// What is done in the end.
    pub fn leave(self) -> Leave<T> {
        Leave { swap: self.inverse, scale: self.scale, twist: None }
    }
}

/// Runs all on this thread.
pub fn alone(count: usize, _: usize, f: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(f);
}

/// The forward transform of one line.
pub fn forward<T: Float>(plan: &Plan<T>, from: &[T], to: &mut [T]) {
    assert!(from.len() == 2 * plan.n && to.len() == 2 * plan.n, "a line of the plan's length");
    let sense = Sense { inverse: false, scale: T::of(1.0) };
    // SAFETY: the numbers are there, and there is room elsewhere.
    unsafe { one(plan, Level::detect(), sense, from.as_ptr(), to.as_mut_ptr(), &alone) }
}

/// Transforms `count` lines; steps are those from line to line, in numbers of `T`.
///
/// # Safety
/// The machine has these instructions. The lines are there, there is room for as many, and nothing else uses it. The room is
/// not that of the lines, unless lines of the plan [fit](block::fits) in blocks and are at the same places.
pub unsafe fn some<T: Float>(
    plan: &Plan<T>,
    level: Level,
    sense: Sense<T>,
    from: (*const T, usize),
    to: (*mut T, usize),
    count: usize,
) {
    let lanes = match plan.way {
        Way::Direct(_) => T::lanes(level),
        // A line has lanes of its own.
        _ => 1,
    };
    let bytes = 2 * plan.n * size_of::<T>();
    // SAFETY: the caller's word.
    unsafe {
        for at in (0..count).step_by(lanes) {
            if bytes < *NEAR.start() {
                let next = lanes.min(count.saturating_sub(at + lanes));
                expect((from.0.wrapping_add((at + lanes) * from.1), from.1), next, 2 * plan.n);
                expect((to.0.cast_const().wrapping_add((at + lanes) * to.1), to.1), next, 2 * plan.n);
            }
            let (from, to) = ((from.0.add(at * from.1), from.1), (to.0.add(at * to.1), to.1));
            match &plan.way {
                Way::Direct(d) => beside(d, level, sense, from, to, lanes.min(count - at)),
                _ if count > 1 && NEAR.contains(&bytes) => {
                    let mut near = Room::new::<T>(4 * plan.n);
                    let near = near.start::<T>();
                    let result = near.add(2 * plan.n);
                    std::ptr::copy_nonoverlapping(from.0, near, 2 * plan.n);
                    one(plan, level, sense, near, result, &alone);
                    std::ptr::copy_nonoverlapping(result, to.0, 2 * plan.n);
                }
                _ => one(plan, level, sense, from.0, to.0, &alone),
            }
        }
    }
}

/// Transforms up to as many lines as a vector has lanes.
///
/// # Safety
/// As for [`some`].
unsafe fn beside<T: Float>(
    d: &Direct<T>,
    level: Level,
    sense: Sense<T>,
    (from, from_step): (*const T, usize),
    (to, to_step): (*mut T, usize),
    count: usize,
) {
    let (n, lanes) = (d.n, T::lanes(level));
    let row = 2 * lanes;
    let mut room = Room::new::<T>(2 * n * row);
    let room = room.start::<T>();
    // SAFETY: the caller's word.
    unsafe {
        let other = room.add(n * row);
        if count < lanes {
            std::ptr::write_bytes(other, 0, n * row);
        }
        T::run(level, &Turn { from, from_step, rows: count, columns: n, to: other, to_step: row });
        let swap = sense.inverse;
        let full = block::through(d, level, (other, row, lanes), swap, [room, other], None, sense.leave());
        T::run(level, &Turn { from: full, from_step: row, rows: n, columns: count, to, to_step });
    }
}

/// Transforms one line.
///
/// # Safety
/// The machine has these instructions, the line is there, and there is room for it elsewhere, which nothing else uses.
pub unsafe fn one<T: Float>(
    plan: &Plan<T>,
    level: Level,
    sense: Sense<T>,
    from: *const T,
    to: *mut T,
    spread: Spread<'_>,
) {
    // SAFETY: the caller's word.
    unsafe {
        match &plan.way {
            Way::Direct(_) => some(plan, level, sense, (from, 2 * plan.n), (to, 2 * plan.n), 1),
            Way::Split(s) => split(s, level, sense, from, to, spread),
            Way::Chirp(c) => chirp(c, plan.n, level, sense, from, to, spread),
        }
    }
}

/// Transforms a line as a matrix: columns beside each other, whose transforms become rows; then the columns of that, in place.
///
/// # Safety
/// As for [`one`].
unsafe fn split<T: Float>(s: &Split<T>, level: Level, sense: Sense<T>, from: *const T, to: *mut T, spread: Spread<'_>) {
    let (rows, columns, lanes) = (s.rows.n, s.columns.n, T::lanes(level));
    let row = 2 * lanes;
    let work = 8 * rows * columns;
    let (from, to) = (Place(from.cast_mut()), Place(to));
    spread(columns.div_ceil(lanes), work, &|i| {
        let (at, swap) = (i * lanes, sense.inverse);
        let count = lanes.min(columns - at);
        let mut room = Room::new::<T>(2 * rows * row);
        let room = room.start::<T>();
        // SAFETY: the caller's word; each column is read once, and becomes a row of its own.
        unsafe {
            let twist = Some(s.twist.as_ptr().add(s.twist_at(0, at)));
            let leave = Leave { swap: false, scale: T::of(1.0), twist };
            let columns = (from.at(2 * at), 2 * columns, count);
            let full = block::through(&s.rows, level, columns, swap, [room, room.add(rows * row)], None, leave);
            let to = to.at(2 * at * rows);
            T::run(level, &Turn { from: full, from_step: row, rows, columns: count, to, to_step: 2 * rows });
        }
    });
    spread(rows.div_ceil(lanes), work, &|i| {
        let at = i * lanes;
        let count = lanes.min(rows - at);
        let mut room = Room::new::<T>(2 * columns * row);
        let room = room.start::<T>();
        // SAFETY: the caller's word; each column is read and written where it lies.
        unsafe {
            let lines = (to.at(2 * at), 2 * rows, count);
            let rooms = [room, room.add(columns * row)];
            block::through(&s.columns, level, lines, false, rooms, Some(lines), sense.leave());
        }
    });
}

/// Transforms a line as a convolution.
///
/// # Safety
/// As for [`one`].
unsafe fn chirp<T: Float>(
    c: &Chirp<T>,
    n: usize,
    level: Level,
    sense: Sense<T>,
    from: *const T,
    to: *mut T,
    spread: Spread<'_>,
) {
    let m = c.inner.n;
    let one_of = |inverse| Sense { inverse, scale: T::of(1.0) };
    let (filter, chirp) = (c.filter.as_ptr(), c.chirp.as_ptr());
    let mut room = Room::new::<T>(4 * m);
    let room = room.start::<T>();
    // SAFETY: the caller's word.
    unsafe {
        let other = room.add(2 * m);
        let (swap, no, by) = (sense.inverse, false, T::of(1.0));
        T::run(level, &Multiply { a: from, b: chirp, count: n, swap_in: swap, swap_out: no, scale: by, to: room });
        std::ptr::write_bytes(room.add(2 * n), 0, 2 * (m - n));
        one(&c.inner, level, one_of(false), room, other, spread);
        T::run(level, &Multiply { a: other, b: filter, count: m, swap_in: no, swap_out: no, scale: by, to: other });
        one(&c.inner, level, one_of(true), other, room, spread);
        let scale = sense.scale;
        T::run(level, &Multiply { a: room, b: chirp, count: n, swap_in: no, swap_out: swap, scale, to });
    }
}
