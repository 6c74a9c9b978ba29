//! Windows read from and written to places that an array of indices gives.

use super::elementwise::fill;
use super::number::{Arg, Zip, binary};
use super::shape::{Walk, append, strides, transpose};
use super::structure::stored_steps;
use crate::Plan;
use wengert_core::backend::Executable;
use wengert_core::ops::{Combiner, Gather, Indexing, OutOfBounds, Scatter, Update};
use wengert_core::{Data, Element, Result, Rules, Scalar, Shape, Tensor, with_data, with_dtype};

/// For each index vector in row-major order, the position of the first element of its window, which has these sizes
/// along the operand's axes. Windows that do not fit are moved to where they do with `clip`, and have none otherwise.
fn windows(at: &Indexing, operand: &Shape, sizes: &[usize], indices: &Tensor, clip: bool) -> Vec<Option<usize>> {
    let (steps, own) = (stored_steps(indices), strides(operand));
    let component = steps.get(at.index_vector_dim).copied().unwrap_or(0);
    let places = at.places(indices.shape());
    // Along the axes of the indices, the batching axes of the operand are walked too.
    let mut along = vec![0; steps.len()];
    for (&o, &i) in at.operand_batching_dims.iter().zip(&at.indices_batching_dims) {
        along[i] = own[o];
    }
    let kept = |s: &[isize]| -> Vec<isize> {
        s.iter().enumerate().filter(|(d, _)| *d != at.index_vector_dim).map(|(_, s)| *s).collect()
    };
    let axes: Vec<(isize, Option<i64>)> = at
        .index_map
        .iter()
        .map(|&d| (own[d], (operand[d] as i64).checked_sub(sizes[d] as i64).filter(|l| *l >= 0)))
        .collect();
    let mut out = Vec::with_capacity(places.size());
    with_data!(indices.stored(), v => {
        Walk::new(&places, [&kept(&steps), &kept(&along)]).each([0, 0], |[i, batch]| {
            let mut position = batch;
            for (k, &(stride, last)) in axes.iter().enumerate() {
                let index = v[(i + k as isize * component) as usize].scalar().as_i64().unwrap_or(i64::MAX);
                match last {
                    Some(last) if clip || (0..=last).contains(&index) => position += index.clamp(0, last) as isize * stride,
                    _ => return out.push(None),
                }
            }
            out.push(Some(position as usize));
        });
    });
    out
}

/// A window of an operand: its shape, and the steps through the operand's elements along it.
fn window(at: &Indexing, operand: &Shape, sizes: &[usize]) -> (Shape, Vec<isize>) {
    let (axes, own) = (at.window_axes(operand.rank()), strides(operand));
    (axes.iter().map(|&d| sizes[d]).collect(), axes.iter().map(|&d| own[d]).collect())
}

pub(crate) fn gather(op: &Gather, x: &Tensor, indices: &Tensor) -> Tensor {
    let ty = op.infer(&[x.ty(), indices.ty()]).expect("operands the op takes").remove(0);
    let (filler, clip) = match op.out_of_bounds {
        OutOfBounds::Clip => (Scalar::from_i64(ty.dtype, 0), true),
        OutOfBounds::Fill(s) => (s, false),
    };
    match x.splat_value() {
        _ if x.size() == 0 => return Tensor::splat(ty.shape, filler),
        Some(s) if clip || s == filler => return Tensor::splat(ty.shape, s),
        _ => {}
    }
    let at = &op.indexing;
    let starts = windows(at, x.shape(), &op.slice_sizes, indices, clip);
    let (window, steps) = window(at, x.shape(), &op.slice_sizes);
    let x = x.dense();
    let data = with_data!(x.stored(), v => {
        let filler = Element::unwrap(&filler.repeat(1)).expect("of one type")[0];
        Element::wrap(read(v, &starts, &Walk::new(&window, [&steps]), window.size(), filler))
    });
    // The windows stand one after the other; their axes may have to come elsewhere.
    let places = at.place_dims(ty.rank());
    let shape: Shape = places.iter().map(|&d| ty.shape[d]).chain(window.iter().copied()).collect();
    let place = |d: usize| match at.window_dims.iter().position(|&w| w == d) {
        Some(k) => places.len() + k,
        None => places.iter().position(|&p| p == d).expect("any other axis"),
    };
    let order: Vec<usize> = (0..ty.rank()).map(place).collect();
    transpose(&Tensor::from_data(shape, data).expect("of its size"), &order)
}

