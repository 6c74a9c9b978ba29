//! Distributions of real numbers.

use super::{Key, range, sizes};
use crate::array::Array;
use crate::fail::ok;
use crate::numpy::{IntoShape, Operand, complex};
use crate::stop_gradient;
use crate::tape::composite;
use wengert_core::{DType, Error, Place, Result, Scalar, Shape, Tensor};

/// What is known of a float type.
pub(super) struct FloatLayout {
    /// Its unsigned integer of the same width.
    uint: DType,
    /// Digits of the mantissa that are stored.
    mantissa: u32,
    /// The bits of 1.
    one: u64,
    /// The smallest normal number.
    pub(super) tiny: f64,
}

impl FloatLayout {
    pub(super) fn of(by: &str, dtype: DType, place: &Place) -> Result<FloatLayout> {
        let (uint, mantissa, one, tiny) = match dtype {
            DType::F16 => (DType::U16, 10, 0x3c00, 2f64.powi(-14)),
            DType::BF16 => (DType::U16, 7, 0x3f80, 2f64.powi(-126)),
            DType::F32 => (DType::U32, 23, 0x3f80_0000, 2f64.powi(-126)),
            DType::F64 => (DType::U64, 52, 0x3ff0_0000_0000_0000, f64::MIN_POSITIVE),
            other => {
                return Err(Error::dtype(format!("`{by}` draws floats, not {other}")).at(place.clone()));
            }
        };
        Ok(FloatLayout { uint, mantissa, one, tiny })
    }

    /// The distance from 1 to the next number.
    fn epsilon(&self) -> f64 {
        2f64.powi(-(self.mantissa as i32))
    }
}

fn scalar(dtype: DType, x: f64) -> Array {
    Array::literal(Tensor::splat(Shape::scalar(), Scalar::from_f64(dtype, x)))
}

/// Uniform numbers in `[0, 1)`: random digits after the point of a number between 1 and 2, less 1.
fn try_unit(by: &str, key: &Key, shape: &Shape, dtype: DType, place: &Place) -> Result<Array> {
    let float = FloatLayout::of(by, dtype, place)?;
    // Few digits are needed for bf16, and eight bits hold them.
    let drawn = if float.mantissa < 8 { DType::U8 } else { float.uint };
    let bits = key.try_bits(shape, drawn, place)?.to(float.uint);
    let digits = (bits >> (drawn.bits() as u32 - float.mantissa)) | float.one as i64;
    Ok(digits.bitcast(dtype) - 1.0)
}

/// Uniform numbers in `[low, high)`.
pub(super) fn try_uniform(
    by: &str,
    key: &Key,
    shape: &Shape,
    low: &Array,
    high: &Array,
    place: &Place,
) -> Result<Array> {
    let dtype = low.dtype();
    let unit = try_unit(by, key, shape, dtype, place)?;
    let span = high - low;
    // Products are rounded together with the sum, as in the one instruction XLA makes of both; those with a power of two
    // need no rounding. That is asked of numbers alone: an array may have other values when this runs again.
    let numbers = low.is_literal() && high.is_literal();
    let known = if numbers { span.value() } else { None };
    let power = known.and_then(Tensor::splat_value).and_then(Scalar::as_f64);
    let wide = match dtype {
        _ if power.is_some_and(|p| p == p.log2().round().exp2()) => dtype,
        DType::F16 => DType::F32,
        DType::F32 => DType::F64,
        d => d,
    };
    let x = unit.to(wide) * span.to(wide) + low.to(wide);
    Ok(x.to(dtype).maximum(low))
}

/// Uniform numbers between two numbers, in a shape the user gave.
fn between(by: &str, key: &Key, shape: impl IntoShape, low: f64, high: f64, dtype: DType, place: &Place) -> Array {
    ok(sizes(shape, place).and_then(|s| try_uniform(by, key, &s, &scalar(dtype, low), &scalar(dtype, high), place)))
}

/// Uniform numbers from 0 up to, and without, 1.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::uniform(&random::key(42), [3], DType::F32);
/// assert_eq!(x.to_vec::<f32>()[0], 0.48870957);
/// ```
#[composite(random)]
#[track_caller]
pub fn uniform(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    ok(sizes(shape, &place).and_then(|s| try_unit("uniform", key, &s, dtype, &place)))
}

/// Uniform numbers from `low` up to, and without, `high`, which broadcast to the shape.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::uniform_between(&random::key(42), [100], -2.0, 5.0, DType::F32);
/// assert!(x.min(..) >= -2.0 && x.max(..) < 5.0);
/// ```
#[composite(random)]
#[track_caller]
pub fn uniform_between(
    key: &Key,
    shape: impl IntoShape,
    low: impl Into<Operand>,
    high: impl Into<Operand>,
    dtype: DType,
) -> Array {
    let place = Place::caller();
    let (shape, [low, high]) = ok(range(shape, low, high, dtype, &place));
    ok(try_uniform("uniform_between", key, &shape, &low, &high, &place))
}

