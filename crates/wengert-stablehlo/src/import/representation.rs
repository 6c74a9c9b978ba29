//! Operations on how elements are represented.

use super::body::Handler;
use wengert_core::ops::{Bitcast, Compare, Direction, ReducePrecision, Select};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.bitcast_convert" => |c, op, x| c.push(Bitcast { dtype: c.result_type(op, 0)?.dtype }, x),
        "stablehlo.reduce_precision" => |c, op, x| {
            let f = c.fields(op);
            let (exponent, mantissa) = (f.size("exponent_bits")?, f.size("mantissa_bits")?);
            let y = c.push(ReducePrecision { exponent, mantissa }, x)?;
            if mantissa > 0 {
                return Ok(y);
            }
            // Ours keeps NaN, as XLA does; here there is none without a mantissa.
            let nan = c.one(Compare { direction: Direction::Ne }, &[x[0], x[0]])?;
            let infinity = c.b.full_like(y[0], f64::INFINITY);
            c.push(Select {}, &[nan, infinity, y[0]])
        },
        _ => return None,
    })
}
