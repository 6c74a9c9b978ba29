//! What rules of matrix ops are written with: products, transposes, triangles and diagonals of the last two axes.

use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::ops::check;
use crate::ops::{Direction, DotGeneral, Iota, Lu, MatrixTranspose, Pad, TriangularSolve, Unary};
use crate::program::Var;
use crate::transform::{Batched, Batcher};
use crate::types::{DType, Dims, Shape, Type};
use std::ops::Range;

/// Checks that the elements have derivatives and that there are two axes at least; gives the sizes of the last two.
pub(super) fn matrix(op: &str, x: &Type) -> Result<[usize; 2]> {
    check::dtype(op, x.dtype, "floats and complex numbers", x.dtype.is_differentiable())?;
    check::that(x.rank() >= 2, || format!("`{op}` takes matrices, with at least two axes, and got {x}"))?;
    Ok([x.shape[x.rank() - 2], x.shape[x.rank() - 1]])
}

/// Like [`matrix`], for square ones.
pub(super) fn square(op: &str, x: &Type) -> Result<usize> {
    let [m, n] = matrix(op, x)?;
    check::that(m == n, || format!("`{op}` takes square matrices, and got {x}"))?;
    Ok(n)
}

/// The type with these sizes in place of the last two axes.
pub(super) fn with_last(x: &Type, sizes: &[usize]) -> Type {
    x.with_shape(x.shape[..x.rank() - 2].iter().chain(sizes).copied().collect::<Shape>())
}

/// The sizes of the last two axes.
pub(super) fn sizes(b: &Builder, x: Var) -> [usize; 2] {
    let s = b.shape(x);
    [s[s.rank() - 2], s[s.rank() - 1]]
}

/// The batch axes are the leading ones already: one more makes no difference.
pub(super) fn batch_leading(op: &impl Rules, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
    let x = b.broadcast_together(x);
    Ok(b.push(op.to_op(), &x).iter().map(|&v| Batched::yes(v)).collect())
}

/// `x·y`.
pub(super) fn matmul(b: &mut Builder, x: Var, y: Var) -> Var {
    let r = b.shape(x).rank();
    let batch: Dims = (0..r - 2).collect();
    let contract = ([r - 1].as_slice().into(), [r - 2].as_slice().into());
    b.one(DotGeneral { contract, batch: (batch.clone(), batch) }, &[x, y])
}

/// The last two axes exchanged.
pub(super) fn transposed(b: &mut Builder, x: Var) -> Var {
    let r = b.shape(x).rank();
    b.move_axis(x, r - 1, r - 2)
}

/// The complex conjugate; real numbers are their own.
pub(super) fn conj(b: &mut Builder, x: Var) -> Var {
    if b.dtype(x).is_complex() { b.unary(Unary::Conj, x) } else { x }
}

/// The conjugate transpose.
pub(super) fn adjoint(b: &mut Builder, x: Var) -> Var {
    let t = transposed(b, x);
    conj(b, t)
}

/// The real part; real numbers are their own.
pub(super) fn real(b: &mut Builder, x: Var) -> Var {
    if b.dtype(x).is_complex() { b.unary(Unary::Real, x) } else { x }
}

/// Where the row compares like this to the column, for matrices like `x`.
fn mask(b: &mut Builder, x: Var, direction: Direction) -> Var {
    let [m, n] = sizes(b, x);
    let shape = b.shape(x).clone();
    let ty = Type::new(DType::I64, [m, n]);
    let row = b.one(Iota { ty: ty.clone(), dim: 0 }, &[]);
    let column = b.one(Iota { ty, dim: 1 }, &[]);
    let mask = b.compare(direction, row, column);
    b.broadcast(mask, &shape, &[shape.rank() - 2, shape.rank() - 1])
}

/// Which triangle of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// The lower or the upper one.
    pub lower: bool,
    /// Whether without the diagonal.
    pub strict: bool,
}

/// `x` in a triangle, and zero elsewhere.
pub(super) fn triangle(b: &mut Builder, x: Var, part: Triangle) -> Var {
    let direction = match (part.lower, part.strict) {
        (true, false) => Direction::Ge,
        (true, true) => Direction::Gt,
        (false, false) => Direction::Le,
        (false, true) => Direction::Lt,
    };
    let mask = mask(b, x, direction);
    let zero = b.full_like(x, 0.0);
    b.select(mask, x, zero)
}

