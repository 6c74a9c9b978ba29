//! Where two backends part: the first equation whose results differ although what it is given agrees.
//!
//! No backend is asked for the values inside of a program that it has compiled as a whole: what it computes for a variable is
//! what the program gives that ends there. So the fault of a fused loop is named by the first equation that shows it.

use crate::symptom::gap;
use rustc_hash::FxHashMap;
use wengert_core::compare::{Comparison, compare};
use wengert_core::{Place, Program, Result, Tensor, Var};

/// Runs a program on inputs.
pub type RunProgram<'a> = &'a mut dyn FnMut(&Program, &[Tensor]) -> Result<Vec<Tensor>>;

/// An equation that two backends do not agree on.
#[derive(Clone, Debug)]
pub struct Parting {
    /// Its number in the program.
    pub equation: usize,
    /// The variable that differs.
    pub var: Var,
    /// The equation, as text.
    pub text: String,
    /// Where the user wrote it.
    pub place: Place,
    /// How far apart the results are.
    pub comparison: Comparison,
    /// What an output of the program differs by in the end: its position, and the largest difference as a part of its
    /// largest number.
    pub output: (usize, f64),
    /// The same of the equation's own results.
    pub own: f64,
    /// How many programs were run on each side to find it.
    pub runs: usize,
}

/// Where two sides part, by more than a part of the largest number of an array; none if they do not.
///
/// # Errors
/// If the reference can't run the program. Where only the other side can't, that is a difference of all that it can't give.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::diff::first_parting;
/// let p = Program::parse("program (x: f32[]) { y: f32[] = exp(x) z: f32[] = sin(y) w: f32[] = neg(z) return w }")?;
/// let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
/// // The other side takes sines for cosines.
/// let mut wrong = |p: &Program, x: &[Tensor]| {
///     wengert_eval::run(&Program::parse(&p.to_text().replace("sin(", "cos("))?, x.to_vec())
/// };
/// let parting = first_parting(&p, &[Tensor::scalar(1.0f32)], &mut right, &mut wrong, 1e-3)?.expect("they part");
/// assert_eq!(parting.text, "z: f32[] = sin(y)");
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn first_parting(
    program: &Program,
    inputs: &[Tensor],
    reference: RunProgram<'_>,
    other: RunProgram<'_>,
    tolerance: f64,
) -> Result<Option<Parting>> {
    let mut known = vec![false; program.var_count()];
    program.inputs().iter().for_each(|v| known[v.index()] = true);
    let mut sides = Sides { program, inputs, known, reference, other, tolerance, seen: FxHashMap::default(), runs: 0 };
    let outputs = program.outputs().to_vec();
    let mut found = None;
    for (i, &v) in outputs.iter().enumerate() {
        if let Some(by) = sides.part_at(v)? {
            found = Some((i, v, by));
            break;
        }
    }
    let Some((output, last, by)) = found else { return Ok(None) };
    let mut at = sides.earliest(last)?;
    // Up to an equation all of whose operands agree.
    while let Some(before) = sides.operand_that_parts(at)? {
        at = before;
    }
    let Some((equation, e)) = program.equations().iter().enumerate().find(|(_, e)| e.outputs.contains(&at)) else {
        return Ok(None);
    };
    let own = sides.part_at(at)?.unwrap_or(0.0);
    let (want, got) = sides.values(at)?;
    let comparison = compare(&got, &want).expect("of one type");
    let text = program.lines()[equation].clone();
    let (place, runs) = (e.place.clone(), sides.runs);
    Ok(Some(Parting { equation, var: at, text, place, comparison, output: (output, by), own, runs }))
}

struct Sides<'a> {
    program: &'a Program,
    inputs: &'a [Tensor],
    known: Vec<bool>,
    reference: RunProgram<'a>,
    other: RunProgram<'a>,
    tolerance: f64,
    /// By how much variables differ, if by more than is allowed.
    seen: FxHashMap<Var, Option<f64>>,
    runs: usize,
}

impl Sides<'_> {
    /// What both sides have for a variable. What the other side can't compute is NaN there.
    fn values(&mut self, v: Var) -> Result<(Tensor, Tensor)> {
        let (part, taken) = self.program.part(&self.known, &[v]);
        // The inputs are numbered first.
        let x: Vec<Tensor> = taken.iter().map(|v| self.inputs[v.index()].clone()).collect();
        self.runs += 1;
        let want = (self.reference)(&part, &x)?.swap_remove(0);
        let got = (self.other)(&part, &x).ok().map(|mut y| y.swap_remove(0)).filter(|y| y.ty() == want.ty());
        let nothing = || Tensor::from_bits(&want.ty(), |_| u128::MAX >> (128 - want.dtype().storage_bits()));
        Ok((want.clone(), got.unwrap_or_else(nothing)))
    }

    fn part_at(&mut self, v: Var) -> Result<Option<f64>> {
        if let Some(known) = self.seen.get(&v) {
            return Ok(*known);
        }
        let found = if self.known[v.index()] {
            None
        } else {
            let (want, got) = self.values(v)?;
            Some(gap(&want, &got)).filter(|&by| by.is_nan() || by > self.tolerance)
        };
        self.seen.insert(v, found);
        Ok(found)
    }

    /// A variable that differs, early among those that one depends on: as if all that follow one that differs did so too.
    fn earliest(&mut self, last: Var) -> Result<Var> {
        let needed = self.program.needed(&[last], |_| None);
        let equations = self.program.equations();
        let on_the_way: Vec<Var> =
            equations.iter().flat_map(|e| e.outputs.iter().copied()).filter(|v| needed[v.index()]).collect();
        let (mut low, mut high) = (0, on_the_way.iter().position(|v| *v == last).unwrap_or(0));
        while low < high {
            let middle = (low + high) / 2;
            match self.part_at(on_the_way[middle])? {
                Some(_) => high = middle,
                None => low = middle + 1,
            }
        }
        Ok(on_the_way.get(high).copied().unwrap_or(last))
    }

    fn operand_that_parts(&mut self, v: Var) -> Result<Option<Var>> {
        let Some(e) = self.program.equations().iter().find(|e| e.outputs.contains(&v)) else { return Ok(None) };
        for &x in &e.inputs {
            if self.part_at(x)?.is_some() {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }
}
