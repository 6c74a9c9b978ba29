//! Memory that code is run from.
//!
//! Code lies in files that are only in memory, each mapped once, readable and executable; it is written through the
//! file, so that no page is ever writable by an address, and what runs beside it is not disturbed. Freed memory is used
//! again after all cores have dropped what they fetched of it.
//!
//! `perf` looks for names of code only where no file is mapped. For its sake each piece of code can have pages of its own
//! instead ([`without_files`]), which are writable until the code is there, and executable from then on.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How large chunks are, unless more is needed at once.
const CHUNK: usize = 1 << 20;
/// Code starts at multiples of this.
const ALIGN: usize = 64;

/// A piece of executable memory.
#[derive(Debug)]
pub struct Block {
    start: NonNull<u8>,
    bytes: usize,
    chunk: u64,
}

// SAFETY: what a block points to is only read and run, by any thread.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Where it starts.
    pub fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match self.chunk {
            // SAFETY: the pages are this block's own, and nobody runs them any more.
            OWN_PAGES => _ = unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) },
            _ => lock().free(self),
        }
    }
}

/// In place of a chunk's number: the block has pages of its own. Numbers of chunks begin with 1.
const OWN_PAGES: u64 = 0;
const PAGE: usize = 4096;

static WITHOUT_FILES: AtomicBool = AtomicBool::new(false);

/// Code that is placed from now on lies in pages of its own, of no file.
pub fn without_files() {
    WITHOUT_FILES.store(true, Ordering::Relaxed);
}

/// Makes code executable in pages of its own.
fn place_in_own_pages(code: &[u8]) -> Option<Block> {
    let bytes = code.len().max(1).next_multiple_of(PAGE);
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    let start = if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast::<u8>()) }?;
    let block = Block { start, bytes, chunk: OWN_PAGES };
    // SAFETY: the pages are ours, writable, and no fewer bytes; nobody else knows of them when they change.
    let done = unsafe {
        std::ptr::copy_nonoverlapping(code.as_ptr(), start.as_ptr(), code.len());
        libc::mprotect(start.as_ptr().cast(), bytes, libc::PROT_READ | libc::PROT_EXEC) == 0
    };
    done.then_some(block)
}

#[derive(Debug)]
struct Chunk {
    id: u64,
    file: i32,
    start: NonNull<u8>,
    bytes: usize,
    /// Where nothing was yet.
    fresh: usize,
    /// How many bytes are in use.
    live: usize,
    /// Freed, offset and length, and safe to write.
    free: Vec<(usize, usize)>,
    /// Freed since.
    dirty: Vec<(usize, usize)>,
    /// The process that may write: after a fork both share the file.
    process: u32,
}

// SAFETY: chunks are used under a lock.
unsafe impl Send for Chunk {}

#[derive(Debug, Default)]
struct Arena {
    chunks: Vec<Chunk>,
    next: u64,
}

static ARENA: Mutex<Arena> = Mutex::new(Arena { chunks: Vec::new(), next: 0 });

fn lock() -> std::sync::MutexGuard<'static, Arena> {
    ARENA.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes code executable, if the system lets us.
pub fn place(code: &[u8]) -> Option<Block> {
    if WITHOUT_FILES.load(Ordering::Relaxed) { place_in_own_pages(code) } else { lock().place(code) }
}

/// How many bytes are mapped.
#[cfg(test)]
pub fn mapped() -> usize {
    lock().chunks.iter().map(|c| c.bytes).sum()
}

impl Arena {
    fn place(&mut self, code: &[u8]) -> Option<Block> {
        let bytes = code.len().max(1).next_multiple_of(ALIGN);
        let process = std::process::id();
        let own = |c: &Chunk| c.process == process;
        let take = |chunks: &mut Vec<Chunk>| {
            chunks.iter_mut().enumerate().filter(|(_, c)| own(c)).find_map(|(i, c)| Some((i, c.take(bytes)?)))
        };
        let mut found = take(&mut self.chunks);
        if found.is_none() && self.chunks.iter().any(|c| own(c) && c.dirty.iter().map(|d| d.1).sum::<usize>() >= bytes)
        {
            forget_fetched();
            self.chunks.iter_mut().filter(|c| own(c)).for_each(Chunk::clean);
            found = take(&mut self.chunks);
        }
        let (i, at) = match found {
            Some(found) => found,
            None => {
                self.next += 1;
                let mut chunk = Chunk::map(self.next, bytes.max(CHUNK), process)?;
                let at = chunk.take(bytes)?;
                self.chunks.push(chunk);
                (self.chunks.len() - 1, at)
            }
        };
        let chunk = &mut self.chunks[i];
        // SAFETY: the offset is within the mapping.
        let start = unsafe { chunk.start.add(at) };
        let block = Block { start, bytes, chunk: chunk.id };
        if !chunk.write(at, code) {
            // Not through drop, which locks.
            self.free(&block);
            std::mem::forget(block);
            return None;
        }
        Some(block)
    }