/// Where the diagonal of matrices like `x` is.
pub(super) fn on_diagonal(b: &mut Builder, x: Var) -> Var {
    mask(b, x, Direction::Eq)
}

/// Ones on the diagonal and zeros elsewhere, for matrices like `x`.
pub(super) fn eye_like(b: &mut Builder, x: Var) -> Var {
    let dtype = b.dtype(x);
    let mask = on_diagonal(b, x);
    b.convert(mask, dtype)
}

/// `x` with its diagonal halved.
pub(super) fn halve_diagonal(b: &mut Builder, x: Var) -> Var {
    let mask = on_diagonal(b, x);
    let (half, one) = (b.full_like(x, 0.5), b.full_like(x, 1.0));
    let weight = b.select(mask, half, one);
    b.mul(x, weight)
}

/// The Hermitian matrix that one triangle of `x` stands for.
pub(super) fn mirrored(b: &mut Builder, x: Var, lower: bool) -> Var {
    let here = triangle(b, x, Triangle { lower, strict: false });
    let there = adjoint(b, here);
    let both = b.add(here, there);
    halve_diagonal(b, both)
}

/// The diagonal of square matrices.
pub(super) fn diagonal(b: &mut Builder, x: Var) -> Var {
    let mask = on_diagonal(b, x);
    let zero = b.full_like(x, 0.0);
    let d = b.select(mask, x, zero);
    let last = b.shape(x).rank() - 1;
    b.sum(d, &[last])
}

/// These rows and columns of `x`, which are zeros past its last.
pub(super) fn block(b: &mut Builder, x: Var, rows: Range<usize>, columns: Range<usize>) -> Var {
    let [m, n] = sizes(b, x);
    if rows == (0..m) && columns == (0..n) {
        return x;
    }
    let batch = vec![0; b.shape(x).rank() - 2];
    let low = [&batch[..], &[-(rows.start as i64), -(columns.start as i64)]].concat();
    let high = [&batch[..], &[rows.end as i64 - m as i64, columns.end as i64 - n as i64]].concat();
    let interior = low.iter().map(|_| 0).collect();
    let zero = b.zeros(&Type::scalar(b.dtype(x)));
    b.one(Pad { low, high, interior }, &[x, zero])
}

/// Vectors as the rows (`along` is the last axis) or the columns (the one before) of matrices of this shape.
pub(super) fn spread(b: &mut Builder, v: Var, shape: &Shape, along: usize) -> Var {
    let rank = shape.rank();
    let dims: Dims = (0..rank - 2).chain([along]).collect();
    b.broadcast(v, shape, &dims)
}

/// `a⁻¹·x` for lower triangular `a` with a diagonal of ones.
pub(super) fn solve_unit_lower(b: &mut Builder, a: Var, x: Var) -> Var {
    let transpose_a = MatrixTranspose::No;
    b.one(TriangularSolve { left_side: true, lower: true, unit_diagonal: true, transpose_a }, &[a, x])
}

/// `a⁻¹·x`, or `x·a⁻¹`, for upper triangular `a`.
pub(super) fn solve_upper(b: &mut Builder, a: Var, x: Var, left_side: bool) -> Var {
    let transpose_a = MatrixTranspose::No;
    b.one(TriangularSolve { left_side, lower: false, unit_diagonal: false, transpose_a }, &[a, x])
}

/// The rows of `x` in the order `permutation` names them. A product with a matrix of zeros and ones, whose derivative
/// and batch are those of products.
pub(super) fn permuted(b: &mut Builder, permutation: Var, x: Var) -> Var {
    let m = sizes(b, x)[0];
    let ty = with_last(b.ty(x), &[m, m]).with_dtype(DType::I32);
    let wanted = spread(b, permutation, &ty.shape, ty.rank() - 2);
    let column = b.one(Iota { dim: ty.rank() - 1, ty }, &[]);
    let here = b.compare(Direction::Eq, wanted, column);
    let dtype = b.dtype(x);
    let here = b.convert(here, dtype);
    matmul(b, here, x)
}

/// `a⁻¹·x` for square `a`.
pub(super) fn solve(b: &mut Builder, a: Var, x: Var) -> Var {
    let y = b.push(Lu {}, &[a]);
    let (lu, permutation) = (y[0], y[2]);
    let x = permuted(b, permutation, x);
    let x = solve_unit_lower(b, lu, x);
    solve_upper(b, lu, x, true)
}
