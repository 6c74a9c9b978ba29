//! The gamma distribution, and those that follow from it.

use super::continuous::{FloatLayout, exponential, normal, uniform};
use super::{Key, parameter, sizes};
use crate::array::Array;
use crate::fail::ok;
use crate::numpy::{IntoShape, Operand};
use crate::tape::composite;
use crate::{custom_jvp, stop_gradient, vmap, where_, while_loop};
use wengert_core::{DType, Place, Result};

/// Numbers with the gamma distribution of this shape parameter and scale 1. They have a derivative in the parameter.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::gamma(&random::key(42), 2.5, (), DType::F32);
/// assert!((x.to_f64() - 4.378075).abs() < 1e-5);
/// ```
#[composite(random)]
#[track_caller]
pub fn gamma(key: &Key, a: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    ok(draw("gamma", key, a.into(), shape, dtype, false, &Place::caller()))
}

/// The logarithms of numbers with the gamma distribution, right also where those are too small for their type.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::loggamma(&random::key(42), 1e-3, (), DType::F32);
/// assert!((x.to_f64() - -537.9234).abs() < 1e-2);
/// ```
#[composite(random)]
#[track_caller]
pub fn loggamma(key: &Key, a: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    ok(draw("loggamma", key, a.into(), shape, dtype, true, &Place::caller()))
}

fn draw(
    by: &str,
    key: &Key,
    a: Operand,
    shape: impl IntoShape,
    dtype: DType,
    log: bool,
    place: &Place,
) -> Result<Array> {
    let tiny = FloatLayout::of(by, dtype, place)?.tiny;
    let a = parameter(a, dtype, place)?.broadcast_to(sizes(shape, place)?);
    // The rule is inside of the batch: a run of it is written with the keys as the batch has them.
    let draw = |key: Key, a: Array| {
        let draw = |a: Array| one(key.clone(), a, log);
        let rule = |(a,): (Array,), (t,): (Array,)| {
            let y = draw(a.clone());
            let x = if log { y.exp().maximum(tiny) } else { y.clone() };
            let slope = slope(&a, &x);
            let slope = if log { slope / x } else { slope };
            (y, t * stop_gradient(slope))
        };
        custom_jvp(draw, rule)(a)
    };
    Ok(vmap(draw)(key.split_stacked(a.size()), a.ravel()).reshape(a.shape()))
}

/// One number, by the method of Marsaglia and Tsang.
fn one(key: Key, a: Array, log: bool) -> Array {
    let dtype = a.dtype();
    let constant = |x: f64| a.full_like(x);
    // Below 1, from the distribution one further and a power of a uniform number.
    let direct = a.ge(1);
    let d = where_(&direct, &a, &a + 1) - constant(1.0 / 3.0);
    let c = constant(1.0 / 3.0) / d.sqrt();
    let keys = key.split(2);
    let (key, boost) = (&keys[0], &keys[1]);
    let rejected = |(_, x, v, u): (Key, Array, Array, Array)| {
        let outside = u.ge(1 - &x * &x * 0.0331);
        outside & u.log().ge(x * 0.5 + &d * (1 - &v + v.log()))
    };
    let attempt = |(key, ..): (Key, Array, Array, Array)| {
        let keys = key.split(3);
        let (_, x, v) = while_loop(
            |(_, _, v): (Key, Array, Array)| v.le(0),
            |(key, ..): (Key, Array, Array)| {
                let keys = key.split(2);
                let x = normal(&keys[1], (), dtype);
                let v = &x * &c + 1;
                (keys[0].clone(), x, v)
            },
            (keys[1].clone(), constant(0.0), constant(-1.0)),
        );
        (keys[0].clone(), &x * &x, &v * &v * &v, uniform(&keys[2], (), dtype))
    };
    let (_, _, v, _) = while_loop(rejected, attempt, (key.clone(), constant(0.0), constant(1.0), constant(2.0)));
    if log {
        let e = -exponential(boost, (), dtype);
        let boost = where_(&direct | e.eq(0), 0, &e * a.reciprocal());
        return d.log() + v.log() + boost;
    }
    let u = 1 - uniform(boost, (), dtype);
    d * v * where_(direct, 1, u.pow(a.reciprocal()))
}

