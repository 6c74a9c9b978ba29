//! Sorting, the largest elements, quantiles.

use super::axes::{Axes, resolve_axis};
use super::operators::Operand;
use super::{Arrays, where_};
use crate::array::Array;
use crate::dispatch::{bind, bind_one};
use crate::fail::{fail, ok};
use crate::tape::composite;
use wengert_core::ops::{Order, Sort, TopK};
use wengert_core::{DType, Error, Place};

impl Array {
    /// The elements along an axis in ascending order, NaN last.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3, 1, 2]).sort(-1).to_vec::<i32>(), [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn sort(&self, axis: isize) -> Array {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        bind_one(Sort { dim, stable: true, order: Order::Natural(1) }, &[self])
    }

    /// The positions along an axis of the elements in ascending order; equal ones keep their order.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3, 1, 2]).argsort(-1).to_vec::<i64>(), [1, 2, 0]);
    /// ```
    #[track_caller]
    pub fn argsort(&self, axis: isize) -> Array {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        let positions = Array::iota(self.shape(), dim as isize, DType::I64);
        bind(Sort { dim, stable: true, order: Order::Natural(1) }, &[self, &positions]).remove(1)
    }

    /// The `k` largest elements along the last axis, in descending order, and their positions.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (values, positions) = Array::from([3.0f32, 9.0, 5.0]).top_k(2);
    /// assert_eq!(values.to_vec::<f32>(), [9.0, 5.0]);
    /// assert_eq!(positions.to_vec::<i32>(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn top_k(&self, k: usize) -> (Array, Array) {
        let mut y = bind(TopK { k }, &[self]);
        let positions = y.remove(1);
        (y.remove(0), positions)
    }

    /// The value below which the part `q` (0 to 1) of the elements along some axes lies, with values between two
    /// elements by linear interpolation. `q` is a number or a vector, whose axis then comes first in the result.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f32, 2.0, 3.0, 4.0, 5.0]);
    /// assert_eq!(x.quantile(0.25, ..).item::<f32>(), 2.0);
    /// assert_eq!(x.quantile(Array::from([0.0f32, 0.125]), ..).to_vec::<f32>(), [1.0, 1.5]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn quantile(&self, q: impl Into<Operand>, axes: impl Into<Axes>) -> Array {
        let (place, axes) = (Place::caller(), axes.into());
        ok(self.not_empty("quantile", &axes, &place));
        if self.dtype().is_complex() {
            fail(Error::dtype("`quantile` takes types with an order, and got complex numbers").at(place));
        }
        let x = self.to_inexact();
        let q = ok(q.into().array(x.dtype()).map_err(|e| e.at(place.clone())));
        if q.rank() > 1 {
            fail(Error::shape(format!("`quantile` takes a number or a vector of them, and got {}", q.ty())).at(place));
        }
        // The axes in question become the last one.
        let dims = ok(axes.resolve(x.rank(), &place));
        let mut order: Vec<usize> = (0..x.rank()).filter(|d| !dims.contains(d)).collect();
        let rest: Vec<usize> = order.iter().map(|&d| x.shape()[d]).collect();
        order.extend(&dims);
        let n = x.count(&axes);
        let sorted = x.transpose(order).reshape([&rest[..], &[n]].concat()).sort(-1);
        // NaN comes last, and makes every quantile NaN.
        let last = sorted.slice_axis(rest.len(), n - 1, n);
        let sorted = where_(last.is_nan(), f64::NAN, sorted);
        let at = q.to(x.dtype()).clip(0, 1) * (n as f64 - 1.0);
        let (low, weight) = (at.floor(), &at - at.floor());
        let below = sorted.take(low.to(DType::I64), -1);
        let above = sorted.take(at.ceil().to(DType::I64), -1);
        let y = below * (1.0 - &weight) + above * weight;
        let y = if q.rank() == 1 { y.move_axis(-1, 0) } else { y };
        if !axes.keeps() {
            return y;
        }
        let mut shape: Vec<usize> = q.shape().to_vec();
        shape.extend((0..x.rank()).map(|d| if dims.contains(&d) { 1 } else { x.shape()[d] }));
        y.reshape(shape)
    }

    /// The middle of the elements along some axes: the quantile 0.5.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([7.0f32, 1.0, 3.0, 2.0]).median(..).item::<f32>(), 2.5);
    /// ```
    #[composite]
    #[track_caller]
    pub fn median(&self, axes: impl Into<Axes>) -> Array {
        self.quantile(0.5, axes)
    }
}

/// The positions along the last axis in the order of several keys: by the last one, where that is equal by the one
/// before it, and so on.
///
/// ```
/// use wengert::{lexsort, Array};
/// let (first, last) = (Array::from([3, 1, 2]), Array::from([1, 1, 0]));
/// assert_eq!(lexsort([&first, &last]).to_vec::<i64>(), [2, 1, 0]);
/// ```
#[composite]
#[track_caller]
pub fn lexsort(keys: impl Arrays) -> Array {
    let mut operands: Vec<Array> = keys.into_iter().map(Into::into).collect();
    operands.reverse();
    let n = operands.len();
    let Some(dim) = operands.first().and_then(|k| k.rank().checked_sub(1)) else {
        fail(Error::shape("`lexsort` needs at least one key with an axis to sort along").at(Place::caller()));
    };
    operands.push(Array::iota(operands[0].shape(), -1, DType::I64));
    bind(Sort { dim, stable: true, order: Order::Natural(n) }, &operands.iter().collect::<Vec<_>>()).remove(n)
}
