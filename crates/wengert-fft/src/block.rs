//! Transforms of a block: rows of as many lanes as a vector has, each lane a line.

use super::lanes::{Float, Level};
use super::line::Sense;
use super::moves::{Gather, Scatter, TwistLanes, TwistRows};
use super::passes::Leave;
use super::plan::{Direct, Plan, Split, Way};
use super::room::Room;

/// The bytes of a block that is worth having: more leave the cache that a core has to itself.
const LARGE: usize = 1 << 19;

/// Whether lines of a plan are transformed in blocks.
pub fn fits<T: Float>(plan: &Plan<T>, level: Level) -> bool {
    match plan.way {
        Way::Direct(_) => true,
        Way::Split(_) => plan.n * 2 * T::lanes(level) * size_of::<T>() <= LARGE,
        Way::Chirp(_) => false,
    }
}

/// Transforms columns of an array in place: not more than a vector has lanes.
///
/// # Safety
/// The machine has these instructions, the plan [fits], and nothing else uses the columns.
pub unsafe fn run<T: Float>(plan: &Plan<T>, level: Level, columns: Columns<T>, sense: Sense<T>) {
    let n = plan.n;
    let row = 2 * T::lanes(level);
    let (swap, leave) = (sense.inverse, sense.leave());
    // SAFETY: the caller's word; the parts of the room do not overlap.
    unsafe {
        match &plan.way {
            Way::Direct(d) => {
                let mut room = Room::new::<T>(2 * n * row);
                let room = room.start::<T>();
                through(d, level, columns, swap, [room, room.add(n * row)], Some(columns), leave);
            }
            Way::Split(s) => {
                let mut room = Room::new::<T>(row * (2 * n + 2 * s.rows.n.max(s.columns.n)));
                let room = room.start::<T>();
                let (at, step, count) = columns;
                T::run(level, &Gather { from: at, step, rows: n, count, swap, to: room });
                split(s, level, [room, room.add(n * row), room.add(2 * n * row)]);
                let Sense { scale, .. } = sense;
                T::run(level, &Scatter { from: room, rows: n, count, swap, scale, to: at, step });
            }
            Way::Chirp(_) => unreachable!("lines of this length are transformed one by one"),
        }
    }
}

/// Rows of complex numbers in an array: where they begin, the step from row to row, and how many there are in a row, of
/// which each is of another line.
pub type Columns<T> = (*mut T, usize, usize);

/// Transforms columns of an array into others, or into a room as if it were an array; says where they are. Parts of numbers
/// are exchanged before if `swap`.
///
/// # Safety
/// The machine has these instructions, there are not more columns than lanes, and both rooms hold as many rows as the length
/// is. The columns may lie in the second room, and the results may go where they were. What is turned goes into a room.
pub unsafe fn through<T: Float>(
    d: &Direct<T>,
    level: Level,
    (from, step, count): Columns<T>,
    swap: bool,
    [room, other]: [*mut T; 2],
    to: Option<Columns<T>>,
    leave: Leave<T>,
) -> *mut T {
    let (lanes, rows) = (T::lanes(level), d.n);
    let row = 2 * lanes;
    let (last, before) = d.passes.split_last().expect("a pass");
    let reaches = count == lanes && before.first().is_some_and(|pass| pass.reaches(level));
    // SAFETY: the caller's word.
    unsafe {
        match reaches {
            true => before[0].run_from_array(level, (from, step), swap, (room, row)),
            false => T::run(level, &Gather { from, step, rows, count, swap, to: room }),
        }
        let (mut full, mut free) = (room, other);
        for pass in &before[usize::from(reaches)..] {
            pass.run(level, (full, row), (free, row));
            (full, free) = (free, full);
        }
        let (at, step, count) = to.unwrap_or((free, row, lanes));
        if count == lanes && last.reaches(level) {
            last.run_to_array(level, (full, row), (at, step), leave);
            return at;
        }
        last.run(level, (full, row), (free, row));
        let at = if to.is_none() { full } else { at };
        let Leave { swap, scale, twist } = leave;
        match twist {
            Some(twist) => T::run(level, &TwistLanes { block: free, rows, twist, to: at }),
            None => T::run(level, &Scatter { from: free, rows, count, swap, scale, to: at, step }),
        }
        at
    }
}

/// Transforms rows at a step into others at a step, with room for twice as many rows.
///
/// # Safety
/// The machine has these instructions, the rows are there, and what is written is used by nothing else.
unsafe fn across<T: Float>(d: &Direct<T>, level: Level, from: (*mut T, usize), to: (*mut T, usize), room: *mut T) {
    let row = 2 * T::lanes(level);
    let mut full = from;
    // SAFETY: the caller's word; a pass goes from one half of the room to the other.
    unsafe {
        for (i, pass) in d.passes.iter().enumerate() {
            let next = match i + 1 == d.passes.len() {
                true => to,
                false => (room.add(i % 2 * d.n * row), row),
            };
            pass.run(level, full, next);
            full = next;
        }
    }
}

/// Transforms the first block, with the help of the second and of room for the larger side twice.
///
/// # Safety
/// As for [`run`].
unsafe fn split<T: Float>(s: &Split<T>, level: Level, [block, turned, room]: [*mut T; 3]) {
    let row = 2 * T::lanes(level);
    let (rows, columns) = (s.rows.n, s.columns.n);
    // SAFETY: the caller's word.
    unsafe {
        for j in 0..columns {
            let line = turned.add(j * rows * row);
            across(&s.rows, level, (block.add(j * row), columns * row), (line, row), room);
            T::run(level, &TwistRows { block: line, rows, twist: s.twist.as_ptr().add(s.twist_at(0, j)) });
        }
        for i in 0..rows {
            let step = rows * row;
            across(&s.columns, level, (turned.add(i * row), step), (block.add(i * row), step), room);
        }
    }
}
