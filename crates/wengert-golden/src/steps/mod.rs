//! The steps, one file each, and what they share: the trait, and the arguments from the header.
//! The list [`STEPS`] is the only place where a step is registered.

mod batch;
mod compile;
mod export;
mod jvp;
mod linearize;
mod rewrite;
mod run;
mod shrink_residuals;
mod simplify;
mod text;
mod transpose;
mod vjp;

use crate::{Failure, Stage};
use wengert_core::{Program, Tensor, counted};

/// All steps: adding one is a file with its struct, and a line here.
pub const STEPS: &[&dyn Step] = &[
    &text::Text,
    &simplify::Simplify,
    &shrink_residuals::ShrinkResiduals,
    &rewrite::Rewrite,
    &jvp::Jvp,
    &vjp::Vjp,
    &linearize::Linearize,
    &transpose::Transpose,
    &batch::Batch,
    &run::Run,
    &compile::Compile,
    &export::Export,
];

/// What a line `test …` of a header does.
pub trait Step: Sync {
    /// The word after `test`.
    fn name(&self) -> &'static str;

    /// How it is written and what it gives, in one line.
    fn about(&self) -> &'static str;

    /// Whether it reads the `input` lines.
    fn reads_inputs(&self) -> bool {
        false
    }

    /// What it makes of a stage.
    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure>;
}

/// The value of an `input` line.
#[derive(Clone, Debug)]
pub struct Input {
    /// The line in the file.
    pub line: usize,
    /// The value.
    pub value: Tensor,
}

/// What the header says to a step.
#[derive(Debug)]
pub struct Args<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: usize,
    pub(crate) step: &'a str,
    /// The words after the name of the step.
    pub words: Vec<&'a str>,
    /// The `input` lines.
    pub inputs: &'a [Input],
}

impl Args<'_> {
    /// A mistake in the line of the step.
    pub fn mistake(&self, what: impl AsRef<str>) -> Failure {
        Failure::Broken(format!("{}:{}: `{}` {}", self.file, self.line, self.step, what.as_ref()))
    }

    /// A mistake in a line of the header.
    pub fn mistake_in(&self, line: usize, what: impl AsRef<str>) -> Failure {
        Failure::Broken(format!("{}:{line}: {}", self.file, what.as_ref()))
    }

    /// Nothing, for a step that takes no words.
    pub fn none(&self) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(self.mistake(format!("takes no arguments, and got `{word}`"))),
        }
    }

    /// The words from `first` on as marks, 0 or 1, one for each input of the program.
    pub fn marks(&self, first: usize, program: &Program) -> Result<Vec<bool>, Failure> {
        let words = self.words.get(first..).unwrap_or_default();
        let mark = |word: &&str| match *word {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(self.mistake(format!("takes marks 0 and 1, and got `{word}`"))),
        };
        let marks: Vec<bool> = words.iter().map(mark).collect::<Result<_, _>>()?;
        match program.inputs().len() {
            n if n == marks.len() => Ok(marks),
            n => Err(self.mistake(format!(
                "takes a mark for each input of the program, which has {}, and got {}",
                counted(n, "input"),
                counted(marks.len(), "mark"),
            ))),
        }
    }
}

/// The step with this name, or what to say if there is none.
pub(crate) fn step(name: &str) -> Result<&'static dyn Step, String> {
    STEPS.iter().find(|s| s.name() == name).copied().ok_or_else(|| {
        let list: String = STEPS.iter().map(|s| format!("\n  {}", s.about())).collect();
        format!("there is no step `{name}`; the steps are{list}")
    })
}
