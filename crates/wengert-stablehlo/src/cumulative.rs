//! Windows that see all elements up to each one, or from each one on: so JAX writes what is accumulated along an axis.

use wengert_core::ops::*;
use wengert_core::{Builder, DType, Program, Type};

/// What a reduction under such a window accumulates.
pub(crate) fn cumulative(op: &ReduceWindow, x: &Type) -> Option<Cumulative> {
    let kind = match &op.combiner {
        _ if x.dtype == DType::Bool => return None,
        Combiner::Add => CumulativeKind::Sum,
        Combiner::Mul => CumulativeKind::Prod,
        Combiner::Max => CumulativeKind::Max,
        Combiner::Min => CumulativeKind::Min,
        Combiner::Program(p) if x.dtype.is_float() && **p == log_add_exp(x.dtype) => CumulativeKind::LogSumExp,
        _ => return None,
    };
    let plain = WindowAxis { size: 1, stride: 1, padding: (0, 0), base_dilation: 1, window_dilation: 1 };
    if !op.window.has_rank(x.rank()) {
        return None;
    }
    let axes = op.window.axes();
    let mut moving = (0..x.rank()).filter(|&d| axes[d] != plain);
    let (dim, None) = (moving.next()?, moving.next()) else { return None };
    let (w, others) = (axes[dim], x.shape[dim] as i64 - 1);
    let reverse = w.padding == (0, others);
    let all = WindowAxis { size: x.shape[dim], padding: if reverse { (0, others) } else { (others, 0) }, ..plain };
    (w == all).then_some(Cumulative { kind, dim, reverse })
}

/// The logarithm of the sum of the exponentials of two numbers, as our own op accumulates it.
pub(crate) fn log_sum_exp(dtype: DType) -> Program {
    let mut b = Builder::new();
    let x = b.inputs(&vec![Type::scalar(dtype); 2]);
    let y = CumulativeKind::LogSumExp.combine(&mut b, x[0], x[1]);
    b.finish_all(&[y])
}

/// The same of two floats, as JAX writes it.
fn log_add_exp(dtype: DType) -> Program {
    let mut b = Builder::new();
    let x = b.inputs(&vec![Type::scalar(dtype); 2]);
    let larger = b.binary(Binary::Max, x[0], x[1]);
    let difference = b.sub(x[0], x[1]);
    let none = b.compare(Direction::Ne, difference, difference);
    let sum = b.add(x[0], x[1]);
    let less = b.unary(Unary::Abs, difference);
    let less = b.unary(Unary::Neg, less);
    let rest = b.unary(Unary::Exp, less);
    let rest = b.unary(Unary::Log1p, rest);
    let y = b.add(larger, rest);
    let y = b.select(none, sum, y);
    b.finish(&[y])
}
