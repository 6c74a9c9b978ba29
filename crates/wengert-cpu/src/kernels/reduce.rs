//! Reductions.

use super::shape::{for_each_offset, strides, transpose};
use crate::Plan;
use wengert_core::ops::{Combiner, Reduce};
use wengert_core::{Result, Tensor};

pub(crate) fn reduce(op: &Reduce, x: Vec<Tensor>, _nested: &[Plan]) -> Result<Vec<Tensor>> {
    let x = &x[0];
    let kept: Vec<usize> = (0..x.shape().rank()).filter(|d| !op.dims.contains(d)).collect();
    let perm: Vec<usize> = kept.iter().chain(&op.dims).copied().collect();
    let t = transpose(x, &perm);
    let shape = x.shape().without_axes(&op.dims);
    let n = if shape.size() == 0 { 0 } else { x.size() / shape.size() };
    let v = t.to_vec::<f32>()?;
    let f: fn(f32, f32) -> f32 = match op.combiner {
        Combiner::Add => |a, b| a + b,
        Combiner::Max => f32::max,
        _ => panic!("slice"),
    };
    let init = op.combiner.identity(x.dtype()).and_then(|s| s.as_f64()).expect("named") as f32;
    let mut out = Vec::new();
    for_each_offset(&shape, 0, &strides(&shape), |i| {
        let i = i as usize * n;
        out.push(v[i..i + n].iter().fold(init, |a, &b| f(a, b)));
    });
    Ok(vec![Tensor::new(shape, out)?])
}
