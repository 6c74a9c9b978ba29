//! Shapes: reshape, transpose, and the like.

use super::axes::resolve_axis;
use crate::array::Array;
use crate::fail::ok;
use crate::trace::try_bind;
use wengert_core::ops::{Reshape, Transpose};
use wengert_core::{Dims, Error, Place, Result, Shape};

/// A shape as an argument. One size may be -1, and is then computed from the others.
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
    )*};
}
into_shape!(i32 isize usize);
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
impl IntoShape for Vec<usize> {
    fn sizes(self) -> Vec<isize> {
        self[..].sizes()
    }
}

/// The shape these sizes mean for an array of `size` elements.
pub(crate) fn resolve_shape(sizes: &[isize], size: usize) -> Result<Shape> {
    let known: usize = sizes.iter().filter(|d| **d >= 0).map(|&d| d as usize).product();
    let open = sizes.iter().filter(|d| **d < 0).count();
    let fits = open == 0 || known > 0 && size % known == 0;
    if open > 1 || !fits || sizes.iter().any(|&d| d < -1) {
        return Err(Error::shape(format!("{sizes:?} is not a shape for {size} elements")));
    }
    Ok(sizes.iter().map(|&d| if d < 0 { size / known } else { d as usize }).collect())
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
    /// assert_eq!(Array::from([1, 2, 3, 4]).reshape([2, -1]).shape()[..], [2, 2]);
    /// ```
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoShape) -> Array {
        let place = Place::caller();
        let shape = resolve_shape(&shape.sizes(), self.size());
        ok(shape.and_then(|s| self.try_reshape(s, &place)).map_err(|e| e.at(place)))
    }

    /// Axis `i` of the result is axis `perm[i]` of this.
    #[track_caller]
    pub fn transpose(&self, perm: impl AsRef<[usize]>) -> Array {
        let perm: Dims = perm.as_ref().into();
        ok(try_bind(Transpose { perm }.into(), &[self], Place::caller())).remove(0)
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
        if from == to {
            return self.clone();
        }
        let mut perm: Vec<usize> = (0..self.rank()).collect();
        let a = perm.remove(from);
        perm.insert(to, a);
        self.transpose(perm)
    }
}
