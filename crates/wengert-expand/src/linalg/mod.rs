//! Decompositions of matrices as loops of plain ops, and routines of LAPACK in such ops.
//!
//! They give what this machine's CPU gives, up to rounding: the same pivots, the same signs. Of eigenvectors and singular
//! vectors the largest element is positive, as the CPU gives those of large matrices. A batch is decomposed in one go, in
//! steps of a few kernels. Here are the tools: rows, columns and elements by computed positions.

mod eig;
mod factor;
mod francis;
pub mod householder;
mod jacobi;
pub mod matrix;
pub mod perturbed;
mod schur;
mod stack;
mod svd;
pub mod tridiagonal;

pub use francis::{pairs, real_schur};
pub use schur::schur;
pub use stack::stacked;

use crate::program;
use matrix::nan;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Dims, Op, Program, Scalar, Shape, Tensor, Type, Var};

/// A solve of half precision, in `f32`.
pub(crate) fn widened_solve(op: &TriangularSolve, types: &[Type]) -> Option<Program> {
    let half = types[0].dtype;
    matches!(half, DType::F16 | DType::BF16).then(|| {
        program(types, |b, x| {
            let x: Vec<Var> = x.iter().map(|&v| b.convert(v, DType::F32)).collect();
            let y = b.one(op.clone(), &x);
            vec![b.convert(y, half)]
        })
    })
}

/// A decomposition of one matrix or a batch of them. `None` for a factor of Cholesky, which has no loop here, unless it is
/// of short floats or of nothing.
pub(crate) fn decomposition(op: &Op, ty: &Type) -> Option<Program> {
    if matches!(ty.dtype, DType::F16 | DType::BF16) {
        return Some(matrix::widened(op, ty));
    }
    if ty.shape.size() == 0 {
        return Some(of_nothing(op, ty));
    }
    Some(match op {
        Op::Lu(_) => program([ty], |b, x| factor::lu(b, x[0])),
        Op::Qr(op) => program([ty], |b, x| factor::qr(b, x[0], op.full_matrices).into()),
        Op::Svd(op) => program([ty], |b, x| svd::svd(b, op, x[0])),
        Op::Eigh(op) => program([ty], |b, x| eig::eigh(b, op, x[0])),
        Op::Eig(op) => program([ty], |b, x| eig::eig(b, op, x[0])),
        _ => return None,
    })
}

/// What decompositions give of matrices without elements: themselves and the order of the rows, or identities.
fn of_nothing(op: &Op, ty: &Type) -> Program {
    let y = op.result_types(std::slice::from_ref(ty)).expect("an operand that the op takes");
    program([ty], |b, x| match op {
        Op::Cholesky(_) => x.to_vec(),
        Op::Lu(_) => {
            let order = b.one(Iota { dim: y[2].rank() - 1, ty: y[2].clone() }, &[]);
            vec![x[0], b.zeros(&y[1]), order]
        }
        _ => y.iter().map(|ty| matrix::identity(b, ty)).collect(),
    })
}

/// The axes of a matrix, counted from the last.
const ROW: usize = 2;
const COLUMN: usize = 1;

/// The sizes of the last two axes.
fn sizes(b: &Builder, x: Var) -> [usize; 2] {
    let s = b.shape(x);
    [s[s.rank() - ROW], s[s.rank() - COLUMN]]
}

/// The axes before the last `matrix`.
fn batch_axes(b: &Builder, x: Var, matrix: usize) -> Dims {
    (0..b.shape(x).rank() - matrix).collect()
}

/// The distance from 1 to the next number.
fn epsilon(dtype: DType) -> f64 {
    if dtype.real() == DType::F32 { f32::EPSILON as f64 } else { f64::EPSILON }
}

/// Where the position along an axis (counted from the last) compares like this with `j`, which is one number or one for
/// each member of the batch.
fn places(b: &mut Builder, x: Var, axis: usize, direction: Direction, j: Var) -> Var {
    let ty = b.ty(x).with_dtype(DType::I32);
    let place = b.one(Iota { ty: ty.clone(), dim: ty.rank() - axis }, &[]);
    let j = leading(b, j, &ty.shape);
    b.compare(direction, place, j)
}

