//! Array programs in Rust: transform them, compile them, record what they did, hand a run back.
//!
//! ```
//! use wengert::{grad, jit, vmap, Array};
//!
//! fn loss(w: Array, x: Array) -> Array {
//!     ((w * x).tanh()).sum(..)
//! }
//! let w = Array::from([0.5f32, -0.25]);
//! let xs = Array::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
//! let per_example = jit(vmap(grad(loss)).in_axes([None, Some(0)]));
//! assert_eq!(per_example(w, xs).shape()[..], [3, 2]);
//! ```
//!
//! The feature `ndarray` makes arrays of the crate of that name from `Array`s (`Array::to_ndarray`) and the other way
//! (`Array::from`).

// Lets the derive macro say `::wengert` inside this crate too.
extern crate self as wengert;

mod apart;
mod array;
mod autodiff;
mod call_values;
mod collective;
mod control;
pub mod custom;
mod device;
mod dispatch;
mod display;
mod every_value;
mod fail;
mod fit;
mod function;
mod guards;
mod host_calls;
mod io;
mod jacobian;
mod jit;
mod known;
pub mod lax;
mod linear;
mod lowering;
mod named_axes;
pub mod nn;
mod numpy;
mod paths;
pub mod random;
mod ravel;
mod read;
mod receiver;
mod recorded_calls;
pub mod repro;
mod set_aside;
#[doc(hidden)]
mod shown;
mod spot;
mod stage;
mod staged;
pub mod tape;
mod tie;
mod trace;
mod traced_reads;
pub mod track;
mod tree;
mod vmap;
mod watch;

