//! Kernels that go by the order of elements: sort, the largest elements, and where the extremes are. All work on keys,
//! integers in the order of the elements, so that there is one loop for all element types.

use super::parallel::blocks;
use crate::Plan;
use std::cmp::Reverse;
use wengert_core::ops::{ArgReduce, Extreme, Order, Sort, TopK};
use wengert_core::{Element, Result, Scalar, Shape, Tensor, View, ViewMut, with_dtype, with_word};

/// How floats become keys.
#[derive(Clone, Copy, PartialEq)]
enum Floats {
    /// NaN is above infinity, and the zeros are equal.
    Numeric,
    /// By sign and bits: negative NaN, negative infinity … negative zero, zero … infinity, NaN.
    Total,
}

fn float_key(x: f64, floats: Floats) -> u64 {
    let x = match floats {
        Floats::Numeric if x.is_nan() => f64::NAN.copysign(1.0),
        Floats::Numeric => x + 0.0,
        Floats::Total => x,
    };
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// A real element as an integer that compares as the elements do.
fn key(x: Scalar, floats: Floats) -> u64 {
    match x {
        Scalar::U64(x) => x,
        x if x.dtype().is_float() => float_key(x.as_f64().expect("a float"), floats),
        x if x.dtype().is_signed() => x.as_i64().expect("an integer") as u64 ^ 1 << 63,
        x => x.as_i64().expect("an integer or bool") as u64,
    }
}

/// For each element, integers that compare as the elements do: one list, or two for complex numbers.
fn keys(x: View<'_>, floats: Floats) -> Vec<Vec<u64>> {
    let all = |f: &dyn Fn(usize) -> u64| (0..x.size()).map(|i| f(if x.is_splat() { 0 } else { i })).collect();
    with_dtype!(x.dtype(), T => {
        let v = x.elements::<T>();
        match T::DTYPE.is_complex() {
            false => vec![all(&|i| key(v[i].scalar(), floats))],
            true => {
                let part = |i: usize| v[i].scalar().as_complex();
                vec![all(&|i| float_key(part(i).re, floats)), all(&|i| float_key(part(i).im, floats))]
            }
        }
    })
}

/// The lines of an array along one axis.
#[derive(Clone, Copy)]
struct Lines {
    count: usize,
    length: usize,
    /// The distance between neighbours in a line.
    step: usize,
}

impl Lines {
    fn new(shape: &Shape, dim: usize) -> Lines {
        let length = shape[dim];
        Lines { count: shape.without_axes(&[dim]).size(), length, step: shape[dim + 1..].iter().product() }
    }

    /// The flat position of an element of a line.
    fn at(&self, line: usize, i: usize) -> usize {
        (line / self.step * self.length + i) * self.step + line % self.step
    }
}

/// Writes the elements at these row-major positions.
fn take(x: View<'_>, at: &[usize], y: &mut ViewMut<'_>) {
    with_word!(x.dtype(), W => {
        let v = x.words::<W>();
        let at = at.iter().map(|&i| if x.is_splat() { 0 } else { i });
        // SAFETY: what is written are elements of the operand, which has the type of the result.
        let room = unsafe { y.words::<W>() };
        room.iter_mut().zip(at).for_each(|(y, i)| *y = v[i]);
    });
}

pub(crate) fn arg_reduce(op: &ArgReduce, x: View<'_>, y: &mut ViewMut<'_>) {
    let mut keys = keys(x, Floats::Numeric).remove(0);
    if op.extreme == Extreme::Min {
        // NaN comes before every number here too.
        let nan = x.dtype().is_float().then(|| float_key(f64::NAN, Floats::Numeric));
        keys.iter_mut().filter(|k| Some(**k) != nan).for_each(|k| *k = !*k);
    }
    let lines = Lines::new(x.shape(), op.dim);
    let first_largest = |line: usize| {
        let best = |best: usize, i: usize| if keys[lines.at(line, i)] > keys[lines.at(line, best)] { i } else { best };
        (1..lines.length).fold(0, best)
    };
    let mut found = vec![0i64; lines.count];
    blocks(&mut found, 1 << 8, keys.len(), &|block, found| {
        found.iter_mut().enumerate().for_each(|(i, f)| *f = first_largest(block << 8 | i) as i64);
    });
    with_dtype!(op.dtype, T => {
        y.elements::<T>().iter_mut().zip(found).for_each(|(y, i)| *y = T::from_i64(i));
    });
}

pub(crate) fn sort(op: &Sort, x: &[View<'_>], y: &mut [ViewMut<'_>], nested: &[Plan]) -> Result<()> {
    let shape = x[0].shape();
    let lines = Lines::new(shape, op.dim);
    // For each line, one after the other, the positions its elements come from.
    let mut order: Vec<usize> = (0..lines.count).flat_map(|_| 0..lines.length).collect();
    match &op.order {
        Order::Natural(n) => {
            let keys: Vec<Vec<u64>> = x[..*n].iter().flat_map(|x| keys(*x, Floats::Numeric)).collect();
            let work = shape.size() * 16;
            blocks(&mut order, lines.length.max(1), work, &|line, order| {
                let [keys] = &keys[..] else {
                    let key = |i: usize| keys.iter().map(move |k| k[lines.at(line, i)]);
                    return order.sort_by(|&i, &j| key(i).cmp(key(j)));
                };
                // Equal keys go by their positions, so that their order stays.
                let mut pairs: Vec<(u64, usize)> = order.iter().map(|&i| (keys[lines.at(line, i)], i)).collect();
                pairs.sort_unstable();
                order.iter_mut().zip(pairs).for_each(|(o, (_, i))| *o = i);
            });
        }
        Order::Program(_) => {
            for (line, order) in order.chunks_mut(lines.length.max(1)).enumerate() {
                let scalar = |x: &View<'_>, i: usize| Tensor::splat(Shape::scalar(), x.get(lines.at(line, i)));
                merge_sort(order, &mut |i, j| {
                    let pairs = x.iter().flat_map(|x| [scalar(x, i), scalar(x, j)]).collect();
                    Ok(nested[0].run(pairs)?[0].get(0) == Scalar::Bool(true))
                })?;
            }
        }
    }
    let mut at = vec![0; order.len()];
    for (i, from) in order.iter().enumerate() {
        let (line, to) = (i / lines.length, i % lines.length);
        at[lines.at(line, to)] = lines.at(line, *from);
    }
    x.iter().zip(y).for_each(|(x, y)| take(*x, &at, y));
    Ok(())
}

/// Sorts by a comparison that may fail, and need not be an order: then some permutation comes out.
fn merge_sort(v: &mut [usize], before: &mut dyn FnMut(usize, usize) -> Result<bool>) -> Result<()> {
    if v.len() < 2 {
        return Ok(());
    }
    let (l, r) = v.split_at_mut(v.len() / 2);
    merge_sort(l, before)?;
    merge_sort(r, before)?;
    let (left, right) = (l.to_vec(), r.to_vec());
    let (mut i, mut j) = (0, 0);
    for place in v {
        let from_right = i == left.len() || (j < right.len() && before(right[j], left[i])?);
        let (side, k) = if from_right { (&right, &mut j) } else { (&left, &mut i) };
        *place = side[*k];
        *k += 1;
    }
    Ok(())
}

pub(crate) fn top_k(op: &TopK, x: View<'_>, y: &mut [ViewMut<'_>]) {
    let keys = keys(x, Floats::Total).remove(0);
    let n = *x.shape().last().expect("an axis");
    let mut at = vec![0; y[0].size()];
    blocks(&mut at, op.k.max(1), x.size() * 4, &|line, at| {
        let key = |&i: &usize| (Reverse(keys[i]), i);
        let mut all: Vec<usize> = (line * n..(line + 1) * n).collect();
        if op.k < n {
            all.select_nth_unstable_by_key(op.k, key);
        }
        all[..op.k].sort_unstable_by_key(key);
        at.copy_from_slice(&all[..op.k]);
    });
    take(x, &at, &mut y[0]);
    y[1].elements::<i32>().iter_mut().zip(&at).for_each(|(y, i)| *y = (i % n) as i32);
}
