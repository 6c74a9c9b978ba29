//! What is evaluated in this process may never end, where that is how a program fails: nobody waits for it.

use std::sync::mpsc::channel;
use std::time::Duration;

/// How long an evaluation in this process may take.
const LONGEST: Duration = Duration::from_secs(10);

/// What `evaluate` gives, unless it takes too long or panics. It is left alone then, and goes on until the process ends.
pub(crate) fn with_patience<T: Send + 'static>(evaluate: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (to, from) = channel();
    // Programs nest as deep here as in a main thread.
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread.spawn(move || _ = to.send(evaluate())).ok()?;
    from.recv_timeout(LONGEST).ok()
}
