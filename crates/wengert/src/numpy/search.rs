//! Looking things up: positions by value, counting, choosing.

use super::mask::Masks;
use super::operators::Operand;
use super::{Arrays, broadcast_arrays, where_};
use crate::array::Array;
use crate::dispatch::bind_one;
use crate::fail::{fail, ok};
use crate::tape::composite;
use wengert_core::ops::{Combiner, Indexing, OutOfBounds, Scatter, Update};
use wengert_core::{DType, Error, Place};

impl Array {
    /// Of a sorted vector: the positions before which these values go in, keeping the order. Before equal elements, or
    /// (`after`) after them.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1, 3, 3, 5]);
    /// assert_eq!(x.searchsorted(Array::from([3, 4, 9]), false).to_vec::<i32>(), [1, 3, 4]);
    /// assert_eq!(x.searchsorted(3, true).item::<i32>(), 3);
    /// ```
    #[composite]
    #[track_caller]
    pub fn searchsorted(&self, values: impl Into<Operand>, after: bool) -> Array {
        let place = Place::caller();
        if self.rank() != 1 {
            let message = format!("`searchsorted` goes through a sorted vector, and got {}", self.ty());
            fail(Error::shape(message).at(place));
        }
        let mut v =
            ok(super::operators::unify_dtypes(vec![self.into(), values.into()], &place).map_err(|e| e.at(place)));
        let (values, sorted) = (v.pop().expect("two"), v.pop().expect("two"));
        let n = sorted.size();
        // Halving: what is sought lies in low..=high, and each step leaves one half of it.
        let mut low = Array::zeros(values.shape(), DType::I32);
        let mut high = low.full_like(n);
        for _ in 0..usize::BITS - n.leading_zeros() {
            let open = low.lt(&high);
            let middle = (&low + &high) / 2;
            let there = sorted.gather_axis(&middle, 0, OutOfBounds::Clip);
            let beyond = if after { !values.sorts_before(&there) } else { there.sorts_before(&values) };
            low = where_(&open & &beyond, &middle + 1, &low);
            high = where_(open & !beyond, &middle, &high);
        }
        low
    }

    /// Whether this comes before the other in sorted order, where NaN is last.
    #[track_caller]
    fn sorts_before(&self, other: &Array) -> Array {
        if !self.dtype().is_differentiable() {
            return self.lt(other);
        }
        self.lt(other) | (other.is_nan() & !self.is_nan())
    }