/// How a number drawn moves with the parameter while its probability stays the same.
fn slope(a: &Array, x: &Array) -> Array {
    let dtype = a.dtype();
    let (a, x) = (a.to(DType::F64), x.to(DType::F64));
    // The distribution function is xᵃ·e⁻ˣ / Γ(a + 1) · Σ xⁿ / ((a + 1)…(a + n)): the terms c and their derivatives are
    // added up until there is nothing to add.
    type Terms = [Array; 5];
    let unfinished = |[_, _, _, dc, ds]: Terms| dc.abs().gt(ds.abs() * 1e-17).any(..);
    let add = |[r, c, s, dc, ds]: Terms| {
        let r = r + 1;
        let ratio = &x / &r;
        let dc = dc * &ratio - &c * &ratio / &r;
        let c = c * ratio;
        let (s, ds) = (s + &c, ds + &dc);
        [r, c, s, dc, ds]
    };
    let (one, zero) = (x.ones_like(), x.zeros_like());
    let first = add([a.clone(), one.clone(), one, zero.clone(), zero]);
    let [_, _, s, _, ds] = while_loop(unfinished, add, first);
    let moved = -(ds + s * (x.log() - (&a + 1).digamma())) * &x / a;
    where_(x.eq(0), 0, moved).to(dtype)
}

/// Numbers between 0 and 1 with the beta distribution.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::beta(&random::key(42), 2.0, 3.0, (), DType::F32);
/// assert!((x.to_f64() - 0.4319618).abs() < 1e-5);
/// ```
#[composite(random)]
#[track_caller]
pub fn beta(key: &Key, a: impl Into<Operand>, b: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    let (shape, keys) = (ok(sizes(shape, &Place::caller())), key.split(2));
    let (x, y) = (loggamma(&keys[0], a, &shape, dtype), loggamma(&keys[1], b, &shape, dtype));
    let most = x.maximum(&y);
    let (x, y) = ((x - &most).exp(), (y - most).exp());
    &x / (&x + y)
}

/// Numbers along the last axis that sum to 1, with the Dirichlet distribution of these parameters.
///
/// ```
/// use wengert::{random, Array};
/// let x = random::dirichlet(&random::key(42), &Array::from([1.0f32, 2.0, 3.0]), ());
/// assert!(x.is_close(Array::from([0.26473239064216614f32, 0.13479970395565033, 0.6004678010940552]), 1e-5, 1e-5).all(..).to_bool());
/// ```
#[composite(random)]
#[track_caller]
pub fn dirichlet(key: &Key, alpha: &Array, shape: impl IntoShape) -> Array {
    let mut shape = ok(sizes(shape, &Place::caller()));
    shape.0.extend(alpha.shape().last().copied());
    loggamma(key, alpha, shape, alpha.dtype()).softmax(-1)
}

/// Numbers with the chi-squared distribution of this many degrees of freedom.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::chisquare(&random::key(42), 4.0, (), DType::F32);
/// assert!((x.to_f64() - 7.345034).abs() < 1e-5);
/// ```
#[composite(random)]
#[track_caller]
pub fn chisquare(key: &Key, freedom: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    let half = ok(parameter(freedom, dtype, &Place::caller())) / 2;
    loggamma(key, half, shape, dtype).exp() * 2
}

/// Numbers with Student's t distribution of this many degrees of freedom.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::t(&random::key(42), 4.0, (), DType::F32);
/// assert!((x.to_f64() - 0.08621217).abs() < 1e-5);
/// ```
#[composite(random)]
#[track_caller]
pub fn t(key: &Key, freedom: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    let half = ok(parameter(freedom, dtype, &place)) / 2;
    let (shape, keys) = (ok(sizes(shape, &place)), key.split(2));
    let x = normal(&keys[0], &shape, dtype);
    x * (&half / gamma(&keys[1], &half, &shape, dtype)).sqrt()
}
