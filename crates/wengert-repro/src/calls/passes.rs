//! What is tried to make calls smaller, in the order of what it usually takes away.

use super::edit::{full, is_plain};
use super::{FailedCalls, Reducer};
use crate::reduce::sizes::Change;
use std::collections::BTreeSet;
use wengert_core::Op;
use wengert_emit::{Does, FunctionId};

type Pass = fn(&mut Reducer<'_>);

pub(super) const PASSES: [(&str, Pass); 7] = [
    ("calls", calls),
    ("ranges", ranges),
    ("unwrap", unwrap),
    ("operands", operands),
    ("inputs", inputs),
    ("sizes", sizes),
    ("data", data),
];

/// Goes through the functions of the best case, from the outermost inward, also where there are others meanwhile.
fn each_function(r: &mut Reducer<'_>, mut pass: impl FnMut(&mut Reducer<'_>, FunctionId)) {
    let mut at = 0;
    while let Some(&id) = r.best.changeable().get(at).filter(|_| !r.is_stopped) {
        pass(r, id);
        at += 1;
    }
}

/// Functions in the place of their calls: all at once, or one after the other.
fn calls(r: &mut Reducer<'_>) {
    if r.take(Some(r.best.inlined(|_| true))) {
        return;
    }
    let mut id = r.best.tree.functions.len();
    while id > 0 && !r.is_stopped {
        id = (id - 1).min(r.best.tree.functions.len() - 1);
        r.take(Some(r.best.inlined(|g| g == id)));
    }
}

/// Steps dropped, many at once and then fewer: what they give is zeros, or ones.
fn ranges(r: &mut Reducer<'_>) {
    each_function(r, |r, id| {
        let mut length = r.best.droppable(id).len();
        while length > 0 && !r.is_stopped {
            let mut end = r.best.droppable(id).len();
            while end > 0 && !r.is_stopped {
                let all = r.best.droppable(id);
                let start = end.min(all.len()).saturating_sub(length);
                let which = &all[start..end.min(all.len())];
                let is_taken = [0, 1].into_iter().any(|number| r.take(r.best.without_steps(id, which, number)));
                if is_taken && id >= r.best.tree.functions.len() {
                    return;
                }
                end = start;
            }
            length /= 2;
        }
    });
}

/// A transform, a loop or a branch as the function that it is of.
fn unwrap(r: &mut Reducer<'_>) {
    each_function(r, |r, id| {
        let mut at = r.best.function(id).steps.len();
        while at > 0 && !r.is_stopped {
            at -= 1;
            let Some(step) = r.best.function(id).steps.get(at) else { continue };
            let mut inside = match &step.does {
                Does::Call(_) | Does::Caught(..) => continue,
                does => does.functions(),
            };
            // Only what fails may take the place of what fails.
            let f = r.best.function(id);
            if f.fails.is_some() && at + 1 == f.steps.len() {
                inside.retain(|&g| r.best.function(g).fails.is_some());
            }
            if inside.into_iter().any(|g| r.take(r.best.unwrapped(id, at, g))) && id >= r.best.tree.functions.len() {
                return;
            }
        }
    });
}

/// An operand in the place of what a step makes of it.
fn operands(r: &mut Reducer<'_>) {
    each_function(r, |r, id| {
        let mut end = r.best.droppable(id).len();
        while end > 0 && !r.is_stopped && id < r.best.tree.functions.len() {
            end -= 1;
            let Some(&at) = r.best.droppable(id).get(end) else { continue };
            let count = r.best.function(id).steps[at].operands.len();
            (0..count).any(|operand| r.take(r.best.with_operand(id, at, operand)));
        }
    });
}

/// Parameters that are not used.
fn inputs(r: &mut Reducer<'_>) {
    each_function(r, |r, id| {
        let mut at = r.best.function(id).parameters.len();
        while at > 0 && !r.is_stopped && id + 1 < r.best.tree.functions.len() {
            at = (at - 1).min(r.best.function(id).parameters.len().saturating_sub(1));
            if at < r.best.function(id).parameters.len() {
                r.take(r.best.without_parameter(id, at));
            }
        }
        let mut at = r.best.tree.functions.get(id).map_or(0, |f| f.steps.len());
        while at > 0 && !r.is_stopped {
            at -= 1;
            let count = |r: &Reducer<'_>| Some(r.best.tree.functions.get(id)?.steps.get(at)?.operands.len());
            for operand in (1..count(r).unwrap_or(0)).rev() {
                r.take(count(r).and_then(|_| r.best.without_choice(id, at, operand - 1)));
            }
        }
    });
}

/// Sizes that shrink everywhere at once.
fn sizes(r: &mut Reducer<'_>) {
    let all: BTreeSet<usize> = {
        let types = r.best.tree.functions.iter().flat_map(|f| f.variables.iter().map(|v| &v.ty));
        types.flat_map(|ty| ty.shape.iter().copied()).filter(|&n| n > 2).collect()
    };
    for from in all.into_iter().rev() {
        // Axes of one element are stretched by what should fail of others.
        for to in [2, 3].into_iter().chain((2..).map(|k| 1 << k)).take_while(|to| *to < from) {
            let change = |last| Change { from, to, last };
            if r.is_stopped || [false, true].into_iter().any(|last| r.take(r.best.resized(change(last)))) {
                break;
            }
        }
    }
}

/// Ones and zeros in the place of inputs and constants.
fn data(r: &mut Reducer<'_>) {
    for i in 0..r.best.inputs.len() {
        let Some(x) = r.best.inputs.get(i).filter(|x| !is_plain(x)).cloned() else { continue };
        let with = |best: &FailedCalls, number| {
            let mut new = best.clone();
            new.inputs[i] = full(&x.ty(), number);
            new
        };
        [1, 0].into_iter().any(|number| r.take(Some(with(&r.best, number))));
    }
    each_function(r, |r, id| {
        for at in 0..r.best.function(id).steps.len() {
            let with = |best: &FailedCalls, number| {
                let mut f = best.function(id).clone();
                match &mut f.steps.get_mut(at)?.does {
                    Does::Primitive(Op::Constant(c), _) if !is_plain(&c.value) => c.value = full(&c.value.ty(), number),
                    _ => return None,
                }
                Some(best.with(id, f))
            };
            [1, 0].into_iter().any(|number| r.take(with(&r.best, number)));
        }
    });
}
