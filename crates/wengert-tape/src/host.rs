//! Values of the host: numbers with their types, as a tape keeps them.

use std::fmt;
use wengert_core::{DType, Scalar, Shape, Tensor, Type};

/// A type of numbers that the host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum HostType {
    /// `bool`.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `isize`.
    Isize,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `usize`.
    Usize,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `char`.
    Char,
}

impl HostType {
    /// Every type, by its number.
    pub const ALL: [HostType; 14] = [
        HostType::Bool,
        HostType::I8,
        HostType::I16,
        HostType::I32,
        HostType::I64,
        HostType::Isize,
        HostType::U8,
        HostType::U16,
        HostType::U32,
        HostType::U64,
        HostType::Usize,
        HostType::F32,
        HostType::F64,
        HostType::Char,
    ];

    /// The name in Rust.
    pub fn name(self) -> &'static str {
        ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64", "char"]
            [self as usize]
    }

    /// The element type of arrays that has these numbers.
    pub fn dtype(self) -> DType {
        match self {
            HostType::Bool => DType::Bool,
            HostType::I8 => DType::I8,
            HostType::I16 => DType::I16,
            HostType::I32 => DType::I32,
            HostType::I64 | HostType::Isize => DType::I64,
            HostType::U8 => DType::U8,
            HostType::U16 => DType::U16,
            HostType::U32 | HostType::Char => DType::U32,
            HostType::U64 | HostType::Usize => DType::U64,
            HostType::F32 => DType::F32,
            HostType::F64 => DType::F64,
        }
    }

    /// The type of an array of one such number.
    pub(crate) fn array(self) -> Type {
        Type::new(self.dtype(), Shape::scalar())
    }

    /// Whether the host does arithmetic with it that ops do in the same way.
    pub(crate) fn is_arithmetic(self) -> bool {
        !matches!(self, HostType::Bool | HostType::Char)
    }

    /// How a row says it: 0 is none.
    #[inline]
    pub(crate) fn code(this: Option<HostType>) -> u16 {
        this.map_or(0, |t| t as u16 + 1)
    }

    /// See [`HostType::code`].
    pub(crate) fn of_code(code: u16) -> Option<HostType> {
        HostType::ALL.get((code as usize).wrapping_sub(1)).copied()
    }
}

/// A number of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostNumber {
    /// Its type.
    pub ty: HostType,
    /// Its bits, zero-extended.
    pub bits: u64,
}

impl HostNumber {
    /// The number as an element of an array.
    pub fn scalar(self) -> Scalar {
        Scalar::from_bits(self.ty.dtype(), u128::from(self.bits))
    }

    /// The number of this type that an element is, if it has one.
    pub fn of_scalar(ty: HostType, s: Scalar) -> Option<HostNumber> {
        let found = match ty {
            HostType::Bool => {
                let c = s.as_complex();
                return Some((c.re != 0.0 || c.im != 0.0).into());
            }
            _ if s.dtype() == ty.dtype() => s,
            HostType::F64 => Scalar::F64(s.as_f64()?),
            HostType::I64 => Scalar::I64(s.as_i64()?),
            _ => return None,
        };
        Some(HostNumber { ty, bits: found.bits() as u64 })
    }

    /// The number as an array.
    pub fn tensor(self) -> Tensor {
        Tensor::splat(Shape::scalar(), self.scalar())
    }
}

macro_rules! numbers {
    ($($t:ty, $v:ident: $x:ident => $bits:expr;)*) => {$(
        impl From<$t> for HostNumber {
            fn from($x: $t) -> HostNumber {
                HostNumber { ty: HostType::$v, bits: $bits }
            }
        }
    )*};
}
numbers! {
    bool, Bool: x => u64::from(x);
    i8, I8: x => u64::from(x as u8);
    i16, I16: x => u64::from(x as u16);
    i32, I32: x => u64::from(x as u32);
    i64, I64: x => x as u64;
    isize, Isize: x => x as u64;
    u8, U8: x => u64::from(x);
    u16, U16: x => u64::from(x);
    u32, U32: x => u64::from(x);
    u64, U64: x => x;
    usize, Usize: x => x as u64;
    f32, F32: x => u64::from(x.to_bits());
    f64, F64: x => x.to_bits();
    char, Char: x => u64::from(x as u32);
}

impl fmt::Display for HostNumber {
    /// The number, without its type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            HostType::Bool => write!(f, "{}", self.bits != 0),
            HostType::Char => write!(f, "{:?}", char::from_u32(self.bits as u32).unwrap_or('\u{fffd}')),
            _ => f.write_str(&crate::print::short(&self.tensor())),
        }
    }
}
