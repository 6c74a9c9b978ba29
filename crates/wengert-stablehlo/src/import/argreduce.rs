//! Reductions of values and their places together, as `jnp.argmax` is written: the index of an extreme.

use super::body::Body;
use wengert_core::ops::{ArgReduce, Binary, Combiner, Direction, Extreme};
use wengert_core::{Equation, Op, Program, Scalar, Var};

/// The op that gives the second result of a reduction of an array and its places from these starts, if there is one.
pub(super) fn arg_reduce(c: &Body<'_, '_, '_>, combiner: &Combiner, x: &[Var], dims: &[usize]) -> Option<ArgReduce> {
    let (Combiner::Program(combiner), &[value, places, worst, first], &[dim]) = (combiner, x, dims) else {
        return None;
    };
    let Op::Iota(iota) = &c.b.definition(places)?.op else { return None };
    let (dtype, zero) = (iota.ty.dtype, c.b.constant_splat(first)?);
    if iota.dim != dim || zero != Scalar::from_i64(dtype, 0) {
        return None;
    }
    let ty = c.b.ty(value).clone();
    if iota.ty.shape != ty.shape {
        return None;
    }
    let found = [Extreme::Max, Extreme::Min].into_iter().find(|&extreme| {
        let named = if extreme == Extreme::Max { Combiner::Max } else { Combiner::Min };
        let op = Op::ArgReduce(ArgReduce { extreme, dim, dtype });
        let Some(Ok(ours)) = wengert_expand::expand(&op, std::slice::from_ref(&ty)) else { return false };
        let reduces = |e: &&Equation| matches!(e.op, Op::Reduce(_));
        let ours = ours.equations().iter().find(reduces).map(|e| e.op.programs()[0].clone());
        c.b.constant_splat(worst) == named.identity(ty.dtype) && ours.is_some_and(|ours| is_same(combiner, &ours))
    });
    found.map(|extreme| ArgReduce { extreme, dim, dtype })
}

/// Whether two programs compute their results by the same ops from the same inputs, in whatever order these stand.
fn is_same(p: &Program, q: &Program) -> bool {
    let pairs = || p.outputs().iter().zip(q.outputs());
    p.input_types() == q.input_types()
        && p.outputs().len() == q.outputs().len()
        // What is shared is looked at once for each use: such programs are short.
        && p.equations().len() <= 16
        && pairs().all(|(&v, &w)| is_same_value(p, v, q, w))
}

fn is_same_value(p: &Program, v: Var, q: &Program, w: Var) -> bool {
    let definition = |p: &'_ Program, v: Var| p.equations().iter().position(|e| e.outputs.contains(&v));
    let place = |p: &Program, v: Var| p.inputs().iter().position(|&i| i == v);
    let v = without_nan(p, v);
    match (definition(p, v), definition(q, w)) {
        (None, None) => place(p, v) == place(q, w),
        (Some(i), Some(j)) => {
            let (e, f) = (&p.equations()[i], &q.equations()[j]);
            let operands = || e.inputs.iter().zip(&f.inputs);
            e.op == f.op && e.inputs.len() == f.inputs.len() && operands().all(|(&v, &w)| is_same_value(p, v, q, w))
        }
        _ => false,
    }
}

/// `a` of `or(a, ne(x, x))`, where `x` is an integer and so never differs from itself.
fn without_nan(p: &Program, v: Var) -> Var {
    let definition = |v: Var| p.equations().iter().find(|e| e.outputs.contains(&v));
    if let Some(Equation { op: Op::Binary(Binary::Or), inputs, .. }) = definition(v)
        && let Some(Equation { op: Op::Compare(op), inputs: compared, .. }) = definition(inputs[1])
        && op.direction == Direction::Ne
        && compared[0] == compared[1]
        && !p.ty(compared[0]).dtype.is_float()
    {
        return inputs[0];
    }
    v
}
