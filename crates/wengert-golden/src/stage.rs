//! Stages: what steps take and give. The steps themselves are in `steps/`.
//! Most steps take one program; those that change each program by itself take several.

use crate::{Args, Failure};
use wengert_core::{Program, counted};

/// What a step gives, and the next one takes.
#[derive(Clone, Debug)]
pub enum Stage {
    /// A program, or the parts of one.
    Programs(Vec<Program>),
    /// Text, which no step takes.
    Text(String),
}

impl From<Program> for Stage {
    fn from(program: Program) -> Stage {
        Stage::Programs(vec![program])
    }
}

impl Stage {
    /// The programs; none if this is text.
    pub fn programs(&self) -> &[Program] {
        match self {
            Stage::Programs(programs) => programs,
            Stage::Text(_) => &[],
        }
    }

    /// The one program that the step with these arguments takes.
    pub fn one(&self, args: &Args<'_>) -> Result<&Program, Failure> {
        match self {
            Stage::Programs(programs) if programs.len() == 1 => Ok(&programs[0]),
            _ => Err(args.mistake(format!("takes one program, and the step before gives {}", self.contents()))),
        }
    }

    /// The stage with each program changed by the step with these arguments.
    pub fn each(&self, args: &Args<'_>, change: impl Fn(&Program) -> Program) -> Result<Stage, Failure> {
        match self {
            Stage::Programs(programs) => Ok(Stage::Programs(programs.iter().map(change).collect())),
            Stage::Text(_) => Err(args.mistake("takes programs, and the step before gives text")),
        }
    }

    fn contents(&self) -> String {
        match self {
            Stage::Programs(programs) => counted(programs.len(), "program"),
            Stage::Text(_) => "text".into(),
        }
    }

    /// As text, with an end of line.
    pub fn to_text(&self) -> String {
        match self {
            Stage::Programs(programs) => programs.iter().map(Program::to_text).collect(),
            Stage::Text(text) => text.clone(),
        }
    }
}
