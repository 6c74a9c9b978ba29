//! A block of the pool, from when it is taken until it is given back.

use super::pool;
use std::ptr::NonNull;

/// Memory of an array: aligned, initialized, given back to the pool when it is dropped.
pub struct Block {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a block is memory alone; who may read and write it is what borrows of its owner say.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Memory of this many bytes, which hold anything; none if the system has no more.
    pub(super) fn new(bytes: usize) -> Option<Block> {
        pool::take(bytes).map(|start| Block { start, bytes })
    }

    /// Where it starts.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it was taken with this size, and its owner is gone.
        unsafe { pool::give(self.start, self.bytes) };
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({} bytes)", self.bytes)
    }
}
