//! Broadcast, reshape and transpose.

use super::body::{Handler, operand};
use wengert_core::ops::{Broadcast, Reshape, Transpose};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.broadcast_in_dim" => |c, op, x| {
            let (shape, dims) = (c.result_shape(op)?, c.fields(op).dims("broadcast_dimensions")?);
            c.push(Broadcast { shape, dims }, x)
        },
        "stablehlo.broadcast" => |c, op, x| {
            let (sizes, shape) = (c.fields(op).dims("broadcast_sizes")?, c.b.shape(operand(x, 0)?));
            let dims = (sizes.len()..sizes.len() + shape.rank()).collect();
            let shape = sizes.iter().chain(shape.iter()).copied().collect();
            c.push(Broadcast { shape, dims }, x)
        },
        "stablehlo.reshape" => |c, op, x| c.push(Reshape { shape: c.result_shape(op)? }, x),
        "stablehlo.transpose" => |c, op, x| c.push(Transpose { perm: c.fields(op).dims("permutation")? }, x),
        _ => return None,
    })
}
