//! Gathers with a fill value for windows out of bounds, and gathers of nothing. A gather that moves its windows into
//! bounds has no expansion.

use crate::program;
use wengert_core::ops::{Binary, Combiner, Direction, Gather, OutOfBounds};
use wengert_core::{Element, Program, Rules, Scalar, Shape, Tensor, Type, with_dtype};

pub(crate) fn gather(op: &Gather, types: &[Type]) -> Option<Program> {
    let (dtype, result) = (types[0].dtype, op.infer(types).ok()?.remove(0).shape);
    let fill = match op.out_of_bounds {
        OutOfBounds::Clip => Scalar::from_i64(dtype, 0),
        OutOfBounds::Fill(s) => s,
    };
    // Nothing to gather from, or nothing to gather.
    if types[0].shape.size() == 0 || result.size() == 0 {
        return Some(program(types, |b, _| vec![b.constant(Tensor::splat(result, fill))]));
    }
    (op.out_of_bounds != OutOfBounds::Clip).then(|| gather_or_fill(op, fill, types))
}

/// The windows moved to where they fit, and those that had to move replaced.
fn gather_or_fill(op: &Gather, fill: Scalar, types: &[Type]) -> Program {
    let (at, operand, indices) = (&op.indexing, &types[0], &types[1]);
    program(types, |b, x| {
        let y = b.one(Gather { out_of_bounds: OutOfBounds::Clip, ..op.clone() }, x);
        let shape = b.shape(y).clone();
        let vectors = at.index_vector_dim < indices.rank();
        // A limit past the largest index there can be limits nothing.
        let largest = Combiner::Min.identity(indices.dtype).and_then(Scalar::as_i64).unwrap_or(i64::MAX);
        let limit = |&d: &usize| ((operand.shape[d] - op.slice_sizes[d]) as i64).min(largest);
        let limits = with_dtype!(indices.dtype, T => {
            let limits: Vec<T> = at.index_map.iter().map(|d| T::from_i64(limit(d))).collect();
            Tensor::new([limits.len()], limits)
        });
        let limits = b.constant(limits.expect("one for each component"));
        let limits = match vectors {
            true => b.broadcast(limits, &indices.shape, &[at.index_vector_dim]),
            false => {
                let limit = b.reshape(limits, &Shape::scalar());
                b.broadcast(limit, &indices.shape, &[])
            }
        };
        let zero = b.zeros(indices);
        let low = b.compare(Direction::Ge, x[1], zero);
        let high = b.compare(Direction::Le, x[1], limits);
        let mut fits = b.binary(Binary::And, low, high);
        if vectors {
            fits = b.reduce(Combiner::And, fits, &[at.index_vector_dim]);
        }
        let fits = b.broadcast(fits, &shape, &at.place_dims(shape.rank()));
        let fill = b.constant(Tensor::splat(shape, fill));
        vec![b.select(fits, y, fill)]
    })
}
