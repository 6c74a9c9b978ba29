//! Ops that hold programs: a call becomes what it calls, a branch one of its sides, a loop one turn of its body.

use super::Reducer;
use super::edit::Edit;
use crate::case::Case;
use std::ops::Range;
use wengert_core::{Equation, Op, Program, Shape, Var};

pub(super) fn unwrap(r: &mut Reducer<'_>) {
    let mut i = 0;
    while i < r.best.program().equations().len() && !r.has_ended() {
        let best = r.best.clone();
        let ways = ways(&best.program().equations()[i].op);
        if !r.take_first((0..ways).filter_map(|way| unwrapped(&best, i, way)).collect()) {
            i += 1;
        }
    }
}

/// In how many ways an op can be unwrapped.
fn ways(op: &Op) -> usize {
    match op {
        Op::Call(_) | Op::CustomJvp(_) | Op::CustomVjp(_) | Op::LinearSolve(_) | Op::Root(_) => 1,
        Op::Cond(c) => c.branches.len(),
        Op::While(_) => 2,
        Op::Scan(s) if s.length > 0 => 1 + usize::from(s.length > 1),
        _ => 0,
    }
}

fn unwrapped(case: &Case, at: usize, way: usize) -> Option<Case> {
    let mut edit = Edit::new(case);
    for (i, e) in case.program().equations().iter().enumerate() {
        if i == at { open(&mut edit, e, way)? } else { edit.keep(e)? }
    }
    edit.case()
}

fn open(edit: &mut Edit<'_>, e: &Equation, way: usize) -> Option<()> {
    let x = edit.operands(e)?;
    let y: Vec<Var> = match &e.op {
        Op::Call(c) => inline(edit, &c.program, &x)?,
        Op::CustomJvp(c) => inline(edit, &c.program, &x)?,
        Op::CustomVjp(c) => inline(edit, &c.program, &x)?,
        Op::LinearSolve(c) => inline(edit, &c.solve, &x)?,
        Op::Root(c) => inline(edit, &c.solve, &x)?,
        Op::Cond(c) => inline(edit, &c.branches[way], &x[1..])?,
        // The body once, or not at all.
        Op::While(w) if way == 0 => x[w.consts..].to_vec(),
        Op::While(w) => inline(edit, &w.body, &x)?,
        Op::Scan(s) if way == 1 || s.length == 1 => {
            let (around, along) = x.split_at(s.consts + s.carries);
            let first: Vec<Var> = along
                .iter()
                .map(|&x| {
                    let row = Shape::from(edit.b.shape(x)[1..].to_vec());
                    let one = edit.b.slice_axis(x, 0, 0, 1);
                    edit.b.reshape(one, &row)
                })
                .collect();
            let y = inline(edit, &s.body, &[around, &first].concat())?;
            let rows = y[s.carries..].iter().map(|&y| edit.b.broadcast_leading(y, s.length)).collect::<Vec<_>>();
            [&y[..s.carries], &rows].concat()
        }
        Op::Scan(s) => {
            // The first half of the steps.
            return steps(edit, e, 0..s.length.div_ceil(2), &x[s.consts..s.consts + s.carries]);
        }
        _ => return None,
    };
    if y.len() != e.outputs.len() {
        return None;
    }
    e.outputs.iter().zip(y).for_each(|(&v, new)| edit.set(v, new));
    Some(())
}

fn inline(edit: &mut Edit<'_>, p: &Program, x: &[Var]) -> Option<Vec<Var>> {
    (p.inputs().len() == x.len()).then(|| edit.b.inline(p, x))
}

/// A loop without so many of its turns at the beginning, from these carries.
pub(super) fn some_turns(edit: &mut Edit<'_>, e: &Equation, without: usize, carries: &[Var]) -> Option<()> {
    match &e.op {
        Op::Scan(s) if s.reverse => steps(edit, e, 0..s.length.checked_sub(without)?, carries),
        Op::Scan(s) => steps(edit, e, without..s.length, carries),
        Op::While(w) => {
            let x = edit.operands(e)?;
            edit.push_on(e, e.op.clone(), &[&x[..w.consts], carries].concat())
        }
        _ => None,
    }
}

/// A scan of fewer steps, from these carries. What it gives for each step is repeated to the old length, so that nothing else
/// changes.
fn steps(edit: &mut Edit<'_>, e: &Equation, range: Range<usize>, carries: &[Var]) -> Option<()> {
    let Op::Scan(s) = &e.op else { return None };
    let (x, length) = (edit.operands(e)?, range.len());
    let along = |&x: &Var| edit.b.slice_axis(x, 0, range.start, range.end);
    let slices: Vec<Var> = x[s.consts + s.carries..].iter().map(along).collect();
    let mut op = s.clone();
    op.length = length;
    let y = edit.b.try_push(op, &[&x[..s.consts], carries, &slices].concat()).ok()?;
    for (i, (&v, &new)) in e.outputs.iter().zip(&y).enumerate() {
        let whole = if i < s.carries {
            new
        } else {
            let mut left = s.length - length;
            let mut parts = vec![new];
            while left > 0 {
                let n = left.min(length);
                parts.push(edit.b.slice_axis(new, 0, 0, n));
                left -= n;
            }
            edit.b.concatenate(&parts, 0)
        };
        edit.set(v, whole);
    }
    Some(())
}
