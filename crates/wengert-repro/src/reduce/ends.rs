//! The two ends of a program: fewer outputs, or others further up; inputs that become numbers.

use super::Reducer;
use super::edit::{Edit, narrowed};
use crate::case::Case;
use wengert_core::{Op, Scalar, Var};

/// Equations and inputs that nothing uses: they may matter to a test, if to nothing else.
pub(super) fn unused(r: &mut Reducer<'_>) {
    r.take(Some(Case::pruned(r.best.program(), r.best.inputs())));
}

/// Fewer outputs, then those of one equation instead.
pub(super) fn outputs(r: &mut Reducer<'_>) {
    if let [_, .., last] = r.best.program().outputs()[..] {
        r.take(ending(&r.best.clone(), &[last]));
    }
    fewer_outputs(r);
    // What comes later may be enough where what comes earlier is not, so that halves do not tell: one after the other.
    let mut at = 0;
    while at < r.best.program().equations().len() && r.best.program().equations().len() <= ONE_BY_ONE {
        ends_at(r, at);
        at += 1;
    }
}

/// Equations of longer programs are not tried as the last one after the other.
const ONE_BY_ONE: usize = 32;

/// Outputs that go: halves of them, down to single ones.
fn fewer_outputs(r: &mut Reducer<'_>) {
    let mut length = r.best.program().outputs().len() / 2;
    while length >= 1 && !r.has_ended() {
        let mut at = 0;
        while at < r.best.program().outputs().len() && !r.has_ended() {
            let mut left = r.best.program().outputs().to_vec();
            left.drain(at..(at + length).min(left.len()));
            if left.is_empty() || !r.take(ending(&r.best.clone(), &left)) {
                at += length;
            }
        }
        length /= 2;
    }
}

/// The results of an equation as outputs: all of them, or one, without what the others alone need.
fn ends_at(r: &mut Reducer<'_>, i: usize) -> bool {
    let best = r.best.clone();
    let Some(e) = best.program().equations().get(i).filter(|e| !matches!(e.op, Op::Constant(_))) else { return false };
    let mut candidates: Vec<Case> = ending(&best, &e.outputs).into_iter().collect();
    if e.outputs.len() > 1 {
        candidates.extend(e.outputs.iter().filter_map(|&v| ending(&best, &[v])).map(|case| narrowed(&case)));
    }
    r.take_first(candidates)
}

/// The case that gives these variables.
fn ending(case: &Case, outputs: &[Var]) -> Option<Case> {
    let mut edit = Edit::new(case);
    case.program().equations().iter().try_for_each(|e| edit.keep(e))?;
    edit.case_of(outputs)
}

/// Inputs that become zeros, ones, or the number they are made of, as constants of the program.
pub(super) fn inputs(r: &mut Reducer<'_>) {
    let mut i = 0;
    while i < r.best.inputs().len() && !r.has_ended() {
        let best = r.best.clone();
        let own = best.inputs()[i].splat_value().and_then(Scalar::as_f64);
        let candidates = [Some(0.0), Some(1.0), own].into_iter().flatten().filter_map(|x| {
            let mut edit = Edit::empty(best.program());
            for (n, (&v, value)) in best.program().inputs().iter().zip(best.inputs()).enumerate() {
                if n == i { edit.number(v, x) } else { edit.input(v, value) }
            }
            best.program().equations().iter().try_for_each(|e| edit.keep(e))?;
            edit.case()
        });
        let taken = r.take_first(candidates.collect());
        if !taken {
            i += 1;
        }
    }
}
