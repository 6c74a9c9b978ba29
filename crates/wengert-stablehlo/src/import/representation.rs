//! Operations on how elements are represented.

use super::body::Handler;
use wengert_core::ops::{Bitcast, ReducePrecision};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.bitcast_convert" => |c, op, x| c.push(Bitcast { dtype: c.result_type(op, 0)?.dtype }, x),
        "stablehlo.reduce_precision" => |c, op, x| {
            let f = c.fields(op);
            let (exponent, mantissa) = (f.size("exponent_bits")?, f.size("mantissa_bits")?);
            c.push(ReducePrecision { exponent, mantissa }, x)
        },
        _ => return None,
    })
}
