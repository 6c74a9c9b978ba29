//! Programs on disk while they run: they stay if the run fails, or the process dies.

use super::dead::Marked;
use super::folder::{self, count, how_it_fails, set_left, write_source};
use super::nan::{Compile, GivenBy};
use super::user_code::{self, without_user_code};
use std::path::Path;
use wengert_core::ops::{Custom, FailedOp};
use wengert_core::{Place, Program, Result, Tensor};
use wengert_emit::files::{save_arrays, save_program};
use wengert_emit::{CallTree, Outcome, Run};

/// The name of the files of a program that runs anywhere.
pub(super) const PROGRAM: &str = "program";
/// The name of the files of a program that gives what is not finite as its result.
const NOT_FINITE: &str = "nan";
/// What runs it again.
pub(super) const RUN: &str = "`wengert run program.wg --input program.safetensors`";

/// The name of the files of a program that has ops of this process: it can be read elsewhere, and runs here alone.
pub(super) const WHOLE: &str = "whole";

/// Writes a program with its inputs, if reproducers are asked for.
pub(super) fn on_disk(name: &str, about: &str, program: &Program, inputs: &[Tensor]) -> Option<Marked> {
    Marked::new(name, about, |folder| {
        let program = without_user_code(program);
        let file = if user_code::is_in(&program) { WHOLE } else { PROGRAM };
        save_program(folder, file, "", &program, inputs).map(drop)
    })
}

/// A program that failed.
pub(super) struct Failed<'a> {
    /// What the user called.
    pub(super) name: &'a str,
    pub(super) program: &'a Program,
    pub(super) inputs: &'a [Tensor],
    pub(super) message: &'a str,
    /// The user's op that failed in it, if one did, with what it was given.
    pub(super) failed_op: Option<&'a FailedOp>,
    /// What gives a number that is not finite as its result, if that is how it failed: the program may mask it.
    pub(super) given_by: Option<Box<GivenBy>>,
}

impl Failed<'_> {
    /// Leaves the program in its folder, and says what is there.
    pub(super) fn leave(self, pending: Marked, compile: Compile<'_>) -> String {
        set_left(self.message);
        if let Some(said) = count(self.name, self.message, pending.folder()) {
            return said;
        }
        let folder = pending.keep();
        let written = folder::guarded(|| self.write(&folder, compile));
        let shown = folder.display();
        match written {
            Ok(what) => format!("a reproducer is in {shown}: {what}{}", how_it_fails(self.message)),
            Err(e) => format!("a reproducer is in {shown}, in part: {}", e.message()),
        }
    }

    fn write(&self, folder: &Path, compile: Compile<'_>) -> Result<String> {
        let program = without_user_code(self.program);
        if let Some((op, operands)) = self.failed_op {
            return self.write_to_op(folder, &program, op, operands);
        }
        let failed = Outcome::Error(self.message.into());
        if !user_code::is_in(&program) {
            save_program(folder, PROGRAM, "", &program, self.inputs)?;
            let run = Run { tree: CallTree::of_program(&program), inputs: self.inputs.to_vec(), outcome: Some(failed) };
            write_source(folder, &run, self.message)?;
            return Ok(self.commands(self.write_given_by(folder, compile)?, ""));
        }
        let (cut, inputs) = user_code::cut(&program, self.inputs, compile)?;
        save_program(folder, PROGRAM, "", &cut, &inputs)?;
        write_source(folder, &Run { tree: CallTree::of_program(&cut), inputs, outcome: Some(failed) }, self.message)?;
        Ok(self.commands(
            self.write_given_by(folder, compile)?,
            " (what ops of this process gave, which run nowhere else, are inputs of it; `whole.wg` shows the program with them)",
        ))
    }

    /// Writes what gives a number that is not finite; the name of its files, and that of the program's without.
    fn write_given_by(&self, folder: &Path, compile: Compile<'_>) -> Result<&'static str> {
        let Some(GivenBy { program, inputs }) = self.given_by.as_deref() else { return Ok(PROGRAM) };
        let program = without_user_code(program);
        let (program, inputs) = match user_code::is_in(&program) {
            true => user_code::cut(&program, inputs, compile)?,
            false => (program, inputs.clone()),
        };
        save_program(folder, NOT_FINITE, "", &program, &inputs)?;
        Ok(NOT_FINITE)
    }

    fn commands(&self, reduced: &str, more: &str) -> String {
        let is_nan = super::is_nan_message(self.message);
        let run = if is_nan { "`main.rs` runs it".to_string() } else { format!("{RUN} there runs it") };
        // A panic is an error of the process that tries a candidate, too.
        let by = if is_nan { "--nan" } else { "--error '.*'" };
        let jax = format!(
            ", `wengert emit {reduced}.wg --to jax --input {reduced}.safetensors` writes what gives it for JAX"
        );
        let jax = if is_nan { jax } else { String::new() };
        format!(
            "{run}, `wengert reduce {reduced}.wg {by} --input {reduced}.safetensors` there makes it small{jax}{more}"
        )
    }

    /// What there is of a program in which an op of the user's failed: what led to it, and what it was given.
    fn write_to_op(&self, folder: &Path, program: &Program, op: &Custom, operands: &[Tensor]) -> Result<String> {
        let name = op.get().name().to_string();
        let named = operands.iter().enumerate().map(|(i, x)| (format!("arg{i}"), x.clone()));
        save_arrays(&folder.join("operands.safetensors"), named)?;
        let before = user_code::before(program, &name);
        let inputs = before.inputs.iter().map(|&i| self.inputs[i].clone()).collect();
        let tree = CallTree::of_failure(&before.program, self.message, before.place);
        let run = Run { tree, inputs, outcome: Some(Outcome::Error(self.message.into())) };
        write_source(folder, &run, self.message)?;
        Ok(format!(
            "`{name}`, which failed, is code of this process, and runs nowhere else; `operands.safetensors` has what it was given, \
             `main.rs` what led to it, and `whole.wg` is the program to read"
        ))
    }
}

/// The place of the program in words.
pub(super) fn about(name: &str, place: &Place) -> String {
    match place.is_unknown() {
        true => format!("it ran `{name}`"),
        false => format!("it ran `{name}` of {place}"),
    }
}
