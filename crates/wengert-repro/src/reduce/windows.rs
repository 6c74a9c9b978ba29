//! Parts of a program by themselves: equations that follow each other, with the values that they were given as inputs.

use super::Reducer;
use super::edit::{Edit, values};
use crate::case::Case;
use std::ops::Range;
use wengert_core::{Op, Tensor, Var};

/// One half of the program, or what lies around its middle; then of that, as long as one fails by itself. All of these
/// together are no larger than the program twice.
pub(super) fn windows(r: &mut Reducer<'_>) {
    let Some(known) = values(&r.best) else { return };
    let start = r.best.clone();
    let mut all = 0..start.program().equations().len();
    while all.len() > 1 && !r.has_ended() {
        let (middle, quarter) = (all.start + all.len() / 2, all.len() / 4);
        let ranges = [all.start..middle, middle..all.end, all.start + quarter..all.end - quarter];
        let parts: Vec<(Range<usize>, Case)> = ranges
            .into_iter()
            .filter(|range| *range != all)
            .filter_map(|range| part(&start, range.clone(), Some(&known)).map(|case| (range, case)))
            .collect();
        let taken = r.take_first(parts.iter().map(|(_, case)| case.clone()).collect());
        match parts.into_iter().find(|(_, case)| taken && case.content() == r.best.content()) {
            Some((range, _)) => all = range,
            None => break,
        }
    }
}

/// These equations, with the results of theirs that none of them uses. What they need of others becomes an input, if its
/// value is known.
pub(super) fn part(case: &Case, range: Range<usize>, known: Option<&[Tensor]>) -> Option<Case> {
    let p = case.program();
    let mut used = vec![false; p.var_count()];
    p.equations()[range.clone()].iter().flat_map(|e| &e.inputs).for_each(|v| used[v.index()] = true);
    let mut edit = Edit::new(case);
    for e in &p.equations()[..range.start] {
        if let Op::Constant(_) = e.op {
            edit.keep(e)?;
            continue;
        }
        for &v in e.outputs.iter().filter(|v| used[v.index()]) {
            edit.input(v, &known?[v.index()]);
        }
    }
    let mut outputs: Vec<Var> = Vec::new();
    for e in &p.equations()[range] {
        edit.keep(e)?;
        if !matches!(e.op, Op::Constant(_)) {
            outputs.extend(e.outputs.iter().filter(|v| !used[v.index()]));
        }
    }
    edit.case_of(&outputs).filter(|_| !outputs.is_empty())
}
