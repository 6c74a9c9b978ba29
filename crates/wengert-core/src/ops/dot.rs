//! Products summed over shared axes: matrix products and general contractions.

use super::check;
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{Dims, Shape, Type};

attributes! {
    /// The general contraction. The result has the batch axes, then the free axes of the left, then of the right.
    "dot_general" => pub struct DotGeneral {
        /// The axes multiplied and summed: of the left, and of the right in the same order.
        pub contract: (Dims, Dims),
        /// The axes paired off and kept: of the left, and of the right in the same order.
        pub batch: (Dims, Dims),
    }
}

fn free(rank: usize, contract: &[usize], batch: &[usize]) -> Dims {
    (0..rank).filter(|d| !contract.contains(d) && !batch.contains(d)).collect()
}

impl DotGeneral {
    /// The axes of the left operand that are neither contracted nor batch axes.
    pub fn lhs_free(&self, rank: usize) -> Dims {
        free(rank, &self.contract.0, &self.batch.0)
    }

    /// The axes of the right operand that are neither contracted nor batch axes.
    pub fn rhs_free(&self, rank: usize) -> Dims {
        free(rank, &self.contract.1, &self.batch.1)
    }
}

impl Rules for DotGeneral {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [l, r] = check::operands("dot_general", x)?;
        check::that(l.dtype == r.dtype, || {
            format!("`dot_general` needs operands of one element type, and got {l} and {r}")
        })?;
        for (axes, ty) in [(&self.contract.0, l), (&self.batch.0, l), (&self.contract.1, r), (&self.batch.1, r)] {
            check::axes("dot_general", "axis", axes, ty.rank())?;
        }
        for (what, (a, c)) in [("contracted", &self.contract), ("batch", &self.batch)] {
            check::that(a.len() == c.len(), || format!("`dot_general` needs as many {what} axes on both sides"))?;
            for (&i, &j) in a.iter().zip(c) {
                check::that(l.shape[i] == r.shape[j], || {
                    format!("`dot_general`: {what} axis {i} of {l} and {j} of {r} have different sizes")
                })?;
            }
        }
        check::that(!self.contract.0.iter().any(|d| self.batch.0.contains(d)), || {
            format!("`dot_general`: an axis of {l} is both contracted and a batch axis")
        })?;
        check::that(!self.contract.1.iter().any(|d| self.batch.1.contains(d)), || {
            format!("`dot_general`: an axis of {r} is both contracted and a batch axis")
        })?;
        let shape: Shape = (self.batch.0.iter().map(|&d| l.shape[d]))
            .chain(self.lhs_free(l.rank()).iter().map(|&d| l.shape[d]))
            .chain(self.rhs_free(r.rank()).iter().map(|&d| r.shape[d]))
            .collect();
        Ok(vec![l.with_shape(shape)])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Each(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(ct) = ct[0] else { return Ok(vec![None, None]) };
        // The cotangent of one side is `ct` contracted with the other over the other's free axes; its axes then come
        // as batch, own free, contracted (in the other's order), and are put back in place.
        let back = |b: &mut Builder, ty: &Type, other: Var, left: bool| {
            let (contract, batch, other_contract, other_batch) = match left {
                true => (&self.contract.0, &self.batch.0, &self.contract.1, &self.batch.1),
                false => (&self.contract.1, &self.batch.1, &self.contract.0, &self.batch.0),
            };
            let own_free = free(ty.rank(), contract, batch);
            let other_rank = b.shape(other).rank();
            let other_free = free(other_rank, other_contract, other_batch);
            let n = batch.len();
            let (first, count) = if left { (n + own_free.len(), other_free.len()) } else { (n, other_free.len()) };
            let dot = DotGeneral {
                contract: ((first..first + count).collect(), other_free),
                batch: ((0..n).collect(), other_batch.clone()),
            };
            let g = b.one(dot, &[ct, other]);
            let mut order: Dims = batch.iter().chain(&own_free).copied().collect();
            let mut sorted: Vec<usize> = (0..other_contract.len()).collect();
            sorted.sort_by_key(|&k| other_contract[k]);
            order.extend(sorted.iter().map(|&k| contract[k]));
            let perm: Dims = (0..ty.rank()).map(|d| order.iter().position(|&o| o == d).expect("every axis")).collect();
            b.transpose(g, &perm)
        };
        Ok(match (&x[0], &x[1]) {
            (Operand::Linear(ty), r) => vec![Some(back(b, ty, r.known(), true)), None],
            (l, Operand::Linear(ty)) => vec![None, Some(back(b, ty, l.known(), false))],
            _ => vec![None, None],
        })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let shift = |d: &Dims, by: bool| -> Dims { d.iter().map(|d| d + by as usize).collect() };
        let [l, r] = [x[0], x[1]];
        let mut dot = DotGeneral {
            contract: (shift(&self.contract.0, l.batched), shift(&self.contract.1, r.batched)),
            batch: (shift(&self.batch.0, l.batched), shift(&self.batch.1, r.batched)),
        };
        if l.batched && r.batched {
            dot.batch.0.insert(0, 0);
            dot.batch.1.insert(0, 0);
            return Ok(vec![Batched::yes(b.one(dot, &[l.var, r.var]))]);
        }
        // One side alone has the new axis: it is that side's first free axis.
        let y = b.one(dot, &[l.var, r.var]);
        let n = self.batch.0.len();
        let at = if l.batched { n } else { n + self.lhs_free(b.shape(l.var).rank()).len() };
        Ok(vec![Batched::yes(b.move_axis(y, at, 0))])
    }
}
