//! `compile`: what the CPU's compiler makes of a program, after one of its stages.
//! Machine code is that of every x86-64, so that the text does not depend on the machine.

use super::{Args, Step};
use crate::{Failure, Stage};
use std::sync::Arc;
use wengert_core::run::Device;
use wengert_cpu::{Cpu, Native, STAGES};

pub(super) struct Compile;

impl Step for Compile {
    fn name(&self) -> &'static str {
        "compile"
    }

    fn about(&self) -> &'static str {
        "`test compile fuse`: what the CPU's compiler makes of the program up to this stage, as text"
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        let program = stage.one(args)?;
        let [name] = args.words[..] else {
            return Err(args.mistake(format!("takes one of the stages {}", STAGES.join(", "))));
        };
        if !STAGES.contains(&name) {
            return Err(args.mistake(format!("takes one of the stages {}, and got `{name}`", STAGES.join(", "))));
        }
        let compiled = Cpu::with(Native::Sse2).compile(Arc::new(program.clone()), &[])?;
        Ok(Stage::Text(compiled.after(name)?))
    }
}
