//! The pool that memory for arrays comes from and goes back to.
//!
//! Fresh pages are what a large result costs most: a block that is given back is kept and handed out again, up to a
//! limit. Blocks have sizes of a few classes, so that one fits the next array of about its size. Large blocks ask the
//! system for huge pages. All memory is initialized: zeros when it is fresh, what was there before when it is not.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Every block starts at a multiple of this many bytes.
pub const ALIGNMENT: usize = 64;
/// Smaller blocks come from the allocator and are not kept.
const KEPT: usize = 1 << 10;
/// Blocks from this size on are mapped from the system, page by page.
const MAPPED: usize = 1 << 17;
/// The size of a huge page: blocks from this size on start at a multiple of it.
const HUGE: usize = 1 << 21;
/// Sizes of classes between a power of two and the next.
const STEPS: usize = 4;

/// How much memory arrays use and the pool keeps, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// Of arrays that are alive.
    pub in_use: usize,
    /// Of blocks that are kept for the next array.
    pub held: usize,
    /// Taken from the system so far, ever: a program that reuses its memory leaves this where it is.
    pub taken: usize,
}

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static LIMIT: OnceLock<AtomicUsize> = OnceLock::new();
static FREE_BLOCKS: Mutex<FreeBlocks> = Mutex::new(FreeBlocks { blocks: Vec::new(), held: 0 });

/// The blocks that are kept for the next arrays, by class.
struct FreeBlocks {
    blocks: Vec<Vec<FreeBlock>>,
    held: usize,
}

/// A block that no array uses.
struct FreeBlock(NonNull<u8>);
// SAFETY: it is memory that nothing else refers to.
unsafe impl Send for FreeBlock {}

fn free_blocks() -> MutexGuard<'static, FreeBlocks> {
    FREE_BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How much memory arrays use and the pool keeps.
///
/// ```
/// use wengert_core::{Tensor, host::pool};
/// let before = pool::usage().in_use;
/// let x = Tensor::new([1 << 20], vec![1.0f32; 1 << 20])?;
/// assert!(pool::usage().in_use >= before + (4 << 20));
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn usage() -> MemoryUsage {
    let held = free_blocks().held;
    MemoryUsage { in_use: IN_USE.load(Ordering::Relaxed), held, taken: TAKEN.load(Ordering::Relaxed) }
}

/// The bytes that the pool keeps at most: a quarter of the machine's memory, unless [`set_limit`] said otherwise.
pub fn limit() -> usize {
    limit_cell().load(Ordering::Relaxed)
}

fn limit_cell() -> &'static AtomicUsize {
    LIMIT.get_or_init(|| AtomicUsize::new(system::memory() / 4))
}

/// Keeps at most this many bytes from now on; what is beyond goes back to the system at once.
///
/// ```
/// use wengert_core::host::pool;
/// let before = pool::limit();
/// pool::set_limit(0);
/// assert_eq!(pool::usage().held, 0);
/// pool::set_limit(before);
/// ```
pub fn set_limit(bytes: usize) {
    limit_cell().store(bytes, Ordering::Relaxed);
    if free_blocks().held > bytes {
        clear();
    }
}

/// Gives all memory that is kept back to the system.
pub fn clear() {
    let blocks = {
        let mut s = free_blocks();
        s.held = 0;
        std::mem::take(&mut s.blocks)
    };
    for (class, blocks) in blocks.into_iter().enumerate() {
        for block in blocks {
            // SAFETY: `take` got it from `fresh` with the size of its class, and nothing refers to it.
            unsafe { release(block.0, class_size(class)) };
        }
    }
}

/// The class of the smallest blocks that hold this many bytes.
fn class_of(bytes: usize) -> usize {
    let bytes = bytes.max(KEPT);
    let power = (bytes - 1).ilog2() as usize;
    let base = 1usize << power;
    // Between `base` and twice that there are `STEPS` sizes; `bytes` is over `base`.
    let step = (bytes - base).div_ceil(base / STEPS);
    (power + 1 - KEPT.ilog2() as usize) * STEPS + step - STEPS
}

/// The size of the blocks of a class.
fn class_size(class: usize) -> usize {
    let base = KEPT << (class / STEPS);
    base + base / STEPS * (class % STEPS)
}

/// The bytes a block for this many takes.
pub(super) fn capacity(bytes: usize) -> usize {
    if bytes < KEPT { bytes.max(1).next_multiple_of(ALIGNMENT) } else { class_size(class_of(bytes)) }
}

/// A block of at least this many bytes, initialized to anything; none if the system has no more.
pub(super) fn take(bytes: usize) -> Option<NonNull<u8>> {
    let addressed = |&n: &usize| n <= isize::MAX as usize;
    let size = Some(bytes).filter(addressed).map(capacity).filter(addressed)?;
    if bytes >= KEPT {
        let class = class_of(bytes);
        let mut s = free_blocks();
        if let Some(block) = s.blocks.get_mut(class).and_then(Vec::pop) {
            s.held -= size;
            IN_USE.fetch_add(size, Ordering::Relaxed);
            return Some(block.0);
        }
    }
    let block = fresh(size).or_else(|| {
        clear();
        fresh(size)
    })?;
    IN_USE.fetch_add(size, Ordering::Relaxed);
    TAKEN.fetch_add(size, Ordering::Relaxed);
    Some(block)
}

