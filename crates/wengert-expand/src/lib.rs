//! Ops as programs of simpler ops, for backends that lack an op: [`expand`]; and as programs of elementwise ops, for those
//! that fuse them: [`fused`]. The public modules build functions that are no ops of ours, such as LAPACK's routines and
//! CHLO's special functions, with a [`Builder`]. One file a family.

pub mod linalg;
pub mod normalize;
pub mod sort;
pub mod sparse;
pub mod special;

mod argreduce;
mod conv;
mod elementwise;
mod fused;
mod gather;
mod random;
mod unary;
mod windowed;

pub use conv::convolution_by_patches;
pub use fused::fused;

use wengert_core::{Builder, Op, Program, Result, Type, Var};

/// The program of simpler ops that an op stands for, on operands of these types, which the op must take; `None` if there is
/// no such program. A custom op expands to its decomposition, and only that can be an error.
///
/// The caller decides which ops to expand: those it has no kernel or name for. The ops of an expansion may have expansions
/// too; expanding them again comes to an end.
///
/// ```
/// use wengert_core::{DType, Op, Type};
///
/// let (op, types) = (Op::parse("sign")?, [Type::new(DType::U8, [3])]);
/// let program = wengert_expand::expand(&op, &types).expect("signs of unsigned integers")?;
/// assert_eq!(program.equations()[1].op.name(), "min");
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn expand(op: &Op, types: &[Type]) -> Option<Result<Program>> {
    let program = match op {
        Op::Unary(op) => unary::unary(*op, &types[0]),
        Op::Binary(op) => elementwise::binary(*op, &types[0]),
        Op::MulAdd(_) => Some(elementwise::mul_add(&types[0])),
        Op::Convert(op) => elementwise::convert(op, &types[0]),
        Op::Bitcast(op) => elementwise::bitcast(op, &types[0]),
        Op::Gather(op) => gather::gather(op, types),
        Op::Convolution(op) => conv::convolution(op, types),
        Op::ReduceWindow(op) => windowed::reduce_window(op, types),
        Op::SelectAndScatter(op) => Some(windowed::select_and_scatter(op, types)),
        Op::SelectAndGather(op) => Some(windowed::select_and_gather(op, types)),
        Op::ArgReduce(op) => Some(argreduce::arg_reduce(op, &types[0])),
        Op::Sort(op) => sort::sort(op, types),
        Op::Threefry(_) => Some(random::threefry(&types[0])),
        Op::Cholesky(_) | Op::Lu(_) | Op::Qr(_) | Op::Svd(_) | Op::Eigh(_) | Op::Eig(_) => {
            linalg::decomposition(op, &types[0])
        }
        Op::Custom(op) => return op.program(types),
        Op::LinearSolve(op) => Some((*op.solve).clone()),
        Op::Root(op) => Some((*op.solve).clone()),
        Op::Constant(_) | Op::Iota(_) | Op::Compare(_) | Op::Select(_) | Op::Clamp(_) => None,
        Op::ReducePrecision(_) => None,
        Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_) => None,
        Op::Pad(_) | Op::Concatenate(_) | Op::DynamicSlice(_) | Op::DynamicUpdateSlice(_) => None,
        Op::Scatter(_) | Op::Reduce(_) | Op::DotGeneral(_) | Op::Cumulative(_) | Op::TopK(_) | Op::Fft(_) => None,
        Op::TriangularSolve(op) => linalg::widened_solve(op, types),
        Op::RngBitGenerator(_) | Op::Barrier(_) | Op::StopGradient(_) => None,
        Op::Scan(_) | Op::Cond(_) | Op::While(_) | Op::Call(_) | Op::CustomJvp(_) | Op::CustomVjp(_) => None,
        Op::Pullback(_) | Op::AxisIndex(_) | Op::AllReduce(_) | Op::AllGather(_) => None,
        Op::ReduceScatter(_) | Op::AllToAll(_) | Op::CollectivePermute(_) => None,
    };
    program.map(|p| Ok(p.with_name(op.name())))
}

/// A program with one input for each type, made by `f`.
fn program<'t>(types: impl IntoIterator<Item = &'t Type>, f: impl FnOnce(&mut Builder, &[Var]) -> Vec<Var>) -> Program {
    let mut b = Builder::new();
    let x: Vec<Var> = types.into_iter().map(|t| b.input(t.clone())).collect();
    let y = f(&mut b, &x);
    b.finish_all(&y)
}
