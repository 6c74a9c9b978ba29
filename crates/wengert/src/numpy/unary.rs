//! Elementwise functions of one array.

use crate::array::Array;
use crate::dispatch::bind_one;
use crate::tape::composite;
use std::f64::consts::{LN_2, LN_10, PI};
use wengert_core::DType;
use wengert_core::ops::{Binary, Unary};

/// The type that functions with real results compute in: floats and complex stay, integers become floats.
pub(crate) fn inexact(d: DType) -> DType {
    match d {
        DType::I64 | DType::U64 => DType::F64,
        d if d.is_differentiable() => d,
        _ => DType::F32,
    }
}

/// The largest finite number of a float type.
pub(crate) fn largest(d: DType) -> f64 {
    match d.real() {
        DType::F16 => 65504.0,
        DType::BF16 => wengert_core::bf16::MAX.to_f64(),
        DType::F32 => f32::MAX as f64,
        _ => f64::MAX,
    }
}

/// One function a line: name, op, what it is, and the example `f(at) = value` that its documentation runs.
macro_rules! unary {
    ($($name:ident $op:ident $what:literal: $at:expr, $value:expr;)*) => {
        impl Array {
            $(#[doc = concat!($what, ", element by element. Integers become floats.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let y = Array::from(", stringify!($at), "f32).", stringify!($name), "();")]
            #[doc = concat!("assert!((y.item::<f32>() - ", stringify!($value), ").abs() < 1e-6);")]
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Array {
                bind_one(Unary::$op, &[&self.to_inexact()])
            })*
        }
    };
}
unary! {
    exp Exp "The exponential": 1.0, 2.7182817;
    expm1 Expm1 "`exp(x) - 1`, also for small `x`": 1.0, 1.7182818;
    log Log "The natural logarithm": 10.0, 2.3025851;
    log1p Log1p "`log(1 + x)`, also for small `x`": 1.0, 0.6931472;
    sigmoid Logistic "`1 / (1 + exp(-x))`": 1.0, 0.7310586;
    sin Sin "The sine": 1.0, 0.841471;
    cos Cos "The cosine": 1.0, 0.5403023;
    tan Tan "The tangent": 1.0, 1.5574077;
    asin Asin "The inverse of the sine": 0.5, 0.5235988;
    acos Acos "The inverse of the cosine": 0.5, 1.0471976;
    atan Atan "The inverse of the tangent": 1.0, 0.7853982;
    sinh Sinh "The hyperbolic sine": 1.0, 1.1752012;
    cosh Cosh "The hyperbolic cosine": 1.0, 1.5430806;
    tanh Tanh "The hyperbolic tangent": 1.0, 0.7615942;
    asinh Asinh "The inverse of the hyperbolic sine": 1.0, 0.8813736;
    acosh Acosh "The inverse of the hyperbolic cosine": 2.0, 1.316958;
    atanh Atanh "The inverse of the hyperbolic tangent": 0.5, 0.5493061;
    sqrt Sqrt "The square root": 2.0, 1.4142135;
    rsqrt Rsqrt "`1 / sqrt(x)`": 4.0, 0.5;
    cbrt Cbrt "The cube root": -8.0, -2.0;
    erf Erf "The error function": 0.5, 0.5204999;
    erfc Erfc "`1 - erf(x)`, also for large `x`": 0.5, 0.4795001;
    erf_inv ErfInv "The inverse of the error function": 0.5, 0.4769363;
    lgamma Lgamma "The logarithm of the absolute value of the gamma function": 5.0, 3.1780539;
    digamma Digamma "The derivative of `lgamma`": 2.0, 0.4227843;
    bessel_i0e BesselI0e "The exponentially scaled modified Bessel function of order 0": 1.0, 0.4657596;
    bessel_i1e BesselI1e "The exponentially scaled modified Bessel function of order 1": 1.0, 0.2079104;
}

/// As `unary!`, for roundings: integers are their own result.
macro_rules! rounding {
    ($($name:ident $op:ident $what:literal: $at:expr, $value:expr;)*) => {
        impl Array {
            $(#[doc = concat!($what, ", element by element. Integers stay as they are.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let y = Array::from(", stringify!($at), ").", stringify!($name), "();")]
            #[doc = concat!("assert_eq!(y.to_vec::<f32>(), ", stringify!($value), ");")]
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Array {
                if self.dtype().is_differentiable() { bind_one(Unary::$op, &[self]) } else { self.clone() }
            })*
        }
    };
}
rounding! {
    floor Floor "The largest integer at most this": [1.5f32, -1.5], [1.0, -2.0];
    ceil Ceil "The smallest integer at least this": [1.5f32, -1.5], [2.0, -1.0];
    round RoundEven "The nearest integer, halves to the even one": [0.5f32, 1.5, -2.7], [0.0, 2.0, -3.0];
}

