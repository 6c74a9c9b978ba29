//! Floats. The short ones compute in `f32` and round once.

use super::{Arg, Map, Number, Zip, map, ordered, zip};
use half::{bf16, f16};
use num_traits::{Float as F, FloatConst};
use wengert_core::Element;
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_kernel::recipes::{PairRecipe, Recipe};

/// A float type that computes: `f32` and `f64`.
pub(crate) trait Real: Element + F + FloatConst {
    /// To the nearest integer, halves to the even one.
    fn round_even(self) -> Self;
    /// The loop of a recipe.
    fn row(recipe: Recipe) -> fn(&[Self], &mut [Self]);
    /// The loop of a recipe of two numbers.
    fn pair_row(recipe: PairRecipe) -> fn(&[Self], &[Self], &mut [Self]);
    /// This number, rounded.
    fn of(x: f64) -> Self {
        Element::from_f64(x)
    }
}

impl Real for f32 {
    fn row(recipe: Recipe) -> fn(&[f32], &mut [f32]) {
        recipe.row_f32()
    }
    fn pair_row(recipe: PairRecipe) -> fn(&[f32], &[f32], &mut [f32]) {
        recipe.row_f32()
    }
    fn round_even(self) -> f32 {
        self.round_ties_even()
    }
}

impl Real for f64 {
    fn row(recipe: Recipe) -> fn(&[f64], &mut [f64]) {
        recipe.row_f64()
    }
    fn pair_row(recipe: PairRecipe) -> fn(&[f64], &[f64], &mut [f64]) {
        recipe.row_f64()
    }
    fn round_even(self) -> f64 {
        self.round_ties_even()
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
    /// Runs a loop of the type it computes in.
    fn by_row(row: fn(&[Self::Wide], &mut [Self::Wide]), x: &[Self], y: &mut [Self]);
    /// The next number of this type in a direction.
    fn next_after(self, to: Self) -> Self;
}

macro_rules! float {
    ($(($t:ty, $wide:ty, |$x:ident| $up:expr, $down:expr, $by_row:expr))*) => {$(
        impl Float for $t {
            type Wide = $wide;
            fn wide(self) -> $wide {
                let $x = self;
                $up
            }
            fn narrow($x: $wide) -> $t {
                $down
            }
            fn by_row(row: fn(&[$wide], &mut [$wide]), x: &[$t], y: &mut [$t]) {
                $by_row(row, x, y)
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
    (f16, f32, |x| x.to_f32(), f16::from_f32(x), widened)
    (bf16, f32, |x| x.to_f32(), bf16::from_f32(x), widened)
    (f32, f32, |x| x, x, |row: fn(&[f32], &mut [f32]), x, y| row(x, y))
    (f64, f64, |x| x, x, |row: fn(&[f64], &mut [f64]), x, y| row(x, y))
}

/// Runs a loop of the type that a short one computes in, a few elements at a time.
fn widened<T: Float<Wide = f32>>(row: fn(&[f32], &mut [f32]), x: &[T], y: &mut [T]) {
    let [mut from, mut to] = [[0f32; 128]; 2];
    for (x, y) in x.chunks(from.len()).zip(y.chunks_mut(from.len())) {
        x.iter().zip(&mut from).for_each(|(x, wide)| *wide = x.wide());
        row(&from[..x.len()], &mut to[..x.len()]);
        y.iter_mut().zip(&to).for_each(|(y, wide)| *y = T::narrow(*wide));
    }
}

fn unary<T: Float>(op: Unary) -> Option<Map<T, T>> {
    /// Computes wide and rounds.
    macro_rules! wide {
        ($f:expr) => {
            map!(|x: T| T::narrow($f(x.wide())))
        };
    }
    /// A recipe.
    macro_rules! recipe {
        ($name:ident) => {
            |x, y| T::by_row(T::Wide::row(Recipe::$name), x, y)
        };
    }
    Some(match op {
        Unary::Abs => wide!(F::abs),
        Unary::Sign => wide!(|x: T::Wide| if x == T::Wide::of(0.0) || x.is_nan() { x } else { x.signum() }),
        Unary::Neg => wide!(|x: T::Wide| -x),
        Unary::Exp => recipe!(Exp),
        Unary::Expm1 => recipe!(Expm1),
        Unary::Log => recipe!(Log),
        Unary::Log1p => recipe!(Log1p),
        Unary::Logistic => recipe!(Logistic),
        Unary::Tanh => recipe!(Tanh),
        Unary::Sin => recipe!(Sin),
        Unary::Cos => recipe!(Cos),
        Unary::Tan => recipe!(Tan),
        Unary::Asin => recipe!(Asin),
        Unary::Acos => recipe!(Acos),
        Unary::Atan => recipe!(Atan),
        Unary::Sinh => recipe!(Sinh),
        Unary::Cosh => recipe!(Cosh),
        Unary::Asinh => recipe!(Asinh),
        Unary::Acosh => recipe!(Acosh),
        Unary::Atanh => recipe!(Atanh),
        Unary::Sqrt => wide!(F::sqrt),
        Unary::Rsqrt => wide!(|x: T::Wide| F::recip(F::sqrt(x))),
        Unary::Cbrt => recipe!(Cbrt),
        Unary::Floor => wide!(F::floor),
        Unary::Ceil => wide!(F::ceil),
        Unary::Round => wide!(F::round),
        Unary::RoundEven => wide!(Real::round_even),
        Unary::Erf => recipe!(Erf),
        Unary::Erfc => recipe!(Erfc),
        Unary::ErfInv => recipe!(ErfInv),
        Unary::Lgamma => recipe!(Lgamma),
        Unary::Digamma => recipe!(Digamma),
        Unary::BesselI0e => recipe!(BesselI0e),
        Unary::BesselI1e => recipe!(BesselI1e),
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
        Binary::Rem => |x, y, out| by_pairs::<T>(PairRecipe::Rem, x, y, out),
        Binary::Pow => |x, y, out| by_pairs::<T>(PairRecipe::Pow, x, y, out),
        Binary::Max => zip!(max::<T>),
        Binary::Min => zip!(min::<T>),
        Binary::Atan2 => |x, y, out| by_pairs::<T>(PairRecipe::Atan2, x, y, out),
        Binary::Nextafter => zip!(T::next_after),
        Binary::Polygamma => |n, x, out| by_pairs::<T>(PairRecipe::Polygamma, n, x, out),
        Binary::And | Binary::Or | Binary::Xor | Binary::Complex => return None,
        Binary::Shl | Binary::ShrArithmetic | Binary::ShrLogical => return None,
    })
}

/// Runs the loop of a recipe of two numbers, a few elements at a time.
fn by_pairs<T: Float>(recipe: PairRecipe, x: Arg<'_, T>, y: Arg<'_, T>, out: &mut [T]) {
    const STEP: usize = 128;
    let row = T::Wide::pair_row(recipe);
    let [mut a, mut b, mut c] = [[T::Wide::of(0.0); STEP]; 3];
    for (k, out) in out.chunks_mut(STEP).enumerate() {
        for (wide, x) in [(&mut a, &x), (&mut b, &y)] {
            wide[..out.len()].iter_mut().enumerate().for_each(|(i, w)| *w = x.at(k * STEP + i).wide());
        }
        row(&a[..out.len()], &b[..out.len()], &mut c[..out.len()]);
        out.iter_mut().zip(&c).for_each(|(out, c)| *out = T::narrow(*c));
    }
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
