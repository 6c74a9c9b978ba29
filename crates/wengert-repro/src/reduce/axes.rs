//! Which axes of a program's variables are one: those that go together where one of them goes.

use rustc_hash::FxHashMap;
use wengert_core::{Equation, Op, Program, Shape, Var};

/// Classes of axes, at all depths of a program.
pub(super) struct Axes {
    /// Where the axes of the variables of a program begin.
    first: FxHashMap<(*const Program, usize), usize>,
    /// A forest: each points to one of its own class.
    parent: Vec<usize>,
    /// Axes whose classes can't go.
    fixed: Vec<usize>,
}

/// A variable of a program.
type Place<'a> = (&'a Program, Var);

impl Axes {
    pub(super) fn of(p: &Program) -> Axes {
        let mut axes = Axes { first: FxHashMap::default(), parent: Vec::new(), fixed: Vec::new() };
        axes.program(p);
        axes
    }

    /// The classes that may go.
    pub(super) fn classes(&self) -> Vec<usize> {
        let fixed: Vec<usize> = self.fixed.iter().map(|&a| self.root(a)).collect();
        (0..self.parent.len()).filter(|&a| self.parent[a] == a && !fixed.contains(&a)).collect()
    }

    /// The class of an axis.
    pub(super) fn class(&self, p: &Program, v: Var, axis: usize) -> usize {
        self.root(self.first[&(std::ptr::from_ref(p), v.index())] + axis)
    }

    fn root(&self, mut a: usize) -> usize {
        while self.parent[a] != a {
            a = self.parent[a];
        }
        a
    }

