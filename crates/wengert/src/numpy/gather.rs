//! Elements by their positions along an axis.

use super::axes::resolve_axis;
use super::where_;
use crate::array::Array;
use crate::dispatch::bind_one;
use crate::fail::{fail, ok};
use crate::tape::composite;
use crate::watch;
use wengert_core::ops::{Gather, Indexing, OutOfBounds};
use wengert_core::{DType, Dims, Error, Place, Scalar};

/// What stands for an element that is not there: NaN, or the number furthest from use.
pub(super) fn absent(d: DType) -> Scalar {
    match d {
        d if d.is_differentiable() => Scalar::from_f64(d, f64::NAN),
        d if d.is_unsigned() => Scalar::from_i64(d, -1),
        DType::Bool => Scalar::Bool(true),
        d => Scalar::from_i64(d, i64::MIN >> (64 - d.bits())),
    }
}

impl Array {
    /// Positions with those counted from the end made positive.
    #[track_caller]
    fn positions(&self, n: usize) -> Array {
        if !self.dtype().is_integer() {
            let message = format!("positions are integers, and an array of type {} was given", self.ty());
            fail(Error::dtype(message).at(Place::caller()));
        }
        let i = self.to(DType::I64);
        if self.dtype().is_unsigned() { i } else { where_(i.lt(0), &i + n, &i) }
    }

    /// The elements at these positions along an axis; negative ones count from the end. The axes of `positions` take the
    /// place of the axis. A position that is not there gives NaN (or the smallest integer, or the largest unsigned one).
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.take(Array::from([2, 0]), 1), Array::from([[3, 1], [6, 4]]));
    /// ```
    #[track_caller]
    pub fn take(&self, positions: impl Into<Array>, axis: isize) -> Array {
        let (positions, place) = (positions.into(), Place::caller());
        let failed = |e| watch::failed_call("take", &[self, &positions], Some(&axis.to_string()), &place, e);
        let dim = ok(resolve_axis(axis, self.rank(), &place).map_err(failed));
        let at = positions.positions(self.shape()[dim]);
        self.gather_axis(&at, dim, OutOfBounds::Fill(absent(self.dtype())))
    }

    /// The elements at positions along an axis, both counted from the front.
    #[track_caller]
    pub(crate) fn gather_axis(&self, at: &Array, dim: usize, out_of_bounds: OutOfBounds) -> Array {
        let mut slice_sizes = self.shape().0.clone();
        slice_sizes[dim] = slice_sizes[dim].min(1);
        let op = Gather {
            indexing: Indexing {
                window_dims: (0..dim).chain(dim + at.rank()..self.rank() - 1 + at.rank()).collect(),
                collapsed_dims: Dims::from_slice(&[dim]),
                operand_batching_dims: Dims::new(),
                indices_batching_dims: Dims::new(),
                index_map: Dims::from_slice(&[dim]),
                index_vector_dim: at.rank(),
            },
            slice_sizes,
            out_of_bounds,
            indices_are_sorted: false,
            unique_indices: false,
        };
        bind_one(op, &[self, at])
    }

    /// The elements at positions along an axis, each line of the array with its own line of positions, as `argsort`
    /// gives them. Other axes broadcast. A position that is not there gives what [`Array::take`] gives.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[3, 1, 2], [4, 6, 5]]);
    /// assert_eq!(x.take_along_axis(x.argsort(1), 1), x.sort(1));
    /// ```
    #[composite]
    #[track_caller]
    pub fn take_along_axis(&self, positions: impl Into<Array>, axis: isize) -> Array {
        let place = Place::caller();
        let positions = positions.into();
        let dim = ok(resolve_axis(axis, self.rank(), &place));
        if positions.rank() != self.rank() {
            let message = format!("positions of type {} can't go along an array of type {}", positions.ty(), self.ty());
            fail(Error::shape(message).at(place).note("`take_along_axis` needs as many axes on both sides"));
        }
        let at = positions.positions(self.shape()[dim]);
        // All axes but the one in question have one size on both sides.
        let alike = |x: &Array, like: &Array| -> Vec<isize> {
            let size = |d: usize| if d == dim || x.shape()[d] != 1 { x.shape()[d] } else { like.shape()[d] };
            (0..x.rank()).map(|d| size(d) as isize).collect()
        };
        let (x_shape, at_shape) = (alike(self, &at), alike(&at, self));
        let (x, at) = (self.broadcast_to(x_shape), at.broadcast_to(at_shape));
        let others: Dims = (0..x.rank()).filter(|&d| d != dim).collect();
        let op = Gather {
            indexing: Indexing {
                window_dims: Dims::new(),
                collapsed_dims: Dims::from_slice(&[dim]),
                operand_batching_dims: others.clone(),
                indices_batching_dims: others,
                index_map: Dims::from_slice(&[dim]),
                index_vector_dim: x.rank(),
            },
            slice_sizes: x.shape().iter().map(|&n| n.min(1)).collect(),
            out_of_bounds: OutOfBounds::Fill(absent(x.dtype())),
            indices_are_sorted: false,
            unique_indices: false,
        };
        bind_one(op, &[&x, &at])
    }
}