/// One value for each member of the batch (or for all) repeated over the other axes.
fn leading(b: &mut Builder, v: Var, shape: &Shape) -> Var {
    let dims: Dims = (0..b.shape(v).rank()).collect();
    b.broadcast(v, shape, &dims)
}

/// Vectors repeated, so that they lie along an axis of matrices of this shape.
fn along(b: &mut Builder, v: Var, shape: &Shape, axis: usize) -> Var {
    let mut dims: Dims = (0..b.shape(v).rank()).collect();
    *dims.last_mut().expect("vectors") = shape.rank() - axis;
    b.broadcast(v, shape, &dims)
}

/// The slice at `j` along an axis (counted from the last), without that axis.
fn slice_at(b: &mut Builder, x: Var, axis: usize, j: Var) -> Var {
    let shape = b.shape(x).clone();
    let at = shape.rank() - axis;
    let zero = b.zeros(&Type::scalar(DType::I32));
    let starts: Vec<Var> = (0..shape.rank()).map(|d| if d == at { j } else { zero }).collect();
    let mut size = shape.0.clone();
    size[at] = 1;
    let one = b.dynamic_slice(x, &starts, &size);
    b.reshape(one, &shape.without_axes(&[at]))
}

/// What is left of the sum along an axis (counted from the last) where only masked elements count.
fn pick(b: &mut Builder, x: Var, mask: Var, axis: usize) -> Var {
    let zero = b.full_like(x, 0.0);
    let x = b.select(mask, x, zero);
    let at = b.shape(x).rank() - axis;
    b.sum(x, &[at])
}

/// Where the row compares like this with the column.
fn triangle(b: &mut Builder, x: Var, direction: Direction) -> Var {
    let ty = b.ty(x).with_dtype(DType::I32);
    let [row, column] = [ROW, COLUMN].map(|axis| b.one(Iota { ty: ty.clone(), dim: ty.rank() - axis }, &[]));
    b.compare(direction, row, column)
}

/// Ones on the diagonal of matrices with the batch of `x`.
fn eye(b: &mut Builder, x: Var, size: [usize; 2]) -> Var {
    let batch = &b.shape(x)[..b.shape(x).rank() - 2];
    let ty = b.ty(x).with_shape([batch, &size].concat());
    let like = b.zeros(&ty);
    let diagonal = triangle(b, like, Direction::Eq);
    b.convert(diagonal, ty.dtype)
}

/// The diagonal.
pub fn diagonal(b: &mut Builder, x: Var) -> Var {
    let mask = triangle(b, x, Direction::Eq);
    pick(b, x, mask, COLUMN)
}

/// The elements under the diagonal by their columns, and those above it by their rows; the last is zero.
fn beside(b: &mut Builder, t: Var) -> [Var; 2] {
    let index = b.ty(t).with_dtype(DType::I32);
    let [row, column] = [ROW, COLUMN].map(|axis| b.one(Iota { ty: index.clone(), dim: index.rank() - axis }, &[]));
    [(column, row, ROW), (row, column, COLUMN)].map(|(less, more, axis)| {
        let next = b.offset(less, 1.0);
        let mask = b.compare(Direction::Eq, next, more);
        pick(b, t, mask, axis)
    })
}

/// Vectors moved on by one, or back: with a zero at the other end, and without the last or the first.
fn shifted(b: &mut Builder, x: Var, by: i64) -> Var {
    let rank = b.shape(x).rank();
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    (low[rank - 1], high[rank - 1]) = (by, -by);
    b.pad(x, 0.0, &low, &high)
}

fn conj(b: &mut Builder, x: Var) -> Var {
    if b.dtype(x).is_complex() { b.unary(Unary::Conj, x) } else { x }
}

fn real(b: &mut Builder, x: Var) -> Var {
    if b.dtype(x).is_complex() { b.unary(Unary::Real, x) } else { x }
}

