//! Into the programs that an equation holds: which turn of a loop, which branch, and which equation there.

use super::programs::{Excuse, Excused, Parting, search};
use super::sides::{BothResults, Sides};
use super::{beyond, rounding};
use crate::case::Case;
use crate::loops::Turns;
use wengert_core::{Equation, Op, Program, Result, Tensor, Type};

/// A program that an equation holds, and what parts in it.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Which program, and for what it ran.
    pub program: InnerProgram,
    /// Where in it; none if the sides agree on the program alone, and part in what the equation makes of it.
    pub parting: Option<Box<Parting>>,
}

/// A program that an equation holds, and for what it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InnerProgram {
    /// The program of a call.
    Body,
    /// This branch.
    Branch(usize),
    /// The body of a loop in this turn, counted from 0.
    Turn(usize),
    /// The condition of a loop, before this turn.
    Condition(usize),
}

impl InnerProgram {
    /// The program that an equation of another one holds.
    pub(super) fn of<'p>(self, around: &Program, e: &'p Equation) -> Option<&'p Program> {
        match (&e.op, self) {
            (Op::Scan(scan), InnerProgram::Turn(_)) => Some(&scan.body),
            (Op::While(w), InnerProgram::Turn(_)) => Some(&w.body),
            (Op::While(w), InnerProgram::Condition(_)) => Some(&w.cond),
            (Op::Cond(c), InnerProgram::Branch(i)) => c.branches.get(i).map(|p| &**p),
            (op, _) => held(op, &e.inputs.iter().map(|&v| around.ty(v).clone()).collect::<Vec<_>>()),
        }
    }
}

/// The program of an op that is called with what the op is given.
fn held<'p>(op: &'p Op, types: &[Type]) -> Option<&'p Program> {
    op.programs().into_iter().find(|p| p.input_types() == types).map(|p| &**p)
}

/// Programs nested deeper are not looked into.
const DEEPEST: usize = 32;

/// What becomes of a difference inside of an op.
pub(super) enum Found {
    /// Nothing parts there.
    Nothing,
    /// Something does, and both are as right.
    Excused(Excuse),
    /// Something else does.
    Parting(Inside),
}

impl Found {
    fn at(program: InnerProgram, parting: Option<Parting>) -> Found {
        Found::Parting(Inside { program, parting: parting.map(Box::new) })
    }
}

/// How often the sides of a loop go on from the same values before nothing more is looked at.
const MOST_STARTS: usize = 64;

/// Where the sides part in the programs that an op holds, which is given these values.
pub(super) fn inside(sides: &mut Sides<'_>, op: &Op, x: &[Tensor], depth: usize) -> Result<Found> {
    if depth >= DEEPEST {
        return Ok(Found::Nothing);
    }
    if let Some(turns) = Turns::of(op, x) {
        return in_turns(sides, turns, depth);
    }
    match op {
        Op::Cond(c) => {
            let chosen = x[0].get(0).as_i64().unwrap_or(0).clamp(0, c.branches.len() as i64 - 1) as usize;
            within(sides, &c.branches[chosen], &x[1..], InnerProgram::Branch(chosen), depth)
        }
        op => match held(op, &x.iter().map(Tensor::ty).collect::<Vec<_>>()) {
            Some(p) => within(sides, p, x, InnerProgram::Body, depth),
            None => Ok(Found::Nothing),
        },
    }
}

fn within(sides: &mut Sides<'_>, p: &Program, x: &[Tensor], which: InnerProgram, depth: usize) -> Result<Found> {
    let case = Case::new(p.clone(), x.to_vec())?;
    let (found, excused) = search(sides, &case, depth + 1)?;
    Ok(match found {
        Some(p) => Found::at(which, Some(p)),
        None => reason(&excused).map_or(Found::Nothing, Found::Excused),
    })
}

/// Why all that parts in a program is as right; none if nothing does.
fn reason(excused: &[Excused]) -> Option<Excuse> {
    let other = excused.iter().find(|e| e.why != Excuse::Rounding);
    other.or(excused.first()).map(|e| e.why)
}

