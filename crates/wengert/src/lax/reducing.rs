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
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::reduce(&Array::from([[1, 2], [3, 4]]), lax::Combiner::Max, &[0]), Array::from([3, 4]));
/// ```
#[track_caller]
pub fn reduce(x: &Array, combiner: Combiner, dims: &[usize]) -> Array {
    bind_one(Reduce { combiner, dims: dims.into() }, &[x])
}

/// Several arrays reduced together by a program, from these scalars.
///
/// ```
/// use wengert::{lax, Array};
/// let zero = Array::from(0);
/// let add = lax::part(|x: Array, y: Array| lax::add(&x, &y), (zero.clone(), zero.clone()));
/// let [y] = lax::reduce_from([&Array::from([1, 2])], [&Array::from(10)], lax::Combiner::Program(add), &[0]);
/// assert_eq!(y.item::<i32>(), 13);
/// ```
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
///
/// ```
/// use wengert::{lax, Array, DType};
/// let y = lax::arg_reduce(&Array::from([1, 9, 5]), lax::Extreme::Max, 0, DType::I32);
/// assert_eq!(y.item::<i32>(), 1);
/// ```
#[track_caller]
pub fn arg_reduce(x: &Array, extreme: Extreme, dim: usize, dtype: DType) -> Array {
    bind_one(ArgReduce { extreme, dim, dtype }, &[x])
}

/// Each element combined with all before it along an axis.
///
/// ```
/// use wengert::{lax, Array};
/// let y = lax::cumulative(&Array::from([1, 2, 3]), lax::CumulativeKind::Sum, 0, true);
/// assert_eq!(y, Array::from([6, 5, 3]));
/// ```
#[track_caller]
pub fn cumulative(x: &Array, kind: CumulativeKind, dim: usize, reverse: bool) -> Array {
    bind_one(Cumulative { kind, dim, reverse }, &[x])
}

/// The product, summed over pairs of axes (`contract`), for each index of other pairs (`batch`).
///
/// ```
/// use wengert::{lax, Array};
/// let (x, y) = (Array::from([1.0f32, 2.0]), Array::from([3.0f32, 4.0]));
/// assert_eq!(lax::dot_general(&x, &y, (&[0], &[0]), (&[], &[])).item::<f32>(), 11.0);
/// ```
#[track_caller]
pub fn dot_general(x: &Array, y: &Array, contract: (&[usize], &[usize]), batch: (&[usize], &[usize])) -> Array {
    let pair = |(x, y): (&[usize], &[usize])| (x.into(), y.into());
    bind_one(DotGeneral { contract: pair(contract), batch: pair(batch) }, &[x, y])
}

/// The convolution with a kernel.
///
/// ```
/// use wengert::{lax, Array};
/// let how = lax::Convolution {
///     lhs: vec![0, 1, 2].into(),
///     rhs: vec![0, 1, 2].into(),
///     out: vec![0, 1, 2].into(),
///     strides: vec![1].into(),
///     padding: vec![(0, 0)],
///     lhs_dilation: vec![1].into(),
///     rhs_dilation: vec![1].into(),
///     reversal: vec![false],
///     feature_groups: 1,
///     batch_groups: 1,
/// };
/// let (x, kernel) = (Array::from([[[1.0f32, 2.0, 3.0]]]), Array::from([[[1.0f32, 10.0]]]));
/// assert_eq!(lax::convolution(&x, &kernel, how).to_vec::<f32>(), [21.0, 32.0]);
/// ```
#[track_caller]
pub fn convolution(x: &Array, kernel: &Array, how: Convolution) -> Array {
    bind_one(how, &[x, kernel])
}

/// All elements under each position of a window combined, from the value that changes nothing.
///
/// ```
/// use wengert::{lax, Array};
/// let window = lax::Window {
///     size: vec![2].into(),
///     strides: vec![1].into(),
///     padding: vec![(0, 0)],
///     base_dilation: vec![1].into(),
///     window_dilation: vec![1].into(),
/// };
/// assert_eq!(lax::reduce_window(&Array::from([1, 2, 3]), lax::Combiner::Add, window), Array::from([3, 5]));
/// ```
#[track_caller]
pub fn reduce_window(x: &Array, combiner: Combiner, window: Window) -> Array {
    bind_one(ReduceWindow { combiner, window }, &[x])
}

/// Several arrays reduced together by a program under each position of a window, from these scalars.
///
/// ```
/// use wengert::{lax, Array};
/// let window = lax::Window {
///     size: vec![2].into(),
///     strides: vec![1].into(),
///     padding: vec![(0, 0)],
///     base_dilation: vec![1].into(),
///     window_dilation: vec![1].into(),
/// };
/// let zero = Array::from(0);
/// let add = lax::part(|x: Array, y: Array| lax::add(&x, &y), (zero.clone(), zero.clone()));
/// let x = Array::from([1, 2, 3]);
/// let [y] = lax::reduce_window_from([&x], [&zero], lax::Combiner::Program(add), window);
/// assert_eq!(y, Array::from([3, 5]));
/// ```
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
///
/// ```
/// use wengert::{lax, Array};
/// let window = lax::Window {
///     size: vec![2].into(),
///     strides: vec![2].into(),
///     padding: vec![(0, 0)],
///     base_dilation: vec![1].into(),
///     window_dilation: vec![1].into(),
/// };
/// let (x, source) = (Array::from([1, 5, 7, 2]), Array::from([10, 20]));
/// let largest = lax::Selector::Named(lax::Direction::Ge);
/// let y = lax::select_and_scatter(&x, &source, None, largest, window, lax::Combiner::Add);
/// assert_eq!(y, Array::from([0, 10, 20, 0]));
/// ```
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
///
/// ```
/// use wengert::{lax, Array};
/// let window = lax::Window {
///     size: vec![2].into(),
///     strides: vec![2].into(),
///     padding: vec![(0, 0)],
///     base_dilation: vec![1].into(),
///     window_dilation: vec![1].into(),
/// };
/// let (x, source) = (Array::from([1, 5, 7, 2]), Array::from([10, 20, 30, 40]));
/// let largest = lax::Selector::Named(lax::Direction::Ge);
/// assert_eq!(lax::select_and_gather(&x, &source, largest, window), Array::from([20, 30]));
/// ```
#[track_caller]
pub fn select_and_gather(x: &Array, source: &Array, select: Selector, window: Window) -> Array {
    bind_one(SelectAndGather { select, window }, &[x, source])
}
