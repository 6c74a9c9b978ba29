//! What is done around runs when the environment asks for it: `WENGERT_REPRO_DIR` leaves a reproducer where a transform, an op, a
//! compilation or a run fails, or the process dies in it, `WENGERT_CHECK=nan` looks for numbers that are not finite, and
//! `WENGERT_CHECK=pure` for staged functions that are not the same twice.

mod dead;
mod folder;
mod nan;
mod pending;
mod pure;
mod recorded;
mod user_code;

pub(crate) use folder::on_failure;
pub(crate) use nan::{Compile, is_nan_message};
pub(crate) use pure::check_pure;
pub(crate) use recorded::{
    UsersRecording, Watched, failed_call, keeps_failed, leave_failed_op, leave_unrecorded, recorded, recorded_call,
    wants_recording, wants_recording_of_call,
};

use crate::fail::{message_of, tell_of_reproducer};
use dead::Marked;
use nan::{GivenBy, NotFinite};
use pending::{Failed, about, on_disk};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use wengert_core::ops::Custom;
use wengert_core::run::Value;
use wengert_core::{Builder, Op, Place, Program, Result, Tensor};

/// Says something on the standard error.
pub(crate) use folder::say;

/// The folder for reproducers.
const FOLDER: &str = "WENGERT_REPRO_DIR";
/// What is looked for: `nan`, `pure`, or both with a comma between them.
const CHECK: &str = "WENGERT_CHECK";

/// Whether anything is asked for: 0 is not known yet, 1 nothing, 2 something.
static WATCHING: AtomicU8 = AtomicU8::new(0);

/// What is looked for.
#[derive(Clone, Copy, Default)]
struct Checks {
    nan: bool,
    pure: bool,
}

fn checks() -> Checks {
    static CHECKS: OnceLock<Checks> = OnceLock::new();
    *CHECKS.get_or_init(|| {
        let mut checks = Checks::default();
        let words = std::env::var(CHECK).unwrap_or_default();
        for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word {
                "nan" => checks.nan = true,
                "pure" => checks.pure = true,
                _ => say(&format!("{CHECK} is a list of `nan` and `pure`, and {word:?} is neither: it is left out")),
            }
        }
        checks
    })
}

/// Whether results are looked at although the environment does not ask for it.
static LOOKS_FOR_NAN: AtomicBool = AtomicBool::new(false);

/// Whether results are looked at.
pub(crate) fn checks_nan() -> bool {
    checks().nan || LOOKS_FOR_NAN.load(Ordering::Relaxed)
}

/// Looks at results from now on, as `WENGERT_CHECK=nan` does.
pub(crate) fn check_nan() {
    is_watching();
    LOOKS_FOR_NAN.store(true, Ordering::Relaxed);
    WATCHING.store(2, Ordering::Relaxed);
}

/// Whether staged functions are traced twice, to see whether they do the same.
pub(crate) fn checks_pure() -> bool {
    checks().pure
}

/// Whether anything is asked for.
#[inline]
pub(crate) fn is_watching() -> bool {
    match WATCHING.load(Ordering::Relaxed) {
        0 => ask(),
        state => state == 2,
    }
}

#[cold]
fn ask() -> bool {
    let asked = folder::ask() | checks_nan();
    WATCHING.store(if asked { 2 } else { 1 }, Ordering::Relaxed);
    asked
}

/// The values of inputs on the host, if all can be had.
fn on_host(inputs: &[Value]) -> Option<Vec<Tensor>> {
    inputs.iter().map(|x| x.clone().into_host().ok()).collect()
}

/// A staged program that is about to run.
pub(crate) struct StagedRun<'a> {
    /// What a tape calls it.
    pub(crate) name: &'a str,
    /// As it runs.
    pub(crate) program: &'a Arc<Program>,
    /// As it was traced: the ops that the user wrote.
    pub(crate) traced: &'a Arc<Program>,
    /// Where it was staged.
    pub(crate) place: &'a Place,
}

