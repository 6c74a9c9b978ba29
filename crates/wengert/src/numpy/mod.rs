//! The array functions, in the manner of NumPy.

mod axes;
mod binary;
mod contract;
mod creation;
mod cumulative;
mod einsum;
mod elementwise;
mod fourier;
mod index;
mod interop;
mod join;
mod linalg;
mod operators;
mod order;
mod rearrange;
mod reduce;
mod search;
mod shape;
mod unary;

pub(crate) use axes::resolve_axis;
pub use axes::{Axes, keep};
pub use binary::complex;
pub use contract::{Contraction, block};
pub use creation::Nested;
pub use einsum::einsum;
pub use elementwise::where_;
pub use index::{At, Ellipsis, Index, IntoIndices, NewAxis};
pub use join::{Arrays, concatenate, hstack, meshgrid, stack, vstack};
pub use linalg::MatrixNorm;
pub use operators::Operand;
pub(crate) use operators::convert;
pub use rearrange::{PadMode, Widths};
pub use search::{choose, select};
pub use shape::{IntoShape, broadcast_arrays};
