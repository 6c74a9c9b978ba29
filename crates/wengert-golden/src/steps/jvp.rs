//! `jvp`: values and tangents.
//! The program takes its inputs, then a tangent for each that is marked.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::transform;

pub(super) struct Jvp;

impl Step for Jvp {
    fn name(&self) -> &'static str {
        "jvp"
    }

    fn about(&self) -> &'static str {
        "`test jvp 1 0`: the forward derivative for the inputs marked 1"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let program = stage.one(args)?;
        Ok(transform::jvp(program, &args.marks(0, program)?)?.0.into())
    }
}