    fn free(&mut self, block: &Block) {
        let Some(i) = self.chunks.iter().position(|c| c.id == block.chunk) else { return };
        let chunk = &mut self.chunks[i];
        let at = block.start.as_ptr() as usize - chunk.start.as_ptr() as usize;
        chunk.live -= block.bytes;
        chunk.dirty.push((at, block.bytes));
        if chunk.live == 0 && (self.chunks.len() > 1 || self.chunks[i].bytes > CHUNK) {
            self.chunks.swap_remove(i).unmap();
        }
    }
}

impl Chunk {
    fn map(id: u64, bytes: usize, process: u32) -> Option<Chunk> {
        let bytes = bytes.next_multiple_of(PAGE);
        // SAFETY: the name ends with a zero, and the flags are those of the call.
        let create = |flags| unsafe { libc::memfd_create(c"wengert-code".as_ptr(), libc::MFD_CLOEXEC | flags) };
        // Newer systems want to be told that it is for code; older ones do not know the flag.
        let file = [libc::MFD_EXEC, 0].into_iter().map(create).find(|&file| file >= 0)?;
        // SAFETY: the file is ours.
        let sized = unsafe { libc::ftruncate(file, bytes as libc::off_t) } == 0;
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        let start = match sized {
            // SAFETY: a new mapping of a file of this size.
            true => unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, file, 0) },
            false => libc::MAP_FAILED,
        };
        let start = if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) };
        let Some(start) = start else {
            // SAFETY: the file is ours, and closed once.
            unsafe { libc::close(file) };
            return None;
        };
        let (free, dirty) = (Vec::new(), Vec::new());
        Some(Chunk { id, file, start, bytes, fresh: 0, live: 0, free, dirty, process })
    }

    fn unmap(self) {
        // SAFETY: mapping and file are ours, and nothing lies in them that is still used.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.bytes);
            libc::close(self.file);
        }
    }

    /// Room for so many bytes.
    fn take(&mut self, bytes: usize) -> Option<usize> {
        let at = if let Some(i) = self.free.iter().position(|f| f.1 >= bytes) {
            let (at, length) = self.free[i];
            match length - bytes {
                0 => drop(self.free.swap_remove(i)),
                rest => self.free[i] = (at + bytes, rest),
            }
            at
        } else if self.bytes - self.fresh >= bytes {
            self.fresh += bytes;
            self.fresh - bytes
        } else {
            return None;
        };
        self.live += bytes;
        Some(at)
    }

    /// What was freed can be written again; neighbours are joined.
    fn clean(&mut self) {
        self.free.append(&mut self.dirty);
        self.free.sort_unstable();
        self.free.dedup_by(|next, before| {
            let joined = before.0 + before.1 == next.0;
            if joined {
                before.1 += next.1;
            }
            joined
        });
    }

    fn write(&self, at: usize, mut code: &[u8]) -> bool {
        let mut at = at as libc::off_t;
        while !code.is_empty() {
            // SAFETY: the bytes are there to be read, and the file is ours.
            let n = unsafe { libc::pwrite(self.file, code.as_ptr().cast(), code.len(), at) };
            if n <= 0 {
                return false;
            }
            code = &code[n as usize..];
            at += n as libc::off_t;
        }
        true
    }
}

/// All cores drop instructions they may have fetched.
fn forget_fetched() {
    const REGISTER: libc::c_int = libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE as libc::c_int;
    const SYNC: libc::c_int = libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE as libc::c_int;
    // SAFETY: these commands take no memory. Where they are not known, code is not run right after it is written, and a
    // call and a lock lie between: what was fetched is long gone.
    unsafe {
        libc::syscall(libc::SYS_membarrier, REGISTER, 0, 0);
        libc::syscall(libc::SYS_membarrier, SYNC, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        for round in 0..3 {
            let _blocks: Vec<Block> = (0..2000).map(|i| place(&vec![0xc3; 100 + i % 3000]).expect("memory")).collect();
            let high = mapped();
            assert!(high < 8 << 20, "round {round}: {high}");
        }
        assert!(mapped() <= 8 << 20);
    }

    #[test]
    fn code_is_what_was_written() {
        let code: Vec<u8> = (0..200).collect();
        for place in [place, place_in_own_pages] {
            let b = place(&code).expect("memory");
            // SAFETY: the block has at least as many bytes.
            assert_eq!(unsafe { std::slice::from_raw_parts(b.start(), 200) }, &code[..]);
        }
    }
}
