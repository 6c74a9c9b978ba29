//! Functions of normal, exponential and uniform numbers that have names of their own.

use super::continuous::{exponential, normal, uniform};
use super::{Key, parameter, sizes};
use crate::array::Array;
use crate::dispatch::bind_one;
use crate::fail::ok;
use crate::numpy::{IntoShape, Operand};
use crate::tape::composite;
use wengert_core::ops::Cholesky;
use wengert_core::{DType, Place};

/// Vectors along the last axis from the normal distribution with this mean and covariance.
///
/// ```
/// use wengert::{random, Array};
/// let (mean, covariance) = (Array::from([1.0f64, -1.0]), Array::from([[2.0f64, 0.5], [0.5, 1.0]]));
/// let x = random::multivariate_normal(&random::key(42), &mean, &covariance, [2]);
/// assert!(x.is_close(Array::from([[0.7387781, -3.0949905], [1.2643668, -0.3611865]]), 1e-6, 1e-6).all(..).to_bool());
/// ```
#[composite(random)]
#[track_caller]
pub fn multivariate_normal(key: &Key, mean: &Array, covariance: &Array, shape: impl IntoShape) -> Array {
    let mut shape = ok(sizes(shape, &Place::caller()));
    shape.0.extend(mean.shape().last().copied());
    let x = normal(key, shape, mean.dtype());
    let symmetric = (covariance + covariance.mt().conj()) / 2;
    let factor = bind_one(Cholesky { lower: true }, &[&symmetric]);
    factor.matmul(x.expand_dims(-1)).squeeze(-1) + mean
}

/// Numbers whose logarithm is normal with mean 0 and this standard deviation.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::lognormal(&random::key(42), 0.5, (), DType::F32);
/// assert!((x.to_f64() - 0.9859474).abs() < 1e-6);
/// ```
#[composite(random)]
#[track_caller]
pub fn lognormal(key: &Key, sigma: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    let sigma = ok(parameter(sigma, dtype, &Place::caller()));
    (normal(key, shape, dtype) * sigma).exp()
}

/// Numbers with the Pareto distribution of this exponent.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::pareto(&random::key(42), 2.0, (), DType::F32);
/// assert!((x.to_f64() - 1.398512).abs() < 1e-6);
/// ```
#[composite(random)]
#[track_caller]
pub fn pareto(key: &Key, exponent: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    let exponent = ok(parameter(exponent, dtype, &Place::caller()));
    (exponential(key, shape, dtype) / exponent).exp()
}

/// Numbers with the Rayleigh distribution of this scale.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::rayleigh(&random::key(42), 2.0, (), DType::F32);
/// assert!((x.to_f64() - 2.393302).abs() < 1e-6);
/// ```
#[composite(random)]
#[track_caller]
pub fn rayleigh(key: &Key, scale: impl Into<Operand>, shape: impl IntoShape, dtype: DType) -> Array {
    let scale = ok(parameter(scale, dtype, &Place::caller()));
    (uniform(key, shape, dtype).log() * -2).sqrt() * scale
}

/// Numbers with the Weibull distribution of this scale and concentration.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::weibull(&random::key(42), 2.0, 3.0, (), DType::F32);
/// assert!((x.to_f64() - 1.75078).abs() < 1e-6);
/// ```
#[composite(random)]
#[track_caller]
pub fn weibull(
    key: &Key,
    scale: impl Into<Operand>,
    concentration: impl Into<Operand>,
    shape: impl IntoShape,
    dtype: DType,
) -> Array {
    let place = Place::caller();
    let (scale, power) = (ok(parameter(scale, dtype, &place)), ok(parameter(concentration, dtype, &place)));
    exponential(key, shape, dtype).pow(power.reciprocal()) * scale
}
