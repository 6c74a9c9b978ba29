//! The ops, one file a family: attributes, typing rule, derivative, transpose and batching of each.

mod check;
mod control;
mod creation;
mod dot;
mod elementwise;
mod reduce;
mod shape;
mod unary;

pub use control::{Call, CallKind, Scan};
pub use creation::{Constant, Iota};
pub use dot::DotGeneral;
pub use elementwise::{Binary, Compare, Convert, Direction, Select};
pub use reduce::{Combiner, Reduce};
pub use shape::{Broadcast, Reshape, Transpose};
pub use unary::Unary;
