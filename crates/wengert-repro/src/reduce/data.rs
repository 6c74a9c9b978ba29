//! Inputs with simpler numbers: zeros, ones, one number everywhere, integers; then zeros in halves and in single places.

use super::Reducer;
use crate::case::Case;
use wengert_core::{Scalar, Tensor};

/// Arrays of more elements are not looked at one by one.
const ONE_BY_ONE: usize = 64;

pub(super) fn data(r: &mut Reducer<'_>) {
    for i in 0..r.best.inputs().len() {
        let x = r.best.inputs()[i].clone();
        if x.size() == 0 || r.has_ended() {
            continue;
        }
        let number = |v: f64| Tensor::splat(x.shape().clone(), Scalar::from_f64(x.dtype(), v));
        let whole = [number(0.0), number(1.0), Tensor::splat(x.shape().clone(), x.get(0)), rounded(&x)];
        let best = r.best.clone();
        if r.take_first(whole.into_iter().filter_map(|new| with_input(&best, i, new)).collect()) {
            continue;
        }
        let mut length = x.size().div_ceil(2);
        while length >= 1 && x.size() > 1 && !r.has_ended() {
            for from in (0..x.size()).step_by(length) {
                let now = r.best.inputs()[i].clone();
                let zero = Scalar::from_f64(now.dtype(), 0.0).bits();
                let bits = |k: usize| if (from..from + length).contains(&k) { zero } else { now.get(k).bits() };
                r.take(with_input(&r.best.clone(), i, Tensor::from_bits(&now.ty(), bits)));
            }
            if length == 1 || (length.div_ceil(2) == 1 && x.size() > ONE_BY_ONE) {
                break;
            }
            length = length.div_ceil(2);
        }
    }
}

/// Floats as the nearest integers.
fn rounded(x: &Tensor) -> Tensor {
    let near = |k: usize| match x.get(k).as_f64() {
        Some(v) if x.dtype().is_float() => Scalar::from_f64(x.dtype(), v.round()).bits(),
        _ => x.get(k).bits(),
    };
    Tensor::from_bits(&x.ty(), near)
}

fn with_input(case: &Case, at: usize, new: Tensor) -> Option<Case> {
    let mut inputs = case.inputs().to_vec();
    inputs[at] = new;
    Case::new(case.program().clone(), inputs).ok()
}
