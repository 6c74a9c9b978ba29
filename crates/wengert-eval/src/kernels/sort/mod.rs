//! Kernels that go by the order of elements: sort, the largest elements, and where the extremes are. All work on keys,
//! integers in the order of the elements, so that there is one loop for all element types.

mod radix;
mod values;

use super::parallel::{blocks, fill};
use super::scratch::Scratch;
use crate::Plan;
use radix::Key;
use std::cmp::Reverse;
use wengert_core::ops::{ArgReduce, Extreme, Order, Sort, TopK};
use wengert_core::{Complex, DType, Element, Result, Scalar, Shape, Tensor, View, ViewMut};
use wengert_core::{bf16, f16, with_dtype, with_word};

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

fn short_float_key(x: f32, floats: Floats) -> u32 {
    let x = match floats {
        Floats::Numeric if x.is_nan() => f32::NAN.copysign(1.0),
        Floats::Numeric => x + 0.0,
        Floats::Total => x,
    };
    let bits = x.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// For each element an integer that compares as the elements do, of as many bits as are needed.
enum Keys {
    Narrow(Scratch<u32>),
    Wide(Scratch<u64>),
}

/// Computes with keys, whatever they are.
macro_rules! with_keys {
    ($keys:expr, $k:pat => $body:expr) => {
        match $keys {
            Keys::Narrow($k) => $body,
            Keys::Wide($k) => $body,
        }
    };
}

/// The keys of an array: one list, or two for complex numbers.
fn keys(x: View<'_>, floats: Floats) -> Vec<Keys> {
    fn each<T: Element, K: Element>(x: View<'_>, f: impl Fn(T) -> K) -> Scratch<K> {
        let v = x.elements();
        match x.is_splat() && x.size() > 0 {
            true => Scratch::of(std::iter::repeat_n(f(v[0]), x.size())),
            false => Scratch::of(v.iter().map(|&x| f(x))),
        }
    }
    vec![match x.dtype() {
        DType::F32 => Keys::Narrow(each(x, |x: f32| short_float_key(x, floats))),
        DType::F16 => Keys::Narrow(each(x, |x: f16| short_float_key(x.to_f32(), floats))),
        DType::BF16 => Keys::Narrow(each(x, |x: bf16| short_float_key(x.to_f32(), floats))),
        DType::F64 => Keys::Wide(each(x, |x: f64| float_key(x, floats))),
        DType::I32 => Keys::Narrow(each(x, |x: i32| x as u32 ^ 1 << 31)),
        DType::U32 => Keys::Narrow(each(x, |x: u32| x)),
        DType::I64 => Keys::Wide(each(x, |x: i64| x as u64 ^ 1 << 63)),
        DType::U64 => Keys::Wide(each(x, |x: u64| x)),
        d if d.is_complex() => {
            return with_dtype!(d, T => {
                let part = |x: T, f: fn(Complex<f64>) -> f64| float_key(f(x.scalar().as_complex()), floats);
                vec![Keys::Wide(each(x, |x: T| part(x, |z| z.re))), Keys::Wide(each(x, |x: T| part(x, |z| z.im)))]
            });
        }
        // Integers of fewer bits.
        d => with_dtype!(d, T => {
            Keys::Narrow(each(x, |x: T| x.scalar().as_i64().expect("an integer or bool") as i32 as u32 ^ 1 << 31))
        }),
    }]
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
        // SAFETY: what is written are elements of the operand, which has the type of the result.
        let room = unsafe { y.words::<W>() };
        let last = if x.is_splat() { 0 } else { usize::MAX };
        fill(room, &|range, y| y.iter_mut().zip(&at[range]).for_each(|(y, &i)| *y = v[i.min(last)]));
    });
}

