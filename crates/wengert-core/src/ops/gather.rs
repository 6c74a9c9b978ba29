//! Gather: windows of an array at places given by an array of indices. [`Indexing`], how indices point into an array, is
//! what it shares with scatter, its transpose.

use super::check;
use super::scatter::{Scatter, Update};
use super::structure::{shifted, with_first};
use super::{Binary, Combiner};
use crate::attr::Attr;
use crate::builder::Builder;
use crate::error::Result;
use crate::host::{Scalar, Tensor};
use crate::op::Rules;
use crate::program::Var;
use crate::text::{Parser, Printer};
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{Dims, Shape, Type};
use crate::{attributes, record};

record! {
    /// How an array of index vectors points at windows of an operand. Gather's result, and the updates of a scatter,
    /// hold the windows: their axes are the window's axes at `window_dims`, and around those the axes of the indices.
    pub struct Indexing {
        /// The axes of the windows' array that run inside a window: StableHLO's `offset_dims`, `update_window_dims`.
        pub window_dims: Dims,
        /// Operand axes along which a window has size 1 and which are left out of it: StableHLO's
        /// `collapsed_slice_dims`, `inserted_window_dims`.
        pub collapsed_dims: Dims,
        /// Operand axes walked in step with `indices_batching_dims`, and left out of the window too.
        pub operand_batching_dims: Dims,
        /// The axes of the indices walked in step with `operand_batching_dims`.
        pub indices_batching_dims: Dims,
        /// The operand axis that each component of an index vector is a start along: StableHLO's `start_index_map`,
        /// `scatter_dims_to_operand_dims`.
        pub index_map: Dims,
        /// The axis of the indices that holds the vectors; their rank if each index is a vector of one.
        pub index_vector_dim: usize,
    }
}

impl Indexing {
    /// Each index (an array of them with `places` axes) points at a row: all of the operand but its first axis.
    pub fn rows(places: usize, operand_rank: usize) -> Indexing {
        Indexing {
            window_dims: (places..places + operand_rank - 1).collect(),
            collapsed_dims: [0].as_slice().into(),
            operand_batching_dims: Dims::new(),
            indices_batching_dims: Dims::new(),
            index_map: [0].as_slice().into(),
            index_vector_dim: places,
        }
    }

    /// The operand axes a window has, in order.
    pub fn window_axes(&self, operand_rank: usize) -> Dims {
        let left_out = |d: &usize| self.collapsed_dims.contains(d) || self.operand_batching_dims.contains(d);
        (0..operand_rank).filter(|d| !left_out(d)).collect()
    }

    /// The shape of the indices without the axis that holds the vectors: one window for each of its indices.
    pub fn places(&self, indices: &Shape) -> Shape {
        indices.without_axes(&[self.index_vector_dim])
    }

    /// The axes of the windows' array that do not run inside a window.
    pub fn place_dims(&self, windows_rank: usize) -> Dims {
        (0..windows_rank).filter(|d| !self.window_dims.contains(d)).collect()
    }

    /// The shape of the windows' array.
    fn windows_shape(&self, places: &[usize], window: &[usize]) -> Shape {
        let (mut places, mut window) = (places.iter(), window.iter());
        let rank = places.len() + window.len();
        let size = |d| if self.window_dims.contains(&d) { window.next() } else { places.next() };
        (0..rank).map(size).map(|n| *n.expect("window axes lie within the rank")).collect()
    }

    /// The sizes of a window along every operand axis, for a windows' array of this shape.
    pub fn slice_sizes(&self, operand: &Shape, windows: &Shape) -> Dims {
        let mut sizes: Dims = operand.iter().map(|&n| n.min(1)).collect();
        for (d, &w) in self.window_axes(operand.rank()).into_iter().zip(&self.window_dims) {
            sizes[d] = windows[w];
        }
        sizes
    }

