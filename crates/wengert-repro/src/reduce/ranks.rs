//! Axes that go from the whole program at once: of what lies along one, the first element stays; or all axes become one.

use super::Reducer;
use super::axes::Axes;
use super::edit::{Edit, TypeChange, part};
use crate::case::Case;
use std::sync::Arc;
use wengert_core::{Dims, Equation, Op, Program, Shape, Tensor, Type, Var};

pub(super) fn ranks(r: &mut Reducer<'_>) {
    let mut left = usize::MAX;
    while !r.has_ended() {
        // From the last: those of a smaller program are as many, or fewer.
        let axes = Axes::of(r.best.program());
        let classes = axes.classes();
        let Some(at) = left.min(classes.len()).checked_sub(1) else { break };
        left = at;
        let candidate = Change { axes: &axes, class: classes[at] }.case(&r.best);
        r.take(candidate);
    }
    let candidate = Flat.case(&r.best);
    r.take(candidate);
}

/// Arrays of several axes lie along one, where every op does the same to them then.
#[derive(Clone, Copy)]
struct Flat;

impl TypeChange for Flat {
    fn ty(self, t: &Type) -> Type {
        if t.rank() > 1 { t.with_shape([t.shape.size()]) } else { t.clone() }
    }

    fn tensor(self, x: &Tensor) -> Option<Tensor> {
        Some(x.reshaped(self.ty(&x.ty()).shape))
    }

    fn op(self, mut op: Op, x: &[Type]) -> Option<Op> {
        match &mut op {
            Op::Constant(c) => c.value = self.tensor(&c.value)?,
            Op::Reshape(r) if r.shape.rank() > 1 => r.shape = [r.shape.size()].into(),
            Op::Reduce(r) if r.dims.len() == x[0].rank() && x[0].rank() > 1 => r.dims = [0].into_iter().collect(),
            Op::Broadcast(b) if b.dims.is_empty() => b.shape = [b.shape.size()].into(),
            op if op.rules().elementwise() => {}
            Op::Reshape(_) | Op::Select(_) | Op::Clamp(_) | Op::Call(_) | Op::Cond(_) | Op::While(_) => {}
            // What tells axes apart, where there is more than one.
            _ if x.iter().all(|t| t.rank() <= 1) => {}
            _ => return None,
        }
        Some(op)
    }
}

/// The axes of one class go.
#[derive(Clone, Copy)]
struct Change<'a> {
    axes: &'a Axes,
    class: usize,
}

