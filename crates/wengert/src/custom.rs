//! Ops of the user's own: what an op says of itself, and how it is applied to arrays.
//!
//! An op is a type that implements [`CustomOp`]: with the rules it has, or with the program it is short for, from which
//! the rest follows. [`apply`] uses it; [`register`] lets the text form name it. The example `10_custom_op` has both.

use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::ok;
use wengert_core::ops::Custom;
use wengert_core::{Place, Result};

pub use wengert_core::ops::CustomOp;
pub use wengert_core::transform::{Batched, Batcher, Operand};
pub use wengert_core::{Builder, Linearity, Var};

/// Applies an op to arrays: now, or as an equation of the program being traced.
///
/// ```
/// use wengert::custom::{apply, CustomOp};
/// use wengert::{grad, make_program, Array, Program, Result, Tensor, Type};
///
/// /// `x²`, as the program it is short for.
/// #[derive(Debug)]
/// struct Square;
/// impl CustomOp for Square {
///     fn name(&self) -> &str {
///         "doc.square"
///     }
///     fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
///         let like = Array::from_tensor(Tensor::zeros(&x[0]));
///         Some(Ok(make_program(|x: Array| &x * &x, (like,))))
///     }
/// }
/// let square = |x: Array| apply(Square, &[&x]).remove(0);
/// assert_eq!(grad(square)(Array::from(3.0f32)).item::<f32>(), 6.0);
/// ```
#[track_caller]
pub fn apply(op: impl CustomOp + 'static, x: &[&Array]) -> Vec<Array> {
    ok(try_bind(Custom::new(op).into(), x, Place::caller())).into_vec()
}

/// Tells the process how to read ops of this name from text, given the text of their attributes.
///
/// Programs that are never read from text do not need it.
///
/// ```
/// use wengert::custom::{register, CustomOp};
/// use wengert::{call_program, make_program, Array, DType, Program, Result, Tensor, Type};
///
/// /// `x` times a number, as the program it is short for.
/// #[derive(Debug)]
/// struct Times(f64);
/// impl CustomOp for Times {
///     fn name(&self) -> &str {
///         "doc.times"
///     }
///     fn attributes(&self) -> String {
///         self.0.to_string()
///     }
///     fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
///         let (by, like) = (self.0, Array::from_tensor(Tensor::zeros(&x[0])));
///         Some(Ok(make_program(move |x: Array| x * by, (like,))))
///     }
/// }
/// register("doc.times", |text| Ok(Times(text.parse().expect("a number"))))?;
/// let p = Program::parse("program (x: f32[]) { y: f32[] = doc.times[attributes=\"3\"](x) return y }")?;
/// assert_eq!(call_program(&p, &[Array::from(2.0f32)])[0].item::<f32>(), 6.0);
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn register<O: CustomOp + 'static>(
    name: &str,
    read: impl Fn(&str) -> Result<O> + Send + Sync + 'static,
) -> Result<()> {
    Custom::register(name, read)
}
