//! Constants, counting, and sizes, which are constants here.

use super::body::{Body, Handler, operand};
use crate::syntax::Operation;
use wengert_core::ops::{Constant, Iota};
use wengert_core::{Error, ErrorKind, Result, Scalar, Tensor, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.constant" | "chlo.constant" => constant,
        "stablehlo.iota" => |c, op, x| {
            let (ty, dim) = (c.result_type(op, 0)?, c.fields(op).size("iota_dimension")?);
            c.push(Iota { ty, dim }, x)
        },
        "stablehlo.get_dimension_size" => |c, op, x| {
            let (ty, dim) = (c.result_type(op, 0)?, c.fields(op).size("dimension")?);
            let size = c.b.shape(operand(x, 0)?).get(dim).copied();
            let size = size.ok_or_else(|| Error::new(ErrorKind::Shape, format!("there is no axis {dim}")))?;
            let value = Scalar::from_i64(ty.dtype, size as i64);
            c.push(Constant { value: Tensor::splat(ty.shape, value) }, &[])
        },
        _ => return None,
    })
}

fn constant<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let value = c.fields(op).tensor("value")?;
    c.push(Constant { value }, x)
}
