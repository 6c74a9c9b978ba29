//! Primitives that combine elements: reductions, products, windows.

use super::several;
use crate::array::Array;
use crate::dispatch::bind_one;
use wengert_core::DType;
use wengert_core::ops::{
    ArgReduce, Combiner, Convolution, Cumulative, CumulativeKind, DotGeneral, Extreme, Reduce, ReduceWindow,
    SelectAndGather, SelectAndScatter, Selector, Window,
};

/// All elements along some axes combined, from the value that changes nothing.
#[track_caller]
pub fn reduce(x: &Array, combiner: Combiner, dims: &[usize]) -> Array {
    bind_one(Reduce { combiner, dims: dims.into() }, &[x])
}

/// Several arrays reduced together by a program, from these scalars.
#[track_caller]
pub fn reduce_from<const N: usize>(
    x: [&Array; N],
    init: [&Array; N],
    combiner: Combiner,
    dims: &[usize],
) -> [Array; N] {
    several(Reduce { combiner, dims: dims.into() }, &[x, init].concat())
}

/// The place of the largest or smallest element along an axis.
#[track_caller]
pub fn arg_reduce(x: &Array, extreme: Extreme, dim: usize, dtype: DType) -> Array {
    bind_one(ArgReduce { extreme, dim, dtype }, &[x])
}

/// Each element combined with all before it along an axis.
#[track_caller]
pub fn cumulative(x: &Array, kind: CumulativeKind, dim: usize, reverse: bool) -> Array {
    bind_one(Cumulative { kind, dim, reverse }, &[x])
}

/// The product, summed over pairs of axes (`contract`), for each index of other pairs (`batch`).
#[track_caller]
pub fn dot_general(x: &Array, y: &Array, contract: (&[usize], &[usize]), batch: (&[usize], &[usize])) -> Array {
    let pair = |(x, y): (&[usize], &[usize])| (x.into(), y.into());
    bind_one(DotGeneral { contract: pair(contract), batch: pair(batch) }, &[x, y])
}

/// The convolution with a kernel.
#[track_caller]
pub fn convolution(x: &Array, kernel: &Array, how: Convolution) -> Array {
    bind_one(how, &[x, kernel])
}

/// All elements under each position of a window combined, from the value that changes nothing.
#[track_caller]
pub fn reduce_window(x: &Array, combiner: Combiner, window: Window) -> Array {
    bind_one(ReduceWindow { combiner, window }, &[x])
}

/// Several arrays reduced together by a program under each position of a window, from these scalars.
#[track_caller]
pub fn reduce_window_from<const N: usize>(
    x: [&Array; N],
    init: [&Array; N],
    combiner: Combiner,
    window: Window,
) -> [Array; N] {
    several(ReduceWindow { combiner, window }, &[x, init].concat())
}

/// What each position of a window selects gets the value that `source` has there, combined from `init` if a program
/// combines.
#[track_caller]
pub fn select_and_scatter(
    x: &Array,
    source: &Array,
    init: Option<&Array>,
    select: Selector,
    window: Window,
    combiner: Combiner,
) -> Array {
    let operands: Vec<&Array> = [x, source].into_iter().chain(init).collect();
    bind_one(SelectAndScatter { select, window, combiner }, &operands)
}

/// What `source` has where each position of a window selects an element of `x`.
#[track_caller]
pub fn select_and_gather(x: &Array, source: &Array, select: Selector, window: Window) -> Array {
    bind_one(SelectAndGather { select, window }, &[x, source])
}
