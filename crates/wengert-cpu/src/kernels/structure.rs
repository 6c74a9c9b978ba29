//! Kernels that cut arrays and put them together.

use super::shape::{Walk, strided, strides};
use wengert_core::ops::{Concatenate, DynamicSlice, Pad, Reverse, Slice};
use wengert_core::{Data, Element, Rules, Shape, Tensor, with_data};

pub(crate) fn reverse(op: &Reverse, x: &Tensor) -> Tensor {
    let mut steps = strides(x.shape());
    let mut offset = 0;
    for &d in op.dims.iter().filter(|_| x.size() > 0) {
        offset += steps[d] * (x.shape()[d] as isize - 1);
        steps[d] = -steps[d];
    }
    strided(x, x.shape(), offset, &steps)
}

pub(crate) fn slice(op: &Slice, x: &Tensor) -> Tensor {
    let shape = op.infer(&[x.ty()]).expect("operands the op takes").remove(0).shape;
    let s = strides(x.shape());
    let offset = s.iter().zip(&op.start).map(|(s, &i)| s * i as isize).sum();
    // The step of an axis with one element does not matter, and may be too large.
    let stride = |d: usize| if shape[d] > 1 { op.strides[d] as isize } else { 1 };
    let steps: Vec<isize> = (0..s.len()).map(|d| s[d] * stride(d)).collect();
    strided(x, &shape, offset, &steps)
}

/// The steps through a tensor's stored elements: none if it is one value repeated.
pub(crate) fn stored_steps(x: &Tensor) -> Vec<isize> {
    match x.splat_value() {
        Some(_) => vec![0; x.shape().rank()],
        None => strides(x.shape()),
    }
}

/// Copies elements of `v` into `out` on the way of a walk in both, from these positions.
fn copy<T: Element>(out: &mut [T], v: &[T], walk: &Walk<2>, from: [isize; 2]) {
    if walk.run_steps == [1, 1] {
        return walk.runs(from, |[o, i]| {
            out[o as usize..][..walk.run].copy_from_slice(&v[i as usize..][..walk.run]);
        });
    }
    walk.each(from, |[o, i]| out[o as usize] = v[i as usize]);
}

/// Writes elements of `x` over `out`; both have the same element type.
fn write(out: &mut Data, x: &Tensor, walk: &Walk<2>, from: [isize; 2]) {
    with_data!(x.stored(), v => copy(Element::unwrap_mut(out).expect("of one type"), v, walk, from));
}

/// Whether both are the same value repeated.
fn same_splat(x: &Tensor, y: &Tensor) -> bool {
    x.splat_value().is_some() && x.splat_value() == y.splat_value()
}

pub(crate) fn pad(op: &Pad, x: &Tensor, value: &Tensor) -> Tensor {
    let ty = op.infer(&[x.ty(), value.ty()]).expect("operands the op takes").remove(0);
    let value_splat = value.splat_value().expect("a scalar");
    if same_splat(x, value) {
        return Tensor::splat(ty.shape, value_splat);
    }
    let mut out = value_splat.repeat(ty.shape.size());
    // Along each axis, the elements that are not taken away, and where they come.
    let (mut shape, mut from) = (Vec::new(), [0, 0]);
    let (mut to, at) = (strides(&ty.shape), stored_steps(x));
    for (d, (&n, &size)) in x.shape().iter().zip(ty.shape.iter()).enumerate() {
        let (low, step, size) = (op.low[d] as i128, op.interior[d] as i128 + 1, size as i128);
        let first = -(low.min(0).div_euclid(step));
        let end = (size - 1 - low).div_euclid(step) + 1;
        let count = (end.min(n as i128) - first).max(0);
        if count == 0 {
            return Tensor::splat(ty.shape, value_splat);
        }
        shape.push(count as usize);
        from[0] += (low + first * step) as isize * to[d];
        from[1] += first as isize * at[d];
        to[d] = to[d].wrapping_mul(step as isize);
    }
    write(&mut out, x, &Walk::new(&shape, [&to, &at]), from);
    Tensor::from_data(ty.shape, out).expect("of its size")
}

pub(crate) fn concatenate(op: &Concatenate, x: &[Tensor]) -> Tensor {
    let types: Vec<_> = x.iter().map(Tensor::ty).collect();
    let ty = op.infer(&types).expect("operands the op takes").remove(0);
    if x.iter().all(|t| same_splat(t, &x[0])) {
        return Tensor::splat(ty.shape, x[0].get(0));
    }
    let mut out = Data::zeros(ty.dtype, ty.shape.size());
    let to = strides(&ty.shape);
    let mut start = 0;
    for x in x {
        write(&mut out, x, &Walk::new(x.shape(), [&to, &stored_steps(x)]), [start * to[op.dim], 0]);
        start += x.shape()[op.dim] as isize;
    }
    Tensor::from_data(ty.shape, out).expect("of its size")
}

/// Where a slice of these sizes starts in an array: the starts moved to where it fits.
fn start(shape: &Shape, sizes: &[usize], starts: &[Tensor]) -> isize {
    let axes = shape.iter().zip(sizes).zip(starts).zip(strides(shape));
    axes.map(|(((&n, &size), start), stride)| {
        let last = (n - size) as i64;
        // Only unsigned integers past all limits are no `i64`.
        start.get(0).as_i64().map_or(last, |i| i.clamp(0, last)) as isize * stride
    })
    .sum()
}

pub(crate) fn dynamic_slice(op: &DynamicSlice, x: &Tensor, starts: &[Tensor]) -> Tensor {
    strided(x, &op.sizes.clone().into(), start(x.shape(), &op.sizes, starts), &strides(x.shape()))
}

pub(crate) fn dynamic_update_slice(x: Tensor, update: &Tensor, starts: &[Tensor]) -> Tensor {
    if same_splat(&x, update) {
        return x;
    }
    let shape = x.shape().clone();
    let walk = Walk::new(update.shape(), [&strides(&shape), &stored_steps(update)]);
    let from = [start(&shape, update.shape(), starts), 0];
    let mut data = x.into_data();
    write(&mut data, update, &walk, from);
    Tensor::from_data(shape, data).expect("the size it had")
}
