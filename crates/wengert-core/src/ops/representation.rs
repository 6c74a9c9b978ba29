//! Ops on how elements are represented: their bits under another type, and fewer of them.

use super::check;
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{DType, Type};

attributes! {
    /// The same bits under another element type. A narrower one adds a trailing axis, lowest bits first; a wider one
    /// takes it away.
    "bitcast" => pub struct Bitcast {
        /// The element type of the result.
        pub dtype: DType,
    }
}

impl Rules for Bitcast {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("bitcast", x)?;
        if x.dtype == self.dtype {
            return Ok(vec![x.clone()]);
        }
        for d in [x.dtype, self.dtype] {
            check::dtype("bitcast", d, "bools, integers and floats", !d.is_complex())?;
        }
        let (from, to) = (x.dtype.bits(), self.dtype.bits());
        let mut shape = x.shape.clone();
        if from > to {
            shape.0.push(from / to);
        } else if from < to {
            check::that(shape.0.pop() == Some(to / from), || {
                format!("`bitcast` to {} needs a last axis of size {}, and got {x}", self.dtype, to / from)
            })?;
        }
        Ok(vec![Type { dtype: self.dtype, shape }])
    }

    fn tangents(&self, _: &mut Builder, _: &[Var], _: &[Var], _: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        // Steps everywhere: no derivative, as for rounding.
        Ok(vec![None])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        Ok(vec![Batched::yes(b.one(self.clone(), &[x[0].var]))])
    }
}

attributes! {
    /// Rounds to a float with fewer bits, kept in the same type. Numbers too large become infinite, and those too small
    /// to be normal become zero.
    "reduce_precision" => pub struct ReducePrecision {
        /// Bits of the exponent.
        pub exponent: usize,
        /// Bits of the mantissa.
        pub mantissa: usize,
    }
}

impl Rules for ReducePrecision {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("reduce_precision", x)?;
        check::dtype("reduce_precision", x.dtype, "floats", x.dtype.is_float())?;
        check::that(self.exponent > 0, || "`reduce_precision` needs at least one bit of exponent".into())?;
        Ok(vec![x.clone()])
    }

    fn elementwise(&self) -> bool {
        true
    }

    fn linearity(&self) -> Linearity {
        // But for rounding.
        Linearity::Jointly(|_| true)
    }

    fn transpose(&self, b: &mut Builder, _: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(vec![ct[0].map(|ct| b.one(self.clone(), &[ct]))])
    }
}
