//! Reductions.

use super::axes::Axes;
use crate::array::Array;
use crate::fail::ok;
use crate::trace::try_bind;
use wengert_core::ops::{Combiner, Reduce};
use wengert_core::{Place, Result};

impl Array {
    /// Reduces along some axes.
    pub(crate) fn try_reduce(&self, combiner: Combiner, axes: &Axes, place: &Place) -> Result<Array> {
        let dims = axes.resolve(self.rank(), place)?;
        let op = Reduce { combiner, dims: dims.clone() };
        let y = try_bind(op.into(), &[self], place.clone())?.remove(0);
        if !axes.keeps() {
            return Ok(y);
        }
        let mut shape = self.shape().clone();
        dims.iter().for_each(|&d| shape.0[d] = 1);
        y.try_reshape(shape, place)
    }

    /// The sum along some axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0], [3.0, 4.0]]).sum(0).to_vec::<f32>(), [4.0, 6.0]);
    /// ```
    #[track_caller]
    pub fn sum(&self, axes: impl Into<Axes>) -> Array {
        ok(self.try_reduce(Combiner::Add, &axes.into(), &Place::caller()))
    }

    /// The largest element along some axes; NaN wins.
    #[track_caller]
    pub fn max(&self, axes: impl Into<Axes>) -> Array {
        ok(self.try_reduce(Combiner::Max, &axes.into(), &Place::caller()))
    }

    /// Whether all elements along some axes are true (not zero).
    #[track_caller]
    pub fn all(&self, axes: impl Into<Axes>) -> Array {
        let place = Place::caller();
        let b = ok(super::operators::convert(self, wengert_core::DType::Bool, &place));
        ok(b.try_reduce(Combiner::And, &axes.into(), &place))
    }
}
