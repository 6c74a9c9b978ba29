//! Reductions along axes.

use super::axes::Axes;
use super::operators::{Operand, convert};
use super::where_;
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::ok;
use crate::tape::composite;
use crate::watch;
use wengert_core::ops::{Combiner, Reduce};
use wengert_core::{DType, Error, Place, Result};

/// The type a sum or product is computed in: 64 bits for integers, `f32` for short floats.
fn wide(d: DType) -> DType {
    match d {
        DType::F16 | DType::BF16 => DType::F32,
        d if d.is_unsigned() => DType::U64,
        d if d.is_differentiable() => d,
        _ => DType::I64,
    }
}

impl Array {
    /// Reduces along some axes.
    fn try_reduce(&self, combiner: Combiner, axes: &Axes, place: &Place) -> Result<Array> {
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

    /// A sum or product, computed in a wide type; floats come back in their own.
    fn try_fold(&self, combiner: Combiner, axes: &Axes, place: &Place) -> Result<Array> {
        let y = convert(self, wide(self.dtype()), place)?.try_reduce(combiner, axes, place)?;
        if self.dtype().is_float() { convert(&y, self.dtype(), place) } else { Ok(y) }
    }

    /// A reduction that has no value for no elements.
    fn try_extreme(&self, name: &str, combiner: Combiner, axes: &Axes, place: &Place) -> Result<Array> {
        self.not_empty(name, axes, place)?;
        self.try_reduce(combiner, axes, place)
    }

    /// Each result of reducing along these axes has an element to come from.
    pub(crate) fn not_empty(&self, name: &str, axes: &Axes, place: &Place) -> Result<()> {
        let dims = axes.resolve(self.rank(), place)?;
        match dims.iter().find(|&&d| self.shape()[d] == 0) {
            None => Ok(()),
            Some(d) => Err(Error::shape(format!(
                "`{name}` has no value for no elements, and axis {d} of an array of type {} has size 0",
                self.ty()
            ))
            .at(place.clone())),
        }
    }

    /// The number of elements that go into each result of a reduction along these axes.
    #[track_caller]
    pub(crate) fn count(&self, axes: &Axes) -> usize {
        ok(axes.resolve(self.rank(), &Place::caller())).iter().map(|&d| self.shape()[d]).product()
    }
}

/// One reduction a line: name, how, what it gives, and the example its documentation runs.
macro_rules! reductions {
    ($($name:ident |$s:ident, $axes:ident, $place:ident| $body:expr, $what:literal: $of:expr => $value:expr;)*) => {
        impl Array {
            $(#[doc = $what]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let x = Array::from(", stringify!($of), ");")]
            #[doc = concat!("assert_eq!(x.", stringify!($name), "(-1), Array::from(", stringify!($value), "));")]
            /// ```
            #[track_caller]
            pub fn $name(&self, axes: impl Into<Axes>) -> Array {
                let ($s, $axes, $place) = (self, &axes.into(), &Place::caller());
                ok($body.map_err(|e| {
                    watch::failed_call(stringify!($name), &[self], Some(&format!("{:?}", $axes)), $place, e)
                }))
            })*
        }
    };
}
reductions! {
    sum |x, axes, place| x.try_fold(Combiner::Add, axes, place),
        "The sum along some axes. Integers are summed in 64 bits.": [[1.0f32, 2.0], [3.0, 4.0]] => [3.0f32, 7.0];
    prod |x, axes, place| x.try_fold(Combiner::Mul, axes, place),
        "The product along some axes. Integers are multiplied in 64 bits.": [[1, 2], [3, 4]] => [2i64, 12];
    max |x, axes, place| x.try_extreme("max", Combiner::Max, axes, place),
        "The largest element along some axes; NaN wins.": [[1, 2], [4, 3]] => [2, 4];
    min |x, axes, place| x.try_extreme("min", Combiner::Min, axes, place),
        "The smallest element along some axes; NaN wins.": [[1, 2], [4, 3]] => [1, 3];
    all |x, axes, place| convert(x, DType::Bool, place).and_then(|b| b.try_reduce(Combiner::And, axes, place)),
        "Whether all elements along some axes are true (not zero).": [[1, 2], [0, 3]] => [true, false];
    any |x, axes, place| convert(x, DType::Bool, place).and_then(|b| b.try_reduce(Combiner::Or, axes, place)),
        "Whether some element along some axes is true (not zero).": [[0, 0], [0, 3]] => [false, true];
}

impl Array {
    /// The mean along some axes. Integers become floats.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).mean(0).to_vec::<f32>(), [2.0, 3.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn mean(&self, axes: impl Into<Axes>) -> Array {
        let (x, axes) = (self.to_inexact(), axes.into());
        let n = x.count(&axes) as f64;
        (x.to(wide(x.dtype())).sum(axes) / n).to(x.dtype())
    }

    /// The mean of the squares of the distances from the mean, along some axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 2.0, 3.0, 4.0]).var(..).item::<f32>(), 1.25);
    /// ```
    #[composite]
    #[track_caller]
    pub fn var(&self, axes: impl Into<Axes>) -> Array {
        self.var_ddof(axes, 0.0)
    }

