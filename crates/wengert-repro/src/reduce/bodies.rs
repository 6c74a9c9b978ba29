//! Programs inside of ops: equations that go there. What others need of them becomes zeros, ones, or an operand.

use super::Reducer;
use super::edit::Edit;
use crate::case::Case;
use std::sync::Arc;
use wengert_core::simplify::{Pass, Simplifier};
use wengert_core::{Builder, Equation, Op, Program, Tensor, Type, Var};

pub(super) fn bodies(r: &mut Reducer<'_>) {
    let mut at = 0;
    while at < r.best.program().equations().len() && !r.has_ended() {
        let mut number = 0;
        while number < programs(&r.best, at) && !r.has_ended() {
            shrink(r, at, number);
            number += 1;
        }
        at += 1;
    }
    // What loops carry and nothing needs any more.
    let narrower = Simplifier::new(&[Pass::Dead]).run(r.best.program());
    let candidate = Case::pruned(&narrower, r.best.inputs());
    r.take(Some(candidate));
}

/// All programs inside of an equation, those inside of them too.
fn nested(op: &Op, f: &mut dyn FnMut(&Arc<Program>)) {
    for p in op.programs() {
        f(p);
        p.equations().iter().for_each(|e| nested(&e.op, f));
    }
}

fn programs(case: &Case, at: usize) -> usize {
    let mut count = 0;
    if let Some(e) = case.program().equations().get(at) {
        nested(&e.op, &mut |_| count += 1);
    }
    count
}

fn length(case: &Case, at: usize, number: usize) -> usize {
    let (mut i, mut length) = (0, 0);
    if let Some(e) = case.program().equations().get(at) {
        nested(&e.op, &mut |p| {
            if i == number {
                length = p.equations().len();
            }
            i += 1;
        });
    }
    length
}

/// The operands of the same type, zeros, ones, and the number that it is where it is made of constants.
const WAYS: usize = 6;

fn shrink(r: &mut Reducer<'_>, at: usize, number: usize) {
    let mut end = length(&r.best, at, number);
    while end > 0 && !r.has_ended() {
        end -= 1;
        let best = r.best.clone();
        let ways = (0..WAYS).filter_map(|way| with_nested(&best, at, number, &|p: &Program| without(p, end, way)));
        r.take_first(ways.collect());
        end = end.min(length(&r.best, at, number));
    }
}

/// The case with another program inside of an equation.
fn with_nested(case: &Case, at: usize, number: usize, change: &dyn Fn(&Program) -> Option<Program>) -> Option<Case> {
    let mut edit = Edit::new(case);
    for (i, e) in case.program().equations().iter().enumerate() {
        if i != at {
            edit.keep(e)?;
            continue;
        }
        let (mut seen, mut changed) = (0, false);
        let op = map(&e.op, number, &mut seen, &mut changed, change);
        if !changed {
            return None;
        }
        edit.push(e, op)?;
    }
    edit.case()
}

fn map(
    op: &Op,
    number: usize,
    seen: &mut usize,
    changed: &mut bool,
    change: &dyn Fn(&Program) -> Option<Program>,
) -> Op {
    op.map_programs(&mut |p| {
        let here = *seen == number;
        *seen += 1;
        if here {
            // What is inside of it counts all the same.
            p.equations().iter().for_each(|e| nested(&e.op, &mut |_| *seen += 1));
            return match change(p) {
                Some(new) => {
                    *changed = true;
                    Arc::new(new)
                }
                None => p.clone(),
            };
        }
        let mut edit = Edit::of(p);
        for e in p.equations() {
            let op = map(&e.op, number, seen, changed, change);
            if edit.push(e, op).is_none() {
                return p.clone();
            }
        }
        edit.program().map_or_else(|| p.clone(), Arc::new)
    })
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

/// A program without one equation; none if there is no such way.
fn without(p: &Program, at: usize, way: usize) -> Option<Program> {
    let mut edit = Edit::of(p);
    for (i, e) in p.equations().iter().enumerate() {
        if i != at {
            edit.keep(e)?;
            continue;
        }
        if let Op::Constant(_) = e.op {
            return None;
        }
        for &v in &e.outputs {
            match way {
                0..3 => {
                    let like = |x: &Var| p.ty(*x) == p.ty(v);
                    let new = edit.var(e.inputs.iter().copied().filter(like).nth(way)?)?;
                    edit.set(v, new);
                }
                3 => edit.number(v, 0.0),
                4 => edit.number(v, 1.0),
                _ => {
                    let x = folded(p, e)?;
                    edit.number(v, x);
                }
            }
        }
    }
    edit.program()
}