fn read<T: Element>(v: &[T], starts: &[Option<usize>], window: &Walk<1>, size: usize, filler: T) -> Vec<T> {
    if size == 1 {
        return fill(starts.len(), |range, out| {
            out.iter_mut().zip(&starts[range]).for_each(|(o, start)| *o = start.map_or(filler, |s| v[s]));
        });
    }
    if window.run == size && window.run_steps == [1] {
        // Whole rows. A range may begin and end inside one.
        return fill(starts.len() * size, |range, out| {
            let (mut at, mut rest) = (range.start, out);
            while !rest.is_empty() {
                let (row, inside) = (at / size, at % size);
                let (part, after) = rest.split_at_mut(rest.len().min(size - inside));
                match starts[row] {
                    Some(start) => part.copy_from_slice(&v[start + inside..][..part.len()]),
                    None => part.fill(filler),
                }
                at += part.len();
                rest = after;
            }
        });
    }
    let mut out = Vec::with_capacity(starts.len() * size);
    for start in starts {
        match start {
            Some(start) => append(&mut out, v, *start as isize, window),
            None => out.extend(std::iter::repeat_n(filler, size)),
        }
    }
    out
}

pub(crate) fn scatter(op: &Scatter, mut x: Vec<Tensor>, nested: &[Plan]) -> Result<Vec<Tensor>> {
    let updates = x.split_off(x.len() / 2 + 1);
    let indices = x.pop().expect("the indices");
    let at = &op.indexing;
    // The windows one after the other, as they are written.
    let places = at.place_dims(updates[0].shape().rank());
    let order: Vec<usize> = places.iter().chain(&at.window_dims).copied().collect();
    let program = matches!(op.update, Update::Combine(Combiner::Program(_)));
    let in_order = |u: &Tensor| if program { transpose(u, &order).dense() } else { transpose(u, &order) };
    let updates: Vec<Tensor> = updates.iter().map(in_order).collect();
    let operand = x[0].shape().clone();
    if operand.size() == 0 {
        return Ok(x);
    }
    let mut sizes = vec![1; operand.rank()];
    for (d, &n) in at.window_axes(operand.rank()).iter().zip(&updates[0].shape()[places.len()..]) {
        sizes[*d] = n;
    }
    let starts = windows(at, &operand, &sizes, &indices, false);
    let (window, steps) = window(at, &operand, &sizes);
    let inner = &stored_steps(&updates[0])[places.len()..];
    let walk = Walk::new(&window, [&steps, inner]);
    let each = if updates[0].splat_value().is_some() { 0 } else { window.size() };
    let begin = starts.iter().enumerate().filter_map(|(k, s)| s.map(|s| [s as isize, (k * each) as isize]));
    if program {
        return combine_by(&nested[0], x, &updates, &walk, begin);
    }
    let mut data = x.remove(0).into_data();
    with_dtype!(data.dtype(), T => {
        let (out, u) = (T::unwrap_mut(&mut data).expect("its type"), T::unwrap(updates[0].stored()).expect("one type"));
        match &op.update {
            Update::Set => begin.for_each(|from| walk.each(from, |[o, i]| out[o as usize] = u[i as usize])),
            Update::Combine(c) => {
                let f = binary::<T>(c.binary().expect("named"));
                combine(out, u, &walk, begin, f);
            }
        }
    });
    Ok(vec![Tensor::from_data(operand, data)?])
}

/// Combines updates with the elements they meet, run by run.
fn combine<T: Element>(out: &mut [T], u: &[T], walk: &Walk<2>, begin: impl Iterator<Item = [isize; 2]>, f: Zip<T, T>) {
    let mut old = Vec::new();
    for from in begin {
        match walk.run_steps {
            [1, step @ (0 | 1)] if walk.run > 1 => walk.runs(from, |[o, i]| {
                let met = &mut out[o as usize..][..walk.run];
                old.clear();
                old.extend_from_slice(met);
                let u = if step == 0 { Arg::One(u[i as usize]) } else { Arg::Each(&u[i as usize..][..walk.run]) };
                f(Arg::Each(&old), u, met);
            }),
            _ => walk.each(from, |[o, i]| {
                let met = out[o as usize];
                f(Arg::One(met), Arg::One(u[i as usize]), std::slice::from_mut(&mut out[o as usize]));
            }),
        }
    }
}

/// The same with a program that combines the elements of several arrays at once.
fn combine_by(
    program: &Plan,
    x: Vec<Tensor>,
    updates: &[Tensor],
    walk: &Walk<2>,
    begin: impl Iterator<Item = [isize; 2]>,
) -> Result<Vec<Tensor>> {
    let shape = x[0].shape().clone();
    let mut out: Vec<Data> = x.into_iter().map(Tensor::into_data).collect();
    let mut pairs = Vec::new();
    begin.for_each(|from| walk.each(from, |[o, i]| pairs.push((o as usize, i as usize))));
    let one = |s: Scalar| Tensor::splat(Shape::scalar(), s);
    for (o, i) in pairs {
        let met = out.iter().map(|d| one(d.get(o)));
        let y = program.run(met.chain(updates.iter().map(|u| one(u.get(i)))).collect())?;
        for (d, y) in out.iter_mut().zip(&y) {
            with_data!(d, v => v[o] = Element::unwrap(y.stored()).expect("the program keeps the type")[0]);
        }
    }
    out.into_iter().map(|d| Tensor::from_data(shape.clone(), d)).collect()
}
