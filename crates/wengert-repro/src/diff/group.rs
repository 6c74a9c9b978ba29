//! Equations that part only together: what a compiler makes one of several, or puts in the place of another.
//!
//! A group is a piece of the program that is run as a whole, on what the reference has before it. That it parts is not enough:
//! one op of several that a compiler made into something else may part alone too, in another way. Its results must be those that
//! the other side has in the program.

use super::beyond;
use super::programs::Search;
use super::sides::BothResults;
use crate::case::Case;
use std::collections::BTreeSet;
use wengert_core::{Result, Tensor, Var};

/// A group that is larger than this is not looked for.
const LARGEST: usize = 300;

/// What is to be explained: a variable that parts in the program.
pub(super) struct PartedVar<'b> {
    pub(super) at: Var,
    pub(super) both: &'b BothResults,
    /// Which of the results it is.
    pub(super) index: usize,
}

impl<'b> PartedVar<'b> {
    pub(super) fn new(at: Var, both: &'b BothResults, index: usize) -> PartedVar<'b> {
        PartedVar { at, both, index }
    }

    /// Whether what the other side has for a variable is what the reference makes of this one, as the other side has it.
    pub(super) fn accounts_for(&self, search: &mut Search<'_, '_, '_>, last: &PartedVar<'_>) -> Result<bool> {
        let Ok(got) = &self.both.got else { return Ok(last.both.got.is_err()) };
        let tolerance = search.sides.tolerance;
        let y = search.after(&[self.at], &got[self.index..=self.index], last.at)?;
        Ok(y.is_none_or(|y| last.is_like(&y, tolerance)))
    }

    /// Whether a value is that of the other side rather than that of the reference.
    fn is_like(&self, y: &Tensor, tolerance: f64) -> bool {
        let sizes = &self.both.sizes[self.index];
        let near = |got: &Vec<Tensor>| {
            !beyond(sizes.gap_of_others(&got[self.index], y), tolerance.max(self.both.gap(self.index) / 2.0))
        };
        self.both.got.as_ref().is_ok_and(near)
    }
}

/// Some equations of a program that part when they are run alone, on what the reference has before them.
#[derive(Debug)]
pub(super) struct Group {
    /// Their numbers, in order.
    pub(super) equations: Vec<usize>,
    /// The equations alone, with what they are given.
    pub(super) case: Case,
    /// The variables that they are given.
    taken: Vec<Var>,
    /// The variables that they give.
    pub(super) given: Vec<Var>,
    /// What both sides have for these.
    pub(super) both: BothResults,
    /// Whether that is what the sides have for them in the program.
    pub(super) explains: bool,
}

impl Group {
    /// These equations, which are in order, if they part: asked in a way that explains a variable, or else in any.
    pub(super) fn of(
        search: &mut Search<'_, '_, '_>,
        equations: &[usize],
        parted: &PartedVar<'_>,
    ) -> Result<Option<Group>> {
        let mut otherwise = None;
        for given in ways(search, equations) {
            let Some(mut group) = Group::that_parts(search, equations, given)? else { continue };
            group.explains = group.explains(search, parted)?;
            if group.explains {
                return Ok(Some(group));
            }
            otherwise.get_or_insert(group);
        }
        Ok(otherwise)
    }

    /// These equations, asked for these of their results, if they part.
    fn that_parts(search: &mut Search<'_, '_, '_>, equations: &[usize], given: Vec<Var>) -> Result<Option<Group>> {
        let program = search.program;
        let mut known = vec![true; program.var_count()];
        equations.iter().flat_map(|&i| &program.equations()[i].outputs).for_each(|v| known[v.index()] = false);
        let (part, taken) = program.part_by(&search.definitions, &known, &given);
        let case = Case::new(part, search.right(&taken)?)?;
        let both = search.sides.parted(case.program(), case.inputs())?;
        let equations = equations.to_vec();
        Ok(both.map(|both| Group { equations, case, taken, given, both, explains: false }))
    }

