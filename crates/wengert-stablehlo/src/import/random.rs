//! Random bits. Threefry comes in as a custom call.

use super::body::Handler;
use wengert_core::ops::RngBitGenerator;
use wengert_core::{Error, ErrorKind};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.rng_bit_generator" => |c, op, x| {
            let algorithm = c.fields(op).choice("rng_algorithm", "a generator")?;
            let ty = c.result_type(op, 1)?;
            if !ty.dtype.is_integer() {
                let m = format!("`{}` that gives {ty} is not supported: bits are integers here", op.name);
                return Err(Error::new(ErrorKind::Unsupported, m));
            }
            c.push(RngBitGenerator { algorithm, ty }, x)
        },
        _ => return None,
    })
}
