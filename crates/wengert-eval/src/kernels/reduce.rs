//! Reductions. A named combiner works through its elementwise loop: rows are combined into one row by a tree, which
//! keeps sums accurate and splits over threads, and a row into one element by halving. The tree depends on the shape
//! alone, so results do not depend on the number of threads: blocks of [`ROWS`] rows one row after the other, and blocks as
//! a binary tree, so that they can be combined in their order as they come. Compiled code follows it.

use super::elementwise::arg;
use super::number::{Accumulate, Arg, Zip, binary};
use super::parallel::{Parts, each, join};
use super::shape::{Stack, made};
use super::structure::{concatenate, slice};
use crate::Plan;
use std::ops::Range;
use std::sync::Arc;
use wengert_core::ops::{Combiner, Concatenate, Reduce, Slice};
use wengert_core::transform::batch;
use wengert_core::{Dims, Element, Program, Result, Shape, Tensor, View, ViewMut, with_dtype};

/// Elements of a row combined at a time.
const WIDTH: usize = 256;
/// Rows combined one after the other; more are several blocks of as many.
const ROWS: usize = 16;

/// How many of these rows, more than one block, are combined before the others: the largest tree of whole blocks.
fn first_half(rows: usize) -> usize {
    ROWS * rows.div_ceil(ROWS).next_power_of_two() / 2
}
/// As many elements as a program combines one by one.
const FEW: usize = 64;

pub(crate) fn reduce(op: &Reduce, x: &[View<'_>], y: &mut [ViewMut<'_>], nested: &[Plan]) -> Result<()> {
    match op.combiner {
        Combiner::Program(ref combiner) => fold(op, combiner, x, &nested[0], y),
        _ => {
            with_dtype!(x[0].dtype(), T => named::<T>(op, x[0], &mut y[0]));
            Ok(())
        }
    }
}

/// The shape as three axes (kept, reduced, kept), where the reduced axes lie together.
fn three(shape: &Shape, dims: &[usize]) -> Option<[usize; 3]> {
    let mut sizes = [1; 3];
    let mut at = 0;
    for (d, &n) in shape.iter().enumerate().filter(|(_, n)| **n != 1) {
        let reduced = dims.contains(&d);
        if reduced != (at == 1) {
            at += 1;
        }
        *sizes.get_mut(at)? *= n;
    }
    Some(sizes)
}

/// The reduced axes, then the others.
fn reduced_first(rank: usize, dims: &[usize]) -> Dims {
    dims.iter().copied().chain((0..rank).filter(|d| !dims.contains(d))).collect()
}

/// The axes that stay, then the reduced ones.
fn reduced_last(rank: usize, dims: &[usize]) -> Dims {
    (0..rank).filter(|d| !dims.contains(d)).chain(dims.iter().copied()).collect()
}

fn named<T: Accumulate>(op: &Reduce, x: View<'_>, y: &mut ViewMut<'_>) {
    let f = binary::<T::Acc>(op.combiner.binary().expect("named"));
    let identity: T::Acc = op.combiner.identity(T::Acc::DTYPE).expect("named").element();
    let count = op.dims.iter().map(|&d| x.shape()[d]).product();
    let (lines, out) = (y.size(), y.elements::<T>());
    if count == 0 || lines == 0 {
        return out.fill(T::lower(identity));
    }
    let sizes = three(x.shape(), &op.dims);
    let [_, rows, width] = sizes.unwrap_or([lines, count, 1]);
    let v = match arg::<T>(&x) {
        Arg::One(x) => {
            // All lines are alike, and so are the rows: the tree of the dense array on one of each.
            let x = T::lift_one(x);
            let line = if width == 1 { whole_alike(x, rows, f) } else { rows_alike(x, rows, f) };
            return out.fill(T::lower(combine(identity, line, f)));
        }
        Arg::Each(v) => v,
    };
    let copy;
    let v = match sizes {
        Some(_) => v,
        None => {
            let order = reduced_last(x.shape().rank(), &op.dims);
            let shape: Shape = order.iter().map(|&d| x.shape()[d]).collect();
            copy = made(&x.ty().with_shape(shape), |y| super::shape::transpose(&order, x, y));
            copy.elements::<T>()
        }
    };
    let work = v.len();
    let parts = Parts::of(out);
    if width == 1 {
        // Elements of a row are combined as if they were several rows.
        let some = (super::parallel::PARALLEL / rows / 4).max(1);
        each(lines.div_ceil(some), work, &|i| {
            let range = i * some..lines.min((i + 1) * some);
            // SAFETY: ranges do not overlap.
            let out = unsafe { parts.part(range.clone()) };
            for (out, row) in out.iter_mut().zip(v[range.start * rows..range.end * rows].chunks(rows)) {
                *out = T::lower(combine(identity, whole::<T>(row, f), f));
            }
        });
    } else {
        each(lines / width, work, &|i| {
            let x = &v[i * rows * width..(i + 1) * rows * width];
            // SAFETY: blocks of lines do not overlap.
            let out = unsafe { parts.part(i * width..(i + 1) * width) };
            for (i, out) in out.chunks_mut(WIDTH).enumerate() {
                let mut row = [identity; WIDTH];
                let row = &mut row[..out.len()];
                columns(&Rows { v: &x[i * WIDTH..], step: width, f }, 0..rows, row);
                out.iter_mut().zip(row).for_each(|(out, x)| *out = T::lower(combine(identity, *x, f)));
            }
        });
    }
}

