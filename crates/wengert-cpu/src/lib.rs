//! How this machine runs programs fast: each becomes a function of the kernel language, which calls kernels where it has
//! no instructions. What is here is judged by the evaluator.

mod compiled;
mod kernels;
mod lower;
mod rewrite;
mod stages;

pub use rewrite::{REWRITES_VARIABLE, Rewrite, Rewrites};
pub use stages::STAGES;

use compiled::{Compiled, Options};
use std::sync::Arc;
use wengert_core::run::{Device, Executable, Run, Value};
use wengert_core::{Op, Program, Result};
use wengert_eval::Eval;
use wengert_x86::Features;

/// This machine's CPU.
pub static CPU: Cpu = Cpu::with(Native::Best);

/// Which machine code programs become. The environment variable `WENGERT_NATIVE` (`off`, `sse2`, `avx2`) may ask for less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Native {
    /// None: they are interpreted.
    Off,
    /// What every x86-64 can do.
    Sse2,
    /// With vectors of 256 bits.
    Avx2,
    /// All that this machine can do.
    Best,
}

impl Native {
    /// What the environment asks for.
    fn asked() -> Native {
        match std::env::var("WENGERT_NATIVE").as_deref() {
            Ok("off") => Native::Off,
            Ok("sse2") => Native::Sse2,
            Ok("avx2") => Native::Avx2,
            Ok("") | Err(_) => Native::Best,
            Ok(other) => {
                static ONCE: std::sync::Once = std::sync::Once::new();
                let said = format!("WENGERT_NATIVE={other} is none of `off`, `sse2` and `avx2`: it changes nothing");
                ONCE.call_once(|| eprintln!("{said}"));
                Native::Best
            }
        }
    }

    /// The instructions that may be used; none where programs are interpreted.
    fn features(self) -> Option<Features> {
        match self.min(Native::asked()) {
            Native::Off => None,
            Native::Sse2 => Some(Features::Sse2),
            Native::Avx2 => Some(Features::Avx2),
            Native::Best => Some(Features::Avx512),
        }
    }
}

/// A CPU as a device.
#[derive(Clone, Copy)]
pub struct Cpu {
    /// Runs single operations.
    kernels: Eval,
    options: Options,
    /// Which rewrites are made; none, if the environment says so or nobody does.
    rewrites: Option<Rewrites>,
}

impl Cpu {
    /// This machine's CPU with so much machine code.
    pub const fn with(native: Native) -> Cpu {
        Cpu { kernels: Eval::with("cpu", &kernels::Fast), options: Options::new(native), rewrites: None }
    }

    /// The same, with only arrays of at most this many elements as scalars: more of a program is loops then.
    pub const fn with_scalars_up_to(self, small: usize) -> Cpu {
        Cpu { options: Options { small, ..self.options }, ..self }
    }

    /// The same, with large loops shared by so many threads, each of which takes about so many nanoseconds of work at a time.
    /// Results do not depend on it.
    pub const fn with_threads(self, threads: usize, nanoseconds: usize) -> Cpu {
        Cpu { options: Options { threads: Some(threads), piece: nanoseconds, ..self.options }, ..self }
    }

    /// The same, whose programs count where the time of their runs goes: [`Executable::profile`] says it. They are slower
    /// by a few nanoseconds for each block that is run. The environment variable `WENGERT_PROFILE` asks for it too, and for
    /// the profiles to be printed.
    pub const fn with_profile(self) -> Cpu {
        Cpu { options: Options { profile: true, ..self.options }, ..self }
    }

    /// The same, with these rewrites of programs, whatever the environment says.
    pub const fn with_rewrites(self, rewrites: Rewrites) -> Cpu {
        Cpu { rewrites: Some(rewrites), ..self }
    }

    /// The program that is compiled for this one: the evaluator gives the bits of the compiled program on it. `watch` sees
    /// the program after each rewrite that was made, with how often it was.
    pub fn rewrite(&self, program: &Arc<Program>, watch: impl FnMut(Rewrite, &Program, usize)) -> Result<Arc<Program>> {
        let rewrites = self.rewrites.map_or_else(Rewrites::asked, Ok)?;
        Ok(rewrites.rewrite(program, watch))
    }
}

impl Device for Cpu {
    fn name(&self) -> &str {
        self.kernels.name()
    }

    fn compile(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>> {
        let program = self.rewrite(&program, |_, _, _| ())?;
        wengert_eval::check(&program)?;
        let told = stages::profile::asked();
        let options = Options { profile: self.options.profile || told, ..self.options };
        match Compiled::new(program.clone(), options)? {
            Some(compiled) => {
                let compiled = Arc::new(compiled);
                if told {
                    stages::profile::tell_at_exit(&compiled);
                }
                Ok(compiled)
            }
            None => self.kernels.compile(program, donated),
        }
    }

    fn compile_as_written(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>> {
        self.with_rewrites(Rewrites::NONE).compile(program, &[])
    }

    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        self.kernels.run_op(op, run)
    }

    fn put(&self, value: &Value) -> Result<Value> {
        self.kernels.put(value)
    }
}
