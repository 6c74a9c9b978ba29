//! Ranges of equations that go: what others need of them becomes an input with the value it had, or zeros, or ones, or one of
//! their operands.

use super::Reducer;
use super::edit::Edit;
use crate::case::Case;
use std::ops::Range;
use wengert_core::{Op, Tensor, Var};

/// What stands for the results of equations that are gone.
#[derive(Clone, Copy)]
enum Instead<'a> {
    Recorded(&'a [Tensor]),
    Number(f64),
    /// The operand at this position, where types are the same.
    Operand(usize),
}

pub(super) fn ranges(r: &mut Reducer<'_>) {
    let mut known = r.values();
    let mut length = r.best.program().equations().len().div_ceil(2);
    while length >= 1 {
        let mut end = r.best.program().equations().len();
        while end > 0 && !r.has_ended() {
            let range = end.saturating_sub(length)..end;
            end = range.start;
            if holds_constants_alone(&r.best, &range) {
                continue;
            }
            let mut ways: Vec<Instead<'_>> = Vec::new();
            if let Some(known) = &known {
                ways.push(Instead::Recorded(known));
            }
            ways.extend([Instead::Number(0.0), Instead::Number(1.0)]);
            if length == 1 {
                ways.splice(0..0, (0..3).map(Instead::Operand));
            }
            let candidates: Vec<Case> = ways.iter().filter_map(|&way| without(&r.best, &range, way)).collect();
            if r.take_first(candidates) {
                known = r.values();
                end = end.min(r.best.program().equations().len());
            }
        }
        if length == 1 {
            break;
        }
        length = length.div_ceil(2);
    }
}

fn holds_constants_alone(case: &Case, range: &Range<usize>) -> bool {
    case.program().equations()[range.clone()].iter().all(|e| matches!(e.op, Op::Constant(_)))
}

/// The case without a range of equations.
fn without(case: &Case, range: &Range<usize>, instead: Instead<'_>) -> Option<Case> {
    let p = case.program();
    let gone = &p.equations()[range.clone()];
    let mut used = vec![false; p.var_count()];
    p.equations()[range.end..].iter().flat_map(|e| &e.inputs).for_each(|v| used[v.index()] = true);
    p.outputs().iter().for_each(|v| used[v.index()] = true);
    let mut edit = Edit::new(case);
    p.equations()[..range.start].iter().try_for_each(|e| edit.keep(e))?;
    for e in gone {
        // Constants cost nothing, and stay with what uses them.
        if let Op::Constant(_) = e.op {
            edit.keep(e)?;
            continue;
        }
        for &v in e.outputs.iter().filter(|v| used[v.index()]) {
            match instead {
                Instead::Recorded(values) => edit.input(v, &values[v.index()]),
                Instead::Number(x) => edit.number(v, x),
                Instead::Operand(i) => {
                    let operand = operand_like(case, &e.inputs, v, i)?;
                    let new = edit.var(operand)?;
                    edit.set(v, new);
                }
            }
        }
    }
    p.equations()[range.end..].iter().try_for_each(|e| edit.keep(e))?;
    edit.case()
}

/// The operand at a position among those of the same type as a result.
fn operand_like(case: &Case, operands: &[Var], result: Var, at: usize) -> Option<Var> {
    let p = case.program();
    operands.iter().copied().filter(|&x| p.ty(x) == p.ty(result)).nth(at)
}
