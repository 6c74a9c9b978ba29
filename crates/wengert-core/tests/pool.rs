//! The pool of host memory, alone in its process: what it keeps, hands out again and gives back, from many threads.

use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use wengert_core::host::pool::{self, ALIGNMENT, MemoryUsage};
use wengert_core::{DType, Tensor, Type};

/// One test at a time, with an empty pool: usage is of the whole process. The limit is as before when it ends.
struct Alone {
    _guard: MutexGuard<'static, ()>,
    limit: usize,
}

fn alone() -> Alone {
    static ALONE: Mutex<()> = Mutex::new(());
    let _guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    pool::clear();
    Alone { _guard, limit: pool::limit() }
}

impl Drop for Alone {
    fn drop(&mut self) {
        pool::set_limit(self.limit);
    }
}

fn bytes(n: usize) -> Tensor {
    Tensor::room(&Type::new(DType::U8, [n]))
}

/// Whether every byte has this value.
fn filled(t: &Tensor, with: u8) -> bool {
    t.elements::<u8>() == vec![with; t.size()]
}

fn address(t: &Tensor) -> usize {
    t.view().start() as usize
}

/// Sizes around every border that the pool has.
fn sizes() -> impl Iterator<Item = usize> {
    let borders = [0usize, 64, 1 << 10, 5 << 8, 1 << 16, 1 << 17, 1 << 18, 3 << 19, 1 << 21, 5 << 20, 1 << 23];
    borders.into_iter().flat_map(|n| [n.saturating_sub(1), n, n + 1]).filter(|n| *n != 1)
}

#[test]
fn blocks_of_every_size_are_aligned_and_whole() {
    let _alone = alone();
    let all: Vec<Tensor> = sizes()
        .map(|n| {
            let mut t = bytes(n);
            assert_eq!(address(&t) % if n >= 1 << 21 { 1 << 21 } else { ALIGNMENT }, 0, "{n}");
            t.elements_mut::<u8>().unwrap().fill(n as u8);
            t
        })
        .collect();
    for t in all {
        assert!(filled(&t, t.size() as u8), "{} bytes", t.size());
    }
}

#[test]
fn memory_is_counted_kept_and_handed_out_again() {
    let _alone = alone();
    let before = pool::usage();
    assert_eq!(before.held, 0);
    for n in sizes().filter(|n| *n >= 1 << 10) {
        pool::clear();
        let before = pool::usage();
        let x = bytes(n);
        let (place, during) = (address(&x), pool::usage());
        let size = during.in_use - before.in_use;
        assert!(size >= n && size - n <= n / 4, "{n} bytes take {size}");
        assert_eq!((during.taken - before.taken, during.held), (size, 0));
        drop(x);
        let after = pool::usage();
        assert_eq!(after, MemoryUsage { held: size, ..MemoryUsage { taken: during.taken, ..before } });
        // The next array of that size lies in the same memory, and nothing is taken from the system.
        let y = bytes(n);
        assert_eq!((address(&y), pool::usage()), (place, during));
    }
    pool::clear();
    assert_eq!(pool::usage(), MemoryUsage { taken: pool::usage().taken, ..before });
}

#[test]
fn no_more_is_kept_than_the_limit_says() {
    let _alone = alone();
    let limit = pool::limit();
    let some: Vec<Tensor> = (0..8).map(|_| bytes(1 << 20)).collect();
    pool::set_limit(3 << 20);
    drop(some);
    assert_eq!(pool::usage().held, 3 << 20);
    // What is within a lower limit stays; what is not goes at once.
    pool::set_limit(3 << 20);
    assert_eq!(pool::usage().held, 3 << 20);
    pool::set_limit(1 << 20);
    assert!(pool::usage().held <= 1 << 20);
    pool::set_limit(0);
    drop(bytes(1 << 20));
    assert_eq!((pool::usage().held, pool::limit()), (0, 0));
    pool::set_limit(limit);
    drop(bytes(1 << 20));
    assert_eq!(pool::usage().held, 1 << 20);
}

#[test]
fn what_dies_on_another_thread_comes_back_here() {
    let _alone = alone();
    let before = pool::usage();
    let x = bytes(3 << 20);
    let place = address(&x);
    thread::spawn(move || drop(x)).join().unwrap();
    assert_eq!(pool::usage().in_use, before.in_use);
    let y = bytes(3 << 20);
    assert_eq!(address(&y), place);
    // Also where the thread that took it is gone.
    let z = thread::spawn(|| bytes(2 << 20)).join().unwrap();
    let place = address(&z);
    drop(z);
    assert_eq!(address(&bytes(2 << 20)), place);
}

#[test]
fn what_unwinds_gives_its_memory_back() {
    let _alone = alone();
    let before = pool::usage();
    let unwound = std::panic::catch_unwind(|| {
        let _kept = bytes(1 << 20);
        Tensor::write([1 << 20], |room: &mut [f32]| {
            room[0] = 1.0;
            panic!("while it is written");
        })
    });
    assert!(unwound.is_err());
    assert_eq!(pool::usage().in_use, before.in_use);
}

#[test]
fn no_memory_is_no_end_of_the_process_and_frees_what_is_kept() {
    let _alone = alone();
    drop(bytes(1 << 20));
    let before = pool::usage();
    assert!(Tensor::try_room(&Type::new(DType::U8, [1 << 60])).is_none());
    // What was kept went back to the system first, and nothing is counted that was not had.
    assert_eq!(pool::usage(), MemoryUsage { held: 0, ..before });
}

#[test]
fn many_threads_share_it_and_no_two_arrays_share_memory() {
    let _alone = alone();
    pool::set_limit(8 << 20);
    let before = pool::usage();
    const THREADS: usize = 8;
    // Each thread writes arrays and gives them to the next one, which reads and drops them.
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| channel::<(u8, Tensor)>()).unzip();
    thread::scope(|s| {
        for (me, inbox) in receivers.into_iter().enumerate() {
            let outbox = senders[(me + 1) % THREADS].clone();
            s.spawn(move || {
                for round in 0..200usize {
                    let n = sizes().nth((round * 7 + me) % 30).unwrap() % (1 << 19) + 2;
                    let mark = (round * 31 + me) as u8;
                    let mut t = bytes(n);
                    assert_eq!(address(&t) % ALIGNMENT, 0);
                    t.elements_mut::<u8>().unwrap().fill(mark);
                    outbox.send((mark, t)).unwrap();
                    if round % 3 == 0 {
                        pool::clear();
                    }
                    for (mark, t) in inbox.try_iter() {
                        assert!(filled(&t, mark), "another array wrote here");
                    }
                    assert!(pool::usage().held <= 8 << 20);
                }
                drop(outbox);
                for (mark, t) in inbox {
                    assert!(filled(&t, mark), "another array wrote here");
                }
            });
        }
        drop(senders);
    });
    assert_eq!(pool::usage().in_use, before.in_use);
}

#[test]
fn the_limit_holds_while_it_is_lowered() {
    let _alone = alone();
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| (0..300).for_each(|i| drop(bytes((1 << 18) + (i % 5) * 70_000))));
        }
        for i in 0..300 {
            pool::set_limit(if i % 2 == 0 { 1 << 20 } else { 1 << 18 });
        }
    });
    pool::set_limit(1 << 18);
    assert!(pool::usage().held <= 1 << 18);
}
