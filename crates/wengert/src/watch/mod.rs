//! What is done around runs when the environment asks for it: `WENGERT_REPRO_DIR` leaves a reproducer where a transform, a
//! compilation or a run fails, or a run of a staged program ends the process, and `WENGERT_CHECK=nan` looks for numbers that are
//! not finite, `WENGERT_CHECK=pure` for staged functions that are not the same twice.

mod folder;
mod nan;
mod pure;
mod recorded;

pub(crate) use folder::on_failure;
pub(crate) use nan::check_op;
pub(crate) use pure::check_pure;
pub(crate) use recorded::{recorded, wants_recording};

use folder::Pending;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use wengert_core::run::Value;
use wengert_core::{Program, Result, Tensor};

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
                _ => {
                    eprintln!("wengert: {CHECK} is a list of `nan` and `pure`, and {word:?} is neither: it is left out")
                }
            }
        }
        checks
    })
}

/// Whether results are looked at.
fn checks_nan() -> bool {
    checks().nan
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

/// Compiles and runs a program on inputs by `run`, and by `again` programs that are parts of it.
pub(crate) fn staged(
    name: &str,
    program: &Program,
    inputs: Vec<Value>,
    run: impl FnOnce(Vec<Value>) -> Result<Vec<Value>>,
    again: &dyn Fn(Program, Vec<Tensor>) -> Result<Vec<Tensor>>,
) -> Result<Vec<Value>> {
    let known: Option<Vec<Tensor>> = inputs.iter().map(|x| x.clone().into_host().ok()).collect();
    let Some(known) = known else { return run(inputs) };
    let pending = Pending::write(name, program, &known);
    let looked = || {
        let y = run(inputs)?;
        if checks_nan() {
            nan::check(program, &known, &y, again)?;
        }
        Ok(y)
    };
    match catch_unwind(AssertUnwindSafe(looked)) {
        Ok(Ok(y)) => {
            pending.into_iter().for_each(Pending::remove);
            Ok(y)
        }
        Ok(Err(e)) => Err(match pending {
            Some(pending) => pending.keep(program, &known, e),
            None => e,
        }),
        Err(panic) => {
            if let Some(pending) = pending {
                pending.keep_panic(program, &known, &*panic);
            }
            resume_unwind(panic)
        }
    }
}

/// Looks at what a program gave that ran as a part of a transform.
pub(crate) fn check_program(
    program: &Program,
    inputs: &[Value],
    outputs: &[Value],
    again: &dyn Fn(Program, Vec<Tensor>) -> Result<Vec<Tensor>>,
) -> Result<()> {
    let known: Option<Vec<Tensor>> = inputs.iter().map(|x| x.clone().into_host().ok()).collect();
    match known.filter(|_| checks_nan()) {
        Some(known) => nan::check(program, &known, outputs, again),
        None => Ok(()),
    }
}
