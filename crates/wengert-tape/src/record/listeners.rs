//! Which threads listen to tracked functions: asked at every call of one, so that it has to cost next to nothing, also while
//! other threads listen.

use super::environment;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

thread_local! {
    /// How many scopes and traces this thread has. Both listen to tracked functions; without any, tracked functions report
    /// nothing, whatever other threads do.
    static LISTENERS: Cell<usize> = const { Cell::new(0) };
}

/// Who listens: [`NOBODY`], [`SOMEBODY`], or the one thread that does, by what the machine keeps of it.
static LISTENING: AtomicUsize = AtomicUsize::new(SOMEBODY);

const NOBODY: usize = 0;

/// Threads that are not told apart here, or nobody knows yet whether all do. No thread has this bit.
const SOMEBODY: usize = 1 << (usize::BITS - 1);

/// Whether all threads listen: a switch is on.
static ALL: AtomicBool = AtomicBool::new(false);

/// What the word is made of.
static KNOWN: Mutex<KnownListeners> = Mutex::new(KnownListeners { asked: false, threads: 0, only: UNKNOWN });

struct KnownListeners {
    /// Whether the environment was asked if all threads listen.
    asked: bool,
    /// How many threads listen for themselves.
    threads: usize,
    /// The only one of them, if that is known.
    only: usize,
}

/// Changes what is known, and the word with it.
fn change(f: impl FnOnce(&mut KnownListeners)) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    f(&mut known);
    let word = match *known {
        KnownListeners { asked: false, .. } => SOMEBODY,
        _ if ALL.load(Ordering::Relaxed) => SOMEBODY,
        KnownListeners { threads: 0, .. } => NOBODY,
        KnownListeners { threads: 1, only, .. } if only != UNKNOWN => only,
        _ => SOMEBODY,
    };
    LISTENING.store(word, Ordering::Relaxed);
}

/// What the machine has of the thread that runs, which no other thread has; [`UNKNOWN`] where we do not know how to ask.
#[inline(always)]
fn this_thread() -> usize {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    {
        let pointer;
        // SAFETY: on this system the word at 0 is the address of the thread's own memory, and reading it changes nothing.
        unsafe { std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, pure, readonly, preserves_flags)) };
        pointer
    }
    #[cfg(all(target_os = "linux", target_arch = "aarch64"))]
    {
        let pointer;
        // SAFETY: the register is the address of the thread's own memory, and reading it changes nothing.
        unsafe {
            std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, nomem, pure, preserves_flags))
        };
        pointer
    }
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    {
        UNKNOWN
    }
}

/// No thread is this one.
const UNKNOWN: usize = usize::MAX >> 1;

/// Where this is called is seldom reached: the compiler lays it out of the way of the rest.
#[cold]
#[inline(always)]
pub fn seldom() {}

/// Whether a scope or a trace of this thread listens to tracked functions.
///
/// A thread that listens sees its own change of the word or a later one: it never reads that nobody does, or that only
/// another thread does. Where the answer is no, the branch is not taken; one comparison is all, since the word differs from this
/// thread in no bit if this is the only one, and in the first bit if others may listen.
#[inline]
pub fn has_listeners() -> bool {
    let word = LISTENING.load(Ordering::Relaxed);
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    // As the branch itself: a compiler that is given the bits compares them once more, and a small recursive function takes a
    // tenth longer. The last line adds a byte at most, but the function that this stands in begins a line of the cache: it takes
    // up to half as long again where its jumps lie badly, and that would depend on what the linker laid before it.
    // SAFETY: as in `this_thread`.
    unsafe {
        std::arch::asm!(
            "xor {word}, fs:0",
            "jle {listens}",
            ".p2align 6,,1",
            word = inout(reg) word => _,
            listens = label {
                seldom();
                return is_listening_thread();
            },
            options(nostack, readonly)
        );
    }
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    if ((word ^ this_thread()) as isize) <= 0 {
        seldom();
        return is_listening_thread();
    }
    false
}

#[cold]
#[inline(never)]
fn is_listening_thread() -> bool {
    environment::ask();
    LISTENERS.get() != 0 || ALL.load(Ordering::Relaxed)
}

/// All threads listen from now on, or no more than those that do so for themselves.
pub(super) fn listen_everywhere(on: bool) {
    change(|_| ALL.store(on, Ordering::Relaxed));
}

/// The environment was asked: from here on it is known who listens.
pub(super) fn environment_was_asked() {
    change(|known| known.asked = true);
}

/// Counts a scope or a trace of this thread among those that listen to tracked functions, until it is dropped there.
pub struct ListenerGuard(PhantomData<*const ()>);

impl ListenerGuard {
    /// Begins to count it.
    pub fn start() -> ListenerGuard {
        environment::ask();
        if LISTENERS.replace(LISTENERS.get() + 1) == 0 {
            change(|known| {
                known.threads += 1;
                known.only = if known.threads == 1 { this_thread() } else { UNKNOWN };
            });
        }
        ListenerGuard(PhantomData)
    }
}

impl Drop for ListenerGuard {
    fn drop(&mut self) {
        if LISTENERS.replace(LISTENERS.get() - 1) == 1 {
            // Which of the others may be the only one left is not known.
            change(|known| (known.threads, known.only) = (known.threads - 1, UNKNOWN));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_listens_for_itself() {
        std::thread::scope(|s| {
            for _ in 0..8 {
                s.spawn(|| {
                    for _ in 0..2000 {
                        assert!(!has_listeners());
                        let outer = ListenerGuard::start();
                        let inner = ListenerGuard::start();
                        assert!(has_listeners());
                        drop(outer);
                        assert!(has_listeners());
                        drop(inner);
                    }
                });
            }
        });
        assert!(!has_listeners());
    }
}
