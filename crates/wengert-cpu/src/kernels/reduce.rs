//! Reductions. A named combiner works through its elementwise loop: rows are combined into one row by a tree, which
//! keeps sums accurate and splits over threads, and a row into one element by halving. The tree depends on the shape
//! alone, so results do not depend on the number of threads.

use super::elementwise::{PARALLEL, arg};
use super::number::{Accumulate, Arg, Zip, binary};
use super::shape::{Stack, transpose};
use super::structure::{concatenate, slice};
use crate::Plan;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use wengert_core::backend::Executable;
use wengert_core::ops::{Combiner, Concatenate, Reduce, Slice};
use wengert_core::transform::batch;
use wengert_core::{Dims, Element, Program, Result, Shape, Tensor, with_dtype};

/// Elements of a row combined at a time.
const WIDTH: usize = 256;
/// Rows combined one after the other; more are halved first.
const ROWS: usize = 16;
/// As many elements as a program combines one by one.
const FEW: usize = 64;

pub(crate) fn reduce(op: &Reduce, x: Vec<Tensor>, nested: &[Plan]) -> Result<Vec<Tensor>> {
    let shape = x[0].shape().without_axes(&op.dims);
    match op.combiner {
        Combiner::Program(ref combiner) => fold(op, combiner, x, &nested[0], shape),
        _ => Ok(vec![with_dtype!(x[0].dtype(), T => named::<T>(op, &x[0], shape))]),
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

/// The operand with the reduced axes first.
fn reduced_first(x: &Tensor, dims: &[usize]) -> Tensor {
    let kept = (0..x.shape().rank()).filter(|d| !dims.contains(d));
    transpose(x, &dims.iter().copied().chain(kept).collect::<Dims>())
}

/// The operand with the reduced axes last.
fn reduced_last(x: &Tensor, dims: &[usize]) -> Tensor {
    let kept = (0..x.shape().rank()).filter(|d| !dims.contains(d));
    transpose(x, &kept.chain(dims.iter().copied()).collect::<Dims>())
}

fn named<T: Accumulate>(op: &Reduce, x: &Tensor, shape: Shape) -> Tensor {
    let f = binary::<T::Acc>(op.combiner.binary().expect("named"));
    let identity = op.combiner.identity(T::Acc::DTYPE).expect("named");
    let identity = T::Acc::unwrap(&identity.repeat(1)).expect("of the type")[0];
    let count = op.dims.iter().map(|&d| x.shape()[d]).product();
    let v = match arg::<T>(x) {
        Arg::One(x) => return Tensor::splat(shape, T::lower(repeated(T::lift_one(x), count, identity, f)).scalar()),
        // Nothing to combine, or nothing to give.
        _ if count == 0 || shape.size() == 0 => return Tensor::splat(shape, T::lower(identity).scalar()),
        Arg::Each(v) => v,
    };
    let copy;
    let (v, [_, rows, width]) = match three(x.shape(), &op.dims) {
        Some(sizes) => (v, sizes),
        None => {
            copy = reduced_last(x, &op.dims);
            (T::unwrap(copy.stored()).expect("of the type").as_slice(), [shape.size(), count, 1])
        }
    };
    let mut out = vec![T::default(); shape.size()];
    if width == 1 {
        // Elements of a row are combined as if they were several rows.
        let one = |(out, row): (&mut T, &[T])| *out = T::lower(combine(identity, whole::<T>(row, f), f));
        if v.len() <= PARALLEL {
            out.iter_mut().zip(v.chunks(rows)).for_each(one);
        } else {
            out.par_iter_mut().zip(v.par_chunks(rows)).with_min_len((PARALLEL / rows / 4).max(1)).for_each(one);
        }
    } else {
        let some = |(out, x): (&mut [T], &[T])| {
            for (i, out) in out.chunks_mut(WIDTH).enumerate() {
                let mut row = [identity; WIDTH];
                let row = &mut row[..out.len()];
                columns(&Rows { v: &x[i * WIDTH..], step: width, f }, 0..rows, row);
                out.iter_mut().zip(row).for_each(|(out, x)| *out = T::lower(combine(identity, *x, f)));
            }
        };
        if v.len() <= PARALLEL {
            out.chunks_mut(width).zip(v.chunks(rows * width)).for_each(some);
        } else {
            out.par_chunks_mut(width).zip(v.par_chunks(rows * width)).for_each(some);
        }
    }
    Tensor::new(shape, out).expect("one element for each of the shape")
}

fn combine<A: Element>(x: A, y: A, f: Zip<A, A>) -> A {
    let mut out = [x];
    f(Arg::One(x), Arg::One(y), &mut out);
    out[0]
}

/// `x` combined with itself, `n` times in all.
fn repeated<A: Element>(mut x: A, mut n: usize, identity: A, f: Zip<A, A>) -> A {
    let mut y = identity;
    while n > 0 {
        if n & 1 == 1 {
            y = combine(y, x, f);
        }
        x = combine(x, x, f);
        n >>= 1;
    }
    y
}

/// All elements of a slice that has some.
fn whole<T: Accumulate>(v: &[T], f: Zip<T::Acc, T::Acc>) -> T::Acc {
    let mut row = [T::Acc::default(); WIDTH];
    let rows = v.len() / WIDTH;
    let (mut n, rest) = if rows == 0 { (v.len(), &v[..0]) } else { (WIDTH, &v[rows * WIDTH..]) };
    columns(&Rows { v, step: WIDTH, f }, 0..rows.max(1), &mut row[..n]);
    if !rest.is_empty() {
        let (mut room, mut sum) = ([T::Acc::default(); WIDTH], [T::Acc::default(); WIDTH]);
        f(Arg::Each(&row[..rest.len()]), Arg::Each(T::lift(rest, &mut room)), &mut sum[..rest.len()]);
        row[..rest.len()].copy_from_slice(&sum[..rest.len()]);
    }
    // An odd element in the middle waits for the next round.
    let mut half = [T::Acc::default(); WIDTH / 2];
    while n > 1 {
        let (h, rest) = (n / 2, n.div_ceil(2));
        f(Arg::Each(&row[..h]), Arg::Each(&row[rest..n]), &mut half[..h]);
        row[..h].copy_from_slice(&half[..h]);
        n = rest;
    }
    row[0]
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
    let middle = rows.start + rows.len() / 2;
    let (first, second) = (rows.start..middle, middle..rows.end);
    if rows.len() * width > PARALLEL {
        rayon::join(|| columns(x, first, out), || columns(x, second, &mut other[..width]));
    } else {
        columns(x, first, out);
        columns(x, second, &mut other[..width]);
    }
    (x.f)(Arg::Each(out), Arg::Each(&other[..width]), &mut room[..width]);
    out.copy_from_slice(&room[..width]);
}

/// A combiner that is a program: one element after the other, from the starting values.
fn fold(op: &Reduce, combiner: &Program, mut x: Vec<Tensor>, plan: &Plan, shape: Shape) -> Result<Vec<Tensor>> {
    let start = x.split_off(x.len() / 2);
    let lines = shape.size();
    let count: usize = op.dims.iter().map(|&d| x[0].shape()[d]).product();
    // One step of all lines lies together.
    let steps: Vec<Tensor> = x.iter().map(|x| reduced_first(x, &op.dims).reshaped([count, lines])).collect();
    let y = match Lines::of(combiner) {
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
    Ok(y.into_iter().map(|y| y.reshaped(shape.clone())).collect())
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
            x.iter().map(|x| slice(&op, x)).collect()
        };
        let flat = |x: Vec<Tensor>, n: usize| x.into_iter().map(move |x| x.reshaped([n]));
        while count > ROWS {
            let (pairs, even) = (count / 2, count / 2 * 2);
            let both =
                [rows(&x, 0, even, 2), rows(&x, 1, even, 2)].map(|x| flat(x, pairs * lines)).into_iter().flatten();
            let mut y: Vec<Tensor> = self.plan(pairs * lines)?.run(both.collect())?;
            y = y.into_iter().map(|y| y.reshaped([pairs, lines])).collect();
            if even < count {
                let last = rows(&x, even, count, 1);
                y = y.into_iter().zip(last).map(|(y, last)| concatenate(&Concatenate { dim: 0 }, &[y, last])).collect();
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
