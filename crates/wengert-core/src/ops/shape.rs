//! Ops that move elements about without computing: broadcast, reshape, transpose.

use super::check;
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{Dims, Shape, Type};

/// The cotangent, if there is one, and the type of the operand.
pub(super) fn linear_operand<'a>(x: &'a [Operand], ct: &[Option<Var>]) -> Option<(&'a Type, Var)> {
    match (&x[0], ct[0]) {
        (Operand::Linear(ty), Some(ct)) => Some((ty, ct)),
        _ => None,
    }
}

attributes! {
    /// The operand placed in a larger shape, repeated along the axes it lacks and those where it has size 1.
    "broadcast" => pub struct Broadcast {
        /// The shape of the result.
        pub shape: Shape,
        /// Axis `i` of the operand is axis `dims[i]` of the result.
        pub dims: Dims,
    }
}

impl Rules for Broadcast {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("broadcast", x)?;
        check::that(self.dims.len() == x.rank(), || {
            format!("`broadcast` needs an axis of the result for each of the {} axes of {x}", x.rank())
        })?;
        check::axes("broadcast", "axis", &self.dims, self.shape.rank())?;
        for (i, &d) in self.dims.iter().enumerate() {
            check::that(x.shape[i] == 1 || x.shape[i] == self.shape[d], || {
                format!("`broadcast` can't spread axis {i} of {x} over axis {d} of {}", self.shape)
            })?;
        }
        Ok(vec![x.with_shape(self.shape.clone())])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some((ty, ct)) = linear_operand(x, ct) else { return Ok(vec![None]) };
        let spread = |d: usize| match self.dims.iter().position(|&e| e == d) {
            None => true,
            Some(i) => ty.shape[i] == 1 && self.shape[d] != 1,
        };
        let summed: Dims = (0..self.shape.rank()).filter(|&d| spread(d)).collect();
        let s = b.sum(ct, &summed);
        // What is left is in the order of the result's axes.
        let kept: Vec<usize> = (0..ty.rank()).filter(|&i| !summed.contains(&self.dims[i])).collect();
        let mut order = kept.clone();
        order.sort_by_key(|&i| self.dims[i]);
        let perm: Dims = kept.iter().map(|i| order.iter().position(|j| j == i).expect("kept")).collect();
        let s = b.transpose(s, &perm);
        Ok(vec![Some(b.reshape(s, &ty.shape))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let shape = self.shape.with_axis(0, b.size);
        let dims: Dims = std::iter::once(0).chain(self.dims.iter().map(|d| d + 1)).collect();
        Ok(vec![Batched::yes(b.one(Broadcast { shape, dims }, &[x[0].var]))])
    }
}

attributes! {
    /// The same elements in row-major order under another shape.
    "reshape" => pub struct Reshape {
        /// The shape of the result.
        pub shape: Shape,
    }
}

impl Rules for Reshape {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("reshape", x)?;
        check::that(x.shape.size() == self.shape.size(), || {
            format!(
                "`reshape` can't put the {} elements of {x} in the shape {}, which has {}",
                x.shape.size(),
                self.shape,
                self.shape.size()
            )
        })?;
        Ok(vec![x.with_shape(self.shape.clone())])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(vec![linear_operand(x, ct).map(|(ty, ct)| b.reshape(ct, &ty.shape))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let shape = self.shape.with_axis(0, b.size);
        Ok(vec![Batched::yes(b.reshape(x[0].var, &shape))])
    }
}

attributes! {
    /// Axis `i` of the result is axis `perm[i]` of the operand.
    "transpose" => pub struct Transpose {
        /// The order of the operand's axes.
        pub perm: Dims,
    }
}

impl Rules for Transpose {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("transpose", x)?;
        check::that(self.perm.len() == x.rank(), || {
            format!("`transpose` needs an order of the {} axes of {x}, and got {} axes", x.rank(), self.perm.len())
        })?;
        check::axes("transpose", "axis", &self.perm, x.rank())?;
        Ok(vec![x.with_shape(self.perm.iter().map(|&p| x.shape[p]).collect::<Shape>())])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some((ty, ct)) = linear_operand(x, ct) else { return Ok(vec![None]) };
        let inverse: Dims = (0..ty.rank()).map(|i| self.perm.iter().position(|&p| p == i).expect("checked")).collect();
        Ok(vec![Some(b.transpose(ct, &inverse))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let perm: Dims = std::iter::once(0).chain(self.perm.iter().map(|p| p + 1)).collect();
        Ok(vec![Batched::yes(b.transpose(x[0].var, &perm))])
    }
}
