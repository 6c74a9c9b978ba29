//! The ops, one file a family: attributes, typing rule, derivative, transpose and batching of each.

mod argreduce;
mod check;
mod collective;
mod control;
mod conv;
mod creation;
mod cumulative;
mod dot;
mod dynamic;
mod elementwise;
mod fft;
mod gather;
mod identity;
mod linalg;
mod random;
mod reduce;
mod representation;
mod scatter;
mod shape;
mod sort;
mod structure;
mod unary;
mod window;
mod windowed;

pub use argreduce::{ArgReduce, Extreme};
pub use collective::{
    AllGather, AllReduce, AllToAll, AxisIndex, CollectivePermute, ReduceScatter, Reduction, unbound_axis,
};
pub use control::{
    Call, CallKind, Cond, Custom, CustomJvp, CustomOp, CustomVjp, FailedOp, LinearSolve, PRINT, Pullback, Root, Scan,
    While, holds, opaque, without,
};
pub use conv::Convolution;
pub use creation::{Constant, Iota};
pub use cumulative::{Cumulative, CumulativeKind};
pub use dot::DotGeneral;
pub use dynamic::{DynamicSlice, DynamicUpdateSlice};
pub use elementwise::{Binary, Clamp, Compare, Convert, Direction, MulAdd, Select};
pub use fft::{Fft, FftKind};
pub use gather::{Gather, Indexing, OutOfBounds};
pub use identity::{Barrier, StopGradient};
pub use linalg::{Cholesky, Eig, Eigenvectors, Eigh, Lu, MatrixTranspose, Qr, Svd, TriangularSolve};
pub use random::{RngAlgorithm, RngBitGenerator, Threefry};
pub use reduce::{Combiner, Reduce};
pub use representation::{Bitcast, ReducePrecision};
pub use scatter::{Scatter, Update};
pub use shape::{Broadcast, Reshape, Transpose};
pub use sort::{Order, Sort, TopK};
pub use structure::{Concatenate, Pad, Reverse, Slice};
pub use unary::Unary;
pub use window::{Window, WindowAxis};
pub use windowed::{ReduceWindow, SelectAndGather, SelectAndScatter, Selector};