pub use array::Array;
pub use autodiff::{Grad, Linear, Loss, Pullback, ValueAndGrad, grad, hvp, jvp, linearize, value_and_grad, vjp};
pub use collective::{all_gather, all_to_all, axis_index, pmax, pmean, pmin, ppermute, psum, psum_scatter};
pub use control::{
    Bound, ScanOptions, Solver, TreeFn, associative_scan, checkpoint, cond, custom_jvp, custom_linear_solve,
    custom_root, custom_vjp, fori_loop, map, scan, scan_with, stop_gradient, switch, while_loop,
};
pub use device::{
    BACKEND_VARIABLE, Device, PRINT_VARIABLE, current_device, device, set_device, set_threads, stages, threads,
    with_device,
};
pub use fail::try_run;
pub use function::{All, Arg, Args, Func, Function, Select, SharedFn};
pub use host_calls::{debug_print, pure_callback};
pub use io::{load_safetensors, save_safetensors};
pub use jacobian::{HessianFn, Jacobian, JacobianFn, JacobianIn, ReplaceLeaves, hessian, jacfwd, jacrev};
pub use jit::{Jit, jit, rewrite_watched, simplify, simplify_watched};
pub use linear::linear_transpose;
pub use numpy::*;
pub use ravel::ravel;
pub use stage::{call_program, eval_shape, make_program};
pub use tape::{Capture, Node, Recorder, Tape, record};
pub use tree::{Static, Tree, describe_fields, join_path, leaves, map_leaves, replace_static, zip_leaves};
pub use vmap::{Vmap, vmap};
pub use wengert_core::{
    Complex, DType, Element, Error, ErrorKind, Place, Program, Result, Scalar, Shape, Tensor, Type, bf16, f16,
};
pub use wengert_cpu::Rewrite;
pub use wengert_macros::Tree;
/// Stages a function: what it is called with is given to [`jit`](fn@jit) of it, whose programs are kept as long as the process
/// runs. It takes and gives trees of arrays, by value.
///
/// ```
/// use wengert::{jit, Array};
///
/// #[jit]
/// fn scaled(x: Array, by: usize) -> Array {
///     (0..by).fold(x, |x, _| x * 2.0)
/// }
/// assert_eq!(scaled(Array::from(1.0f32), 3).item::<f32>(), 8.0);
/// assert_eq!(wengert::grad(|x: Array| scaled(x, 3))(Array::from(1.0f32)).item::<f32>(), 8.0);
/// ```
pub use wengert_macros::jit;
/// Makes every call of a function or method a node of the recording around it, with its name, its arguments and what it
/// gives. `if`, `match`, loops, `break`, `continue`, `return`, `?`, `&&` and `||` mean what they meant, and are recorded
/// as jumps between the blocks of the function, each with the condition that led there. The names of arguments and of
/// `let` bindings go to the nodes and, under a trace, to the variables of the program.
///
/// ```
/// use wengert::{record, track, Array};
///
/// #[track]
/// fn halve(x: Array) -> Array {
///     let half = x / 2.0;
///     if half > 1.0 { halve(half) } else { half }
/// }
///
/// let (y, tape) = record(|| halve(Array::from(6.0f32)));
/// assert_eq!(y.item::<f32>(), 0.75);
/// let text = tape.to_string();
/// assert!(text.contains("half = div(@3, ⟨2⟩)") && text.contains("goto §2 since"));
/// ```
///
/// Arrays and trees of arrays among the arguments are recorded as such, other values by `Debug`, cut to a length, and
/// what has neither by its type. Reports stand between what was written: nothing becomes a closure, so borrows, labels,
/// lifetimes and the order of drops stay as they were. Closures, nested items and macros inside are left as they are.
/// Outside a recording and a trace, each report is a branch on a local flag. A result that the function declares by
/// `impl` is recorded by its type alone. What is asked of values is no more than they have, with two
/// exceptions: where `Debug`, or a `Tree` written by hand, holds for `'static` alone (as `impl Debug for dyn Plugin` does, which
/// a `&dyn Plugin` is not), other lifetimes are refused; and where it holds for one instance alone of a generic type
/// (`impl Debug for Id<u8>`), a literal that an `Id` is made of is a `u8`. A type that holds itself with larger and larger
/// parameters (`enum Nest<T> { Cons(T, Box<Nest<(T, T)>>), .. }`) can't have a derived `Debug` there. Since variables are looked at,
/// `#[expect(unused_variables)]` and the like are not fulfilled.
///
/// `#[track(calls)]` records calls and decisions alone, and of a function with `#[track(boundary)]` nothing inside: its call
/// is one node. On an `impl`, a trait or a module these go for all functions in it that do not say otherwise. A function of
/// another library becomes a boundary by one line:
///
/// ```
/// # mod other { pub fn halve(x: &wengert::Array) -> wengert::Array { x / 2.0 } }
/// use wengert::{record, track, Array};
///
/// #[track(boundary)]
/// fn halve(x: &Array) -> Array { other::halve(x) }
///
/// let (_, tape) = record(|| halve(&Array::from(6.0f32)));
/// let nodes: Vec<_> = tape.root().children().map(|n| n.function().to_string()).collect();
/// assert_eq!(nodes, ["constant", "halve", "return"]);
/// ```
///
/// A function that is `#[track_caller]` has what it does where it is called, as its panics are. Where Wengert goes by
/// another path, `#[track(crate = path)]`, `tracked!(crate = path, …)` and `#[tree(crate = path)]` say which.
///
/// Functions that are `async`, `unsafe`, `const` or `extern` are refused:
///
/// ```compile_fail
/// #[wengert::track]
/// async fn fetch() {}
/// ```
/// ```compile_fail
/// #[wengert::track]
/// unsafe fn read(p: *const f32) -> f32 { *p }
/// ```
/// ```compile_fail
/// #[wengert::track]
/// const fn two() -> u32 { 2 }
/// ```
///
/// So is one in which a macro that is declared elsewhere makes a constant or a static by the name of a variable:
///
/// ```compile_fail
/// macro_rules! declare { () => { const v: f64 = 3.0; }; }
/// #[wengert::track]
/// fn scaled(v: f64) -> f64 { declare!(); v * 2.0 }
/// ```
pub use wengert_macros::track;
/// [`track`](macro@track) for a closure, with a name if one is given before it.
///
/// It is not `track!`: to Rust, an attribute and a macro with `!` are of one kind, and can't share a name.
///
/// ```
/// use wengert::{record, tracked, Array};
/// let double = tracked!("double", |x: Array| x * 2.0);
/// let (_, tape) = record(|| double(Array::from(3.0f32)));
/// assert!(tape.to_string().contains("double(@1)"));
/// ```
pub use wengert_macros::tracked;

/// Runs an expression that is not recorded, whatever is around it. An update of the tape that may need arrays that it made
/// is an error. What the host reads there, of arrays or of tapes that were recorded inside, stays a node: else what it does with it
/// would be as it was.
///
/// ```
/// use wengert::{record, untracked, Array};
/// let (_, tape) = record(|| {
///     let x = Array::from([1.0f32, 2.0]);
///     untracked!(x.sin()) + x.cos()
/// });
/// assert!(!tape.to_string().contains("sin(") && tape.to_string().contains("cos("));
/// ```
#[macro_export]
macro_rules! untracked {
    ($($body:tt)*) => { $crate::track::untracked_in!($crate $($body)*) };
}
