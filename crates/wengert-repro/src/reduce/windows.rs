//! Parts of a program by themselves: equations that follow each other, with the values that they were given as inputs.

use super::Reducer;
use super::edit::Edit;
use crate::case::Case;
use std::ops::Range;
use wengert_core::{Op, Tensor, Var};

/// So many equations are cut into eight parts: in fewer, what fails together is more likely to be cut.
const LARGE: usize = 64;

/// One eighth of a large program, or a half, or what lies around the middle, or three quarters; then of that, as long as one fails by
/// itself. Where eighths do, all that are looked at together are hardly larger than the program.
pub(super) fn windows(r: &mut Reducer<'_>) {
    // Without the values there is no way in from the middle.
    let Some(known) = r.values() else { return shortest_prefix(r) };
    let start = r.best.clone();
    let mut all = 0..start.program().equations().len();
    while all.len() > 1 && !r.has_ended() {
        let (middle, quarter) = (all.start + all.len() / 2, all.len() / 4);
        let halves = [all.start..middle, middle..all.end];
        let others =
            [all.start + quarter..all.end - quarter, all.start..all.end - quarter, all.start + quarter..all.end];
        let eighth = all.len().div_ceil(8);
        let eighths: Vec<Range<usize>> = match all.len() < LARGE {
            true => Vec::new(),
            false => all.clone().step_by(eighth).map(|at| at..(at + eighth).min(all.end)).collect(),
        };
        // Mostly the first of these are enough, and the others are not made.
        let ways = [&eighths[..], &halves, &others];
        let found = ways.into_iter().find_map(|ranges| first_part(r, &start, &known, ranges));
        match found.filter(|range| *range != all) {
            Some(range) => all = range,
            None => break,
        }
    }
    if r.best.size() < start.size() {
        shortest_prefix(r);
    }
}

/// The first of these ranges that fails by itself, which is taken.
fn first_part(r: &mut Reducer<'_>, start: &Case, known: &[Tensor], ranges: &[Range<usize>]) -> Option<Range<usize>> {
    let made = ranges.iter().filter_map(|range| Some((range.clone(), part(start, range.clone(), Some(known))?)));
    let parts: Vec<(Range<usize>, Case)> = made.collect();
    let taken = r.take_first(parts.iter().map(|(_, case)| case.clone()).collect());
    parts.into_iter().find(|(_, case)| taken && case.content() == r.best.content()).map(|(range, _)| range)
}

/// Where a program fails, its prefixes do from the equation on that brings it in: two of them at once tell which third has it.
fn shortest_prefix(r: &mut Reducer<'_>) {
    let start = r.best.clone();
    // So many equations are too few, so many are enough.
    let (mut few, mut enough) = (0, start.program().equations().len());
    while few + 1 < enough && !r.has_ended() {
        let third = (enough - few).div_ceil(3);
        let lengths = [few + third, (few + 2 * third).min(enough - 1)];
        let prefixes: Vec<(usize, Case)> =
            lengths.into_iter().filter_map(|n| part(&start, 0..n, None).map(|case| (n, case))).collect();
        let taken = r.take_first(prefixes.iter().map(|(_, case)| case.clone()).collect());
        let which = prefixes.iter().find(|(_, case)| taken && case.content() == r.best.content());
        match which {
            Some(&(n, _)) => {
                few = if n == lengths[0] { few } else { lengths[0] };
                enough = n;
            }
            None => few = lengths[1],
        }
    }
}

/// These equations, with what the program has later of their results. What they need of others becomes an input, if its
/// value is known.
fn part(case: &Case, range: Range<usize>, known: Option<&[Tensor]>) -> Option<Case> {
    let p = case.program();
    let (mut needed, mut later) = (vec![false; p.var_count()], vec![false; p.var_count()]);
    p.equations()[range.clone()].iter().flat_map(|e| &e.inputs).for_each(|v| needed[v.index()] = true);
    let uses = p.equations()[range.end..].iter().flat_map(|e| &e.inputs);
    uses.chain(p.outputs()).for_each(|v| later[v.index()] = true);
    let mut edit = Edit::new(case);
    for e in &p.equations()[..range.start] {
        if let Op::Constant(_) = e.op {
            edit.keep(e)?;
            continue;
        }
        for &v in e.outputs.iter().filter(|v| needed[v.index()]) {
            edit.input(v, &known?[v.index()]);
        }
    }
    let mut outputs: Vec<Var> = Vec::new();
    for e in &p.equations()[range] {
        edit.keep(e)?;
        if !matches!(e.op, Op::Constant(_)) {
            outputs.extend(e.outputs.iter().filter(|v| later[v.index()]));
        }
    }
    edit.case_of(&outputs).filter(|_| !outputs.is_empty())
}
