//! Programs inside of ops: equations that go there. What others need of them becomes zeros, ones, or an operand.

use super::Reducer;
use super::edit::{Edit, all_equations, narrowed, with_equation};
use wengert_core::{Builder, Equation, Op, Program, Tensor, Type, Var};

pub(super) fn bodies(r: &mut Reducer<'_>) {
    let mut at = all_equations(&r.best).len();
    while at > 0 && !r.has_ended() {
        at -= 1;
        let best = r.best.clone();
        let inside =
            |&&(p, e): &&(&Program, &Equation)| !std::ptr::eq(p, best.program()) && !matches!(e.op, Op::Constant(_));
        if all_equations(&best).get(at).filter(inside).is_some() {
            let ways = (0..WAYS).filter_map(|way| with_equation(&best, at, &|edit, e| instead(edit, e, way)));
            r.take_first(ways.collect());
        }
    }
    r.take(Some(narrowed(&r.best)));
}

/// The operands of the same type, zeros, ones, and the number that it is where it is made of constants.
const WAYS: usize = 6;

/// Something else for the results of an equation; none if there is no such way.
fn instead(edit: &mut Edit<'_>, e: &Equation, way: usize) -> Option<()> {
    let p = edit.old;
    for &v in &e.outputs {
        match way {
            0..3 => {
                let like = |x: &Var| p.ty(*x) == p.ty(v);
                let new = edit.var(e.inputs.iter().copied().filter(like).nth(way)?)?;
                edit.set(v, new);
            }
            3 => edit.number(v, 0.0),
            4 => edit.number(v, 1.0),
            _ => edit.number(v, folded(p, e)?),
        }
    }
    Some(())
}

/// The number that an equation of constants gives everywhere.
fn folded(p: &Program, e: &Equation) -> Option<f64> {
    // A loop may have no end.
    if !e.op.programs().is_empty() {
        return None;
    }
    let constant = |v: &Var| {
        p.equations().iter().find(|e| e.outputs.contains(v)).and_then(|e| match &e.op {
            Op::Constant(c) => Some(c.value.clone()),
            _ => None,
        })
    };
    let x: Option<Vec<Tensor>> = e.inputs.iter().map(constant).collect();
    let mut b = Builder::new();
    let types: Vec<Type> = e.inputs.iter().map(|&v| p.ty(v).clone()).collect();
    let vars = b.inputs(&types);
    let y = b.try_push(e.op.clone(), &vars).ok()?;
    let found = wengert_eval::run(&b.finish(&y), x?).ok()?;
    let [y] = &found[..] else { return None };
    let first = y.get(0);
    let one = y.size() > 0 && (0..y.size()).all(|i| y.get(i).bits() == first.bits());
    first.as_f64().filter(|_| one)
}