    /// What must hold between operand, indices and the sizes of the windows; gives the shape of the windows' array.
    pub(super) fn check(&self, op: &str, operand: &Type, indices: &Type, window: &[usize]) -> Result<Shape> {
        check::dtype(op, indices.dtype, "integers for its indices", indices.dtype.is_integer())?;
        let that = |ok: bool, message: &dyn Fn() -> String| check::that(ok, || format!("`{op}`: {}", message()));
        let ivd = self.index_vector_dim;
        that(ivd <= indices.rank(), &|| format!("axis {ivd} of {indices} can't hold the index vectors"))?;

        let left_out: Dims = self.collapsed_dims.iter().chain(&self.operand_batching_dims).copied().collect();
        let pointed: Dims = self.index_map.iter().chain(&self.operand_batching_dims).copied().collect();
        check::axes(op, "collapsed or batching axis", &left_out, operand.rank())?;
        check::axes(op, "indexed or batching axis", &pointed, operand.rank())?;
        check::axes(op, "batching axis of the indices", &self.indices_batching_dims, indices.rank())?;
        that(!self.indices_batching_dims.contains(&ivd), &|| {
            format!("axis {ivd} of the indices holds the index vectors, and can't be a batching axis too")
        })?;
        let (n, m) = (self.operand_batching_dims.len(), self.indices_batching_dims.len());
        that(n == m, &|| format!("{n} batching axes of the operand can't walk in step with {m} of the indices"))?;
        for (&o, &i) in self.operand_batching_dims.iter().zip(&self.indices_batching_dims) {
            that(operand.shape[o] == indices.shape[i], &|| {
                format!("batching axes {o} of {operand} and {i} of {indices} have different sizes")
            })?;
        }
        for (what, dims) in [
            ("window axes", &self.window_dims),
            ("collapsed axes", &self.collapsed_dims),
            ("batching axes of the operand", &self.operand_batching_dims),
        ] {
            that(dims.is_sorted(), &|| format!("the {what} must be in order, and are {dims:?}"))?;
        }

        let components = indices.shape.get(ivd).copied().unwrap_or(1);
        that(components == self.index_map.len(), &|| {
            format!("index vectors of {components} components can't point along {} axes", self.index_map.len())
        })?;
        let axes = self.window_axes(operand.rank());
        that(axes.len() == self.window_dims.len(), &|| {
            format!(
                "the windows of {operand} have {} axes, and {} are given a place in the result",
                axes.len(),
                self.window_dims.len()
            )
        })?;
        for (&d, &size) in axes.iter().zip(window) {
            that(size <= operand.shape[d], &|| {
                format!("a window of size {size} does not fit in axis {d} of {operand}")
            })?;
        }
        let places = self.places(&indices.shape);
        check::axes(op, "window axis", &self.window_dims, places.rank() + axes.len())?;
        Ok(self.windows_shape(&places, window))
    }

    /// The same for a batch. `operand` and `indices` say which have the batch as axis 0; the windows' array always has.
    pub(super) fn over_batch(&self, operand: bool, indices: bool) -> Indexing {
        let shift = |dims: &Dims, by: bool| if by { shifted(dims) } else { dims.clone() };
        let mut over = Indexing {
            window_dims: shifted(&self.window_dims),
            collapsed_dims: shift(&self.collapsed_dims, operand),
            operand_batching_dims: shift(&self.operand_batching_dims, operand),
            indices_batching_dims: shift(&self.indices_batching_dims, indices),
            index_map: shift(&self.index_map, operand),
            index_vector_dim: self.index_vector_dim + indices as usize,
        };
        match (operand, indices) {
            (true, true) => {
                over.operand_batching_dims.insert(0, 0);
                over.indices_batching_dims.insert(0, 0);
            }
            // Every window spans the whole batch.
            (true, false) => over.window_dims.insert(0, 0),
            (false, _) => {}
        }
        over
    }
}

/// The indices moved to where windows of these sizes (one for each operand axis) fit.
pub(super) fn clamped(b: &mut Builder, at: &Indexing, indices: Var, operand: &Shape, sizes: &[usize]) -> Var {
    let ty = b.ty(indices).clone();
    // A limit past the largest index there can be limits nothing.
    let largest = Combiner::Min.identity(ty.dtype).and_then(Scalar::as_i64).unwrap_or(i64::MAX);
    let limits: Vec<i64> = at.index_map.iter().map(|&d| ((operand[d] - sizes[d]) as i64).min(largest)).collect();
    let limits = crate::with_dtype!(ty.dtype, T => {
        Tensor::new([limits.len()], limits.into_iter().map(<T as crate::Element>::from_i64).collect::<Vec<T>>())
    });
    let limits = b.constant(limits.expect("one for each component"));
    let limits = match at.index_vector_dim < ty.rank() {
        true => b.broadcast(limits, &ty.shape, &[at.index_vector_dim]),
        false => {
            let limit = b.reshape(limits, &Shape::scalar());
            b.broadcast(limit, &ty.shape, &[])
        }
    };
    let zero = b.zeros(&ty);
    let low = b.binary(Binary::Max, indices, zero);
    b.binary(Binary::Min, low, limits)
}

