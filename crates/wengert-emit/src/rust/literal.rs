//! Numbers and arrays as Rust literals.

use super::layout::{Piece, call, list, text};
use wengert_core::{DType, Scalar, Tensor, Type};

/// A number that says its type itself.
pub(crate) fn scalar(x: Scalar) -> String {
    number(x, true)
}

fn number(x: Scalar, suffix: bool) -> String {
    let with = |s: String, t: &str| if suffix { format!("{s}{t}") } else { s };
    match x {
        Scalar::Bool(b) => b.to_string(),
        Scalar::I8(x) => with(x.to_string(), "i8"),
        Scalar::I16(x) => with(x.to_string(), "i16"),
        Scalar::I32(x) => with(x.to_string(), "i32"),
        Scalar::I64(x) => with(x.to_string(), "i64"),
        Scalar::U8(x) => with(x.to_string(), "u8"),
        Scalar::U16(x) => with(x.to_string(), "u16"),
        Scalar::U32(x) => with(x.to_string(), "u32"),
        Scalar::U64(x) => with(x.to_string(), "u64"),
        Scalar::F16(x) if x.is_nan() => format!("f16::from_bits({:#06x})", x.to_bits()),
        Scalar::BF16(x) if x.is_nan() => format!("bf16::from_bits({:#06x})", x.to_bits()),
        Scalar::F16(x) => format!("f16::from_f32({})", single(x.to_f32(), false)),
        Scalar::BF16(x) => format!("bf16::from_f32({})", single(x.to_f32(), false)),
        Scalar::F32(x) => single(x, suffix),
        Scalar::F64(x) => double(x, suffix),
        Scalar::C64(c) => format!("Complex::new({}, {})", single(c.re, suffix), single(c.im, false)),
        Scalar::C128(c) => format!("Complex::new({}, {})", double(c.re, suffix), double(c.im, false)),
    }
}

macro_rules! float {
    ($name:ident $t:ident) => {
        fn $name(x: $t, suffix: bool) -> String {
            let t = stringify!($t);
            match x {
                _ if x.to_bits() == $t::NAN.to_bits() => format!("{t}::NAN"),
                _ if x.is_nan() => format!("{t}::from_bits({:#x})", x.to_bits()),
                $t::INFINITY => format!("{t}::INFINITY"),
                $t::NEG_INFINITY => format!("{t}::NEG_INFINITY"),
                _ if suffix => format!("{x:?}{t}"),
                _ => format!("{x:?}"),
            }
        }
    };
}
float!(single f32);
float!(double f64);

/// The name of an element type: `DType::F32`.
pub(crate) fn dtype(d: DType) -> String {
    format!("DType::{d:?}")
}

/// A type: `Type::new(DType::F32, [2, 3])`.
pub(crate) fn ty(ty: &Type) -> Piece {
    match ty.rank() {
        0 => call("Type::scalar", vec![text(dtype(ty.dtype))]),
        _ => call("Type::new", vec![text(dtype(ty.dtype)), sizes("", &ty.shape)]),
    }
}

/// `&[1, 2]`.
pub(crate) fn sizes<T: std::fmt::Display>(before: &str, x: &[T]) -> Piece {
    list(before, x.iter().map(|n| text(n.to_string())).collect())
}

/// An array whose elements stand here.
pub(crate) fn array(t: &Tensor) -> Piece {
    if t.shape().rank() == 0 {
        return call("Array::from", vec![text(scalar(t.get(0)))]);
    }
    if t.size() == 0 {
        return repeated(t, Scalar::from_i64(t.dtype(), 0));
    }
    let numbers = (0..t.size()).map(|i| text(number(t.get(i), i == 0))).collect();
    call("Array::from_vec", vec![sizes("", t.shape()), list("vec!", numbers)])
}

/// An array whose elements are all the same.
pub(crate) fn repeated(t: &Tensor, value: Scalar) -> Piece {
    call("lax::full", vec![sizes("&", t.shape()), text(scalar(value))])
}

/// Zeros of this type.
pub(crate) fn zeros(ty: &Type) -> Piece {
    let zero = Scalar::from_i64(ty.dtype, 0);
    let zeros = Tensor::splat(ty.shape.clone(), zero);
    if ty.rank() == 0 { array(&zeros) } else { repeated(&zeros, zero) }
}
