//! Ops that hold programs: calls and loops.

mod call;
mod scan;

pub use call::{Call, CallKind};
pub use scan::Scan;

use crate::program::Var;
use crate::transform::Residual;

/// For each residual of a linearized program, the variable that holds it: an operand, or a result of the forward half.
fn residual_vars(residuals: &[Residual], x: &[Var], y: &[Var]) -> Vec<Var> {
    let pick = |r: &Residual| match *r {
        Residual::Input(i) => x[i],
        Residual::Output(i) => y[i],
    };
    residuals.iter().map(pick).collect()
}
