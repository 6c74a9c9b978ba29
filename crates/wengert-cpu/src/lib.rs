//! How this machine runs programs fast.
//!
//! For now the evaluator's way from equation to equation, with faster kernels where there are some; what is here is
//! judged by the evaluator's own.

mod kernels;

use wengert_eval::Eval;

/// This machine's CPU.
pub static CPU: Eval = Eval::with("cpu", &kernels::Fast);
