//! What comes of a program that is rounded otherwise: how far its numbers move, and, where a loop or a branch decides otherwise then, what
//! else it gives. One turn more is another outcome, and excuses nothing between the two.

use super::beyond;
use crate::determined::rounded_otherwise;
use crate::patience::with_patience;
use crate::sizes::{MOST_BYTES, Sizes, TRIES, bytes_of, move_to};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use wengert_core::run::{Block, Device, Observer, Run, Value, Visit};
use wengert_core::{Program, Result, Tensor};

/// What may become of a result where it is rounded otherwise.
#[derive(Clone, Debug, Default)]
pub(super) struct Moved {
    /// How far each element moves, as long as all decisions are the same.
    pub(super) by: Vec<f64>,
    /// Of each run whose decisions are a matter of rounding, all that may come of it.
    outcomes: Vec<Vec<Tensor>>,
}

impl Moved {
    /// What may become of it in either of two runs.
    pub(super) fn or(self, other: Moved) -> Moved {
        let by = self.by.into_iter().zip(other.by).map(|(a, b)| a.max(b)).collect();
        Moved { by, outcomes: [self.outcomes, other.outcomes].concat() }
    }

    /// By how much two values of the result differ. Where both may come of one run, they do not.
    pub(super) fn gap(&self, x: &Tensor, y: &Tensor, tolerance: f64) -> f64 {
        match self.are_outcomes([x, y], tolerance) {
            true => 0.0,
            false => Sizes::of_moved(x, &self.by, tolerance).gap(x, y),
        }
    }

    /// Whether both values may come of one run, by decisions that are a matter of rounding.
    pub(super) fn are_outcomes(&self, values: [&Tensor; 2], tolerance: f64) -> bool {
        let is = |o: &Tensor, value: &Tensor| !beyond(Sizes::of_moved(o, &self.by, tolerance).gap(o, value), tolerance);
        let is_one = |all: &[Tensor], value: &Tensor| all.iter().any(|o| is(o, value));
        self.outcomes.iter().any(|all| values.iter().all(|value| is_one(all, value)))
    }
}

/// The results of a program, and what its loops and branches decided.
#[derive(Clone, Debug)]
pub(super) struct Decided {
    pub(super) results: Vec<Tensor>,
    decisions: u64,
}

/// Hashes what is decided.
#[derive(Default)]
struct Decisions(FxHasher);

impl Observer for Decisions {
    fn enter(&mut self, _: &Arc<Program>, visit: Visit, _: &[Value]) {
        match visit {
            Visit::Step(i) => (0, i).hash(&mut self.0),
            Visit::Branch(i) => (1, i).hash(&mut self.0),
            Visit::Whole | Visit::Condition(_) => {}
        }
    }
    fn begin(&mut self, _: &Arc<Program>, _: usize) {}
    fn end(&mut self, _: &Arc<Program>, _: usize, _: &[Value]) {}
    fn ran(&mut self, _: Block<'_>) {}
    fn leave(&mut self, _: &Arc<Program>) {}
}

/// Runs a program by the evaluator.
pub(super) fn decided(program: &Program, inputs: Vec<Tensor>) -> Result<Decided> {
    let mut decisions = Decisions::default();
    let executable = wengert_eval::Eval::PLAIN.compile(Arc::new(program.clone()), &[])?;
    let inputs = inputs.into_iter().map(Value::Host).collect();
    let results = executable.run(Run::new(inputs).observed_by(&mut decisions))?;
    let results = results.into_iter().map(Value::into_host).collect::<Result<_>>()?;
    Ok(Decided { results, decisions: decisions.0.finish() })
}

/// What may become of the results of a program, which these are, where it is rounded otherwise, or starts from other numbers as `other` did.
/// None if that can't be found, or takes too long.
pub(super) fn moved(
    program: &Program,
    inputs: &[Tensor],
    right: &Decided,
    other: Option<Decided>,
) -> Option<Vec<Moved>> {
    if bytes_of(program) > MOST_BYTES {
        return None;
    }
    let (program, inputs) = (program.clone(), inputs.to_vec());
    let tries = with_patience(move || {
        let one = |number| decided(&rounded_otherwise(&program, number, true), inputs.clone()).ok();
        (0..TRIES).map(one).collect::<Option<Vec<Decided>>>()
    })??;
    let is_same = |run: &Decided| run.decisions == right.decisions;
    // Where no run decides as this one did, nothing is known of how far its numbers move.
    let knows = tries.iter().any(is_same);
    let (near, far): (Vec<Decided>, Vec<Decided>) =
        tries.into_iter().chain(other).partition(|run| !knows || is_same(run));
    let mut by: Vec<Vec<f64>> = right.results.iter().map(|y| vec![0.0; y.size()]).collect();
    near.iter().for_each(|run| move_to(&mut by, &right.results, &run.results));
    let all = |i: usize| [right].into_iter().chain(&far).map(|run| run.results[i].clone()).collect();
    let outcomes = |i: usize| if far.is_empty() { Vec::new() } else { vec![all(i)] };
    Some(by.into_iter().enumerate().map(|(i, by)| Moved { by, outcomes: outcomes(i) }).collect())
}
