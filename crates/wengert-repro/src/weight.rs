//! How much there is to an op beside its equation: nothing to the simplest ops with their plainest attributes.

use wengert_core::Op;
use wengert_core::ops::{
    Binary, CallKind, Combiner, CumulativeKind, Direction, Extreme, Order, OutOfBounds, RngAlgorithm, Unary, Window,
};

/// The weight of an op: what kind it is, and how far its attributes are from the plainest.
pub(crate) fn weight(op: &Op) -> usize {
    match op {
        Op::Unary(Unary::Neg | Unary::Not) | Op::Binary(Binary::Add | Binary::Or) => 0,
        Op::Unary(Unary::Abs | Unary::Sign) => 1,
        Op::Binary(Binary::Sub | Binary::Mul | Binary::Max | Binary::Min | Binary::And) => 1,
        Op::Unary(_) | Op::Binary(_) | Op::MulAdd(_) | Op::Select(_) | Op::Clamp(_) => 2,
        Op::Compare(c) => usize::from(c.direction != Direction::Eq),
        Op::Convert(_) | Op::Bitcast(_) | Op::ReducePrecision(_) => 1,
        Op::Constant(_) | Op::Broadcast(_) | Op::Reshape(_) | Op::Iota(_) => 0,
        Op::Transpose(t) => t.perm.iter().enumerate().filter(|(i, d)| i != *d).count(),
        Op::Reverse(r) => r.dims.len(),
        Op::Slice(s) => total(s.start.iter()) + beyond_one(&s.strides),
        Op::Pad(p) => edges(p.low.iter().chain(&p.high)) + total(p.interior.iter()),
        Op::Concatenate(_) | Op::DynamicSlice(_) | Op::DynamicUpdateSlice(_) => 2,
        Op::Gather(g) => {
            let clip = matches!(g.out_of_bounds, OutOfBounds::Clip);
            2 + flags(&[!clip, g.indices_are_sorted, g.unique_indices])
        }
        Op::Scatter(s) => 4 + flags(&[s.indices_are_sorted, s.unique_indices]),
        Op::Reduce(r) => 1 + combiner(&r.combiner) + r.dims.len(),
        Op::DotGeneral(d) => 2 + d.contract.0.len() + d.batch.0.len(),
        Op::Cumulative(c) => 2 + flags(&[c.kind != CumulativeKind::Sum, c.reverse]),
        Op::Convolution(c) => {
            let padding = edges(c.padding.iter().flat_map(|(low, high)| [low, high]));
            let steps = beyond_one(&c.strides) + beyond_one(&c.lhs_dilation) + beyond_one(&c.rhs_dilation);
            4 + padding + steps + flags(&c.reversal) + c.feature_groups + c.batch_groups
        }
        Op::ReduceWindow(r) => 4 + combiner(&r.combiner) + window(&r.window),
        Op::SelectAndScatter(s) => 6 + combiner(&s.combiner) + window(&s.window),
        Op::SelectAndGather(s) => 6 + window(&s.window),
        Op::ArgReduce(a) => 3 + usize::from(a.extreme != Extreme::Max),
        Op::Sort(s) => {
            let order = match &s.order {
                Order::Natural(keys) => *keys,
                Order::Program(_) => 8,
            };
            3 + usize::from(s.stable) + order
        }
        Op::TriangularSolve(t) => 6 + flags(&[!t.left_side, !t.lower, t.unit_diagonal]),
        Op::Cholesky(c) => 6 + usize::from(!c.lower),
        Op::Eigh(e) => 6 + usize::from(!e.lower),
        Op::Eig(e) => 6 + e.compute_v as usize,
        Op::Qr(q) => 6 + usize::from(q.full_matrices),
        Op::Svd(s) => 6 + flags(&[s.full_matrices, s.compute_uv]),
        Op::RngBitGenerator(r) => 6 + usize::from(r.algorithm != RngAlgorithm::Default),
        // A loop of half as many turns is smaller.
        Op::Scan(s) => 6 + usize::from(s.reverse) + s.length.max(1).ilog2() as usize,
        Op::Call(c) => 6 + usize::from(c.kind != CallKind::Staged),
        Op::TopK(_)
        | Op::Fft(_)
        | Op::Lu(_)
        | Op::Threefry(_)
        | Op::Cond(_)
        | Op::While(_)
        | Op::CustomJvp(_)
        | Op::CustomVjp(_)
        | Op::LinearSolve(_)
        | Op::Root(_)
        | Op::Pullback(_)
        | Op::Barrier(_)
        | Op::StopGradient(_)
        | Op::AxisIndex(_)
        | Op::AllReduce(_)
        | Op::AllGather(_)
        | Op::ReduceScatter(_)
        | Op::AllToAll(_)
        | Op::CollectivePermute(_)
        | Op::Custom(_) => 6,
    }
}

fn flags(all: &[bool]) -> usize {
    all.iter().filter(|f| **f).count()
}

fn total<'a>(all: impl Iterator<Item = &'a usize>) -> usize {
    all.fold(0, |sum, n| sum.saturating_add(*n))
}

fn edges<'a>(all: impl Iterator<Item = &'a i64>) -> usize {
    all.fold(0, |sum, n| sum.saturating_add(n.unsigned_abs() as usize))
}

fn beyond_one(all: &[usize]) -> usize {
    all.iter().fold(0, |sum, n| sum.saturating_add(n.saturating_sub(1)))
}

fn combiner(c: &Combiner) -> usize {
    match c {
        Combiner::Add => 0,
        Combiner::Program(_) => 2,
        _ => 1,
    }
}

fn window(w: &Window) -> usize {
    let padding = edges(w.padding.iter().flat_map(|(low, high)| [low, high]));
    padding + beyond_one(&w.strides) + beyond_one(&w.base_dilation) + beyond_one(&w.window_dilation)
}
