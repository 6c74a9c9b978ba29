//! The backends a program can run on.

use clap::ValueEnum;
use std::sync::Arc;
use wengert_core::backend::{Backend as _, Executable};
use wengert_core::simplify::{Pass, Simplifier};
use wengert_core::{Error, ErrorKind, Program, Result};
use wengert_cpu::Cpu;

/// Where a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// This machine, the program simplified first.
    Cpu,
    /// This machine, equation by equation as written.
    Eval,
    /// An XLA device.
    Xla,
}

/// The largest arrays that are computed while a program is simplified.
const FOLDED: usize = 1024;

/// Simplifies a program; `watch` sees it after each pass that made a difference.
pub fn simplified(program: &Program, mut watch: impl FnMut(&str, &Program)) -> Program {
    let simplifier = Simplifier::default().evaluating(&|op, x| wengert_cpu::run_op(op, x.to_vec()), FOLDED);
    simplifier.run_watched(program, |pass: Pass, p, _| watch(pass.as_str(), p))
}

impl Backend {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Eval => "eval",
            Backend::Xla => "xla",
        }
    }

    /// Makes a program ready to run; `watch` sees what it becomes on the way.
    pub fn compile(self, program: &Program, mut watch: impl FnMut(&str, &Program)) -> Result<Arc<dyn Executable>> {
        match self {
            Backend::Eval => Cpu.compile(Arc::new(program.clone())),
            Backend::Cpu => {
                let program = simplified(program, &mut watch);
                watch("simplify", &program);
                Cpu.compile(Arc::new(program))
            }
            Backend::Xla => Err(Error::new(ErrorKind::Unsupported, "this build has no XLA backend")
                .note("use `--backend cpu` or `--backend eval`")),
        }
    }
}
