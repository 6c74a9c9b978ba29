//! One program on two sides: the first equation whose results differ although what it is given agrees.
//!
//! No side is asked for the values inside of a program that it has compiled as a whole: what it computes for a variable is what
//! the program gives that ends there. Then the suspect is run alone, on the values of the reference. If the sides agree on it,
//! either rounding grew there, and both go on from the reference's value; or equations part only together (`group.rs`).

use super::beyond;
use super::group::{Group, PartedVar};
use super::inside::{Found, Inside};
use super::judge::Suspect;
use super::sides::{BothResults, Sides};
use crate::case::Case;
use crate::sizes::MOST_BYTES;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use wengert_core::compare::{Comparison, compare};
use wengert_core::{Place, Program, Result, Tensor, Var};

/// An equation of a program.
#[derive(Clone, Debug)]
pub struct NamedEquation {
    /// Its number in the program.
    pub number: usize,
    /// The equation, as text.
    pub text: String,
    /// Where the user wrote it.
    pub place: Place,
}

/// Equations that two sides do not agree on.
#[derive(Clone, Debug)]
pub struct Parting {
    /// The equations: mostly one. Of several, none can be left out: together they are what differs.
    pub equations: Vec<NamedEquation>,
    /// Those of several equations that part alone too, in another way than together.
    pub alone: Vec<NamedEquation>,
    /// The equations alone, with what the reference gives them; none if the sides agree on every part of the program, and part
    /// only on all of it.
    pub case: Option<Case>,
    /// The equation whose results show it; none if an output shows it that is an input of the program.
    pub shown_by: Option<NamedEquation>,
    /// How far apart these are where the equations are run alone (the program, if there is no case); none if the other side has
    /// none.
    pub comparison: Option<Comparison>,
    /// The same, as a part of the size of a number of the reference: its own, or that of the numbers it is what is left of; NaN where only one of two numbers is finite.
    pub gap: f64,
    /// What the other side says, if it can't run it.
    pub error: Option<String>,
    /// How the first equation that parts in the program does so there, if the equations alone part in another way: then they
    /// may not be all of the reason.
    pub in_program: Option<(NamedEquation, Option<Comparison>)>,
    /// Equations after it on the way to the output that parts, and how far apart their results are.
    pub following: Vec<(NamedEquation, f64)>,
    /// The output of the program that parts, and by how much.
    pub output: (usize, f64),
    /// Where in the programs that the equation holds, if they part there too.
    pub inside: Option<Inside>,
}

/// An equation whose results part, and both are as right.
#[derive(Clone, Debug)]
pub struct Excused {
    /// The equation.
    pub equation: NamedEquation,
    /// How far apart its results are, as a part of the size of a number of the reference.
    pub gap: f64,
    /// Why that is no difference.
    pub why: Excuse,
}

/// Why results that part are no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excuse {
    /// They part by rounding alone, or by what an equation makes of the rounding of what it is given.
    Rounding,
    /// They are a decomposition that the matrix does not determine, and the other side has one too.
    Undetermined,
}

/// What two sides do not agree on in one program.
#[derive(Clone, Debug)]
pub struct ProgramDiff {
    /// Where they part first.
    pub first: Option<Parting>,
    /// Where they part and both are as right, in the order it was found; after each, both sides go on from the same value.
    pub excused: Vec<Excused>,
    /// Whether all of the program was looked at: not if that is so at too many places, or took too long.
    pub is_complete: bool,
    /// Equations at any depth, of one program in two element types, whose op runs in its own types on both sides: it does not take others.
    pub in_own_types: Vec<NamedEquation>,
    /// Whether some results were held to the largest number of their array, and not each number to its own size: the program is too large to
    /// be run with other roundings, or takes too long.
    pub by_largest: bool,
    /// How many programs were run on each side.
    pub runs: usize,
}

/// At how many places results may part that are as right before nothing more is looked at.
const MOST_EXCUSED: usize = 64;

/// How many bytes of a variable are kept, once both sides were asked for it.
const MOST_KEPT: usize = 16 << 20;

/// How many equations after the first are told of.
const FOLLOWING: usize = 4;