/// What a window that does not lie within the operand holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutOfBounds {
    /// What the nearest window within holds, as StableHLO has it.
    Clip,
    /// This value everywhere.
    Fill(Scalar),
}

impl Attr for OutOfBounds {
    fn print(&self, p: &mut Printer) {
        match self {
            OutOfBounds::Clip => p.word("clip"),
            OutOfBounds::Fill(s) => s.print(p),
        }
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        if p.accept("clip") { Ok(OutOfBounds::Clip) } else { Ok(OutOfBounds::Fill(Attr::parse(p)?)) }
    }
}

attributes! {
    /// `gather(operand, indices)`: the windows of the operand that index vectors point at.
    "gather" => pub struct Gather {
        /// How the indices point at windows.
        pub indexing: Indexing,
        /// The size of a window along every operand axis: 1 (or 0, if there is nothing) along those left out of it.
        pub slice_sizes: Dims,
        /// What a window that does not lie within the operand holds.
        pub out_of_bounds: OutOfBounds,
        /// A promise that the index vectors are in order.
        pub indices_are_sorted: bool,
        /// A promise that no two windows overlap.
        pub unique_indices: bool,
    }
}

impl Gather {
    /// The gather whose windows are the updates of a scatter: zeros for those that it drops.
    pub(super) fn inverse(scatter: &Scatter, operand: &Type, updates: &Shape) -> Gather {
        Gather {
            indexing: scatter.indexing.clone(),
            slice_sizes: scatter.indexing.slice_sizes(&operand.shape, updates),
            out_of_bounds: OutOfBounds::Fill(Scalar::from_i64(operand.dtype, 0)),
            indices_are_sorted: scatter.indices_are_sorted,
            unique_indices: scatter.unique_indices,
        }
    }
}

impl Rules for Gather {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [operand, indices] = check::operands("gather", x)?;
        super::structure::one_each("gather", operand, &[("slice size", self.slice_sizes.len())])?;
        let axes = self.indexing.window_axes(operand.rank());
        for d in (0..operand.rank()).filter(|d| !axes.contains(d)) {
            check::that(self.slice_sizes[d] == operand.shape[d].min(1), || {
                format!("`gather` leaves axis {d} of {operand} out of its windows, so their size there must be 1")
            })?;
        }
        if let OutOfBounds::Fill(s) = self.out_of_bounds {
            check::dtype(
                "gather",
                s.dtype(),
                &format!("a fill value of type {}", operand.dtype),
                s.dtype() == operand.dtype,
            )?;
        }
        let window: Dims = axes.iter().map(|&d| self.slice_sizes[d]).collect();
        Ok(vec![operand.with_shape(self.indexing.check("gather", operand, indices, &window)?)])
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let Some(t) = t[0] else { return Ok(vec![None]) };
        let out_of_bounds = match self.out_of_bounds {
            OutOfBounds::Clip => OutOfBounds::Clip,
            OutOfBounds::Fill(s) => OutOfBounds::Fill(Scalar::from_i64(s.dtype(), 0)),
        };
        Ok(vec![Some(b.one(Gather { out_of_bounds, ..self.clone() }, &[t, x[1]]))])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) else { return Ok(vec![None, None]) };
        let indices = match self.out_of_bounds {
            OutOfBounds::Clip => clamped(b, &self.indexing, x[1].known(), &ty.shape, &self.slice_sizes),
            OutOfBounds::Fill(_) => x[1].known(),
        };
        let add = Scatter {
            indexing: self.indexing.clone(),
            update: Update::Combine(Combiner::Add),
            indices_are_sorted: self.indices_are_sorted,
            unique_indices: self.unique_indices,
        };
        let zeros = b.zeros(ty);
        Ok(vec![Some(b.one(add, &[zeros, indices, ct])), None])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (operand, indices) = (x[0], x[1]);
        let slice_sizes = match (operand.batched, indices.batched) {
            (false, _) => self.slice_sizes.clone(),
            (true, false) => with_first(b.size, &self.slice_sizes),
            (true, true) => with_first(b.size.min(1), &self.slice_sizes),
        };
        let op = Gather {
            indexing: self.indexing.over_batch(operand.batched, indices.batched),
            slice_sizes,
            out_of_bounds: self.out_of_bounds,
            indices_are_sorted: self.indices_are_sorted && !indices.batched,
            unique_indices: self.unique_indices && operand.batched,
        };
        Ok(vec![Batched::yes(b.one(op, &[operand.var, indices.var]))])
    }
}
