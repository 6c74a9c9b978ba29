//! One kernel for each op. Operands have types the op takes; results have the types it infers.

mod conv;
mod cumulative;
mod dot;
mod elementwise;
mod fft;
mod gather;
mod linalg;
mod math;
mod number;
mod order;
mod random;
mod reduce;
mod representation;
mod shape;
mod structure;
mod window;
mod windowed;

pub(crate) use conv::convolution;
pub(crate) use cumulative::cumulative;
pub(crate) use dot::dot_general;
pub(crate) use elementwise::{binary, clamp, compare, convert, select, unary};
pub(crate) use fft::fft;
pub(crate) use gather::{gather, scatter};
pub(crate) use linalg::linalg;
pub(crate) use order::{arg_reduce, sort, top_k};
pub(crate) use random::{rng_bit_generator, threefry};
pub(crate) use reduce::reduce;
pub(crate) use representation::{bitcast, reduce_precision};
pub(crate) use shape::{Stack, broadcast, iota, leading_slice, transpose};
pub(crate) use structure::{concatenate, dynamic_slice, dynamic_update_slice, pad, reverse, slice};
pub(crate) use windowed::{reduce_window, select_and_gather, select_and_scatter};
