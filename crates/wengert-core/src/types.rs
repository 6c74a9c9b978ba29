//! Element types, shapes, and the type of an array: what is known of a value before it is computed.

use crate::error::{Error, Result};
use smallvec::SmallVec;
use std::fmt;

/// An array has at most this many axes.
pub const MAX_RANK: usize = 64;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    /// Complex of two `f32`.
    C64,
    /// Complex of two `f64`.
    C128,
}

impl DType {
    /// Every element type, in declaration order.
    pub const ALL: [DType; 15] = {
        use DType::*;
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128]
    };

    /// The name in the text form: `f32`, `bool`, `c64`.
    pub fn name(self) -> &'static str {
        use DType::*;
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            F16 => "f16",
            BF16 => "bf16",
            F32 => "f32",
            F64 => "f64",
            C64 => "c64",
            C128 => "c128",
        }
    }

    /// The element type with this name.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.name() == name)
    }

    /// Bits one element takes in memory: those of a `bool` are a byte.
    pub fn storage_bits(self) -> usize {
        use DType::*;
        match self {
            Bool | I8 | U8 => 8,
            I16 | U16 | F16 | BF16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 | C64 => 64,
            C128 => 128,
        }
    }

    /// Bytes that this many elements take in memory, where that number can be addressed.
    pub fn bytes_of(self, count: usize) -> Option<usize> {
        // A whole number of bytes for each element but the narrow ones, which share them.
        let whole = (count / 8).checked_mul(self.storage_bits())?;
        whole.checked_add((count % 8 * self.storage_bits()).div_ceil(8))
    }

    /// Bytes that one element takes alone.
    #[inline]
    pub fn size(self) -> usize {
        self.storage_bits().div_ceil(8)
    }

    /// Bits of one element; 1 for `bool`.
    pub fn bits(self) -> usize {
        if self == DType::Bool { 1 } else { self.size() * 8 }
    }

    /// `f16`, `bf16`, `f32`, `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// `c64`, `c128`.
    pub fn is_complex(self) -> bool {
        matches!(self, DType::C64 | DType::C128)
    }

    /// Signed integers.
    pub fn is_signed(self) -> bool {
        matches!(self, DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// Unsigned integers.
    pub fn is_unsigned(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// Integers, signed or unsigned; not `bool`.
    pub fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether values of this type have derivatives: floats and complex.
    pub fn is_differentiable(self) -> bool {
        self.is_float() || self.is_complex()
    }

    /// The type of the parts of a complex number; any other type is itself.
    pub fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            d => d,
        }
    }

    /// The complex type with parts of this type, where there is one.
    pub fn complex(self) -> Option<DType> {
        match self {
            DType::F32 | DType::C64 => Some(DType::C64),
            DType::F64 | DType::C128 => Some(DType::C128),
            _ => None,
        }
    }

    /// The least type that holds both: NumPy's promotion as JAX has it (`i32 × f16 → f16`, `f16 × bf16 → f32`).
    pub fn promote(self, other: DType) -> DType {
        use DType::*;
        let (a, b) = if self <= other { (self, other) } else { (other, self) };
        if a == b || a == Bool {
            return b;
        }
        match (a, b) {
            (a, C64 | C128) => {
                if a == F64 || b == C128 {
                    C128
                } else {
                    C64
                }
            }
            (F16, BF16) => F32,
            (a, b) if b.is_float() => {
                if a.is_float() {
                    a.max(b)
                } else {
                    b
                }
            }
            (a, b) if a.is_signed() && b.is_unsigned() => match b.size().max(a.size() / 2) {
                1 => I16,
                2 => I32,
                4 => I64,
                // No integer holds both i64 and u64: floating point, as NumPy does.
                _ if b == U64 => F32,
                _ => I64,
            },
            (a, b) => a.max(b),
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Sizes, axes or strides: a short list of non-negative integers.
pub type Dims = SmallVec<[usize; 4]>;

/// The sizes of an array along each axis.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(pub Dims);

impl Shape {
    /// The shape of a scalar.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// The number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The number of elements; saturates instead of overflowing (the verifier refuses such types).
    #[inline]
    pub fn size(&self) -> usize {
        if self.0.contains(&0) {
            return 0;
        }
        self.0.iter().fold(1usize, |n, &d| n.saturating_mul(d))
    }

    /// Row-major strides, in elements.
    pub fn strides(&self) -> Dims {
        let mut s: Dims = SmallVec::from_elem(1, self.rank());
        for i in (1..self.rank()).rev() {
            s[i - 1] = s[i].saturating_mul(self.0[i]);
        }
        s
    }

    /// This shape with `size` put before axis `at`.
    pub fn with_axis(&self, at: usize, size: usize) -> Shape {
        let mut d = self.0.clone();
        d.insert(at, size);
        Shape(d)
    }

    /// This shape without the listed axes.
    pub fn without_axes(&self, axes: &[usize]) -> Shape {
        Shape(self.0.iter().enumerate().filter(|(i, _)| !axes.contains(i)).map(|(_, &d)| d).collect())
    }
}

impl std::ops::Deref for Shape {
    type Target = [usize];
    #[inline]
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{d}")?;
        }
        f.write_str("]")
    }
}

impl From<&[usize]> for Shape {
    fn from(d: &[usize]) -> Shape {
        Shape(d.into())
    }
}
impl<const N: usize> From<[usize; N]> for Shape {
    fn from(d: [usize; N]) -> Shape {
        Shape(d.as_slice().into())
    }
}
impl From<Vec<usize>> for Shape {
    fn from(d: Vec<usize>) -> Shape {
        Shape(d.into())
    }
}
impl From<Dims> for Shape {
    fn from(d: Dims) -> Shape {
        Shape(d)
    }
}
impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(iter: I) -> Shape {
        Shape(iter.into_iter().collect())
    }
}

