//! What lies under a moving window: reduced, or one element of it selected.

use super::elementwise::{blocks, convert, elements};
use super::number::{Accumulate, Arg, Number, binary};
use super::window::{Seen, sites};
use crate::Plan;
use std::sync::Arc;
use wengert_core::backend::Executable;
use wengert_core::ops::{Combiner, ReduceWindow, SelectAndGather, SelectAndScatter, Selector, Window, WindowAxis};
use wengert_core::{Builder, Element, Program, Result, Shape, Tensor, Type, transform, with_data, with_dtype};

pub(crate) fn reduce_window(op: &ReduceWindow, x: Vec<Tensor>) -> Result<Vec<Tensor>> {
    match &op.combiner {
        Combiner::Program(p) => fold(p, &op.window, x),
        named => Ok(vec![with_dtype!(x[0].dtype(), T => {
            type Acc = <T as Accumulate>::Acc;
            // Along one axis short floats are rounded at each step, as XLA does it. Along several it goes through the
            // elements in another order than this, so more bits are nearer.
            if op.window.axes().iter().filter(|w| !stays(w)).count() == 1 {
                return Ok(vec![axis_by_axis::<T>(op, named, &x[0])]);
            }
            convert(&axis_by_axis::<Acc>(op, named, &convert(&x[0], Acc::DTYPE)), T::DTYPE)
        })]),
    }
}

/// Named combiners: one axis after the other, by rows.
fn axis_by_axis<T: Number>(op: &ReduceWindow, combiner: &Combiner, x: &Tensor) -> Tensor {
    let f = binary::<T>(combiner.binary().expect("named"));
    let identity = T::unwrap(&combiner.identity(T::DTYPE).expect("named").repeat(1)).expect("of the type")[0];
    let mut x = x.dense();
    for (d, w) in op.window.axes().iter().enumerate().filter(|(_, w)| !stays(w)) {
        let (n, mut shape) = (x.shape()[d], x.shape().clone());
        let positions = w.positions(n);
        shape.0[d] = positions;
        let width: usize = x.shape()[d + 1..].iter().product();
        let mut out = vec![identity; shape.size()];
        let v = elements::<T>(&x);
        let block = |i: usize, out: &mut [T]| {
            let x = &v[i * n * width..(i + 1) * n * width];
            let mut next = vec![identity; width];
            for (at, out) in out.chunks_mut(width).enumerate() {
                for i in (0..w.size).filter_map(|k| w.element(n, at, k)) {
                    f(Arg::Each(out), Arg::Each(&x[i * width..(i + 1) * width]), &mut next);
                    out.copy_from_slice(&next);
                }
            }
        };
        blocks(&mut out, positions * width, shape.size() * w.size, &block);
        x = Tensor::new(shape, out).expect("its size");
    }
    x
}

/// Whether each position of the window is one element, in order.
fn stays(w: &WindowAxis) -> bool {
    (w.size, w.stride, w.padding, w.base_dilation) == (1, 1, (0, 0), 1)
}

/// What a window sees of an array `[outer, middle, inner]`, of which it moves over the middle.
struct Under {
    positions: Shape,
    outer: usize,
    middle: usize,
    inner: usize,
    places: usize,
    /// For each position over the middle, for each place, the element there.
    sites: Vec<Option<usize>>,
}

impl Under {
    fn new(window: &Window, shape: &Shape) -> Under {
        let axes = window.axes();
        let positions = window.positions(shape);
        let first = axes.iter().position(|w| !stays(w)).unwrap_or(axes.len());
        let end = axes.iter().rposition(|w| !stays(w)).map_or(first, |d| d + 1);
        let seen: Vec<Seen> = (first..end).map(|d| Seen::new(&axes[d], shape[d], 0..positions[d])).collect();
        let middle = &shape[first..end];
        Under {
            outer: shape[..first].iter().product(),
            middle: middle.iter().product(),
            inner: shape[end..].iter().product(),
            places: seen.iter().map(|v| v.places.len()).product(),
            sites: sites(middle, &seen.iter().collect::<Vec<_>>()),
            positions,
        }
    }

    /// For each position, the flat position of the element at a place of the window.
    fn at(&self, place: usize) -> impl Iterator<Item = Option<usize>> {
        let middle = self.sites.iter().skip(place).step_by(self.places);
        (0..self.outer).flat_map(move |o| {
            middle
                .clone()
                .flat_map(move |site| (0..self.inner).map(move |i| Some((o * self.middle + (*site)?) * self.inner + i)))
        })
    }