    fn link(&mut self, (p, v): Place<'_>, i: usize, (q, w): Place<'_>, j: usize) {
        let (a, b) = (self.class(p, v, i), self.class(q, w, j));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Axis by axis, where the ranks are the same.
    fn link_all(&mut self, a: Place<'_>, b: Place<'_>) {
        let (n, m) = (a.0.ty(a.1).rank(), b.0.ty(b.1).rank());
        if n == m {
            (0..n).for_each(|d| self.link(a, d, b, d));
        }
    }

    fn fix(&mut self, (p, v): Place<'_>, axis: usize) {
        let a = self.class(p, v, axis);
        self.fixed.push(a);
    }

    fn fix_all(&mut self, p: &Program, e: &Equation) {
        for &v in e.inputs.iter().chain(&e.outputs) {
            (0..p.ty(v).rank()).for_each(|d| self.fix((p, v), d));
        }
    }

    fn program(&mut self, p: &Program) {
        let defined = p.equations().iter().flat_map(|e| &e.outputs);
        for &v in p.inputs().iter().chain(defined) {
            let first = self.parent.len();
            if self.first.insert((std::ptr::from_ref(p), v.index()), first).is_some() {
                // A program that is held twice is looked at once.
                return;
            }
            self.parent.extend(first..first + p.ty(v).rank());
        }
        for e in p.equations() {
            e.op.programs().into_iter().for_each(|q| self.program(q));
            self.equation(p, e);
        }
    }

    fn equation(&mut self, p: &Program, e: &Equation) {
        let at = |v: Var| (p, v);
        let (x, y): (Vec<_>, Vec<_>) =
            (e.inputs.iter().map(|&v| at(v)).collect(), e.outputs.iter().map(|&v| at(v)).collect());
        let shape = |(p, v): Place<'_>| p.ty(v).shape.clone();
        match &e.op {
            Op::Constant(_) | Op::Iota(_) => {}
            Op::Barrier(_) => x.iter().zip(&y).for_each(|(&x, &y)| self.link_all(x, y)),
            // The bounds of a clamp, and the choice of a select, may be single numbers.
            op if op.rules().elementwise() || matches!(op, Op::Select(_) | Op::Clamp(_) | Op::Reverse(_)) => {
                x.iter().for_each(|&x| self.link_all(x, y[0]));
            }
            Op::Slice(_) | Op::Pad(_) | Op::DynamicSlice(_) => self.link_all(x[0], y[0]),
            Op::DynamicUpdateSlice(_) => {
                self.link_all(x[0], y[0]);
                self.link_all(x[1], y[0]);
            }
            Op::Broadcast(b) => {
                let (from, to) = (shape(x[0]), shape(y[0]));
                b.dims.iter().enumerate().filter(|&(i, &d)| from[i] == to[d]).for_each(|(i, &d)| {
                    self.link(x[0], i, y[0], d);
                });
            }
            Op::Reshape(_) => self.reshape(x[0], y[0], &shape(x[0]), &shape(y[0])),
            Op::Transpose(t) => t.perm.iter().enumerate().for_each(|(i, &d)| self.link(x[0], d, y[0], i)),
            Op::Reduce(r) => {
                let kept: Vec<usize> = (0..shape(x[0]).rank()).filter(|d| !r.dims.contains(d)).collect();
                for (&x, &y) in x.iter().zip(&y) {
                    kept.iter().enumerate().for_each(|(i, &d)| self.link(x, d, y, i));
                }
                x.iter().for_each(|&other| self.link_all(other, x[0]));
            }
            Op::Concatenate(c) => {
                x.iter().for_each(|&x| self.link_all(x, y[0]));
                self.fix(y[0], c.dim);
            }
            Op::Cumulative(c) => {
                self.link_all(x[0], y[0]);
                self.fix(y[0], c.dim);
            }
            Op::Sort(s) => {
                x.iter().chain(&y).for_each(|&other| self.link_all(other, x[0]));
                self.fix(x[0], s.dim);
            }
            Op::ArgReduce(a) => {
                let kept = (0..shape(x[0]).rank()).filter(|&d| d != a.dim);
                kept.enumerate().for_each(|(i, d)| self.link(x[0], d, y[0], i));
                self.fix(x[0], a.dim);
            }
            Op::DotGeneral(d) => {
                let pairs = d.contract.0.iter().zip(&d.contract.1).chain(d.batch.0.iter().zip(&d.batch.1));
                pairs.for_each(|(&i, &j)| self.link(x[0], i, x[1], j));
                let of_lhs: Vec<usize> =
                    d.batch.0.iter().copied().chain(d.lhs_free(shape(x[0]).rank()).iter().copied()).collect();
                of_lhs.iter().enumerate().for_each(|(i, &a)| self.link(x[0], a, y[0], i));
                let of_rhs = d.rhs_free(shape(x[1]).rank());
                of_rhs.iter().enumerate().for_each(|(i, &a)| self.link(x[1], a, y[0], of_lhs.len() + i));
            }
            Op::Call(c) => self.called(&c.program, &x, &y),
            Op::Cond(c) => c.branches.iter().for_each(|b| self.called(b, &x[1..], &y)),
            Op::While(w) => {
                self.called(&w.body, &x, &y);
                w.cond.inputs().iter().zip(&x).for_each(|(&v, &x)| self.link_all((&w.cond, v), x));
                x[w.consts..].iter().zip(&y).for_each(|(&x, &y)| self.link_all(x, y));
            }
            Op::Scan(s) => {
                let around = s.consts + s.carries;
                for (i, (&v, &x)) in s.body.inputs().iter().zip(&x).enumerate() {
                    if i < around { self.link_all((&s.body, v), x) } else { self.row((&s.body, v), x) }
                }
                for (i, (&v, &y)) in s.body.outputs().iter().zip(&y).enumerate() {
                    if i < s.carries { self.link_all((&s.body, v), y) } else { self.row((&s.body, v), y) }
                }
                x[s.consts..around].iter().zip(&y).for_each(|(&x, &y)| self.link_all(x, y));
            }
            op => {
                for q in op.programs() {
                    let defined = q.equations().iter().flat_map(|e| &e.outputs);
                    for &v in q.inputs().iter().chain(defined) {
                        (0..q.ty(v).rank()).for_each(|d| self.fix((q, v), d));
                    }
                }
                self.fix_all(p, e);
            }
        }
    }

    /// A program that is given these operands, and gives these results.
    fn called(&mut self, q: &Program, x: &[Place<'_>], y: &[Place<'_>]) {
        q.inputs().iter().zip(x).for_each(|(&v, &x)| self.link_all((q, v), x));
        q.outputs().iter().zip(y).for_each(|(&v, &y)| self.link_all((q, v), y));
    }

    /// One row of an array, whose first axis stays.
    fn row(&mut self, row: Place<'_>, all: Place<'_>) {
        self.fix(all, 0);
        (0..row.0.ty(row.1).rank()).for_each(|d| self.link(row, d, all, d + 1));
    }

    /// Axes that a reshape leaves as they are; those of one element are free, the others stay.
    fn reshape(&mut self, x: Place<'_>, y: Place<'_>, from: &Shape, to: &Shape) {
        let (mut i, mut j, mut left, mut right) = (0, 0, 1usize, 1usize);
        while i < from.rank() && j < to.rank() {
            match (from[i], to[j]) {
                (1, m) if m != 1 => i += 1,
                (n, 1) if n != 1 => j += 1,
                (n, m) if left == right && n == m => {
                    self.link(x, i, y, j);
                    (i, j) = (i + 1, j + 1);
                }
                (n, m) => {
                    // Not the same axes: both stay.
                    if left.saturating_mul(n) <= right.saturating_mul(m) {
                        (left, i) = (left.saturating_mul(n), i + 1);
                        self.fix(x, i - 1);
                    } else {
                        (right, j) = (right.saturating_mul(m), j + 1);
                        self.fix(y, j - 1);
                    }
                }
            }
        }
        (i..from.rank()).filter(|&i| from[i] != 1).for_each(|i| self.fix(x, i));
        (j..to.rank()).filter(|&j| to[j] != 1).for_each(|j| self.fix(y, j));
    }
}