/// The type of an array: element type and shape. Prints as `f32[3,4]`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Type {
    /// The element type.
    pub dtype: DType,
    /// The sizes along each axis.
    pub shape: Shape,
}

impl Type {
    /// The type of an array of this element type and shape.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Type {
        Type { dtype, shape: shape.into() }
    }

    /// The type of a scalar.
    pub fn scalar(dtype: DType) -> Type {
        Type { dtype, shape: Shape::scalar() }
    }

    /// The number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The same shape with another element type.
    pub fn with_dtype(&self, dtype: DType) -> Type {
        Type { dtype, shape: self.shape.clone() }
    }

    /// The same element type with another shape.
    pub fn with_shape(&self, shape: impl Into<Shape>) -> Type {
        Type { dtype: self.dtype, shape: shape.into() }
    }

    /// Bytes of a dense array of this type, where that number can be addressed. Sizes of zero do not excuse the others,
    /// so that a type stays addressable when its axes change places.
    pub fn bytes(&self) -> Option<usize> {
        let count = self.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d.max(1)))?;
        let full = self.dtype.bytes_of(count)?;
        (full <= isize::MAX as usize).then(|| if self.shape.contains(&0) { 0 } else { full })
    }

    /// Says why no array can have this type: too many axes, or more bytes than can be addressed.
    pub fn check(&self) -> Result<()> {
        if self.rank() > MAX_RANK {
            return Err(Error::shape(format!("an array can't have {} axes, only up to {MAX_RANK}", self.rank())));
        }
        match self.bytes() {
            Some(_) => Ok(()),
            None => Err(Error::shape(format!("an array of type {self} is too large to address"))),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::DType::{self, *};

    #[test]
    fn promotion_is_commutative_and_idempotent() {
        for a in DType::ALL {
            assert_eq!(a.promote(a), a);
            for b in DType::ALL {
                assert_eq!(a.promote(b), b.promote(a), "{a} {b}");
            }
        }
        assert_eq!(I32.promote(F16), F16);
        assert_eq!(F16.promote(BF16), F32);
        assert_eq!(U8.promote(I8), I16);
        assert_eq!(U32.promote(I32), I64);
        assert_eq!(I64.promote(U8), I64);
        assert_eq!(F64.promote(C64), C128);
        assert_eq!(I64.promote(C64), C64);
    }
}
