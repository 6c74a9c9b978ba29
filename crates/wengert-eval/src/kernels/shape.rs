//! Kernels that move elements: everything that reads its operand at regular steps goes through [`strided`]. They exist
//! for each width of elements, not for each type.

use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use wengert_core::host::Word;
use wengert_core::ops::{Broadcast, Iota};
use wengert_core::{Element, Shape, Tensor, Type, View, ViewMut, with_dtype, with_word};

/// The elements at `offset + Σ index[i]·steps[i]` for every index of the result, in row-major order.
pub(crate) fn strided(x: View<'_>, y: &mut ViewMut<'_>, offset: isize, steps: &[isize]) {
    if x.is_splat() {
        return fill(y, x);
    }
    let walk = Walk::new(y.shape(), [steps]);
    // SAFETY: what is written are elements of the operand, which has the type of the result.
    with_word!(x.dtype(), W => read(x.words::<W>(), offset, &walk, unsafe { y.words::<W>() }))
}

/// Writes one value everywhere.
pub(crate) fn fill(y: &mut ViewMut<'_>, value: View<'_>) {
    assert!(value.is_splat() && value.dtype() == y.dtype(), "one value of the result's type");
    // SAFETY: it is an element of the type of the result.
    with_word!(y.dtype(), W => unsafe { y.words::<W>() }.fill(value.words::<W>()[0]));
}

/// Writes the elements on the way of a walk from `offset`, one after the other.
pub(crate) fn read<W: Word>(v: &[W], offset: isize, walk: &Walk<1>, out: &mut [W]) {
    let (n, [step]) = (walk.run, walk.run_steps);
    let mut rest = out;
    walk.runs([offset], &mut |[at]| {
        let (run, after) = std::mem::take(&mut rest).split_at_mut(n);
        rest = after;
        match step {
            1 => run.copy_from_slice(&v[at as usize..at as usize + n]),
            0 => run.fill(v[at as usize]),
            _ => run.iter_mut().zip(0..n as isize).for_each(|(out, k)| *out = v[(at + k * step) as usize]),
        }
    });
}

/// A way through every index of a shape in row-major order, in one or more arrays at once: along axis `i` each goes by
/// its own `steps[i]`. Axes that continue each other are one, so that the innermost runs are as long as can be.
pub(crate) struct Walk<const N: usize> {
    outer: SmallVec<[(usize, [isize; N]); 4]>,
    /// How many indices an innermost run has.
    pub(crate) run: usize,
    /// How far each array goes from one index of a run to the next.
    pub(crate) run_steps: [isize; N],
}

impl<const N: usize> Walk<N> {
    pub(crate) fn new(shape: &[usize], steps: [&[isize]; N]) -> Walk<N> {
        let mut axes: SmallVec<[(usize, [isize; N]); 4]> = SmallVec::new();
        for (i, &n) in shape.iter().enumerate().filter(|(_, n)| **n != 1) {
            let steps = steps.map(|s| s[i]);
            match axes.last_mut() {
                Some((m, before)) if *before == steps.map(|s| s.wrapping_mul(n as isize)) => {
                    (*m, *before) = (*m * n, steps)
                }
                _ => axes.push((n, steps)),
            }
        }
        let (run, run_steps) = axes.pop().unwrap_or((1, [1; N]));
        Walk { outer: axes, run, run_steps }
    }

    /// Calls `f` with the positions at which each innermost run starts, from these offsets.
    pub(crate) fn runs(&self, offsets: [isize; N], f: &mut dyn FnMut([isize; N])) {
        if self.run == 0 || self.outer.iter().any(|(n, _)| *n == 0) {
            return;
        }
        if self.outer.is_empty() {
            return f(offsets);
        }
        let mut index: SmallVec<[usize; 4]> = smallvec![0; self.outer.len()];
        let mut at = offsets;
        loop {
            f(at);
            let mut d = self.outer.len();
            loop {
                if d == 0 {
                    return;
                }
                d -= 1;
                let (n, steps) = self.outer[d];
                index[d] += 1;
                (0..N).for_each(|k| at[k] += steps[k]);
                if index[d] < n {
                    break;
                }
                (0..N).for_each(|k| at[k] -= steps[k] * n as isize);
                index[d] = 0;
            }
        }
    }

