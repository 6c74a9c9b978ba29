//! Gather, and how indices point into arrays.

use super::function::{Function, operands, types};
use super::text::{Array, List, Signature};
use super::{Operand, Values};
use crate::names::GATHER;
use wengert_core::ops::{Gather, Indexing, OutOfBounds};
use wengert_core::{Result, Type};

/// The lists that are not empty, by name, and where the index vectors are.
pub(super) fn numbers(dialect: &str, names: [&str; 5], at: &Indexing) -> String {
    let lists =
        [&at.window_dims, &at.collapsed_dims, &at.operand_batching_dims, &at.indices_batching_dims, &at.index_map];
    let named = names.into_iter().zip(lists).filter(|(_, l)| !l.is_empty());
    let mut parts: Vec<String> = named.map(|(name, l)| format!("{name} = {}", List(l))).collect();
    if at.index_vector_dim > 0 {
        parts.push(format!("index_vector_dim = {}", at.index_vector_dim));
    }
    format!("#stablehlo.{dialect}<{}>", parts.join(", "))
}

impl Function<'_> {
    pub(super) fn gather(&mut self, op: &Gather, x: &[Operand<'_>], y: &Type) -> Result<Values> {
        let empty = x[0].ty.shape.size() == 0 || y.shape.size() == 0;
        if empty || op.out_of_bounds != OutOfBounds::Clip {
            return self.expanded(op.clone(), x);
        }
        let (values, from, numbers) = (operands(x), types(x), numbers("gather", GATHER, &op.indexing));
        Ok(self.many(
            1,
            format_args!(
                "\"stablehlo.gather\"({values}) <{{dimension_numbers = {numbers}, indices_are_sorted = {}, \
                 slice_sizes = {}}}> : {}",
                op.indices_are_sorted,
                Array(&op.slice_sizes),
                Signature(&from, &[y])
            ),
        ))
    }
}
