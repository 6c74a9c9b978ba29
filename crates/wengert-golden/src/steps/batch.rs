//! `batch`: a program over a batch.
//! Inputs that are marked have the batch as their first axis, and so have the results that depend on them.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::transform;

pub(super) struct Batch;

impl Step for Batch {
    fn name(&self) -> &'static str {
        "batch"
    }

    fn about(&self) -> &'static str {
        "`test batch 5 1 0`: the program over a batch of 5 for the inputs marked 1"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let program = stage.one(args)?;
        let word = args.words.first().copied().unwrap_or("nothing");
        let size = word.parse().map_err(|_| args.mistake(format!("takes the size of the batch, and got `{word}`")))?;
        let demand = vec![false; program.outputs().len()];
        Ok(transform::batch(program, size, None, &args.marks(1, program)?, &demand)?.0.into())
    }
}
