//! Constants, and ops that move elements.

use super::body::{Body, Handler};
use super::elementwise::operand;
use crate::syntax::Operation;
use wengert_core::ops::*;
use wengert_core::{Dims, Error, ErrorKind, Result, Scalar, Shape, Tensor, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "constant" => constant,
        "iota" => |c, op, x| {
            let (ty, dim) = (c.result_type(op, 0)?, c.fields(op).size("iota_dimension")?);
            c.push(Iota { ty, dim }, x)
        },
        "broadcast_in_dim" => |c, op, x| {
            let (shape, dims) = (c.result_shape(op)?, c.fields(op).dims("broadcast_dimensions")?);
            c.push(Broadcast { shape, dims }, x)
        },
        "broadcast" => |c, op, x| {
            let (sizes, shape) = (c.fields(op).dims("broadcast_sizes")?, c.b.shape(operand(x, 0)?));
            let dims = (sizes.len()..sizes.len() + shape.rank()).collect();
            let shape = sizes.iter().chain(shape.iter()).copied().collect();
            c.push(Broadcast { shape, dims }, x)
        },
        "reshape" => |c, op, x| c.push(Reshape { shape: c.result_shape(op)? }, x),
        "transpose" => |c, op, x| c.push(Transpose { perm: c.fields(op).dims("permutation")? }, x),
        "reverse" => |c, op, x| c.push(Reverse { dims: c.fields(op).dims("dimensions")? }, x),
        "slice" => |c, op, x| {
            let f = c.fields(op);
            let (start, limit) = (f.dims("start_indices")?, f.dims("limit_indices")?);
            let strides = f.dims("strides")?;
            c.push(Slice { start, limit, strides }, x)
        },
        "pad" => |c, op, x| {
            let f = c.fields(op);
            let (low, high) = (f.needed_ints("edge_padding_low")?, f.needed_ints("edge_padding_high")?);
            c.push(Pad { low, high, interior: f.dims("interior_padding")? }, x)
        },
        "concatenate" => |c, op, x| c.push(Concatenate { dim: c.fields(op).size("dimension")? }, x),
        "dynamic_slice" => |c, op, x| c.push(DynamicSlice { sizes: c.fields(op).dims("slice_sizes")? }, x),
        "dynamic_update_slice" => |c, _, x| c.push(DynamicUpdateSlice {}, x),
        "get_dimension_size" => |c, op, x| {
            let (ty, dim) = (c.result_type(op, 0)?, c.fields(op).size("dimension")?);
            let size = c.b.shape(operand(x, 0)?).get(dim).copied();
            let size = size.ok_or_else(|| Error::new(ErrorKind::Shape, format!("there is no axis {dim}")))?;
            let value = Scalar::from_i64(ty.dtype, size as i64);
            c.push(Constant { value: Tensor::splat(ty.shape, value) }, &[])
        },
        // One program runs on one device here.
        "replica_id" | "partition_id" => |c, op, _| {
            let ty = c.result_type(op, 0)?;
            c.push(Constant { value: Tensor::zeros(&ty) }, &[])
        },
        "torch_index_select" => torch_index_select,
        _ => return None,
    })
}

pub(super) fn constant<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let value = c.fields(op).tensor("value")?;
    c.push(Constant { value }, x)
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
