//! What turns a program into something that runs.

use crate::error::Result;
use crate::program::Program;
use crate::tensor::Tensor;
use std::sync::Arc;

/// Turns programs into executables.
pub trait Backend: Send + Sync {
    /// The name users choose it by.
    fn name(&self) -> &str;
    /// Makes a program ready to run.
    fn compile(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>>;
}

/// A program ready to run.
pub trait Executable: Send + Sync {
    /// Runs it. The inputs must have the program's input types.
    fn run(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>>;
}