fn adjoint(b: &mut Builder, x: Var) -> Var {
    let r = b.shape(x).rank();
    let x = b.move_axis(x, r - 1, r - 2);
    conj(b, x)
}

/// `|x|²`.
fn square(b: &mut Builder, x: Var) -> Var {
    if !b.dtype(x).is_complex() {
        return b.mul(x, x);
    }
    let [re, im] = [Unary::Real, Unary::Imag].map(|part| {
        let part = b.unary(part, x);
        b.mul(part, part)
    });
    b.add(re, im)
}

fn matmul(b: &mut Builder, x: Var, y: Var) -> Var {
    let batch = batch_axes(b, x, 2);
    let r = b.shape(x).rank();
    let contract = ([r - COLUMN].as_slice().into(), [r - ROW].as_slice().into());
    b.one(DotGeneral { contract, batch: (batch.clone(), batch) }, &[x, y])
}

/// A real number for each member of the batch times its matrix or vector.
fn times(b: &mut Builder, x: Var, by: Var) -> Var {
    let (shape, dtype) = (b.shape(x).clone(), b.dtype(x));
    let by = b.convert(by, dtype);
    let by = leading(b, by, &shape);
    b.mul(x, by)
}

/// The columns from `from` up to `to`.
fn columns(b: &mut Builder, x: Var, from: usize, to: usize) -> Var {
    let axis = b.shape(x).rank() - COLUMN;
    b.slice_axis(x, axis, from, to)
}

/// For each member of the batch the largest power of two that is not above its largest element, or 1; and the matrices
/// divided by it: their squares neither overflow nor vanish, and no bits are lost.
fn scaled(b: &mut Builder, x: Var) -> (Var, Var) {
    let r = b.shape(x).rank();
    let size = b.unary(Unary::Abs, x);
    let size = b.reduce(Combiner::Max, size, &[r - ROW, r - COLUMN]);
    let ty = b.ty(size).clone();
    let (bits, exponent) = match ty.dtype {
        DType::F32 => (DType::U32, Scalar::U32(0x7f80_0000)),
        _ => (DType::U64, Scalar::U64(0x7ff0_0000_0000_0000)),
    };
    let exponent = b.constant(Tensor::splat(ty.shape.clone(), exponent));
    let size = b.one(Bitcast { dtype: bits }, &[size]);
    let size = b.binary(Binary::And, size, exponent);
    let size = b.one(Bitcast { dtype: ty.dtype }, &[size]);
    let (zero, one) = (b.zeros(&ty), b.full(&ty, 1.0));
    let some = b.compare(Direction::Gt, size, zero);
    let size = b.select(some, size, one);
    let inverse = b.div(one, size);
    (times(b, x, inverse), size)
}

/// Values where all elements of the operand's matrix are finite, NaN elsewhere.
fn if_finite(b: &mut Builder, x: Var, y: Vec<Var>) -> Vec<Var> {
    let r = b.shape(x).rank();
    let size = b.unary(Unary::Abs, x);
    let finite = b.unary(Unary::IsFinite, size);
    let finite = b.reduce(Combiner::And, finite, &[r - ROW, r - COLUMN]);
    or_nan(b, finite, y)
}

/// Values for the members of the batch that are good, NaN for the others.
fn or_nan(b: &mut Builder, good: Var, y: Vec<Var>) -> Vec<Var> {
    let one = |y: Var| {
        let ty = b.ty(y).clone();
        let good = leading(b, good, &ty.shape);
        let nan = b.constant(nan(&ty));
        b.select(good, y, nan)
    };
    y.into_iter().map(one).collect()
}

