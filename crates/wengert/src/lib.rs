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

// Lets the derive macro say `::wengert` inside this crate too.
extern crate self as wengert;

mod array;
mod autodiff;
mod backend;
mod collective;
mod control;
pub mod custom;
mod display;
mod fail;
mod function;
mod io;
mod jacobian;
mod jit;
mod live;
pub mod nn;
mod numpy;
pub mod random;
mod ravel;
mod record;
mod stage;
pub mod trace;
mod tree;
mod vmap;

pub use array::Array;
pub use autodiff::{Grad, Linear, Loss, Pullback, ValueAndGrad, grad, hvp, jvp, linearize, value_and_grad, vjp};
pub use backend::{Backend, backend, current_backend, set_backend, with_backend};
pub use collective::{all_gather, all_to_all, axis_index, pmax, pmean, pmin, ppermute, psum, psum_scatter};
pub use control::{
    Bound, ScanOptions, associative_scan, checkpoint, cond, custom_jvp, custom_vjp, fori_loop, map, scan, scan_with,
    stop_gradient, switch, while_loop,
};
pub use fail::try_run;
pub use function::{All, Arg, Args, Func, Function, Select, Shared};
pub use io::{load_safetensors, save_safetensors};
pub use jacobian::{hessian, jacfwd, jacrev};
pub use jit::{Jit, jit, simplify};
pub use live::{Followed, Live};
pub use numpy::*;
pub use ravel::ravel;
pub use record::{Recorder, hand_over, record};
pub use stage::{call_program, make_program};
pub use tree::{Float, Key, Leaf, Static, Tree, describe_fields, join_path, leaves, map_leaves, zip_leaves};
pub use vmap::{Vmap, vmap};
pub use wengert_core::{
    Complex, DType, Element, Error, ErrorKind, Place, Program, Result, Scalar, Shape, Tensor, Type, bf16, f16,
};
pub use wengert_macros::Tree;
pub use wengert_tape::{
    Argument, Capture, Changes, Constant, Context, DepthLimit, Draft, Every, Key as MetaKey, Kind, Node, NodeId,
    NodeRef, Only, Straight, Summary, Tape,
};
