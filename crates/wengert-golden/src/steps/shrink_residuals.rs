//! `shrink_residuals`: scans as XLA devices get them.
//! A step of the backward loop recomputes light ops instead of reading their results from a stack of residuals.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::simplify::shrink_residuals;

pub(super) struct ShrinkResiduals;

impl Step for ShrinkResiduals {
    fn name(&self) -> &'static str {
        "shrink_residuals"
    }

    fn about(&self) -> &'static str {
        "`test shrink_residuals`: the programs, whose scans stack fewer residuals"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        args.none()?;
        stage.each(args, shrink_residuals)
    }
}
