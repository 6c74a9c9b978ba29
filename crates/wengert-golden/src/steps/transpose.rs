//! `transpose`: a linear program backward.
//! The program takes the inputs that are not marked, then a cotangent for each output.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::transform;

pub(super) struct Transpose;

impl Step for Transpose {
    fn name(&self) -> &'static str {
        "transpose"
    }

    fn about(&self) -> &'static str {
        "`test transpose 0 1`: the transpose of a program that is linear in the inputs marked 1"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let program = stage.one(args)?;
        let given = vec![true; program.outputs().len()];
        Ok(transform::transpose(program, &args.marks(0, program)?, &given)?.0.into())
    }
}
