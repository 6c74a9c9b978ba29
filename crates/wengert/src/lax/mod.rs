//! The primitives, each as one function: what everything else of this library is made of.
//!
//! Nothing is converted, promoted or spread here: operands have the types that the op needs, and each call is one op of the
//! program or one node of the tape. This is what emitted programs are written in, and what to reach for where an op is
//! wanted as it is.
//!
//! ```
//! use wengert::{lax, Array};
//! let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
//! let rows = lax::reduce(&x, lax::Combiner::Add, &[1]);
//! assert_eq!(rows, Array::from([3.0f32, 7.0]));
//! assert_eq!(lax::slice(&x, &[0, 1], &[2, 2], &[1, 1]), Array::from([[2.0f32], [4.0]]));
//! ```

mod elementwise;
mod linalg;
mod moving;
mod reducing;

pub use crate::control::{case, linear_solve, root};
pub use elementwise::*;
pub use linalg::*;
pub use moving::*;
pub use reducing::*;
pub use wengert_core::ops::{
    Combiner, Convolution, CumulativeKind, Direction, Extreme, FftKind, Gather, Indexing, MatrixTranspose, OutOfBounds,
    RngAlgorithm, Scatter, Selector, Update, Window,
};

use crate::array::Array;
use crate::dispatch::bind;
use crate::function::{Args, Function};
use crate::stage::make_program;
use crate::tree::Tree;
use std::sync::Arc;
use wengert_core::{Op, Program};

/// All results of an op.
#[track_caller]
fn several<const N: usize>(op: impl Into<Op>, x: &[&Array]) -> [Array; N] {
    bind(op, x).into_vec().try_into().expect("as many results as the op has")
}

/// A function of scalars as a part of an op: what combines two elements, or orders them. Of the arguments only the types
/// count.
///
/// ```
/// use wengert::{lax, Array};
/// let further = |x: Array, y: Array| lax::max(&lax::abs(&x), &lax::abs(&y));
/// let scalar = Array::from(0.0f32);
/// let combiner = lax::Combiner::Program(lax::part(further, (scalar.clone(), scalar.clone())));
/// let x = Array::from([1.0f32, -5.0, 2.0]);
/// let [y] = lax::reduce_from([&x], [&scalar], combiner, &[0]);
/// assert_eq!(y.item::<f32>(), 5.0);
/// ```
#[track_caller]
pub fn part<A: Args, F: Function<A>>(f: F, arguments: A) -> Arc<Program>
where
    F::Output: Tree,
{
    Arc::new(make_program(f, arguments))
}
