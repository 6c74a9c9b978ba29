//! Moves of elements that change nothing, or that two of make one. All exact: no element is computed.

use super::rewrite::{Candidate, Rewrite, Rewriter, one};
use crate::op::Op;
use crate::ops::{Broadcast, Combiner, Reduce, Reshape, Reverse, Slice, Transpose};
use crate::program::{Var, Vars};
use crate::types::Dims;

pub(super) const REWRITES: &[Rewrite] = &[
    Rewrite::any("move that changes nothing", identity),
    Rewrite::any("move after a move", composed),
    Rewrite::any("concatenation of concatenations", concatenated_twice),
    Rewrite::any("slice at a known place", known_slice),
    Rewrite::any("whole array replaced", replaced),
    Rewrite::any("reduction over nothing", reduce_nothing),
    Rewrite::any("reduction after a reduction", reduce_twice),
    Rewrite::any("reduction of repeated elements", reduce_repeated),
];

fn counts_up(dims: &[usize]) -> bool {
    dims.iter().enumerate().all(|(i, &d)| i == d)
}

fn identity(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let x = *c.x.first()?;
    let nothing = match c.op {
        Op::Reshape(_) | Op::Slice(_) | Op::DynamicSlice(_) => r.ty(x) == &c.types[0],
        Op::Broadcast(b) => r.ty(x) == &c.types[0] && counts_up(&b.dims),
        Op::Transpose(t) => counts_up(&t.perm),
        Op::Reverse(v) => v.dims.iter().all(|&d| r.shape(x)[d] <= 1),
        Op::Concatenate(_) => c.x.len() == 1,
        Op::Pad(p) => p.low.iter().chain(&p.high).all(|&n| n == 0) && r.ty(x) == &c.types[0],
        _ => false,
    };
    nothing.then(|| one(x))
}

fn composed(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (second, &[x]) = (c.op, c.x) else { return None };
    let (first, &[y]) = r.defined(x)? else { return None };
    let op: Op = match (first, second) {
        (Op::Reshape(_), Op::Reshape(b)) => b.clone().into(),
        (Op::Transpose(a), Op::Transpose(b)) => Transpose { perm: b.perm.iter().map(|&p| a.perm[p]).collect() }.into(),
        (Op::Broadcast(a), Op::Broadcast(b)) => {
            // An axis that the first spread out and the second spreads further is still of size 1 before.
            let dims: Dims = a.dims.iter().map(|&d| b.dims[d]).collect();
            Broadcast { shape: b.shape.clone(), dims }.into()
        }
        (Op::Broadcast(a), Op::Transpose(b)) => {
            let place = |d: usize| b.perm.iter().position(|&p| p == d).expect("every axis has a place");
            Broadcast { shape: c.types[0].shape.clone(), dims: a.dims.iter().map(|&d| place(d)).collect() }.into()
        }
        (Op::Reverse(a), Op::Reverse(b)) => {
            let only = |a: &Dims, b: &Dims| a.iter().copied().filter(|d| !b.contains(d)).collect::<Vec<_>>();
            let mut dims: Dims = [only(&a.dims, &b.dims), only(&b.dims, &a.dims)].concat().into();
            dims.sort();
            Reverse { dims }.into()
        }
        (Op::Slice(a), Op::Slice(b)) => {
            let axes = 0..a.start.len();
            let start: Dims = axes.clone().map(|i| a.start[i] + b.start[i] * a.strides[i]).collect();
            let strides: Dims = axes.clone().map(|i| a.strides[i] * b.strides[i]).collect();
            let size = |i: usize| c.types[0].shape[i];
            // One past the last element that is taken.
            let limit = axes.map(|i| if size(i) == 0 { start[i] } else { start[i] + (size(i) - 1) * strides[i] + 1 });
            Slice { limit: limit.collect(), start, strides }.into()
        }
        _ => return None,
    };
    Some(one(r.add_one(op, &[y])))
}

/// Parts of parts along one axis are parts: they are moved once. Long chains stay as they are, or each link would have all
/// parts before it.
fn concatenated_twice(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    const MOST: usize = 64;
    let Op::Concatenate(whole) = c.op else { return None };
    let mut parts = Vars::new();
    for &x in c.x {
        match r.defined(x) {
            Some((Op::Concatenate(part), y)) if part.dim == whole.dim => parts.extend(y.iter().copied()),
            _ => parts.push(x),
        }
    }
    (parts.len() > c.x.len() && parts.len() <= MOST).then(|| one(r.add_one(whole.clone(), &parts)))
}

