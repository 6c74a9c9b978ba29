//! `stack_less`: scans as XLA devices get them.
//! A step of the backward loop computes light ops again instead of reading them from a stack.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::simplify::stack_less;

pub(super) struct StackLess;

impl Step for StackLess {
    fn name(&self) -> &'static str {
        "stack_less"
    }

    fn about(&self) -> &'static str {
        "`test stack_less`: the programs, with less stacked by their scans"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        args.none()?;
        stage.each(args, stack_less)
    }
}
