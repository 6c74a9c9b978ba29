//! Attributes that become the plainest: all of an op at once, then one after the other.

use super::Reducer;
use super::edit::{all_equations, with_equation};
use wengert_core::Op;
use wengert_core::ops::{CallKind, Extreme, OutOfBounds, RngAlgorithm, Window};

pub(super) fn attributes(r: &mut Reducer<'_>) {
    let mut at = 0;
    while at < all_equations(&r.best).len() && !r.has_ended() {
        let best = r.best.clone();
        let (_, e) = all_equations(&best)[at];
        let mut all = e.op.clone();
        let mut ways = Vec::new();
        for change in CHANGES {
            let mut one = e.op.clone();
            change(&mut one);
            change(&mut all);
            ways.push(one);
        }
        ways.insert(0, all);
        ways.retain(|op| *op != e.op);
        r.take_first(
            ways.iter().filter_map(|op| with_equation(&best, at, &|edit, e| edit.push(e, op.clone()))).collect(),
        );
        at += 1;
    }
}

/// What may become plainer. Each leaves ops alone that have no such attribute.
const CHANGES: [fn(&mut Op); 8] = [flags, modes, strides, dilation, padding, groups, starts, axes];

fn windows(op: &mut Op, change: fn(&mut Window)) {
    match op {
        Op::ReduceWindow(w) => change(&mut w.window),
        Op::SelectAndScatter(w) => change(&mut w.window),
        Op::SelectAndGather(w) => change(&mut w.window),
        _ => {}
    }
}

fn flags(op: &mut Op) {
    match op {
        Op::Scan(s) => s.reverse = false,
        Op::Cumulative(c) => c.reverse = false,
        Op::Sort(s) => s.stable = false,
        Op::Gather(g) => (g.indices_are_sorted, g.unique_indices) = (false, false),
        Op::Scatter(s) => (s.indices_are_sorted, s.unique_indices) = (false, false),
        Op::Convolution(c) => c.reversal.fill(false),
        Op::TriangularSolve(t) => (t.left_side, t.lower, t.unit_diagonal) = (true, true, false),
        Op::Cholesky(c) => c.lower = true,
        Op::Eigh(e) => e.lower = true,
        Op::Qr(q) => q.full_matrices = false,
        Op::Svd(s) => s.full_matrices = false,
        _ => {}
    }
}

/// One of several ways to do it.
fn modes(op: &mut Op) {
    match op {
        Op::Gather(g) => g.out_of_bounds = OutOfBounds::Clip,
        Op::ArgReduce(a) => a.extreme = Extreme::Max,
        Op::RngBitGenerator(r) => r.algorithm = RngAlgorithm::Default,
        Op::Call(c) => c.kind = CallKind::Staged,
        _ => {}
    }
}

fn strides(op: &mut Op) {
    match op {
        Op::Convolution(c) => c.strides.fill(1),
        Op::Slice(s) => {
            // As many elements as before.
            for d in 0..s.strides.len() {
                let count = s.limit[d].saturating_sub(s.start[d]).div_ceil(s.strides[d].max(1));
                s.limit[d] = s.start[d] + count;
            }
            s.strides.fill(1);
        }
        op => windows(op, |w| w.strides.fill(1)),
    }
}

fn dilation(op: &mut Op) {
    match op {
        Op::Convolution(c) => {
            c.lhs_dilation.fill(1);
            c.rhs_dilation.fill(1);
        }
        Op::Pad(p) => p.interior.fill(0),
        op => windows(op, |w| {
            w.base_dilation.fill(1);
            w.window_dilation.fill(1);
        }),
    }
}

fn padding(op: &mut Op) {
    match op {
        Op::Convolution(c) => c.padding.fill((0, 0)),
        Op::Pad(p) => {
            p.low.fill(0);
            p.high.fill(0);
        }
        op => windows(op, |w| w.padding.fill((0, 0))),
    }
}

fn groups(op: &mut Op) {
    if let Op::Convolution(c) = op {
        (c.feature_groups, c.batch_groups) = (1, 1);
    }
}

/// Slices from the first element on, of as many as before.
fn starts(op: &mut Op) {
    if let Op::Slice(s) = op {
        for d in 0..s.start.len() {
            s.limit[d] -= s.start[d].min(s.limit[d]);
        }
        s.start.fill(0);
    }
}

/// One axis less that is reversed, or two that stay where they are.
fn axes(op: &mut Op) {
    match op {
        Op::Reverse(r) if r.dims.len() > 1 => r.dims = r.dims[1..].iter().copied().collect(),
        Op::Transpose(t) => {
            if let Some(d) = (0..t.perm.len()).find(|&d| t.perm[d] != d) {
                let other = t.perm.iter().position(|&p| p == d).expect("a permutation");
                t.perm.swap(d, other);
            }
        }
        _ => {}
    }
}
