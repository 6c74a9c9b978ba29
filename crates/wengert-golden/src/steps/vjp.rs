//! `vjp`: values and cotangents.
//! The program takes its inputs, then a cotangent for each differentiable output.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::transform;

pub(super) struct Vjp;

impl Step for Vjp {
    fn name(&self) -> &'static str {
        "vjp"
    }

    fn about(&self) -> &'static str {
        "`test vjp 1 0`: the backward derivative for the inputs marked 1"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let program = stage.one(args)?;
        Ok(transform::vjp(program, &args.marks(0, program)?)?.into())
    }
}
