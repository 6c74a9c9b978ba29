//! One kernel for each op. Operands have types the op takes; results have the types it infers.

mod dot;
mod elementwise;
mod math;
mod number;
mod reduce;
mod shape;

pub(crate) use dot::dot_general;
pub(crate) use elementwise::{binary, compare, convert, select, unary};
pub(crate) use reduce::reduce;
pub(crate) use shape::{Stack, broadcast, iota, leading_slice, transpose};
