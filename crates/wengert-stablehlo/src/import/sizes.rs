//! Operations whose sizes are operands. Arrays have sizes that are known, so the type of the result says most of it, and the
//! rest must be constants.

use super::body::{Body, Handler, operand};
use super::{conv, gather};
use crate::syntax::Operation;
use wengert_core::ops::*;
use wengert_core::{Dims, Error, ErrorKind, Op, Result, Var};

/// Operands with more elements than this are no sizes.
const MOST: usize = 4096;

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.dynamic_reshape" => |c, op, x| {
            let shape = c.result_shape(op)?;
            c.absorbed.extend(x.get(1));
            c.push(Reshape { shape }, &[operand(x, 0)?])
        },
        "stablehlo.dynamic_broadcast_in_dim" => |c, op, x| {
            let (shape, dims) = (c.result_shape(op)?, c.fields(op).dims("broadcast_dimensions")?);
            c.absorbed.extend(x.get(1));
            c.push(Broadcast { shape, dims }, &[operand(x, 0)?])
        },
        "stablehlo.dynamic_iota" => |c, op, x| {
            let (ty, dim) = (c.result_type(op, 0)?, c.fields(op).size("iota_dimension")?);
            c.absorbed.extend(x);
            c.push(Iota { ty, dim }, &[])
        },
        "stablehlo.real_dynamic_slice" => |c, op, x| {
            let [start, limit, strides] = [1, 2, 3].map(|i| dims(c, op, x, i));
            c.push(Slice { start: start?, limit: limit?, strides: strides? }, &x[..1])
        },
        "stablehlo.dynamic_pad" => |c, op, x| {
            let (low, high, interior) = (ints(c, op, x, 2)?, ints(c, op, x, 3)?, dims(c, op, x, 4)?);
            c.push(Pad { low, high, interior }, &x[..2])
        },
        "stablehlo.dynamic_gather" => |c, op, x| {
            let sizes = dims(c, op, x, 2)?;
            gather::gather(c, op, &x[..2], sizes)
        },
        "stablehlo.dynamic_conv" => |c, op, x| {
            let padding = ints(c, op, x, 2)?.chunks_exact(2).map(|p| (p[0], p[1])).collect();
            conv::convolution(c, op, &x[..2], Some(padding))
        },
        _ => return None,
    })
}

/// An operand that is a constant of integers.
fn ints(c: &mut Body<'_, '_, '_>, op: &Operation<'_>, x: &[Var], i: usize) -> Result<Vec<i64>> {
    let v = operand(x, i)?;
    let value = match c.b.definition(v).map(|e| &e.op) {
        Some(Op::Constant(Constant { value })) if value.size() <= MOST => value,
        _ => {
            let m = format!("`{}` with sizes that are not known before it runs is not supported", op.name);
            return Err(Error::new(ErrorKind::Unsupported, m));
        }
    };
    let whole = || Error::new(ErrorKind::Text, format!("operand {i} of `{}` should be integers", op.name));
    let all = (0..value.size()).map(|i| value.get(i).as_i64().ok_or_else(whole)).collect();
    c.absorbed.push(v);
    all
}

/// The same, none of them negative.
fn dims(c: &mut Body<'_, '_, '_>, op: &Operation<'_>, x: &[Var], i: usize) -> Result<Dims> {
    let negative = |_| Error::new(ErrorKind::Text, format!("operand {i} of `{}` should not be negative", op.name));
    ints(c, op, x, i)?.into_iter().map(|n| usize::try_from(n).map_err(negative)).collect()
}
