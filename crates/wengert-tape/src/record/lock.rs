//! The lock of a tape being written. Nearly always one thread writes, tens of millions of times a second: it takes the lock
//! without waiting for the memory of other cores, until another thread wants it, too.
//!
//! The thread that made it says that it is inside (`busy`) and then looks whether others want it (`is_wanted`); another says
//! that it wants it and then looks whether the first is inside. Each must say before it looks. The first would need a fence for
//! that, each time; instead the other has the system put one into all threads (`membarrier`), once: from then on the lock is a
//! mutex for all. Where the system has no such call, it is one from the beginning.

use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something that threads share, of which one has most to do with it.
pub(super) struct WriterLock<T> {
    /// The thread that made it.
    owner: u64,
    /// Whether the owner is inside, without having the mutex.
    busy: AtomicBool,
    /// Whether the owner needs the mutex as well as all others.
    is_wanted: AtomicBool,
    mutex: Mutex<()>,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time has the value: see `lock`.
unsafe impl<T: Send> Sync for WriterLock<T> {}

impl<T> WriterLock<T> {
    pub(super) fn new(value: T) -> WriterLock<T> {
        WriterLock {
            owner: this_thread(),
            busy: AtomicBool::new(false),
            is_wanted: AtomicBool::new(!barrier::is_there()),
            mutex: Mutex::new(()),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until nobody else has it. A thread that has it must not ask for it again.
    #[inline(always)]
    pub(super) fn lock(&self) -> WriterLockGuard<'_, T> {
        if !self.is_wanted.load(Ordering::Relaxed) && self.owner == this_thread() {
            assert!(!self.busy.load(Ordering::Relaxed), "a thread has the tape already");
            self.busy.store(true, Ordering::Relaxed);
            // What follows must not be done before: not by the compiler, and by the processor only where no other asks.
            compiler_fence(Ordering::SeqCst);
            if !self.is_wanted.load(Ordering::Relaxed) {
                return WriterLockGuard { lock: self, held: None };
            }
            self.busy.store(false, Ordering::Release);
        }
        self.lock_mutex()
    }

    #[cold]
    fn lock_mutex(&self) -> WriterLockGuard<'_, T> {
        let held = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_wanted.swap(true, Ordering::SeqCst) {
            barrier::everywhere();
        }
        let mut waited = 0;
        while self.busy.load(Ordering::Acquire) {
            waited += 1;
            if waited < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        WriterLockGuard { lock: self, held: Some(held) }
    }
}

/// The value, until this is dropped.
pub(super) struct WriterLockGuard<'a, T> {
    lock: &'a WriterLock<T>,
    /// None of the owner, while no other wants the value.
    held: Option<MutexGuard<'a, ()>>,
}

impl<T> Deref for WriterLockGuard<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: whoever has a guard has the mutex, or is the owner and busy; and who has the mutex waited until the owner was not.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for WriterLockGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for WriterLockGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.held.is_none() {
            self.lock.busy.store(false, Ordering::Release);
        }
    }
}

/// A number that no other thread has, nor ever had.
#[inline(always)]
fn this_thread() -> u64 {
    thread_local! {
        static NUMBER: Cell<u64> = const { Cell::new(0) };
    }
    #[cold]
    fn new_number() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        NUMBER.set(number);
        number
    }
    match NUMBER.get() {
        0 => new_number(),
        number => number,
    }
}

#[cfg(target_os = "linux")]
mod barrier {
    use std::sync::OnceLock;

    const EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_EXPEDITED: libc::c_int = 1 << 4;

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: the call takes numbers, and touches no memory of ours.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }

    /// Whether the system can put a fence into all threads of this process.
    pub(super) fn is_there() -> bool {
        static IS_THERE: OnceLock<bool> = OnceLock::new();
        *IS_THERE.get_or_init(|| membarrier(REGISTER_EXPEDITED) && membarrier(EXPEDITED))
    }

    /// Puts a fence into all threads of this process.
    pub(super) fn everywhere() {
        assert!(membarrier(EXPEDITED), "the system did so before");
    }
}

#[cfg(not(target_os = "linux"))]
mod barrier {
    pub(super) fn is_there() -> bool {
        false
    }

    pub(super) fn everywhere() {}
}

#[cfg(test)]
mod tests {
    use super::WriterLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts in two places that must agree, while others come in the middle of it, each for the first time.
    #[test]
    fn one_thread_at_a_time_has_it() {
        for round in 0..2000 {
            let lock = WriterLock::new((0u64, Vec::new()));
            let (started, each) = (AtomicUsize::new(0), 300);
            let add = || {
                for _ in 0..each {
                    let mut guard = lock.lock();
                    let n = guard.0;
                    assert_eq!(guard.1.len() as u64, n);
                    guard.1.push(n);
                    guard.0 = n + 1;
                }
            };
            std::thread::scope(|s| {
                for _ in 0..2 {
                    s.spawn(|| {
                        while started.load(Ordering::Relaxed) <= round % 200 {
                            std::hint::spin_loop();
                        }
                        add();
                    });
                }
                for i in 0..each {
                    started.store(i, Ordering::Relaxed);
                    let mut guard = lock.lock();
                    let n = guard.0;
                    assert_eq!(guard.1.len() as u64, n);
                    guard.1.push(n);
                    guard.0 = n + 1;
                }
            });
            assert_eq!(lock.lock().0, 3 * each as u64);
        }
    }

    #[test]
    #[should_panic(expected = "a thread has the tape already")]
    fn a_thread_that_has_it_does_not_get_it_again() {
        let lock = WriterLock::new(());
        let _first = lock.lock();
        // Where the system has no barrier this would wait forever.
        assert!(super::barrier::is_there(), "a thread has the tape already");
        lock.lock();
    }
}
