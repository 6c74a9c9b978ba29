//! Products of sparse matrices, as JAX calls libraries for them on the CPU.

use super::body::Body;
use super::elementwise::operand;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Error, Result, Type, Var, Vars};

/// A matrix given by its elements, where those of each row begin, and their columns, times a matrix or a vector.
pub(super) fn rows_times_dense(c: &mut Body<'_, '_, '_>, x: &[Var]) -> Result<Vars> {
    let (data, begins, columns, dense) = (operand(x, 0)?, operand(x, 1)?, operand(x, 2)?, operand(x, 3)?);
    let [d, p, i, right] = [data, begins, columns, dense].map(|v| c.b.ty(v).clone());
    let vectors = [&d, &p, &i].iter().all(|t| t.rank() == 1) && d.shape == i.shape && matches!(right.rank(), 1 | 2);
    let indices = [&p, &i].iter().all(|t| t.dtype.is_integer());
    if !vectors || !indices || p.shape[0] == 0 || d.dtype != right.dtype || d.dtype == DType::Bool {
        return Err(Error::shape(format!("{d} in rows {p} and columns {i} can't be multiplied with {right}")));
    }
    let (rows, b) = (p.shape[0] - 1, &mut c.b);
    // An element's row is how many rows begin up to it, but for the first: one more there where each begins.
    let ends = b.slice_axis(begins, 0, 1, rows + 1);
    let number = Type::new(DType::I32, d.shape.clone());
    let (none, one) = (b.zeros(&number), b.full(&number.with_shape([rows]), 1.0));
    let steps = add_rows(b, none, ends, one);
    let row = b.one(Cumulative { kind: CumulativeKind::Sum, dim: 0, reverse: false }, &[steps]);
    let taken = b.gather_rows(dense, columns);
    let shape = b.shape(taken).clone();
    let factors = b.broadcast(data, &shape, &[0]);
    let products = b.mul(factors, taken);
    let mut result = right.shape.clone();
    result.0[0] = rows;
    let zeros = b.zeros(&right.with_shape(result));
    Ok([add_rows(b, zeros, row, products)].as_slice().into())
}

/// Rows added at these places; those that are nowhere do not count.
fn add_rows(b: &mut Builder, x: Var, places: Var, rows: Var) -> Var {
    let indexing = Indexing::rows(1, b.shape(x).rank());
    let update = Update::Combine(Combiner::Add);
    b.one(Scatter { indexing, update, indices_are_sorted: false, unique_indices: false }, &[x, places, rows])
}
