//! `text`: the programs as they print.
//! The runner checks after every step that the text of a program reads back to itself; this step does nothing else.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::Program;

pub(super) struct Text;

impl Step for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn about(&self) -> &'static str {
        "`test text`: the programs, parsed and printed"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        args.none()?;
        stage.each(args, Program::clone)
    }
}
