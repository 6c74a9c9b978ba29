//! Kernels that cut arrays and put them together.

use super::shape::{Steps, Walk, fill, strided, strides};
use smallvec::smallvec;
use wengert_core::host::Word;
use wengert_core::ops::{Concatenate, Pad, Reverse, Slice};
use wengert_core::{Shape, View, ViewMut, with_word};

pub(crate) fn reverse(op: &Reverse, x: View<'_>, y: &mut ViewMut<'_>) {
    let mut steps = strides(x.shape());
    let mut offset = 0;
    for &d in op.dims.iter().filter(|_| x.size() > 0) {
        offset += steps[d] * (x.shape()[d] as isize - 1);
        steps[d] = -steps[d];
    }
    strided(x, y, offset, &steps)
}

pub(crate) fn slice(op: &Slice, x: View<'_>, y: &mut ViewMut<'_>) {
    let s = strides(x.shape());
    let offset = s.iter().zip(&op.start).map(|(s, &i)| s * i as isize).sum();
    // The step of an axis with one element does not matter, and may be too large.
    let stride = |d: usize| if y.shape()[d] > 1 { op.strides[d] as isize } else { 1 };
    let steps: Steps = (0..s.len()).map(|d| s[d] * stride(d)).collect();
    strided(x, y, offset, &steps)
}

/// The steps through stored elements: none if they are one value repeated.
pub(crate) fn stored_steps(x: &View<'_>) -> Steps {
    match x.is_splat() {
        true => smallvec![0; x.shape().rank()],
        false => strides(x.shape()),
    }
}

/// Copies elements of `v` into `out` on the way of a walk in both, from these positions.
fn copy<W: Word>(out: &mut [W], v: &[W], walk: &Walk<2>, from: [isize; 2]) {
    if walk.run_steps == [1, 1] {
        return walk.runs(from, &mut |[o, i]| {
            out[o as usize..][..walk.run].copy_from_slice(&v[i as usize..][..walk.run]);
        });
    }
    walk.each(from, |[o, i]| out[o as usize] = v[i as usize]);
}

/// Writes elements of `x` over `out`; both have the same element type.
fn write(out: &mut ViewMut<'_>, x: View<'_>, walk: &Walk<2>, from: [isize; 2]) {
    assert_eq!(out.dtype(), x.dtype(), "elements of one type");
    // SAFETY: what is written are elements of this type.
    with_word!(x.dtype(), W => copy(unsafe { out.words::<W>() }, x.words::<W>(), walk, from));
}

pub(crate) fn pad(op: &Pad, x: View<'_>, value: View<'_>, y: &mut ViewMut<'_>) {
    fill(y, value);
    // Along each axis, the elements that are not taken away, and where they come.
    let (mut shape, mut from) = (Vec::new(), [0, 0]);
    let (mut to, at) = (strides(y.shape()), stored_steps(&x));
    for (d, (&n, &size)) in x.shape().iter().zip(y.shape().iter()).enumerate() {
        let (low, step, size) = (op.low[d] as i128, op.interior[d] as i128 + 1, size as i128);
        let first = -(low.min(0).div_euclid(step));
        let end = (size - 1 - low).div_euclid(step) + 1;
        let count = (end.min(n as i128) - first).max(0);
        if count == 0 {
            return;
        }
        shape.push(count as usize);
        from[0] += (low + first * step) as isize * to[d];
        from[1] += first as isize * at[d];
        to[d] = to[d].wrapping_mul(step as isize);
    }
    write(y, x, &Walk::new(&shape, [&to, &at]), from);
}

pub(crate) fn concatenate(op: &Concatenate, x: &[View<'_>], y: &mut ViewMut<'_>) {
    let to = strides(y.shape());
    let mut start = 0;
    for x in x {
        write(y, *x, &Walk::new(x.shape(), [&to, &stored_steps(x)]), [start * to[op.dim], 0]);
        start += x.shape()[op.dim] as isize;
    }
}

/// Where a slice of these sizes starts in an array: the starts moved to where it fits.
fn start(shape: &Shape, sizes: &[usize], starts: &[View<'_>]) -> isize {
    let axes = shape.iter().zip(sizes).zip(starts).zip(strides(shape));
    axes.map(|(((&n, &size), start), stride)| {
        let last = (n - size) as i64;
        // Only unsigned integers past all limits are no `i64`.
        start.get(0).as_i64().map_or(last, |i| i.clamp(0, last)) as isize * stride
    })
    .sum()
}

pub(crate) fn dynamic_slice(x: View<'_>, starts: &[View<'_>], y: &mut ViewMut<'_>) {
    let from = start(x.shape(), y.shape(), starts);
    strided(x, y, from, &strides(x.shape()))
}

/// The result may lie where `x` does.
pub(crate) fn dynamic_update_slice(x: View<'_>, update: View<'_>, starts: &[View<'_>], y: &mut ViewMut<'_>) {
    y.copy_from(x);
    let walk = Walk::new(update.shape(), [&strides(y.shape()), &stored_steps(&update)]);
    let from = [start(y.shape(), update.shape(), starts), 0];
    write(y, update, &walk, from);
}
