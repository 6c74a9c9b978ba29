//! One element: the Rust types that are element types ([`Element`]), and a value of any of them ([`Scalar`]).

use crate::types::DType;
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Calls a macro with the list of all element types: `(Variant, rust type)`.
#[macro_export]
macro_rules! for_each_dtype {
    ($m:ident $($args:tt)*) => {
        $m! { $($args)* (Bool, bool) (I8, i8) (I16, i16) (I32, i32) (I64, i64) (U8, u8) (U16, u16) (U32, u32)
            (U64, u64) (F16, $crate::f16) (BF16, $crate::bf16) (F32, f32) (F64, f64)
            (C64, $crate::Complex<f32>) (C128, $crate::Complex<f64>) }
    };
}

/// Runs the same expression for each element type, with `$v` bound to the elements of a tensor or view as they are stored
/// (one, where it is one value repeated).
#[macro_export]
macro_rules! with_elements {
    ($x:expr, $v:ident => $body:expr) => {{
        let x = &$x;
        $crate::with_dtype!(x.dtype(), ElementType => {
            let $v: &[ElementType] = x.elements();
            $body
        })
    }};
}

/// Runs the same expression for each element type, with `$t` naming the Rust type.
#[macro_export]
macro_rules! with_dtype {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::DType::Bool => {
                type $t = bool;
                $body
            }
            $crate::DType::I8 => {
                type $t = i8;
                $body
            }
            $crate::DType::I16 => {
                type $t = i16;
                $body
            }
            $crate::DType::I32 => {
                type $t = i32;
                $body
            }
            $crate::DType::I64 => {
                type $t = i64;
                $body
            }
            $crate::DType::U8 => {
                type $t = u8;
                $body
            }
            $crate::DType::U16 => {
                type $t = u16;
                $body
            }
            $crate::DType::U32 => {
                type $t = u32;
                $body
            }
            $crate::DType::U64 => {
                type $t = u64;
                $body
            }
            $crate::DType::F16 => {
                type $t = $crate::f16;
                $body
            }
            $crate::DType::BF16 => {
                type $t = $crate::bf16;
                $body
            }
            $crate::DType::F32 => {
                type $t = f32;
                $body
            }
            $crate::DType::F64 => {
                type $t = f64;
                $body
            }
            $crate::DType::C64 => {
                type $t = $crate::Complex<f32>;
                $body
            }
            $crate::DType::C128 => {
                type $t = $crate::Complex<f64>;
                $body
            }
        }
    };
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is an element type. No other type can be one: elements are read from and written to memory as they
/// are.
pub trait Element: Copy + Send + Sync + fmt::Debug + PartialEq + Default + sealed::Sealed + 'static {
    /// Its element type.
    const DTYPE: DType;
    /// The element, if it has this type.
    fn from_scalar(s: Scalar) -> Option<Self>;
    /// One element.
    fn scalar(self) -> Scalar;
    /// This number in this element type: rounded, wrapped or cut as `as` does.
    fn from_f64(x: f64) -> Self;
    /// This integer in this element type, wrapping.
    fn from_i64(x: i64) -> Self;
    /// Bits, zero-extended: equal bits mean the same value.
    fn bits(self) -> u128;
    /// The element with these bits; bits beyond its width do not count.
    fn from_bits(bits: u128) -> Self;
}

macro_rules! scalar {
    ($(($v:ident, $t:ty))*) => {
        /// One element, with its type.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub enum Scalar { $($v($t),)* }

        impl Scalar {
            /// The element type.
            pub fn dtype(self) -> DType {
                match self { $(Scalar::$v(_) => DType::$v,)* }
            }
            /// This number in this element type.
            pub fn from_f64(dtype: DType, x: f64) -> Scalar {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_f64(x)),)* }
            }
            /// This integer in this element type, wrapping.
            pub fn from_i64(dtype: DType, x: i64) -> Scalar {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_i64(x)),)* }
            }
            /// Bits, zero-extended.
            pub fn bits(self) -> u128 {
                match self { $(Scalar::$v(x) => x.bits(),)* }
            }
            /// The element with these bits; bits beyond its width do not count.
            pub fn from_bits(dtype: DType, bits: u128) -> Scalar {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_bits(bits)),)* }
            }
        }
    };
}
for_each_dtype!(scalar);

macro_rules! element {
    ($v:ident, $t:ty, |$x:ident| $f:expr, |$i:ident| $int:expr, |$b:ident| $bits:expr, |$u:ident| $from:expr) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$v;
            fn from_scalar(s: Scalar) -> Option<Self> {
                if let Scalar::$v(x) = s { Some(x) } else { None }
            }
            fn scalar(self) -> Scalar {
                Scalar::$v(self)
            }
            fn from_f64($x: f64) -> Self {
                $f
            }
            fn from_i64($i: i64) -> Self {
                $int
            }
            fn bits(self) -> u128 {
                let $b = self;
                ($bits) as u128
            }
            fn from_bits($u: u128) -> Self {
                $from
            }
        }
    };
}
element!(Bool, bool, |x| x != 0.0, |i| i != 0, |b| b, |u| u & 1 == 1);