/// Where a dynamic slice begins, if that is known: taken into range, as it would be when the program runs.
fn known_start(r: &Rewriter<'_, '_>, starts: &[Var], shape: &[usize], sizes: &[usize]) -> Option<Dims> {
    let start = |((&v, &n), &size): ((&Var, &usize), &usize)| {
        let at = r.constant_splat(v)?;
        // What does not fit an i64 is a large u64.
        let at = at.as_i64().unwrap_or(i64::MAX).max(0) as usize;
        Some(at.min(n - size))
    };
    starts.iter().zip(shape).zip(sizes).map(start).collect()
}

fn known_slice(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::DynamicSlice(slice), [x, starts @ ..]) = (c.op, c.x) else { return None };
    let start = known_start(r, starts, r.shape(*x), &slice.sizes)?;
    let limit: Dims = start.iter().zip(&slice.sizes).map(|(a, n)| a + n).collect();
    let strides: Dims = start.iter().map(|_| 1).collect();
    Some(one(r.add_one(Slice { start, limit, strides }, &[*x])))
}

fn replaced(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::DynamicUpdateSlice(_), [x, update, ..]) = (c.op, c.x) else { return None };
    (r.shape(*x) == r.shape(*update)).then(|| one(*update))
}

/// Whether the order and the number of equal elements do not count, to the bit.
fn idempotent(combiner: &Combiner) -> bool {
    matches!(combiner, Combiner::Max | Combiner::Min | Combiner::And | Combiner::Or)
}

/// A named combiner over no axis, or axes of one element: what it starts from changes nothing, but that 0.0 takes the
/// sign off -0.0.
fn reduce_nothing(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Reduce(reduce), &[x]) = (c.op, c.x) else { return None };
    let exact = match reduce.combiner {
        Combiner::Add => !r.dtype(x).is_differentiable(),
        Combiner::Mul => !r.dtype(x).is_complex(),
        Combiner::Program(_) => false,
        _ => true,
    };
    let single = exact && reduce.dims.iter().all(|&d| r.shape(x)[d] == 1);
    single.then(|| one(r.add_one(Reshape { shape: c.types[0].shape.clone() }, &[x])))
}

/// Sums and products of floats are rounded in their order, and stay in it.
fn reduce_twice(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Reduce(second), &[x]) = (c.op, c.x) else { return None };
    let (Op::Reduce(first), &[y]) = r.defined(x)? else { return None };
    let exact = match first.combiner {
        Combiner::Program(_) => false,
        Combiner::Add | Combiner::Mul => !r.dtype(x).is_differentiable(),
        _ => true,
    };
    if first.combiner != second.combiner || !exact {
        return None;
    }
    let kept: Dims = (0..r.shape(y).rank()).filter(|d| !first.dims.contains(d)).collect();
    let mut dims: Dims = first.dims.iter().copied().chain(second.dims.iter().map(|&d| kept[d])).collect();
    dims.sort();
    let reduce = Reduce { combiner: first.combiner.clone(), dims };
    Some(one(r.add_one(reduce, &[y])))
}

/// The largest of equal elements is any of them: axes that the operand was only repeated along need no reduction.
fn reduce_repeated(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Reduce(reduce), &[x]) = (c.op, c.x) else { return None };
    let (Op::Broadcast(b), &[y]) = r.defined(x)? else { return None };
    let repeated = |d: &usize| !b.dims.contains(d) && b.shape[*d] > 0;
    if !idempotent(&reduce.combiner) || !reduce.dims.iter().any(repeated) {
        return None;
    }
    // The broadcast without those axes, then what is left to reduce.
    let dropped: Dims = reduce.dims.iter().copied().filter(repeated).collect();
    let place = |d: usize| d - dropped.iter().filter(|&&e| e < d).count();
    let shape = b.shape.without_axes(&dropped);
    let broadcast = Broadcast { shape, dims: b.dims.iter().map(|&d| place(d)).collect() };
    let dims: Dims = reduce.dims.iter().filter(|d| !dropped.contains(d)).map(|&d| place(d)).collect();
    let reduce = Reduce { combiner: reduce.combiner.clone(), dims };
    let y = r.add_one(broadcast, &[y]);
    Some(one(r.add_one(reduce, &[y])))
}
