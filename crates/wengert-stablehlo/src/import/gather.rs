//! Gather, and how indices point into arrays.

use super::body::{Body, Handler, operand};
use super::fields::Fields;
use crate::names::GATHER;
use crate::syntax::Operation;
use wengert_core::ops::{Gather, Indexing, OutOfBounds};
use wengert_core::{Dims, Error, Result, Shape, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.gather" => |c, op, x| {
            let sizes = c.fields(op).dims("slice_sizes")?;
            gather(c, op, x, sizes)
        },
        "stablehlo.torch_index_select" => torch_index_select,
        _ => return None,
    })
}

/// How indices point into an array, by the names that the op has for it.
pub(super) fn indexing(d: Fields<'_, '_>, names: [&str; 5]) -> Result<Indexing> {
    let [window, collapsed, operand_batching, indices_batching, map] = names;
    Ok(Indexing {
        window_dims: d.dims_or_none(window)?,
        collapsed_dims: d.dims_or_none(collapsed)?,
        operand_batching_dims: d.dims_or_none(operand_batching)?,
        indices_batching_dims: d.dims_or_none(indices_batching)?,
        index_map: d.dims_or_none(map)?,
        index_vector_dim: d.size_or_zero("index_vector_dim")?,
    })
}

pub(super) fn gather<'m, 'a>(
    c: &mut Body<'_, 'm, 'a>,
    op: &'m Operation<'a>,
    x: &[Var],
    slice_sizes: Dims,
) -> Result<Vars> {
    let f = c.fields(op);
    let gather = Gather {
        indexing: indexing(f.part("dimension_numbers")?, GATHER)?,
        slice_sizes,
        out_of_bounds: OutOfBounds::Clip,
        indices_are_sorted: f.flag_or("indices_are_sorted", false)?,
        unique_indices: false,
    };
    c.push(gather, x)
}

/// Along one axis, the elements at given indices, after axes that both share.
fn torch_index_select<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    let (dim, batch) = (f.size("dim")?, f.size("batch_dims")?);
    let (shape, places) = (c.b.shape(operand(x, 0)?).clone(), c.b.shape(operand(x, 1)?).clone());
    if dim >= shape.rank() || batch > dim || batch > places.rank() {
        return Err(Error::shape(format!("there is no axis {dim} after {batch} axes that both operands share")));
    }
    let window: Shape =
        shape.iter().enumerate().map(|(i, &n)| if i < batch || i == dim { n.min(1) } else { n }).collect();
    let after = dim + places.rank() - batch;
    let gather = Gather {
        indexing: Indexing {
            window_dims: (batch..dim).chain(after..after + shape.rank() - dim - 1).collect(),
            collapsed_dims: [dim].as_slice().into(),
            operand_batching_dims: (0..batch).collect(),
            indices_batching_dims: (0..batch).collect(),
            index_map: [dim].as_slice().into(),
            index_vector_dim: places.rank(),
        },
        slice_sizes: Dims::from_slice(&window),
        out_of_bounds: OutOfBounds::Clip,
        indices_are_sorted: false,
        unique_indices: false,
    };
    c.push(gather, x)
}
