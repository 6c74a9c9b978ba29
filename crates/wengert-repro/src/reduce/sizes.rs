//! Sizes that shrink through the whole program at once: every axis of one size becomes shorter, the smallest size that is
//! enough first, so that thresholds stay.

use super::Reducer;
use super::edit::{TypeChange, part};
use crate::case::Case;
use std::collections::BTreeSet;
use wengert_core::{Dims, Op, Program, Shape, Tensor, Type};

pub(super) fn sizes(r: &mut Reducer<'_>) {
    let mut all = BTreeSet::new();
    collect(r.best.program(), &mut all);
    for from in all.into_iter().rev().filter(|&n| n > 1) {
        // Doubling from 1: the first that is enough; then between it and the one before.
        let mut below = 0;
        let mut to = 1;
        let mut now = from;
        while to < now && !r.has_ended() {
            if r.take_first(changed(&r.best, now, to)) {
                now = to;
                break;
            }
            below = to;
            to = (to * 2).min(now - 1).max(to + 1);
        }
        while below + 1 < now && now < from && !r.has_ended() {
            let middle = (below + now) / 2;
            if r.take_first(changed(&r.best, now, middle)) {
                now = middle;
            } else {
                below = middle;
            }
        }
    }
}

/// The case with one size for another: with the first elements, and with the last.
fn changed(case: &Case, from: usize, to: usize) -> Vec<Case> {
    [false, true].into_iter().filter_map(|last| Change { from, to, last }.case(case)).collect()
}

fn collect(p: &Program, all: &mut BTreeSet<usize>) {
    p.inputs().iter().for_each(|&v| all.extend(p.ty(v).shape.iter().copied()));
    for e in p.equations() {
        e.outputs.iter().for_each(|&v| all.extend(p.ty(v).shape.iter().copied()));
        e.op.programs().into_iter().for_each(|p| collect(p, all));
    }
}

/// One size for another.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Whether the last elements stay.
    pub(crate) last: bool,
}

impl Change {
    pub(crate) fn size(self, n: usize) -> usize {
        if n == self.from { self.to } else { n }
    }

    fn shape(self, s: &Shape) -> Shape {
        s.iter().map(|&n| self.size(n)).collect::<Vec<usize>>().into()
    }

    fn dims(self, d: &Dims) -> Dims {
        d.iter().map(|&n| self.size(n)).collect()
    }

    /// The shape that a reshape gives: sizes that are products of others change with these.
    fn reshaped(self, from: &Shape, to: &Shape) -> Option<Shape> {
        let new = self.shape(from).size();
        let plain = self.shape(to);
        if plain.size() == new {
            return Some(plain);
        }
        // One axis is what the others leave.
        (0..to.rank()).find_map(|d| {
            let others: usize = (0..to.rank()).filter(|&i| i != d).map(|i| self.size(to[i])).product();
            let fits = to[d].is_multiple_of(self.from) && others > 0 && new.is_multiple_of(others);
            fits.then(|| {
                (0..to.rank()).map(|i| if i == d { new / others } else { self.size(to[i]) }).collect::<Vec<_>>().into()
            })
        })
    }
}

impl TypeChange for Change {
    fn ty(self, t: &Type) -> Type {
        Type::new(t.dtype, self.shape(&t.shape))
    }

    /// The first elements along each axis, or the last.
    fn tensor(self, x: &Tensor) -> Option<Tensor> {
        let (old, ty) = (x.shape().clone(), self.ty(&x.ty()));
        if let Some(s) = x.splat_value() {
            return Some(Tensor::splat(ty.shape, s));
        }
        let skipped = |d: usize| if self.last { old[d] - ty.shape[d] } else { 0 };
        Some(part(x, &(0..old.rank()).map(skipped).collect::<Vec<usize>>(), &ty.shape))
    }

    /// The op on operands of the new sizes; `x` are the old types of its operands.
    fn op(self, mut op: Op, x: &[Type]) -> Option<Op> {
        match &mut op {
            Op::Constant(c) => c.value = self.tensor(&c.value)?,
            Op::Iota(i) => i.ty = self.ty(&i.ty),
            Op::Broadcast(b) => b.shape = self.shape(&b.shape),
            Op::Reshape(r) => r.shape = self.reshaped(&x.first()?.shape, &r.shape)?,
            Op::Slice(s) => {
                // An op that failed need not fit.
                for ((&n, limit), start) in x.first()?.shape.iter().zip(&mut s.limit).zip(&s.start) {
                    let cut = n.checked_sub(*limit)?;
                    *limit = self.size(n).checked_sub(cut).filter(|l| l >= start)?;
                }
            }
            Op::DynamicSlice(s) => s.sizes = self.dims(&s.sizes),
            Op::Gather(g) => g.slice_sizes = self.dims(&g.slice_sizes),
            Op::Scan(s) => s.length = self.size(s.length),
            _ => {}
        }
        Some(op)
    }
}
