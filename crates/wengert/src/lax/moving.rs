//! Primitives that make arrays and put elements in other places.

use super::several;
use crate::array::Array;
use crate::dispatch::bind_one;
use std::sync::Arc;
use wengert_core::ops::{
    Barrier, Broadcast, Concatenate, DynamicSlice, DynamicUpdateSlice, Gather, Iota, Order, Pad, Reshape, Reverse,
    RngAlgorithm, RngBitGenerator, Scatter, Slice, Sort, Threefry, TopK, Transpose,
};
use wengert_core::{DType, Element, Program, Shape, Tensor, Type};

/// One number in every place.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::full(&[2], 0.5f32), Array::from([0.5f32, 0.5]));
/// ```
#[track_caller]
pub fn full<T: Element>(shape: &[usize], value: T) -> Array {
    Array::from_tensor(Tensor::splat(shape, value.scalar()))
}

/// Elements that count from 0 along one axis.
///
/// ```
/// use wengert::{lax, Array, DType};
/// assert_eq!(lax::iota(&[2, 2], 1, DType::I32), Array::from([[0, 1], [0, 1]]));
/// ```
#[track_caller]
pub fn iota(shape: &[usize], dim: usize, dtype: DType) -> Array {
    bind_one(Iota { ty: Type::new(dtype, Shape::from(shape)), dim }, &[])
}

/// The array placed in a larger shape: its axis `i` is axis `dims[i]` of the result.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::broadcast(&Array::from([1, 2]), &[2, 2], &[0]), Array::from([[1, 1], [2, 2]]));
/// ```
#[track_caller]
pub fn broadcast(x: &Array, shape: &[usize], dims: &[usize]) -> Array {
    bind_one(Broadcast { shape: shape.into(), dims: dims.into() }, &[x])
}

/// The same elements in another shape.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::reshape(&Array::from([1, 2]), &[2, 1]), Array::from([[1], [2]]));
/// ```
#[track_caller]
pub fn reshape(x: &Array, shape: &[usize]) -> Array {
    bind_one(Reshape { shape: shape.into() }, &[x])
}

/// The axes in another order: axis `i` of the result is axis `perm[i]` of the operand.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::transpose(&Array::from([[1, 2]]), &[1, 0]), Array::from([[1], [2]]));
/// ```
#[track_caller]
pub fn transpose(x: &Array, perm: &[usize]) -> Array {
    bind_one(Transpose { perm: perm.into() }, &[x])
}

/// The elements backwards along some axes.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::reverse(&Array::from([1, 2]), &[0]), Array::from([2, 1]));
/// ```
#[track_caller]
pub fn reverse(x: &Array, dims: &[usize]) -> Array {
    bind_one(Reverse { dims: dims.into() }, &[x])
}

/// The elements from `start` to before `limit`, by steps.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::slice(&Array::from([1, 2, 3, 4]), &[1], &[4], &[2]), Array::from([2, 4]));
/// ```
#[track_caller]
pub fn slice(x: &Array, start: &[usize], limit: &[usize], strides: &[usize]) -> Array {
    bind_one(Slice { start: start.into(), limit: limit.into(), strides: strides.into() }, &[x])
}

/// The array with a scalar around its elements and between them; negative amounts take elements away.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::pad(&Array::from([1, 2]), &Array::from(0), &[1], &[0], &[1]), Array::from([0, 1, 0, 2]));
/// ```
#[track_caller]
pub fn pad(x: &Array, value: &Array, low: &[i64], high: &[i64], interior: &[usize]) -> Array {
    bind_one(Pad { low: low.into(), high: high.into(), interior: interior.into() }, &[x, value])
}

/// Arrays one after another along an axis.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::concatenate(&[&Array::from([1]), &Array::from([2])], 0), Array::from([1, 2]));
/// ```
#[track_caller]
pub fn concatenate(x: &[&Array], dim: usize) -> Array {
    bind_one(Concatenate { dim }, x)
}

/// A slice of a given shape from places that are arrays, one for each axis, taken into range.
///
/// ```
/// use wengert::{lax, Array};
/// let y = lax::dynamic_slice(&Array::from([1, 2, 3]), &[&Array::from(1)], &[2]);
/// assert_eq!(y, Array::from([2, 3]));
/// ```
#[track_caller]
pub fn dynamic_slice(x: &Array, starts: &[&Array], sizes: &[usize]) -> Array {
    bind_one(DynamicSlice { sizes: sizes.into() }, &[&[x], starts].concat())
}

/// The array with another one in the place of a slice of it.
///
/// ```
/// use wengert::{lax, Array};
/// let y = lax::dynamic_update_slice(&Array::from([1, 2, 3]), &Array::from([9]), &[&Array::from(1)]);
/// assert_eq!(y, Array::from([1, 9, 3]));
/// ```
#[track_caller]
pub fn dynamic_update_slice(x: &Array, update: &Array, starts: &[&Array]) -> Array {
    bind_one(DynamicUpdateSlice {}, &[&[x, update], starts].concat())
}

