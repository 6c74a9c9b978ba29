//! Where the extremes are.

use super::axes::Axes;
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::ok;
use wengert_core::ops::{ArgReduce, Extreme};
use wengert_core::{DType, Error, Place, Result, Shape};

impl Array {
    fn try_arg(&self, name: &str, extreme: Extreme, axes: &Axes, place: &Place) -> Result<Array> {
        self.not_empty(name, axes, place)?;
        let dims = axes.resolve(self.rank(), place)?;
        let mut kept = self.shape().clone();
        dims.iter().for_each(|&d| kept.0[d] = 1);
        let (x, dim) = match dims[..] {
            [dim] => (self.clone(), dim),
            _ if axes.is_all() => (self.try_reshape(Shape::from([self.size()]), place)?, 0),
            _ => {
                let message = format!("`{name}` goes along one axis, or with `..` over the flat array");
                return Err(Error::shape(message).at(place.clone()));
            }
        };
        let y = try_bind(ArgReduce { extreme, dim, dtype: DType::I64 }.into(), &[&x], place.clone())?.remove(0);
        if axes.keeps() { y.try_reshape(kept, place) } else { Ok(y) }
    }

    /// Where the largest element along an axis is; with `..`, in the flat array. The first of equal ones; NaN wins.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1, 5, 2], [9, 0, 9]]);
    /// assert_eq!(x.argmax(1).to_vec::<i64>(), [1, 0]);
    /// assert_eq!(x.argmax(..).item::<i64>(), 3);
    /// ```
    #[track_caller]
    pub fn argmax(&self, axis: impl Into<Axes>) -> Array {
        ok(self.try_arg("argmax", Extreme::Max, &axis.into(), &Place::caller()))
    }

    /// Where the smallest element along an axis is; with `..`, in the flat array. The first of equal ones; NaN wins.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 5, 2], [9, 0, 9]]).argmin(1).to_vec::<i64>(), [0, 1]);
    /// ```
    #[track_caller]
    pub fn argmin(&self, axis: impl Into<Axes>) -> Array {
        ok(self.try_arg("argmin", Extreme::Min, &axis.into(), &Place::caller()))
    }
}
