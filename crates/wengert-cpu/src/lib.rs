//! How this machine runs a program.
//!
//! For now a plain evaluator: one kernel for each op, simple and right, the oracle of everything that is faster.

mod control;
mod eval;
mod kernels;

pub use eval::{Cpu, Plan, run, run_op};
