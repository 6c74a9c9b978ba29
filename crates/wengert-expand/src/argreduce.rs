//! The index of an extreme along an axis: one reduction of values and indices together, where NaN is extreme and the
//! first of equal values counts.

use crate::program;
use wengert_core::ops::{ArgReduce, Binary, Combiner, Direction, Extreme, Iota, Reduce};
use wengert_core::{Program, Shape, Tensor, Type};

/// The extreme and its index reduced together.
pub(crate) fn arg_reduce(op: &ArgReduce, ty: &Type) -> Program {
    let (combiner, direction) = match op.extreme {
        Extreme::Max => (Combiner::Max, Direction::Gt),
        Extreme::Min => (Combiner::Min, Direction::Lt),
    };
    let (value, index) = (Type::scalar(ty.dtype), Type::scalar(op.dtype));
    let better = program([&value, &index, &value, &index], |b, x| {
        let mut first = b.compare(direction, x[0], x[2]);
        if ty.dtype.is_float() {
            let nan = b.compare(Direction::Ne, x[0], x[0]);
            first = b.binary(Binary::Or, first, nan);
        }
        let equal = b.compare(Direction::Eq, x[0], x[2]);
        let earlier = b.compare(Direction::Lt, x[1], x[3]);
        let tie = b.binary(Binary::And, equal, earlier);
        let index_first = b.binary(Binary::Or, first, tie);
        vec![b.select(first, x[0], x[2]), b.select(index_first, x[1], x[3])]
    });
    program([ty], |b, x| {
        let places = b.one(Iota { ty: ty.with_dtype(op.dtype), dim: op.dim }, &[]);
        let worst = combiner.identity(ty.dtype).expect("a named combiner");
        let worst = b.constant(Tensor::splat(Shape::scalar(), worst));
        let zero = b.zeros(&index);
        let reduce = Reduce { combiner: Combiner::Program(better.into()), dims: [op.dim].as_slice().into() };
        vec![b.push(reduce, &[x[0], places, worst, zero])[1]]
    })
}
