//! How mistakes reach the user: a panic with one message, or an `Err` from the `try_` forms.

use crate::watch;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use wengert_core::{Error, Place, Result};
use wengert_tape::record;

thread_local! {
    /// How many `try_` calls are on this thread's stack: errors then travel without a panic message.
    static CATCHING: Cell<usize> = const { Cell::new(0) };
    /// Where the reproducer of the failure is that is on its way to a `try_` call.
    static REPRODUCER: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Ends the computation with this error: a panic, or the `Err` of the `try_` call around it.
#[track_caller]
pub(crate) fn fail(error: Error) -> ! {
    let error = match record::is_recording() {
        true => {
            record::raised(error.message(), &Place::caller());
            error
        }
        false => watch::leave_unrecorded(error),
    };
    if CATCHING.get() > 0 {
        resume_unwind(Box::new(error));
    }
    panic!("{error}");
}

/// Says where the reproducer of a failure is that unwinds: the `try_` call around it adds that to the error, or else it is said
/// at once.
pub(crate) fn tell_of_reproducer(note: String) {
    match CATCHING.get() {
        0 => watch::say(&note),
        _ => _ = REPRODUCER.try_with(|r| r.replace(Some(note))),
    }
}

/// Where the reproducer of the failure is that just unwound. A thread that ends has none.
fn take_reproducer() -> Option<String> {
    REPRODUCER.try_with(RefCell::take).ok().flatten()
}

/// What a panic said; of a mistake in an array expression, its message.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).map(without_place);
    text.or_else(|| panic.downcast_ref::<Error>().map(Error::message)).unwrap_or("a panic of another type than text")
}

/// What an error said that became a panic, without its place and what follows that.
fn without_place(text: &str) -> &str {
    let is_place = |line: &str| {
        let mut parts = line.rsplitn(3, ':');
        let mut number = || parts.next().is_some_and(|n| n.parse::<u32>().is_ok());
        number() && number()
    };
    match text.split_once("\n  at ") {
        Some((message, rest)) if rest.lines().next().is_some_and(is_place) => message,
        _ => text,
    }
}

/// The value, or [`fail`].
#[track_caller]
pub(crate) fn ok<T>(result: Result<T>) -> T {
    match result {
        Ok(x) => x,
        Err(e) => fail(e),
    }
}

/// Runs a computation on arrays; a mistake in an array expression inside it is returned instead of panicking.
///
/// Other panics pass through.
///
/// ```
/// use wengert::{Array, try_run};
/// let x = Array::from([1.0f32, 2.0, 3.0]);
/// let y = Array::from([1.0f32, 2.0]);
/// let e = try_run(|| &x + &y).unwrap_err();
/// assert!(e.message().contains("[3] and [2]"));
/// ```
pub fn try_run<T>(f: impl FnOnce() -> T) -> Result<T> {
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            CATCHING.set(CATCHING.get() - 1);
        }
    }
    CATCHING.set(CATCHING.get() + 1);
    let scope = Scope;
    let result = catch_unwind(AssertUnwindSafe(f));
    drop(scope);
    result.map_err(|panic| match (panic.downcast::<Error>(), take_reproducer()) {
        (Ok(e), note) => note.into_iter().fold(*e, Error::note),
        (Err(other), note) => {
            note.into_iter().for_each(tell_of_reproducer);
            resume_unwind(other)
        }
    })
}
