//! The array functions, in the manner of NumPy.

mod axes;
mod creation;
mod elementwise;
mod operators;
mod reduce;
mod shape;

pub use axes::{Axes, keep};
pub use creation::Nested;
pub use elementwise::where_;
pub use operators::Operand;
pub use shape::IntoShape;