    /// Whether an equation parts alone.
    pub(super) fn parts_alone(search: &mut Search<'_, '_, '_>, equation: usize) -> Result<bool> {
        for given in ways(search, &[equation]) {
            if Group::that_parts(search, &[equation], given)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether what the other side has for a variable of the program is what the group makes of it, if all else is done by the
    /// reference; or if the group is given what the other side has before it, which may be rounded otherwise.
    fn explains(&self, search: &mut Search<'_, '_, '_>, parted: &PartedVar<'_>) -> Result<bool> {
        let Ok(got) = &self.both.got else { return Ok(parted.both.got.is_err()) };
        // In other element types all is rounded otherwise.
        if search.sides.reads_all {
            return Ok(true);
        }
        let tolerance = search.sides.tolerance;
        let Some(i) = self.given.iter().position(|v| *v == parted.at) else {
            let y = search.after(&self.given, got, parted.at)?;
            return Ok(y.is_some_and(|y| parted.is_like(&y, tolerance)));
        };
        if parted.is_like(&got[i], tolerance) {
            return Ok(true);
        }
        let mut x = Vec::new();
        for &v in &self.taken {
            let got = if search.known[v.index()] { None } else { search.both(v)?.got.clone().ok() };
            x.push(got.map_or_else(|| search.right[&v].clone(), |mut y| y.swap_remove(0)));
        }
        let y = search.sides.both(self.case.program(), &x)?;
        Ok(y.got.is_ok_and(|y| parted.is_like(&y[i], tolerance)))
    }

    /// Which of its results shows most that it parts: that of a variable, if it gives that.
    pub(super) fn shown_by(&self, at: Var) -> usize {
        let size = |i: usize| if self.both.gap(i).is_nan() { f64::INFINITY } else { self.both.gap(i) };
        let most = || (0..self.given.len()).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(0);
        self.given.iter().position(|v| *v == at).unwrap_or_else(most)
    }

    /// The smallest group that parts among all equations; none if there is none.
    pub(super) fn within_all(search: &mut Search<'_, '_, '_>, parted: &PartedVar<'_>) -> Result<Option<Group>> {
        let is_known = |i: &usize| search.program.equations()[*i].outputs.iter().all(|v| search.known[v.index()]);
        let all: Vec<usize> = (0..search.program.equations().len()).filter(|i| !is_known(i)).collect();
        let group = Group::of(search, &all, parted)?;
        group.map(|group| smallest(search, group, parted)).transpose()
    }

    /// The smallest group among the equation of a variable that parts and those before it: one that explains it, or else one
    /// that parts in another way; none if there is none.
    pub(super) fn around(search: &mut Search<'_, '_, '_>, parted: &PartedVar<'_>) -> Result<Option<Group>> {
        let mut numbers = BTreeSet::from([search.defining(parted.at)]);
        let (mut depth, mut otherwise) = (0, None);
        loop {
            let list: Vec<usize> = numbers.iter().copied().collect();
            match Group::of(search, &list, parted)? {
                Some(group) if group.explains => return smallest(search, group, parted).map(Some),
                group => otherwise = otherwise.or(group),
            }
            // Twice as far back each time.
            for _ in 0..=depth {
                let operands = numbers.iter().flat_map(|&i| &search.program.equations()[i].inputs);
                let before = operands.filter(|v| !search.known[v.index()]);
                let before = before.filter_map(|v| search.definitions[v.index()]);
                let more: BTreeSet<usize> = numbers.iter().copied().chain(before).collect();
                if more.len() > LARGEST {
                    break;
                }
                numbers = more;
            }
            depth = 2 * depth + 1;
            if numbers.len() == list.len() {
                return otherwise.map(|group| smallest(search, group, parted)).transpose();
            }
        }
    }
}

/// What equations may be asked for: what leaves them, or all of their results.
fn ways(search: &Search<'_, '_, '_>, equations: &[usize]) -> Vec<Vec<Var>> {
    let program = search.program;
    let all: Vec<Var> = equations.iter().flat_map(|&i| program.equations()[i].outputs.clone()).collect();
    let mut used = vec![false; program.var_count()];
    equations.iter().flat_map(|&i| &program.equations()[i].inputs).for_each(|v| used[v.index()] = true);
    program.outputs().iter().for_each(|v| used[v.index()] = false);
    let leaving = all.iter().copied().filter(|v| !used[v.index()]).collect();
    let mut ways = vec![leaving, all];
    ways.dedup();
    ways
}

/// The group without the equations that it parts without, in the same way.
fn smallest(search: &mut Search<'_, '_, '_>, mut group: Group, parted: &PartedVar<'_>) -> Result<Group> {
    let mut length = group.equations.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < group.equations.len() && group.equations.len() > 1 {
            let mut fewer = group.equations.clone();
            fewer.drain(at..(at + length).min(group.equations.len()));
            match Group::of(search, &fewer, parted)? {
                Some(smaller) if smaller.explains || !group.explains => (group, at) = (smaller, 0),
                _ => at += length,
            }
        }
        length /= 2;
    }
    Ok(group)
}