/// Of more, only those are told of that were looked at anyway: compilers take long for large programs.
const MANY: usize = 500;

impl ProgramDiff {
    /// Where the sides part in a program on these inputs.
    ///
    /// # Errors
    /// If the reference can't run the program. Where only the other side can't, that is a difference of all that it can't give.
    ///
    /// ```
    /// use wengert_core::{Program, Tensor};
    /// use wengert_repro::diff::{ProgramDiff, Sides};
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = exp(x) z: f32[] = sin(y) w: f32[] = neg(z) return w }")?;
    /// let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    /// // The other side takes sines for cosines.
    /// let mut wrong = |p: &Program, x: &[Tensor]| {
    ///     wengert_eval::run(&Program::parse(&p.to_text().replace("sin(", "cos("))?, x.to_vec())
    /// };
    /// let found = ProgramDiff::new(&p, &[Tensor::scalar(1.0f32)], Sides::new(&mut right, &mut wrong, 1e-3))?;
    /// assert_eq!(found.first.expect("they part").equations[0].text, "z: f32[] = sin(y)");
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn new(program: &Program, inputs: &[Tensor], mut sides: Sides<'_>) -> Result<ProgramDiff> {
        let case = Case::new(program.clone(), inputs.to_vec())?;
        let (first, excused) = search(&mut sides, &case, 0)?;
        let Sides { is_complete, by_largest, runs, .. } = sides;
        Ok(ProgramDiff { first, excused, is_complete, in_own_types: Vec::new(), by_largest, runs })
    }
}

/// Where the sides part in a case that is so many programs deep inside of others, and where both are as right.
pub(super) fn search(sides: &mut Sides<'_>, case: &Case, depth: usize) -> Result<(Option<Parting>, Vec<Excused>)> {
    let tolerance = sides.tolerance;
    let mut search = Search::new(sides, case);
    let mut excused = Vec::new();
    let found = loop {
        search.sides.tolerance = tolerance;
        let Some(PartedOutput { output, alone }) = search.parted_output()? else { break None };
        if excused.len() == MOST_EXCUSED || !excused.is_empty() && search.sides.is_late() {
            search.sides.is_complete = false;
            break None;
        }
        let Some(last) = alone else { break search.together(output)? };
        let at = search.earliest(last)?;
        let Suspect { at, excuse, inside } = search.judged(at, depth)?;
        let Some(why) = excuse else { break Some(search.parting(at, inside, last, output, depth)?) };
        let gap = search.gap_at(at)?.unwrap_or(f64::NAN);
        excused.push(Excused { equation: search.named_var(at), gap, why });
        search.go_on_from(at)?;
    };
    search.sides.tolerance = tolerance;
    Ok((found, excused))
}

pub(super) struct Search<'s, 'a, 'p> {
    pub(super) sides: &'s mut Sides<'a>,
    pub(super) program: &'p Program,
    pub(super) definitions: Vec<Option<usize>>,
    lines: Vec<String>,
    /// The inputs, and the variables that both sides go on from.
    pub(super) known: Vec<bool>,
    /// What the reference has for variables, as far as it was asked.
    pub(super) right: FxHashMap<Var, Tensor>,
    gaps: FxHashMap<Var, f64>,
    /// What both sides have for variables that were asked for one by one.
    asked: FxHashMap<Var, Rc<BothResults>>,
}

