//! How types, lists and values are spelled.

use std::fmt::{self, Display, Formatter};
use wengert_core::{DType, Type};

/// The name of an element type.
pub(crate) fn element(d: DType) -> &'static str {
    use DType::*;
    match d {
        Bool => "i1",
        I8 => "i8",
        I16 => "i16",
        I32 => "i32",
        I64 => "i64",
        U8 => "ui8",
        U16 => "ui16",
        U32 => "ui32",
        U64 => "ui64",
        F16 => "f16",
        BF16 => "bf16",
        F32 => "f32",
        F64 => "f64",
        C64 => "complex<f32>",
        C128 => "complex<f64>",
    }
}

/// A type: `tensor<2x3xf32>`.
pub(super) struct Ty<'a>(pub &'a Type);

impl Display for Ty<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for d in self.0.shape.iter() {
            write!(f, "{d}x")?;
        }
        write!(f, "{}>", element(self.0.dtype))
    }
}

/// Items with something between them.
pub(super) struct Joined<I>(pub I);

impl<I: IntoIterator<Item: Display> + Clone> Display for Joined<I> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.clone().into_iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// `[1, 2]`.
pub(super) struct List<'a, T>(pub &'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", Joined(self.0))
    }
}

/// `array<i64: 1, 2>`; of bools, `array<i1: …>`.
pub(super) struct Array<'a, T>(pub &'a [T]);

impl<T: Display> Display for Array<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("array<i64>"),
            items => write!(f, "array<i64: {}>", Joined(items)),
        }
    }
}

/// Pairs as an attribute: `dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>`.
pub(super) struct Pairs<'a>(pub &'a [(i64, i64)]);

impl Display for Pairs<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let n = self.0.len();
        match self.0 {
            [] => f.write_str("dense<> : tensor<0x2xi64>"),
            pairs => {
                f.write_str("dense<")?;
                rows(f, pairs)?;
                write!(f, "> : tensor<{n}x2xi64>")
            }
        }
    }
}

/// `[[0, 1], [0, 0]]`.
pub(super) fn rows(f: &mut impl fmt::Write, pairs: &[(i64, i64)]) -> fmt::Result {
    f.write_str("[")?;
    for (i, (low, high)) in pairs.iter().enumerate() {
        write!(f, "{}[{low}, {high}]", if i > 0 { ", " } else { "" })?;
    }
    f.write_str("]")
}

/// A list of types: `tensor<f32>, tensor<i1>`.
pub(super) struct Types<'a>(pub &'a [&'a Type]);

impl Display for Types<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Joined(self.0.iter().map(|t| Ty(t))).fmt(f)
    }
}

/// The types of operands and results: `(tensor<f32>) -> tensor<i1>`.
pub(super) struct Signature<'a>(pub &'a [&'a Type], pub &'a [&'a Type]);

impl Display for Signature<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            [one] => write!(f, "({}) -> {}", Types(self.0), Ty(one)),
            many => write!(f, "({}) -> ({})", Types(self.0), Types(many)),
        }
    }
}

/// The same, in short where all types are one: `tensor<f32>`.
pub(super) struct Short<'a>(pub Signature<'a>);

impl Display for Short<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Signature(x, [one]) if x.iter().all(|t| t == one) => Ty(one).fmt(f),
            other => other.fmt(f),
        }
    }
}

/// A name between quotes.
pub(super) struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if (c as u32) < 0x20 || c as u32 == 0x7f => write!(f, "\\{:02X}", c as u32)?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

/// The name of a function or module: quoted where it is not a plain word.
pub(super) struct Symbol<'a>(pub &'a str);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        match self.0.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && self.0.chars().all(plain) {
            true => write!(f, "@{}", self.0),
            false => write!(f, "@{}", Quoted(self.0)),
        }
    }
}

/// A value of a function: `%arg0`, `%3`, or one of several results of an op: `%3#1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Argument(u32),
    Result(u32),
    Part(u32, u32),
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Argument(n) => write!(f, "%arg{n}"),
            Value::Result(n) => write!(f, "%{n}"),
            Value::Part(n, part) => write!(f, "%{n}#{part}"),
        }
    }
}
