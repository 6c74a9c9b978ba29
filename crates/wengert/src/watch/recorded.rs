//! Runs outside of staged programs: each outermost call of a transform or of one of our functions, each op by itself, and each
//! recording of the user's is on a tape while it runs, and if it fails its tape is emitted.

use super::{dead::Marked, folder};
use crate::array::Array;
use crate::fail::{message_of, tell_of_reproducer};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use wengert_core::{Error, Op, Place, Result};
use wengert_emit::RecordedError;
use wengert_tape::Tape;
use wengert_tape::record::{self, Recording, Settings};

/// Whether what runs now is to be recorded: reproducers are asked for, and nothing records yet. What is inside of a recording is
/// on its tape.
#[inline]
pub(crate) fn wants_recording() -> bool {
    super::is_watching() && folder::is_set() && !record::has_scope()
}

/// The same of a call of a transform: where the whole process is recorded, it is a recording inside of that one.
#[inline]
pub(crate) fn wants_recording_of_call() -> bool {
    super::is_watching() && folder::is_set() && !record::has_own_scope()
}

/// The settings of a tape that can be emitted: with the values that it begins with.
fn settings(of: Settings) -> Settings {
    Settings { constants: true, ..of }
}

/// Those of a tape that is for nothing but a reproducer. A recording around it has as much of what happens as without it.
fn own_settings() -> Settings {
    let around = record::current_settings().unwrap_or_default();
    settings(Settings { guarded: true, limit: usize::MAX, context: None, ..around })
}

/// Runs something on a tape of its own. If it fails, the reproducer of what led there is left, and the error says where it is.
pub(crate) fn recorded<T>(name: &str, place: &Place, f: impl FnOnce() -> Result<T>) -> Result<T> {
    folder::forget_left();
    let scope = Recording::start(own_settings(), "record", place);
    let done = catch_unwind(AssertUnwindSafe(f));
    match &done {
        Ok(Ok(_)) => {}
        Ok(Err(e)) => record::raised(e.message(), place),
        Err(panic) => record::raised(message_of(&**panic), place),
    }
    let tape = scope.dissolve(place);
    match done {
        Ok(Ok(y)) => Ok(y),
        Ok(Err(e)) => Err(leave_error(e, name, &tape)),
        Err(panic) => match panic.downcast::<Error>() {
            Ok(e) => resume_unwind(Box::new(leave_error(*e, name, &tape))),
            Err(panic) => {
                if let Some(note) = folder::leave_tape(name, &tape, message_of(&*panic)) {
                    tell_of_reproducer(note);
                }
                resume_unwind(panic)
            }
        },
    }
}

/// [`recorded`] of what calls functions of the user's; what it is, is on disk meanwhile, in words.
pub(crate) fn recorded_call<T>(what: &str, name: &str, place: &Place, f: impl FnOnce() -> Result<T>) -> Result<T> {
    let function = if name.is_empty() { String::new() } else { format!(" of `{name}`") };
    let about = format!("it traced or ran `{what}`{function} at {place}");
    let _on_disk = Marked::new(if name.is_empty() { what } else { name }, &about, |_| Ok(()));
    recorded(if name.is_empty() { what } else { name }, place, f)
}

/// Leaves the reproducer of an error; the error with a word on where it is.
fn leave_error(e: Error, name: &str, tape: &Tape) -> Error {
    match folder::leave_tape(name, tape, e.message()) {
        Some(note) => e.note(note),
        None => e,
    }
}

/// The error with a word on its reproducer, where nothing recorded what led to it: then there is no more than the error.
pub(crate) fn leave_unrecorded(e: Error) -> Error {
    if !wants_recording() || has_reproducer(&e) {
        return e;
    }
    let place = e.place().clone();
    recorded("error", &place, || Err::<(), Error>(e)).expect_err("it failed")
}

/// Whether a call that fails is to be kept.
pub(crate) fn keeps_failed() -> bool {
    record::is_recording() || wants_recording()
}

