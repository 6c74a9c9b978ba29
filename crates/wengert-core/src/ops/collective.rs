//! Ops that communicate over a named axis: each member of the axis runs the same program on data of its own, and here
//! they exchange some. Batching over the axis of that name turns them into ops along the batch.

use super::{Combiner, Direction, Iota, check};
use crate::builder::Builder;
use crate::error::{Error, ErrorKind, Result};
use crate::host::Tensor;
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{DType, Dims, Type};
use crate::{attributes, named_attr, names};
use std::sync::Arc;

/// Whether the batch is the axis an op communicates over; then it must have its size.
fn over(b: &Batcher<'_>, axis: &str, size: usize) -> Result<bool> {
    let here = b.axis == Some(axis);
    if here && b.size != size {
        let m = format!("axis `{axis}` has size {size} in the program, and it is mapped over {} members", b.size);
        return Err(Error::shape(m));
    }
    Ok(here)
}

/// The error of a device that runs an op over an axis it does not know.
pub fn unbound_axis(axis: &str) -> Error {
    let m = format!("axis `{axis}` is not bound by an enclosing `vmap` or `spmd`");
    Error::new(ErrorKind::Run, m).note("name the axis there: `vmap(f).axis_name(..)`")
}

/// The operand has the members as its leading axis.
fn members_first<'a>(op: &str, size: usize, x: &'a [Type]) -> Result<&'a Type> {
    let [x] = check::operands(op, x)?;
    check::that(x.rank() > 0 && x.shape[0] == size, || {
        format!("`{op}` over {size} members needs a leading axis of that size, and got {x}")
    })?;
    Ok(x)
}

/// The cotangent, if there is one and it is wanted.
fn wanted(x: &[Operand], ct: &[Option<Var>]) -> Option<Var> {
    ct[0].filter(|_| x[0].is_linear())
}

attributes! {
    /// The position of this member on the axis.
    "axis_index" => pub struct AxisIndex {
        /// The axis.
        pub axis: Arc<str>,
        /// Its size.
        pub size: usize,
    }
}

impl Rules for AxisIndex {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        check::operands::<0>("axis_index", x)?;
        Ok(vec![Type::scalar(DType::I32)])
    }

    fn axis_name(&self) -> Option<&str> {
        Some(&self.axis)
    }

    fn batch(&self, b: &mut Batcher<'_>, _: &[Batched]) -> Result<Vec<Batched>> {
        over(b, &self.axis, self.size)?;
        let ty = Type::new(DType::I32, [self.size]);
        Ok(vec![Batched::yes(b.one(Iota { ty, dim: 0 }, &[]))])
    }
}

names! {
    /// What [`AllReduce`] combines with.
    #[allow(missing_docs)]
    pub enum Reduction { Add = "add", Max = "max", Min = "min" }
}
named_attr!(Reduction);

attributes! {
    /// The operands of all members combined element by element; every member gets the same.
    "all_reduce" => pub struct AllReduce {
        /// The axis.
        pub axis: Arc<str>,
        /// Its size.
        pub size: usize,
        /// What combines two elements.
        pub reduction: Reduction,
    }
}

impl AllReduce {
    fn sum(&self) -> AllReduce {
        AllReduce { reduction: Reduction::Add, ..self.clone() }
    }
}

