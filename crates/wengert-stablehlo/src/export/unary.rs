//! Elementwise ops of one operand, by their names.

use super::function::Function;
use super::{Operand, Values};
use crate::names::Named;
use wengert_core::ops::Unary;
use wengert_core::{DType, Result, Type};

/// Whether an op of one operand of this element type has a name.
pub(super) fn has_unary(op: Unary, d: DType) -> bool {
    match op {
        Unary::Real | Unary::Imag => d.is_complex(),
        Unary::Sign => !d.is_unsigned(),
        op => op.spelling().is_some(),
    }
}

impl Function<'_> {
    pub(super) fn unary(&mut self, op: Unary, x: Operand<'_>, y: &Type) -> Result<Values> {
        match has_unary(op, x.ty.dtype) {
            true => Ok(self.named(op, &[x], y)),
            false => self.expanded(op, &[x]),
        }
    }
}
