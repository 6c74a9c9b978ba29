//! Ops that cut arrays and put them together at positions known beforehand: reverse, slice, pad, concatenate.

use super::check;
use super::shape::linear_operand;
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{Dims, Shape, Type};

/// The list with one more value in front, for the batch axis.
pub(super) fn with_first<T: Clone, L: FromIterator<T>>(first: T, rest: &[T]) -> L {
    std::iter::once(first).chain(rest.iter().cloned()).collect()
}

/// Axes of an array that got a batch axis in front.
pub(super) fn shifted(dims: &[usize]) -> Dims {
    dims.iter().map(|d| d + 1).collect()
}

/// There is one number for each axis of `x` in every list.
pub(super) fn one_each(op: &str, x: &Type, lists: &[(&str, usize)]) -> Result<()> {
    for (what, n) in lists {
        check::that(*n == x.rank(), || {
            format!("`{op}` needs one {what} for each of the {} axes of {x}, and got {n}", x.rank())
        })?;
    }
    Ok(())
}

attributes! {
    /// The elements in reverse order along some axes.
    "reverse" => pub struct Reverse {
        /// The axes reversed.
        pub dims: Dims,
    }
}

impl Rules for Reverse {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("reverse", x)?;
        check::axes("reverse", "axis", &self.dims, x.rank())?;
        Ok(vec![x.clone()])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(vec![linear_operand(x, ct).map(|(_, ct)| b.reverse(ct, &self.dims))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        Ok(vec![Batched::yes(b.reverse(x[0].var, &shifted(&self.dims)))])
    }
}

attributes! {
    /// Along each axis, every `strides`-th element from `start` up to, not including, `limit`.
    "slice" => pub struct Slice {
        /// The first index along each axis.
        pub start: Dims,
        /// One past the last index along each axis.
        pub limit: Dims,
        /// The steps along each axis, at least 1.
        pub strides: Dims,
    }
}

impl Rules for Slice {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("slice", x)?;
        let lists = [("start", self.start.len()), ("limit", self.limit.len()), ("stride", self.strides.len())];
        one_each("slice", x, &lists)?;
        let mut shape = x.shape.clone();
        for (i, size) in shape.0.iter_mut().enumerate() {
            let (start, limit, stride) = (self.start[i], self.limit[i], self.strides[i]);
            check::that(start <= limit && limit <= *size, || {
                format!("`slice` from {start} to {limit} does not lie within axis {i} of {x}")
            })?;
            check::that(stride > 0, || format!("`slice` needs a stride of at least 1 along axis {i} of {x}"))?;
            *size = (limit - start).div_ceil(stride);
        }
        Ok(vec![x.with_shape(shape)])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some((ty, ct)) = linear_operand(x, ct) else { return Ok(vec![None]) };
        // Back in place, with zeros where nothing was read.
        let low: Vec<i64> = self.start.iter().map(|&s| s as i64).collect();
        let interior: Dims = self.strides.iter().map(|s| s - 1).collect();
        let spread = Pad { high: vec![0; low.len()], low, interior };
        let spread_shape = spread.shape(b.ty(ct))?;
        let high = ty.shape.iter().zip(spread_shape.iter()).map(|(&n, &m)| n as i64 - m as i64).collect();
        let zero = b.zeros(&Type::scalar(ty.dtype));
        Ok(vec![Some(b.one(Pad { high, ..spread }, &[ct, zero]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (start, strides) = (with_first(0, &self.start), with_first(1, &self.strides));
        let op = Slice { start, limit: with_first(b.size, &self.limit), strides };
        Ok(vec![Batched::yes(b.one(op, &[x[0].var]))])
    }
}

attributes! {
    /// `pad(operand, value)`: the scalar put around the operand's elements, and between them. A negative amount at an
    /// end takes elements away there, after those in between were put in.
    "pad" => pub struct Pad {
        /// How much is put before the first element along each axis.
        pub low: Vec<i64>,
        /// How much is put after the last element along each axis.
        pub high: Vec<i64>,
        /// How much is put between two elements along each axis.
        pub interior: Dims,
    }
}

impl Pad {
    /// The shape of the result for an operand of this type.
    fn shape(&self, x: &Type) -> Result<Shape> {
        let size = |(i, &n): (usize, &usize)| {
            let between = (self.interior[i] as i128).saturating_mul((n as i128 - 1).max(0));
            let size = between.saturating_add(n as i128 + self.low[i] as i128 + self.high[i] as i128);
            let ends_fit = [self.low[i], self.high[i]].iter().all(|a| a.checked_neg().is_some());
            check::that(size >= 0, || format!("`pad` takes away more than all of axis {i} of {x}"))?;
            check::that(ends_fit && size <= isize::MAX as i128, || {
                format!("`pad` makes axis {i} of {x} too large to address")
            })?;
            Ok(size as usize)
        };
        x.shape.iter().enumerate().map(size).collect()
    }

    /// Where the result holds the padding value and not an element of the operand, which has this shape.
    fn mask(&self, b: &mut Builder, operand: &Shape) -> Var {
        let operand = b.zeros(&Type::new(crate::DType::Bool, operand.clone()));
        let value = b.full(&Type::scalar(crate::DType::Bool), 1.0);
        b.one(self.clone(), &[operand, value])
    }
}

impl Rules for Pad {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x, value] = check::operands("pad", x)?;
        check::that(value.rank() == 0, || format!("`pad` needs a scalar to pad with, and got {value}"))?;
        check::same_dtypes("pad", &[x.clone(), value.clone()])?;
        let ends = [("low amount", self.low.len()), ("high amount", self.high.len())];
        one_each("pad", x, &ends)?;
        one_each("pad", x, &[("interior amount", self.interior.len())])?;
        Ok(vec![x.with_shape(self.shape(x)?)])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(ct) = ct[0] else { return Ok(vec![None, None]) };
        let back = x[0].is_linear().then(|| {
            let undone = |amounts: &[i64]| amounts.iter().map(|a| -a).collect();
            let (low, high): (Vec<i64>, Vec<i64>) = (undone(&self.low), undone(&self.high));
            let spread = b.pad(ct, 0.0, &low, &high);
            let strides: Dims = self.interior.iter().map(|i| i + 1).collect();
            let limit = b.shape(spread).0.clone();
            b.slice(spread, &Dims::from_elem(0, limit.len()), &limit, &strides)
        });
        let padding = x[1].is_linear().then(|| {
            let operand = x[0].ty(b).shape.clone();
            let mask = self.mask(b, &operand);
            let zero = b.full_like(ct, 0.0);
            let seen = b.select(mask, ct, zero);
            let all: Dims = (0..b.shape(ct).rank()).collect();
            b.sum(seen, &all)
        });
        Ok(vec![back, padding])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let over = Pad {
            low: with_first(0, &self.low),
            high: with_first(0, &self.high),
            interior: with_first(0, &self.interior),
        };
        let (operand, value) = (b.materialize(x[0]), x[1]);
        if !value.batched {
            return Ok(vec![Batched::yes(b.one(over, &[operand, value.var]))]);
        }
        let dtype = b.dtype(operand);
        let zero = b.zeros(&Type::scalar(dtype));
        let padded = b.one(over.clone(), &[operand, zero]);
        let shape = b.shape(padded).clone();
        let values = b.broadcast(value.var, &shape, &[0]);
        let operand = b.shape(operand).clone();
        let mask = over.mask(b, &operand);
        Ok(vec![Batched::yes(b.select(mask, values, padded))])
    }
}

attributes! {
    /// The operands one after the other along an axis.
    "concatenate" => pub struct Concatenate {
        /// The axis along which they are joined.
        pub dim: usize,
    }
}

impl Rules for Concatenate {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let (first, _) = check::first("concatenate", x)?;
        check::axes("concatenate", "axis", &[self.dim], first.rank())?;
        check::same_dtypes("concatenate", x)?;
        let rest = |t: &Type| (t.rank(), t.shape.without_axes(&[self.dim]));
        check::that(x.iter().all(|t| rest(t) == rest(first)), || {
            let (d, types) = (self.dim, check::list(x));
            format!("`concatenate` along axis {d} needs operands alike in all other axes, and got {types}")
        })?;
        let mut shape = first.shape.clone();
        shape.0[self.dim] = x.iter().fold(0usize, |n, t| n.saturating_add(t.shape[self.dim]));
        Ok(vec![first.with_shape(shape)])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(ct) = ct[0] else { return Ok(vec![None; x.len()]) };
        let mut start = 0;
        let mut part = |x: &Operand| {
            let size = x.ty(b).shape[self.dim];
            start += size;
            x.is_linear().then(|| b.slice_axis(ct, self.dim, start - size, start))
        };
        Ok(x.iter().map(&mut part).collect())
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let x = b.broadcast_together(x);
        Ok(vec![Batched::yes(b.concatenate(&x, self.dim + 1))])
    }
}
