//! Arrays cut and put together at positions known beforehand.

use super::body::Handler;
use wengert_core::ops::{Concatenate, Pad, Reverse, Slice};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.reverse" => |c, op, x| c.push(Reverse { dims: c.fields(op).dims("dimensions")? }, x),
        "stablehlo.slice" => |c, op, x| {
            let f = c.fields(op);
            let (start, limit) = (f.dims("start_indices")?, f.dims("limit_indices")?);
            let strides = f.dims("strides")?;
            c.push(Slice { start, limit, strides }, x)
        },
        "stablehlo.pad" => |c, op, x| {
            let f = c.fields(op);
            let (low, high) = (f.needed_ints("edge_padding_low")?, f.needed_ints("edge_padding_high")?);
            c.push(Pad { low, high, interior: f.dims("interior_padding")? }, x)
        },
        "stablehlo.concatenate" => |c, op, x| c.push(Concatenate { dim: c.fields(op).size("dimension")? }, x),
        _ => return None,
    })
}
