//! The array functions, in the manner of NumPy. A file is named for the family of ops it calls, where there is one.

mod argreduce;
mod axes;
mod creation;
mod cumulative;
mod dot;
mod einsum;
mod elementwise;
mod fft;
mod gather;
mod index;
#[cfg(feature = "ndarray")]
mod interop;
mod linalg;
mod mask;
mod operators;
mod reduce;
mod representation;
mod search;
mod shape;
mod sort;
mod stats;
mod structure;
mod unary;

pub(crate) use axes::resolve_axis;
pub use axes::{Axes, keep};
pub use creation::Nested;
pub use dot::Contraction;
pub use einsum::einsum;
pub use elementwise::{complex, where_};
pub use index::{At, Ellipsis, Index, IndexMode, IntoIndices, NewAxis};
pub use linalg::{LuParts, MatrixNorm};
pub use mask::{Mask, Masks};
pub use operators::Operand;
pub(crate) use operators::{convert, try_binary};
pub use search::{choose, select};
pub use shape::{IntoShape, broadcast_arrays};
pub use sort::lexsort;
pub use stats::ConvolveMode;
pub(crate) use structure::several;
pub use structure::{Arrays, PadMode, Widths, block, concatenate, hstack, meshgrid, stack, vstack};
