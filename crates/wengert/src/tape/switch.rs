//! The switch that records what the process does from one moment to another, on all its threads.

use super::recorder::Recorder;
use wengert_core::Place;
use wengert_tape::Tape;
use wengert_tape::record::{self, Settings};

/// Records what happens from now on, or goes on with what was stopped by [`disable`]: on all threads, those that run
/// already and those that start later.
///
/// There is one tape for all. What this thread does stands at its root; each other thread has a call `thread(⟨name⟩)` there
/// (`⟨#1⟩` if it has no name), and arrays that pass between threads are linked as any others. A recording that is open
/// meanwhile goes on, and is a call of this one when it ends.
///
/// `WENGERT_TAPE=run.tape` in the environment does the same for a whole program, and saves the tape when it ends.
///
/// ```
/// use wengert::{tape, Array};
/// tape::enable();
/// let y = Array::from([1.0f32, 2.0]).sin();
/// assert!(tape::collect().to_string().contains("sin"));
/// tape::purge();
/// tape::disable();
/// assert!(tape::collect().is_empty());
/// ```
#[track_caller]
pub fn enable() {
    record::enable(Settings::default(), &Place::caller());
}

/// [`enable`] as a recorder says, if nothing is recorded yet.
///
/// ```
/// use wengert::{tape, Array, Capture, Recorder};
/// tape::enable_with(Recorder::new().capture(Capture::Values));
/// let _ = Array::from(0.0f32).sin();
/// tape::disable();
/// assert!(tape::collect().to_string().contains("sin"));
/// tape::purge();
/// ```
#[track_caller]
pub fn enable_with(recorder: Recorder) {
    record::enable(recorder.settings, &Place::caller());
}

/// Stops the recording of [`enable`], on all threads; what was recorded stays until [`purge`].
///
/// ```
/// use wengert::{tape, Array};
/// tape::enable();
/// tape::disable();
/// let _ = Array::from(0.0f32).sin();
/// assert!(!tape::collect().to_string().contains("sin"));
/// tape::purge();
/// ```
pub fn disable() {
    record::disable();
}

/// What all threads did so far between [`enable`] and [`disable`].
///
/// ```
/// use wengert::{tape, Array};
/// tape::enable();
/// let _ = Array::from(0.0f32).cos();
/// assert!(tape::collect().to_string().contains("cos"));
/// tape::disable();
/// tape::purge();
/// ```
pub fn collect() -> Tape {
    record::collect()
}

/// Forgets what was recorded, and frees its memory.
///
/// ```
/// use wengert::{tape, Array};
/// tape::enable();
/// let _ = Array::from(0.0f32).cos();
/// tape::purge();
/// assert!(!tape::collect().to_string().contains("cos"));
/// tape::disable();
/// ```
pub fn purge() {
    record::purge();
}

/// Whether what happens now on this thread is recorded.
///
/// ```
/// assert!(!wengert::tape::is_recording());
/// wengert::record(|| assert!(wengert::tape::is_recording()));
/// ```
#[inline]
pub fn is_recording() -> bool {
    record::is_recording()
}

/// Runs a function of which nothing is recorded on this thread. What it makes of arrays of a recording counts there as not
/// recorded: an update or a program that needs it is an error.
///
/// ```
/// use wengert::{record, tape, Array};
/// let x = Array::from(0.0f32);
/// let (_, tape) = record(|| {
///     let shown = tape::silently(|| x.cos().item::<f32>());
///     x.sin() + shown
/// });
/// assert!(tape.to_string().contains("sin") && !tape.to_string().contains("cos"));
/// ```
pub fn silently<T>(f: impl FnOnce() -> T) -> T {
    record::silently(f)
}
