//! The memory of temporaries, planned while a function is written: a room that nothing holds any longer is used again.

use super::blocks::{RoomArray, RoomUse};
use std::cell::RefCell;
use std::rc::Rc;

/// Rooms start at a multiple of this.
const ALIGNMENT: usize = 64;

/// What is free, and how far memory reaches.
#[derive(Default)]
struct Plan {
    /// Ranges that were used and are free, in order, none touching the next.
    free: Vec<(usize, usize)>,
    top: usize,
    /// All rooms there were.
    uses: Vec<RoomUse>,
    /// The block that is being written, and the last one that was begun.
    now: u32,
    last: u32,
}

/// All rooms of a function.
#[derive(Clone, Default)]
pub(super) struct Rooms(Rc<RefCell<Plan>>);

/// A range of the memory of temporaries, free again when this is dropped.
pub(super) struct Room {
    plan: Rc<RefCell<Plan>>,
    pub(super) start: usize,
    bytes: usize,
    /// Its number among all.
    number: usize,
}

impl Rooms {
    /// A range of this many bytes: the smallest free one that it fits in.
    pub(super) fn take(&self, bytes: usize) -> Rc<Room> {
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT);
        let mut plan = self.0.borrow_mut();
        let fits = plan.free.iter().enumerate().filter(|(_, (_, n))| *n >= bytes);
        let start = match fits.min_by_key(|(_, (_, n))| *n).map(|(i, _)| i) {
            Some(i) => {
                let (start, n) = plan.free[i];
                if n == bytes {
                    plan.free.remove(i);
                } else {
                    plan.free[i] = (start + bytes, n - bytes);
                }
                start
            }
            None => {
                // A free range at the end grows.
                let start = match plan.free.last() {
                    Some(&(start, n)) if start + n == plan.top => {
                        plan.free.pop();
                        start
                    }
                    _ => plan.top,
                };
                plan.top = start + bytes;
                start
            }
        };
        let number = plan.uses.len();
        let now = plan.now;
        plan.uses.push(RoomUse { start, bytes, array: None, from: now, to: now });
        Rc::new(Room { plan: self.0.clone(), start, bytes, number })
    }

    /// Says which array a room is for.
    pub(super) fn is_for(&self, room: &Room, array: RoomArray) {
        self.0.borrow_mut().uses[room.number].array = Some(array);
    }

    /// Rooms are taken in this block from now on, and given back after the last one that was begun.
    pub(super) fn set_now(&self, block: u32, last: u32) {
        let mut plan = self.0.borrow_mut();
        (plan.now, plan.last) = (block, last);
    }

    /// All rooms there were.
    pub(super) fn uses(&self) -> Vec<RoomUse> {
        self.0.borrow().uses.clone()
    }

    /// How many bytes all of them take.
    pub(super) fn bytes(&self) -> usize {
        self.0.borrow().top
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut plan = self.plan.borrow_mut();
        plan.uses[self.number].to = plan.last;
        let at = plan.free.partition_point(|(start, _)| *start < self.start);
        plan.free.insert(at, (self.start, self.bytes));
        if let Some(&(next, n)) = plan.free.get(at + 1)
            && self.start + self.bytes == next
        {
            plan.free[at].1 += n;
            plan.free.remove(at + 1);
        }
        if at > 0 && plan.free[at - 1].0 + plan.free[at - 1].1 == self.start {
            plan.free[at - 1].1 += plan.free[at].1;
            plan.free.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rooms;

    #[test]
    fn a_room_that_is_free_is_used_again() {
        let rooms = Rooms::default();
        let (a, b, c) = (rooms.take(100), rooms.take(64), rooms.take(1000));
        assert_eq!((a.start, b.start, c.start, rooms.bytes()), (0, 128, 192, 1216));
        drop(a);
        drop(b);
        let d = rooms.take(192);
        assert_eq!(d.start, 0);
        drop(c);
        let e = rooms.take(2000);
        assert_eq!((e.start, rooms.bytes()), (192, 2240));
    }
}