/// Writes the elements of each line at these positions of the line.
fn take_lines(x: View<'_>, order: &[u32], lines: Lines, y: &mut ViewMut<'_>) {
    if x.is_splat() || lines.length == 0 {
        return y.copy_from(x);
    }
    with_word!(x.dtype(), W => {
        let v = x.words::<W>();
        // SAFETY: what is written are elements of the operand, which has the type of the result.
        let room = unsafe { y.words::<W>() };
        match (lines.step, lines.count) {
            (1, 1) => return fill(room, &|range, y| y.iter_mut().zip(&order[range]).for_each(|(y, &i)| *y = v[i as usize])),
            (1, _) => {
                return blocks(room, lines.length, v.len(), &|line, y| {
                    let here = line * lines.length..(line + 1) * lines.length;
                    let v = &v[here.clone()];
                    y.iter_mut().zip(&order[here]).for_each(|(y, &i)| *y = v[i as usize]);
                });
            }
            _ => {}
        }
        fill(room, &|range, y| {
            for (i, y) in range.zip(y) {
                let (outer, inner) = (i / lines.step, i % lines.step);
                let (above, place) = (outer / lines.length, outer % lines.length);
                let line = above * lines.step + inner;
                *y = v[lines.at(line, order[line * lines.length + place] as usize)];
            }
        });
    });
}

pub(crate) fn arg_reduce(op: &ArgReduce, x: View<'_>, y: &mut ViewMut<'_>) {
    let lines = Lines::new(x.shape(), op.dim);
    let mut found = vec![0i64; lines.count];
    let is_float = x.dtype().is_float();
    with_keys!(keys(x, Floats::Numeric).remove(0), mut k => first_largest(&mut k, op.extreme, is_float, lines, &mut found));
    with_dtype!(op.dtype, T => {
        y.elements::<T>().iter_mut().zip(found).for_each(|(y, i)| *y = T::from_i64(i));
    });
}

/// Where the first of the largest keys of each line is, or of the smallest; of floats, that of NaN if there is one.
fn first_largest<K: Key>(keys: &mut [K], extreme: Extreme, is_float: bool, lines: Lines, found: &mut [i64]) {
    if extreme == Extreme::Min {
        // NaN comes before every number here too.
        let nan = is_float.then_some(K::NAN);
        keys.iter_mut().filter(|k| Some(**k) != nan).for_each(|k| *k = !*k);
    }
    let (keys, work) = (&*keys, keys.len());
    blocks(found, BLOCK, work, &|block, found| match lines.step {
        1 => found.iter_mut().enumerate().for_each(|(i, found)| {
            let start = (block * BLOCK + i) * lines.length;
            let keys = &keys[start..start + lines.length];
            let most = keys.iter().max();
            *found = keys.iter().position(|k| Some(k) == most).unwrap_or(0) as i64;
        }),
        _ => first_largest_across(keys, lines, block * BLOCK, found),
    });
}

/// How many lines are gone through at a time.
const BLOCK: usize = 1 << 8;

/// The same of up to [`BLOCK`] lines from one on that lie side by side: rows across them are compared one after the other.
fn first_largest_across<K: Key>(keys: &[K], lines: Lines, mut line: usize, mut found: &mut [i64]) {
    while !found.is_empty() {
        let count = (lines.step - line % lines.step).min(found.len());
        let (here, rest) = found.split_at_mut(count);
        here.fill(0);
        let mut rows = (0..lines.length).map(|i| &keys[lines.at(line, i)..][..count]);
        if let Some(first) = rows.next() {
            let mut best = [first[0]; BLOCK];
            best[..count].copy_from_slice(first);
            for (i, row) in rows.enumerate() {
                for ((key, best), found) in row.iter().zip(&mut best).zip(&mut *here) {
                    if *key > *best {
                        (*best, *found) = (*key, i as i64 + 1);
                    }
                }
            }
        }
        (line, found) = (line + count, rest);
    }
}

