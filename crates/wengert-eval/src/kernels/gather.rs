//! Windows read from and written to places that an array of indices gives.

use super::number::{Arg, Zip, binary};
use super::parallel::fill;
use super::shape::{self, Walk, made, strides};
use super::structure::stored_steps;
use crate::Plan;
use wengert_core::host::Word;
use wengert_core::ops::{Combiner, Gather, Indexing, OutOfBounds, Scatter, Update};
use wengert_core::{Element, Result, Scalar, Shape, Tensor, View, ViewMut, with_dtype, with_word};

/// For each index vector in row-major order, the position of the first element of its window, which has these sizes
/// along the operand's axes. Windows that do not fit are moved to where they do with `clip`, and have none otherwise.
fn windows(at: &Indexing, operand: &Shape, sizes: &[usize], indices: View<'_>, clip: bool) -> Vec<Option<usize>> {
    let (steps, own) = (stored_steps(&indices), strides(operand));
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
    let v = whole_numbers(indices);
    Walk::new(&places, [&kept(&steps), &kept(&along)]).each([0, 0], |[i, batch]| {
        let mut position = batch;
        for (k, &(stride, last)) in axes.iter().enumerate() {
            let index = v[(i + k as isize * component) as usize];
            match last {
                Some(last) if clip || (0..=last).contains(&index) => position += index.clamp(0, last) as isize * stride,
                _ => return out.push(None),
            }
        }
        out.push(Some(position as usize));
    });
    out
}

/// Stored indices; unsigned ones past all limits are the largest.
fn whole_numbers(indices: View<'_>) -> Vec<i64> {
    with_dtype!(indices.dtype(), T => {
        let number = |x: &T| x.scalar().as_i64().unwrap_or(i64::MAX);
        indices.elements::<T>().iter().map(number).collect()
    })
}

/// A window of an operand: its shape, and the steps through the operand's elements along it.
fn window(at: &Indexing, operand: &Shape, sizes: &[usize]) -> (Shape, Vec<isize>) {
    let (axes, own) = (at.window_axes(operand.rank()), strides(operand));
    (axes.iter().map(|&d| sizes[d]).collect(), axes.iter().map(|&d| own[d]).collect())
}

pub(crate) fn gather(op: &Gather, x: View<'_>, indices: View<'_>, y: &mut ViewMut<'_>) {
    let (filler, clip) = match op.out_of_bounds {
        OutOfBounds::Clip => (Scalar::from_i64(y.dtype(), 0), true),
        OutOfBounds::Fill(s) => (s, false),
    };
    let filler = Tensor::splat(Shape::scalar(), filler);
    if x.size() == 0 {
        return shape::fill(y, filler.view());
    }
    let at = &op.indexing;
    let starts = windows(at, x.shape(), &op.slice_sizes, indices, clip);
    let (window, steps) = window(at, x.shape(), &op.slice_sizes);
    let steps = if x.is_splat() { vec![0; steps.len()] } else { steps };
    let walk = Walk::new(&window, [&steps]);
    let starts: Vec<Option<usize>> = match x.is_splat() {
        true => starts.into_iter().map(|s| s.map(|_| 0)).collect(),
        false => starts,
    };
    // The windows stand one after the other; their axes may have to come elsewhere.
    let rank = y.shape().rank();
    let places = at.place_dims(rank);
    let place = |d: usize| match at.window_dims.iter().position(|&w| w == d) {
        Some(k) => places.len() + k,
        None => places.iter().position(|&p| p == d).expect("any other axis"),
    };
    let order: Vec<usize> = (0..rank).map(place).collect();
    let write = |y: &mut ViewMut<'_>| {
        with_word!(x.dtype(), W => {
            // SAFETY: what is written are elements of the operand, or the one that fills: of the type of the result.
            let room = unsafe { y.words::<W>() };
            read(x.words::<W>(), &starts, &walk, window.size(), filler.view().words::<W>()[0], room)
        });
    };
    if order.is_sorted() {
        return write(y);
    }
    let ordered: Shape = places.iter().map(|&d| y.shape()[d]).chain(window.iter().copied()).collect();
    let ordered = made(&x.ty().with_shape(ordered), write);
    shape::transpose(&order, ordered.view(), y);
}

