//! One kernel for each op, which reads views and writes into the room it is given. Operands have types the op takes;
//! rooms have the types it infers. Public is what faster kernels are made of too.

mod conv;
mod cumulative;
mod dot;
mod elementwise;
mod fft;
mod gather;
mod linalg;
mod math;
mod number;
pub mod parallel;
mod product;
mod random;
mod reduce;
mod representation;
mod scratch;
mod shape;
mod sort;
mod structure;
mod team;
mod window;
mod windowed;

pub use conv::{Along, Chains, Geometry, Phase, Spatial, convolution_by};
pub use dot::products;
pub use linalg::{is_small, triangle};
pub use parallel::{Parts, blocks, each, fill, split};
pub use product::{CHAIN, Products, Real, Segment, Sums, chain, chains, lay};
pub(crate) use shape::Stack;
pub use shape::{made, transpose};

use crate::Plan;
use wengert_core::{Op, Result, View, ViewMut};

/// Runs the kernel of an op that is not control flow; `nested` are the plans of the programs it holds.
pub fn run(op: &Op, x: &[View<'_>], y: &mut [ViewMut<'_>], nested: &[Plan]) -> Result<()> {
    match op {
        Op::Constant(op) => y[0].copy_from(op.value.view()),
        Op::Iota(op) => shape::iota(op, &mut y[0]),
        Op::Unary(op) => elementwise::unary(*op, x[0], &mut y[0]),
        Op::Binary(op) => elementwise::binary(*op, x[0], x[1], &mut y[0]),
        Op::Compare(op) => elementwise::compare(op.direction, x[0], x[1], &mut y[0]),
        Op::Select(_) => elementwise::select(x[0], x[1], x[2], &mut y[0]),
        Op::Clamp(_) => elementwise::clamp(x[0], x[1], x[2], &mut y[0]),
        Op::MulAdd(_) => elementwise::mul_add([x[0], x[1], x[2]], &mut y[0]),
        Op::Bitcast(_) => representation::bitcast(x[0], &mut y[0]),
        Op::ReducePrecision(op) => representation::reduce_precision(op, x[0], &mut y[0]),
        Op::Convert(_) => elementwise::convert(x[0], &mut y[0]),
        Op::Broadcast(op) => shape::broadcast(op, x[0], &mut y[0]),
        Op::Reshape(_) => y[0].copy_from(x[0].reshaped(y[0].shape())),
        Op::Transpose(op) => shape::transpose(&op.perm, x[0], &mut y[0]),
        Op::Reverse(op) => structure::reverse(op, x[0], &mut y[0]),
        Op::Slice(op) => structure::slice(op, x[0], &mut y[0]),
        Op::Pad(op) => structure::pad(op, x[0], x[1], &mut y[0]),
        Op::Concatenate(op) => structure::concatenate(op, x, &mut y[0]),
        Op::DynamicSlice(_) => structure::dynamic_slice(x[0], &x[1..], &mut y[0]),
        Op::DynamicUpdateSlice(_) => structure::dynamic_update_slice(x[0], x[1], &x[2..], &mut y[0]),
        Op::Gather(op) => gather::gather(op, x[0], x[1], &mut y[0]),
        Op::Scatter(op) => return gather::scatter(op, x, y, nested),
        Op::Reduce(op) => return reduce::reduce(op, x, y, nested),
        Op::DotGeneral(op) => dot::dot_general(op, x[0], x[1], &mut y[0]),
        Op::TriangularSolve(_) | Op::Cholesky(_) | Op::Lu(_) | Op::Qr(_) | Op::Svd(_) | Op::Eigh(_) | Op::Eig(_) => {
            linalg::linalg(op, x, y)
        }
        Op::Threefry(_) => random::threefry(x, y),
        Op::RngBitGenerator(op) => random::rng_bit_generator(op, x[0], y),
        Op::Cumulative(op) => cumulative::cumulative(op, x[0], &mut y[0]),
        Op::Convolution(op) => conv::convolution(op, x[0], x[1], &mut y[0]),
        Op::ReduceWindow(op) => return windowed::reduce_window(op, x, y),
        Op::SelectAndScatter(op) => return windowed::select_and_scatter(op, x, &mut y[0], nested),
        Op::SelectAndGather(op) => return windowed::select_and_gather(op, x[0], x[1], &mut y[0]),
        Op::ArgReduce(op) => sort::arg_reduce(op, x[0], &mut y[0]),
        Op::Sort(op) => return sort::sort(op, x, y, nested),
        Op::TopK(op) => sort::top_k(op, x[0], y),
        Op::Fft(op) => fft::fft(op, x[0], &mut y[0]),
        Op::Barrier(_) | Op::StopGradient(_) => y.iter_mut().zip(x).for_each(|(y, x)| y.copy_from(*x)),
        Op::Scan(_)
        | Op::While(_)
        | Op::Cond(_)
        | Op::Call(_)
        | Op::CustomJvp(_)
        | Op::CustomVjp(_)
        | Op::LinearSolve(_)
        | Op::Root(_)
        | Op::Pullback(_)
        | Op::AxisIndex(_)
        | Op::AllReduce(_)
        | Op::AllGather(_)
        | Op::ReduceScatter(_)
        | Op::AllToAll(_)
        | Op::CollectivePermute(_)
        | Op::Custom(_) => unreachable!("`{}` is run by the programs it holds", op.name()),
    }
    Ok(())
}
