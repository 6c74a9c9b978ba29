//! Scatter.

use super::function::{Function, RegionBody, operands, types};
use super::gather::numbers;
use super::text::Signature;
use super::{Operand, Values};
use crate::names::SCATTER;
use wengert_core::ops::{Scatter, Update};
use wengert_core::{Result, Type};

impl<'m> Function<'m> {
    pub(super) fn scatter(&mut self, op: &Scatter, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        let scalars: Vec<Type> = y.iter().map(|t| Type::scalar(t.dtype)).collect();
        let refs: Vec<&Type> = scalars.iter().collect();
        let body: RegionBody<'_, 'm> = &|f, args| match &op.update {
            Update::Set => Ok(Values::from_slice(&args[1..])),
            Update::Combine(c) => f.combined(c, &refs, args),
        };
        let twice = [&scalars[..], &scalars[..]].concat();
        let (values, from, numbers) = (operands(x), types(x), numbers("scatter", SCATTER, &op.indexing));
        self.with_regions(
            format_args!(
                "\"stablehlo.scatter\"({values}) <{{indices_are_sorted = {}, scatter_dimension_numbers = {numbers}, \
                 unique_indices = {}}}>",
                op.indices_are_sorted, op.unique_indices
            ),
            Signature(&from, y),
            &[(twice, scalars.clone(), body)],
        )
    }
}
