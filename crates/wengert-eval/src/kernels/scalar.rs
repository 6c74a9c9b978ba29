//! The evaluator's math on single numbers, as functions that compiled code can call: the same loops, of one element.

use super::number::{Arg, Number};
use wengert_core::ops::{Binary, Unary};

/// Functions of one number, by name.
macro_rules! unary {
    ($($op:ident)*) => {
        /// The function of one `f32` that an op is; none if compiled code has instructions for it, or it has none.
        pub fn unary_f32(op: Unary) -> Option<extern "C" fn(f32) -> f32> {
            Some(match op {
                $(Unary::$op => {
                    extern "C" fn f(x: f32) -> f32 {
                        let mut y = [0.0];
                        <f32 as Number>::unary(Unary::$op).expect("floats have it")(&[x], &mut y);
                        y[0]
                    }
                    f
                })*
                _ => return None,
            })
        }

        /// The function of one `f64` that an op is; none if compiled code has instructions for it, or it has none.
        pub fn unary_f64(op: Unary) -> Option<extern "C" fn(f64) -> f64> {
            Some(match op {
                $(Unary::$op => {
                    extern "C" fn f(x: f64) -> f64 {
                        let mut y = [0.0];
                        <f64 as Number>::unary(Unary::$op).expect("floats have it")(&[x], &mut y);
                        y[0]
                    }
                    f
                })*
                _ => return None,
            })
        }
    };
}
unary! {
    Round
}

/// Functions of two numbers, by name.
macro_rules! binary {
    ($($op:ident)*) => {
        /// The function of two `f32` that an op is; none if compiled code has instructions for it, or it has none.
        pub fn binary_f32(op: Binary) -> Option<extern "C" fn(f32, f32) -> f32> {
            Some(match op {
                $(Binary::$op => {
                    extern "C" fn f(x: f32, y: f32) -> f32 {
                        let mut out = [0.0];
                        <f32 as Number>::binary(Binary::$op).expect("floats have it")(Arg::One(x), Arg::One(y), &mut out);
                        out[0]
                    }
                    f
                })*
                _ => return None,
            })
        }

        /// The function of two `f64` that an op is; none if compiled code has instructions for it, or it has none.
        pub fn binary_f64(op: Binary) -> Option<extern "C" fn(f64, f64) -> f64> {
            Some(match op {
                $(Binary::$op => {
                    extern "C" fn f(x: f64, y: f64) -> f64 {
                        let mut out = [0.0];
                        <f64 as Number>::binary(Binary::$op).expect("floats have it")(Arg::One(x), Arg::One(y), &mut out);
                        out[0]
                    }
                    f
                })*
                _ => return None,
            })
        }
    };
}
binary! { Rem Nextafter Polygamma }
