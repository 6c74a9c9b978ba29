//! Threads that help a thread with its work. A thread that asks for help works too, and waits for nobody who has not begun:
//! help that comes late costs nothing. Helpers look for more work for a while before they sleep, since waking one takes as
//! long as the work that is often shared.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long a helper looks for work before it sleeps.
const AWAKE: Duration = Duration::from_micros(60);
/// How long a thread that was helped looks whether its helpers are done before it sleeps.
const PATIENCE: Duration = Duration::from_millis(1);
/// How often it looks before it offers its core to others, each time.
const LOOKS: usize = 100;

/// Work that is shared: a function of the numbers below `count`.
struct Job {
    f: &'static (dyn Fn(usize) + Sync),
    count: usize,
    /// The next number.
    next: AtomicUsize,
    /// What a number panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Job {
    /// Takes one number after the other until none is left.
    fn work(&self) {
        loop {
            let i = self.next.fetch_add(1, SeqCst);
            if i >= self.count {
                return;
            }
            if let Err(cause) = catch_unwind(AssertUnwindSafe(|| (self.f)(i))) {
                self.next.store(self.count, SeqCst);
                self.panic.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(cause);
            }
        }
    }
}

struct Helper {
    thread: Thread,
    is_asleep: &'static AtomicBool,
}

struct Team {
    /// Whether a thread is being helped.
    is_taken: AtomicBool,
    /// The work, or null. It lives for as long as it is here or somebody is inside.
    job: AtomicPtr<Job>,
    /// How many jobs there were.
    jobs: AtomicUsize,
    /// Helpers that may be at work.
    inside: AtomicUsize,
    /// The thread that sleeps until nobody is inside.
    waiting: Mutex<Option<Thread>>,
    helpers: OnceLock<Vec<Helper>>,
}

static TEAM: Team = Team {
    is_taken: AtomicBool::new(false),
    job: AtomicPtr::new(std::ptr::null_mut()),
    jobs: AtomicUsize::new(0),
    inside: AtomicUsize::new(0),
    waiting: Mutex::new(None),
    helpers: OnceLock::new(),
};