/// A call of one of our functions on arrays that failed before it came to an op: it is on the tape, or on one of its own. `plain`
/// is what it took beside arrays, as it is written.
pub(crate) fn failed_call(name: &str, x: &[&Array], plain: Option<&str>, place: &Place, e: Error) -> Error {
    let failed = |message: &str| record::failed_call(name, x, plain, place, message);
    if record::is_recording() {
        failed(e.message());
        return leave_beside_switch(e, name, place, failed);
    } else if wants_recording() && !has_reproducer(&e) {
        let failed = || {
            record::failed_call(name, x, plain, place, e.message());
            Err::<(), Error>(e)
        };
        return recorded(name, place, failed).expect_err("it failed");
    }
    e
}

/// An op by itself that failed while the whole process is recorded: its tape is no reproducer yet, so the op gets one of its own,
/// with what it was given.
pub(crate) fn leave_failed_op(op: &Op, x: &[&Array], place: &Place, e: Error) -> Error {
    leave_beside_switch(e, op.name(), place, |message| record::failed_op(op, x, place, message))
}

/// Leaves a reproducer of what failed by itself while only the whole process is recorded; `record` puts it on a tape.
fn leave_beside_switch(e: Error, name: &str, place: &Place, record: impl FnOnce(&str)) -> Error {
    if !wants_recording_of_call() || !record::has_scope() || has_reproducer(&e) {
        return e;
    }
    folder::forget_left();
    let scope = Recording::start(own_settings(), "record", place);
    record(e.message());
    let tape = scope.finish::<Array>(&[], place);
    leave_error(e, name, &tape)
}

fn has_reproducer(e: &Error) -> bool {
    e.notes().iter().any(|n| n.contains(folder::REPRODUCER))
}

/// The recording of a call of one of our functions that runs by itself, until this is dropped. If that is by a panic, the
/// reproducer is left.
pub(crate) struct Watched {
    name: Option<&'static str>,
}

thread_local! {
    /// The recording of the [`Watched`] that is open.
    static SCOPE: RefCell<Option<(Recording, Place)>> = const { RefCell::new(None) };
}

impl Watched {
    /// Begins to record, if reproducers are asked for and nothing records.
    #[inline]
    #[track_caller]
    pub(crate) fn open(name: &'static str) -> Watched {
        if !wants_recording() || thread::panicking() {
            return Watched { name: None };
        }
        Watched::start(name, Place::caller())
    }

    #[cold]
    fn start(name: &'static str, place: Place) -> Watched {
        folder::forget_left();
        let scope = Recording::start(own_settings(), "record", &place);
        // On a thread that ends the recording ends here.
        _ = SCOPE.try_with(|s| s.replace(Some((scope, place))));
        Watched { name: Some(name) }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let Some(name) = self.name else { return };
        let Some((scope, place)) = SCOPE.try_with(RefCell::take).ok().flatten() else { return };
        let tape = scope.finish::<Array>(&[], &place);
        if !thread::panicking() {
            return;
        }
        let message = RecordedError::of_tape(&tape).map_or_else(|| format!("a panic in `{name}`"), |e| e.message);
        if let Some(note) = folder::leave_tape(name, &tape, &message) {
            tell_of_reproducer(note);
        }
    }
}

/// A recording that the user asked for, if it is the outermost while reproducers are asked for: what fails in it leaves one.
pub(crate) struct UsersRecording {
    leaves: bool,
}

impl UsersRecording {
    /// Before the recording begins; gives the settings that it needs.
    pub(crate) fn new(of: Settings) -> (UsersRecording, Settings) {
        let leaves = wants_recording_of_call();
        if leaves {
            folder::forget_left();
        }
        (UsersRecording { leaves }, if leaves { settings(of) } else { of })
    }

    /// Runs what is recorded in this scope, which goes on if it succeeds.
    pub(crate) fn run<T>(&self, scope: Recording, place: &Place, f: impl FnOnce() -> T) -> (T, Recording) {
        if !self.leaves {
            return (f(), scope);
        }
        match catch_unwind(AssertUnwindSafe(f)) {
            Ok(out) => (out, scope),
            Err(panic) => {
                record::raised(message_of(&*panic), place);
                let tape = scope.finish_unwound();
                if let Some(note) = folder::leave_tape("record", &tape, message_of(&*panic)) {
                    tell_of_reproducer(note);
                }
                resume_unwind(panic)
            }
        }
    }

    /// An error that ended the recording, with a word on its reproducer.
    pub(crate) fn leave(&self, e: Error, tape: &Tape) -> Error {
        if self.leaves { leave_error(e, "record", tape) } else { e }
    }
}