    /// The number of the bin each element falls in: `bins` are the edges in ascending or descending order, and an element
    /// on an edge belongs to the bin above it, or (`right`) below it.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([0.2f32, 6.4, 3.0]);
    /// assert_eq!(x.digitize(Array::from([0.0f32, 1.0, 2.5, 4.0]), false).to_vec::<i32>(), [1, 4, 3]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn digitize(&self, bins: impl Into<Array>, right: bool) -> Array {
        let bins = bins.into();
        let n = bins.size();
        if n == 0 {
            return Array::zeros(self.shape(), DType::I32);
        }
        let up = bins.searchsorted(self, !right);
        let down = n as i32 - bins.flip(0).searchsorted(self, right);
        let ascending = bins.slice_axis(0, n - 1, n).ge(bins.slice_axis(0, 0, 1)).reshape(());
        where_(ascending, up, down)
    }

    /// The values at these points of the line through the points `(xs, ys)`, `xs` ascending; beyond the ends, the values
    /// there.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (xs, ys) = (Array::from([0.0f32, 1.0, 3.0]), Array::from([0.0f32, 10.0, 20.0]));
    /// let y = Array::from([-1.0f32, 0.5, 2.0, 9.0]).interp(&xs, &ys);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 5.0, 15.0, 20.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn interp(&self, xs: &Array, ys: &Array) -> Array {
        let n = xs.size();
        if xs.rank() != 1 || xs.shape() != ys.shape() || n == 0 {
            let message = format!("`interp` takes two vectors of one size, and got {} and {}", xs.ty(), ys.ty());
            fail(Error::shape(message).at(Place::caller()));
        }
        let (xs, ys) = (xs.to_inexact(), ys.to_inexact());
        let x = self.to(self.to_inexact().dtype().promote(xs.dtype()));
        let after = xs.searchsorted(&x, true).clip(1, n.max(2) as i64 - 1).minimum(n as i64 - 1);
        let before = (&after - 1).maximum(0);
        let (x0, x1) = (xs.take(&before, 0), xs.take(&after, 0));
        let (y0, y1) = (ys.take(&before, 0), ys.take(&after, 0));
        let flat = x1.eq(&x0);
        let part = (&x - &x0) / where_(&flat, 1, &x1 - &x0);
        let y = where_(flat, &y0, &y0 + part * (&y1 - &y0));
        let (first, last) = (xs.slice_axis(0, 0, 1).reshape(()), xs.slice_axis(0, n - 1, n).reshape(()));
        let y = where_(x.lt(first), ys.slice_axis(0, 0, 1).reshape(()), y);
        where_(x.gt(last), ys.slice_axis(0, n - 1, n).reshape(()), y)
    }

    /// The positions of the elements that are not zero, one array of `size` for each axis. Where there are fewer,
    /// `fill` stands for the rest.
    ///
    /// ```
    /// # use wengert::Array;
    /// let at = Array::from([[0, 1], [2, 0]]).nonzero(3, -1);
    /// assert_eq!(at[0].to_vec::<i64>(), [0, 1, -1]);
    /// assert_eq!(at[1].to_vec::<i64>(), [1, 0, -1]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn nonzero(&self, size: usize, fill: i64) -> Vec<Array> {
        let zero = self.ravel().logical_not();
        let there = Array::iota([size], 0, DType::I64).lt((!&zero).count_nonzero(..));
        let mut flat = zero.argsort(0);
        if size > flat.size() {
            flat = flat.pad((0, size - flat.size()), 0);
        }
        let flat = flat.slice_axis(0, 0, size);
        let strides = self.shape().strides();
        let mut out = Vec::with_capacity(self.rank());
        for (&n, &stride) in self.shape().iter().zip(&strides) {
            let at = (&flat / stride.max(1)).rem(n.max(1));
            out.push(where_(&there, at, fill));
        }
        out
    }

    /// The different elements in ascending order, `size` of them. Where there are fewer, `fill` stands for the rest.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3, 1, 3, 2]).unique(4, 0).to_vec::<i32>(), [1, 2, 3, 0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn unique(&self, size: usize, fill: impl Into<Operand>) -> Array {
        if self.size() == 0 {
            return Array::full([size], fill, self.dtype());
        }
        let sorted = self.ravel().sort(0);
        let n = sorted.size();
        let (before, after) = (sorted.slice_axis(0, 0, n - 1), sorted.slice_axis(0, 1, n));
        let new = after.ne(&before) & !(after.is_nan() & before.is_nan());
        let at = new.pad((1, 0), true).nonzero(size, -1).remove(0);
        where_(at.ge(0), sorted.take(&at, 0), fill)
    }

    /// How often each of the integers `0..length` stands in the array; others are not counted, negative ones count as 0.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([0, 2, 2, 9]).bincount(4).to_vec::<i64>(), [1, 0, 2, 0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn bincount(&self, length: usize) -> Array {
        self.bincount_weighted(Array::ones(self.shape(), DType::I64), length)
    }

    /// As [`Array::bincount`], with each integer counted by its weight.
    ///
    /// ```
    /// # use wengert::Array;
    /// let w = Array::from([0.5f32, 1.0, 2.0]);
    /// assert_eq!(Array::from([0, 1, 1]).bincount_weighted(w, 2).to_vec::<f32>(), [0.5, 3.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn bincount_weighted(&self, weights: impl Into<Array>, length: usize) -> Array {
        let weights = weights.into();
        let op = Scatter {
            indexing: Indexing::rows(1, 1),
            update: Update::Combine(Combiner::Add),
            indices_are_sorted: false,
            unique_indices: false,
        };
        let (at, weights) = (self.maximum(0).ravel(), weights.broadcast_to(self.shape()).ravel());
        bind_one(op, &[&Array::zeros([length], weights.dtype()), &at, &weights])
    }

    /// How many elements fall in each of `bins` bins of one width between `low` and `high`, and the edges of the bins. An
    /// element on an edge belongs to the bin above it; the last bin has both its edges.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (counts, edges) = Array::from([0.0f32, 0.2, 0.9, 1.0, 5.0]).histogram(2, 0.0, 1.0);
    /// assert_eq!(counts.to_vec::<f32>(), [2.0, 2.0]);
    /// assert_eq!(edges.to_vec::<f32>(), [0.0, 0.5, 1.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn histogram(&self, bins: usize, low: f64, high: f64) -> (Array, Array) {
        let x = self.to_inexact().ravel();
        let edges = Array::linspace(low, high, bins + 1, x.dtype());
        let bin = edges.searchsorted(&x, true);
        let bin = where_(x.eq(edges.slice_axis(0, bins, bins + 1)), bins as i64, bin);
        (bin.bincount_weighted(x.ones_like(), bins + 1).slice_axis(0, 1, bins + 1), edges)
    }
}

/// For each position, the choice of the first condition that holds there, else `default`.
///
/// ```
/// use wengert::{select, Array};
/// let x = Array::from([1, 2, 3, 4]);
/// let y = select([x.lt(2), x.lt(4)], [&x * 10, &x * 100], 0);
/// assert_eq!(y.to_vec::<i32>(), [10, 200, 300, 0]);
/// ```
#[composite]
#[track_caller]
pub fn select(conditions: impl Masks, choices: impl Arrays, default: impl Into<Operand>) -> Array {
    let conditions: Vec<Array> = conditions.into_iter().map(Into::into).collect();
    let choices: Vec<Array> = choices.into_iter().map(Into::into).collect();
    if conditions.len() != choices.len() || choices.is_empty() {
        let (m, n) = (conditions.len(), choices.len());
        let message = format!("`select` needs a choice for each condition, and got {m} conditions and {n} choices");
        fail(Error::shape(message).at(Place::caller()));
    }
    let mut y: Operand = default.into();
    for (c, x) in conditions.iter().zip(&choices).rev() {
        y = where_(c, x, y).into();
    }
    match y {
        Operand::Array(y) => y,
        _ => unreachable!("there is a choice"),
    }
}

/// For each position, the element there of the array that `which` numbers, counted from 0; numbers past the ends are
/// taken as the nearest.
///
/// ```
/// use wengert::{choose, Array};
/// let y = choose(Array::from([0, 1, 0]), [Array::from([1, 2, 3]), Array::from([10, 20, 30])]);
/// assert_eq!(y.to_vec::<i32>(), [1, 20, 3]);
/// ```
#[composite]
#[track_caller]
pub fn choose(which: impl Into<Array>, choices: impl Arrays) -> Array {
    let mut arrays: Vec<Array> = vec![which.into()];
    arrays.extend(choices.into_iter().map(Into::into));
    let mut arrays = broadcast_arrays(arrays);
    let which = arrays.remove(0).clip(0, arrays.len().max(1) as i64 - 1);
    super::stack(arrays, 0).take_along_axis(which.expand_dims(0), 0).squeeze(0)
}
