//! Elementwise kernels: find the loop for the op and type, and run it over the operands. Repeated values stay one
//! value, large arrays are split over threads, and operands that nothing else holds are overwritten.

use super::number::{self, Arg, Cast, Map, Number, Zip, map, missing, zip};
use rayon::prelude::*;
use std::ops::Range;
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{Complex, DType, Element, Tensor, with_data, with_dtype};

/// Arrays of more elements than this are split over threads.
pub(crate) const PARALLEL: usize = 1 << 16;
/// Elements a thread takes at a time.
const CHUNK: usize = 1 << 14;
/// Elements copied at a time when overwriting.
const BLOCK: usize = 256;

pub(crate) fn unary(op: Unary, x: Tensor) -> Tensor {
    with_dtype!(x.dtype(), T => {
        if let Some(f) = <T as Number>::part(op) {
            map_to(&x, f)
        } else if let Some(f) = T::test(op) {
            map_to(&x, f)
        } else {
            map_same(x, T::unary(op).unwrap_or_else(|| missing::<T>(op.as_str())))
        }
    })
}

pub(crate) fn binary(op: Binary, x: Tensor, y: Tensor) -> Tensor {
    match (op, x.dtype()) {
        (Binary::Complex, DType::F32) => zip_to(&x, &y, zip!(Complex::<f32>::new)),
        (Binary::Complex, _) => zip_to(&x, &y, zip!(Complex::<f64>::new)),
        (op, d) => with_dtype!(d, T => zip_same(x, y, number::binary::<T>(op))),
    }
}

pub(crate) fn compare(op: Direction, x: &Tensor, y: &Tensor) -> Tensor {
    with_dtype!(x.dtype(), T => {
        zip_to(x, y, <T as Number>::compare(op).unwrap_or_else(|| missing::<T>(op.as_str())))
    })
}

pub(crate) fn select(p: &Tensor, x: &Tensor, y: &Tensor) -> Tensor {
    match arg::<bool>(p) {
        Arg::One(p) => if p { x } else { y }.clone(),
        Arg::Each(p) => with_dtype!(x.dtype(), T => {
            let (a, b) = (arg::<T>(x), arg::<T>(y));
            dense(x, fill(p.len(), |r, out: &mut [T]| {
                let (a, b) = (a.slice(r.clone()), b.slice(r.clone()));
                let choose = |(i, p): (usize, &bool)| if *p { a.at(i) } else { b.at(i) };
                p[r].iter().enumerate().map(choose).zip(out).for_each(|(v, out)| *out = v);
            }))
        }),
    }
}

pub(crate) fn clamp(min: Tensor, x: Tensor, max: Tensor) -> Tensor {
    // Scalar bounds are repeated values, which take any shape.
    let shape = x.shape().clone();
    let spread = |bound: Tensor| bound.splat_value().map_or(bound, |s| Tensor::splat(shape.clone(), s));
    binary(Binary::Min, binary(Binary::Max, x, spread(min)), spread(max))
}

pub(crate) fn convert(x: &Tensor, to: DType) -> Tensor {
    if x.dtype() == to {
        return x.clone();
    }
    with_data!(x.stored(), v => cast_to(x, v, to))
}

fn cast_to<S: Cast>(x: &Tensor, _: &[S], to: DType) -> Tensor {
    with_dtype!(to, T => map_to(x, map!(|x: S| x.cast::<T>())))
}

/// The elements of a tensor of this type.
pub(crate) fn arg<T: Element>(x: &Tensor) -> Arg<'_, T> {
    let v = elements(x);
    if x.splat_value().is_some() { Arg::One(v[0]) } else { Arg::Each(v) }
}

/// The elements as stored of a tensor of this type.
pub(crate) fn elements<T: Element>(x: &Tensor) -> &[T] {
    T::unwrap(x.stored()).expect("elements of this type")
}

