//! Where the extremes of an array are.

use super::check;
use crate::error::Result;
use crate::op::Rules;
use crate::transform::{Batched, Batcher};
use crate::types::{DType, Type};
use crate::{attributes, named_attr, names};

names! {
    /// Which extreme.
    #[allow(missing_docs)]
    pub enum Extreme { Max = "max", Min = "min" }
}
named_attr!(Extreme);

attributes! {
    /// The index of the largest or smallest element along an axis, which disappears: the first of equal ones; a NaN
    /// comes before every number.
    "arg_reduce" => pub struct ArgReduce {
        /// Which extreme.
        pub extreme: Extreme,
        /// The axis along which.
        pub dim: usize,
        /// The element type of the result.
        pub dtype: DType,
    }
}

impl Rules for ArgReduce {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("arg_reduce", x)?;
        check::axes("arg_reduce", "axis", &[self.dim], x.rank())?;
        check::dtype("arg_reduce", x.dtype, "types with an order", !x.dtype.is_complex())?;
        check::dtype("arg_reduce", self.dtype, "integers for its result", self.dtype.is_integer())?;
        check::that(x.shape[self.dim] > 0, || {
            format!("`arg_reduce` needs something to choose from along axis {} of {x}", self.dim)
        })?;
        Ok(vec![Type::new(self.dtype, x.shape.without_axes(&[self.dim]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let op = ArgReduce { dim: self.dim + 1, ..self.clone() };
        Ok(vec![Batched::yes(b.one(op, &[x[0].var]))])
    }
}