/// Columns in ascending order of a number for each, with these numbers.
fn sort_columns(b: &mut Builder, keys: Var, matrices: &[Var]) -> (Var, Vec<Var>) {
    let shape = b.shape(matrices[0]).clone();
    let keys = along(b, keys, &shape, COLUMN);
    let sort = Sort { dim: shape.rank() - COLUMN, stable: true, order: Order::Natural(1) };
    let y = b.push(sort, &[&[keys], matrices].concat());
    let mut first = shape.0.clone();
    first[shape.rank() - ROW] = 1;
    let start = Dims::from_elem(0, shape.rank());
    let strides = Dims::from_elem(1, shape.rank());
    let keys = b.slice(y[0], &start, &first, &strides);
    let keys = b.reshape(keys, &shape.without_axes(&[shape.rank() - ROW]));
    (keys, y[1..].to_vec())
}

/// The factor of length 1 that makes the largest element of each column positive; of elements about as large the first
/// counts. Columns are determined up to such a factor only, and with it they move little when the operand does.
fn turns(b: &mut Builder, x: Var) -> Var {
    let (shape, at) = (b.shape(x).clone(), b.shape(x).rank() - ROW);
    let size = b.unary(Unary::Abs, x);
    let most = b.reduce(Combiner::Max, size, &[at]);
    let most = b.scale(most, 0.99);
    let most = along(b, most, &shape, COLUMN);
    let large = b.compare(Direction::Ge, size, most);
    let large = b.convert(large, DType::I32);
    let first = b.one(ArgReduce { extreme: Extreme::Max, dim: at, dtype: DType::I32 }, &[large]);
    let first = along(b, first, &shape, COLUMN);
    let row = b.one(Iota { ty: b.ty(x).with_dtype(DType::I32), dim: at }, &[]);
    let mask = b.compare(Direction::Eq, row, first);
    let lead = pick(b, x, mask, ROW);
    phase(b, lead)
}

/// `conj(x) / |x|`, or 1 where that is too small to tell.
fn phase(b: &mut Builder, x: Var) -> Var {
    let dtype = b.dtype(x);
    let size = b.unary(Unary::Abs, x);
    let tiny = b.full_like(size, negligible(dtype));
    let some = b.compare(Direction::Gt, size, tiny);
    let size = b.convert(size, dtype);
    let x = conj(b, x);
    let (phase, one) = (b.div(x, size), b.full_like(x, 1.0));
    b.select(some, phase, one)
}

/// Next to elements about 1, numbers as small as this are nothing.
fn negligible(dtype: DType) -> f64 {
    if dtype.real() == DType::F32 { 1e-30 } else { 1e-290 }
}

/// Columns times a number for each.
fn times_columns(b: &mut Builder, x: Var, by: Var) -> Var {
    let shape = b.shape(x).clone();
    let by = along(b, by, &shape, COLUMN);
    b.mul(x, by)
}

/// The positions a loop goes through.
#[derive(Clone, Copy)]
enum Steps {
    /// From 0 up to a number.
    Up(usize),
    /// From the one before a number down to 0.
    Down(usize),
}

/// A loop with a step from constants, carries, the position, and a row of each array, to the next carries and a row of
/// each result.
fn count(
    b: &mut Builder,
    steps: Steps,
    consts: &[Var],
    carries: &[Var],
    arrays: &[Var],
    step: impl FnOnce(&mut Builder, &[Var]) -> Vec<Var>,
) -> Vec<Var> {
    let (Steps::Up(length) | Steps::Down(length)) = steps;
    let reverse = matches!(steps, Steps::Down(_));
    let place = b.one(Iota { ty: Type::new(DType::I32, [length]), dim: 0 }, &[]);
    let whole = [consts, carries].concat();
    let rows = [&[place], arrays].concat();
    let mut body = Builder::new();
    let mut x: Vec<Var> = whole.iter().map(|&v| body.input(b.ty(v).clone())).collect();
    x.extend(rows.iter().map(|&v| body.input(b.ty(v).with_shape(b.shape(v).without_axes(&[0])))));
    let y = step(&mut body, &x);
    let body = body.finish_all(&y).into();
    let scan = Scan { length, consts: consts.len(), carries: carries.len(), reverse, body };
    b.push(scan, &[whole, rows].concat()).to_vec()
}
