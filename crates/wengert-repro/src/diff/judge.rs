//! What a suspect is: an equation that parts alone, rounding that grew, or one of several that part together.

use super::group::Group;
use super::inside::{Found, Inside, inside};
use super::programs::{Excuse, Search};
use super::sides::BothResults;
use super::{beyond, rounding};
use crate::decomposition::{has_others, is_as_right};
use crate::determined::is_sum;
use crate::sizes::moved;
use crate::symptom::{gap, has_opposite_infinities};
use rustc_hash::FxHashMap;
use wengert_core::{Program, Result, Tensor, Var};

/// A difference, as a part of the size of a number, that does not come of operands which are the same numbers.
const MUCH: f64 = 0.1;

/// A variable that parts although what its equation is given agrees.
pub(super) struct Suspect {
    pub(super) at: Var,
    /// Why that is no difference, if it is none.
    pub(super) excuse: Option<Excuse>,
    /// Where in the programs that the equation holds, if that was looked for.
    pub(super) inside: Option<Inside>,
}

impl Suspect {
    fn new(at: Var, excuse: Option<Excuse>) -> Suspect {
        Suspect { at, excuse, inside: None }
    }
}

impl Search<'_, '_, '_> {
    /// Whether what parts at a variable is no more than rounding, or as right. Where it is more, but came from an operand whose difference
    /// the tolerance allows, that operand is the suspect.
    pub(super) fn judged(&mut self, mut at: Var, depth: usize) -> Result<Suspect> {
        for _ in 0..self.program.equations().len() {
            if self.is_undetermined(at)? {
                return Ok(Suspect::new(at, Some(Excuse::Undetermined)));
            }
            if !self.sides.counts_rounding && self.is_left_of_a_sum(at)? {
                return Ok(Suspect::new(at, Some(Excuse::Rounding)));
            }
            // Of what a loop gives, more may be rounding than a fault adds to it: its turns tell them apart.
            match self.inside(self.defining(at), depth)? {
                Found::Parting(inside) => return Ok(Suspect { inside: Some(inside), ..Suspect::new(at, None) }),
                Found::Excused(why) => return Ok(Suspect::new(at, Some(why))),
                Found::Nothing if self.sides.counts_rounding => break,
                Found::Nothing if Group::parts_alone(self, self.defining(at))? => break,
                Found::Nothing => {}
            }
            let both = self.both(at)?;
            let is_opposite = |got: &Vec<Tensor>| has_opposite_infinities(&both.want[0], &got[0]);
            if both.got.as_ref().map_or(true, is_opposite) {
                break;
            }
            let (part, x) = self.part(&[at]);
            if both.is_rounding(&part, &x, self.sides.tolerance) {
                return Ok(Suspect::new(at, Some(Excuse::Rounding)));
            }
            match self.inherited(at, &both)? {
                Origin::Own => break,
                Origin::Rounding => return Ok(Suspect::new(at, Some(Excuse::Rounding))),
                Origin::Operand(x, by) => {
                    self.sides.tolerance = by / 2.0;
                    at = self.earliest(x)?;
                }
            }
        }
        Ok(Suspect::new(at, None))
    }

    /// Whether a variable is a sum, and the sides part by no more than it moves where what is summed is rounded otherwise: that of numbers
    /// that cancel out may be right by chance on one side, so that how far it is from the right one says nothing.
    fn is_left_of_a_sum(&mut self, at: Var) -> Result<bool> {
        let e = &self.program.equations()[self.defining(at)];
        // What a matrix does not determine moves without a limit.
        let is_one = is_sum(&e.op) && !has_others(&e.op) && self.program.ty(at).dtype.is_differentiable();
        if self.sides.tolerance == 0.0 || !is_one {
            return Ok(false);
        }
        let both = self.both(at)?;
        let Ok(got) = &both.got else { return Ok(false) };
        let (alone, given) = self.alone(at)?;
        let Some(moved) = moved(&alone, &given, &both.want[..1]) else { return Ok(false) };
        let (want, got) = (both.want[0].dense().as_complex(), got[0].dense().as_complex());
        let parted = want.iter().zip(&got).map(|(want, got)| (got - want).norm());
        Ok(moved[0].iter().zip(parted).all(|(&by, parted)| by.is_finite() && rounding::covers(by, parted)))
    }

    /// The equation of a variable as a program, and what it is given on the right side.
    fn alone(&mut self, at: Var) -> Result<(Program, Vec<Tensor>)> {
        let e = &self.program.equations()[self.defining(at)];
        let mut known = vec![true; self.program.var_count()];
        e.outputs.iter().for_each(|v| known[v.index()] = false);
        let (alone, taken) = self.program.part_by(&self.definitions, &known, &e.outputs);
        let given = self.right(&taken)?;
        Ok((alone, given))
    }

    /// Whether a variable is a part of a decomposition, and the other side has another one of the matrix that is as right.
    /// Where the same bits are asked for, it is a difference as any other.
    fn is_undetermined(&mut self, at: Var) -> Result<bool> {
        let e = &self.program.equations()[self.defining(at)];
        if self.sides.tolerance == 0.0 || !has_others(&e.op) {
            return Ok(false);
        }
        let x = self.right(&e.inputs)?;
        let (alone, given) = self.alone(at)?;
        let both = self.sides.both(&alone, &given)?;
        let Ok(got) = &both.got else { return Ok(false) };
        let tolerance = self.sides.tolerance;
        let agree = |i: usize| !beyond(both.gap(i), tolerance);
        let rounded_to = self.sides.narrow.unwrap_or(x[0].dtype());
        Ok(is_as_right((&e.op, &alone), &x[0], [&both.want, got], &agree, (tolerance, rounded_to)))
    }

    /// What becomes of a difference in the programs that an equation holds.
    pub(super) fn inside(&mut self, equation: usize, depth: usize) -> Result<Found> {
        let e = &self.program.equations()[equation];
        if e.op.programs().is_empty() {
            return Ok(Found::Nothing);
        }
        let x = self.right(&e.inputs)?;
        inside(self.sides, &e.op, &x, depth)
    }

    /// Whether the reference gives what the other side has at a variable, if it is given the other side's operands.
    fn inherited(&mut self, at: Var, both: &BothResults) -> Result<Origin> {
        let equation = &self.program.equations()[self.defining(at)];
        let mut operands = equation.inputs.clone();
        operands.sort();
        operands.dedup();
        let (mut others, mut far) = (FxHashMap::default(), None);
        for &x in &operands {
            let made_anew = self.definitions[x.index()].is_some_and(|i| self.program.equations()[i].inputs.is_empty());
            if self.known[x.index()] || made_anew {
                continue;
            }
            let values = self.both(x)?;
            let Ok(got) = &values.got else { return Ok(Origin::Own) };
            if values.gap(0) > 0.0 {
                let (part, given) = self.part(&[x]);
                let noise = rounding::noise(&part, &given, &values.want);
                let beyond = rounding::far_beyond(
                    noise.as_ref().map(|n| &n[0][..]),
                    [&values.want[0], &got[0]],
                    &values.sizes[0],
                );
                if let Some((by, _)) = beyond.filter(|(by, _)| far.is_none_or(|(_, most)| *by > most)) {
                    far = Some((x, by));
                }
            }
            others.insert(x, (values.want[0].clone(), got[0].clone()));
        }
        if others.values().all(|(want, got)| want.same_bits(got)) {
            return Ok(Origin::Own);
        }
        let mut known = vec![false; self.program.var_count()];
        operands.iter().for_each(|x| known[x.index()] = true);
        let (part, taken) = self.program.part_by(&self.definitions, &known, &[at]);
        let x = taken.iter().map(|v| others.get(v).map_or_else(|| self.right[v].clone(), |(_, got)| got.clone()));
        let x: Vec<Tensor> = x.collect();
        let found = self.sides.right(&part, &x)?;
        let same = both
            .got
            .as_ref()
            .is_ok_and(|got| !beyond(both.sizes[0].gap_of_others(&found[0], &got[0]), self.sides.tolerance));
        // A zero of the other sign is no rounding, if much is made of it.
        let is_by_sign = || others.values().all(|(want, got)| gap(want, got) == 0.0) && both.gap(0) > MUCH;
        Ok(match (same, far) {
            (false, _) => Origin::Own,
            (true, None) if is_by_sign() => Origin::Own,
            (true, None) => Origin::Rounding,
            (true, Some((x, by))) => Origin::Operand(x, by),
        })
    }
}

/// Where a difference comes from.
enum Origin {
    /// From the equation itself.
    Own,
    /// From the rounding of what it is given.
    Rounding,
    /// From an operand, which differs by so much: less than the tolerance allows, and more than rounding.
    Operand(Var, f64),
}