    /// Calls `f` with the positions at every index, from these offsets.
    pub(crate) fn each(&self, offsets: [isize; N], mut f: impl FnMut([isize; N])) {
        self.runs(offsets, &mut |mut at| {
            for _ in 0..self.run {
                f(at);
                (0..N).for_each(|k| at[k] += self.run_steps[k]);
            }
        });
    }
}

/// Calls `f` with `offset + Σ index[i]·steps[i]` for every index of `shape`, in row-major order.
pub(crate) fn for_each_offset(shape: &[usize], offset: isize, steps: &[isize], mut f: impl FnMut(isize)) {
    Walk::new(shape, [steps]).each([offset], |[at]| f(at));
}

/// How far the elements of an array lie apart along each axis.
pub(crate) type Steps = SmallVec<[isize; 6]>;

/// Row-major strides, signed.
pub(crate) fn strides(shape: &Shape) -> Steps {
    shape.strides().iter().map(|&s| s as isize).collect()
}

pub(crate) fn broadcast(op: &Broadcast, x: View<'_>, y: &mut ViewMut<'_>) {
    let mut steps: Steps = smallvec![0; op.shape.rank()];
    for (i, s) in strides(x.shape()).into_iter().enumerate() {
        steps[op.dims[i]] = if x.shape()[i] == 1 { 0 } else { s };
    }
    strided(x, y, 0, &steps)
}

/// The elements with their axes in this order.
pub fn transpose(perm: &[usize], x: View<'_>, y: &mut ViewMut<'_>) {
    let s = strides(x.shape());
    let steps: Steps = perm.iter().map(|&p| s[p]).collect();
    strided(x, y, 0, &steps)
}

/// The tensor with its axes in this order.
pub(crate) fn transposed(x: &Tensor, perm: &[usize]) -> Tensor {
    if perm.is_sorted() {
        return x.clone();
    }
    let shape: Shape = perm.iter().map(|&p| x.shape()[p]).collect();
    match x.splat_value() {
        Some(s) => Tensor::splat(shape, s),
        None => made(&x.ty().with_shape(shape), |y| transpose(perm, x.view(), y)),
    }
}

/// A tensor of this type that a kernel writes.
pub fn made(ty: &Type, write: impl FnOnce(&mut ViewMut<'_>)) -> Tensor {
    let mut t = Tensor::room(ty);
    write(&mut t.view_mut().expect("nothing shares it"));
    t
}

pub(crate) fn iota(op: &Iota, y: &mut ViewMut<'_>) {
    let shape = &op.ty.shape;
    let n = shape.get(op.dim).copied().unwrap_or(1);
    let line: Tensor = with_dtype!(op.ty.dtype, T => {
        Tensor::write([n], |line: &mut [T]| line.iter_mut().zip(0..).for_each(|(x, i)| *x = T::from_i64(i)))
    });
    let spread = Broadcast { shape: shape.clone(), dims: [op.dim].as_slice().into() };
    broadcast(&spread, line.view(), y)
}

/// Slices of one type collected along a new leading axis.
pub(crate) struct Stack {
    all: Tensor,
    slice: Shape,
}

impl Stack {
    /// Room for `length` slices.
    pub(crate) fn new(slice: &Type, length: usize) -> Stack {
        let all = Tensor::room(&slice.with_shape(slice.shape.with_axis(0, length)));
        Stack { all, slice: slice.shape.clone() }
    }

    fn range(&self, i: usize) -> Range<usize> {
        i * self.slice.size()..(i + 1) * self.slice.size()
    }

    /// Puts the slice at `i`.
    pub(crate) fn put(&mut self, i: usize, x: &Tensor) {
        let range = self.range(i);
        let mut all = self.all.view_mut().expect("nothing shares it");
        with_word!(x.dtype(), W => {
            // SAFETY: slices have the type of the stack.
            let out = unsafe { &mut all.words::<W>()[range] };
            let v = x.view().words::<W>();
            if x.is_splat() { out.fill(v[0]) } else { out.copy_from_slice(v) }
        });
    }

    /// The slice that was put at `i`.
    pub(crate) fn slice(&self, i: usize) -> Tensor {
        with_dtype!(self.all.dtype(), T => {
            Tensor::from_slice(self.slice.clone(), &self.all.elements::<T>()[self.range(i)]).expect("one slice")
        })
    }

    /// All slices.
    pub(crate) fn finish(self) -> Tensor {
        self.all
    }
}