/// The windows that index vectors point at.
///
/// ```
/// use wengert::{lax, Array};
/// let how = lax::Gather {
///     indexing: lax::Indexing::rows(1, 2),
///     slice_sizes: vec![1, 2].into(),
///     out_of_bounds: lax::OutOfBounds::Clip,
///     indices_are_sorted: false,
///     unique_indices: false,
/// };
/// let y = lax::gather(&Array::from([[1, 2], [3, 4]]), &Array::from([1]), how);
/// assert_eq!(y, Array::from([[3, 4]]));
/// ```
#[track_caller]
pub fn gather(x: &Array, indices: &Array, how: Gather) -> Array {
    bind_one(how, &[x, indices])
}

/// The arrays with updates in the windows that index vectors point at.
///
/// ```
/// use wengert::{lax, Array};
/// let how = lax::Scatter {
///     indexing: lax::Indexing::rows(1, 2),
///     update: lax::Update::Set,
///     indices_are_sorted: false,
///     unique_indices: false,
/// };
/// let (x, i) = (Array::from([[1, 2], [3, 4]]), Array::from([1]));
/// let [y] = lax::scatter([&x], &i, [&Array::from([[8, 9]])], how);
/// assert_eq!(y, Array::from([[1, 2], [8, 9]]));
/// ```
#[track_caller]
pub fn scatter<const N: usize>(x: [&Array; N], indices: &Array, updates: [&Array; N], how: Scatter) -> [Array; N] {
    several(how, &[&x[..], &[indices], &updates[..]].concat())
}

/// Arrays sorted together along an axis, by the first `keys` of them.
///
/// ```
/// use wengert::{lax, Array};
/// let [keys, values] = lax::sort([&Array::from([3, 1, 2]), &Array::from([30, 10, 20])], 0, true, 1);
/// assert_eq!((keys, values), (Array::from([1, 2, 3]), Array::from([10, 20, 30])));
/// ```
#[track_caller]
pub fn sort<const N: usize>(x: [&Array; N], dim: usize, stable: bool, keys: usize) -> [Array; N] {
    several(Sort { dim, stable, order: Order::Natural(keys) }, &x)
}

/// Arrays sorted together along an axis: a [`part`](super::part) tells of two scalars of each whether the first come before.
///
/// ```
/// use wengert::{lax, Array};
/// let before = lax::part(|x: Array, y: Array| lax::gt(&x, &y), (Array::from(0), Array::from(0)));
/// let [y] = lax::sort_by([&Array::from([1, 3, 2])], 0, true, before);
/// assert_eq!(y, Array::from([3, 2, 1]));
/// ```
#[track_caller]
pub fn sort_by<const N: usize>(x: [&Array; N], dim: usize, stable: bool, before: Arc<Program>) -> [Array; N] {
    several(Sort { dim, stable, order: Order::Program(before) }, &x)
}

/// The largest elements along the last axis, and their indices.
///
/// ```
/// use wengert::{lax, Array};
/// let [values, places] = lax::top_k(&Array::from([1, 9, 5]), 2);
/// assert_eq!((values, places), (Array::from([9, 5]), Array::from([1, 2])));
/// ```
#[track_caller]
pub fn top_k(x: &Array, k: usize) -> [Array; 2] {
    several(TopK { k }, &[x])
}

/// Random bits of counters, by two words of a key.
///
/// ```
/// use wengert::{lax, Array};
/// let zero = Array::from([0u32]);
/// let [a, b] = lax::threefry2x32(&zero, &zero, &zero, &zero);
/// assert_eq!((a.to_vec::<u32>()[0], b.to_vec::<u32>()[0]), (0x6b20_0159, 0x99ba_4efe));
/// ```
#[track_caller]
pub fn threefry2x32(key0: &Array, key1: &Array, x0: &Array, x1: &Array) -> [Array; 2] {
    several(Threefry {}, &[key0, key1, x0, x1])
}

/// The next state of a generator, and random bits.
///
/// ```
/// use wengert::{lax, Array, DType};
/// let state = Array::from([1u64, 2]);
/// let [next, bits] = lax::rng_bit_generator(&state, lax::RngAlgorithm::ThreeFry, &[4], DType::U32);
/// assert_eq!((next.shape()[0], bits.shape()[0]), (2, 4));
/// ```
#[track_caller]
pub fn rng_bit_generator(state: &Array, algorithm: RngAlgorithm, shape: &[usize], dtype: DType) -> [Array; 2] {
    several(RngBitGenerator { algorithm, ty: Type::new(dtype, Shape::from(shape)) }, &[state])
}

/// The same arrays, none of which is used before all are there.
///
/// ```
/// use wengert::{lax, Array};
/// let [x, y] = lax::barrier([&Array::from(1), &Array::from(2)]);
/// assert_eq!((x.item::<i32>(), y.item::<i32>()), (1, 2));
/// ```
#[track_caller]
pub fn barrier<const N: usize>(x: [&Array; N]) -> [Array; N] {
    several(Barrier {}, &x)
}
