//! Conversion between element types: every type goes out through the widest type of its class, and every type can be
//! made from those.

use half::{bf16, f16};
use wengert_core::{Complex, Element};

/// A type that converts to every other.
pub(crate) trait Cast: Element {
    /// From an unsigned integer, wrapping or rounding.
    fn from_u64(x: u64) -> Self;
    /// From a complex number: its real part, or for `bool` whether it is not zero.
    fn from_complex(x: Complex<f64>) -> Self;
    /// To another type. Floats go to integers by truncation, to the nearest where they do not fit, NaN to zero.
    fn cast<T: Cast>(self) -> T;
}

macro_rules! cast {
    ($(($t:ty, |$u:ident| $unsigned:expr, |$x:ident| $cast:expr))*) => {$(
        impl Cast for $t {
            fn from_u64($u: u64) -> $t {
                $unsigned
            }
            fn from_complex(x: Complex<f64>) -> $t {
                Element::from_f64(x.re)
            }
            fn cast<T: Cast>(self) -> T {
                let $x = self;
                $cast
            }
        }
    )*};
}
cast! {
    (i8, |x| x as i8, |x| T::from_i64(x.into()))
    (i16, |x| x as i16, |x| T::from_i64(x.into()))
    (i32, |x| x as i32, |x| T::from_i64(x.into()))
    (i64, |x| x as i64, |x| T::from_i64(x))
    (u8, |x| x as u8, |x| T::from_i64(x.into()))
    (u16, |x| x as u16, |x| T::from_i64(x.into()))
    (u32, |x| x as u32, |x| T::from_i64(x.into()))
    (u64, |x| x, |x| T::from_u64(x))
    (f16, |x| Element::from_f64(x as f64), |x| T::from_f64(x.into()))
    (bf16, |x| Element::from_f64(x as f64), |x| T::from_f64(x.into()))
    (f32, |x| x as f32, |x| T::from_f64(x.into()))
    (f64, |x| x as f64, |x| T::from_f64(x))
}

impl Cast for bool {
    fn from_u64(x: u64) -> bool {
        x != 0
    }
    fn from_complex(x: Complex<f64>) -> bool {
        x.re != 0.0 || x.im != 0.0
    }
    fn cast<T: Cast>(self) -> T {
        T::from_u64(self.into())
    }
}

impl Cast for Complex<f32> {
    fn from_u64(x: u64) -> Self {
        Complex::new(x as f32, 0.0)
    }
    fn from_complex(x: Complex<f64>) -> Self {
        Complex::new(x.re as f32, x.im as f32)
    }
    fn cast<T: Cast>(self) -> T {
        T::from_complex(Complex::new(self.re.into(), self.im.into()))
    }
}

impl Cast for Complex<f64> {
    fn from_u64(x: u64) -> Self {
        Complex::new(x as f64, 0.0)
    }
    fn from_complex(x: Complex<f64>) -> Self {
        x
    }
    fn cast<T: Cast>(self) -> T {
        T::from_complex(self)
    }
}
