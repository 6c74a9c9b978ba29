//! How this machine runs a program.
//!
//! For now a plain evaluator: one kernel for each op, simple and right, the oracle of everything that is faster.

mod control;
mod eval;
mod inside;
mod kernels;
mod memory;

pub use eval::{Cpu, Inside, Observer, Plan, run, run_op, run_op_watched};
pub use inside::{Step, with_steps};
pub use memory::has_room;
