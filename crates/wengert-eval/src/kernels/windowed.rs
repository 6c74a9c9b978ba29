//! What lies under a moving window: reduced, or one element of it selected.

use super::elementwise::{converted, select};
use super::number::{Accumulate, Arg, Number, binary};
use super::parallel::blocks;
use super::shape::{Stack, made, transposed};
use super::window::{combined, places, turns};
use crate::Plan;
use std::sync::Arc;
use wengert_core::ops::{Combiner, ReduceWindow, SelectAndGather, SelectAndScatter, Selector, Window, WindowAxis};
use wengert_core::{
    Builder, Element, Program, Result, Shape, Tensor, Type, View, ViewMut, transform, with_dtype, with_word,
};

pub(crate) fn reduce_window(op: &ReduceWindow, x: &[View<'_>], y: &mut [ViewMut<'_>]) -> Result<()> {
    let dense: Vec<Tensor> = x.iter().map(|x| made(&x.ty(), |y| y.copy_from(*x))).collect();
    let out = match &op.combiner {
        Combiner::Program(p) => fold(p, &op.window, &dense)?,
        named => vec![with_dtype!(x[0].dtype(), T => {
            type Acc = <T as Accumulate>::Acc;
            // Along one axis short floats are rounded at each step, as XLA does it. Along several it goes through the
            // elements in another order than this, so more bits are nearer.
            match op.window.axes().iter().filter(|w| !w.stays()).count() {
                1 => axis_by_axis::<T>(op, named, &dense[0]),
                _ => converted(&axis_by_axis::<Acc>(op, named, &converted(&dense[0], Acc::DTYPE)), T::DTYPE),
            }
        })],
    };
    y.iter_mut().zip(out).for_each(|(y, out)| y.copy_from(out.view()));
    Ok(())
}

/// Named combiners: one axis after the other, by rows.
fn axis_by_axis<T: Number>(op: &ReduceWindow, combiner: &Combiner, x: &Tensor) -> Tensor {
    let f = binary::<T>(combiner.binary().expect("named"));
    let identity: T = combiner.identity(T::DTYPE).expect("named").element();
    let mut x = x.clone();
    for (d, w) in op.window.axes().iter().enumerate().filter(|(_, w)| !w.stays()) {
        let (n, mut shape) = (x.shape()[d], x.shape().clone());
        shape.0[d] = w.positions(n);
        let width: usize = x.shape()[d + 1..].iter().product();
        let v = x.elements::<T>();
        let row = |i: usize| i * width..(i + 1) * width;
        let block = |i: usize, out: &mut [T]| {
            let x = &v[i * n * width..(i + 1) * n * width];
            let mut next = vec![identity; width];
            for turn in turns(w, n) {
                if let Some(from) = turn.from {
                    out.copy_within(row(from), row(turn.at).start);
                }
                let out = &mut out[row(turn.at)];
                for i in turn.elements() {
                    f(Arg::Each(out), Arg::Each(&x[row(i)]), &mut next);
                    out.copy_from_slice(&next);
                }
            }
        };
        let work = x.shape()[..d].iter().product::<usize>() * width * combined(w, n);
        let each = shape[d] * width;
        x = Tensor::write(shape, |out: &mut [T]| {
            out.fill(identity);
            blocks(out, each, work, &block);
        });
    }
    x
}

/// What a window sees of an array `[outer, middle, inner]`, of which it moves over the middle.
struct Under {
    positions: Shape,
    outer: usize,
    inner: usize,
    /// For each axis in the middle: its length, how the window moves there, and at which of its places there is an
    /// element from some position.
    middle: Vec<(usize, WindowAxis, Vec<usize>)>,
}

impl Under {
    fn new(window: &Window, shape: &Shape) -> Under {
        let axes = window.axes();
        let first = axes.iter().position(|w| !w.stays()).unwrap_or(axes.len());
        let end = axes.iter().rposition(|w| !w.stays()).map_or(first, |d| d + 1);
        let axis = |d: usize| {
            let (n, w) = (shape[d], axes[d]);
            (n, w, places(&w, n, 0..w.positions(n)))
        };
        Under {
            positions: window.positions(shape),
            outer: shape[..first].iter().product(),
            inner: shape[end..].iter().product(),
            middle: (first..end).map(axis).collect(),
        }
    }

