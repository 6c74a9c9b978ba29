//! Equations that part only together: what a compiler makes one of several, or puts in the place of another.

use super::programs::Search;
use super::sides::Sides;
use crate::case::Case;
use std::collections::BTreeSet;
use wengert_core::{Result, Var};

/// A group that is larger than this is not looked for.
const LARGEST: usize = 300;

/// Some equations of a program, to be run on what the reference has before them.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Their numbers, in order.
    equations: Vec<usize>,
    /// A program that gives what leaves the group, and nothing else.
    leaving: Case,
    /// A program that gives all results of the equations.
    all: Case,
    /// Which of the two parts, once that is known.
    parts_by_all: bool,
}

impl Group {
    /// These equations, which are in order.
    pub(super) fn of(search: &mut Search<'_, '_, '_>, equations: &[usize]) -> Result<Group> {
        let program = search.program;
        let defined: Vec<Var> = equations.iter().flat_map(|&i| program.equations()[i].outputs.clone()).collect();
        let mut known = vec![true; program.var_count()];
        defined.iter().for_each(|v| known[v.index()] = false);
        let mut used = vec![false; program.var_count()];
        equations.iter().flat_map(|&i| &program.equations()[i].inputs).for_each(|v| used[v.index()] = true);
        program.outputs().iter().for_each(|v| used[v.index()] = false);
        let leaving: Vec<Var> = defined.iter().copied().filter(|v| !used[v.index()]).collect();
        let mut case = |wanted: &[Var]| {
            let (part, taken) = program.part_by(&search.definitions, &known, wanted);
            Case::new(part, search.right(&taken)?)
        };
        Ok(Group { equations: equations.to_vec(), leaving: case(&leaving)?, all: case(&defined)?, parts_by_all: false })
    }

    /// The numbers of the equations.
    pub(super) fn equations(&self) -> &[usize] {
        &self.equations
    }

    /// The equations alone, with what they are given.
    pub(super) fn case(&self) -> &Case {
        if self.parts_by_all { &self.all } else { &self.leaving }
    }

    /// Whether the sides part on it.
    pub(super) fn parts(&mut self, search: &mut Search<'_, '_, '_>) -> Result<bool> {
        let part = |sides: &mut Sides<'_>, case: &Case| sides.part(case.program(), case.inputs());
        if part(search.sides, &self.leaving)? {
            return Ok(true);
        }
        self.parts_by_all =
            self.all.program().outputs() != self.leaving.program().outputs() && part(search.sides, &self.all)?;
        Ok(self.parts_by_all)
    }

    /// The smallest group that parts among all equations; none if there is none.
    pub(super) fn within_all(search: &mut Search<'_, '_, '_>) -> Result<Option<Group>> {
        let is_known = |i: &usize| search.program.equations()[*i].outputs.iter().all(|v| search.known[v.index()]);
        let all: Vec<usize> = (0..search.program.equations().len()).filter(|i| !is_known(i)).collect();
        let mut group = Group::of(search, &all)?;
        match group.parts(search)? {
            true => smallest(search, group).map(Some),
            false => Ok(None),
        }
    }

    /// The smallest group that parts among an equation and those before it; none if there is none.
    pub(super) fn around(search: &mut Search<'_, '_, '_>, equation: usize) -> Result<Option<Group>> {
        let mut numbers = BTreeSet::from([equation]);
        loop {
            let list: Vec<usize> = numbers.iter().copied().collect();
            let mut group = Group::of(search, &list)?;
            if group.parts(search)? {
                return smallest(search, group).map(Some);
            }
            let operands = list.iter().flat_map(|&i| &search.program.equations()[i].inputs);
            let before = operands.filter(|v| !search.known[v.index()]).filter_map(|v| search.definitions[v.index()]);
            numbers.extend(before);
            if numbers.len() == list.len() || numbers.len() > LARGEST {
                return Ok(None);
            }
        }
    }
}

/// The group without the equations that it parts without.
fn smallest(search: &mut Search<'_, '_, '_>, mut group: Group) -> Result<Group> {
    let mut length = group.equations.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < group.equations.len() && group.equations.len() > 1 {
            let mut fewer = group.equations.clone();
            fewer.drain(at..(at + length).min(group.equations.len()));
            let mut smaller = Group::of(search, &fewer)?;
            if smaller.parts(search)? {
                (group, at) = (smaller, 0);
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    Ok(group)
}
