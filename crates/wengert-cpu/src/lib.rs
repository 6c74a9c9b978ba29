//! How this machine runs programs fast: each becomes a function of the kernel language, which calls kernels where it has
//! no instructions. What is here is judged by the evaluator.

mod compiled;
mod kernels;
mod lower;

use std::sync::Arc;
use wengert_core::run::{Device, Executable, Run, Value};
use wengert_core::{Op, Program, Result};
use wengert_eval::Eval;

/// This machine's CPU.
pub static CPU: Cpu = Cpu { kernels: Eval::with("cpu", &kernels::Fast) };

/// A CPU as a device.
#[derive(Clone, Copy)]
pub struct Cpu {
    /// Runs single operations.
    kernels: Eval,
}

impl Device for Cpu {
    fn name(&self) -> &str {
        self.kernels.name()
    }

    fn compile(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>> {
        wengert_eval::check(&program)?;
        match compiled::Compiled::new(program.clone()) {
            Some(compiled) => Ok(Arc::new(compiled)),
            None => self.kernels.compile(program, donated),
        }
    }

    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        self.kernels.run_op(op, run)
    }

    fn put(&self, value: &Value) -> Result<Value> {
        self.kernels.put(value)
    }
}