    /// The number of places of the window.
    fn places(&self) -> usize {
        self.middle.iter().map(|(_, _, places)| places.len()).product()
    }

    /// For each position, the flat position of the element at a place of the window.
    fn at(&self, place: usize) -> Vec<Option<usize>> {
        let mut below = self.places();
        let mut place = place;
        let mut sites: Vec<Option<usize>> = (0..self.outer).map(Some).collect();
        for (n, w, places) in &self.middle {
            below /= places.len();
            let k = places[place / below];
            place %= below;
            let along: Vec<Option<usize>> = (0..w.positions(*n)).map(|at| w.element(*n, at, k)).collect();
            let next = |site: Option<usize>| along.iter().map(move |i| Some(site? * n + (*i)?));
            sites = sites.into_iter().flat_map(next).collect();
        }
        let inside = |site: Option<usize>| (0..self.inner).map(move |i| Some(site? * self.inner + i));
        sites.into_iter().flat_map(inside).collect()
    }
}

/// The elements at these flat positions, or `hole` where there is none.
fn at_sites(x: View<'_>, sites: &[Option<usize>], hole: View<'_>, y: &mut ViewMut<'_>) {
    with_word!(x.dtype(), W => {
        let (v, hole) = (x.words::<W>(), hole.words::<W>()[0]);
        let at = sites.iter().map(|i| i.map_or(hole, |i| v[if x.is_splat() { 0 } else { i }]));
        // SAFETY: what is written are elements of the operand, or the hole: of the type of the result.
        let room = unsafe { y.words::<W>() };
        room.iter_mut().zip(at).for_each(|(y, x)| *y = x);
    });
}

/// The same as a line of its own.
fn line_at(x: &Tensor, sites: &[Option<usize>], hole: &Tensor) -> Tensor {
    made(&x.ty().with_shape([sites.len()]), |y| at_sites(x.view(), sites, hole.view(), y))
}

/// `new` where the mask says so, else `old`.
fn chosen(mask: &Tensor, new: &Tensor, old: &Tensor) -> Tensor {
    made(&old.ty(), |y| select(mask.view(), new.view(), old.view(), y))
}

/// A program on scalars, for `n` of each at a time.
fn over_elements(program: &Program, n: usize) -> Result<Plan> {
    let (batched, _) =
        transform::batch(program, n, None, &vec![true; program.inputs().len()], &vec![true; program.outputs().len()])?;
    Ok(Plan::new(Arc::new(batched)))
}

/// A combiner that is a program: place by place, for all positions at once.
fn fold(program: &Program, window: &Window, x: &[Tensor]) -> Result<Vec<Tensor>> {
    let (x, start) = x.split_at(x.len() / 2);
    let under = Under::new(window, x[0].shape());
    if let [(n, w, places)] = &under.middle[..]
        && combined(w, *n) <= 2 * places.len()
    {
        return by_turns(program, (w, *n), &under, x, start);
    }
    let n = under.positions.size();
    let plan = over_elements(program, n)?;
    let mut sofar: Vec<Tensor> = start.iter().map(|s| Tensor::splat([n], s.get(0))).collect();
    for place in 0..under.places() {
        let sites = under.at(place);
        let next = x.iter().zip(start).map(|(x, s)| line_at(x, &sites, s));
        let combined = plan.run(sofar.iter().cloned().chain(next).collect())?;
        let there = Tensor::new([n], sites.iter().map(Option::is_some).collect())?;
        sofar = sofar.iter().zip(&combined).map(|(old, new)| chosen(&there, new, old)).collect();
    }
    Ok(sofar.into_iter().map(|s| s.reshaped(under.positions.clone())).collect())
}