fn combine<A: Element>(x: A, y: A, f: Zip<A, A>) -> A {
    let mut out = [x];
    f(Arg::One(x), Arg::One(y), &mut out);
    out[0]
}

/// What [`columns`] makes of rows that are all `x`, at least one.
fn rows_alike<A: Element>(x: A, rows: usize, f: Zip<A, A>) -> A {
    /// Parts of parts have few sizes.
    fn tree<A: Element>(x: A, rows: usize, f: Zip<A, A>, known: &mut Vec<(usize, A)>) -> A {
        if rows <= ROWS {
            return (1..rows).fold(x, |sum, _| combine(sum, x, f));
        }
        if let Some((_, y)) = known.iter().find(|(n, _)| *n == rows) {
            return *y;
        }
        let half = first_half(rows);
        let (first, second) = (tree(x, half, f, known), tree(x, rows - half, f, known));
        let y = combine(first, second, f);
        known.push((rows, y));
        y
    }
    tree(x, rows, f, &mut Vec::new())
}

/// What [`whole`] makes of `n` elements that are all `x`.
fn whole_alike<A: Element>(x: A, n: usize, f: Zip<A, A>) -> A {
    let rows = n / WIDTH;
    let (width, rest) = if rows == 0 { (n, 0) } else { (WIDTH, n % WIDTH) };
    let sum = rows_alike(x, rows.max(1), f);
    let mut row = [sum; WIDTH];
    row[..rest].fill(combine(sum, x, f));
    halve(&mut row[..width], f)
}

/// Combines the elements of a row, at least one, by halves. An odd element in the middle waits for the next round.
fn halve<A: Element>(row: &mut [A], f: Zip<A, A>) -> A {
    let mut half = [A::default(); WIDTH / 2];
    let mut n = row.len();
    while n > 1 {
        let (h, rest) = (n / 2, n.div_ceil(2));
        f(Arg::Each(&row[..h]), Arg::Each(&row[rest..n]), &mut half[..h]);
        row[..h].copy_from_slice(&half[..h]);
        n = rest;
    }
    row[0]
}

/// All elements of a slice that has some.
fn whole<T: Accumulate>(v: &[T], f: Zip<T::Acc, T::Acc>) -> T::Acc {
    let mut row = [T::Acc::default(); WIDTH];
    let rows = v.len() / WIDTH;
    let (n, rest) = if rows == 0 { (v.len(), &v[..0]) } else { (WIDTH, &v[rows * WIDTH..]) };
    columns(&Rows { v, step: WIDTH, f }, 0..rows.max(1), &mut row[..n]);
    if !rest.is_empty() {
        let (mut room, mut sum) = ([T::Acc::default(); WIDTH], [T::Acc::default(); WIDTH]);
        f(Arg::Each(&row[..rest.len()]), Arg::Each(T::lift(rest, &mut room)), &mut sum[..rest.len()]);
        row[..rest.len()].copy_from_slice(&sum[..rest.len()]);
    }
    halve(&mut row[..n], f)
}

/// Rows of a slice, each `step` after the one before.
struct Rows<'a, T: Accumulate> {
    v: &'a [T],
    step: usize,
    f: Zip<T::Acc, T::Acc>,
}

/// Combines some rows, at least one, into `out`, which is as wide as they are and no wider than [`WIDTH`].
fn columns<T: Accumulate>(x: &Rows<'_, T>, rows: Range<usize>, out: &mut [T::Acc]) {
    let width = out.len();
    let at = |i: usize| &x.v[i * x.step..i * x.step + width];
    let mut other = [T::Acc::default(); WIDTH];
    let mut room = [T::Acc::default(); WIDTH];
    if rows.len() <= ROWS {
        out.copy_from_slice(T::lift(at(rows.start), &mut room));
        for i in rows.skip(1) {
            (x.f)(Arg::Each(out), Arg::Each(T::lift(at(i), &mut room)), &mut other[..width]);
            out.copy_from_slice(&other[..width]);
        }
        return;
    }
    let middle = rows.start + first_half(rows.len());
    let (first, second) = (rows.start..middle, middle..rows.end);
    let work = rows.len() * width;
    join(work, &mut || columns(x, first.clone(), out), &mut || columns(x, second.clone(), &mut other[..width]));
    (x.f)(Arg::Each(out), Arg::Each(&other[..width]), &mut room[..width]);
    out.copy_from_slice(&room[..width]);
}

