//! `rewrite`: the rewrites that the CPU's compiler makes first, all of them or these alone, and each at most so often.

use super::{Args, Step};
use crate::{Failure, Stage};
use std::sync::Arc;
use wengert_core::Program;
use wengert_cpu::Rewrites;

pub(super) struct Rewrite;

impl Step for Rewrite {
    fn name(&self) -> &'static str {
        "rewrite"
    }

    fn about(&self) -> &'static str {
        "`test rewrite`: all rewrites that the CPU's compiler makes; `test rewrite contract=2`: these, at most so often"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let rewrites: Rewrites = match args.words.is_empty() {
            true => Rewrites::ALL,
            false => format!("all=off,{}", args.words.join(",")).parse().map_err(|e| args.mistake(format!("{e}")))?,
        };
        stage.each(args, |p| Program::clone(&rewrites.rewrite(&Arc::new(p.clone()), |_, _, _| ())))
    }
}