/// A combiner that is a program, and a window that grows or shrinks along one axis: position by position.
fn by_turns(
    program: &Program,
    (w, n): (&WindowAxis, usize),
    under: &Under,
    x: &[Tensor],
    start: &[Tensor],
) -> Result<Vec<Tensor>> {
    let Under { outer, inner, .. } = *under;
    let (positions, width) = (w.positions(n), outer * inner);
    let plan = over_elements(program, width)?;
    let turned = |x: &Tensor| transposed(&x.reshaped([outer, n, inner]), &[1, 0, 2]).dense().reshaped([n, width]);
    let rows: Vec<Tensor> = x.iter().map(turned).collect();
    let first: Vec<Tensor> = start.iter().map(|s| Tensor::splat([width], s.get(0))).collect();
    let mut out: Vec<Stack> = first.iter().map(|s| Stack::new(&s.ty(), positions)).collect();
    let mut last = (None, first.clone());
    for turn in turns(w, n) {
        let mut sofar = match turn.from {
            None => first.clone(),
            from if from == last.0 => last.1,
            Some(from) => out.iter().map(|s| s.slice(from)).collect(),
        };
        for i in turn.elements() {
            sofar = plan.run(sofar.into_iter().chain(rows.iter().map(|x| x.leading_slice(i))).collect())?;
        }
        out.iter_mut().zip(&sofar).for_each(|(stack, y)| stack.put(turn.at, y));
        last = (Some(turn.at), sofar);
    }
    let back = |y: Tensor| transposed(&y.reshaped([positions, outer, inner]), &[1, 0, 2]).dense();
    Ok(out.into_iter().map(|s| back(s.finish()).reshaped(under.positions.clone())).collect())
}

/// For each position of the window, the flat position of the element selected under it.
fn selected(select: &Selector, window: &Window, x: View<'_>) -> Result<Vec<Option<usize>>> {
    let x = made(&x.ty(), |y| y.copy_from(x));
    let under = Under::new(window, x.shape());
    let n = under.positions.size();
    let plan = match select {
        Selector::Named(direction) => {
            let mut b = Builder::new();
            let pair = b.inputs(&vec![Type::new(x.dtype(), [n]); 2]);
            let keeps = b.compare(*direction, pair[0], pair[1]);
            Plan::new(Arc::new(b.finish(&[keeps])))
        }
        Selector::Program(p) => over_elements(p, n)?,
    };
    let hole = Tensor::splat(Shape::scalar(), Tensor::zeros(&x.ty()).get(0));
    let mut found: Vec<Option<usize>> = vec![None; n];
    let mut best = Tensor::splat([n], hole.get(0));
    for place in 0..under.places() {
        let sites = under.at(place);
        let next = line_at(&x, &sites, &hole);
        let keep = plan.run(vec![best.clone(), next.clone()])?.remove(0).dense();
        let keep = keep.elements::<bool>();
        let mut kept = vec![true; n];
        for (i, site) in sites.into_iter().enumerate().filter(|(_, site)| site.is_some()) {
            if found[i].is_none() || !keep[i] {
                (found[i], kept[i]) = (site, false);
            }
        }
        best = chosen(&Tensor::new([n], kept)?, &best, &next);
    }
    Ok(found)
}

pub(crate) fn select_and_gather(
    op: &SelectAndGather,
    x: View<'_>,
    source: View<'_>,
    y: &mut ViewMut<'_>,
) -> Result<()> {
    let sites = selected(&op.select, &op.window, x)?;
    let zero = Tensor::zeros(&Type::scalar(source.dtype()));
    at_sites(source, &sites, zero.view(), y);
    Ok(())
}

pub(crate) fn select_and_scatter(
    op: &SelectAndScatter,
    x: &[View<'_>],
    y: &mut ViewMut<'_>,
    nested: &[Plan],
) -> Result<()> {
    let sites = selected(&op.select, &op.window, x[0])?;
    let source = x[1];
    let pairs = sites.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?)));
    with_dtype!(source.dtype(), T => {
        let v = source.elements::<T>();
        let at = |i: usize| v[if source.is_splat() { 0 } else { i }];
        let start: T = op.combiner.identity(T::DTYPE).unwrap_or_else(|| x[2].get(0)).element();
        let out = y.elements::<T>();
        out.fill(start);
        match op.combiner.binary() {
            Some(op) => {
                let f = binary::<T>(op);
                for (from, to) in pairs {
                    let old = out[to];
                    f(Arg::One(old), Arg::One(at(from)), &mut out[to..to + 1]);
                }
            }
            None => {
                let combine = nested.last().expect("the combining program");
                for (from, to) in pairs {
                    let y = combine.run(vec![Tensor::scalar(out[to]), Tensor::scalar(at(from))])?;
                    out[to] = y[0].get(0).element();
                }
            }
        }
    });
    Ok(())
}
