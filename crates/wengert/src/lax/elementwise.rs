//! Primitives that work element by element.

use crate::array::Array;
use crate::dispatch::bind_one;
use wengert_core::DType;
use wengert_core::ops::{
    Binary, Bitcast, Clamp, Compare, Convert, Direction, MulAdd, ReducePrecision, Select, StopGradient, Unary,
};

macro_rules! unary {
    ($($name:ident $op:ident $what:literal: $at:expr, $value:expr;)*) => {
        $(#[doc = concat!($what, ".")]
        ///
        /// ```
        /// use wengert::{lax, Array};
        #[doc = concat!("let y = lax::", stringify!($name), "(&Array::from(", stringify!($at), "));")]
        #[doc = concat!("assert_eq!(y, Array::from(", stringify!($value), "));")]
        /// ```
        #[track_caller]
        pub fn $name(x: &Array) -> Array {
            bind_one(Unary::$op, &[x])
        })*
    };
}

unary! {
    abs Abs "The absolute value": -2, 2;
    sign Sign "The sign: -1, 0 or 1": -2, -1;
    neg Neg "The negative": 2, -2;
    exp Exp "The exponential": 0.0, 1.0;
    expm1 Expm1 "`exp(x) - 1`": 0.0, 0.0;
    log Log "The natural logarithm": 1.0, 0.0;
    log1p Log1p "`log(1 + x)`": 0.0, 0.0;
    logistic Logistic "`1 / (1 + exp(-x))`": 0.0, 0.5;
    tanh Tanh "The hyperbolic tangent": 0.0, 0.0;
    sin Sin "The sine": 0.0, 0.0;
    cos Cos "The cosine": 0.0, 1.0;
    tan Tan "The tangent": 0.0, 0.0;
    asin Asin "The inverse of the sine": 0.0, 0.0;
    acos Acos "The inverse of the cosine": 1.0, 0.0;
    atan Atan "The inverse of the tangent": 0.0, 0.0;
    sinh Sinh "The hyperbolic sine": 0.0, 0.0;
    cosh Cosh "The hyperbolic cosine": 0.0, 1.0;
    asinh Asinh "The inverse of the hyperbolic sine": 0.0, 0.0;
    acosh Acosh "The inverse of the hyperbolic cosine": 1.0, 0.0;
    atanh Atanh "The inverse of the hyperbolic tangent": 0.0, 0.0;
    sqrt Sqrt "The square root": 4.0, 2.0;
    rsqrt Rsqrt "One over the square root": 4.0, 0.5;
    cbrt Cbrt "The cube root": 8.0, 2.0;
    floor Floor "The largest integer that is not above": 1.5, 1.0;
    ceil Ceil "The smallest integer that is not below": 1.5, 2.0;
    round Round "The nearest integer, halves away from zero": 2.5, 3.0;
    round_even RoundEven "The nearest integer, halves to the even one": 2.5, 2.0;
    is_finite IsFinite "Whether it is neither infinite nor NaN": 1.0, true;
    not Not "Each bit the other way, or the other `bool`": true, false;
    popcnt Popcnt "How many bits are set": 7, 3;
    clz Clz "How many bits before the first that is set": 1, 31;
    erf Erf "The error function": 0.0, 0.0;
    erfc Erfc "One less the error function": 0.0, 1.0;
    erf_inv ErfInv "The inverse of the error function": 0.0, 0.0;
    lgamma Lgamma "The logarithm of the absolute value of the gamma function": 1.0, 0.0;
    digamma Digamma "The derivative of `lgamma`": 1.0f64, -0.5772156649015328f64;
    bessel_i0e BesselI0e "The modified Bessel function of order 0, times `exp(-|x|)`": 0.0, 1.0;
    bessel_i1e BesselI1e "The modified Bessel function of order 1, times `exp(-|x|)`": 0.0, 0.0;
    real Real "The real part": wengert::Complex::new(1.0, 2.0), 1.0;
    imag Imag "The imaginary part": wengert::Complex::new(1.0, 2.0), 2.0;
    conj Conj "The complex conjugate": wengert::Complex::new(1.0, 2.0), wengert::Complex::new(1.0, -2.0);
}

macro_rules! binary {
    ($($name:ident $op:ident $what:literal: $x:expr, $y:expr, $value:expr;)*) => {
        $(#[doc = concat!($what, ".")]
        ///
        /// ```
        /// use wengert::{lax, Array};
        #[doc = concat!("let (x, y) = (Array::from(", stringify!($x), "), Array::from(", stringify!($y), "));")]
        #[doc = concat!("assert_eq!(lax::", stringify!($name), "(&x, &y), Array::from(", stringify!($value), "));")]
        /// ```
        #[track_caller]
        pub fn $name(x: &Array, y: &Array) -> Array {
            bind_one(Binary::$op, &[x, y])
        })*
    };
}

