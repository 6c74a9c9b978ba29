//! What is done with matrices before and after a library decomposes them, as programs: triangles, NaN where the library
//! failed, sizes and pivots in our form.

use crate::program;
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, Complex, DType, Dims, Op, Program, Scalar, Tensor, Type, Var};

/// Where the row index and the column index stand in an order, for every element of a matrix.
fn positions(b: &mut Builder, ty: &Type, order: Direction) -> Var {
    let index = ty.with_dtype(DType::I32);
    let [row, column] = [2, 1].map(|back| b.one(Iota { ty: index.clone(), dim: ty.rank() - back }, &[]));
    b.compare(order, row, column)
}

/// The lower or upper triangle, zeros elsewhere.
pub fn triangle(ty: &Type, lower: bool) -> Program {
    program([ty], |b, x| {
        let inside = positions(b, ty, if lower { Direction::Ge } else { Direction::Le });
        let zero = b.zeros(ty);
        vec![b.select(inside, x[0], zero)]
    })
}

/// The identity, if a matrix has elements; nothing to say if not.
pub(super) fn identity(b: &mut Builder, ty: &Type) -> Var {
    if ty.shape.size() == 0 {
        return b.zeros(ty);
    }
    let diagonal = positions(b, ty, Direction::Eq);
    b.convert(diagonal, ty.dtype)
}

/// Numbers that count from one made to count from zero.
pub fn from_zero(ty: &Type) -> Program {
    program([ty], |b, x| vec![b.offset(x[0], -1.0)])
}

/// NaN of an element type, in both parts.
pub(super) fn nan(ty: &Type) -> Tensor {
    Tensor::splat(ty.shape.clone(), Scalar::from_complex(ty.dtype, Complex::new(f64::NAN, f64::NAN)))
}

/// Matrices that have a NaN made NaN everywhere.
pub fn nan_throughout(ty: &Type) -> Program {
    let (row, column) = (ty.rank() - 2, ty.rank() - 1);
    program([ty], |b, x| {
        let bad = b.compare(Direction::Ne, x[0], x[0]);
        let bad = b.reduce(Combiner::Or, bad, &[row, column]);
        let batch: Dims = (0..row).collect();
        let bad = b.broadcast(bad, &ty.shape, &batch);
        let nan = b.constant(nan(ty));
        vec![b.select(bad, nan, x[0])]
    })
}

/// Values where `info` is as it should be to zero, NaN elsewhere.
pub fn or_nan(info: &Type, good: Direction, types: &[&Type]) -> Program {
    program([info].into_iter().chain(types.iter().copied()), |b, x| {
        let zero = b.zeros(info);
        let ok = b.compare(good, x[0], zero);
        let batch: Dims = (0..info.rank()).collect();
        let one = |&v: &Var| {
            let ty = b.ty(v).clone();
            let ok = b.broadcast(ok, &ty.shape, &batch);
            let nan = b.constant(nan(&ty));
            b.select(ok, v, nan)
        };
        x[1..].iter().map(one).collect()
    })
}

/// Rows and columns cut off or added (zeros), so that a matrix has another type.
pub fn resized(from: &Type, to: &Type) -> Program {
    let difference = |i: usize| to.shape[i] as i64 - from.shape[i] as i64;
    program([from], |b, x| {
        if from == to {
            return x.to_vec();
        }
        let zero = b.zeros(&Type::scalar(from.dtype));
        let pad = Pad {
            low: vec![0; from.rank()],
            high: (0..from.rank()).map(difference).collect(),
            interior: std::iter::repeat_n(0, from.rank()).collect(),
        };
        vec![b.one(pad, &[x[0], zero])]
    })
}

/// The matrix transposed and conjugated.
pub fn adjoint(ty: &Type) -> Program {
    let mut perm: Dims = (0..ty.rank()).collect();
    perm.swap(ty.rank() - 2, ty.rank() - 1);
    program([ty], |b, x| {
        let y = b.transpose(x[0], &perm);
        vec![if ty.dtype.is_complex() { b.unary(Unary::Conj, y) } else { y }]
    })
}

/// An op of one matrix of short floats computed in `f32`, its results rounded.
pub(super) fn widened(op: &Op, ty: &Type) -> Program {
    let results = op.result_types(std::slice::from_ref(ty)).expect("an operand that the op takes");
    program([ty], |b, x| {
        let wide = b.convert(x[0], DType::F32);
        let y = b.push(op.clone(), &[wide]);
        y.iter().zip(results).map(|(&v, t)| b.convert(v, t.dtype)).collect()
    })
}

/// The order that exchanges of rows put them in: at step `i`, rows `i` and `pivots[i]`.
pub fn permutation(pivots: &Type, order: &Type) -> Program {
    let last = order.rank() - 1;
    let steps = pivots.shape[last];
    let at = order.with_shape(order.shape.without_axes(&[last]));
    let scalar = Type::scalar(DType::I32);
    let swap = program([order, &scalar, &at], |b, x| {
        let place = b.one(Iota { ty: order.clone(), dim: last }, &[]);
        let batch: Dims = (0..last).collect();
        let (i, j) = (b.broadcast(x[1], &order.shape, &[]), b.broadcast(x[2], &order.shape, &batch));
        let [here, there] = [i, j].map(|k| b.compare(Direction::Eq, place, k));
        let zero = b.zeros(order);
        let [first, second] = [here, there].map(|mask| {
            let one = b.select(mask, x[0], zero);
            let one = b.sum(one, &[last]);
            b.broadcast(one, &order.shape, &batch)
        });
        let y = b.select(there, first, x[0]);
        vec![b.select(here, second, y)]
    });
    program([pivots], |b, x| {
        let start = b.one(Iota { ty: order.clone(), dim: last }, &[]);
        let count = b.one(Iota { ty: Type::new(DType::I32, [steps]), dim: 0 }, &[]);
        let rows = b.move_axis(x[0], last, 0);
        let scan = Scan { length: steps, consts: 0, carries: 1, reverse: false, body: Arc::new(swap) };
        vec![b.one(scan, &[start, count, rows])]
    })
}

/// A factor with the operand's elements in the triangle that LAPACK leaves alone, unless it failed and is NaN.
pub fn keep_other_triangle(b: &mut Builder, y: Var, x: Var, lower: bool) -> Var {
    let ty = b.ty(y).clone();
    let other = positions(b, &ty, if lower { Direction::Lt } else { Direction::Gt });
    let known = b.compare(Direction::Eq, y, y);
    let kept = b.binary(Binary::And, other, known);
    b.select(kept, x, y)
}