/// Compiles and runs a program on inputs by `run`; `compile` compiles parts of it.
pub(crate) fn staged(
    staged: &StagedRun<'_>,
    inputs: Vec<Value>,
    run: impl FnOnce(Vec<Value>) -> Result<Vec<Value>>,
    compile: Compile<'_>,
) -> Result<Vec<Value>> {
    let Some(known) = on_host(&inputs) else { return run(inputs) };
    let StagedRun { name, program, .. } = *staged;
    let pending = on_disk(name, &about(name, staged.place), program, &known);
    let (ran, failed_op) = Custom::with_failed(|| catch_unwind(AssertUnwindSafe(|| run(inputs))));
    let leave = |pending: Option<Marked>, program: &Program, message: &str, given_by: Option<Box<GivenBy>>| {
        let failed = Failed { name, program, inputs: &known, message, failed_op: failed_op.as_ref(), given_by };
        Some(failed.leave(pending?, compile))
    };
    let with_note = |e: wengert_core::Error, note: Option<String>| note.into_iter().fold(e, wengert_core::Error::note);
    match ran {
        Ok(Ok(y)) => match checks_nan().then(|| nan::check(staged.traced, &known, &y, compile)) {
            // The ops of the user's are at fault, and not those that the compiler made of them.
            Some(Err(NotFinite { error, given_by })) => {
                let note = leave(pending, staged.traced, error.message(), given_by);
                Err(with_note(error, note))
            }
            _ => Ok(y),
        },
        Ok(Err(e)) => {
            let note = leave(pending, program, e.message(), None);
            Err(with_note(e, note))
        }
        Err(panic) => {
            if let Some(note) = leave(pending, program, message_of(&*panic), None) {
                tell_of_reproducer(note);
            }
            resume_unwind(panic)
        }
    }
}

/// An error if an op of a program, which gave these outputs, gives NaN or an infinity of finite numbers. It leaves a reproducer where
/// these are asked for.
pub(crate) fn check_run(program: &Program, inputs: &[Tensor], outputs: &[Tensor], compile: Compile<'_>) -> Result<()> {
    let outputs: Vec<Value> = outputs.iter().cloned().map(Value::from).collect();
    nan::check(&Arc::new(program.clone()), inputs, &outputs, compile).map_err(|NotFinite { error, given_by }| {
        folder::ask();
        let name = if program.name().is_empty() { "program" } else { program.name() };
        let pending = on_disk(name, &about(name, &Place::unknown()), program, inputs);
        let failed = Failed { name, program, inputs, message: error.message(), failed_op: None, given_by };
        let note = pending.map(|pending| failed.leave(pending, compile));
        note.into_iter().fold(error, wengert_core::Error::note)
    })
}

/// The part of a program that gives NaN or an infinity of finite numbers as its result, with these numbers; none if there is none.
pub(crate) fn made_of_finite(
    program: &Program,
    inputs: &[Tensor],
    compile: Compile<'_>,
) -> Option<(Program, Vec<Tensor>)> {
    let found = nan::check(&Arc::new(program.clone()), inputs, &[], compile).err()?;
    found.given_by.map(|given_by| (given_by.program, given_by.inputs))
}

/// Runs an op that is no staged call. While it runs it is on disk, if it runs programs or code of the user's: what fails is on a
/// tape.
pub(crate) fn op(
    op: &Op,
    x: Vec<Value>,
    place: &Place,
    run: impl FnOnce(Vec<Value>) -> Result<Vec<Value>>,
    compile: Compile<'_>,
) -> Result<Vec<Value>> {
    let has_parts = matches!(op, Op::Custom(_)) || !op.programs().is_empty();
    let _on_disk = on_host(&x).filter(|_| has_parts && folder::is_set()).and_then(|known| {
        let mut b = Builder::new();
        b.set_place(place.clone());
        let args = b.inputs(&known.iter().map(Tensor::ty).collect::<Vec<_>>());
        let y = b.try_push(op.clone(), &args).ok()?;
        on_disk(op.name(), &about(op.name(), place), &b.finish(&y), &known)
    });
    if !checks_nan() {
        return run(x);
    }
    let y = run(x.clone())?;
    nan::check_op(op, &x, &y, place, compile)?;
    Ok(y)
}