    /// For each position, the element at a place of the window, or `hole`.
    fn elements(&self, x: &Tensor, place: usize, hole: &Tensor) -> Tensor {
        let data = with_data!(x.stored(), v => {
            let hole = arg_one(hole, v);
            Element::wrap(self.at(place).map(|i| i.map_or(hole, |i| v[i])).collect::<Vec<_>>())
        });
        Tensor::from_data([self.positions.size()], data).expect("one for each position")
    }
}

/// The one value of a tensor with elements like those of a slice.
fn arg_one<T: Element>(x: &Tensor, _: &[T]) -> T {
    elements::<T>(x)[0]
}

/// A program on scalars, for `n` of each at a time.
fn over_elements(program: &Program, n: usize) -> Result<Plan> {
    let (batched, _) =
        transform::batch(program, n, None, &vec![true; program.inputs().len()], &vec![true; program.outputs().len()])?;
    Ok(Plan::new(Arc::new(batched)))
}

/// A combiner that is a program: place by place, for all positions at once.
fn fold(program: &Program, window: &Window, mut x: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let start = x.split_off(x.len() / 2);
    let x: Vec<Tensor> = x.iter().map(Tensor::dense).collect();
    let under = Under::new(window, x[0].shape());
    let n = under.positions.size();
    let plan = over_elements(program, n)?;
    let spread = |s: &Tensor| Tensor::splat([n], s.get(0));
    let mut sofar: Vec<Tensor> = start.iter().map(spread).collect();
    for place in 0..under.places {
        let next = x.iter().zip(&start).map(|(x, s)| under.elements(x, place, s));
        let combined = plan.run(sofar.iter().cloned().chain(next).collect())?;
        let there = Tensor::new([n], under.at(place).map(|i| i.is_some()).collect())?;
        sofar = sofar.iter().zip(&combined).map(|(old, new)| super::select(&there, new, old)).collect();
    }
    Ok(sofar.into_iter().map(|s| s.reshaped(under.positions.clone())).collect())
}

/// For each position of the window, the flat position of the element selected under it.
fn selected(select: &Selector, window: &Window, x: &Tensor) -> Result<Vec<Option<usize>>> {
    let x = x.dense();
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
    let mut chosen: Vec<Option<usize>> = vec![None; n];
    let mut best = Tensor::splat([n], hole.get(0));
    for place in 0..under.places {
        let next = under.elements(&x, place, &hole);
        let keep = plan.run(vec![best.clone(), next.clone()])?.remove(0).dense();
        let keep = elements::<bool>(&keep);
        let mut kept = vec![true; n];
        for (i, site) in under.at(place).enumerate().filter(|(_, site)| site.is_some()) {
            if chosen[i].is_none() || !keep[i] {
                (chosen[i], kept[i]) = (site, false);
            }
        }
        best = super::select(&Tensor::new([n], kept)?, &best, &next);
    }
    Ok(chosen)
}

pub(crate) fn select_and_gather(op: &SelectAndGather, x: &Tensor, source: &Tensor) -> Result<Tensor> {
    let sites = selected(&op.select, &op.window, x)?;
    let source = source.dense();
    let data = with_data!(source.stored(), v => {
        Element::wrap(sites.iter().map(|i| i.map_or_else(Default::default, |i| v[i])).collect::<Vec<_>>())
    });
    Tensor::from_data(op.window.positions(x.shape()), data)
}

pub(crate) fn select_and_scatter(op: &SelectAndScatter, x: Vec<Tensor>, nested: &[Plan]) -> Result<Tensor> {
    let sites = selected(&op.select, &op.window, &x[0])?;
    let source = x[1].dense();
    let pairs = sites.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?)));
    with_dtype!(source.dtype(), T => {
        let v = elements::<T>(&source);
        let start = match op.combiner.identity(T::DTYPE) {
            Some(s) => T::unwrap(&s.repeat(1)).expect("of the type")[0],
            None => elements::<T>(&x[2])[0],
        };
        let mut out = vec![start; x[0].size()];
        match op.combiner.binary() {
            Some(op) => {
                let f = binary::<T>(op);
                for (from, to) in pairs {
                    let old = out[to];
                    f(Arg::One(old), Arg::One(v[from]), &mut out[to..to + 1]);
                }
            }
            None => {
                let combine = nested.last().expect("the combining program");
                for (from, to) in pairs {
                    let y = combine.run(vec![Tensor::scalar(out[to]), Tensor::scalar(v[from])])?;
                    out[to] = elements::<T>(&y[0])[0];
                }
            }
        }
        Tensor::new(x[0].shape().clone(), out)
    })
}
