//! Programs that equations hold, by themselves: the body of a loop on what it is given at the turn where it fails, the branch that
//! is taken, what is called; and of a loop the later half of the turns, from where the earlier half leaves off.

use super::Reducer;
use super::edit::Edit;
use super::unwrap::some_turns;
use crate::case::Case;
use crate::loops::Turns;
use crate::patience::with_patience;
use wengert_core::compare::is_finite;
use wengert_core::{Op, Program, Result, Tensor};

pub(super) fn turns(r: &mut Reducer<'_>) {
    let mut i = 0;
    while i < r.best.program().equations().len() && !r.has_ended() {
        let best = r.best.clone();
        let holds = !best.program().equations()[i].op.programs().is_empty();
        let known = if holds { r.values() } else { None };
        let made = known.and_then(|known| with_patience(move || candidates(&best, i, &known)));
        // Where it is taken, there may be another at the same place.
        if !r.take_first(made.and_then(Result::ok).unwrap_or_default()) {
            i += 1;
        }
    }
}

fn evaluated(p: &Program, x: &[Tensor]) -> Result<Vec<Tensor>> {
    wengert_eval::run(p, x.to_vec())
}

fn candidates(case: &Case, at: usize, known: &[Tensor]) -> Result<Vec<Case>> {
    let e = &case.program().equations()[at];
    let x: Vec<Tensor> = e.inputs.iter().map(|v| known[v.index()].clone()).collect();
    let Some(turns) = Turns::of(&e.op, &x) else { return Ok(held(&e.op, &x).into_iter().collect()) };
    let left = turns.left(evaluated)?;
    if left == 0 {
        return Ok(Vec::new());
    }
    let carried = |n: usize| -> Result<Vec<Tensor>> {
        let mut y = evaluated(&turns.first(n), &turns.x)?;
        y.truncate(turns.carries());
        Ok(y)
    };
    let mut which: Vec<usize> = first_not_finite(&turns, left)?.into_iter().chain([0, left - 1]).collect();
    which.dedup();
    let mut all = Vec::new();
    for turn in which {
        let given = turns.body_given(turn, &carried(turn)?);
        all.extend(Case::new((**turns.body()).clone(), given).ok());
    }
    if left > 1 {
        all.extend(later(case, at, left - left / 2, &carried(left - left / 2)?));
    }
    Ok(all)
}

/// What an op calls, or the branch that it takes, on what that is given.
fn held(op: &Op, x: &[Tensor]) -> Option<Case> {
    let (program, x) = match op {
        Op::Cond(c) => {
            let chosen = x[0].get(0).as_i64()?.clamp(0, c.branches.len() as i64 - 1);
            (&c.branches[chosen as usize], &x[1..])
        }
        op => (*op.programs().first()?, x),
    };
    Case::new((**program).clone(), x.to_vec()).ok()
}

/// The first turn that gives a number which is not finite.
fn first_not_finite(turns: &Turns, left: usize) -> Result<Option<usize>> {
    let fails = |n: usize| Ok::<_, wengert_core::Error>(!evaluated(&turns.first(n), &turns.x)?.iter().all(is_finite));
    if !fails(left)? || fails(0)? {
        return Ok(None);
    }
    // So many turns are too few, so many are enough.
    let (mut few, mut enough) = (0, left);
    while few + 1 < enough {
        let middle = few + (enough - few) / 2;
        if fails(middle)? { enough = middle } else { few = middle }
    }
    Ok(Some(few))
}

/// The case with the turns of a loop after so many, from these carries.
fn later(case: &Case, at: usize, turns: usize, carries: &[Tensor]) -> Option<Case> {
    let mut edit = Edit::new(case);
    for (i, e) in case.program().equations().iter().enumerate() {
        if i != at {
            edit.keep(e)?;
            continue;
        }
        let new: Vec<_> = carries.iter().map(|x| edit.fresh_input(x)).collect();
        some_turns(&mut edit, e, turns, &new)?;
    }
    edit.case()
}