fn read<W: Word>(v: &[W], starts: &[Option<usize>], window: &Walk<1>, size: usize, filler: W, out: &mut [W]) {
    if size == 1 {
        return fill(out, &|range, out| {
            out.iter_mut().zip(&starts[range]).for_each(|(o, start)| *o = start.map_or(filler, |s| v[s]));
        });
    }
    if window.run == size && window.run_steps == [1] {
        // Whole rows. A range may begin and end inside one.
        return fill(out, &|range, out| {
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
    for (start, out) in starts.iter().zip(out.chunks_mut(size.max(1))) {
        match start {
            Some(start) => shape::read(v, *start as isize, window, out),
            None => out.fill(filler),
        }
    }
}

/// The results may lie where the operands do.
pub(crate) fn scatter(op: &Scatter, x: &[View<'_>], y: &mut [ViewMut<'_>], nested: &[Plan]) -> Result<()> {
    let n = y.len();
    let (operands, indices, updates) = (&x[..n], x[n], &x[n + 1..]);
    y.iter_mut().zip(operands).for_each(|(y, x)| y.copy_from(*x));
    let operand = y[0].shape();
    if operand.size() == 0 {
        return Ok(());
    }
    let at = &op.indexing;
    // The windows one after the other, as they are written.
    let places = at.place_dims(updates[0].shape().rank());
    let order: Vec<usize> = places.iter().chain(&at.window_dims).copied().collect();
    let shape: Shape = order.iter().map(|&d| updates[0].shape()[d]).collect();
    let copies: Vec<Option<Tensor>> = updates.iter().map(|u| in_order(*u, &order, &shape)).collect();
    let updates = updates.iter().zip(&copies).map(|(u, copy)| copy.as_ref().map_or(*u, Tensor::view));
    let updates: Vec<View<'_>> = updates.collect();
    let mut sizes = vec![1; operand.rank()];
    for (d, &n) in at.window_axes(operand.rank()).iter().zip(&shape[places.len()..]) {
        sizes[*d] = n;
    }
    let starts = windows(at, operand, &sizes, indices, false);
    let (window, steps) = window(at, operand, &sizes);
    let splat = updates.iter().all(View::is_splat);
    let inner = if splat { vec![0; window.rank()] } else { strides(&shape)[places.len()..].to_vec() };
    let walk = Walk::new(&window, [&steps, &inner]);
    let each = if splat { 0 } else { window.size() };
    let begin = starts.iter().enumerate().filter_map(|(k, s)| s.map(|s| [s as isize, (k * each) as isize]));
    match &op.update {
        Update::Combine(Combiner::Program(_)) => return combine_by(&nested[0], y, &updates, &walk, begin),
        Update::Set => with_word!(y[0].dtype(), W => {
            let u = updates[0].words::<W>();
            // SAFETY: what is written are elements of the updates, which have the type of the result.
            let out = unsafe { y[0].words::<W>() };
            begin.for_each(|from| walk.each(from, |[o, i]| out[o as usize] = u[i as usize]));
        }),
        Update::Combine(c) => with_dtype!(y[0].dtype(), T => {
            let f = binary::<T>(c.binary().expect("named"));
            combine(y[0].elements::<T>(), updates[0].elements::<T>(), &walk, &mut begin.clone(), f);
        }),
    }
    Ok(())
}

/// An operand with its axes in another order, unless it can be read as it is.
fn in_order(x: View<'_>, order: &[usize], shape: &Shape) -> Option<Tensor> {
    (!order.is_sorted() && !x.is_splat())
        .then(|| made(&x.ty().with_shape(shape.clone()), |y| shape::transpose(order, x, y)))
}

/// Combines updates with the elements they meet, run by run.
fn combine<T: Element>(
    out: &mut [T],
    u: &[T],
    walk: &Walk<2>,
    begin: &mut dyn Iterator<Item = [isize; 2]>,
    f: Zip<T, T>,
) {
    let mut old = Vec::new();
    for from in begin {
        match walk.run_steps {
            [1, step @ (0 | 1)] if walk.run > 1 => walk.runs(from, &mut |[o, i]| {
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
    y: &mut [ViewMut<'_>],
    updates: &[View<'_>],
    walk: &Walk<2>,
    begin: impl Iterator<Item = [isize; 2]>,
) -> Result<()> {
    let mut pairs = Vec::new();
    begin.for_each(|from| walk.each(from, |[o, i]| pairs.push((o as usize, i as usize))));
    let one = |s: Scalar| Tensor::splat(Shape::scalar(), s);
    for (o, i) in pairs {
        let met: Vec<Tensor> = y.iter_mut().map(|y| one(element(y, o))).collect();
        let new = program.run(met.into_iter().chain(updates.iter().map(|u| one(u.get(i)))).collect())?;
        for (y, new) in y.iter_mut().zip(&new) {
            with_dtype!(y.dtype(), T => y.elements::<T>()[o] = new.get(0).element());
        }
    }
    Ok(())
}

fn element(y: &mut ViewMut<'_>, at: usize) -> Scalar {
    with_dtype!(y.dtype(), T => y.elements::<T>()[at].scalar())
}
