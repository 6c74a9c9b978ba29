//! Gather, scatter and sort.

use super::body::{Body, Handler};
use super::elementwise::operand;
use super::fields::Fields;
use super::reduction::{combiner, returned_argument};
use crate::syntax::Operation;
use crate::{GATHER, SCATTER};
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Dims, Error, ErrorKind, Result, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "gather" => |c, op, x| {
            let sizes = c.fields(op).dims("slice_sizes")?;
            gather(c, op, x, sizes)
        },
        "scatter" => scatter,
        "sort" => sort,
        _ => return None,
    })
}

/// How indices point into an array, by the names that the op has for it.
fn indexing(d: Fields<'_, '_>, names: [&str; 5]) -> Result<Indexing> {
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

fn scatter<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    let [region] = &op.regions[..] else {
        return Err(Error::new(ErrorKind::Text, "`scatter` needs a region that combines"));
    };
    let one = x.len() == 3;
    let update = match returned_argument(region) {
        Some(1) if one => Update::Set,
        _ => Update::Combine(combiner(c, op, region, x.len() / 2)?),
    };
    let scatter = Scatter {
        indexing: indexing(f.part("scatter_dimension_numbers")?, SCATTER)?,
        update,
        indices_are_sorted: f.flag_or("indices_are_sorted", false)?,
        unique_indices: f.flag_or("unique_indices", false)?,
    };
    c.push(scatter, x)
}

fn sort<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    // A negative axis counts from the end, and the last one is the default.
    let rank = c.b.shape(operand(x, 0)?).rank() as i64;
    let dim = f.ints("dimension")?.and_then(|d| d.first().copied()).unwrap_or(-1);
    let dim = if dim < 0 { dim.saturating_add(rank) } else { dim };
    let dim = usize::try_from(dim).map_err(|_| Error::shape(format!("there is no axis {dim}")))?;
    let [region] = &op.regions[..] else {
        return Err(Error::new(ErrorKind::Text, "`sort` needs a region that compares"));
    };
    let program = c.closed_region(op, region)?;
    let order = match super::order::natural_keys(&program) {
        Some(keys) => Order::Natural(keys),
        None => Order::Program(Arc::new(program)),
    };
    c.push(Sort { dim, stable: f.flag_or("is_stable", false)?, order }, x)
}
