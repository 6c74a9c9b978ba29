//! Math functions as recipes: each is written once, and is done on numbers by the evaluator and with instructions by
//! compiled code, so that both give the same bits.
//!
//! A recipe has no branches: what holds for some numbers only is chosen. It computes in the precision of its operand, or,
//! where that would cost more, an `f32` in `f64`. Results are off by at most two units in the last place
//! (`cargo run --release -p wengert-kernel --example accuracy` tells how much).

mod bessel;
mod error;
mod exp;
mod gamma;
mod hyperbolic;
mod log;
mod machine;
mod polygamma;
mod power;
mod remainder;
pub mod series;
mod trigonometric;

pub use machine::{Instructions, Machine, Numbers, Rare, RarePair, Series, WHOLE};

use crate::ir::{Builder, Kind, Value};

/// The list of recipes: documentation, name, function, and how it is computed: in the number's `own` precision, an `f32`
/// in the `wide` one, or an `f32` in that but `short`, and an `f64` by another function.
macro_rules! recipes {
    ($($(#[$doc:meta])* $name:ident = $module:ident::$function:ident, $how:ident $($long:ident)?;)*) => {
        /// A function of one number that is a recipe.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Recipe {
            $($(#[$doc])* $name,)*
        }

        impl Recipe {
            /// All of them.
            pub const ALL: &'static [Recipe] = &[$(Recipe::$name),*];

            /// The function with instructions; `x` is an `f32` or an `f64`.
            pub fn build(self, b: &mut Builder, x: Value) -> Value {
                match self {
                    $(Recipe::$name => recipes!(@build $how b [x] $module::$function $(, $module::$long)?),)*
                }
            }

            /// The function of each number of a row.
            pub fn row_f32(self) -> fn(&[f32], &mut [f32]) {
                match self {
                    $(Recipe::$name => rows!(f32, |x: f32| recipes!(@narrow $how [x] $module::$function)),)*
                }
            }

            /// The function of each number of a row.
            pub fn row_f64(self) -> fn(&[f64], &mut [f64]) {
                match self {
                    $(Recipe::$name => {
                        rows!(f64, |x: f64| recipes!(@wide $how [x] $module::$function $(, $module::$long)?))
                    })*
                }
            }
        }
    };
    (@build own $b:ident [$($x:ident)+] $f:path) => {{
        let kind = $b.kind(recipes!(@first $($x)+));
        $f(&Instructions::new($b, kind), $($x),+)
    }};
    (@build wide $b:ident [$($x:ident)+] $f:path) => {{
        let kind = $b.kind(recipes!(@first $($x)+));
        $(let $x = $b.convert($x, Kind::F64);)+
        let y = $f(&Instructions::new($b, Kind::F64), $($x),+);
        $b.convert(y, kind)
    }};
    (@build short $b:ident [$($x:ident)+] $f:path, $long:path) => {
        match $b.kind(recipes!(@first $($x)+)) {
            Kind::F64 => recipes!(@build own $b [$($x)+] $long),
            _ => recipes!(@build wide $b [$($x)+] $f),
        }
    };
    (@first $x:ident $($rest:ident)*) => { $x };
    (@narrow own [$($x:ident)+] $f:path) => { $f(&Numbers::<f32>::new(), $($x),+) };
    (@narrow $how:ident [$($x:ident)+] $f:path) => { $f(&Numbers::<f64>::new(), $($x as f64),+) as f32 };
    (@wide short [$($x:ident)+] $f:path, $long:path) => { $long(&Numbers::<f64>::new(), $($x),+) };
    (@wide $how:ident [$($x:ident)+] $f:path) => { $f(&Numbers::<f64>::new(), $($x),+) };
}

/// A loop over a row, with instructions that multiply and add at once where the machine has them: elsewhere each of these
/// is a call.
macro_rules! rows {
    ($t:ty, |$($x:ident: $X:ty),+| $f:expr) => {{
        fn each($($x: &[$t],)+ out: &mut [$t]) {
            for (i, out) in out.iter_mut().enumerate() {
                $(let $x = $x[i];)+
                *out = $f;
            }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn fused($($x: &[$t],)+ out: &mut [$t]) {
            $(let $x = &$x[..out.len()];)+
            for (i, out) in out.iter_mut().enumerate() {
                $(let $x = $x[i];)+
                *out = $f;
            }
        }
        #[cfg(target_arch = "x86_64")]
        fn checked($($x: &[$t],)+ out: &mut [$t]) {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the machine has what the loop is compiled for.
                return unsafe { fused($($x,)+ out) };
            }
            each($($x,)+ out)
        }
        #[cfg(target_arch = "x86_64")]
        let row = checked;
        #[cfg(not(target_arch = "x86_64"))]
        let row = each;
        row
    }};
}

/// The list of recipes of two numbers, in the same way.
macro_rules! pair_recipes {
    ($($(#[$doc:meta])* $name:ident = $module:ident::$function:ident, $how:ident $($long:ident)?;)*) => {
        /// A function of two numbers that is a recipe.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PairRecipe {
            $($(#[$doc])* $name,)*
        }

        impl PairRecipe {
            /// All of them.
            pub const ALL: &'static [PairRecipe] = &[$(PairRecipe::$name),*];

            /// The function with instructions.
            pub fn build(self, b: &mut Builder, x: Value, y: Value) -> Value {
                match self {
                    $(PairRecipe::$name => recipes!(@build $how b [x y] $module::$function $(, $module::$long)?),)*
                }
            }

            /// The function of each pair of numbers of two rows.
            pub fn row_f32(self) -> fn(&[f32], &[f32], &mut [f32]) {
                match self {
                    $(PairRecipe::$name => {
                        rows!(f32, |x: f32, y: f32| recipes!(@narrow $how [x y] $module::$function))
                    })*
                }
            }

            /// The function of each pair of numbers of two rows.
            pub fn row_f64(self) -> fn(&[f64], &[f64], &mut [f64]) {
                match self {
                    $(PairRecipe::$name => rows!(f64, |x: f64, y: f64| {
                        recipes!(@wide $how [x y] $module::$function $(, $module::$long)?)
                    }),)*
                }
            }
        }
    };
}

pair_recipes! {
    /// The angle of a point: its second coordinate, then the first.
    Atan2 = trigonometric::atan2, own;
    /// `xʸ`.
    Pow = power::pow, short pow_long;
    /// The remainder, with the sign of the first.
    Rem = remainder::rem, own;
    /// The derivative of an order, the first number, of `digamma`.
    Polygamma = polygamma::polygamma, short polygamma_long;
}

recipes! {
    /// `eˣ`.
    Exp = exp::exp, own;
    /// `eˣ - 1`.
    Expm1 = exp::expm1, own;
    /// The natural logarithm.
    Log = log::log, own;
    /// The natural logarithm of `1 + x`.
    Log1p = log::log1p, own;
    /// `1 / (1 + e⁻ˣ)`.
    Logistic = exp::logistic, own;
    /// The hyperbolic tangent.
    Tanh = hyperbolic::tanh, own;
    /// The hyperbolic sine.
    Sinh = hyperbolic::sinh, own;
    /// The hyperbolic cosine.
    Cosh = hyperbolic::cosh, own;
    /// The inverse of the hyperbolic sine.
    Asinh = hyperbolic::asinh, own;
    /// The inverse of the hyperbolic cosine.
    Acosh = hyperbolic::acosh, own;
    /// The inverse of the hyperbolic tangent.
    Atanh = hyperbolic::atanh, own;
    /// The sine.
    Sin = trigonometric::sin, own;
    /// The cosine.
    Cos = trigonometric::cos, own;
    /// The tangent.
    Tan = trigonometric::tan, own;
    /// The inverse of the sine.
    Asin = trigonometric::asin, own;
    /// The inverse of the cosine.
    Acos = trigonometric::acos, own;
    /// The inverse of the tangent.
    Atan = trigonometric::atan, own;
    /// The cube root.
    Cbrt = power::cbrt, own;
    /// The error function.
    Erf = error::erf, own;
    /// What the error function lacks to 1.
    Erfc = error::erfc, own;
    /// The inverse of the error function.
    ErfInv = error::erf_inv, own;
    /// The logarithm of the size of the gamma function.
    Lgamma = gamma::lgamma, wide;
    /// The derivative of that.
    Digamma = gamma::digamma, wide;
    /// The modified Bessel function of order 0, scaled.
    BesselI0e = bessel::i0e, short i0e_long;
    /// The modified Bessel function of order 1, scaled.
    BesselI1e = bessel::i1e, short i1e_long;
}

impl Recipe {
    /// The function of a number.
    pub fn of_f32(self, x: f32) -> f32 {
        let mut y = [0.0];
        self.row_f32()(&[x], &mut y);
        y[0]
    }
}