impl Rules for AllReduce {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("all_reduce", x)?;
        Ok(vec![x.clone()])
    }

    fn axis_name(&self) -> Option<&str> {
        Some(&self.axis)
    }

    fn linearity(&self) -> Linearity {
        if self.reduction == Reduction::Add { Linearity::Jointly(|_| true) } else { Linearity::None }
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let t = t[0].expect("called with a tangent");
        if self.reduction == Reduction::Add {
            return Ok(vec![Some(b.one(self.clone(), &[t]))]);
        }
        // The mean of the tangents of the members that hold the extreme.
        let here = b.compare(Direction::Eq, x[0], y[0]);
        let dtype = b.dtype(t);
        let here = b.convert(here, dtype);
        let count = b.one(self.sum(), &[here]);
        let moved = b.mul(t, here);
        let moved = b.one(self.sum(), &[moved]);
        Ok(vec![Some(b.div(moved, count))])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(vec![wanted(x, ct).map(|ct| b.one(self.clone(), &[ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if !over(b, &self.axis, self.size)? {
            return Ok(b.elementwise(self.clone().into(), x));
        }
        let x = b.materialize(x[0]);
        let combiner = match self.reduction {
            Reduction::Add => Combiner::Add,
            Reduction::Max => Combiner::Max,
            Reduction::Min => Combiner::Min,
        };
        Ok(vec![Batched::no(b.reduce(combiner, x, &[0]))])
    }
}

attributes! {
    /// The operands of all members stacked along a new leading axis; every member gets the same.
    "all_gather" => pub struct AllGather {
        /// The axis.
        pub axis: Arc<str>,
        /// Its size.
        pub size: usize,
    }
}

impl Rules for AllGather {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("all_gather", x)?;
        Ok(vec![x.with_shape(x.shape.with_axis(0, self.size))])
    }

    fn axis_name(&self) -> Option<&str> {
        Some(&self.axis)
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let op = ReduceScatter { axis: self.axis.clone(), size: self.size };
        Ok(vec![wanted(x, ct).map(|ct| b.one(op, &[ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if over(b, &self.axis, self.size)? {
            return Ok(vec![Batched::no(b.materialize(x[0]))]);
        }
        let y = b.one(self.clone(), &[x[0].var]);
        Ok(vec![Batched::yes(b.move_axis(y, 1, 0))])
    }
}

attributes! {
    /// The operands of all members added, and of the sum, member `i` gets the slice at `i` of the leading axis.
    "reduce_scatter" => pub struct ReduceScatter {
        /// The axis.
        pub axis: Arc<str>,
        /// Its size.
        pub size: usize,
    }
}

impl Rules for ReduceScatter {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let x = members_first("reduce_scatter", self.size, x)?;
        Ok(vec![x.with_shape(x.shape.without_axes(&[0]))])
    }

    fn axis_name(&self) -> Option<&str> {
        Some(&self.axis)
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let op = AllGather { axis: self.axis.clone(), size: self.size };
        Ok(vec![wanted(x, ct).map(|ct| b.one(op, &[ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if over(b, &self.axis, self.size)? {
            let x = b.materialize(x[0]);
            return Ok(vec![Batched::yes(b.sum(x, &[0]))]);
        }
        let x = b.move_axis(x[0].var, 0, 1);
        Ok(vec![Batched::yes(b.one(self.clone(), &[x]))])
    }
}

attributes! {
    /// Member `i` gets, as the slice at `j` of the leading axis, the slice at `i` of member `j`.
    "all_to_all" => pub struct AllToAll {
        /// The axis.
        pub axis: Arc<str>,
        /// Its size.
        pub size: usize,
    }
}

impl Rules for AllToAll {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(vec![members_first("all_to_all", self.size, x)?.clone()])
    }

    fn axis_name(&self) -> Option<&str> {
        Some(&self.axis)
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(vec![wanted(x, ct).map(|ct| b.one(self.clone(), &[ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let here = over(b, &self.axis, self.size)?;
        let x = b.materialize(x[0]);
        let swapped = b.move_axis(x, 0, 1);
        if here {
            return Ok(vec![Batched::yes(swapped)]);
        }
        let y = b.one(self.clone(), &[swapped]);
        Ok(vec![Batched::yes(b.move_axis(y, 1, 0))])
    }
}

attributes! {
    /// Member `to` gets the operand of member `from`, for each pair; members that nobody sends to get zeros.
    "collective_permute" => pub struct CollectivePermute {
        /// The axis.
        pub axis: Arc<str>,
        /// Its size.
        pub size: usize,
        /// `(from, to)`.
        pub pairs: Vec<(usize, usize)>,
    }
}

impl Rules for CollectivePermute {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("collective_permute", x)?;
        let (from, to): (Dims, Dims) = self.pairs.iter().copied().unzip();
        check::axes("collective_permute", "sender", &from, self.size)?;
        check::axes("collective_permute", "receiver", &to, self.size)?;
        Ok(vec![x.clone()])
    }

    fn axis_name(&self) -> Option<&str> {
        Some(&self.axis)
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let back =
            CollectivePermute { pairs: self.pairs.iter().map(|&(from, to)| (to, from)).collect(), ..self.clone() };
        Ok(vec![wanted(x, ct).map(|ct| b.one(back, &[ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if !over(b, &self.axis, self.size)? {
            return Ok(b.elementwise(self.clone().into(), x));
        }
        // Nobody is past the last member: such a row is zeros.
        let mut senders = vec![self.size as i32; self.size];
        for &(from, to) in &self.pairs {
            senders[to] = from as i32;
        }
        let x = b.materialize(x[0]);
        let senders = b.constant(Tensor::new([self.size], senders)?);
        Ok(vec![Batched::yes(b.gather_rows(x, senders))])
    }
}