    /// As [`Array::var`], with the sum of squares divided by `n - ddof`: 1 for the unbiased estimate from a sample.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 2.0, 3.0]).var_ddof(.., 1.0).item::<f32>(), 1.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn var_ddof(&self, axes: impl Into<Axes>, ddof: f64) -> Array {
        let (x, axes) = (self.to_inexact(), axes.into());
        let result = x.dtype().real();
        let x = x.to(wide(x.dtype()));
        let centered = &x - x.mean(super::keep(axes.clone()));
        let n = x.count(&axes) as f64 - ddof;
        (centered.abs2().sum(axes) / n).to(result)
    }

    /// The square root of the variance along some axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 5.0]).std(..).item::<f32>(), 2.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn std(&self, axes: impl Into<Axes>) -> Array {
        self.std_ddof(axes, 0.0)
    }

    /// The square root of [`Array::var_ddof`].
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 2.0, 3.0]).std_ddof(.., 1.0).item::<f32>(), 1.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn std_ddof(&self, axes: impl Into<Axes>, ddof: f64) -> Array {
        self.var_ddof(axes, ddof).sqrt()
    }

    /// The square of the absolute value, which is real.
    #[track_caller]
    pub(crate) fn abs2(&self) -> Array {
        if self.dtype().is_complex() { self.real().square() + self.imag().square() } else { self.square() }
    }

    /// The largest element less the smallest, along some axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3, 9, 5]).ptp(..).item::<i32>(), 6);
    /// ```
    #[composite]
    #[track_caller]
    pub fn ptp(&self, axes: impl Into<Axes>) -> Array {
        let axes = axes.into();
        self.max(axes.clone()) - self.min(axes)
    }

    /// How many elements along some axes are not zero.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([0, 9, 5]).count_nonzero(..).item::<i64>(), 2);
    /// ```
    #[composite]
    #[track_caller]
    pub fn count_nonzero(&self, axes: impl Into<Axes>) -> Array {
        self.to(DType::Bool).to(DType::I64).sum(axes)
    }

    /// The p-norm along some axes, the elements taken as one vector: 1, 2, any number, or infinity for the largest
    /// absolute value. Over two axes, 2 is the Frobenius norm.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([3.0f32, -4.0]);
    /// assert_eq!(x.norm(2, ..).item::<f32>(), 5.0);
    /// assert_eq!(x.norm(1, ..).item::<f32>(), 7.0);
    /// assert_eq!(x.norm(f64::INFINITY, ..).item::<f32>(), 4.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn norm(&self, p: impl Into<f64>, axes: impl Into<Axes>) -> Array {
        let (x, p, axes) = (self.to_inexact(), p.into(), axes.into());
        if p == 2.0 {
            x.abs2().sum(axes).sqrt()
        } else if p == f64::INFINITY {
            x.abs().max(axes)
        } else if p == f64::NEG_INFINITY {
            x.abs().min(axes)
        } else if p == 0.0 {
            x.ne(0).to(x.dtype().real()).sum(axes)
        } else if p == 1.0 {
            x.abs().sum(axes)
        } else {
            x.abs().pow(p).sum(axes).pow(1.0 / p)
        }
    }

    /// The weighted mean along some axes; the weights broadcast with the array.
    ///
    /// ```
    /// # use wengert::Array;
    /// let w = Array::from([3.0f32, 1.0]);
    /// assert_eq!(Array::from([1.0f32, 5.0]).average(w, ..).item::<f32>(), 2.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn average(&self, weights: impl Into<Operand>, axes: impl Into<Axes>) -> Array {
        let (x, axes) = (self.to_inexact(), axes.into());
        let w = x.zeros_like() + weights;
        (&x * &w).sum(axes.clone()) / w.sum(axes)
    }

    /// The sum along some axes of what is not NaN.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, f32::NAN, 2.0]).nansum(..).item::<f32>(), 3.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn nansum(&self, axes: impl Into<Axes>) -> Array {
        where_(self.is_nan(), 0, self).sum(axes)
    }

    /// The product along some axes of what is not NaN.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([2.0f32, f32::NAN, 3.0]).nanprod(..).item::<f32>(), 6.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn nanprod(&self, axes: impl Into<Axes>) -> Array {
        where_(self.is_nan(), 1, self).prod(axes)
    }

    /// The mean along some axes of what is not NaN.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, f32::NAN, 2.0]).nanmean(..).item::<f32>(), 1.5);
    /// ```
    #[composite]
    #[track_caller]
    pub fn nanmean(&self, axes: impl Into<Axes>) -> Array {
        let (x, axes) = (self.to_inexact(), axes.into());
        let n = (!x.is_nan()).count_nonzero(axes.clone()).to(x.dtype());
        x.nansum(axes) / n
    }

    /// The largest element along some axes that is not NaN; NaN if there is none.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, f32::NAN, 2.0]).nanmax(..).item::<f32>(), 2.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn nanmax(&self, axes: impl Into<Axes>) -> Array {
        let axes = axes.into();
        if !self.dtype().is_differentiable() {
            return self.max(axes);
        }
        let y = where_(self.is_nan(), f64::NEG_INFINITY, self).max(axes.clone());
        where_(self.is_nan().all(axes), f64::NAN, y)
    }

    /// The smallest element along some axes that is not NaN; NaN if there is none.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, f32::NAN, 2.0]).nanmin(..).item::<f32>(), 1.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn nanmin(&self, axes: impl Into<Axes>) -> Array {
        let axes = axes.into();
        if !self.dtype().is_differentiable() {
            return self.min(axes);
        }
        let y = where_(self.is_nan(), f64::INFINITY, self).min(axes.clone());
        where_(self.is_nan().all(axes), f64::NAN, y)
    }
}
