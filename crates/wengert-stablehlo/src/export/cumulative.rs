//! What is accumulated along an axis, as a reduction under a window.

use super::function::Function;
use super::{Operand, Values};
use crate::cumulative::log_sum_exp;
use wengert_core::ops::{Combiner, Cumulative, CumulativeKind, Window, WindowAxis};
use wengert_core::{Result, Scalar, Shape, Tensor, Type};

impl Function<'_> {
    /// What a window sees that ends (or, in reverse, starts) at each element and is as long as the axis.
    pub(super) fn cumulative(&mut self, op: &Cumulative, x: Operand<'_>, y: &Type) -> Result<Values> {
        let n = x.ty.shape[op.dim];
        if x.ty.shape.size() == 0 {
            return Ok(Values::from_slice(&[x.value]));
        }
        let before = n as i64 - 1;
        let axis = |d: usize| WindowAxis {
            size: if d == op.dim { n } else { 1 },
            stride: 1,
            padding: match (d == op.dim, op.reverse) {
                (false, _) => (0, 0),
                (true, false) => (before, 0),
                (true, true) => (0, before),
            },
            base_dilation: 1,
            window_dilation: 1,
        };
        let window: Window = (0..x.ty.rank()).map(axis).collect();
        let (combiner, start) = match op.kind {
            CumulativeKind::Sum => (Combiner::Add, None),
            CumulativeKind::Prod => (Combiner::Mul, None),
            CumulativeKind::Max => (Combiner::Max, None),
            CumulativeKind::Min => (Combiner::Min, None),
            CumulativeKind::LogSumExp => {
                let nothing = Scalar::from_f64(y.dtype, f64::NEG_INFINITY);
                (Combiner::Program(log_sum_exp(y.dtype).into()), Some(nothing))
            }
        };
        let start = start.or(combiner.identity(y.dtype)).expect("all have one");
        let start = self.constant(&Tensor::splat(Shape::scalar(), start));
        let scalar = Type::scalar(y.dtype);
        self.windows(&window, &[x], &[start], &[y], &|f, args| f.combined(&combiner, &[&scalar], args))
    }
}