impl Change<'_> {
    /// The axes of a variable that go.
    fn gone(self, p: &Program, v: Var) -> Vec<usize> {
        (0..p.ty(v).rank()).filter(|&d| self.axes.class(p, v, d) == self.class).collect()
    }

    fn case(self, case: &Case) -> Option<Case> {
        let p = case.program();
        let mut edit = Edit::empty(p);
        for (&v, x) in p.inputs().iter().zip(case.inputs()) {
            edit.input(v, &first_along(x, &self.gone(p, v)));
        }
        self.equations(&mut edit)?;
        edit.case()
    }

    fn program(self, p: &Program) -> Option<Program> {
        let mut edit = Edit::empty(p);
        for &v in p.inputs() {
            let ty = p.ty(v);
            let new = edit.b.input(ty.with_shape(ty.shape.without_axes(&self.gone(p, v))));
            edit.set(v, new);
        }
        self.equations(&mut edit)?;
        edit.program()
    }

    fn equations(self, edit: &mut Edit<'_>) -> Option<()> {
        let p = edit.old;
        for e in p.equations() {
            let mut whole = true;
            let op = self.op(p, e).map_programs(&mut |q| {
                let new = self.program(q);
                whole &= new.is_some();
                new.map_or_else(|| q.clone(), Arc::new)
            });
            let mut x = edit.operands(e)?;
            let gone = e.inputs.first().map_or_else(Vec::new, |&v| self.gone(p, v));
            // One start for each axis of what is sliced.
            let starts = match &e.op {
                Op::DynamicSlice(_) => 1,
                Op::DynamicUpdateSlice(_) => 2,
                _ => x.len(),
            };
            if starts < x.len() {
                gone.iter().rev().for_each(|&d| _ = x.remove(starts + d));
            }
            edit.push_on(e, op, &x).filter(|()| whole)?;
            let wanted = |v: Var| p.ty(v).shape.without_axes(&self.gone(p, v));
            if e.outputs.iter().any(|&v| edit.var(v).is_none_or(|new| *edit.b.shape(new) != wanted(v))) {
                return None;
            }
        }
        Some(())
    }

    /// The op on operands without these axes; programs inside are seen to.
    fn op(self, p: &Program, e: &Equation) -> Op {
        let mut op = e.op.clone();
        let x = |i: usize| self.gone(p, e.inputs[i]);
        let y = || self.gone(p, e.outputs[0]);
        match &mut op {
            Op::Constant(c) => c.value = first_along(&c.value, &y()),
            Op::Iota(i) => {
                let shape = i.ty.shape.without_axes(&y());
                if y().contains(&i.dim) {
                    let zero = wengert_core::Scalar::from_f64(i.ty.dtype, 0.0);
                    return wengert_core::ops::Constant { value: Tensor::splat(shape, zero) }.into();
                }
                (i.dim, i.ty) = (renumbered(i.dim, &y()), i.ty.with_shape(shape));
            }
            Op::Broadcast(b) => {
                let kept = without(&b.dims, &x(0));
                b.dims = kept.iter().map(|&d| renumbered(d, &y())).collect();
                b.shape = b.shape.without_axes(&y());
            }
            Op::Reshape(r) => r.shape = r.shape.without_axes(&y()),
            Op::Transpose(t) => t.perm = axes_left(&without(&t.perm, &y()), &x(0)),
            Op::Reverse(r) => r.dims = axes_left(&r.dims, &x(0)),
            Op::Reduce(r) => r.dims = axes_left(&r.dims, &x(0)),
            Op::Slice(s) => {
                for list in [&mut s.start, &mut s.limit, &mut s.strides] {
                    *list = without(list, &x(0));
                }
            }
            Op::Pad(q) => {
                let gone = x(0);
                let left = |all: &[i64]| (0..all.len()).filter(|d| !gone.contains(d)).map(|d| all[d]).collect();
                (q.low, q.high, q.interior) = (left(&q.low), left(&q.high), without(&q.interior, &gone));
            }
            Op::DynamicSlice(s) => s.sizes = without(&s.sizes, &x(0)),
            Op::Concatenate(c) => c.dim = renumbered(c.dim, &y()),
            Op::Cumulative(c) => c.dim = renumbered(c.dim, &y()),
            Op::Sort(s) => s.dim = renumbered(s.dim, &x(0)),
            Op::ArgReduce(a) => a.dim = renumbered(a.dim, &x(0)),
            Op::DotGeneral(d) => {
                for (l, r) in [&mut d.contract, &mut d.batch].map(|(l, r)| (l, r)) {
                    (*l, *r) = (axes_left(l, &x(0)), axes_left(r, &x(1)));
                }
            }
            _ => {}
        }
        op
    }
}

/// The number of an axis once others are gone.
fn renumbered(axis: usize, gone: &[usize]) -> usize {
    axis - gone.iter().filter(|&&g| g < axis).count()
}

/// A list with an entry for each axis, without those that are gone.
fn without(all: &[usize], gone: &[usize]) -> Dims {
    (0..all.len()).filter(|d| !gone.contains(d)).map(|d| all[d]).collect()
}

/// A list of axes, without those that are gone.
fn axes_left(all: &[usize], gone: &[usize]) -> Dims {
    all.iter().filter(|d| !gone.contains(d)).map(|&d| renumbered(d, gone)).collect()
}

/// The first of what lies along some axes.
fn first_along(x: &Tensor, gone: &[usize]) -> Tensor {
    let shape: Shape = x.shape().without_axes(gone);
    if let Some(s) = x.splat_value() {
        return Tensor::splat(shape, s);
    }
    let size = |(d, &n): (usize, &usize)| if gone.contains(&d) { 1 } else { n };
    let sizes: Vec<usize> = x.shape().iter().enumerate().map(size).collect();
    part(x, &vec![0; sizes.len()], &sizes).into_reshaped(shape)
}