thread_local! {
    /// Whether this thread works on a job: it is not helped with parts of it.
    static WORKS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` on all numbers below `count`, with the help of up to `helpers` threads; how many there are is said by the first
/// call. `false`, and nothing is done, if another thread is being helped.
pub(super) fn run(count: usize, helpers: usize, f: &(dyn Fn(usize) + Sync)) -> bool {
    if WORKS.get() {
        (0..count).for_each(f);
        return true;
    }
    if TEAM.is_taken.swap(true, SeqCst) {
        return false;
    }
    let all = TEAM.helpers.get_or_init(|| (0..helpers).map_while(|_| start()).collect());
    // SAFETY: this function returns after all who may call it have left.
    let f = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(f) };
    let job = Job { f, count, next: AtomicUsize::new(0), panic: Mutex::new(None) };
    TEAM.job.store((&raw const job).cast_mut(), SeqCst);
    TEAM.jobs.fetch_add(1, SeqCst);
    for helper in all.iter().take(helpers.min(count - 1)) {
        if helper.is_asleep.swap(false, SeqCst) {
            helper.thread.unpark();
        }
    }
    WORKS.set(true);
    job.work();
    WORKS.set(false);
    // Whoever comes now finds nothing; whoever came before is waited for.
    TEAM.job.store(std::ptr::null_mut(), SeqCst);
    let mut pause = Pause::default();
    while TEAM.inside.load(SeqCst) > 0 {
        if pause.is_longer_than(PATIENCE) {
            *waiting() = Some(thread::current());
            while TEAM.inside.load(SeqCst) > 0 {
                thread::park();
            }
            *waiting() = None;
        }
    }
    TEAM.is_taken.store(false, SeqCst);
    if let Some(cause) = job.panic.into_inner().unwrap_or_else(|e| e.into_inner()) {
        resume_unwind(cause);
    }
    true
}

fn waiting() -> MutexGuard<'static, Option<Thread>> {
    TEAM.waiting.lock().unwrap_or_else(|e| e.into_inner())
}

/// What a thread does that looks for something again and again.
#[derive(Default)]
struct Pause {
    looks: usize,
    since: Option<Instant>,
}

impl Pause {
    /// Waits a moment, and after some offers the core to other threads. Whether all of them took longer than this.
    fn is_longer_than(&mut self, most: Duration) -> bool {
        self.looks += 1;
        if !self.looks.is_multiple_of(LOOKS) {
            std::hint::spin_loop();
            return false;
        }
        thread::yield_now();
        self.since.get_or_insert_with(Instant::now).elapsed() > most
    }
}

/// Starts a helper; none, if the system has no more threads.
fn start() -> Option<Helper> {
    let is_asleep: &'static AtomicBool = Box::leak(Box::default());
    let name = "wengert helper".to_string();
    let handle = thread::Builder::new().name(name).spawn(move || help(is_asleep)).ok()?;
    Some(Helper { thread: handle.thread().clone(), is_asleep })
}

/// What a helper does, for as long as the process lives.
fn help(is_asleep: &AtomicBool) {
    WORKS.set(true);
    let mut seen = 0;
    loop {
        let mut pause = Pause::default();
        while TEAM.jobs.load(SeqCst) == seen {
            if pause.is_longer_than(AWAKE) {
                is_asleep.store(true, SeqCst);
                // Who adds a job after this wakes the helper.
                while TEAM.jobs.load(SeqCst) == seen && is_asleep.load(SeqCst) {
                    thread::park();
                }
                is_asleep.store(false, SeqCst);
                pause = Pause::default();
            }
        }
        seen = TEAM.jobs.load(SeqCst);
        TEAM.inside.fetch_add(1, SeqCst);
        let job = TEAM.job.load(SeqCst);
        if !job.is_null() {
            // SAFETY: who takes a job away waits until nobody is inside.
            unsafe { (*job).work() };
        }
        // A thread that goes to sleep after this sees that nobody is inside.
        if TEAM.inside.fetch_sub(1, SeqCst) == 1
            && let Some(thread) = &*waiting()
        {
            thread.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a job as soon as no other test is being helped.
    fn help_with(count: usize, f: &(dyn Fn(usize) + Sync)) {
        while !run(count, 3, f) {
            thread::yield_now();
        }
    }

    fn counted(count: usize, body: &(dyn Fn(usize) + Sync)) -> Vec<usize> {
        let times: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
        help_with(count, &|i| {
            body(i);
            times[i].fetch_add(1, SeqCst);
        });
        times.into_iter().map(AtomicUsize::into_inner).collect()
    }

    #[test]
    fn every_number_runs_once() {
        for turn in 0..2000 {
            let count = 1 + turn % 37;
            assert_eq!(counted(count, &|_| {}), vec![1; count]);
            // Some helpers are asleep by the next turn.
            if turn % 500 == 0 {
                thread::sleep(3 * AWAKE);
            }
        }
    }

    #[test]
    fn threads_that_ask_at_once_all_get_their_work_done() {
        thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| (0..200).for_each(|_| assert_eq!(counted(9, &|_| thread::yield_now()), [1; 9])));
            }
        });
    }

    #[test]
    fn work_inside_of_work_is_done() {
        let all = AtomicUsize::new(0);
        help_with(8, &|i| assert!(run(10, 3, &|j| _ = all.fetch_add(10 * i + j, SeqCst))));
        assert_eq!(all.into_inner(), (0..80).sum());
    }

    #[test]
    fn a_panic_reaches_the_thread_that_asked() {
        for at in [0, 5, 19] {
            let caught = catch_unwind(|| help_with(20, &|i| assert_ne!(i, at, "this one")));
            let cause = caught.expect_err("it panics");
            assert!(cause.downcast_ref::<String>().is_some_and(|said| said.contains("this one")));
            assert_eq!(counted(30, &|_| {}), [1; 30]);
        }
    }
}
