//! Distributions of counts.

use super::continuous::uniform;
use super::{Key, parameter, sizes};
use crate::array::Array;
use crate::fail::{fail, ok};
use crate::numpy::{IntoShape, Operand};
use crate::tape::composite;
use crate::{where_, while_loop};
use wengert_core::{DType, Error, Place};

#[track_caller]
fn only_integers(by: &str, dtype: DType) {
    if !dtype.is_integer() {
        fail(Error::dtype(format!("`{by}` draws integers, not {dtype}")).at(Place::caller()));
    }
}

/// How many trials it takes until one succeeds, each with probability `p`.
///
/// ```
/// use wengert::{random, DType};
/// assert_eq!(random::geometric(&random::key(42), 0.25, [4], DType::I32).to_vec::<i32>(), [3, 15, 2, 2]);
/// ```
#[composite(random)]
#[track_caller]
pub fn geometric(key: &Key, p: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    only_integers("geometric", dtype);
    let p = ok(parameter(p, DType::F64, &Place::caller()));
    let u = uniform(key, shape, DType::F64);
    let u = where_(u.eq(0), 1, u);
    ((u.log() / (-p).log1p()).floor() + 1).to(dtype)
}

/// How many events happen at this rate, which broadcasts to the shape.
///
/// ```
/// use wengert::{random, Array, DType};
/// let rate = Array::from([0.5f32, 3.0, 30.0]);
/// assert_eq!(random::poisson(&random::key(42), rate, [3], DType::I64).to_vec::<i64>(), [1, 2, 24]);
/// ```
#[composite(random)]
#[track_caller]
pub fn poisson(key: &Key, rate: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    only_integers("poisson", dtype);
    let place = Place::caller();
    let rate = ok(parameter(rate, DType::F32, &place)).broadcast_to(ok(sizes(shape, &place)));
    // Small rates count waiting times; large ones are drawn from a curve over the distribution.
    let small = rate.is_nan() | rate.lt(10);
    let few = count_arrivals(key, &where_(&small, &rate, 0), dtype);
    let many = reject(key, &where_(&small, 1e5, &rate)).to(dtype);
    where_(rate.eq(0), 0, where_(small, few, many))
}

/// Knuth's method: the uniform numbers it takes for their product to fall below `exp(-rate)`.
fn count_arrivals(key: &Key, rate: &Array, dtype: DType) -> Array {
    let zeros = |dtype| Array::zeros(rate.shape(), dtype);
    let (_, count, _) = while_loop(
        |(_, _, log): (Key, Array, Array)| log.gt(-rate).any(..),
        |(key, count, log): (Key, Array, Array)| {
            let keys = key.split(2);
            let count = where_(log.gt(-rate), &count + 1, count);
            (keys[0].clone(), count, log + uniform(&keys[1], rate.shape(), DType::F32).log())
        },
        (key.clone(), zeros(dtype), zeros(DType::F32)),
    );
    count - 1
}

/// Hörmann's transformed rejection.
fn reject(key: &Key, rate: &Array) -> Array {
    let b = rate.sqrt() * 2.53 + 0.931;
    let a = &b * 0.02483 - 0.059;
    let inverse_alpha = 1.1328 / (&b - 3.4) + 1.1239;
    let v_r = 0.9277 - 3.6224 / (&b - 2);
    let log_rate = rate.log();
    let (_, count, _) = while_loop(
        |(_, _, done): (Key, Array, Array)| (!done).any(..),
        |(key, count, done): (Key, Array, Array)| {
            let keys = key.split(3);
            let u = uniform(&keys[1], rate.shape(), rate.dtype()) - 0.5;
            let v = uniform(&keys[2], rate.shape(), rate.dtype());
            let us = 0.5 - u.abs();
            let k = ((&a * 2 / &us + &b) * u + rate + 0.43).floor();
            let s = (&v * &inverse_alpha / (&a / (&us * &us) + &b)).log();
            let t = &k * &log_rate - rate - (&k + 1).lgamma();
            let inside = us.ge(0.07) & v.le(&v_r);
            let outside = k.lt(0) | (us.lt(0.013) & v.gt(&us));
            let take = inside | (!outside & s.le(t));
            (keys[0].clone(), where_(&take, k, count), done | take)
        },
        (key.clone(), rate.full_like(-1), Array::full(rate.shape(), false, DType::Bool)),
    );
    count
}
