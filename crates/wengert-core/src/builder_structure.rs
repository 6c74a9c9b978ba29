//! The builder's short forms of the ops that cut arrays and put them together.

use crate::builder::Builder;
use crate::host::Scalar;
use crate::ops::*;
use crate::program::{Var, Vars};
use crate::types::{Dims, Type};

impl Builder {
    /// The elements in reverse order along some axes.
    pub fn reverse(&mut self, x: Var, dims: &[usize]) -> Var {
        if dims.is_empty() {
            return x;
        }
        self.one(Reverse { dims: dims.into() }, &[x])
    }

    /// Along each axis, every `strides`-th element from `start` up to `limit`; `x` itself if that is all.
    #[track_caller]
    pub fn slice(&mut self, x: Var, start: &[usize], limit: &[usize], strides: &[usize]) -> Var {
        if start.iter().all(|&s| s == 0) && *limit == **self.shape(x) && strides.iter().all(|&s| s == 1) {
            return x;
        }
        self.one(Slice { start: start.into(), limit: limit.into(), strides: strides.into() }, &[x])
    }

    /// The elements from `start` up to `limit` along one axis.
    #[track_caller]
    pub fn slice_axis(&mut self, x: Var, axis: usize, start: usize, limit: usize) -> Var {
        let mut limits = self.shape(x).0.clone();
        let mut starts = Dims::from_elem(0, limits.len());
        (starts[axis], limits[axis]) = (start, limit);
        let strides = Dims::from_elem(1, limits.len());
        self.slice(x, &starts, &limits, &strides)
    }

    /// One number put around `x`: so much before and after along each axis. A negative amount takes elements away.
    #[track_caller]
    pub fn pad(&mut self, x: Var, value: f64, low: &[i64], high: &[i64]) -> Var {
        if low.iter().chain(high).all(|&n| n == 0) {
            return x;
        }
        let value = self.full(&Type::scalar(self.dtype(x)), value);
        let interior = Dims::from_elem(0, low.len());
        self.one(Pad { low: low.to_vec(), high: high.to_vec(), interior }, &[x, value])
    }

    /// The arrays one after the other along an axis.
    #[track_caller]
    pub fn concatenate(&mut self, x: &[Var], dim: usize) -> Var {
        match x {
            [x] => *x,
            _ => self.one(Concatenate { dim }, x),
        }
    }

    /// The slice of these sizes at computed starts, one for each axis.
    #[track_caller]
    pub fn dynamic_slice(&mut self, x: Var, starts: &[Var], sizes: &[usize]) -> Var {
        let operands: Vars = std::iter::once(x).chain(starts.iter().copied()).collect();
        self.one(DynamicSlice { sizes: sizes.into() }, &operands)
    }

    /// `x` with `update` written at computed starts, one for each axis.
    #[track_caller]
    pub fn dynamic_update_slice(&mut self, x: Var, update: Var, starts: &[Var]) -> Var {
        let operands: Vars = [x, update].into_iter().chain(starts.iter().copied()).collect();
        self.one(DynamicUpdateSlice {}, &operands)
    }

    /// For each index, the row of `x` (all of it but its first axis) there; zeros for indices out of bounds.
    #[track_caller]
    pub fn gather_rows(&mut self, x: Var, indices: Var) -> Var {
        let (ty, places) = (self.ty(x).clone(), self.shape(indices).rank());
        let mut slice_sizes = ty.shape.0.clone();
        slice_sizes[0] = slice_sizes[0].min(1);
        let gather = Gather {
            indexing: Indexing::rows(places, ty.rank()),
            slice_sizes,
            out_of_bounds: OutOfBounds::Fill(Scalar::from_i64(ty.dtype, 0)),
            indices_are_sorted: false,
            unique_indices: false,
        };
        self.one(gather, &[x, indices])
    }

    /// Along one axis, the element of `x` at each index; the indices are alike in all other axes, and within bounds.
    #[track_caller]
    pub fn take_along(&mut self, x: Var, indices: Var, axis: usize) -> Var {
        let shape = self.shape(x).clone();
        let others: Dims = (0..shape.rank()).filter(|&d| d != axis).collect();
        let along: Dims = [axis].as_slice().into();
        let indexing = Indexing {
            window_dims: Dims::new(),
            collapsed_dims: along.clone(),
            operand_batching_dims: others.clone(),
            indices_batching_dims: others,
            index_map: along,
            index_vector_dim: shape.rank(),
        };
        let gather = Gather {
            indexing,
            slice_sizes: shape.iter().map(|&n| n.min(1)).collect(),
            out_of_bounds: OutOfBounds::Clip,
            indices_are_sorted: false,
            unique_indices: false,
        };
        self.one(gather, &[x, indices])
    }
}
