//! Memory that a transform works in, kept by each thread.

use std::cell::RefCell;

/// The bytes of the largest room that is kept, and how many a thread keeps: transforms run inside others.
const KEPT: (usize, usize) = (4 << 20, 4);

/// As many bytes as the widest vector has, and placed like it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Unit([u8; 64]);

thread_local!(static ROOMS: RefCell<Vec<Vec<Unit>>> = const { RefCell::new(Vec::new()) });

/// Room that goes back to its thread when it is dropped.
pub struct Room(Vec<Unit>);

impl Room {
    /// Room for so many numbers, which hold anything.
    pub fn new<T>(count: usize) -> Room {
        Room::of_bytes(count * size_of::<T>())
    }

    fn of_bytes(bytes: usize) -> Room {
        let units = bytes.div_ceil(size_of::<Unit>());
        // A thread that ends keeps none any more.
        match ROOMS.try_with(|rooms| rooms.borrow_mut().pop()).ok().flatten() {
            Some(room) if room.len() >= units => Room(room),
            _ => Room(vec![Unit([0; 64]); units]),
        }
    }

    /// Where it starts.
    pub fn start<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if self.0.len() * size_of::<Unit>() <= KEPT.0 {
            let room = std::mem::take(&mut self.0);
            _ = ROOMS.try_with(|rooms| {
                let mut rooms = rooms.borrow_mut();
                if rooms.len() < KEPT.1 {
                    rooms.push(room)
                }
            });
        }
    }
}
