//! Batch normalization.

use super::body::{Body, Handler, operand};
use crate::syntax::Operation;
use wengert_core::{DType, Error, Result, Type, Var, Vars};
use wengert_expand::normalize::BatchNorm;

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.batch_norm_training" => |c, op, x| {
            let (batch, x) = operands(c, op, x, &[0], 3)?;
            let y = batch.training(&mut c.b, x[0], x[1], x[2]);
            results(c, op, &y)
        },
        "stablehlo.batch_norm_inference" => |c, op, x| {
            let (batch, x) = operands(c, op, x, &[0], 5)?;
            let y = batch.inference(&mut c.b, x[0], [x[1], x[2], x[3], x[4]]);
            results(c, op, &[y])
        },
        "stablehlo.batch_norm_grad" => |c, op, x| {
            let (batch, x) = operands(c, op, x, &[0, 4], 5)?;
            let y = batch.gradient(&mut c.b, x[0], [x[1], x[2], x[3]], x[4]);
            results(c, op, &y)
        },
        _ => return None,
    })
}

/// Reads the operands, of which some are arrays and the others have a number for each feature. All are in one type from
/// here on, which has 32 bits at least.
fn operands<'m, 'a>(
    c: &mut Body<'_, 'm, 'a>,
    op: &'m Operation<'a>,
    x: &[Var],
    arrays: &[usize],
    count: usize,
) -> Result<(BatchNorm, Vec<Var>)> {
    let f = c.fields(op);
    // It is an f32 for whatever type.
    let (feature, epsilon) = (f.size("feature_index")?, f.number("epsilon")? as f32 as f64);
    operand(x, count - 1)?;
    let shape = c.b.shape(x[0]).clone();
    let Some(&features) = shape.get(feature) else {
        return Err(Error::shape(format!("{} has no axis {feature}", c.b.ty(x[0]))));
    };
    let mut wide = DType::F32;
    for (i, &v) in x.iter().enumerate() {
        let ty = c.b.ty(v);
        let expected = if arrays.contains(&i) { shape.clone() } else { [features].into() };
        if !ty.dtype.is_float() || ty.shape != expected {
            return Err(Error::shape(format!("operand {i} is {ty}, and should be floats of the shape {expected}")));
        }
        wide = wide.promote(ty.dtype);
    }
    let x = x.iter().map(|&v| c.b.convert(v, wide)).collect();
    Ok((BatchNorm { shape, feature, epsilon }, x))
}

/// The results in the element types they are written with.
fn results<'a>(c: &mut Body<'_, '_, 'a>, op: &Operation<'a>, y: &[Var]) -> Result<Vars> {
    let types: Vec<Type> = (0..y.len()).map(|i| c.result_type(op, i)).collect::<Result<_>>()?;
    Ok(y.iter().zip(types).map(|(&v, ty)| c.b.convert(v, ty.dtype)).collect())
}
