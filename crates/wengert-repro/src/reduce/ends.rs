//! The two ends of a program: fewer outputs, or others further up; inputs that become numbers.

use super::Reducer;
use super::edit::Edit;
use crate::case::Case;
use wengert_core::{Op, Scalar, Var};

/// One output alone, then the results of one equation instead of all.
pub(super) fn outputs(r: &mut Reducer<'_>) {
    for i in 0..r.best.program().outputs().len() {
        let chosen: Option<Var> = r.best.program().outputs().get(i).copied();
        if r.best.program().outputs().len() > 1 && chosen.is_some_and(|v| r.take(ending(&r.best.clone(), &[v]))) {
            break;
        }
    }
    // One less, if more than one is needed.
    let mut at = 0;
    while at < r.best.program().outputs().len() && r.best.program().outputs().len() > 1 && !r.has_ended() {
        let mut left = r.best.program().outputs().to_vec();
        left.remove(at);
        if !r.take(ending(&r.best.clone(), &left)) {
            at += 1;
        }
    }
    // The earliest equation that is enough.
    let (mut low, mut high) = (0, r.best.program().equations().len());
    while low < high && !r.has_ended() {
        let middle = (low + high) / 2;
        if ends_at(r, middle) {
            high = middle.min(r.best.program().equations().len());
        } else {
            low = middle + 1;
        }
    }
    // What comes later may be enough where what comes earlier is not, so that halves do not tell: one after the other.
    let mut at = 0;
    while at < r.best.program().equations().len() && r.best.program().equations().len() <= ONE_BY_ONE {
        ends_at(r, at);
        at += 1;
    }
}

/// Equations of longer programs are not tried as the last one after the other.
const ONE_BY_ONE: usize = 256;

fn ends_at(r: &mut Reducer<'_>, i: usize) -> bool {
    let best = r.best.clone();
    let Some(e) = best.program().equations().get(i) else { return false };
    !matches!(e.op, Op::Constant(_)) && r.take(ending(&best, &e.outputs))
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
