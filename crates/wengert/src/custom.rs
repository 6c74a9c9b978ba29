//! Ops of the user's own: what an op says of itself, and how it is applied to arrays.
//!
//! An op is a type that implements [`CustomOp`]: with the rules it has, or with the program it is short for, from which
//! the rest follows. [`apply`] uses it; [`register`] lets the text form name it. The example `10_custom_op` has both.
//!
//! An op may hold programs: a loop of one's own, a solver. [`staged`] makes them of functions, [`transform`] has the transforms of
//! programs for its rules, and [`register_holding`] reads it. The example `14_custom_solver` has all of it.
//!
//! [`lower`] has an op of ours run as one of the user's, once all transforms are done.

use crate::array::{Array, StagingInfo};
use crate::dispatch::try_bind;
use crate::fail::ok;
use crate::function::{Args, Function};
use crate::stage::{FlatArgs, Tracers, stage};
use crate::tree::Tree;
use std::sync::Arc;
use wengert_core::{Place, Program, Result};

pub use crate::host_calls::register_print;
pub use crate::lowering::{lower, lowered};
pub use wengert_core::ops::{Custom, CustomOp};
pub use wengert_core::transform::{self, Batched, Batcher, Operand};
pub use wengert_core::{Builder, Linearity, Op, Var};

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

/// The same for ops that hold programs, which the text form has after the attributes: `[attributes="…", programs=[program …]]`.
///
/// ```
/// use std::sync::Arc;
/// use wengert::custom::{register_holding, CustomOp};
/// use wengert::{call_program, Array, Program, Result, Type};
///
/// /// A function, applied twice.
/// #[derive(Debug)]
/// struct Twice(Arc<Program>);
/// impl CustomOp for Twice {
///     fn name(&self) -> &str {
///         "doc.twice"
///     }
///     fn programs(&self) -> Vec<&Arc<Program>> {
///         vec![&self.0]
///     }
///     fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
///         let mut b = wengert::custom::Builder::new();
///         let x = b.inputs(x);
///         let y = b.inline(&self.0, &x);
///         let z = b.inline(&self.0, &y);
///         Some(Ok(b.finish(&z)))
///     }
/// }
/// register_holding("doc.twice", |_, programs| match programs.into_iter().next() {
///     Some(f) => Ok(Twice(f)),
///     None => Err(wengert::Error::malformed("`doc.twice` holds a program")),
/// })?;
/// let square = "program (x: f32[]) { y: f32[] = mul(x, x) return y }";
/// let p = Program::parse(&format!("program (x: f32[]) {{ y: f32[] = doc.twice[programs=[{square}]](x) return y }}"))?;
/// assert_eq!(call_program(&p, &[Array::from(3.0f32)])[0].item::<f32>(), 81.0);
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn register_holding<O: CustomOp + 'static>(
    name: &str,
    read: impl Fn(&str, Vec<Arc<Program>>) -> Result<O> + Send + Sync + 'static,
) -> Result<()> {
    Custom::register_holding(name, read)
}

/// The program of a function at arguments of which only the types count, for an op to hold; and the arrays that the function
/// captures, which the program takes after its arguments. Arrays that nothing looks at, no transform and no recording, are
/// constants of the program.
///
/// ```
/// use wengert::{call_program, custom::staged, Array};
/// let scale = Array::from(3.0f32);
/// let (program, captured) = staged(|x: Array| x * &scale, (Array::from(0.0f32),));
/// assert_eq!(program.inputs().len(), 1 + captured.len());
/// let given = [&[Array::from(2.0f32)], &captured[..]].concat();
/// assert_eq!(call_program(&program, &given)[0].item::<f32>(), 6.0);
/// ```
#[track_caller]
pub fn staged<A: Args, F: Function<A>>(f: F, args: A) -> (Arc<Program>, Vec<Array>)
where
    F::Output: Tree,
{
    let info = StagingInfo::new("custom::staged", f.name(), Place::caller());
    let traced = ok(stage(info, Tracers::Abstract, &FlatArgs::new(&args), &|a| f.call(a)));
    (Arc::new(traced.program), traced.captures)
}
