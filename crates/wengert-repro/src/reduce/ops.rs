//! Ops that become simpler ones of the same type: an elementwise op a negation, a sum or a conversion, a reduction a sum.

use super::Reducer;
use super::edit::{all_equations, with_equation};
use wengert_core::ops::{Binary, Combiner, Compare, Convert, CumulativeKind, Direction, Unary};
use wengert_core::{DType, Equation, Op, Program, Var};

pub(super) fn ops(r: &mut Reducer<'_>) {
    let mut at = 0;
    while at < all_equations(&r.best).len() && !r.has_ended() {
        let best = r.best.clone();
        let (p, e) = all_equations(&best)[at];
        let ways = simpler(p, e).into_iter().filter_map(|(op, x)| {
            with_equation(&best, at, &|edit, e| {
                let x: Option<Vec<Var>> = x.iter().map(|&v| edit.var(v)).collect();
                edit.push_on(e, op.clone(), &x?)
            })
        });
        r.take_first(ways.collect());
        at += 1;
    }
}

/// Ops that give the type that an equation gives, with their operands; the size of a case says which are simpler.
fn simpler(p: &Program, e: &Equation) -> Vec<(Op, Vec<Var>)> {
    let mut all: Vec<(Op, Vec<Var>)> = Vec::new();
    match &e.op {
        Op::Reduce(r) if r.combiner != Combiner::Add && e.inputs.len() == 1 => {
            let combiner = if p.ty(e.inputs[0]).dtype == DType::Bool { Combiner::Or } else { Combiner::Add };
            let mut op = r.clone();
            op.combiner = combiner;
            all.push((op.into(), e.inputs.to_vec()));
        }
        Op::Cumulative(c) => {
            let mut op = c.clone();
            op.kind = CumulativeKind::Sum;
            all.push((op.into(), e.inputs.to_vec()));
        }
        Op::Compare(_) => all.push((Compare { direction: Direction::Eq }.into(), e.inputs.to_vec())),
        _ => {}
    }
    let [y] = e.outputs[..] else { return all };
    let ty = p.ty(y);
    let alike: Vec<Var> = e.inputs.iter().copied().filter(|&x| p.ty(x) == ty).collect();
    let (one, two) = if ty.dtype == DType::Bool { (Unary::Not, Binary::Or) } else { (Unary::Neg, Binary::Add) };
    if let (Op::DotGeneral(_), [a, b]) = (&e.op, &alike[..]) {
        all.push((Binary::Mul.into(), vec![*a, *b]));
    }
    all.extend(alike.iter().take(3).map(|&x| (one.into(), vec![x])));
    if let [x, y, ..] = alike[..] {
        all.push((two.into(), vec![x, y]));
    }
    let other = e.inputs.iter().copied().find(|&x| p.ty(x) != ty && p.ty(x).shape == ty.shape);
    all.extend(other.map(|x| (Convert { dtype: ty.dtype }.into(), vec![x])));
    all
}