pub(crate) fn sort(op: &Sort, x: &[View<'_>], y: &mut [ViewMut<'_>], nested: &[Plan]) -> Result<()> {
    let shape = x[0].shape();
    let lines = Lines::new(shape, op.dim);
    let length = lines.length.max(1);
    if let ([x], Order::Natural(1), 1) = (x, &op.order, lines.step)
        && values::sort(*x, length, &mut y[0])
    {
        return Ok(());
    }
    if let Order::Natural(n) = &op.order
        && u32::try_from(length).is_ok()
        && let mut keys = x[..*n].iter().flat_map(|x| keys(*x, Floats::Numeric)).collect::<Vec<Keys>>()
        && keys.len() == 1
    {
        let mut order = Scratch::<u32>::new(shape.size());
        with_keys!(keys.remove(0), k => blocks(&mut order, length, 16 * shape.size(), &|line, order| {
            match lines.step {
                1 => radix::order(k[line * length..(line + 1) * length].iter().copied(), order),
                _ => radix::order((0..length).map(|i| k[lines.at(line, i)]), order),
            }
        }));
        x.iter().zip(y).for_each(|(x, y)| take_lines(*x, &order, lines, y));
        return Ok(());
    }
    // For each line, one after the other, the positions its elements come from.
    let mut order: Vec<usize> = (0..lines.count).flat_map(|_| 0..lines.length).collect();
    match &op.order {
        Order::Natural(n) => {
            let wide = |k: Keys| match k {
                Keys::Narrow(k) => Scratch::of(k.iter().map(|&k| k as u64)),
                Keys::Wide(k) => k,
            };
            let keys: Vec<Scratch<u64>> = x[..*n].iter().flat_map(|x| keys(*x, Floats::Numeric)).map(wide).collect();
            let keys: Vec<&[u64]> = keys.iter().map(|k| &**k).collect();
            blocks(&mut order, length, 16 * shape.size(), &|line, order| {
                let key = |i: usize| keys.iter().map(move |k| k[lines.at(line, i)]);
                order.sort_by(|&i, &j| key(i).cmp(key(j)));
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
    for (line, order) in order.chunks(lines.length.max(1)).enumerate() {
        order.iter().enumerate().for_each(|(to, &from)| at[lines.at(line, to)] = lines.at(line, from));
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
    let n = *x.shape().last().expect("an axis");
    let mut at = vec![0; y[0].size()];
    with_keys!(keys(x, Floats::Total).remove(0), keys => blocks(&mut at, op.k.max(1), x.size() * 4, &|line, at| {
        largest(&keys[line * n..(line + 1) * n], line * n, at);
    }));
    take(x, &at, &mut y[0]);
    y[1].elements::<i32>().iter_mut().zip(&at).for_each(|(y, i)| *y = (i % n) as i32);
}

/// Where the largest keys are, in their order; of equal ones the first come first. Positions are counted from `start`.
fn largest<K: Ord + Copy>(keys: &[K], start: usize, at: &mut [usize]) {
    /// Keys that are compared with the least of the largest at a time.
    const CHUNK: usize = 32;
    let k = at.len();
    // The largest so far and some more, and the least of the largest: later ones that are no larger do not count.
    let mut best: Vec<(Reverse<K>, usize)> = Vec::with_capacity(2 * k + CHUNK);
    let mut least = None;
    for (c, chunk) in keys.chunks(CHUNK).enumerate() {
        if least.is_some_and(|least| !chunk.iter().fold(false, |any, &key| any | (key > least))) {
            continue;
        }
        let here = chunk.iter().enumerate().map(|(i, &key)| (Reverse(key), start + c * CHUNK + i));
        best.extend(here.filter(|(key, _)| least.is_none_or(|least| key.0 > least)));
        if best.len() >= 2 * k && best.len() > k {
            let (_, last, _) = best.select_nth_unstable(k - 1);
            least = Some(last.0.0);
            best.truncate(k);
        }
    }
    best.sort_unstable();
    at.iter_mut().zip(best).for_each(|(at, (_, i))| *at = i);
}
