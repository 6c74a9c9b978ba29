//! Arrays from nothing: constants and counting. They depend on no operand, so no transform asks anything of them.

use super::check;
use crate::attributes;
use crate::error::Result;
use crate::host::Tensor;
use crate::op::Rules;
use crate::types::Type;

attributes! {
    /// A value known when the program was made.
    "constant" => pub struct Constant {
        /// The value.
        pub value: Tensor,
    }
}

impl Rules for Constant {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        check::operands::<0>("constant", x)?;
        Ok(vec![self.value.ty()])
    }
}

attributes! {
    /// Elements that count from 0 along one axis.
    "iota" => pub struct Iota {
        /// The type of the result.
        pub ty: Type,
        /// The axis along which the elements count.
        pub dim: usize,
    }
}

impl Rules for Iota {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        check::operands::<0>("iota", x)?;
        check::axes("iota", "axis", &[self.dim], self.ty.rank())?;
        let d = self.ty.dtype;
        check::dtype("iota", d, "numbers", d != crate::DType::Bool)?;
        Ok(vec![self.ty.clone()])
    }
}