impl<'s, 'a, 'p> Search<'s, 'a, 'p> {
    fn new(sides: &'s mut Sides<'a>, case: &'p Case) -> Search<'s, 'a, 'p> {
        let program = case.program();
        let mut known = vec![false; program.var_count()];
        program.inputs().iter().for_each(|v| known[v.index()] = true);
        let right = program.inputs().iter().copied().zip(case.inputs().iter().cloned()).collect();
        let (definitions, lines) = (program.definitions(), program.lines());
        Search {
            sides,
            program,
            definitions,
            lines,
            known,
            right,
            gaps: FxHashMap::default(),
            asked: FxHashMap::default(),
        }
    }

    /// The program that computes variables from what both sides go on from, and its inputs.
    pub(super) fn part(&self, wanted: &[Var]) -> (Program, Vec<Tensor>) {
        let (part, taken) = self.program.part_by(&self.definitions, &self.known, wanted);
        (part, taken.iter().map(|v| self.right[v].clone()).collect())
    }

    /// What both sides have for a variable.
    pub(super) fn both(&mut self, v: Var) -> Result<Rc<BothResults>> {
        if let Some(both) = self.asked.get(&v) {
            return Ok(both.clone());
        }
        let (part, x) = self.part(&[v]);
        let both = Rc::new(self.sides.both(&part, &x)?);
        if self.program.ty(v).bytes().is_some_and(|n| n <= MOST_KEPT) {
            self.asked.insert(v, both.clone());
        }
        Ok(both)
    }

    /// What the reference has for variables.
    pub(super) fn right(&mut self, wanted: &[Var]) -> Result<Vec<Tensor>> {
        let lacking: Vec<Var> = wanted.iter().copied().filter(|v| !self.right.contains_key(v)).collect();
        if !lacking.is_empty() {
            let (part, x) = self.part(&lacking);
            let found = self.sides.right(&part, &x)?;
            self.right.extend(lacking.into_iter().zip(found));
        }
        Ok(wanted.iter().map(|v| self.right[v].clone()).collect())
    }

    /// By how much a variable parts, if by more than is allowed.
    fn gap_at(&mut self, v: Var) -> Result<Option<f64>> {
        if self.known[v.index()] {
            return Ok(None);
        }
        let by = match self.gaps.get(&v) {
            Some(&by) => by,
            None => {
                let by = self.both(v)?.gap(0);
                self.gaps.insert(v, by);
                by
            }
        };
        Ok(Some(by).filter(|&by| beyond(by, self.sides.tolerance)))
    }

    /// Finds out by how much variables part, many at once.
    fn measure(&mut self, wanted: &[Var]) -> Result<()> {
        let mut left: Vec<Var> = wanted.iter().copied().filter(|v| !self.known[v.index()]).collect();
        while !left.is_empty() {
            let mut bytes = 0;
            let fit = left.iter().take_while(|v| {
                let fits = bytes < MOST_BYTES;
                bytes = self.program.ty(**v).bytes().map_or(usize::MAX, |n| n.saturating_add(bytes));
                fits
            });
            let count = fit.count();
            let now: Vec<Var> = left.drain(..count).collect();
            let (part, x) = self.part(&now);
            let both = self.sides.both(&part, &x)?;
            // What can't be run as a whole is asked for one by one.
            if both.got.is_ok() {
                self.gaps.extend(now.iter().enumerate().map(|(i, v)| (*v, both.gap(i))));
            }
        }
        Ok(())
    }

    /// An output that parts where all of the program is run.
    fn parted_output(&mut self) -> Result<Option<PartedOutput>> {
        let both = match self.program.outputs() {
            &[v] => self.both(v)?,
            all => {
                let (whole, x) = self.part(all);
                Rc::new(self.sides.both(&whole, &x)?)
            }
        };
        let mut first = None;
        for (i, &v) in self.program.outputs().iter().enumerate() {
            let by = both.gap(i);
            if beyond(by, self.sides.tolerance) {
                if self.gap_at(v)?.is_some() {
                    return Ok(Some(PartedOutput { output: (i, by), alone: Some(v) }));
                }
                first.get_or_insert((i, by));
            }
        }
        Ok(first.map(|output| PartedOutput { output, alone: None }))
    }

    /// What parts in a program none of whose outputs parts without the others; none if that is rounding.
    fn together(&mut self, output: (usize, f64)) -> Result<Option<Parting>> {
        let (whole, x) = self.part(self.program.outputs());
        let Some(both) = self.sides.parted(&whole, &x)? else { return Ok(None) };
        let v = self.program.outputs()[output.0];
        let parted = PartedVar::new(v, &both, output.0);
        let group = Group::within_all(self, &parted)?;
        self.told(group, &parted, output).map(Some)
    }

    /// What is told of a variable that parts: the numbers of the equations that were found, run alone; those of the program if
    /// none were.
    fn told(&mut self, group: Option<Group>, parted: &PartedVar<'_>, output: (usize, f64)) -> Result<Parting> {
        let first = self.definitions[parted.at.index()].map(|i| self.named(i));
        let (comparison, error) = compared(parted.both, parted.index);
        let in_program = Parting {
            equations: first.iter().cloned().collect(),
            alone: Vec::new(),
            case: None,
            shown_by: first.clone(),
            comparison: comparison.clone(),
            gap: parted.both.gap(parted.index),
            error,
            in_program: None,
            following: Vec::new(),
            output,
            inside: None,
        };
        let Some(group) = group else { return Ok(in_program) };
        let mut alone = Vec::new();
        if group.equations.len() > 1 {
            for &i in &group.equations {
                if Group::parts_alone(self, i)? {
                    alone.push(self.named(i));
                }
            }
        }
        let shown = group.shown_by(parted.at);
        let (own, error) = compared(&group.both, shown);
        Ok(Parting {
            equations: group.equations.iter().map(|&i| self.named(i)).collect(),
            alone,
            shown_by: Some(self.named_var(group.given[shown])),
            comparison: own,
            gap: group.both.gap(shown),
            error,
            in_program: first.filter(|_| !group.explains).map(|first| (first, comparison)),
            case: Some(group.case),
            ..in_program
        })
    }

    pub(super) fn defining(&self, v: Var) -> usize {
        self.definitions[v.index()].expect("an input agrees with itself")
    }

    /// A variable that parts, all of whose equation's operands agree: an early one among those that one depends on.
    pub(super) fn earliest(&mut self, last: Var) -> Result<Var> {
        let mut at = last;
        loop {
            at = self.early(at)?;
            // What follows one that parts may agree again: then there is another before it.
            match self.parted_operand(at)? {
                Some(x) => at = x,
                None => return Ok(at),
            }
        }
    }

    /// A variable that parts, early among those that one depends on, as if all that follow one that parts did so too.
    fn early(&mut self, last: Var) -> Result<Var> {
        let needed = self.program.needed(&[last], |_| None);
        let equations = self.program.equations();
        let on_the_way: Vec<Var> =
            equations.iter().flat_map(|e| e.outputs.iter().copied()).filter(|v| needed[v.index()]).collect();
        if self.sides.reads_all {
            self.measure(&on_the_way)?;
            for &v in &on_the_way {
                if self.gap_at(v)?.is_some() {
                    return Ok(v);
                }
            }
        }
        let (mut low, mut high) = (0, on_the_way.iter().position(|v| *v == last).unwrap_or(0));
        while low < high {
            let middle = (low + high) / 2;
            match self.gap_at(on_the_way[middle])? {
                Some(_) => high = middle,
                None => low = middle + 1,
            }
        }
        Ok(on_the_way[high])
    }

    /// An operand of what gives a variable that parts too.
    fn parted_operand(&mut self, at: Var) -> Result<Option<Var>> {
        for &x in &self.program.equations()[self.defining(at)].inputs {
            if self.gap_at(x)?.is_some() {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    /// Both sides go on from what the reference has for the results of an equation.
    fn go_on_from(&mut self, v: Var) -> Result<()> {
        let outputs = self.program.equations()[self.defining(v)].outputs.clone();
        self.right(&outputs)?;
        outputs.iter().for_each(|v| self.known[v.index()] = true);
        self.gaps.clear();
        self.asked.clear();
        Ok(())
    }

    pub(super) fn named(&self, number: usize) -> NamedEquation {
        let place = self.program.equations()[number].place.clone();
        NamedEquation { number, text: self.lines[number].clone(), place }
    }

    fn named_var(&self, v: Var) -> NamedEquation {
        self.named(self.defining(v))
    }

    fn parting(
        &mut self,
        at: Var,
        inside: Option<Inside>,
        last: Var,
        output: (usize, f64),
        depth: usize,
    ) -> Result<Parting> {
        let both = self.both(at)?;
        let parted = PartedVar::new(at, &both, 0);
        let group = Group::around(self, &parted)?;
        if let Some(wider) = self.wider(&parted, last, output)? {
            return Ok(wider);
        }
        let inside = match (inside, group.as_ref().map(|g| &g.equations[..])) {
            (None, Some(&[one])) => match self.inside(one, depth)? {
                Found::Parting(inside) => Some(inside),
                Found::Nothing | Found::Excused(_) => None,
            },
            (inside, _) => inside,
        };
        let told = self.told(group, &parted, output)?;
        let mut following = self.following(at, last)?;
        if at != last && told.shown_by.as_ref().is_some_and(|e| e.number < self.defining(at)) {
            following.insert(0, (self.named_var(at), both.gap(0)));
        }
        Ok(Parting { following, inside, ..told })
    }

    /// The equations that part together at the end of the way, those of a variable that parts alone among them, if that alone does not
    /// account for what the other side has there.
    fn wider(&mut self, parted: &PartedVar<'_>, last: Var, output: (usize, f64)) -> Result<Option<Parting>> {
        if parted.at == last || self.sides.reads_all {
            return Ok(None);
        }
        let both = self.both(last)?;
        let at_last = PartedVar::new(last, &both, 0);
        if parted.accounts_for(self, &at_last)? {
            return Ok(None);
        }
        let first = self.defining(parted.at);
        let group = Group::around(self, &at_last)?.filter(|g| g.explains && g.equations.contains(&first));
        group.map(|group| self.told(Some(group), &at_last, output)).transpose()
    }

    /// What the reference has for a variable that follows some, if it goes on from these values of those.
    pub(super) fn after(&mut self, given: &[Var], values: &[Tensor], at: Var) -> Result<Option<Tensor>> {
        let follows = self.following_vars(given);
        if !follows[at.index()] {
            return Ok(None);
        }
        let mut known: Vec<bool> = follows.iter().map(|follows| !follows).collect();
        given.iter().for_each(|v| known[v.index()] = true);
        let (part, taken) = self.program.part_by(&self.definitions, &known, &[at]);
        let mut x = self.right(&taken)?;
        for (x, v) in x.iter_mut().zip(&taken) {
            if let Some(i) = given.iter().position(|g| g == v) {
                *x = values[i].clone();
            }
        }
        Ok(self.sides.right(&part, &x)?.pop())
    }

    /// Which variables depend on some, these included.
    pub(super) fn following_vars(&self, from: &[Var]) -> Vec<bool> {
        let mut after = vec![false; self.program.var_count()];
        from.iter().for_each(|v| after[v.index()] = true);
        for e in self.program.equations() {
            if e.inputs.iter().any(|v| after[v.index()]) {
                e.outputs.iter().for_each(|v| after[v.index()] = true);
            }
        }
        after
    }

    /// Some of the variables from one that parts to an output.
    fn following(&mut self, at: Var, last: Var) -> Result<Vec<(NamedEquation, f64)>> {
        let after = self.following_vars(&[at]);
        let needed = self.program.needed(&[last], |_| None);
        let is_on_way = |v: &Var| after[v.index()] && needed[v.index()] && *v != at && *v != last;
        let outputs = self.program.equations().iter().flat_map(|e| e.outputs.iter().copied());
        let mut way: Vec<Var> = outputs.filter(is_on_way).collect();
        if way.len() > MANY {
            way.retain(|v| self.asked.contains_key(v));
        }
        let count = way.len().min(FOLLOWING);
        let mut all = Vec::new();
        for v in (0..count).map(|i| way[i * way.len() / count]) {
            let by = self.both(v)?.gap(0);
            all.push((self.named_var(v), by));
        }
        Ok(all)
    }
}

/// An output that parts: which, and by how much.
struct PartedOutput {
    output: (usize, f64),
    /// Its variable, if it parts without the other outputs too.
    alone: Option<Var>,
}

/// How far apart a result is, or why the other side has none.
fn compared(both: &BothResults, i: usize) -> (Option<Comparison>, Option<String>) {
    match &both.got {
        Ok(got) => (compare(&got[i], &both.want[i]).ok(), None),
        Err(why) => (None, Some(why.clone())),
    }
}