/// Takes a block back.
///
/// # Safety
/// It came from [`take`] for this many bytes, and nothing refers to it any more.
pub(super) unsafe fn give(block: NonNull<u8>, bytes: usize) {
    let size = capacity(bytes);
    IN_USE.fetch_sub(size, Ordering::Relaxed);
    if bytes >= KEPT {
        let class = class_of(bytes);
        let mut s = free_blocks();
        if s.held + size <= limit() {
            if s.blocks.len() <= class {
                s.blocks.resize_with(class + 1, Vec::new);
            }
            s.blocks[class].push(FreeBlock(block));
            s.held += size;
            return;
        }
    }
    // SAFETY: as the caller says; `take` asked for this size.
    unsafe { release(block, size) };
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, ALIGNMENT).expect("sizes of arrays are addressable")
}

/// Memory from the system, all zeros.
fn fresh(size: usize) -> Option<NonNull<u8>> {
    if size >= MAPPED && system::MAPS {
        return system::map(size, if size >= HUGE { HUGE } else { 1 });
    }
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc_zeroed(layout(size)) })
}

/// # Safety
/// The block came from [`fresh`] with this size, and nothing refers to it any more.
unsafe fn release(block: NonNull<u8>, size: usize) {
    if size >= MAPPED && system::MAPS {
        // SAFETY: as the caller says.
        unsafe { system::unmap(block, size) };
    } else {
        // SAFETY: as the caller says.
        unsafe { dealloc(block.as_ptr(), layout(size)) };
    }
}

#[cfg(unix)]
mod system {
    use std::ptr::NonNull;

    pub(super) const MAPS: bool = true;

    /// The bytes of memory that the machine has.
    pub(super) fn memory() -> usize {
        // SAFETY: the call only asks the system for numbers.
        let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        usize::try_from(pages).unwrap_or(0).saturating_mul(usize::try_from(size).unwrap_or(0))
    }

    /// Pages that start at a multiple of `align`; huge ones where that is asked for and the system has them.
    pub(super) fn map(size: usize, align: usize) -> Option<NonNull<u8>> {
        let padding = if align > 1 { align } else { 0 };
        let whole = size.checked_add(padding)?;
        let (read_write, anonymous) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new private mapping, at an address the system chooses.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), whole, read_write, anonymous, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(align);
        // SAFETY: both lie inside the mapping, outside of the part that is kept; all are whole pages.
        unsafe {
            if before > 0 {
                libc::munmap(start.cast(), before);
            }
            if padding > before {
                libc::munmap(start.add(before + size).cast(), padding - before);
            }
        }
        // SAFETY: inside the mapping.
        let block = unsafe { start.add(before) };
        #[cfg(target_os = "linux")]
        if align > 1 {
            // SAFETY: it is our mapping; a system that refuses keeps small pages.
            unsafe { libc::madvise(block.cast(), size, libc::MADV_HUGEPAGE) };
        }
        NonNull::new(block)
    }

    /// # Safety
    /// The block came from [`map`] with this size, and nothing refers to it any more.
    pub(super) unsafe fn unmap(block: NonNull<u8>, size: usize) {
        // SAFETY: as the caller says.
        unsafe { libc::munmap(block.as_ptr().cast(), size) };
    }
}

#[cfg(not(unix))]
mod system {
    use std::ptr::NonNull;

    pub(super) const MAPS: bool = false;

    pub(super) fn memory() -> usize {
        8 << 30
    }

    pub(super) fn map(_: usize, _: usize) -> Option<NonNull<u8>> {
        None
    }

    pub(super) unsafe fn unmap(_: NonNull<u8>, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_they_are_for_and_waste_a_quarter_at_most() {
        let mut last = 0;
        for bytes in (KEPT..1 << 14).chain((14..40).flat_map(|p| [(1 << p) - 1, 1 << p, (1 << p) + 1])) {
            let (class, size) = (class_of(bytes), capacity(bytes));
            assert!(size >= bytes && size - bytes <= bytes / STEPS, "{bytes} {size}");
            assert!(class >= last && size % ALIGNMENT == 0, "{bytes} {size}");
            assert_eq!(class_of(size), class);
            last = class;
        }
    }

    #[test]
    fn more_than_can_be_addressed_is_not_there() {
        let most = isize::MAX as usize;
        for bytes in [most / 2 + 1, most, most + 1, usize::MAX - 1, usize::MAX] {
            assert!(take(bytes).is_none(), "{bytes}");
        }
    }

    #[test]
    fn a_block_comes_back() {
        for bytes in [KEPT, MAPPED, HUGE, 5 * HUGE + 3] {
            let block = take(bytes).unwrap();
            assert_eq!(block.as_ptr().align_offset(if bytes >= HUGE { HUGE } else { ALIGNMENT }), 0);
            // SAFETY: the block has this many bytes, and is given back once.
            unsafe {
                block.as_ptr().add(bytes - 1).write(7);
                give(block, bytes);
            }
        }
    }
}