macro_rules! integers {
    ($(($v:ident, $t:ty, $unsigned:ty))*) => {
        $(element!($v, $t, |x| x as $t, |i| i as $t, |b| b as $unsigned, |u| u as $t);)*
    };
}
integers! { (I8, i8, u8) (I16, i16, u16) (I32, i32, u32) (I64, i64, u64) (U8, u8, u8) (U16, u16, u16) (U32, u32, u32)
(U64, u64, u64) }

macro_rules! floats {
    ($(($v:ident, $t:ty, $bits:ty, |$x:ident| $round:expr, |$i:ident| $int:expr))*) => {
        $(element!($v, $t, |$x| $round, |$i| $int, |b| b.to_bits(), |u| <$t>::from_bits(u as $bits));)*
    };
}
floats! {
    (F16, f16, u16, |x| f16::from_f32(to_odd(x)), |i| f16::from_f32(to_odd(i as f64)))
    (BF16, bf16, u16, |x| bf16::from_f32(to_odd(x)), |i| bf16::from_f32(to_odd(i as f64)))
    (F32, f32, u32, |x| x as f32, |i| i as f32)
    (F64, f64, u64, |x| x, |i| i as f64)
}

macro_rules! complex {
    ($(($v:ident, $t:ty, $width:expr))*) => {
        $(element!(
            $v, Complex<$t>,
            |x| Complex::new(x as $t, 0.0),
            |i| Complex::new(i as $t, 0.0),
            |b| b.re.bits() << $width | b.im.bits(),
            |u| Complex::new(Element::from_bits(u >> $width), Element::from_bits(u))
        );)*
    };
}
complex! { (C64, f32, 32) (C128, f64, 64) }

/// The neighbour in `f32` with an odd last bit, unless exact: rounding that to a shorter type gives the nearest of `x`.
fn to_odd(x: f64) -> f32 {
    let y = x as f32;
    let (bits, distance) = (y.to_bits(), y.abs() as f64 - x.abs());
    match bits & 1 == 0 {
        true if distance > 0.0 => f32::from_bits(bits - 1),
        true if distance < 0.0 => f32::from_bits(bits + 1),
        _ => y,
    }
}

impl Scalar {
    /// The element as the Rust type that it has.
    ///
    /// # Panics
    /// If it has another type.
    pub fn element<T: Element>(self) -> T {
        T::from_scalar(self).unwrap_or_else(|| panic!("an element of type {} was taken as {}", self.dtype(), T::DTYPE))
    }

    /// The real number, if the type is real.
    pub fn as_f64(self) -> Option<f64> {
        Some(match self {
            Scalar::Bool(x) => x as u8 as f64,
            Scalar::I8(x) => x as f64,
            Scalar::I16(x) => x as f64,
            Scalar::I32(x) => x as f64,
            Scalar::I64(x) => x as f64,
            Scalar::U8(x) => x as f64,
            Scalar::U16(x) => x as f64,
            Scalar::U32(x) => x as f64,
            Scalar::U64(x) => x as f64,
            Scalar::F16(x) => x.to_f64(),
            Scalar::BF16(x) => x.to_f64(),
            Scalar::F32(x) => x as f64,
            Scalar::F64(x) => x,
            Scalar::C64(_) | Scalar::C128(_) => return None,
        })
    }

    /// The integer, if the type is an integer or `bool` and the value fits.
    pub fn as_i64(self) -> Option<i64> {
        Some(match self {
            Scalar::Bool(x) => x as i64,
            Scalar::I8(x) => x as i64,
            Scalar::I16(x) => x as i64,
            Scalar::I32(x) => x as i64,
            Scalar::I64(x) => x,
            Scalar::U8(x) => x as i64,
            Scalar::U16(x) => x as i64,
            Scalar::U32(x) => x as i64,
            Scalar::U64(x) => i64::try_from(x).ok()?,
            _ => return None,
        })
    }

    /// The integer, if the type is an integer or `bool`.
    pub fn as_i128(self) -> Option<i128> {
        match self {
            Scalar::U64(x) => Some(x.into()),
            s => s.as_i64().map(i128::from),
        }
    }

    /// Both parts; the imaginary part of a real number is zero.
    pub fn as_complex(self) -> Complex<f64> {
        match self {
            Scalar::C64(c) => Complex::new(c.re as f64, c.im as f64),
            Scalar::C128(c) => c,
            s => Complex::new(s.as_f64().unwrap_or(f64::NAN), 0.0),
        }
    }

    /// A complex number in a complex element type; in a real one, its real part.
    pub fn from_complex(dtype: DType, c: Complex<f64>) -> Scalar {
        match dtype {
            DType::C64 => Scalar::C64(Complex::new(c.re as f32, c.im as f32)),
            DType::C128 => Scalar::C128(c),
            d => Scalar::from_f64(d, c.re),
        }
    }
}

impl PartialEq for Scalar {
    /// Same type and same bits.
    fn eq(&self, other: &Scalar) -> bool {
        self.dtype() == other.dtype() && self.bits() == other.bits()
    }
}
impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.dtype().hash(h);
        self.bits().hash(h);
    }
}
