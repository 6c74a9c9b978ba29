//! Floats. The short ones compute in `f32` and round once.

use super::super::math;
use super::{Map, Number, Zip, map, ordered, zip};
use half::{bf16, f16};
use num_traits::{Float as F, FloatConst};
use wengert_core::Element;
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_kernel::recipes::{Recipe, erf_inv_f64};

/// A float type that computes: `f32` and `f64`.
pub(crate) trait Real: Element + F + FloatConst {
    /// To the nearest integer, halves to the even one.
    fn round_even(self) -> Self;
    /// A function that is a recipe for `f32`, and the standard library's or ours for `f64`.
    fn by_recipe(self, recipe: Recipe) -> Self;
    /// The inverse of `sinh`, also where twice `x` is too large.
    fn arsinh(self) -> Self {
        let large = || (self.abs().ln() + Self::LN_2()).copysign(self);
        if self.abs() > Self::of(1e8) { large() } else { self.asinh() }
    }
    /// The inverse of `cosh`, also close to 1 and where `x²` is too large.
    fn arcosh(self) -> Self {
        let t = self - Self::one();
        if self > Self::of(1e8) {
            self.ln() + Self::LN_2()
        } else if t < Self::zero() {
            Self::nan()
        } else {
            (t + (t * (t + Self::of(2.0))).sqrt()).ln_1p()
        }
    }
    /// Exact.
    fn double(self) -> f64;
    /// This number, rounded.
    fn of(x: f64) -> Self {
        Element::from_f64(x)
    }
}

impl Real for f32 {
    #[inline(always)]
    fn by_recipe(self, recipe: Recipe) -> f32 {
        recipe.of_f32(self)
    }
    fn round_even(self) -> f32 {
        self.round_ties_even()
    }
    fn double(self) -> f64 {
        self.into()
    }
}

impl Real for f64 {
    #[inline(always)]
    fn by_recipe(self, recipe: Recipe) -> f64 {
        match recipe {
            Recipe::Exp => self.exp(),
            Recipe::Expm1 => self.exp_m1(),
            Recipe::Log => self.ln(),
            Recipe::Log1p => self.ln_1p(),
            Recipe::Logistic => (1.0 + (-self).exp()).recip(),
            Recipe::Tanh => self.tanh(),
            Recipe::ErfInv => erf_inv_f64(self),
        }
    }
    fn round_even(self) -> f64 {
        self.round_ties_even()
    }
    fn double(self) -> f64 {
        self
    }
}

/// A float type, and the one it computes in.
pub(crate) trait Float: Element + PartialOrd {
    /// The type it computes in.
    type Wide: Real;
    /// Exact.
    fn wide(self) -> Self::Wide;
    /// Rounded to nearest, halves to even.
    fn narrow(x: Self::Wide) -> Self;
    /// The next number of this type in a direction.
    fn next_after(self, to: Self) -> Self;
}

macro_rules! float {
    ($(($t:ty, $wide:ty, |$x:ident| $up:expr, $down:expr))*) => {$(
        impl Float for $t {
            type Wide = $wide;
            fn wide(self) -> $wide {
                let $x = self;
                $up
            }
            fn narrow($x: $wide) -> $t {
                $down
            }
            fn next_after(self, to: $t) -> $t {
                if self.is_nan() || to.is_nan() {
                    return <$t>::NAN;
                }
                if self == to {
                    return to;
                }
                let zero = <$t>::narrow(0.0);
                if self == zero {
                    return <$t>::from_bits(1).copysign(to);
                }
                // Numbers of one sign have the order of their bits.
                let grows = (self < to) == (self > zero);
                <$t>::from_bits(if grows { self.to_bits() + 1 } else { self.to_bits() - 1 })
            }
        }

        impl Number for $t {
            type Part = $t;

            fn unary(op: Unary) -> Option<Map<$t, $t>> {
                unary(op)
            }
            fn part(op: Unary) -> Option<Map<$t, $t>> {
                match op {
                    Unary::Real => Some(map!(|x: $t| x)),
                    Unary::Imag => Some(map!(|_: $t| <$t>::narrow(0.0))),
                    _ => None,
                }
            }
            fn test(op: Unary) -> Option<Map<$t, bool>> {
                (op == Unary::IsFinite).then_some(map!(|x: $t| x.is_finite()))
            }
            fn binary(op: Binary) -> Option<Zip<$t, $t>> {
                binary(op)
            }
            fn compare(op: Direction) -> Option<Zip<$t, bool>> {
                Some(ordered(op))
            }
        }
    )*};
}
float! {
    (f16, f32, |x| x.to_f32(), f16::from_f32(x))
    (bf16, f32, |x| x.to_f32(), bf16::from_f32(x))
    (f32, f32, |x| x, x)
    (f64, f64, |x| x, x)
}

