//! Shapes: the same elements under other axes.

use super::axes::{Axes, resolve_axis};
use super::operators::{broadcast_shapes, broadcast_to};
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{fail, ok};
use wengert_core::ops::{Reshape, Transpose};
use wengert_core::{Dims, Error, Place, Result, Shape};

/// A shape as an argument: `3`, `[2, -1]`, `()`, a `Shape`, a slice or `Vec`. One size may be -1 where it follows from
/// the others.
pub trait IntoShape {
    /// The sizes, -1 where one is left open.
    fn sizes(self) -> Vec<isize>;
}

macro_rules! into_shape {
    ($($t:ty)*) => {$(
        impl IntoShape for $t {
            fn sizes(self) -> Vec<isize> {
                vec![self as isize]
            }
        }
        impl<const N: usize> IntoShape for [$t; N] {
            fn sizes(self) -> Vec<isize> {
                self.map(|d| d as isize).to_vec()
            }
        }
        impl IntoShape for &[$t] {
            fn sizes(self) -> Vec<isize> {
                self.iter().map(|&d| d as isize).collect()
            }
        }
        impl IntoShape for Vec<$t> {
            fn sizes(self) -> Vec<isize> {
                self[..].sizes()
            }
        }
    )*};
}
into_shape!(i32 i64 isize usize);
impl IntoShape for () {
    fn sizes(self) -> Vec<isize> {
        Vec::new()
    }
}
impl IntoShape for &Shape {
    fn sizes(self) -> Vec<isize> {
        self[..].sizes()
    }
}
impl IntoShape for Shape {
    fn sizes(self) -> Vec<isize> {
        self[..].sizes()
    }
}

/// The shape these sizes mean for an array of `size` elements.
pub(crate) fn resolve_shape(sizes: &[isize], size: usize) -> Result<Shape> {
    let known = sizes.iter().filter(|d| **d >= 0).fold(1usize, |n, &d| n.saturating_mul(d as usize));
    let open = sizes.iter().filter(|d| **d < 0).count();
    let fits = open == 0 || known > 0 && size.is_multiple_of(known);
    if open > 1 || !fits || sizes.iter().any(|&d| d < -1) {
        return Err(Error::shape(format!("{sizes:?} is not a shape for {size} elements")));
    }
    Ok(sizes.iter().map(|&d| if d < 0 { size / known } else { d as usize }).collect())
}

/// The arrays, all repeated to the shape they broadcast to.
///
/// ```
/// use wengert::{broadcast_arrays, Array};
/// let v = broadcast_arrays([Array::from([[1], [2]]), Array::from([3, 4, 5])]);
/// assert_eq!(v[0], Array::from([[1, 1, 1], [2, 2, 2]]));
/// assert_eq!(v[1], Array::from([[3, 4, 5], [3, 4, 5]]));
/// ```
#[track_caller]
pub fn broadcast_arrays(arrays: impl super::Arrays) -> Vec<Array> {
    let place = Place::caller();
    let arrays: Vec<Array> = arrays.into_iter().map(Into::into).collect();
    let shapes: Vec<&Shape> = arrays.iter().map(Array::shape).collect();
    let spread = |shape| arrays.iter().map(|x| broadcast_to(x, &shape, &place)).collect();
    ok(broadcast_shapes(&shapes).and_then(spread).map_err(|e: Error| e.at(place.clone())))
}

impl Array {
    pub(crate) fn try_reshape(&self, shape: Shape, place: &Place) -> Result<Array> {
        if *self.shape() == shape {
            return Ok(self.clone());
        }
        Ok(try_bind(Reshape { shape }.into(), &[self], place.clone())?.remove(0))
    }

