//! Runs outside of staged programs: each outermost call of a transform, and each op by itself, is recorded while it runs, and if it
//! fails its tape is emitted.

use super::folder::{self, Left};
use crate::array::Array;
use crate::fail::message_of;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use wengert_core::{Error, Place, Result};
use wengert_tape::Tape;
use wengert_tape::record::{self, Recording, Settings};

/// Whether what runs now is to be recorded: reproducers are asked for, and nothing records yet. What is inside of a recording is
/// on its tape.
#[inline]
pub(crate) fn wants_recording() -> bool {
    super::is_watching() && folder::is_set() && !record::has_scope()
}

/// Runs something on a tape of its own. If it fails, the reproducer of what led there is left, and the error says where it is.
pub(crate) fn recorded<T>(name: &str, place: &Place, f: impl FnOnce() -> Result<T>) -> Result<T> {
    folder::forget_left();
    // The values that it begins with are enough to run it again.
    let scope = Recording::start(Settings { constants: true, ..Settings::default() }, "record", place);
    let done = catch_unwind(AssertUnwindSafe(f));
    match &done {
        Ok(Ok(_)) => {}
        Ok(Err(e)) => record::raised(e.message(), place),
        Err(panic) => record::raised(message_of(&**panic), place),
    }
    let tape = scope.finish::<Array>(&[], place);
    match done {
        Ok(Ok(y)) => Ok(y),
        Ok(Err(e)) => Err(with_note(e, name, &tape)),
        Err(panic) => match panic.downcast::<Error>() {
            Ok(e) => resume_unwind(Box::new(with_note(*e, name, &tape))),
            Err(panic) => {
                if let Some(note) = left(name, &tape, message_of(&*panic)) {
                    folder::say(&note);
                }
                resume_unwind(panic)
            }
        },
    }
}

fn with_note(e: Error, name: &str, tape: &Tape) -> Error {
    match left(name, tape, e.message()) {
        Some(note) => e.note(note),
        None => e,
    }
}

/// Leaves the reproducer; what is said of it. None if a staged program inside has left one.
fn left(name: &str, tape: &Tape, message: &str) -> Option<String> {
    match folder::leave_tape(name, tape, message) {
        Left::Before => None,
        Left::Here(note) => Some(note),
    }
}
