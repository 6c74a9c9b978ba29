//! Products summed over shared axes.

use super::body::{Body, Handler, operand};
use crate::syntax::Operation;
use wengert_core::ops::DotGeneral;
use wengert_core::{DType, Error, Op, Result, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.dot_general" => |c, op, x| {
            let d = c.fields(op).part("dot_dimension_numbers")?;
            let pair = |kind: &str| {
                let dims = |side| d.dims_or_none(&format!("{side}_{kind}_dimensions"));
                Ok::<_, Error>((dims("lhs")?, dims("rhs")?))
            };
            widened(c, op, x, DotGeneral { contract: pair("contracting")?, batch: pair("batching")? }.into())
        },
        "stablehlo.dot" => |c, op, x| {
            let last = c.b.shape(operand(x, 0)?).rank().saturating_sub(1);
            let contract = ([last].as_slice().into(), [0].as_slice().into());
            widened(c, op, x, DotGeneral { contract, batch: Default::default() }.into())
        },
        _ => return None,
    })
}

/// A product whose result may have another element type than its operands: done in the widest of them.
pub(super) fn widened<'a>(c: &mut Body<'_, '_, 'a>, op: &Operation<'a>, x: &[Var], product: Op) -> Result<Vars> {
    let result = c.result_type(op, 0)?.dtype;
    let (a, b) = (operand(x, 0)?, operand(x, 1)?);
    let wide = c.b.dtype(a).promote(c.b.dtype(b)).promote(result);
    // Sums of small numbers are kept in 32 bits where the result is short.
    let wide = if result == DType::F16 && wide == DType::BF16 { DType::F32 } else { wide };
    let (a, b) = (c.b.convert(a, wide), c.b.convert(b, wide));
    let y = c.one(product, &[a, b])?;
    Ok([c.b.convert(y, result)].as_slice().into())
}