impl Array {
    /// Floats and complex numbers as they are, integers and `bool` as floats.
    #[track_caller]
    pub(crate) fn to_inexact(&self) -> Array {
        self.to(inexact(self.dtype()))
    }

    /// The absolute value; of a complex number, its modulus.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([-3, 4]).abs().to_vec::<i32>(), [3, 4]);
    /// ```
    #[track_caller]
    pub fn abs(&self) -> Array {
        let d = self.dtype();
        if d == DType::Bool || d.is_unsigned() { self.clone() } else { bind_one(Unary::Abs, &[self]) }
    }

    /// -1, 0 or 1 by the sign; a complex number over its modulus.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([-2.5f32, 0.0, 7.0]).sign().to_vec::<f32>(), [-1.0, 0.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn sign(&self) -> Array {
        bind_one(Unary::Sign, &[self])
    }

    /// 2 to the power of each element. Integers become floats.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3.0f32, -1.0]).exp2().to_vec::<f32>(), [8.0, 0.5]);
    /// ```
    #[track_caller]
    pub fn exp2(&self) -> Array {
        super::operators::binary(Binary::Pow, 2, self.to_inexact())
    }

    /// The logarithm to base 2. Integers become floats.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(8.0f32).log2().item::<f32>() - 3.0).abs() < 1e-6);
    /// ```
    #[track_caller]
    pub fn log2(&self) -> Array {
        self.log() / LN_2
    }

    /// The logarithm to base 10. Integers become floats.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(1000.0f64).log10().item::<f64>() - 3.0).abs() < 1e-14);
    /// ```
    #[track_caller]
    pub fn log10(&self) -> Array {
        self.log() / LN_10
    }

    /// The product with itself.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3, -4]).square().to_vec::<i32>(), [9, 16]);
    /// ```
    #[track_caller]
    pub fn square(&self) -> Array {
        self * self
    }

    /// One over each element. Integers become floats.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([2, 4]).reciprocal().to_vec::<f32>(), [0.5, 0.25]);
    /// ```
    #[track_caller]
    pub fn reciprocal(&self) -> Array {
        1 / self.to_inexact()
    }

    /// The integer towards zero. Integers stay as they are.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.7f32, -1.7]).trunc().to_vec::<f32>(), [1.0, -1.0]);
    /// ```
    #[track_caller]
    pub fn trunc(&self) -> Array {
        if !self.dtype().is_float() {
            return self.clone();
        }
        super::where_(self.lt(0), self.ceil(), self.floor())
    }

    /// Rounded to this many decimals, halves to even; a negative number rounds to tens, hundreds ….
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.234f64, -5.678]).round_to(1).to_vec::<f64>(), [1.2, -5.7]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn round_to(&self, decimals: i32) -> Array {
        if decimals == 0 || !self.dtype().is_float() && decimals > 0 {
            return self.round();
        }
        let x = self.to_inexact();
        let scale = 10f64.powi(decimals.abs());
        let y = if decimals > 0 { (x * scale).round() / scale } else { (x / scale).round() * scale };
        y.to(self.dtype())
    }

    /// The part after the point, and the integer before it; both with the sign of the number.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (part, whole) = Array::from([1.25f32, -2.5]).modf();
    /// assert_eq!((part.to_vec::<f32>(), whole.to_vec::<f32>()), (vec![0.25, -0.5], vec![1.0, -2.0]));
    /// ```
    #[track_caller]
    pub fn modf(&self) -> (Array, Array) {
        let x = self.to_inexact();
        let whole = x.trunc();
        (&x - &whole, whole)
    }

    /// `sin(πx) / πx`, and 1 at 0.
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([0.0f32, 0.5]).sinc().to_vec::<f32>();
    /// assert!(y[0] == 1.0 && (y[1] - 0.63661975).abs() < 1e-6);
    /// ```
    #[composite]
    #[track_caller]
    pub fn sinc(&self) -> Array {
        let x = self.to_inexact() * PI;
        let zero = x.eq(0);
        // Near zero its first terms, which have the derivatives too.
        let safe = super::where_(&zero, 1, &x);
        super::where_(zero, 1.0 - x.square() / 6.0, safe.sin() / safe)
    }

    /// The modified Bessel function of order 0.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(1.0f32).bessel_i0().item::<f32>() - 1.2660659).abs() < 1e-6);
    /// ```
    #[track_caller]
    pub fn bessel_i0(&self) -> Array {
        self.abs().exp() * self.bessel_i0e()
    }

    /// From radians to degrees.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(std::f64::consts::PI).degrees().item::<f64>() - 180.0).abs() < 1e-12);
    /// ```
    #[track_caller]
    pub fn degrees(&self) -> Array {
        self.to_inexact() * (180.0 / PI)
    }

    /// From degrees to radians.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(180.0f64).radians().item::<f64>() - std::f64::consts::PI).abs() < 1e-14);
    /// ```
    #[track_caller]
    pub fn radians(&self) -> Array {
        self.to_inexact() * (PI / 180.0)
    }

    /// The real part; real numbers are their own.
    ///
    /// ```
    /// # use wengert::{Array, Complex};
    /// assert_eq!(Array::from([Complex::new(1.0f32, 2.0)]).real().to_vec::<f32>(), [1.0]);
    /// ```
    #[track_caller]
    pub fn real(&self) -> Array {
        if self.dtype().is_complex() { bind_one(Unary::Real, &[self]) } else { self.clone() }
    }

    /// The imaginary part; that of real numbers is zero.
    ///
    /// ```
    /// # use wengert::{Array, Complex};
    /// assert_eq!(Array::from([Complex::new(1.0f32, 2.0)]).imag().to_vec::<f32>(), [2.0]);
    /// ```
    #[track_caller]
    pub fn imag(&self) -> Array {
        if self.dtype().is_complex() { bind_one(Unary::Imag, &[self]) } else { self.zeros_like() }
    }

    /// The complex conjugate; real numbers are their own.
    ///
    /// ```
    /// # use wengert::{Array, Complex};
    /// let z = Array::from([Complex::new(1.0f32, 2.0)]);
    /// assert_eq!(z.conj().to_vec::<Complex<f32>>(), [Complex::new(1.0, -2.0)]);
    /// ```
    #[track_caller]
    pub fn conj(&self) -> Array {
        if self.dtype().is_complex() { bind_one(Unary::Conj, &[self]) } else { self.clone() }
    }

    /// The angle of a complex number, in radians.
    ///
    /// ```
    /// # use wengert::{Array, Complex};
    /// let z = Array::from(Complex::new(0.0f64, 2.0));
    /// assert!((z.angle().item::<f64>() - std::f64::consts::FRAC_PI_2).abs() < 1e-14);
    /// ```
    #[track_caller]
    pub fn angle(&self) -> Array {
        let x = if self.dtype().is_differentiable() { self.clone() } else { self.to(DType::F64) };
        x.imag().atan2(x.real())
    }

    /// Whether each element is neither NaN nor infinite.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, f32::NAN, f32::INFINITY]).is_finite().to_vec::<bool>(), [true, false, false]);
    /// ```
    #[track_caller]
    pub fn is_finite(&self) -> Array {
        match self.dtype() {
            d if d.is_complex() => self.real().is_finite() & self.imag().is_finite(),
            d if d.is_float() => bind_one(Unary::IsFinite, &[self]),
            _ => Array::full(self.shape(), true, DType::Bool),
        }
    }

    /// Whether each element is NaN.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, f32::NAN, f32::INFINITY]).is_nan().to_vec::<bool>(), [false, true, false]);
    /// ```
    #[track_caller]
    pub fn is_nan(&self) -> Array {
        self.ne(self)
    }

    /// Whether each element is infinite.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, f32::NAN, -f32::INFINITY]).is_inf().to_vec::<bool>(), [false, false, true]);
    /// ```
    #[track_caller]
    pub fn is_inf(&self) -> Array {
        match self.dtype() {
            d if d.is_complex() => self.real().is_inf() | self.imag().is_inf(),
            d if d.is_float() => self.abs().eq(f64::INFINITY),
            _ => Array::zeros(self.shape(), DType::Bool),
        }
    }

    /// NaN becomes 0, infinities the largest finite numbers.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([f32::NAN, f32::INFINITY, 1.0]);
    /// assert_eq!(x.nan_to_num().to_vec::<f32>(), [0.0, f32::MAX, 1.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn nan_to_num(&self) -> Array {
        let d = self.dtype();
        if d.is_complex() {
            return super::complex(self.real().nan_to_num(), self.imag().nan_to_num());
        }
        if !d.is_float() {
            return self.clone();
        }
        let x = super::where_(self.is_nan(), 0, self);
        let x = super::where_(x.eq(f64::INFINITY), largest(d), x);
        super::where_(x.eq(f64::NEG_INFINITY), -largest(d), x)
    }

    /// The number of bits set in each integer.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([7, 8]).count_ones().to_vec::<i32>(), [3, 1]);
    /// ```
    #[track_caller]
    pub fn count_ones(&self) -> Array {
        bind_one(Unary::Popcnt, &[self])
    }

    /// The number of zero bits before the first set one in each integer.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1u8, 255]).leading_zeros().to_vec::<u8>(), [7, 0]);
    /// ```
    #[track_caller]
    pub fn leading_zeros(&self) -> Array {
        bind_one(Unary::Clz, &[self])
    }
}