fn unary<T: Float>(op: Unary) -> Option<Map<T, T>> {
    /// Computes wide and rounds.
    macro_rules! wide {
        ($f:expr) => {
            map!(|x: T| T::narrow($f(x.wide())))
        };
    }
    /// Computes in `f64` and rounds.
    macro_rules! double {
        ($f:expr) => {
            wide!(|x: T::Wide| T::Wide::of($f(x.double())))
        };
    }
    Some(match op {
        Unary::Abs => wide!(F::abs),
        Unary::Sign => wide!(|x: T::Wide| if x == T::Wide::of(0.0) || x.is_nan() { x } else { x.signum() }),
        Unary::Neg => wide!(|x: T::Wide| -x),
        Unary::Exp => wide!(|x: T::Wide| x.by_recipe(Recipe::Exp)),
        Unary::Expm1 => wide!(|x: T::Wide| x.by_recipe(Recipe::Expm1)),
        Unary::Log => wide!(|x: T::Wide| x.by_recipe(Recipe::Log)),
        Unary::Log1p => wide!(|x: T::Wide| x.by_recipe(Recipe::Log1p)),
        Unary::Logistic => wide!(|x: T::Wide| x.by_recipe(Recipe::Logistic)),
        Unary::Tanh => wide!(|x: T::Wide| x.by_recipe(Recipe::Tanh)),
        Unary::Sin => wide!(F::sin),
        Unary::Cos => wide!(F::cos),
        Unary::Tan => wide!(F::tan),
        Unary::Asin => wide!(F::asin),
        Unary::Acos => wide!(F::acos),
        Unary::Atan => wide!(F::atan),
        Unary::Sinh => wide!(F::sinh),
        Unary::Cosh => wide!(F::cosh),
        Unary::Asinh => wide!(Real::arsinh),
        Unary::Acosh => wide!(Real::arcosh),
        Unary::Atanh => wide!(F::atanh),
        Unary::Sqrt => wide!(F::sqrt),
        Unary::Rsqrt => wide!(|x: T::Wide| F::recip(F::sqrt(x))),
        Unary::Cbrt => wide!(F::cbrt),
        Unary::Floor => wide!(F::floor),
        Unary::Ceil => wide!(F::ceil),
        Unary::Round => wide!(F::round),
        Unary::RoundEven => wide!(Real::round_even),
        Unary::Erf => double!(math::erf),
        Unary::Erfc => double!(math::erfc),
        Unary::ErfInv => wide!(|x: T::Wide| x.by_recipe(Recipe::ErfInv)),
        Unary::Lgamma => double!(math::lgamma),
        Unary::Digamma => double!(math::digamma),
        Unary::BesselI0e => double!(math::i0e),
        Unary::BesselI1e => double!(math::i1e),
        Unary::Real | Unary::Imag | Unary::IsFinite => return None,
        Unary::Conj | Unary::Not | Unary::Popcnt | Unary::Clz => return None,
    })
}

fn binary<T: Float>(op: Binary) -> Option<Zip<T, T>> {
    macro_rules! wide {
        ($f:expr) => {
            zip!(|x: T, y: T| T::narrow($f(x.wide(), y.wide())))
        };
    }
    Some(match op {
        Binary::Add => wide!(|x: T::Wide, y: T::Wide| x + y),
        Binary::Sub => wide!(|x: T::Wide, y: T::Wide| x - y),
        Binary::Mul => wide!(|x: T::Wide, y: T::Wide| x * y),
        Binary::Div => wide!(|x: T::Wide, y: T::Wide| x / y),
        Binary::Rem => wide!(|x: T::Wide, y: T::Wide| x % y),
        Binary::Pow => wide!(F::powf),
        Binary::Max => zip!(max::<T>),
        Binary::Min => zip!(min::<T>),
        Binary::Atan2 => wide!(F::atan2),
        Binary::Nextafter => zip!(T::next_after),
        Binary::Polygamma => {
            wide!(|n: T::Wide, x: T::Wide| T::Wide::of(math::polygamma(n.double(), x.double())))
        }
        Binary::And | Binary::Or | Binary::Xor | Binary::Complex => return None,
        Binary::Shl | Binary::ShrArithmetic | Binary::ShrLogical => return None,
    })
}

/// The larger; NaN if one is NaN. The positive zero is larger than the negative one.
pub(crate) fn max<T: Float>(x: T, y: T) -> T {
    let (a, b) = (x.wide(), y.wide());
    if a > b || a.is_nan() || (a == b && b.is_sign_negative()) { x } else { y }
}

/// The smaller; NaN if one is NaN. The negative zero is smaller than the positive one.
pub(crate) fn min<T: Float>(x: T, y: T) -> T {
    let (a, b) = (x.wide(), y.wide());
    if a < b || a.is_nan() || (a == b && a.is_sign_negative()) { x } else { y }
}
