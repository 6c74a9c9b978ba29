//! `linearize`: two programs.
//! The first gives the values and the residuals; the second the tangents, from residuals and tangents.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::transform;

pub(super) struct Linearize;

impl Step for Linearize {
    fn name(&self) -> &'static str {
        "linearize"
    }

    fn about(&self) -> &'static str {
        "`test linearize 1 0`: the forward and the linear half for the inputs marked 1"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let program = stage.one(args)?;
        let demand = vec![false; program.outputs().len()];
        let halves = transform::linearize(program, &args.marks(0, program)?, &demand)?;
        Ok(Stage::Programs(vec![halves.forward.with_name("forward"), halves.linear.with_name("linear")]))
    }
}
