//! A recording on more threads than the one that opened it.

use wengert_tape::record;

/// A recording, for other threads to take part in: see [`handle`].
#[derive(Clone)]
pub struct RecordingHandle(Option<record::Handle>);

impl RecordingHandle {
    /// Runs a function on the thread that calls this: what the function does is recorded inside the call that was open
    /// where the handle was taken, until that recording ends.
    ///
    /// ```
    /// use wengert::{record, tape, Array};
    /// let x = Array::from([1.0f32, 2.0]);
    /// let (y, tape) = record(|| {
    ///     let handle = tape::handle();
    ///     std::thread::scope(|s| s.spawn(|| handle.run(|| x.sin())).join().unwrap())
    /// });
    /// assert!(tape.to_string().contains("sin") && y.size() == 2);
    /// ```
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(handle) => handle.run(f),
            None => f(),
        }
    }
}

/// The innermost recording of this thread, to be taken to other threads, those of a pool too. Where nothing is recorded,
/// functions just run in it.
///
/// ```
/// use rayon::prelude::*;
/// use wengert::{record, tape, Array};
/// let batches: Vec<Array> = (0..4).map(|i| Array::from([i as f32, 1.0])).collect();
/// let (_, tape) = record(|| {
///     let handle = tape::handle();
///     batches.par_iter().map(|x| handle.run(|| x.tanh())).collect::<Vec<Array>>()
/// });
/// assert_eq!(tape.nodes().filter(|n| n.function() == "tanh").count(), 4);
/// ```
pub fn handle() -> RecordingHandle {
    RecordingHandle(record::current_handle())
}

/// Attaches a closure to the innermost recording of this thread, if there is one: whatever thread runs it, what it does is
/// recorded there. See [`handle`] for more than one closure.
///
/// ```
/// use wengert::{record, tape, Array};
/// let (_, tape) = record(|| {
///     let x = Array::from([1.0f32, 2.0]);
///     std::thread::spawn(tape::attach(move || x.sin())).join().unwrap()
/// });
/// assert!(tape.to_string().contains("sin"));
/// ```
pub fn attach<T>(f: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let handle = handle();
    move || handle.run(f)
}