/// A combiner that is a program: one element after the other, from the starting values.
fn fold(op: &Reduce, combiner: &Program, x: &[View<'_>], plan: &Plan, y: &mut [ViewMut<'_>]) -> Result<()> {
    let (x, start) = x.split_at(x.len() / 2);
    let lines = y[0].size();
    let count: usize = op.dims.iter().map(|&d| x[0].shape()[d]).product();
    let order = reduced_first(x[0].shape().rank(), &op.dims);
    let shape: Shape = order.iter().map(|&d| x[0].shape()[d]).collect();
    // One step of all lines lies together.
    let steps = x.iter().map(|x| made(&x.ty().with_shape(shape.clone()), |y| super::shape::transpose(&order, *x, y)));
    let steps: Vec<Tensor> = steps.map(|x| x.into_reshaped([count, lines])).collect();
    let start: Vec<Tensor> = start.iter().map(|s| Tensor::splat(Shape::scalar(), s.get(0))).collect();
    let out = match Lines::of(combiner) {
        Some(all) if count * lines > FEW => all.fold(&start, steps, count, lines)?,
        _ => {
            let mut out: Vec<Stack> = start.iter().map(|s| Stack::new(&s.ty(), lines)).collect();
            for i in 0..lines {
                let mut sofar = start.clone();
                for j in 0..count {
                    sofar.extend(steps.iter().map(|x| Tensor::splat(Shape::scalar(), x.get(j * lines + i))));
                    sofar = plan.run(sofar)?;
                }
                out.iter_mut().zip(&sofar).for_each(|(out, s)| out.put(i, s));
            }
            out.into_iter().map(Stack::finish).collect()
        }
    };
    y.iter_mut().zip(out).for_each(|(y, out)| y.copy_from(out.reshaped(y.shape().clone()).view()));
    Ok(())
}

/// A combiner that runs on many elements at once, its program batched.
struct Lines<'a>(&'a Program);

impl<'a> Lines<'a> {
    /// None if an op of the program has no rule for that.
    fn of(combiner: &'a Program) -> Option<Lines<'a>> {
        let lines = Lines(combiner);
        lines.plan(1).ok().map(|_| lines)
    }

    /// The program over this many elements.
    fn plan(&self, size: usize) -> Result<Plan> {
        let (takes, gives) = (vec![true; self.0.inputs().len()], vec![true; self.0.outputs().len()]);
        Ok(Plan::new(Arc::new(batch(self.0, size, None, &takes, &gives)?.0)))
    }

    /// Combines the rows of `[count, lines]`. Many are first combined with their neighbours, by halves: the order of the
    /// elements stays, and combiners are associative.
    fn fold(&self, start: &[Tensor], mut x: Vec<Tensor>, mut count: usize, lines: usize) -> Result<Vec<Tensor>> {
        let rows = |x: &[Tensor], from: usize, to: usize, step: usize| -> Vec<Tensor> {
            let dims = |d: [usize; 2]| Dims::from_slice(&d);
            let op = Slice { start: dims([from, 0]), limit: dims([to, lines]), strides: dims([step, 1]) };
            let ty = |x: &Tensor| x.ty().with_shape([(to - from).div_ceil(step), lines]);
            x.iter().map(|x| made(&ty(x), |y| slice(&op, x.view(), y))).collect()
        };
        let flat = |x: Vec<Tensor>, n: usize| x.into_iter().map(move |x| x.into_reshaped([n]));
        while count > ROWS {
            let (pairs, even) = (count / 2, count / 2 * 2);
            let both =
                [rows(&x, 0, even, 2), rows(&x, 1, even, 2)].map(|x| flat(x, pairs * lines)).into_iter().flatten();
            let mut y: Vec<Tensor> = self.plan(pairs * lines)?.run(both.collect())?;
            y = y.into_iter().map(|y| y.reshaped([pairs, lines])).collect();
            if even < count {
                let last = rows(&x, even, count, 1);
                let both = |(y, last): (Tensor, Tensor)| {
                    let ty = y.ty().with_shape([pairs + 1, lines]);
                    made(&ty, |out| concatenate(&Concatenate { dim: 0 }, &[y.view(), last.view()], out))
                };
                y = y.into_iter().zip(last).map(both).collect();
            }
            (x, count) = (y, count - pairs);
        }
        let plan = self.plan(lines)?;
        let mut sofar: Vec<Tensor> = start.iter().map(|s| Tensor::splat([lines], s.get(0))).collect();
        for j in 0..count {
            sofar.extend(flat(rows(&x, j, j + 1, 1), lines));
            sofar = plan.run(sofar)?;
        }
        Ok(sofar)
    }
}
