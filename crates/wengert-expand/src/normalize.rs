//! Batch normalization: over all axes but one, whose elements are features. Ops of StableHLO, none of ours; the element
//! types are up to the caller.

use wengert_core::ops::Unary;
use wengert_core::{Builder, Dims, Shape, Var};

/// What is normalized: arrays of one shape; and numbers for each feature.
#[derive(Clone, Debug)]
pub struct BatchNorm {
    /// The shape of the arrays.
    pub shape: Shape,
    /// The axis of the features.
    pub feature: usize,
    /// What is added to the variance.
    pub epsilon: f64,
}

impl BatchNorm {
    /// The normalized array, the mean and the variance.
    pub fn training(&self, b: &mut Builder, x: Var, scale: Var, offset: Var) -> [Var; 3] {
        let mean = self.mean(b, x);
        let centered = self.centered(b, x, mean);
        let squares = b.mul(centered, centered);
        let variance = self.mean(b, squares);
        [self.normalized(b, centered, variance, scale, offset), mean, variance]
    }

    /// The array normalized by a mean and a variance that are known.
    pub fn inference(&self, b: &mut Builder, x: Var, [scale, offset, mean, variance]: [Var; 4]) -> Var {
        let centered = self.centered(b, x, mean);
        self.normalized(b, centered, variance, scale, offset)
    }

    /// Gradients by the array, the scale and the offset, from the gradient `back` by the result.
    pub fn gradient(&self, b: &mut Builder, x: Var, [scale, mean, variance]: [Var; 3], back: Var) -> [Var; 3] {
        let centered = self.centered(b, x, mean);
        let deviation = self.deviation(b, variance);
        let wide = self.spread(b, deviation);
        let unit = b.div(centered, wide);
        let product = b.mul(back, unit);
        let by_scale = self.sum(b, product);
        let by_offset = self.sum(b, back);
        // Without the mean of the gradient, and without its part along the normalized array.
        let shares = [by_offset, by_scale].map(|v| {
            let count = b.full_like(v, self.count());
            let mean = b.div(v, count);
            self.spread(b, mean)
        });
        let along = b.mul(unit, shares[1]);
        let rest = b.sub(back, shares[0]);
        let rest = b.sub(rest, along);
        let factor = b.div(scale, deviation);
        let factor = self.spread(b, factor);
        [b.mul(factor, rest), by_scale, by_offset]
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