/// A tensor of these elements with the shape of `x`.
pub(super) fn dense<T: Element>(x: &Tensor, v: Vec<T>) -> Tensor {
    Tensor::new(x.shape().clone(), v).expect("one element for each of the operand")
}

pub(super) fn map_to<T: Element, U: Element>(x: &Tensor, f: Map<T, U>) -> Tensor {
    match arg(x) {
        Arg::One(x0) => {
            let mut y = [U::default()];
            f(&[x0], &mut y);
            Tensor::splat(x.shape().clone(), y[0].scalar())
        }
        Arg::Each(v) => dense(x, fill(v.len(), |r, y| f(&v[r], y))),
    }
}

fn map_same<T: Element>(mut x: Tensor, f: Map<T, T>) -> Tensor {
    match owned(&mut x) {
        Some(v) => update(v, |_, old, new| f(old, new)),
        None => return map_to(&x, f),
    }
    x
}

fn zip_to<T: Element, U: Element>(x: &Tensor, y: &Tensor, f: Zip<T, U>) -> Tensor {
    let (a, b) = (arg::<T>(x), arg::<T>(y));
    if let (Arg::One(_), Arg::One(_)) = (a, b) {
        let mut out = [U::default()];
        f(a, b, &mut out);
        return Tensor::splat(x.shape().clone(), out[0].scalar());
    }
    dense(x, fill(x.size(), |r, out| f(a.slice(r.clone()), b.slice(r), out)))
}

fn zip_same<T: Element>(mut x: Tensor, mut y: Tensor, f: Zip<T, T>) -> Tensor {
    if let Some(v) = owned(&mut x) {
        let b = arg(&y);
        update(v, |r, old, new| f(Arg::Each(old), b.slice(r), new));
        x
    } else if let Some(v) = owned(&mut y) {
        let a = arg(&x);
        update(v, |r, old, new| f(a.slice(r), Arg::Each(old), new));
        y
    } else {
        zip_to(&x, &y, f)
    }
}

/// The elements of a tensor that may be overwritten.
fn owned<T: Element>(x: &mut Tensor) -> Option<&mut Vec<T>> {
    if x.splat_value().is_some() {
        return None;
    }
    x.data_mut().and_then(T::unwrap_mut)
}

/// `n` elements written by `f`, which is given a range and the room for it.
pub(crate) fn fill<T: Element>(n: usize, f: impl Fn(Range<usize>, &mut [T]) + Sync) -> Vec<T> {
    let mut out = vec![T::default(); n];
    split(&mut out, |at, chunk| f(at..at + chunk.len(), chunk));
    out
}

/// Rewrites elements by `f`, which is given a range, what is there and the room for what comes there.
fn update<T: Element>(v: &mut [T], f: impl Fn(Range<usize>, &[T], &mut [T]) + Sync) {
    split(v, |at, chunk| {
        let mut old = [T::default(); BLOCK];
        for (i, block) in chunk.chunks_mut(BLOCK).enumerate() {
            let (at, old) = (at + i * BLOCK, &mut old[..block.len()]);
            old.copy_from_slice(block);
            f(at..at + block.len(), old, block);
        }
    });
}

/// Runs `f` on blocks of elements, with the number of each; on many threads if the work is large.
pub(crate) fn blocks<T: Send>(v: &mut [T], block: usize, work: usize, f: &(dyn Fn(usize, &mut [T]) + Sync)) {
    if v.is_empty() {
        return;
    }
    match work <= PARALLEL {
        true => v.chunks_mut(block).enumerate().for_each(|(i, block)| f(i, block)),
        false => v.par_chunks_mut(block).enumerate().for_each(|(i, block)| f(i, block)),
    }
}

/// Runs `f` on the whole, or on pieces of it on many threads, with the position each starts at.
fn split<T: Send>(v: &mut [T], f: impl Fn(usize, &mut [T]) + Sync) {
    if v.len() <= PARALLEL {
        return f(0, v);
    }
    v.par_chunks_mut(CHUNK).enumerate().for_each(|(i, chunk)| f(i * CHUNK, chunk));
}
