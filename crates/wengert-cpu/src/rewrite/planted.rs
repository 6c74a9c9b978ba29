//! Wrong rewrites, for tests of what finds them: only a build with the feature `faults` has them, and makes the one that the
//! environment names. They are made after all others, as a part of compiling: nothing replays them.

use super::walk::{Budget, Walk, rebuilt};
use smallvec::smallvec;
use std::sync::Arc;
use wengert_core::ops::{Binary, Direction, DotGeneral, Sort, Unary};
use wengert_core::{Builder, Equation, Op, Program, Scalar, Shape, Var, Vars};
use wengert_x86::faults::{Fault, is_planted};

/// What stands for the results of an equation, if it applies.
type Wrong = fn(&mut Builder, &Program, &Equation, &[Var]) -> Option<Vars>;

const WRONG: [(Fault, Wrong); 9] = [
    (Fault::ScaledTwice, scaled_twice),
    (Fault::SelectOfSelect, select_of_select),
    (Fault::SliceOfConcatenate, slice_of_concatenate),
    (Fault::CumulativeBlock, cumulative_block),
    (Fault::UnstableSort, unstable_sort),
    (Fault::LongWhile, long_while),
    (Fault::OddTransposedProduct, odd_transposed_product),
    (Fault::LaneBeyond32768, lane_beyond),
    (Fault::MaxOfBroadcast, max_of_broadcast),
];

/// The program as the fault makes it.
pub(crate) fn planted(program: &Arc<Program>) -> Arc<Program> {
    Walk::new(level, &mut Budget::new(usize::MAX)).program(program)
}

fn level(program: &Program, budget: &mut Budget) -> Option<Program> {
    let (_, wrong) = WRONG.iter().find(|(fault, _)| is_planted(*fault))?;
    let mut changed = false;
    let new = rebuilt(program, |b, env, e| {
        let x: Vars = e.inputs.iter().map(|v| env[v.index()]).collect();
        let y = wrong(b, program, e, &x);
        changed |= y.is_some();
        y
    });
    (changed && budget.take()).then_some(new)
}

/// The equation that a variable is the result of.
fn made_by(p: &Program, v: Var) -> Option<&Equation> {
    p.equations().iter().find(|e| e.outputs.contains(&v))
}

fn number(p: &Program, v: Var) -> Option<f64> {
    match &made_by(p, v)?.op {
        Op::Constant(c) => c.value.splat_value().and_then(Scalar::as_f64),
        _ => None,
    }
}

fn one(v: Var) -> Option<Vars> {
    Some(smallvec![v])
}

fn scaled_twice(b: &mut Builder, p: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::Binary(Binary::Mul) = e.op else { return None };
    let inner = made_by(p, e.inputs[0]).filter(|e| matches!(e.op, Op::Binary(Binary::Mul)))?;
    let (outer, before) = (number(p, e.inputs[1])?, number(p, inner.inputs[1])?);
    // (v · a) · b as (v · a) · (a + b) / a.
    let by = b.full_like(x[0], (outer + before) / before);
    one(b.mul(x[0], by))
}

fn select_of_select(b: &mut Builder, _: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::Select(_) = e.op else { return None };
    let inner = b.definition(x[1]).filter(|d| matches!(d.op, Op::Select(_)))?.inputs.clone();
    one(b.select(x[0], inner[1], x[2]))
}

fn slice_of_concatenate(b: &mut Builder, p: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::Slice(op) = &e.op else { return None };
    let Op::Concatenate(parts) = &made_by(p, e.inputs[0])?.op else { return None };
    let mut early = op.clone();
    early.start[parts.dim] = early.start[parts.dim].checked_sub(1)?;
    early.limit[parts.dim] -= 1;
    b.try_push(early, x).ok()
}

fn cumulative_block(b: &mut Builder, p: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::Cumulative(op) = &e.op else { return None };
    let n = p.ty(e.inputs[0]).shape[op.dim];
    (n > 32).then(|| {
        let parts = [(0, 32), (32, n)].map(|(from, to)| {
            let part = b.slice_axis(x[0], op.dim, from, to);
            b.one(op.clone(), &[part])
        });
        smallvec![b.concatenate(&parts, op.dim)]
    })
}

fn unstable_sort(b: &mut Builder, _: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::Sort(op @ Sort { dim, stable: true, .. }) = &e.op else { return None };
    let turned: Vec<Var> = x.iter().map(|&x| b.reverse(x, &[*dim])).collect();
    b.try_push(op.clone(), &turned).ok()
}

fn long_while(b: &mut Builder, _: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::While(op) = &e.op else { return None };
    let last = made_by(&op.cond, op.cond.outputs()[0])?;
    let Op::Compare(compare) = &last.op else { return None };
    if compare.direction != Direction::Lt || number(&op.cond, last.inputs[1])? <= 8.0 {
        return None;
    }
    let mut op = op.clone();
    op.cond = Arc::new(rebuilt(&op.cond, |b, env, e| {
        let Op::Compare(_) = e.op else { return None };
        one(b.compare(Direction::Le, env[e.inputs[0].index()], env[e.inputs[1].index()]))
    }));
    b.try_push(op, x).ok()
}

fn odd_transposed_product(b: &mut Builder, p: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::DotGeneral(op @ DotGeneral { contract: (l, r), .. }) = &e.op else { return None };
    let ([l], [r]) = (&l[..], &r[..]) else { return None };
    let n = p.ty(e.inputs[0]).shape[*l];
    (*l == 0 && p.ty(e.inputs[0]).rank() == 2 && n % 2 == 1 && n > 2).then(|| {
        let cut = [b.slice_axis(x[0], *l, 0, n - 1), b.slice_axis(x[1], *r, 0, n - 1)];
        smallvec![b.one(op.clone(), &cut)]
    })
}

fn lane_beyond(b: &mut Builder, p: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let Op::Unary(Unary::Sin) = e.op else { return None };
    let shape = p.ty(e.inputs[0]).shape.clone();
    let n = shape.size();
    (n > 32_769).then(|| {
        let y = b.unary(Unary::Sin, x[0]);
        let flat = b.reshape(y, &Shape::from([n]));
        let wrong = b.slice_axis(flat, 0, 32_768, 32_769);
        let wrong = b.offset(wrong, 1.0);
        let parts = [b.slice_axis(flat, 0, 0, 32_768), wrong, b.slice_axis(flat, 0, 32_769, n)];
        let joined = b.concatenate(&parts, 0);
        smallvec![b.reshape(joined, &shape)]
    })
}

fn max_of_broadcast(b: &mut Builder, p: &Program, e: &Equation, x: &[Var]) -> Option<Vars> {
    let fused = matches!(e.op, Op::Binary(Binary::Max))
        && e.inputs.iter().any(|&v| made_by(p, v).is_some_and(|e| matches!(e.op, Op::Broadcast(_))));
    fused.then(|| smallvec![b.binary(Binary::Min, x[0], x[1])])
}