    /// The same elements in row-major order under another shape; one size may be -1.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2, 3, 4]).reshape([2, -1]), Array::from([[1, 2], [3, 4]]));
    /// ```
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoShape) -> Array {
        let place = Place::caller();
        let shape = resolve_shape(&shape.sizes(), self.size());
        let way_out = || format!("the sizes must multiply to {}; one of them may be -1, for what is left", self.size());
        ok(shape.and_then(|s| self.try_reshape(s, &place)).map_err(|e| e.at(place).note(way_out())))
    }

    /// All elements in row-major order, along one axis.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).ravel(), Array::from([1, 2, 3, 4]));
    /// ```
    #[track_caller]
    pub fn ravel(&self) -> Array {
        self.reshape([self.size()])
    }

    /// The same elements with the axes `from..=to` merged into one.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::zeros([2, 3, 4, 5], DType::F32).flatten(1, -1).shape()[..], [2, 60]);
    /// ```
    #[track_caller]
    pub fn flatten(&self, from: isize, to: isize) -> Array {
        let place = Place::caller();
        let from = ok(resolve_axis(from, self.rank(), &place));
        let to = ok(resolve_axis(to, self.rank(), &place));
        if from > to {
            fail(Error::shape(format!("the axes {from} to {to} to merge are in the wrong order")).at(place));
        }
        let mut shape: Vec<usize> = self.shape()[..from].to_vec();
        shape.push(self.shape()[from..=to].iter().product());
        shape.extend(&self.shape()[to + 1..]);
        self.reshape(shape)
    }

    /// Axis `i` of the result is axis `order[i]` of this; `..` reverses the axes.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::zeros([2, 3, 4], DType::F32).transpose([2, 0, 1]).shape()[..], [4, 2, 3]);
    /// assert_eq!(Array::zeros([2, 3, 4], DType::F32).transpose(..).shape()[..], [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn transpose(&self, order: impl Into<Axes>) -> Array {
        let (place, order) = (Place::caller(), order.into());
        let mut perm = ok(order.resolve(self.rank(), &place));
        if order.is_all() {
            perm.reverse();
        }
        if perm.len() == self.rank() && perm.is_sorted() {
            return self.clone();
        }
        ok(try_bind(Transpose { perm }.into(), &[self], place)).remove(0)
    }

    /// The axes in reverse order: the transpose of a matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).t(), Array::from([[1, 3], [2, 4]]));
    /// ```
    #[track_caller]
    pub fn t(&self) -> Array {
        self.transpose(..)
    }

    /// The last two axes exchanged: the transpose of each matrix of a batch.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::zeros([5, 2, 3], DType::F32).mt().shape()[..], [5, 3, 2]);
    /// ```
    #[track_caller]
    pub fn mt(&self) -> Array {
        self.swap_axes(-2, -1)
    }

    /// [`Array::move_axis`] of axes counted from the front.
    pub(crate) fn axis_to(&self, from: usize, to: usize, place: &Place) -> Result<Array> {
        if from == to {
            return Ok(self.clone());
        }
        let mut perm: Dims = (0..self.rank()).collect();
        let a = perm.remove(from);
        perm.insert(to, a);
        Ok(try_bind(Transpose { perm }.into(), &[self], place.clone())?.remove(0))
    }

    /// Moves an axis to another position, keeping the order of the others.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2, 3]]).move_axis(0, -1).shape()[..], [3, 1]);
    /// ```
    #[track_caller]
    pub fn move_axis(&self, from: isize, to: isize) -> Array {
        let place = Place::caller();
        let from = ok(resolve_axis(from, self.rank(), &place));
        let to = ok(resolve_axis(to, self.rank(), &place));
        ok(self.axis_to(from, to, &place))
    }

    /// Exchanges two axes.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::zeros([2, 3, 4], DType::F32).swap_axes(0, -1).shape()[..], [4, 3, 2]);
    /// ```
    #[track_caller]
    pub fn swap_axes(&self, a: isize, b: isize) -> Array {
        let place = Place::caller();
        let a = ok(resolve_axis(a, self.rank(), &place));
        let b = ok(resolve_axis(b, self.rank(), &place));
        let mut perm: Vec<usize> = (0..self.rank()).collect();
        perm.swap(a, b);
        self.transpose(perm)
    }

    /// Without these axes, which must have size 1; `..` drops every axis of size 1.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[[1], [2]]]).squeeze(..).shape()[..], [2]);
    /// assert_eq!(Array::from([[[1], [2]]]).squeeze(0).shape()[..], [2, 1]);
    /// ```
    #[track_caller]
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Array {
        let (place, axes) = (Place::caller(), axes.into());
        let mut dims = ok(axes.resolve(self.rank(), &place));
        if axes.is_all() {
            dims.retain(|d| self.shape()[*d] == 1);
        }
        if let Some(d) = dims.iter().find(|&&d| self.shape()[d] != 1) {
            let message = format!("axis {d} of an array of type {} can't be dropped: its size is not 1", self.ty());
            fail(Error::shape(message).at(place));
        }
        self.reshape(self.shape().without_axes(&dims))
    }

    /// With new axes of size 1 at these positions of the result.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).expand_dims(0).shape()[..], [1, 2]);
    /// assert_eq!(Array::from([1, 2]).expand_dims([0, -1]).shape()[..], [1, 2, 1]);
    /// ```
    #[track_caller]
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> Array {
        let (place, axes) = (Place::caller(), axes.into());
        let rank = self.rank() + axes.len().unwrap_or(0);
        let dims = ok(axes.resolve(rank, &place));
        let mut old = self.shape().iter();
        let shape: Shape =
            (0..rank)
                .map(|d| {
                    if axes.len().is_some() && dims.contains(&d) {
                        1
                    } else {
                        *old.next().expect("as many as old axes")
                    }
                })
                .collect();
        self.reshape(shape)
    }

    /// Repeated to this shape by NumPy's rule. -1 keeps the size there.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).broadcast_to([2, 2]), Array::from([[1, 2], [1, 2]]));
    /// ```
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Array {
        let place = Place::caller();
        let sizes = shape.sizes();
        let skip = sizes.len().saturating_sub(self.rank());
        let kept = |(i, &d): (usize, &isize)| match i.checked_sub(skip) {
            Some(j) if d == -1 => self.shape()[j],
            _ => d as usize,
        };
        let target: Shape = sizes.iter().enumerate().map(kept).collect();
        let fits = |(&from, &to): (&usize, &usize)| from == to || from == 1;
        let ok_sizes = sizes.iter().all(|&d| d >= -1) && !sizes[..skip].contains(&-1);
        if !ok_sizes || self.rank() > target.rank() || !self.shape().iter().zip(&target[skip..]).all(fits) {
            fail(
                Error::shape(format!("an array of type {} does not broadcast to the shape {sizes:?}", self.ty()))
                    .at(place)
                    .note("sizes are compared from the last axis; each must be equal, or 1 in the array"),
            );
        }
        ok(broadcast_to(self, &target, &place))
    }

    /// With axes of size 1 put in front until there are `n`.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).at_least(3).shape()[..], [1, 1, 2]);
    /// assert_eq!(Array::from([[1, 2]]).at_least(1).shape()[..], [1, 2]);
    /// ```
    #[track_caller]
    pub fn at_least(&self, n: usize) -> Array {
        let mut shape: Dims = smallvec::smallvec![1; n.saturating_sub(self.rank())];
        shape.extend_from_slice(self.shape());
        self.reshape(Shape(shape))
    }
}
