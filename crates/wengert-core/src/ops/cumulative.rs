//! Running sums, products, extremes and log-sums along an axis.

use super::{Binary, Direction, Unary, check};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{self, Batched, Batcher, Mode, Operand};
use crate::types::{DType, Dims, Type};
use crate::{attributes, named_attr, names};

names! {
    /// What is accumulated.
    #[allow(missing_docs)]
    pub enum CumulativeKind {
        Sum = "sum",
        Prod = "prod",
        Max = "max",
        Min = "min",
        /// The logarithm of the sum of exponentials.
        LogSumExp = "logsumexp",
    }
}
named_attr!(CumulativeKind);

attributes! {
    /// Each element combined with all before it along an axis.
    "cumulative" => pub struct Cumulative {
        /// What is accumulated.
        pub kind: CumulativeKind,
        /// The axis along which.
        pub dim: usize,
        /// Whether it goes from the last element to the first.
        pub reverse: bool,
    }
}

impl CumulativeKind {
    /// Combines what was accumulated over two neighbouring ranges.
    pub fn combine(self, b: &mut Builder, x: Var, y: Var) -> Var {
        match self {
            CumulativeKind::Sum => b.add(x, y),
            CumulativeKind::Prod => b.mul(x, y),
            CumulativeKind::Max => b.binary(Binary::Max, x, y),
            CumulativeKind::Min => b.binary(Binary::Min, x, y),
            CumulativeKind::LogSumExp => log_add_exp(b, x, y),
        }
    }
}

/// `log(exp(x) + exp(y))`, with derivatives of every order, equal arguments and infinite ones included.
fn log_add_exp(b: &mut Builder, x: Var, y: Var) -> Var {
    let [p, q] = [x, y].map(|v| if b.dtype(v).is_complex() { b.unary(Unary::Real, v) } else { v });
    // Both orders give the function itself, so that a choice between them leaves no kink; `max` would.
    let larger = b.compare(Direction::Gt, p, q);
    let (high, low) = (b.select(larger, x, y), b.select(larger, y, x));
    let less = b.sub(low, high);
    // Equal infinities have no difference.
    let none = b.compare(Direction::Ne, less, less);
    let zero = b.full_like(less, 0.0);
    let less = b.select(none, zero, less);
    let e = b.unary(Unary::Exp, less);
    let rest = b.unary(Unary::Log1p, e);
    b.add(high, rest)
}

/// What is accumulated along an axis, by pairs: the work of a loop in a depth of twice the logarithm.
fn by_pairs(b: &mut Builder, kind: CumulativeKind, x: Var, dim: usize) -> Var {
    let n = b.shape(x)[dim];
    if n < 2 {
        return x;
    }
    let every_second = |b: &mut Builder, from: usize, to: usize| {
        let mut limit = b.shape(x).0.clone();
        let (mut start, mut strides) = (Dims::from_elem(0, limit.len()), Dims::from_elem(1, limit.len()));
        (start[dim], limit[dim], strides[dim]) = (from, to, 2);
        b.slice(x, &start, &limit, &strides)
    };
    let (even, odd) = (every_second(b, 0, n - 1), every_second(b, 1, n));
    let pairs = kind.combine(b, even, odd);
    // After each pair is known what its second element has; its first one has what came before, and itself.
    let seconds = by_pairs(b, kind, pairs, dim);
    let first = b.slice_axis(x, dim, 0, 1);
    let rest = every_second(b, 2, n);
    let count = b.shape(rest)[dim];
    let before = b.slice_axis(seconds, dim, 0, count);
    let rest = kind.combine(b, before, rest);
    let firsts = b.concatenate(&[first, rest], dim);
    interleave(b, firsts, seconds, dim)
}

/// The elements of both in turn; `x` may have one more.
fn interleave(b: &mut Builder, x: Var, y: Var, dim: usize) -> Var {
    let n = b.shape(y)[dim];
    let mut shape = b.shape(y).clone();
    let split = shape.with_axis(dim + 1, 1);
    let equal = b.slice_axis(x, dim, 0, n);
    let [p, q] = [equal, y].map(|v| b.reshape(v, &split));
    let both = b.concatenate(&[p, q], dim + 1);
    shape.0[dim] *= 2;
    let both = b.reshape(both, &shape);
    let end = b.shape(x)[dim];
    let last = b.slice_axis(x, dim, n, end);
    b.concatenate(&[both, last], dim)
}

impl Rules for Cumulative {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("cumulative", x)?;
        check::axes("cumulative", "axis", &[self.dim], x.rank())?;
        let d = x.dtype;
        match self.kind {
            CumulativeKind::LogSumExp => check::dtype("cumulative", d, "floats for logsumexp", d.is_differentiable())?,
            _ => check::dtype("cumulative", d, "numbers", d != DType::Bool)?,
        }
        Ok(vec![x.clone()])
    }

    fn linearity(&self) -> Linearity {
        match self.kind {
            CumulativeKind::Sum => Linearity::Jointly(|_| true),
            _ => Linearity::None,
        }
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        if self.kind == CumulativeKind::Sum {
            return transform::linear_tangents(self.clone().into(), self.linearity(), b, x, t);
        }
        // Formulas that divide by elements or by results fail at zeros; the tangents of the products by pairs do not.
        let mut inner = Builder::new();
        let v = inner.input(b.ty(x[0]).clone());
        let flip = |b: &mut Builder, v: Var| if self.reverse { b.reverse(v, &[self.dim]) } else { v };
        let y = flip(&mut inner, v);
        let y = by_pairs(&mut inner, self.kind, y, self.dim);
        let y = flip(&mut inner, y);
        Ok(transform::differentiate(b, Mode::Jvp, &inner.finish(&[y]), x, t)?.tangents)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let back = Cumulative { reverse: !self.reverse, ..self.clone() };
        Ok(vec![ct[0].filter(|_| x[0].is_linear()).map(|ct| b.one(back, &[ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let op = Cumulative { dim: self.dim + 1, ..self.clone() };
        Ok(vec![Batched::yes(b.one(op, &[x[0].var]))])
    }
}
