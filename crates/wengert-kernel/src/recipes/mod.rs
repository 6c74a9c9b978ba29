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
mod power;
mod trigonometric;

pub use machine::{Instructions, Machine, Numbers, Rare, Series, WHOLE};

use crate::ir::{Builder, Kind, Value};

/// The list of recipes: documentation, name, function, and how the function of an `f32` is computed: in its `own`
/// precision, in the `wide` one, or in that but `short`, which is not good enough for an `f64`.
macro_rules! recipes {
    ($($(#[$doc:meta])* $name:ident = $module:ident::$function:ident, $how:ident;)*) => {
        /// A function of one number that is a recipe.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Recipe {
            $($(#[$doc])* $name,)*
        }

        impl Recipe {
            /// All of them.
            pub const ALL: &'static [Recipe] = &[$(Recipe::$name),*];

            /// The function with instructions; `x` is an `f32` or an `f64`. None if it is not for that precision.
            pub fn build(self, b: &mut Builder, x: Value) -> Option<Value> {
                let kind = b.kind(x);
                match self {
                    $(Recipe::$name => {
                        let computed = computed_in(stringify!($how), kind)?;
                        let x = b.convert(x, computed);
                        let y = $module::$function(&Instructions::new(b, computed), x);
                        Some(b.convert(y, kind))
                    })*
                }
            }

            /// The function of each number of a row.
            pub fn row_f32(self) -> fn(&[f32], &mut [f32]) {
                match self {
                    $(Recipe::$name => rows!(f32, |x: f32| recipes!(@narrow $how $module::$function, x)),)*
                }
            }

            /// The function of each number of a row, unless it is of `f32` only.
            pub fn row_f64(self) -> Option<fn(&[f64], &mut [f64])> {
                match self {
                    $(Recipe::$name => recipes!(@wide $how $module::$function, x),)*
                }
            }
        }
    };
    (@narrow own $f:path, $x:ident) => {
        $f(&Numbers::<f32>::new(), $x)
    };
    (@narrow $how:ident $f:path, $x:ident) => {
        $f(&Numbers::<f64>::new(), $x as f64) as f32
    };
    (@wide short $f:path, $x:ident) => {
        None
    };
    (@wide $how:ident $f:path, $x:ident) => {
        Some(rows!(f64, |$x: f64| $f(&Numbers::<f64>::new(), $x)))
    };
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
    ($($(#[$doc:meta])* $name:ident = $module:ident::$function:ident, $how:ident;)*) => {
        /// A function of two numbers that is a recipe.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PairRecipe {
            $($(#[$doc])* $name,)*
        }

        impl PairRecipe {
            /// The function with instructions; none if it is not for the precision of the numbers.
            pub fn build(self, b: &mut Builder, x: Value, y: Value) -> Option<Value> {
                let kind = b.kind(x);
                match self {
                    $(PairRecipe::$name => {
                        let computed = computed_in(stringify!($how), kind)?;
                        let [x, y] = [x, y].map(|v| b.convert(v, computed));
                        let z = $module::$function(&Instructions::new(b, computed), x, y);
                        Some(b.convert(z, kind))
                    })*
                }
            }

            /// The function of each pair of numbers of two rows, unless it is of `f32` only.
            pub fn row_f64(self) -> Option<fn(&[f64], &[f64], &mut [f64])> {
                match self {
                    $(PairRecipe::$name => pair_recipes!(@wide $how $module::$function, x, y),)*
                }
            }

            /// The function of each pair of numbers of two rows.
            pub fn row_f32(self) -> fn(&[f32], &[f32], &mut [f32]) {
                match self {
                    $(PairRecipe::$name => {
                        rows!(f32, |x: f32, y: f32| pair_recipes!(@narrow $how $module::$function, x, y))
                    })*
                }
            }
        }
    };
    (@narrow own $f:path, $x:ident, $y:ident) => {
        $f(&Numbers::<f32>::new(), $x, $y)
    };
    (@narrow $how:ident $f:path, $x:ident, $y:ident) => {
        $f(&Numbers::<f64>::new(), $x as f64, $y as f64) as f32
    };
    (@wide short $f:path, $x:ident, $y:ident) => {
        None
    };
    (@wide $how:ident $f:path, $x:ident, $y:ident) => {
        Some(rows!(f64, |$x: f64, $y: f64| $f(&Numbers::<f64>::new(), $x, $y)))
    };
}

/// What numbers of a kind are computed in, by the word of the list; none if there is nothing for them.
fn computed_in(how: &str, kind: Kind) -> Option<Kind> {
    match how {
        "own" => Some(kind),
        "short" if kind == Kind::F64 => None,
        _ => Some(Kind::F64),
    }
}

pair_recipes! {
    /// The angle of a point: its second coordinate, then the first.
    Atan2 = trigonometric::atan2, own;
    /// `xʸ`, of `f32` only.
    Pow = power::pow, short;
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
    /// The modified Bessel function of order 0, scaled; of `f32`.
    BesselI0e = bessel::i0e, short;
    /// The modified Bessel function of order 1, scaled; of `f32`.
    BesselI1e = bessel::i1e, short;
}

impl Recipe {
    /// The function of a number.
    pub fn of_f32(self, x: f32) -> f32 {
        let mut y = [0.0];
        self.row_f32()(&[x], &mut y);
        y[0]
    }
}
