//! Conversion between element types: every type goes out through the widest type of its class, and every type can be
//! made from those.

use super::super::elementwise::map_into;
use super::{Map, map};
use half::{bf16, f16};
use wengert_core::{Complex, DType, Element, View, ViewMut, with_dtype};

/// A type that converts to every other.
pub(crate) trait Cast: Element {
    /// The widest type of its class.
    type Wide: Wide;
    /// The same number there.
    fn wide(self) -> Self::Wide;
    /// From an unsigned integer, wrapping or rounding.
    fn from_u64(x: u64) -> Self;
    /// From a complex number: its real part, or for `bool` whether it is not zero.
    fn from_complex(x: Complex<f64>) -> Self;
    /// To another type. Floats go to integers by truncation, to the nearest where they do not fit, NaN to zero.
    fn cast<T: Cast>(self) -> T {
        self.wide().narrow()
    }
    /// The loop of [`Cast::wide`].
    fn widen() -> Map<Self, Self::Wide> {
        map!(|x: Self| x.wide())
    }
}

/// The widest type of a class.
pub(crate) trait Wide: Element {
    /// To any type.
    fn narrow<T: Cast>(self) -> T;
}

macro_rules! wide {
    ($(($t:ty, $from:ident))*) => {$(
        impl Wide for $t {
            fn narrow<T: Cast>(self) -> T {
                T::$from(self)
            }
        }
    )*};
}
wide! { (i64, from_i64) (u64, from_u64) (f64, from_f64) (Complex<f64>, from_complex) }

/// The widest type of the class of a type.
pub(crate) fn widest(dtype: DType) -> DType {
    with_dtype!(dtype, T => <<T as Cast>::Wide as Element>::DTYPE)
}

/// Elements of a widest type as elements of any other.
pub(crate) fn narrow_into(x: View<'_>, y: &mut ViewMut<'_>) {
    fn from<W: Wide>(x: View<'_>, y: &mut ViewMut<'_>) {
        with_dtype!(y.dtype(), T => map_into(x, y, map!(|x: W| x.narrow::<T>())))
    }
    match x.dtype() {
        DType::I64 => from::<i64>(x, y),
        DType::U64 => from::<u64>(x, y),
        DType::F64 => from::<f64>(x, y),
        _ => from::<Complex<f64>>(x, y),
    }
}

macro_rules! cast {
    ($(($t:ty, $wide:ty, |$x:ident| $widen:expr, |$u:ident| $unsigned:expr))*) => {$(
        impl Cast for $t {
            type Wide = $wide;
            fn wide(self) -> $wide {
                let $x = self;
                $widen
            }
            fn from_u64($u: u64) -> $t {
                $unsigned
            }
            fn from_complex(x: Complex<f64>) -> $t {
                Element::from_f64(x.re)
            }
        }
    )*};
}
cast! {
    (i8, i64, |x| x.into(), |x| x as i8)
    (i16, i64, |x| x.into(), |x| x as i16)
    (i32, i64, |x| x.into(), |x| x as i32)
    (i64, i64, |x| x, |x| x as i64)
    (u8, i64, |x| x.into(), |x| x as u8)
    (u16, i64, |x| x.into(), |x| x as u16)
    (u32, i64, |x| x.into(), |x| x as u32)
    (u64, u64, |x| x, |x| x)
    (f16, f64, |x| x.into(), |x| Element::from_f64(x as f64))
    (bf16, f64, |x| x.into(), |x| Element::from_f64(x as f64))
    (f32, f64, |x| x.into(), |x| x as f32)
    (f64, f64, |x| x, |x| x as f64)
}

impl Cast for bool {
    type Wide = u64;
    fn wide(self) -> u64 {
        self.into()
    }
    fn from_u64(x: u64) -> bool {
        x != 0
    }
    fn from_complex(x: Complex<f64>) -> bool {
        x.re != 0.0 || x.im != 0.0
    }
}

macro_rules! complex {
    ($(($t:ty, |$x:ident| $narrow:expr))*) => {$(
        impl Cast for Complex<$t> {
            type Wide = Complex<f64>;
            fn wide(self) -> Complex<f64> {
                Complex::new(self.re.into(), self.im.into())
            }
            fn from_u64(x: u64) -> Self {
                Complex::new(x as $t, 0.0)
            }
            fn from_complex($x: Complex<f64>) -> Self {
                $narrow
            }
        }
    )*};
}
complex! { (f32, |x| Complex::new(x.re as f32, x.im as f32)) (f64, |x| x) }
