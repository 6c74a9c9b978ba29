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
#[track_caller]
pub fn full<T: Element>(shape: &[usize], value: T) -> Array {
    Array::from_tensor(Tensor::splat(shape, value.scalar()))
}

/// Elements that count from 0 along one axis.
#[track_caller]
pub fn iota(shape: &[usize], dim: usize, dtype: DType) -> Array {
    bind_one(Iota { ty: Type::new(dtype, Shape::from(shape)), dim }, &[])
}

/// The array placed in a larger shape: its axis `i` is axis `dims[i]` of the result.
#[track_caller]
pub fn broadcast(x: &Array, shape: &[usize], dims: &[usize]) -> Array {
    bind_one(Broadcast { shape: shape.into(), dims: dims.into() }, &[x])
}

/// The same elements in another shape.
#[track_caller]
pub fn reshape(x: &Array, shape: &[usize]) -> Array {
    bind_one(Reshape { shape: shape.into() }, &[x])
}

/// The axes in another order: axis `i` of the result is axis `perm[i]` of the operand.
#[track_caller]
pub fn transpose(x: &Array, perm: &[usize]) -> Array {
    bind_one(Transpose { perm: perm.into() }, &[x])
}

/// The elements backwards along some axes.
#[track_caller]
pub fn reverse(x: &Array, dims: &[usize]) -> Array {
    bind_one(Reverse { dims: dims.into() }, &[x])
}

/// The elements from `start` to before `limit`, by steps.
#[track_caller]
pub fn slice(x: &Array, start: &[usize], limit: &[usize], strides: &[usize]) -> Array {
    bind_one(Slice { start: start.into(), limit: limit.into(), strides: strides.into() }, &[x])
}

/// The array with a scalar around its elements and between them; negative amounts take elements away.
#[track_caller]
pub fn pad(x: &Array, value: &Array, low: &[i64], high: &[i64], interior: &[usize]) -> Array {
    bind_one(Pad { low: low.into(), high: high.into(), interior: interior.into() }, &[x, value])
}

/// Arrays one after another along an axis.
#[track_caller]
pub fn concatenate(x: &[&Array], dim: usize) -> Array {
    bind_one(Concatenate { dim }, x)
}

/// A slice of a given shape from places that are arrays, one for each axis, taken into range.
#[track_caller]
pub fn dynamic_slice(x: &Array, starts: &[&Array], sizes: &[usize]) -> Array {
    bind_one(DynamicSlice { sizes: sizes.into() }, &[&[x], starts].concat())
}

/// The array with another one in the place of a slice of it.
#[track_caller]
pub fn dynamic_update_slice(x: &Array, update: &Array, starts: &[&Array]) -> Array {
    bind_one(DynamicUpdateSlice {}, &[&[x, update], starts].concat())
}

/// The windows that index vectors point at.
#[track_caller]
pub fn gather(x: &Array, indices: &Array, how: Gather) -> Array {
    bind_one(how, &[x, indices])
}

/// The arrays with updates in the windows that index vectors point at.
#[track_caller]
pub fn scatter<const N: usize>(x: [&Array; N], indices: &Array, updates: [&Array; N], how: Scatter) -> [Array; N] {
    several(how, &[&x[..], &[indices], &updates[..]].concat())
}

/// Arrays sorted together along an axis, by the first `keys` of them.
#[track_caller]
pub fn sort<const N: usize>(x: [&Array; N], dim: usize, stable: bool, keys: usize) -> [Array; N] {
    several(Sort { dim, stable, order: Order::Natural(keys) }, &x)
}

/// Arrays sorted together along an axis: a [`part`](super::part) tells of two scalars of each whether the first come before.
#[track_caller]
pub fn sort_by<const N: usize>(x: [&Array; N], dim: usize, stable: bool, before: Arc<Program>) -> [Array; N] {
    several(Sort { dim, stable, order: Order::Program(before) }, &x)
}

/// The largest elements along the last axis, and their indices.
#[track_caller]
pub fn top_k(x: &Array, k: usize) -> [Array; 2] {
    several(TopK { k }, &[x])
}

/// Random bits of counters, by two words of a key.
#[track_caller]
pub fn threefry2x32(key0: &Array, key1: &Array, x0: &Array, x1: &Array) -> [Array; 2] {
    several(Threefry {}, &[key0, key1, x0, x1])
}

/// The next state of a generator, and random bits.
#[track_caller]
pub fn rng_bit_generator(state: &Array, algorithm: RngAlgorithm, shape: &[usize], dtype: DType) -> [Array; 2] {
    several(RngBitGenerator { algorithm, ty: Type::new(dtype, Shape::from(shape)) }, &[state])
}

/// The same arrays, none of which is used before all are there.
#[track_caller]
pub fn barrier<const N: usize>(x: [&Array; N]) -> [Array; N] {
    several(Barrier {}, &x)
}
