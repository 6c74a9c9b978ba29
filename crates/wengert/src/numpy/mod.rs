//! The array functions, in the manner of NumPy.

mod axes;
mod creation;
mod elementwise;
mod index;
mod join;
mod operators;
mod reduce;
mod shape;

pub use axes::{Axes, keep};
pub use creation::Nested;
pub use elementwise::where_;
pub use index::{At, Ellipsis, Index, IntoIndices, NewAxis};
pub use join::{concatenate, stack};
pub use operators::Operand;
pub use shape::IntoShape;
