//! Arrays put together and cut apart: concatenate, stack, split, tile, repeat.

use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{fail, ok};
use crate::numpy::axes::resolve_axis;
use crate::numpy::creation::full_shape;
use crate::numpy::operators::convert;
use crate::numpy::shape::{IntoShape, broadcast_arrays};
use crate::tape::composite;
use wengert_core::ops::{Concatenate, Slice};
use wengert_core::{DType, Dims, Error, Place, Result, Shape};

/// A list of arrays as an argument: `[&x, &y]`, `&vec`, an iterator.
pub trait Arrays: IntoIterator<Item: Into<Array>> {}
impl<T: IntoIterator<Item: Into<Array>>> Arrays for T {}

/// The arrays in one element type; there must be at least one.
fn collect(name: &str, arrays: impl Arrays, place: &Place) -> Result<Vec<Array>> {
    let arrays: Vec<Array> = arrays.into_iter().map(Into::into).collect();
    let Some(dtype) = arrays.iter().map(Array::dtype).reduce(DType::promote) else {
        return Err(Error::shape(format!("`{name}` needs at least one array")).at(place.clone()));
    };
    arrays.iter().map(|x| convert(x, dtype, place)).collect()
}

/// The arrays one after the other along an axis.
///
/// ```
/// use wengert::{concatenate, Array};
/// let (x, y) = (Array::from([[1, 2]]), Array::from([[3, 4], [5, 6]]));
/// assert_eq!(concatenate([&x, &y], 0), Array::from([[1, 2], [3, 4], [5, 6]]));
/// ```
#[track_caller]
pub fn concatenate(arrays: impl Arrays, axis: isize) -> Array {
    let place = Place::caller();
    let v = ok(collect("concatenate", arrays, &place));
    let dim = ok(resolve_axis(axis, v[0].rank(), &place));
    ok(try_bind(Concatenate { dim }.into(), &v.iter().collect::<Vec<_>>(), place)).remove(0)
}

/// The arrays, all of one shape, side by side along a new axis.
///
/// ```
/// use wengert::{stack, Array};
/// let (x, y) = (Array::from([1, 2]), Array::from([3, 4]));
/// assert_eq!(stack([&x, &y], 0), Array::from([[1, 2], [3, 4]]));
/// assert_eq!(stack([&x, &y], -1), Array::from([[1, 3], [2, 4]]));
/// ```
#[track_caller]
pub fn stack(arrays: impl Arrays, axis: isize) -> Array {
    let place = Place::caller();
    let v = ok(collect("stack", arrays, &place));
    if let Some(x) = v.iter().find(|x| x.shape() != v[0].shape()) {
        let message = format!("`stack` needs arrays of one shape, and got {} and {}", v[0].ty(), x.ty());
        fail(Error::shape(message).at(place));
    }
    let dim = ok(resolve_axis(axis, v[0].rank() + 1, &place));
    let shape = v[0].shape().with_axis(dim, 1);
    let rows: Vec<Array> = ok(v.iter().map(|x| x.try_reshape(shape.clone(), &place)).collect());
    concatenate(rows, dim as isize)
}

/// The arrays one below the other: along axis 0, vectors as rows.
///
/// ```
/// use wengert::{vstack, Array};
/// assert_eq!(vstack([Array::from([1, 2]), Array::from([3, 4])]), Array::from([[1, 2], [3, 4]]));
/// ```
#[track_caller]
pub fn vstack(arrays: impl Arrays) -> Array {
    let mut rows = Vec::new();
    for x in arrays {
        rows.push(x.into().at_least(2));
    }
    concatenate(rows, 0)
}

/// The arrays side by side: along axis 1, vectors one after the other.
///
/// ```
/// use wengert::{hstack, Array};
/// assert_eq!(hstack([Array::from([1, 2]), Array::from([3, 4])]), Array::from([1, 2, 3, 4]));
/// assert_eq!(hstack([Array::from([[1], [2]]), Array::from([[3], [4]])]), Array::from([[1, 3], [2, 4]]));
/// ```
#[track_caller]
pub fn hstack(arrays: impl Arrays) -> Array {
    let mut columns = Vec::new();
    for x in arrays {
        columns.push(x.into().at_least(1));
    }
    let flat = columns.first().is_some_and(|x| x.rank() == 1);
    concatenate(columns, !flat as isize)
}

/// Matrices put together from blocks, given row by row.
///
/// ```
/// use wengert::{block, Array};
/// let (a, b) = (Array::from([[1]]), Array::from([[2, 3]]));
/// assert_eq!(block([[&a, &b], [&a, &b]]), Array::from([[1, 2, 3], [1, 2, 3]]));
/// ```
#[track_caller]
pub fn block(rows: impl IntoIterator<Item = impl Arrays>) -> Array {
    let mut joined = Vec::new();
    for row in rows {
        joined.push(concatenate(row, -1));
    }
    concatenate(joined, -2)
}

/// The coordinates of a grid: for vectors `x, y, …`, arrays with `x` along axis 1, `y` along axis 0, others as they
/// come. With `ij`, every vector runs along the axis of its own number.
///
/// ```
/// use wengert::{meshgrid, Array};
/// let (x, y) = (Array::from([1, 2, 3]), Array::from([4, 5]));
/// let grid = meshgrid([&x, &y], false);
/// assert_eq!(grid[0], Array::from([[1, 2, 3], [1, 2, 3]]));
/// assert_eq!(grid[1], Array::from([[4, 4, 4], [5, 5, 5]]));
/// assert_eq!(meshgrid([x, y], true)[0].shape()[..], [3, 2]);
/// ```
#[composite]
#[track_caller]
pub fn meshgrid(vectors: impl Arrays, ij: bool) -> Vec<Array> {
    let vectors: Vec<Array> = vectors.into_iter().map(Into::into).collect();
    let n = vectors.len();
    // The axis along which each vector runs.
    let mut axes: Vec<usize> = (0..n).collect();
    if !ij && n >= 2 {
        axes.swap(0, 1);
    }
    let mut spread = Vec::with_capacity(n);
    for (x, &axis) in vectors.iter().zip(&axes) {
        if x.rank() > 1 {
            let message = format!("`meshgrid` takes vectors, and got an array of type {}", x.ty());
            fail(Error::shape(message).at(Place::caller()));
        }
        let mut shape = vec![1; n];
        shape[axis] = x.size();
        spread.push(x.reshape(shape));
    }
    broadcast_arrays(spread)
}

