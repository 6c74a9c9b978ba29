//! Slices at positions that are themselves computed: one scalar integer for each axis, moved to where the slice fits.

use super::check;
use super::gather::{Gather, Indexing, OutOfBounds, clamped};
use super::scatter::{Scatter, Update};
use super::structure::{one_each, with_first};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Rules};
use crate::program::{Var, Vars};
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{DType, Dims, Shape, Type};

/// One scalar integer for each axis of `x`, all of one element type; `sizes` fit in `x`.
fn starts(op: &str, x: &Type, sizes: &[usize], starts: &[Type]) -> Result<()> {
    one_each(op, x, &[("size", sizes.len()), ("start", starts.len())])?;
    check::same_types(op, starts)?;
    if let Some(s) = starts.first() {
        check::that(s.rank() == 0, || format!("`{op}` needs scalars for its starts, and got {s}"))?;
        check::dtype(op, s.dtype, "integers for its starts", s.dtype.is_integer())?;
    }
    check::that(sizes.iter().zip(x.shape.iter()).all(|(s, n)| s <= n), || {
        format!("`{op}`: a slice of shape {} does not fit in {x}", Shape::from(sizes))
    })
}

/// The starts for an array with a batch axis in front, none of them batched.
fn starts_over(b: &mut Builder, starts: &[Batched]) -> Vars {
    let dtype = starts.first().map_or(DType::I32, |s| b.dtype(s.var));
    let zero = b.zeros(&Type::scalar(dtype));
    std::iter::once(zero).chain(starts.iter().map(|s| s.var)).collect()
}

/// The starts of every slice of the batch as the rows of one array, and how they point into an array that is batched
/// itself or not.
fn starts_as_rows(b: &mut Batcher<'_>, starts: &[Batched], operand_batched: bool) -> (Var, Indexing) {
    let size = b.size;
    let columns: Vec<Var> = starts
        .iter()
        .map(|&s| {
            let s = b.materialize(s);
            b.reshape(s, &[size, 1].into())
        })
        .collect();
    let first: Dims = if operand_batched { [0].as_slice().into() } else { Dims::new() };
    let indexing = Indexing {
        window_dims: (1..=starts.len()).collect(),
        collapsed_dims: Dims::new(),
        operand_batching_dims: first.clone(),
        indices_batching_dims: first,
        index_map: (0..starts.len()).map(|d| d + operand_batched as usize).collect(),
        index_vector_dim: 1,
    };
    (b.concatenate(&columns, 1), indexing)
}

attributes! {
    /// `dynamic_slice(operand, starts…)`: a slice of a given shape. Starts past the last place where it fits, or before
    /// the first, mean that place.
    "dynamic_slice" => pub struct DynamicSlice {
        /// The shape of the slice.
        pub sizes: Dims,
    }
}

impl Rules for DynamicSlice {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let (operand, at) = check::first("dynamic_slice", x)?;
        starts("dynamic_slice", operand, &self.sizes, at)?;
        Ok(vec![operand.with_shape(self.sizes.clone())])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|i| i == 0)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let mut back = vec![None; x.len()];
        if let (Operand::Linear(ty), Some(ct)) = (&x[0], ct[0]) {
            let zeros = b.zeros(ty);
            let starts: Vars = x[1..].iter().map(Operand::known).collect();
            back[0] = Some(b.dynamic_update_slice(zeros, ct, &starts));
        }
        Ok(back)
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (operand, starts) = (x[0], &x[1..]);
        if !starts.iter().any(|s| s.batched) {
            let starts = starts_over(b, starts);
            let sizes: Dims = with_first(b.size, &self.sizes);
            return Ok(vec![Batched::yes(b.dynamic_slice(operand.var, &starts, &sizes))]);
        }
        let (rows, indexing) = starts_as_rows(b, starts, operand.batched);
        let slice_sizes = match operand.batched {
            true => with_first(b.size.min(1), &self.sizes),
            false => self.sizes.clone(),
        };
        let gather = Gather {
            indexing,
            slice_sizes,
            out_of_bounds: OutOfBounds::Clip,
            indices_are_sorted: operand.batched,
            unique_indices: operand.batched,
        };
        Ok(vec![Batched::yes(b.one(gather, &[operand.var, rows]))])
    }
}

attributes! {
    /// `dynamic_update_slice(operand, update, starts…)`: the operand with the update written over a slice of it. Starts
    /// past the last place where it fits, or before the first, mean that place.
    "dynamic_update_slice" => pub struct DynamicUpdateSlice {}
}

impl Rules for DynamicUpdateSlice {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let (operand, rest) = check::first("dynamic_update_slice", x)?;
        let (update, at) = check::first("dynamic_update_slice", rest)?;
        check::same_dtypes("dynamic_update_slice", &x[..2])?;
        starts("dynamic_update_slice", operand, &update.shape, at)?;
        Ok(vec![operand.clone()])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Jointly(|i| i < 2)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let mut back = vec![None; x.len()];
        let Some(ct) = ct[0] else { return Ok(back) };
        let starts: Vars = x[2..].iter().map(Operand::known).collect();
        let update = x[1].ty(b).clone();
        if x[0].is_linear() {
            let zeros = b.zeros(&update);
            back[0] = Some(b.dynamic_update_slice(ct, zeros, &starts));
        }
        if x[1].is_linear() {
            back[1] = Some(b.dynamic_slice(ct, &starts, &update.shape));
        }
        Ok(back)
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (operand, update) = (b.materialize(x[0]), b.materialize(x[1]));
        let starts = &x[2..];
        if !starts.iter().any(|s| s.batched) {
            let starts = starts_over(b, starts);
            return Ok(vec![Batched::yes(b.dynamic_update_slice(operand, update, &starts))]);
        }
        let (rows, indexing) = starts_as_rows(b, starts, true);
        let (shape, window) = (b.shape(operand).clone(), b.shape(update).clone());
        let rows = clamped(b, &indexing, rows, &shape, &window);
        let scatter = Scatter { indexing, update: Update::Set, indices_are_sorted: true, unique_indices: true };
        Ok(vec![Batched::yes(b.one(scatter, &[operand, rows, update]))])
    }
}
