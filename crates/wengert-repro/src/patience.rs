//! What is evaluated in this process may never end, where that is how a program fails: nobody waits for it.

use crate::interrupt;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, available_parallelism};
use std::time::{Duration, Instant};

/// How long an evaluation in this process may take.
const LONGEST: Duration = Duration::from_secs(10);

/// What `evaluate` gives, unless it takes too long or panics. It is left alone then, and goes on until the process ends.
pub(crate) fn with_patience<T: Send + 'static>(evaluate: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    begun(evaluate)?.recv_timeout(LONGEST).ok()
}

/// The same for so long, and until somebody asks for an end.
pub(crate) fn with_patience_of<T: Send + 'static>(
    limit: Duration,
    evaluate: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (from, start) = (begun(evaluate)?, Instant::now());
    loop {
        let left = limit.checked_sub(start.elapsed())?;
        match from.recv_timeout(left.min(Duration::from_millis(100))) {
            Ok(found) => return Some(found),
            Err(RecvTimeoutError::Timeout) if !interrupt::is_asked() => {}
            Err(_) => return None,
        }
    }
}

/// An evaluation on a thread of its own, if there is one.
fn begun<T: Send + 'static>(evaluate: impl FnOnce() -> T + Send + 'static) -> Option<Receiver<T>> {
    let (to, from) = channel();
    deep_thread().spawn(move || _ = to.send(evaluate())).ok()?;
    Some(from)
}

/// What `evaluate` gives for each number below this, in some order, on as many threads as there are processors, or as can be started.
pub(crate) fn at_once<T: Send>(count: u64, evaluate: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = available_parallelism().map_or(1, |n| n.get() as u64).min(count).max(1);
    let part = &|k| (k..count).step_by(threads as usize).map(&evaluate).collect::<Vec<T>>();
    std::thread::scope(|s| {
        let start = |k| (k, deep_thread().spawn_scoped(s, move || part(k)).ok());
        let running: Vec<_> = (1..threads).map(start).collect();
        let first = part(0);
        let others = running.into_iter().map(|(k, thread)| match thread {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None => part(k),
        });
        first.into_iter().chain(others.flatten()).collect()
    })
}

/// Programs nest as deep in it as in a main thread.
fn deep_thread() -> Builder {
    Builder::new().stack_size(64 << 20)
}