fn try_normal(by: &str, key: &Key, shape: &Shape, low: &Array, high: &Array, place: &Place) -> Result<Array> {
    let u = try_uniform(by, key, shape, low, high, place)?;
    Ok(u.erf_inv() * std::f64::consts::SQRT_2)
}

/// Normal numbers with mean 0 and variance 1; of complex ones, both parts share it.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::normal(&random::key(0), [10_000], DType::F64);
/// assert!(x.mean(..).to_f64().abs() < 0.05 && (x.std(..).to_f64() - 1.0).abs() < 0.05);
/// ```
#[composite(random)]
#[track_caller]
pub fn normal(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    if dtype.is_complex() {
        let (shape, keys) = (ok(sizes(shape, &place)), key.split(2));
        let [re, im] = [0, 1].map(|i| normal(&keys[i], &shape, dtype.real()));
        return complex(re, im) / std::f64::consts::SQRT_2;
    }
    // Above -1, where the inverse of the error function is infinite.
    let low = scalar(dtype, -1.0 + ok(FloatLayout::of("normal", dtype, &place)).epsilon() / 2.0);
    ok(sizes(shape, &place).and_then(|s| try_normal("normal", key, &s, &low, &scalar(dtype, 1.0), &place)))
}

/// Normal numbers that lie between `low` and `high`.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::truncated_normal(&random::key(0), -1.0, 2.0, [100], DType::F32);
/// assert!(x.min(..) > -1.0 && x.max(..) < 2.0);
/// ```
#[composite(random)]
#[track_caller]
pub fn truncated_normal(
    key: &Key,
    low: impl Into<Operand>,
    high: impl Into<Operand>,
    shape: impl IntoShape,
    dtype: DType,
) -> Array {
    let place = Place::caller();
    ok(FloatLayout::of("truncated_normal", dtype, &place));
    let (shape, [low, high]) = ok(range(shape, low, high, dtype, &place));
    let mass = |x: &Array| (x / std::f64::consts::SQRT_2).erf();
    let x = ok(try_normal("truncated_normal", key, &shape, &mass(&low), &mass(&high), &place));
    let inside = |x: &Array, towards: f64| stop_gradient(x.clone()).nextafter(towards);
    x.maximum(inside(&low, f64::INFINITY)).minimum(inside(&high, f64::NEG_INFINITY))
}

/// Numbers with the standard Gumbel distribution.
///
/// ```
/// use wengert::{random, DType};
/// assert_eq!(random::gumbel(&random::key(42), [3], DType::F32).shape()[..], [3]);
/// ```
#[composite(random)]
#[track_caller]
pub fn gumbel(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    let tiny = ok(FloatLayout::of("gumbel", dtype, &place)).tiny;
    -(-between("gumbel", key, shape, tiny, 1.0, dtype, &place).log()).log()
}

/// Numbers with the exponential distribution of mean 1.
///
/// ```
/// use wengert::{random, DType};
/// assert!(random::exponential(&random::key(0), [100], DType::F32).min(..) >= 0.0);
/// ```
#[composite(random)]
#[track_caller]
pub fn exponential(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    -(-ok(sizes(shape, &place).and_then(|s| try_unit("exponential", key, &s, dtype, &place)))).log1p()
}

/// Numbers with the Laplace distribution of mean 0 and scale 1.
///
/// ```
/// use wengert::{random, DType};
/// assert_eq!(random::laplace(&random::key(0), [3], DType::F32).shape()[..], [3]);
/// ```
#[composite(random)]
#[track_caller]
pub fn laplace(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    let epsilon = ok(FloatLayout::of("laplace", dtype, &place)).epsilon();
    let u = between("laplace", key, shape, -1.0 + epsilon / 2.0, 1.0, dtype, &place);
    u.sign() * (-u.abs()).log1p()
}

/// Numbers with the standard logistic distribution.
///
/// ```
/// use wengert::{random, DType};
/// assert_eq!(random::logistic(&random::key(0), [3], DType::F32).shape()[..], [3]);
/// ```
#[composite(random)]
#[track_caller]
pub fn logistic(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    let tiny = ok(FloatLayout::of("logistic", dtype, &place)).tiny;
    let u = between("logistic", key, shape, tiny, 1.0, dtype, &place);
    u.log() - (-u).log1p()
}

/// Numbers with the standard Cauchy distribution.
///
/// ```
/// use wengert::{random, DType};
/// assert_eq!(random::cauchy(&random::key(0), [3], DType::F32).shape()[..], [3]);
/// ```
#[composite(random)]
#[track_caller]
pub fn cauchy(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    let epsilon = ok(FloatLayout::of("cauchy", dtype, &place)).epsilon();
    ((between("cauchy", key, shape, epsilon, 1.0, dtype, &place) - 0.5) * std::f64::consts::PI).tan()
}
