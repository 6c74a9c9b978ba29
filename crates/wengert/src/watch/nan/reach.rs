//! Which numbers that an op gives are made of some that are not finite: those are no fault of the op.

use super::find::Compile;
use super::flagged::each_finite;
use wengert_core::ops::{
    Binary, Combiner, Convert, Cumulative, CumulativeKind, Direction, ReduceWindow, Scatter, Unary, Update,
};
use wengert_core::{Builder, DType, Op, Program, Scalar, Tensor, Type, Var};

/// Whether each number of a result of an op is made of one that is not finite: a `bool` for each. None of an op of which that is not known.
pub(super) fn reached(b: &mut Builder, op: &Op, x: &[Var], y: Var) -> Option<Var> {
    let bad: Vec<Option<Var>> = x.iter().map(|&x| each_bad(b, x)).collect();
    let any = |b: &mut Builder, all: Vec<Var>| all.into_iter().reduce(|x, y| b.binary(Binary::Or, x, y));
    match op {
        Op::Unary(_) | Op::Binary(_) | Op::MulAdd(_) | Op::Convert(_) | Op::ReducePrecision(_) => {
            any(b, bad.into_iter().flatten().collect())
        }
        Op::Reduce(op) if x.len() == 1 => Some(b.reduce(Combiner::Or, bad[0]?, &op.dims)),
        Op::ReduceWindow(op) if x.len() == 1 => {
            Some(b.one(ReduceWindow { combiner: Combiner::Or, ..op.clone() }, &[bad[0]?]))
        }
        Op::Cumulative(op) => {
            let counted = counted(b, bad[0]?);
            let most = b.one(Cumulative { kind: CumulativeKind::Max, ..op.clone() }, &[counted]);
            Some(is_positive(b, most))
        }
        Op::Scatter(op) if x.len() == 3 => {
            let [operand, updates] = [counted(b, bad[0]?), counted(b, bad[2]?)];
            let update = match &op.update {
                Update::Set => Update::Set,
                Update::Combine(_) => Update::Combine(Combiner::Max),
            };
            let most = b.one(Scatter { update, ..op.clone() }, &[operand, x[1], updates]);
            Some(is_positive(b, most))
        }
        // What is summed of ones and zeros is zero where there are zeros alone.
        Op::DotGeneral(_) | Op::Convolution(_) => {
            let [left, right] = [counted(b, bad[0]?), counted(b, bad[1]?)];
            let ones = [left, right].map(|x| b.full_like(x, 1.0));
            let sums = [[left, ones[1]], [ones[0], right]].map(|x| b.one(op.clone(), &x));
            let sum = b.add(sums[0], sums[1]);
            Some(is_positive(b, sum))
        }
        Op::Fft(op) => within(b, &bad, y, op.lengths.len()),
        Op::TriangularSolve(_) | Op::Cholesky(_) | Op::Lu(_) => within(b, &bad, y, 2),
        Op::Qr(_) | Op::Svd(_) | Op::Eigh(_) | Op::Eig(_) => within(b, &bad, y, 2),
        _ => None,
    }
}

/// Whether one of the last axes of the operands is reached, for all numbers of a result with the same axes before them.
fn within(b: &mut Builder, bad: &[Option<Var>], y: Var, axes: usize) -> Option<Var> {
    let one = |b: &mut Builder, bad: Var| {
        let rank = b.shape(bad).rank();
        b.reduce(Combiner::Or, bad, &(rank - axes..rank).collect::<Vec<_>>())
    };
    let all: Vec<Var> = bad.iter().flatten().map(|&bad| one(b, bad)).collect();
    let any = all.into_iter().reduce(|x, y| b.binary(Binary::Or, x, y))?;
    let (shape, dims) = (b.shape(y).clone(), (0..b.shape(any).rank()).collect::<Vec<_>>());
    Some(b.broadcast(any, &shape, &dims))
}

fn each_bad(b: &mut Builder, x: Var) -> Option<Var> {
    each_finite(b, x).map(|finite| b.unary(Unary::Not, finite))
}

fn counted(b: &mut Builder, x: Var) -> Var {
    b.one(Convert { dtype: DType::F32 }, &[x])
}

fn is_positive(b: &mut Builder, x: Var) -> Var {
    let zero = b.full_like(x, 0.0);
    b.compare(Direction::Gt, x, zero)
}

/// A program of the operands and results of an op: for each result that may be at fault, whether each of its numbers is not finite and
/// made of finite ones alone. None if that is not known.
fn new_program(op: &Op, x: &[Type], y: &[Type]) -> Option<Program> {
    let mut b = Builder::new();
    let (x, y) = (b.inputs(x), b.inputs(y));
    let new = new_numbers(&mut b, op, &x, &y)?;
    Some(b.finish(&new))
}

fn new_numbers(b: &mut Builder, op: &Op, x: &[Var], y: &[Var]) -> Option<Vec<Var>> {
    let mut new = Vec::new();
    for &y in y {
        let Some(bad) = each_bad(b, y) else {
            let (shape, none) = (b.shape(y).clone(), b.constant(Tensor::scalar(false)));
            new.push(b.broadcast(none, &shape, &[]));
            continue;
        };
        let reached = reached(b, op, x, y)?;
        let is_not = b.unary(Unary::Not, reached);
        new.push(b.binary(Binary::And, bad, is_not));
    }
    Some(new)
}

/// A program of the operands and results of an op: whether a number is not finite and made of finite ones alone. None if that is not known.
pub(super) fn any_new(op: &Op, x: &[Type], y: &[Type]) -> Option<Program> {
    let mut b = Builder::new();
    let (x, y) = (b.inputs(x), b.inputs(y));
    let new = new_numbers(&mut b, op, &x, &y)?;
    let each = new.into_iter().map(|new| b.reduce(Combiner::Or, new, &(0..b.shape(new).rank()).collect::<Vec<_>>()));
    let each: Vec<Var> = each.collect();
    let any = each.into_iter().reduce(|x, y| b.binary(Binary::Or, x, y))?;
    Some(b.finish(&[any]))
}

/// The first number that an op gives which is not finite and made of finite ones alone: the result, and the number in it.
pub(super) fn first_new(op: &Op, x: &[Tensor], y: &[Tensor], compile: Compile<'_>) -> Option<(usize, usize)> {
    let types = |all: &[Tensor]| all.iter().map(Tensor::ty).collect::<Vec<Type>>();
    let program = new_program(op, &types(x), &types(y))?;
    let new = compile(program).and_then(|p| p.run_on_host([x, y].concat())).ok()?;
    let first = |t: &Tensor| (0..t.size()).find(|&i| t.get(i) == Scalar::Bool(true));
    new.iter().enumerate().find_map(|(result, t)| first(t).map(|at| (result, at)))
}
