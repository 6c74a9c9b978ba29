//! `simplify`: all passes as compilation runs them, or some of them once.
//! Ops on constants are not computed here, for that needs an evaluator.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::simplify::{Pass, Simplifier};

pub(super) struct Simplify;

impl Step for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn about(&self) -> &'static str {
        "`test simplify`: all passes; `test simplify fold algebra`: these passes once"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let pass = |word: &&str| {
            Pass::from_name(word).ok_or_else(|| {
                let all: Vec<&str> = Pass::ALL.iter().map(|p| p.as_str()).collect();
                args.mistake(format!("takes passes ({}), and got `{word}`", all.join(", ")))
            })
        };
        let passes: Vec<Pass> = args.words.iter().map(pass).collect::<Result<_, _>>()?;
        let simplifier = if passes.is_empty() { Simplifier::default() } else { Simplifier::new(&passes) };
        stage.each(args, |p| simplifier.run(p))
    }
}
