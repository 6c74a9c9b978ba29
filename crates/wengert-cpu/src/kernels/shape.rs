//! Kernels that move elements: everything that reads its operand at regular steps goes through [`strided`].

use wengert_core::ops::{Broadcast, Iota};
use wengert_core::{Data, Element, Shape, Tensor, Type, with_data, with_dtype};

/// The elements at `offset + Σ index[i]·steps[i]` for every index of `shape`, in row-major order.
pub(crate) fn strided(x: &Tensor, shape: &Shape, offset: isize, steps: &[isize]) -> Tensor {
    if let Some(s) = x.splat_value() {
        return Tensor::splat(shape.clone(), s);
    }
    let data = with_data!(x.stored(), v => Element::wrap(gather(v, shape, offset, steps)));
    Tensor::from_data(shape.clone(), data).expect("one element for each index")
}

fn gather<T: Element>(v: &[T], shape: &[usize], offset: isize, steps: &[isize]) -> Vec<T> {
    let mut out = Vec::with_capacity(shape.iter().product());
    append(&mut out, v, offset, &Walk::new(shape, [steps]));
    out
}

/// Appends the elements on the way of a walk from `offset`.
pub(crate) fn append<T: Element>(out: &mut Vec<T>, v: &[T], offset: isize, walk: &Walk<1>) {
    let (n, [step]) = (walk.run, walk.run_steps);
    walk.runs([offset], |[at]| match step {
        1 => out.extend_from_slice(&v[at as usize..at as usize + n]),
        0 => out.extend(std::iter::repeat_n(v[at as usize], n)),
        _ => out.extend((0..n as isize).map(|k| v[(at + k * step) as usize])),
    });
}

/// A way through every index of a shape in row-major order, in one or more arrays at once: along axis `i` each goes by
/// its own `steps[i]`. Axes that continue each other are one, so that the innermost runs are as long as can be.
pub(crate) struct Walk<const N: usize> {
    outer: Vec<(usize, [isize; N])>,
    /// How many indices an innermost run has.
    pub(crate) run: usize,
    /// How far each array goes from one index of a run to the next.
    pub(crate) run_steps: [isize; N],
}

impl<const N: usize> Walk<N> {
    pub(crate) fn new(shape: &[usize], steps: [&[isize]; N]) -> Walk<N> {
        let mut axes: Vec<(usize, [isize; N])> = Vec::new();
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
    pub(crate) fn runs(&self, offsets: [isize; N], mut f: impl FnMut([isize; N])) {
        if self.run == 0 || self.outer.iter().any(|(n, _)| *n == 0) {
            return;
        }
        if self.outer.is_empty() {
            return f(offsets);
        }
        let mut index = vec![0usize; self.outer.len()];
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
        self.runs(offsets, |mut at| {
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

/// Row-major strides, signed.
pub(crate) fn strides(shape: &Shape) -> Vec<isize> {
    shape.strides().iter().map(|&s| s as isize).collect()
}

pub(crate) fn broadcast(op: &Broadcast, x: &Tensor) -> Tensor {
    let mut steps = vec![0; op.shape.rank()];
    for (i, s) in strides(x.shape()).into_iter().enumerate() {
        steps[op.dims[i]] = if x.shape()[i] == 1 { 0 } else { s };
    }
    strided(x, &op.shape, 0, &steps)
}

pub(crate) fn transpose(x: &Tensor, perm: &[usize]) -> Tensor {
    if perm.is_sorted() {
        return x.clone();
    }
    let s = strides(x.shape());
    let shape: Shape = perm.iter().map(|&p| x.shape()[p]).collect();
    let steps: Vec<isize> = perm.iter().map(|&p| s[p]).collect();
    strided(x, &shape, 0, &steps)
}

pub(crate) fn iota(op: &Iota) -> Tensor {
    let shape = &op.ty.shape;
    let n = shape.get(op.dim).copied().unwrap_or(1);
    let line = with_dtype!(op.ty.dtype, T => Element::wrap((0..n as i64).map(T::from_i64).collect::<Vec<T>>()));
    let line = Tensor::from_data([n], line).expect("n elements");
    broadcast(&Broadcast { shape: shape.clone(), dims: [op.dim].as_slice().into() }, &line)
}

/// The slice at `i` of the leading axis.
pub(crate) fn leading_slice(x: &Tensor, i: usize) -> Tensor {
    let shape = x.shape().without_axes(&[0]);
    let n = shape.size();
    if let Some(s) = x.splat_value() {
        return Tensor::splat(shape, s);
    }
    let data = with_data!(x.stored(), v => Element::wrap(v[i * n..(i + 1) * n].to_vec()));
    Tensor::from_data(shape, data).expect("one slice")
}

/// Slices of one type collected along a new leading axis.
pub(crate) struct Stack {
    ty: Type,
    data: Data,
    slice: usize,
}

impl Stack {
    /// Room for `length` slices.
    pub(crate) fn new(slice: &Type, length: usize) -> Stack {
        let shape = slice.shape.with_axis(0, length);
        let data = Data::zeros(slice.dtype, shape.size());
        Stack { ty: slice.with_shape(shape), data, slice: slice.shape.size() }
    }

    /// Puts the slice at `i`.
    pub(crate) fn put(&mut self, i: usize, x: &Tensor) {
        let range = i * self.slice..(i + 1) * self.slice;
        let splat = x.splat_value().is_some();
        with_data!(x.stored(), v => put(&mut self.data, range, v, splat));
    }

    /// The slice that was put at `i`.
    pub(crate) fn slice(&self, i: usize) -> Tensor {
        let range = i * self.slice..(i + 1) * self.slice;
        let data = with_data!(&self.data, v => Element::wrap(v[range].to_vec()));
        Tensor::from_data(self.ty.shape.without_axes(&[0]), data).expect("one slice")
    }

    /// All slices.
    pub(crate) fn finish(self) -> Tensor {
        Tensor::from_data(self.ty.shape, self.data).expect("room for every slice")
    }
}

fn put<T: Element>(data: &mut Data, range: std::ops::Range<usize>, v: &[T], splat: bool) {
    let out = &mut T::unwrap_mut(data).expect("slices of one type")[range];
    if splat { out.fill(v[0]) } else { out.copy_from_slice(v) }
}
