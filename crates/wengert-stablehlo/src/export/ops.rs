//! One arm for each op: how it is written, or what it is written with.

use super::elementwise::has_binary;
use super::function::{Function, operands};
use super::reduce::is_itself;
use super::structure::Ranges;
use super::text::{List, Quoted, Signature, Symbol};
use super::unary::has_unary;
use super::windowed::is_plain;
use super::{Callee, Operand, Values};
use crate::cumulative::cumulative;
use crate::names::word;
use smallvec::smallvec;
use wengert_core::ops::*;
use wengert_core::{DType, Error, ErrorKind, Op, Result, Type};

/// An op that can't go out, and why.
pub(super) fn unsupported(op: &str, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unsupported, format!("`{op}` can't be written as StableHLO: {why}"))
}

/// Whether bools become the bits of numbers, or these bools: XLA keeps a bool in a byte, and refuses.
fn is_of_bits(op: &Bitcast, x: &Type) -> bool {
    (x.dtype == DType::Bool) != (op.dtype == DType::Bool)
}

/// Whether the libraries of GPUs have no solves of such numbers.
fn is_half(d: DType) -> bool {
    matches!(d, DType::F16 | DType::BF16)
}

impl Function<'_> {
    /// Writes an op, and gives its results, which have the types `y`.
    pub(super) fn op(&mut self, op: &Op, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        if !self.is_lacking(op, x, y)? {
            return self.op_in_full(op, x, y);
        }
        let types: Vec<Type> = x.iter().map(|x| x.ty.clone()).collect();
        let function = match op {
            Op::CustomJvp(CustomJvp { program, .. })
            | Op::CustomVjp(CustomVjp { program, .. })
            | Op::LinearSolve(LinearSolve { solve: program, .. })
            | Op::Root(Root { solve: program, .. })
            | Op::Call(Call { program, .. }) => self.module.function(Callee::Program(program.clone()), program.name()),
            op => self.module.function(Callee::Op(Box::new(op.clone()), types), op.name()),
        };
        let (values, from) = (operands(x), super::function::types(x));
        Ok(self.many(
            y.len(),
            format_args!(
                "stablehlo.composite {} {values} {{composite_attributes = {{op = {}}}, decomposition = {}}} : {}",
                Quoted(&format!("wengert.{}", op.name())),
                Quoted(&op.to_text()),
                Symbol(&function),
                Signature(&from, y)
            ),
        ))
    }

    /// Whether StableHLO has nothing that is just this op; or an error if nothing else does either.
    fn is_lacking(&self, op: &Op, x: &[Operand<'_>], y: &[&Type]) -> Result<bool> {
        let d = x.first().map_or(DType::Bool, |x| x.ty.dtype);
        Ok(match op {
            Op::Lu(_) | Op::Qr(_) | Op::Svd(_) | Op::Eigh(_) | Op::Eig(_) | Op::Cholesky(_) => true,
            Op::MulAdd(_) | Op::Threefry(_) | Op::ArgReduce(_) | Op::Cumulative(_) | Op::SelectAndGather(_) => true,
            Op::StopGradient(_) | Op::CustomJvp(_) | Op::CustomVjp(_) | Op::LinearSolve(_) | Op::Root(_) => true,
            Op::Unary(op) => !has_unary(*op, d),
            Op::Binary(op) => !has_binary(*op, d),
            Op::Convert(op) => d.is_complex() && !op.dtype.is_complex(),
            Op::Gather(op) => {
                let empty = x[0].ty.shape.size() == 0 || y[0].shape.size() == 0;
                op.out_of_bounds != OutOfBounds::Clip || op.unique_indices || empty
            }
            Op::Scatter(op) => matches!(&op.update, Update::Combine(c) if !is_itself(c, d)),
            Op::Reduce(op) => !is_itself(&op.combiner, d),
            Op::ReduceWindow(op) => {
                let program = matches!(op.combiner, Combiner::Program(_));
                // A plain reduction under a window that accumulates is read back as what it accumulates.
                !is_itself(&op.combiner, d) || program && op.window.has_holes() || cumulative(op, x[0].ty).is_some()
            }
            Op::SelectAndScatter(op) => !is_itself(&op.combiner, d) || !is_plain(&op.window),
            Op::Convolution(_) => self.convolves_parts(x[0].ty),
            Op::Scan(op) => op.length == 0,
            Op::Call(op) => op.kind == CallKind::Checkpoint && x.is_empty(),
            Op::Constant(_) | Op::Iota(_) | Op::Compare(_) | Op::Select(_) | Op::Clamp(_) => false,
            Op::Bitcast(op) => is_of_bits(op, x[0].ty),
            // Ours keeps NaN, as XLA does; what is read back is infinite then.
            Op::ReducePrecision(op) => op.mantissa == 0,
            Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_) => false,
            Op::Pad(_) | Op::Concatenate(_) | Op::DynamicSlice(_) | Op::DynamicUpdateSlice(_) => false,
            Op::DotGeneral(_) | Op::Sort(_) | Op::TopK(_) | Op::Fft(_) => false,
            Op::TriangularSolve(_) => is_half(d),
            Op::RngBitGenerator(_) | Op::Cond(_) | Op::While(_) | Op::Barrier(_) => false,
            // These go out as what the user gives for them, or are refused.
            Op::Custom(_) | Op::Pullback(_) => false,
            Op::AxisIndex(_) | Op::AllReduce(_) | Op::AllGather(_) => false,
            Op::ReduceScatter(_) | Op::AllToAll(_) | Op::CollectivePermute(_) => false,
        })
    }

    /// Writes an op without making a composite of it.
    pub(super) fn op_in_full(&mut self, op: &Op, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        // Programs are inside of programs here: they do not wait with all that the other ops have on the stack.
        match op {
            Op::Scan(op) => self.scan(op, x, y),
            Op::Cond(op) => self.cond(op, x, y),
            Op::While(op) => self.while_loop(op, x, y),
            op => self.one_op(op, x, y),
        }
    }

    fn one_op(&mut self, op: &Op, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        Ok(match op {
            Op::Constant(op) => smallvec![self.constant(&op.value)],
            Op::Iota(op) => self.short("iota", x, format_args!("dim = {}", op.dim), y[0]),
            Op::Unary(op) => self.unary(*op, x[0], y[0])?,
            Op::Binary(op) => self.binary(*op, x, y[0])?,
            Op::Compare(op) => smallvec![self.compare(op.direction, x[0], x[1])],
            Op::Select(_) => smallvec![self.select(x[0], x[1], x[2])],
            Op::Clamp(_) => self.clamp(x, y[0]),
            Op::Convert(_) => self.convert(x[0], y[0])?,
            Op::Bitcast(op) if is_of_bits(op, x[0].ty) => self.expanded(op.clone(), x)?,
            Op::Bitcast(_) => self.plain("bitcast_convert", x, "", y),
            Op::ReducePrecision(op) => {
                self.short("reduce_precision", x, format_args!(", format = e{}m{}", op.exponent, op.mantissa), y[0])
            }
            Op::Broadcast(op) => self.plain("broadcast_in_dim", x, format_args!(", dims = {}", List(&op.dims)), y),
            Op::Reshape(_) => self.plain("reshape", x, "", y),
            Op::Transpose(op) => self.plain("transpose", x, format_args!(", dims = {}", List(&op.perm)), y),
            Op::Reverse(op) => self.short("reverse", x, format_args!(", dims = {}", List(&op.dims)), y[0]),
            Op::Slice(op) => self.plain("slice", x, Ranges(op), y),
            Op::Pad(op) => {
                let (low, high, interior) = (List(&op.low), List(&op.high), List(&op.interior));
                self.plain("pad", x, format_args!(", low = {low}, high = {high}, interior = {interior}"), y)
            }
            Op::Concatenate(op) => self.plain("concatenate", x, format_args!(", dim = {}", op.dim), y),
            Op::DynamicSlice(op) => self.plain("dynamic_slice", x, format_args!(", sizes = {}", List(&op.sizes)), y),
            Op::DynamicUpdateSlice(_) => self.plain("dynamic_update_slice", x, "", y),
            Op::Gather(op) => self.gather(op, x, y[0])?,
            Op::Scatter(op) => self.scatter(op, x, y)?,
            Op::Reduce(op) => self.reduce(op, x, y)?,
            Op::DotGeneral(op) => self.dot_general(op, x, y[0]),
            Op::Cumulative(op) => self.cumulative(op, x[0], y[0])?,
            Op::Convolution(_) if self.convolves_parts(x[0].ty) => self.expanded(op.clone(), x)?,
            Op::Convolution(op) => self.convolution(op, x, y[0]),
            Op::ReduceWindow(op) => self.reduce_window(op, x, y)?,
            Op::SelectAndScatter(op) => self.select_and_scatter(op, x, y[0])?,
            Op::MulAdd(_) | Op::SelectAndGather(_) | Op::ArgReduce(_) | Op::Threefry(_) => {
                self.expanded(op.clone(), x)?
            }
            Op::Sort(op) => self.sort(op, x, y)?,
            Op::TopK(op) => self.top_k(op, x[0], y),
            Op::Fft(op) => {
                self.plain("fft", x, format_args!(", type = {}, length = {}", word(op.kind), List(&op.lengths)), y)
            }
            Op::TriangularSolve(op) if is_half(x[0].ty.dtype) => self.expanded(op.clone(), x)?,
            Op::TriangularSolve(op) => {
                let attributes = format!(
                    "left_side = {}, lower = {}, transpose_a = #stablehlo<transpose {}>, unit_diagonal = {}",
                    op.left_side,
                    op.lower,
                    word(op.transpose_a),
                    op.unit_diagonal
                );
                self.generic("triangular_solve", x, &attributes, y)
            }
            Op::Cholesky(op) => self.cholesky(op, x[0])?,
            Op::Lu(op) => self.lu(op, x[0], y)?,
            Op::Qr(op) => self.qr(op, x[0], y)?,
            Op::Svd(op) => self.svd(op, x[0], y)?,
            Op::Eigh(op) => self.eigh(op, x[0], y)?,
            Op::Eig(op) => self.eig(op, x[0], y)?,
            Op::RngBitGenerator(op) => {
                self.plain("rng_bit_generator", x, format_args!(", algorithm = {}", word(op.algorithm)), y)
            }
            Op::Scan(_) | Op::Cond(_) | Op::While(_) => unreachable!("written by `op_in_full`"),
            Op::Call(op) => self.call_op(op, x),
            Op::CustomJvp(op) => self.call(&op.program, op.program.name(), x),
            Op::CustomVjp(op) => self.call(&op.program, op.program.name(), x),
            Op::LinearSolve(op) => self.call(&op.solve, op.solve.name(), x),
            Op::Root(op) => self.call(&op.solve, op.solve.name(), x),
            Op::Pullback(op) => return Err(op.not_run()),
            Op::Barrier(_) => self.barrier(x),
            Op::StopGradient(_) => x.iter().map(|x| x.value).collect(),
            Op::AxisIndex(_)
            | Op::AllReduce(_)
            | Op::AllGather(_)
            | Op::ReduceScatter(_)
            | Op::AllToAll(_)
            | Op::CollectivePermute(_) => {
                return Err(unbound_axis(op.rules().axis_name().expect("they have one")));
            }
            Op::Custom(op) => self.custom_op(op, x, y)?,
        })
    }
}
