//! Batch normalization: over all axes but one, whose elements are features.

use super::body::{Body, Handler};
use super::elementwise::operand;
use crate::syntax::Operation;
use wengert_core::ops::Unary;
use wengert_core::{Builder, DType, Dims, Error, Result, Shape, Type, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "batch_norm_training" => training,
        "batch_norm_inference" => inference,
        "batch_norm_grad" => gradient,
        _ => return None,
    })
}

/// What is normalized: one array, or two for gradients, and numbers for each feature.
struct Batch {
    shape: Shape,
    feature: usize,
    epsilon: f64,
}

impl Batch {
    /// Reads the operands, of which some are arrays and the others have a number for each feature. All are in one type
    /// from here on, which has 32 bits at least.
    fn new<'m, 'a>(
        c: &mut Body<'_, 'm, 'a>,
        op: &'m Operation<'a>,
        x: &[Var],
        arrays: &[usize],
        count: usize,
    ) -> Result<(Batch, Vec<Var>)> {
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
        Ok((Batch { shape, feature, epsilon }, x))
    }

    /// A number for each feature, everywhere.
    fn spread(&self, b: &mut Builder, v: Var) -> Var {
        b.broadcast(v, &self.shape, &[self.feature])
    }

    /// The sum for each feature.
    fn sum(&self, b: &mut Builder, v: Var) -> Var {
        let dims: Dims = (0..self.shape.rank()).filter(|&d| d != self.feature).collect();
        b.sum(v, &dims)
    }

    /// How many elements a feature has.
    fn count(&self) -> f64 {
        (self.shape.iter().enumerate()).filter(|(d, _)| *d != self.feature).map(|(_, &n)| n as f64).product()
    }

    fn mean(&self, b: &mut Builder, v: Var) -> Var {
        let sum = self.sum(b, v);
        let count = b.full_like(sum, self.count());
        b.div(sum, count)
    }

    fn centered(&self, b: &mut Builder, x: Var, mean: Var) -> Var {
        let mean = self.spread(b, mean);
        b.sub(x, mean)
    }

    fn deviation(&self, b: &mut Builder, variance: Var) -> Var {
        let safe = b.offset(variance, self.epsilon);
        b.unary(Unary::Sqrt, safe)
    }

    fn normalized(&self, b: &mut Builder, centered: Var, variance: Var, scale: Var, offset: Var) -> Var {
        let deviation = self.deviation(b, variance);
        let [deviation, scale, offset] = [deviation, scale, offset].map(|v| self.spread(b, v));
        let y = b.div(centered, deviation);
        let y = b.mul(y, scale);
        b.add(y, offset)
    }
}

/// The results in the element types they are written with.
fn results<'a>(c: &mut Body<'_, '_, 'a>, op: &Operation<'a>, y: &[Var]) -> Result<Vars> {
    let types: Vec<Type> = (0..y.len()).map(|i| c.result_type(op, i)).collect::<Result<_>>()?;
    Ok(y.iter().zip(types).map(|(&v, ty)| c.b.convert(v, ty.dtype)).collect())
}

fn training<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let (batch, x) = Batch::new(c, op, x, &[0], 3)?;
    let b = &mut c.b;
    let mean = batch.mean(b, x[0]);
    let centered = batch.centered(b, x[0], mean);
    let squares = b.mul(centered, centered);
    let variance = batch.mean(b, squares);
    let y = batch.normalized(b, centered, variance, x[1], x[2]);
    results(c, op, &[y, mean, variance])
}

fn inference<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let (batch, x) = Batch::new(c, op, x, &[0], 5)?;
    let centered = batch.centered(&mut c.b, x[0], x[3]);
    let y = batch.normalized(&mut c.b, centered, x[4], x[1], x[2]);
    results(c, op, &[y])
}

/// Gradients by the array, the scale and the offset, from the gradient by the result.
fn gradient<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let (batch, x) = Batch::new(c, op, x, &[0, 4], 5)?;
    let (b, scale, back) = (&mut c.b, x[1], x[4]);
    let centered = batch.centered(b, x[0], x[2]);
    let deviation = batch.deviation(b, x[3]);
    let wide = batch.spread(b, deviation);
    let unit = b.div(centered, wide);
    let product = b.mul(back, unit);
    let by_scale = batch.sum(b, product);
    let by_offset = batch.sum(b, back);
    // Without the mean of the gradient, and without its part along the normalized array.
    let shares = [by_offset, by_scale].map(|v| {
        let count = b.full_like(v, batch.count());
        let mean = b.div(v, count);
        batch.spread(b, mean)
    });
    let along = b.mul(unit, shares[1]);
    let rest = b.sub(back, shares[0]);
    let rest = b.sub(rest, along);
    let factor = b.div(scale, deviation);
    let factor = batch.spread(b, factor);
    let by_array = b.mul(factor, rest);
    results(c, op, &[by_array, by_scale, by_offset])
}
