//! Where two runs part: the first thing they did whose results differ although what it was given agrees.
//!
//! [`ProgramDiff`] is for one program on two [`Sides`]: two backends, two element types. [`TapeDiff`] is for two runs that were
//! recorded, also where these did not do the same; [`record_program`] makes such a run of a program.

mod align;
mod group;
mod inside;
mod judge;
mod kept;
mod outcomes;
mod programs;
pub(crate) mod rounding;
mod sides;
mod source;
mod structure;
mod tapes;
mod threads;
mod types;

pub use inside::{InnerProgram, Inside};
pub use programs::{Excuse, Excused, NamedEquation, Parting, ProgramDiff};
pub use sides::{RunProgram, Sides};
pub use structure::{Change, StructuralDifference};
pub use tapes::{NodeGap, NodeParting, TapeDiff};

use wengert::{Array, Capture, Recorder, Tape, call_program, device, with_device};
use wengert_core::ops::Convert;
use wengert_core::{DType, Op, Program, Result, Tensor};

/// The run of a program on these inputs, by the evaluator, with the values of all equations at every depth.
///
/// # Errors
/// If the program does not take them, or its run fails.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::diff::{TapeDiff, record_program};
/// let [a, b] = ["mul", "add"].map(|op| {
///     let text = format!("program (x: f32[]) {{ y: f32[] = exp(x) z: f32[] = {op}(y, y) return z }}");
///     record_program(&Program::parse(&text).unwrap(), &[Tensor::scalar(1.0f32)]).unwrap()
/// });
/// assert!(TapeDiff::new(&a, &b, 1e-3)?.structure.is_some());
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn record_program(program: &Program, inputs: &[Tensor]) -> Result<Tape> {
    let eval = device("eval")?;
    let x: Vec<Array> = inputs.iter().cloned().map(Array::from_tensor).collect();
    let recorder = Recorder::new().capture(Capture::Values).every_step();
    let (y, tape) = recorder.try_record(|| with_device(&eval, || call_program(program, &x)));
    y.map(|_| tape)
}

/// Whether a difference is more than a tolerance allows. That only one of two numbers is finite always is.
pub(crate) fn beyond(gap: f64, tolerance: f64) -> bool {
    gap.is_nan() || gap > tolerance
}

/// An array in another element type, if it can be.
fn in_type(x: &Tensor, dtype: DType) -> Tensor {
    if x.dtype() == dtype {
        return x.clone();
    }
    let converted = wengert_eval::run_op(&Op::Convert(Convert { dtype }), vec![x.clone()]);
    converted.ok().and_then(|mut y| y.pop()).unwrap_or_else(|| x.clone())
}
