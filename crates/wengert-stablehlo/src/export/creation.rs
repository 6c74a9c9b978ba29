//! Constants.

use super::function::Function;
use super::literal::{Dense, repeated};
use super::text::{Ty, Value};
use wengert_core::{Element, Tensor};

impl Function<'_> {
    pub(super) fn constant(&mut self, t: &Tensor) -> Value {
        let y = self.one(format_args!("stablehlo.constant {} : {}", Dense(t), Ty(&t.ty())));
        if t.shape().rank() == 0
            && let Some(n) = t.get(0).as_i64()
        {
            self.ranges.insert(y, (n, n));
        }
        if let Some(value) = repeated(t) {
            self.repeated.insert(y, Tensor::splat(t.shape().clone(), value));
        }
        y
    }

    /// A scalar constant.
    pub(super) fn scalar<T: Element>(&mut self, x: T) -> Value {
        self.constant(&Tensor::scalar(x))
    }
}
