//! Inputs and constants with simpler numbers: zeros, ones of either sign, one number everywhere, integers; then as many zeros as can be.

use super::Reducer;
use super::edit::{all_equations, with_equation};
use crate::case::{Case, LOOKED_AT};
use wengert_core::ops::Constant;
use wengert_core::{Op, Scalar, Tensor};

/// Arrays are cut into no more pieces than this, each of which becomes zeros.
const PIECES: usize = 64;

/// Where an array of a case is.
#[derive(Clone, Copy)]
enum Slot {
    Input(usize),
    /// The value of a constant, which is this one of all equations.
    Constant(usize),
}

pub(super) fn data(r: &mut Reducer<'_>) {
    let mut i = 0;
    while let Some(&slot) = slots(&r.best).get(i) {
        if r.has_ended() {
            return;
        }
        if let Some(x) = value(&r.best, slot).filter(|x| x.size() > 0) {
            let best = r.best.clone();
            let number = |v: f64| Tensor::splat(x.shape().clone(), Scalar::from_f64(x.dtype(), v));
            let first = Tensor::splat(x.shape().clone(), x.get(0));
            let mut whole = vec![number(0.0), number(1.0), number(-1.0), first];
            // Of more, none is simpler.
            if x.is_splat() || x.size() <= LOOKED_AT {
                whole.extend([mapped(&x, |v| if v == 0.0 { v } else { v.signum() }), mapped(&x, f64::round)]);
            }
            r.take_first(whole.into_iter().filter_map(|new| with(&best, slot, new)).collect());
            if value(&r.best, slot).is_some_and(|x| !x.is_splat()) {
                sparsify(r, slot);
            }
        }
        i += 1;
    }
}

fn slots(case: &Case) -> Vec<Slot> {
    let is_constant = |e: &wengert_core::Equation| matches!(e.op, Op::Constant(_));
    let all = all_equations(case);
    let constants = (0..all.len()).filter(|&i| is_constant(all[i].1)).map(Slot::Constant);
    (0..case.inputs().len()).map(Slot::Input).chain(constants).collect()
}

fn value(case: &Case, slot: Slot) -> Option<Tensor> {
    match slot {
        Slot::Input(i) => case.inputs().get(i).cloned(),
        Slot::Constant(i) => match &all_equations(case).get(i)?.1.op {
            Op::Constant(c) => Some(c.value.clone()),
            _ => None,
        },
    }
}

fn with(case: &Case, slot: Slot, new: Tensor) -> Option<Case> {
    match slot {
        Slot::Input(i) => {
            let mut inputs = case.inputs().to_vec();
            inputs[i] = new;
            Case::new(case.program().clone(), inputs).ok()
        }
        Slot::Constant(i) => with_equation(case, i, &|edit, e| edit.push(e, Constant { value: new.clone() }.into())),
    }
}

/// Zeros but for one half, as long as that is enough; then zeros in pieces of what is left.
fn sparsify(r: &mut Reducer<'_>, slot: Slot) {
    let mut kept = 0..value(&r.best, slot).map_or(0, |x| x.size());
    while kept.len() > 1 && !r.has_ended() {
        let middle = kept.start + kept.len() / 2;
        let halves = [kept.start..middle, middle..kept.end];
        let Some(half) = halves.into_iter().find(|half| zeros(r, slot, |i| !half.contains(&i))) else { break };
        kept = half;
    }
    let left = |r: &Reducer<'_>| {
        let numbers = value(&r.best, slot).map_or_else(Vec::new, |x| x.dense().as_complex());
        (0..numbers.len()).filter(|&i| numbers[i] != Default::default()).collect::<Vec<usize>>()
    };
    let mut pieces = 2;
    while pieces <= PIECES && !r.has_ended() {
        let all = left(r);
        let length = all.len().div_ceil(pieces).max(1);
        for piece in all.chunks(length) {
            zeros(r, slot, |i| piece.binary_search(&i).is_ok());
        }
        if length == 1 {
            break;
        }
        pieces *= 2;
    }
}

/// Tries zeros at these places.
fn zeros(r: &mut Reducer<'_>, slot: Slot, at: impl Fn(usize) -> bool) -> bool {
    let Some(x) = value(&r.best, slot) else { return false };
    let zero = Scalar::from_f64(x.dtype(), 0.0).bits();
    let new = Tensor::from_bits(&x.ty(), |i| if at(i) { zero } else { x.get(i).bits() });
    let candidate = with(&r.best, slot, new);
    r.take(candidate)
}

/// An array with other floats; other numbers stay.
fn mapped(x: &Tensor, f: impl Fn(f64) -> f64) -> Tensor {
    let other = |s: Scalar| match s.as_f64() {
        Some(v) if x.dtype().is_float() => Scalar::from_f64(x.dtype(), f(v)),
        _ => s,
    };
    match x.splat_value() {
        Some(s) => Tensor::splat(x.shape().clone(), other(s)),
        None => Tensor::from_bits(&x.ty(), |i| other(x.get(i)).bits()),
    }
}
