//! Gather, and how indices point into arrays.

use super::function::{Function, operands, types};
use super::lower;
use super::text::{Array, List, Signature, Value};
use super::{Operand, Values};
use wengert_core::ops::{Gather, Indexing, OutOfBounds};
use wengert_core::{Result, Scalar, Tensor, Type};

/// The lists that are not empty, by name, and where the index vectors are.
fn numbers(dialect: &str, lists: &[(&str, &[usize])], index_vector_dim: usize) -> String {
    let mut parts: Vec<String> =
        lists.iter().filter(|(_, l)| !l.is_empty()).map(|(name, l)| format!("{name} = {}", List(l))).collect();
    if index_vector_dim > 0 {
        parts.push(format!("index_vector_dim = {index_vector_dim}"));
    }
    format!("#stablehlo.{dialect}<{}>", parts.join(", "))
}

pub(super) fn scatter_numbers(at: &Indexing) -> String {
    let lists: [(&str, &[usize]); 5] = [
        ("update_window_dims", &at.window_dims),
        ("inserted_window_dims", &at.collapsed_dims),
        ("input_batching_dims", &at.operand_batching_dims),
        ("scatter_indices_batching_dims", &at.indices_batching_dims),
        ("scatter_dims_to_operand_dims", &at.index_map),
    ];
    numbers("scatter", &lists, at.index_vector_dim)
}

fn gather_numbers(at: &Indexing) -> String {
    let lists: [(&str, &[usize]); 5] = [
        ("offset_dims", &at.window_dims),
        ("collapsed_slice_dims", &at.collapsed_dims),
        ("operand_batching_dims", &at.operand_batching_dims),
        ("start_indices_batching_dims", &at.indices_batching_dims),
        ("start_index_map", &at.index_map),
    ];
    numbers("gather", &lists, at.index_vector_dim)
}

impl Function<'_> {
    pub(super) fn gather(&mut self, op: &Gather, x: &[Operand<'_>], y: &Type) -> Result<Values> {
        let fill = match op.out_of_bounds {
            OutOfBounds::Clip => Scalar::from_i64(y.dtype, 0),
            OutOfBounds::Fill(s) => s,
        };
        // Nothing to gather from, or nothing to gather.
        if x[0].ty.shape.size() == 0 || y.shape.size() == 0 {
            return Ok(Values::from_slice(&[self.constant(&Tensor::splat(y.shape.clone(), fill))]));
        }
        if op.out_of_bounds != OutOfBounds::Clip {
            let values: Vec<Value> = x.iter().map(|x| x.value).collect();
            return self.inline(&lower::gather_or_fill(op, fill, x[0].ty, x[1].ty), &values);
        }
        let (values, from, numbers) = (operands(x), types(x), gather_numbers(&op.indexing));
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
