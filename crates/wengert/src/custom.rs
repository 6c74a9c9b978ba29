//! Ops of the user's own: what an op says of itself, and how it is applied to arrays.
//!
//! An op is a type that implements [`CustomOp`]: with the rules it has, or with the program it is short for, from which
//! the rest follows. [`apply`] uses it; [`register`] lets the text form name it. The example `10_custom_op` has both.

use crate::array::Array;
use crate::fail::ok;
use crate::trace::try_bind;
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
pub fn register<O: CustomOp + 'static>(
    name: &str,
    read: impl Fn(&str) -> Result<O> + Send + Sync + 'static,
) -> Result<()> {
    Custom::register(name, read)
}