impl Array {
    /// The elements `start..limit` along an axis counted from the front.
    #[track_caller]
    pub(crate) fn slice_axis(&self, axis: usize, start: usize, limit: usize) -> Array {
        self.slice_axis_by(axis, start, limit, 1)
    }

    /// Every `stride`-th of the elements `start..limit` along an axis counted from the front.
    #[track_caller]
    pub(crate) fn slice_axis_by(&self, axis: usize, start: usize, limit: usize, stride: usize) -> Array {
        if (start, limit, stride) == (0, self.shape()[axis], 1) {
            return self.clone();
        }
        let mut op = Slice {
            start: smallvec::smallvec![0; self.rank()],
            limit: self.shape().0.clone(),
            strides: smallvec::smallvec![1; self.rank()],
        };
        (op.start[axis], op.limit[axis], op.strides[axis]) = (start, limit, stride);
        crate::dispatch::bind_one(op, &[self])
    }

    /// Cut along an axis into `n` parts of one size.
    ///
    /// ```
    /// # use wengert::Array;
    /// let parts = Array::from([1, 2, 3, 4]).split(2, 0);
    /// assert_eq!(parts[1], Array::from([3, 4]));
    /// ```
    #[track_caller]
    pub fn split(&self, n: usize, axis: isize) -> Vec<Array> {
        let place = Place::caller();
        let dim = ok(resolve_axis(axis, self.rank(), &place));
        if n == 0 || !self.shape()[dim].is_multiple_of(n) {
            let message = format!("axis {dim} of an array of type {} can't be cut in {n} parts of one size", self.ty());
            fail(Error::shape(message).at(place).note("`array_split` cuts in parts of nearly one size"));
        }
        self.array_split(n, axis)
    }

    /// Cut along an axis into `n` parts of nearly one size, the larger ones first.
    ///
    /// ```
    /// # use wengert::Array;
    /// let parts = Array::from([1, 2, 3, 4, 5]).array_split(2, 0);
    /// assert_eq!(parts[0], Array::from([1, 2, 3]));
    /// ```
    #[track_caller]
    pub fn array_split(&self, n: usize, axis: isize) -> Vec<Array> {
        let place = Place::caller();
        let dim = ok(resolve_axis(axis, self.rank(), &place));
        if n == 0 {
            fail(Error::shape("an array can't be cut in 0 parts").at(place));
        }
        let size = self.shape()[dim];
        let cuts: Vec<usize> = (1..n).map(|i| i * (size / n) + i.min(size % n)).collect();
        self.split_at(&cuts, axis)
    }

    /// Cut along an axis before each of these positions.
    ///
    /// ```
    /// # use wengert::Array;
    /// let parts = Array::from([1, 2, 3, 4]).split_at(&[1, 3], 0);
    /// assert_eq!(parts[1], Array::from([2, 3]));
    /// ```
    #[track_caller]
    pub fn split_at(&self, cuts: &[usize], axis: isize) -> Vec<Array> {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        let size = self.shape()[dim];
        let mut parts = Vec::with_capacity(cuts.len() + 1);
        for i in 0..=cuts.len() {
            let start = if i == 0 { 0 } else { cuts[i - 1].min(size) };
            let limit = cuts.get(i).map_or(size, |&c| c.min(size));
            parts.push(self.slice_axis(dim, start, limit.max(start)));
        }
        parts
    }

    /// The array repeated as a whole, this many times along each axis, counted from the last.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).tile([2, 2]), Array::from([[1, 2, 1, 2], [1, 2, 1, 2]]));
    /// ```
    #[track_caller]
    pub fn tile(&self, times: impl IntoShape) -> Array {
        let place = Place::caller();
        let mut times = ok(full_shape(times).map_err(|e| e.at(place))).0;
        let x = self.at_least(times.len());
        while times.len() < x.rank() {
            times.insert(0, 1);
        }
        // Between the axes come new ones to repeat along, then each pair becomes one.
        let pairs =
            |f: fn(usize) -> usize| -> Shape { x.shape().iter().zip(&times).flat_map(|(&d, &n)| [f(n), d]).collect() };
        let (single, repeated) = (pairs(|_| 1), pairs(|n| n));
        let whole: Shape = x.shape().iter().zip(&times).map(|(&d, &n)| d * n).collect();
        x.reshape(single).broadcast_to(repeated).reshape(whole)
    }

    /// Each element repeated `n` times along an axis.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).repeat(2, 0), Array::from([1, 1, 2, 2]));
    /// ```
    #[track_caller]
    pub fn repeat(&self, n: usize, axis: isize) -> Array {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        let mut whole: Dims = self.shape().0.clone();
        whole[dim] *= n;
        let spread = self.shape().with_axis(dim + 1, n);
        self.expand_dims(dim + 1).broadcast_to(spread).reshape(Shape(whole))
    }
}

/// A list of arrays as an argument of a composite that was converted already.
#[inline]
pub(crate) fn several(x: Vec<Array>) -> impl Arrays {
    x
}
