//! Kernels that go by the order of elements: sort, the largest elements, and where the extremes are. All work on keys,
//! integers in the order of the elements, so that there is one loop for all element types.

use super::elementwise::blocks;
use crate::Plan;
use std::cmp::Reverse;
use wengert_core::backend::Executable;
use wengert_core::ops::{ArgReduce, Extreme, Order, Sort, TopK};
use wengert_core::{Data, Element, Result, Scalar, Shape, Tensor, with_data, with_dtype};

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

/// For each element, integers that compare as the elements do: one list, or two for complex numbers.
fn keys(x: &Tensor, floats: Floats) -> Vec<Vec<u64>> {
    let float = |x: f64| float_key(x, floats);
    let signed = |x: i64| x as u64 ^ 1 << 63;
    let x = x.dense();
    vec![match x.stored() {
        Data::Bool(v) => v.iter().map(|&x| x as u64).collect(),
        Data::U8(v) => v.iter().map(|&x| x as u64).collect(),
        Data::U16(v) => v.iter().map(|&x| x as u64).collect(),
        Data::U32(v) => v.iter().map(|&x| x as u64).collect(),
        Data::U64(v) => v.clone(),
        Data::I8(v) => v.iter().map(|&x| signed(x as i64)).collect(),
        Data::I16(v) => v.iter().map(|&x| signed(x as i64)).collect(),
        Data::I32(v) => v.iter().map(|&x| signed(x as i64)).collect(),
        Data::I64(v) => v.iter().map(|&x| signed(x)).collect(),
        Data::F16(v) => v.iter().map(|x| float(x.to_f64())).collect(),
        Data::BF16(v) => v.iter().map(|x| float(x.to_f64())).collect(),
        Data::F32(v) => v.iter().map(|&x| float(x as f64)).collect(),
        Data::F64(v) => v.iter().map(|&x| float(x)).collect(),
        Data::C64(v) => {
            let part = |f: fn(&wengert_core::Complex<f32>) -> f32| v.iter().map(|x| float(f(x) as f64)).collect();
            return vec![part(|x| x.re), part(|x| x.im)];
        }
        Data::C128(v) => {
            let part = |f: fn(&wengert_core::Complex<f64>) -> f64| v.iter().map(|x| float(f(x))).collect();
            return vec![part(|x| x.re), part(|x| x.im)];
        }
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

/// The tensor of this shape with the elements at these flat positions.
fn taken(x: &Tensor, shape: Shape, at: &[usize]) -> Tensor {
    if let Some(s) = x.splat_value() {
        return Tensor::splat(shape, s);
    }
    let data = with_data!(x.stored(), v => Element::wrap(at.iter().map(|&i| v[i]).collect::<Vec<_>>()));
    Tensor::from_data(shape, data).expect("one element for each position")
}

pub(crate) fn arg_reduce(op: &ArgReduce, x: &Tensor) -> Tensor {
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
    let data = with_dtype!(op.dtype, T => Element::wrap(found.iter().map(|&i| T::from_i64(i)).collect::<Vec<T>>()));
    Tensor::from_data(x.shape().without_axes(&[op.dim]), data).expect("one for each line")
}

pub(crate) fn sort(op: &Sort, x: &[Tensor], nested: &[Plan]) -> Result<Vec<Tensor>> {
    let shape = x[0].shape();
    let lines = Lines::new(shape, op.dim);
    // For each line, one after the other, the positions its elements come from.
    let mut order: Vec<usize> = (0..lines.count).flat_map(|_| 0..lines.length).collect();
    match &op.order {
        Order::Natural(n) => {
            let keys: Vec<Vec<u64>> = x[..*n].iter().flat_map(|x| keys(x, Floats::Numeric)).collect();
            let work = shape.size() * 16;
            blocks(&mut order, lines.length.max(1), work, &|line, order| {
                let key = |i: usize| keys.iter().map(move |k| k[lines.at(line, i)]);
                order.sort_by(|&i, &j| key(i).cmp(key(j)));
            });
        }
        Order::Program(_) => {
            let x: Vec<Tensor> = x.iter().map(Tensor::dense).collect();
            for (line, order) in order.chunks_mut(lines.length.max(1)).enumerate() {
                let scalar = |x: &Tensor, i: usize| Tensor::splat(Shape::scalar(), x.get(lines.at(line, i)));
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
    Ok(x.iter().map(|x| taken(x, shape.clone(), &at)).collect())
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

pub(crate) fn top_k(op: &TopK, x: &Tensor) -> Vec<Tensor> {
    let keys = keys(x, Floats::Total).remove(0);
    let n = *x.shape().last().expect("an axis");
    let mut shape = x.shape().clone();
    *shape.0.last_mut().expect("an axis") = op.k;
    let mut at = vec![0; shape.size()];
    blocks(&mut at, op.k.max(1), x.size() * 4, &|line, at| {
        let key = |&i: &usize| (Reverse(keys[i]), i);
        let mut all: Vec<usize> = (line * n..(line + 1) * n).collect();
        if op.k < n {
            all.select_nth_unstable_by_key(op.k, key);
        }
        all[..op.k].sort_unstable_by_key(key);
        at.copy_from_slice(&all[..op.k]);
    });
    let indices = at.iter().map(|i| (i % n) as i32).collect();
    vec![taken(x, shape.clone(), &at), Tensor::new(shape, indices).expect("one for each element")]
}