binary! {
    add Add "The sum; of `bool`, whether one is true": 7, 2, 9;
    sub Sub "The difference": 7, 2, 5;
    mul Mul "The product; of `bool`, whether both are true": 7, 2, 14;
    div Div "The quotient; of integers, toward zero": 7, 2, 3;
    rem Rem "What division leaves, with the sign of `x`": 7, 2, 1;
    pow Pow "`x` to the power of `y`": 3.0, 2.0, 9.0;
    max Max "The larger one, NaN if one is": 7, 2, 7;
    min Min "The smaller one, NaN if one is": 7, 2, 2;
    atan2 Atan2 "The angle of the point `(y, x)`, the first operand being its height": 0.0, 1.0, 0.0;
    and And "Each bit of both, or both `bool`s": 6, 3, 2;
    or Or "Each bit of either, or either `bool`": 6, 3, 7;
    xor Xor "Each bit of one and not both, or one `bool`": 6, 3, 5;
    shift_left Shl "Bits moved to the left": 3, 2, 12;
    shift_right_arithmetic ShrArithmetic "Bits moved to the right, with the sign": -8, 1, -4;
    shift_right_logical ShrLogical "Bits moved to the right, with zeros": 8, 1, 4;
    complex Complex "The complex number of a real and an imaginary part": 1.0, 2.0, wengert::Complex::new(1.0, 2.0);
    nextafter Nextafter "The next number from `x` toward `y`": 0.0f32, 1.0f32, 1e-45f32;
    polygamma Polygamma "The derivative of order `x` of `digamma` at `y`": 0.0f64, 1.0f64, -0.5772156649015328f64;
}

macro_rules! compare {
    ($($name:ident $direction:ident $what:literal: $value:expr;)*) => {
        $(#[doc = concat!("Where ", $what, ".")]
        ///
        /// ```
        /// use wengert::{lax, Array};
        /// let (x, y) = (Array::from([1, 2, 3]), Array::from([2, 2, 2]));
        #[doc = concat!("assert_eq!(lax::", stringify!($name), "(&x, &y), Array::from(", stringify!($value), "));")]
        /// ```
        #[track_caller]
        pub fn $name(x: &Array, y: &Array) -> Array {
            bind_one(Compare { direction: Direction::$direction }, &[x, y])
        })*
    };
}

compare! {
    eq Eq "`x` equals `y`": [false, true, false];
    ne Ne "`x` differs from `y`": [true, false, true];
    lt Lt "`x` is less than `y`": [true, false, false];
    le Le "`x` is at most `y`": [true, true, false];
    gt Gt "`x` is greater than `y`": [false, false, true];
    ge Ge "`x` is at least `y`": [false, true, true];
}

/// `on_true` where the predicate holds, else `on_false`.
///
/// ```
/// use wengert::{lax, Array};
/// let y = lax::select(&Array::from([true, false]), &Array::from([1, 2]), &Array::from([3, 4]));
/// assert_eq!(y, Array::from([1, 4]));
/// ```
#[track_caller]
pub fn select(pred: &Array, on_true: &Array, on_false: &Array) -> Array {
    bind_one(Select {}, &[pred, on_true, on_false])
}

/// `x` where it lies between the bounds, else the bound it passed.
///
/// ```
/// use wengert::{lax, Array};
/// let y = lax::clamp(&Array::from(0), &Array::from([-1, 3, 9]), &Array::from(5));
/// assert_eq!(y, Array::from([0, 3, 5]));
/// ```
#[track_caller]
pub fn clamp(min: &Array, x: &Array, max: &Array) -> Array {
    bind_one(Clamp {}, &[min, x, max])
}

/// `x * y + z`, rounded once.
///
/// ```
/// use wengert::{lax, Array};
/// let [x, y, z] = [2.0f32, 3.0, 4.0].map(Array::from);
/// assert_eq!(lax::mul_add(&x, &y, &z).item::<f32>(), 10.0);
/// ```
#[track_caller]
pub fn mul_add(x: &Array, y: &Array, z: &Array) -> Array {
    bind_one(MulAdd {}, &[x, y, z])
}

/// Another element type.
///
/// ```
/// use wengert::{lax, Array, DType};
/// assert_eq!(lax::convert(&Array::from([1.7f32]), DType::I32), Array::from([1]));
/// ```
#[track_caller]
pub fn convert(x: &Array, dtype: DType) -> Array {
    bind_one(Convert { dtype }, &[x])
}

/// The same bits as elements of another type.
///
/// ```
/// use wengert::{lax, Array, DType};
/// assert_eq!(lax::bitcast(&Array::from(1.0f32), DType::U32).item::<u32>(), 0x3f80_0000);
/// ```
#[track_caller]
pub fn bitcast(x: &Array, dtype: DType) -> Array {
    bind_one(Bitcast { dtype }, &[x])
}

/// Rounded to so many bits of exponent and mantissa.
///
/// ```
/// use wengert::{lax, Array};
/// assert_eq!(lax::reduce_precision(&Array::from(1.26f32), 8, 2).item::<f32>(), 1.25);
/// ```
#[track_caller]
pub fn reduce_precision(x: &Array, exponent: usize, mantissa: usize) -> Array {
    bind_one(ReducePrecision { exponent, mantissa }, &[x])
}

/// The same value, seen by derivatives as a constant.
///
/// ```
/// use wengert::{grad, lax, Array};
/// let f = |x: Array| &x * lax::stop_gradient(&x);
/// assert_eq!(grad(f)(Array::from(3.0f32)).item::<f32>(), 3.0);
/// ```
#[track_caller]
pub fn stop_gradient(x: &Array) -> Array {
    bind_one(StopGradient {}, &[x])
}
