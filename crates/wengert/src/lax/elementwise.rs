//! Primitives that work element by element.

use crate::array::Array;
use crate::dispatch::bind_one;
use wengert_core::DType;
use wengert_core::ops::{
    Binary, Bitcast, Clamp, Compare, Convert, Direction, MulAdd, ReducePrecision, Select, StopGradient, Unary,
};

macro_rules! unary {
    ($($name:ident $op:ident $what:literal;)*) => {
        $(#[doc = concat!($what, ".")]
        #[track_caller]
        pub fn $name(x: &Array) -> Array {
            bind_one(Unary::$op, &[x])
        })*
    };
}

unary! {
    abs Abs "The absolute value";
    sign Sign "The sign: -1, 0 or 1";
    neg Neg "The negative";
    exp Exp "The exponential";
    expm1 Expm1 "`exp(x) - 1`";
    log Log "The natural logarithm";
    log1p Log1p "`log(1 + x)`";
    logistic Logistic "`1 / (1 + exp(-x))`";
    tanh Tanh "The hyperbolic tangent";
    sin Sin "The sine";
    cos Cos "The cosine";
    tan Tan "The tangent";
    asin Asin "The inverse of the sine";
    acos Acos "The inverse of the cosine";
    atan Atan "The inverse of the tangent";
    sinh Sinh "The hyperbolic sine";
    cosh Cosh "The hyperbolic cosine";
    asinh Asinh "The inverse of the hyperbolic sine";
    acosh Acosh "The inverse of the hyperbolic cosine";
    atanh Atanh "The inverse of the hyperbolic tangent";
    sqrt Sqrt "The square root";
    rsqrt Rsqrt "One over the square root";
    cbrt Cbrt "The cube root";
    floor Floor "The largest integer that is not above";
    ceil Ceil "The smallest integer that is not below";
    round Round "The nearest integer, halves away from zero";
    round_even RoundEven "The nearest integer, halves to the even one";
    is_finite IsFinite "Whether it is neither infinite nor NaN";
    not Not "Each bit the other way, or the other `bool`";
    popcnt Popcnt "How many bits are set";
    clz Clz "How many bits before the first that is set";
    erf Erf "The error function";
    erfc Erfc "One less the error function";
    erf_inv ErfInv "The inverse of the error function";
    lgamma Lgamma "The logarithm of the absolute value of the gamma function";
    digamma Digamma "The derivative of `lgamma`";
    bessel_i0e BesselI0e "The modified Bessel function of order 0, times `exp(-|x|)`";
    bessel_i1e BesselI1e "The modified Bessel function of order 1, times `exp(-|x|)`";
    real Real "The real part";
    imag Imag "The imaginary part";
    conj Conj "The complex conjugate";
}

macro_rules! binary {
    ($($name:ident $op:ident $what:literal;)*) => {
        $(#[doc = concat!($what, ".")]
        #[track_caller]
        pub fn $name(x: &Array, y: &Array) -> Array {
            bind_one(Binary::$op, &[x, y])
        })*
    };
}

binary! {
    add Add "The sum; of `bool`, whether one is true";
    sub Sub "The difference";
    mul Mul "The product; of `bool`, whether both are true";
    div Div "The quotient; of integers, toward zero";
    rem Rem "What division leaves, with the sign of `x`";
    pow Pow "`x` to the power of `y`";
    max Max "The larger one, NaN if one is";
    min Min "The smaller one, NaN if one is";
    atan2 Atan2 "The angle of the point `(y, x)`, the first operand being its height";
    and And "Each bit of both, or both `bool`s";
    or Or "Each bit of either, or either `bool`";
    xor Xor "Each bit of one and not both, or one `bool`";
    shift_left Shl "Bits moved to the left";
    shift_right_arithmetic ShrArithmetic "Bits moved to the right, with the sign";
    shift_right_logical ShrLogical "Bits moved to the right, with zeros";
    complex Complex "The complex number of a real and an imaginary part";
    nextafter Nextafter "The next number from `x` toward `y`";
    polygamma Polygamma "The derivative of order `x` of `digamma` at `y`";
}

macro_rules! compare {
    ($($name:ident $direction:ident $what:literal;)*) => {
        $(#[doc = concat!("Where ", $what, ".")]
        #[track_caller]
        pub fn $name(x: &Array, y: &Array) -> Array {
            bind_one(Compare { direction: Direction::$direction }, &[x, y])
        })*
    };
}

compare! {
    eq Eq "`x` equals `y`";
    ne Ne "`x` differs from `y`";
    lt Lt "`x` is less than `y`";
    le Le "`x` is at most `y`";
    gt Gt "`x` is greater than `y`";
    ge Ge "`x` is at least `y`";
}

/// `on_true` where the predicate holds, else `on_false`.
#[track_caller]
pub fn select(pred: &Array, on_true: &Array, on_false: &Array) -> Array {
    bind_one(Select {}, &[pred, on_true, on_false])
}

/// `x` where it lies between the bounds, else the bound it passed.
#[track_caller]
pub fn clamp(min: &Array, x: &Array, max: &Array) -> Array {
    bind_one(Clamp {}, &[min, x, max])
}

/// `x * y + z`, rounded once.
#[track_caller]
pub fn mul_add(x: &Array, y: &Array, z: &Array) -> Array {
    bind_one(MulAdd {}, &[x, y, z])
}

/// Another element type.
#[track_caller]
pub fn convert(x: &Array, dtype: DType) -> Array {
    bind_one(Convert { dtype }, &[x])
}

/// The same bits as elements of another type.
#[track_caller]
pub fn bitcast(x: &Array, dtype: DType) -> Array {
    bind_one(Bitcast { dtype }, &[x])
}

/// Rounded to so many bits of exponent and mantissa.
#[track_caller]
pub fn reduce_precision(x: &Array, exponent: usize, mantissa: usize) -> Array {
    bind_one(ReducePrecision { exponent, mantissa }, &[x])
}

/// The same value, seen by derivatives as a constant.
#[track_caller]
pub fn stop_gradient(x: &Array) -> Array {
    bind_one(StopGradient {}, &[x])
}
