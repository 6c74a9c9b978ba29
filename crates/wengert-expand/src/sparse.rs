//! Products of sparse matrices, given by their elements and where these are, with dense ones: a gather, products, and a
//! scatter of their sums.

use wengert_core::ops::*;
use wengert_core::{Builder, DType, Error, Result, Type, Var};

/// A matrix given by its elements, where those of each row begin, and their columns, times a matrix or a vector.
pub fn rows_times_dense(b: &mut Builder, data: Var, begins: Var, columns: Var, dense: Var) -> Result<Var> {
    let [d, p, i, right] = [data, begins, columns, dense].map(|v| b.ty(v).clone());
    let vectors = [&d, &p, &i].iter().all(|t| t.rank() == 1) && d.shape == i.shape && matches!(right.rank(), 1 | 2);
    let indices = [&p, &i].iter().all(|t| t.dtype.is_integer());
    if !vectors || !indices || p.shape[0] == 0 || d.dtype != right.dtype || d.dtype == DType::Bool {
        return Err(Error::shape(format!("{d} in rows {p} and columns {i} can't be multiplied with {right}")));
    }
    let rows = p.shape[0] - 1;
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
    Ok(add_rows(b, zeros, row, products))
}

/// Rows added at these places; those that are nowhere do not count.
fn add_rows(b: &mut Builder, x: Var, places: Var, rows: Var) -> Var {
    let indexing = Indexing::rows(1, b.shape(x).rank());
    let update = Update::Combine(Combiner::Add);
    b.one(Scatter { indexing, update, indices_are_sorted: false, unique_indices: false }, &[x, places, rows])
}