/// Where the sides part in a loop: the first turn after which they do. Where that is rounding alone, both go on from the same
/// values after it.
fn in_turns(sides: &mut Sides<'_>, mut turns: Turns, depth: usize) -> Result<Found> {
    let (mut starts, mut why) = (0, Excuse::Rounding);
    while starts < MOST_STARTS {
        let left = turns.left(|p, x| sides.right(p, x))?;
        let most = left + usize::from(turns.condition().is_some());
        let Some(turn) = first_that_parts(sides, &turns, most)? else { break };
        let before = sides.both(&turns.first(turn), &turns.x)?;
        let carries = &before.want[..turns.carries()];
        let number = turns.number(turn);
        if let Some(condition) = turns.condition() {
            let which = InnerProgram::Condition(number);
            if let found @ Found::Parting(_) = within(sides, condition, &turns.given(carries), which, depth)? {
                return Ok(found);
            }
            if turn == left {
                // The reference ends here, and the other side would too if it had the same values.
                let other =
                    before.got.as_ref().ok().map(|got| &got[..turns.carries()]).filter(|_| !sides.counts_rounding);
                let goes_on = other.map(|x| sides.right(condition, &turns.given(x))).transpose()?;
                let rounding = goes_on.is_some_and(|y| y[0].get(0).as_i64() == Some(1));
                return Ok(if rounding { Found::Excused(why) } else { Found::at(which, None) });
            }
        }
        let which = InnerProgram::Turn(number);
        match within(sides, turns.body(), &turns.body_given(turn, carries), which, depth)? {
            Found::Excused(Excuse::Rounding) => {}
            Found::Excused(other) => why = other,
            Found::Nothing if sides.counts_rounding => return Ok(Found::at(which, None)),
            Found::Nothing => match origin(sides, &turns, turn, &before)? {
                TurnOrigin::Rounding => {}
                // Each turn adds a little: less than the tolerance allows, and more than rounding.
                TurnOrigin::Carries(least) if sides.tolerance > least => {
                    sides.tolerance /= 8.0;
                    continue;
                }
                TurnOrigin::Carries(_) | TurnOrigin::Own => return Ok(Found::at(which, None)),
            },
            found => return Ok(found),
        }
        let mut after = sides.right(&turns.first(turn + 1), &turns.x)?;
        after.truncate(turns.carries());
        turns = turns.after(turn + 1, &after)?;
        starts += 1;
        if sides.is_late() {
            sides.is_complete = false;
            return Ok(Found::Excused(why));
        }
    }
    sides.is_complete &= starts < MOST_STARTS;
    Ok(if starts > 0 { Found::Excused(why) } else { Found::Nothing })
}

/// Where the difference after a turn comes from.
enum TurnOrigin {
    /// From the turn itself.
    Own,
    /// From the rounding of the carries before.
    Rounding,
    /// From the carries before, which differ by more than rounding: that is no more than this.
    Carries(f64),
}

/// Where the difference after a turn comes from, if not from the body on the reference's carries.
fn origin(sides: &mut Sides<'_>, turns: &Turns, turn: usize, before: &BothResults) -> Result<TurnOrigin> {
    let Ok(got) = &before.got else { return Ok(TurnOrigin::Own) };
    let noise = rounding::noise(&turns.first(turn), &turns.x, &before.want);
    for i in (0..turns.carries()).filter(|&i| before.gap(i) > 0.0) {
        let noise = noise.as_ref().map(|n| &n[i][..]);
        if let Some((_, noise)) = rounding::far_beyond(noise, [&before.want[i], &got[i]], &before.sizes[i]) {
            return Ok(TurnOrigin::Carries(noise));
        }
    }
    let carries = turns.carries();
    let given = turns.body_given(turn, &got[..carries]);
    let right = sides.right(turns.body(), &given)?;
    let after = sides.both(&turns.first(turn + 1), &turns.x)?;
    let Ok(got) = &after.got else { return Ok(TurnOrigin::Own) };
    let tolerance = sides.tolerance;
    let same = (0..carries).all(|i| !beyond(after.sizes[i].gap_of_others(&right[i], &got[i]), tolerance));
    // A compiler may round less often in a turn than its ops do one by one.
    let both = [&right[..carries], &got[..carries]];
    let is_rounding = || rounding::covers_all(turns.body(), &given, both, &after.sizes[..carries], tolerance);
    Ok(if same || is_rounding() { TurnOrigin::Rounding } else { TurnOrigin::Own })
}

/// The first turn after which a loop parts, if it does after so many: as if it did so after each that follows.
fn first_that_parts(sides: &mut Sides<'_>, turns: &Turns, most: usize) -> Result<Option<usize>> {
    let mut part = |n: usize| -> Result<bool> {
        let both = sides.both(&turns.first(n), &turns.x)?;
        Ok((0..both.want.len()).any(|i| beyond(both.gap(i), sides.tolerance)))
    };
    if most == 0 || !part(most)? {
        return Ok(None);
    }
    // Early turns are cheap.
    let (mut low, mut high) = (0, 0);
    while high < most - 1 && !part(high + 1)? {
        (low, high) = (high + 1, (2 * high + 1).min(most - 1));
    }
    while low < high {
        let middle = (low + high) / 2;
        match part(middle + 1)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(Some(high))
}
