//! What each operation gives for each type: the meaning of the instructions, once, for scalars and lanes alike.

use crate::half;
use std::ops::{BitAnd, BitOr, BitXor};

/// A type of which a register holds one, in its low bits, zero-extended.
pub(super) trait Scalar: Copy + 'static {
    /// The low bits of a register.
    fn read(bits: u64) -> Self;
    /// The register that holds it.
    fn bits(self) -> u64;
}

/// A boolean as it lies in memory. It may come from memory, so any byte but zero is taken for true.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub(super) struct Truth(u8);

impl Truth {
    /// Whether it is true.
    #[inline(always)]
    pub fn holds(self) -> bool {
        self.0 != 0
    }

    /// The other one.
    #[inline(always)]
    pub fn turned(self) -> Truth {
        Truth::from(self.0 == 0)
    }
}

impl From<bool> for Truth {
    #[inline(always)]
    fn from(x: bool) -> Truth {
        Truth(x as u8)
    }
}

impl Scalar for Truth {
    #[inline(always)]
    fn read(bits: u64) -> Truth {
        Truth(bits as u8)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.0 as u64
    }
}

/// A float of 16 bits: what says how it is read and written as an `f32`.
macro_rules! half {
    ($($T:ident $to:ident $from:ident;)*) => { $(
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(super) struct $T(u16);

        impl Scalar for $T {
            #[inline(always)]
            fn read(bits: u64) -> $T {
                $T(bits as u16)
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.0 as u64
            }
        }

        impl To<f32> for $T {
            #[inline(always)]
            fn to(self) -> f32 {
                half::$to(self.0)
            }
        }

        impl To<$T> for f32 {
            #[inline(always)]
            fn to(self) -> $T {
                $T(half::$from(self))
            }
        }
    )* };
}

half! {
    F16 f16_to_f32 f16_from_f32;
    BF16 bf16_to_f32 bf16_from_f32;
}

/// Whether one is less than the other.
#[inline(always)]
pub(super) fn lt<T: PartialOrd>(a: T, b: T) -> Truth {
    Truth::from(a < b)
}

/// Whether one is less than the other, or equal.
#[inline(always)]
pub(super) fn le<T: PartialOrd>(a: T, b: T) -> Truth {
    Truth::from(a <= b)
}

/// Whether both are equal.
#[inline(always)]
pub(super) fn eq<T: PartialEq>(a: T, b: T) -> Truth {
    Truth::from(a == b)
}

/// Whether both are not equal.
#[inline(always)]
pub(super) fn ne<T: PartialEq>(a: T, b: T) -> Truth {
    Truth::from(a != b)
}

/// The first if the condition holds, else the second.
#[inline(always)]
pub(super) fn select<T>(condition: Truth, a: T, b: T) -> T {
    if condition.holds() { a } else { b }
}

/// The bits in both.
#[inline(always)]
pub(super) fn and<T: BitAnd<Output = T>>(a: T, b: T) -> T {
    a & b
}

/// The bits in one or both.
#[inline(always)]
pub(super) fn or<T: BitOr<Output = T>>(a: T, b: T) -> T {
    a | b
}

/// The bits in one of both.
#[inline(always)]
pub(super) fn xor<T: BitXor<Output = T>>(a: T, b: T) -> T {
    a ^ b
}

/// What integers do.
pub(super) trait Integer:
    Scalar + Ord + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn not(self) -> Self;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn rem(self, b: Self) -> Self;
    fn shl(self, b: Self) -> Self;
    /// Fills in zeros for an unsigned type, copies of the sign for a signed one.
    fn shr(self, b: Self) -> Self;
}

macro_rules! integer {
    ($($T:ident $unsigned:ident $($signed:ident)?;)*) => { $(
        impl Scalar for $T {
            #[inline(always)]
            fn read(bits: u64) -> $T {
                bits as $T
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }
        }

        impl Integer for $T {
            #[inline(always)]
            fn neg(self) -> $T {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn abs(self) -> $T {
                integer!(@abs self $($signed)?)
            }

            #[inline(always)]
            fn not(self) -> $T {
                !self
            }

            #[inline(always)]
            fn add(self, b: $T) -> $T {
                self.wrapping_add(b)
            }

            #[inline(always)]
            fn sub(self, b: $T) -> $T {
                self.wrapping_sub(b)
            }

            #[inline(always)]
            fn mul(self, b: $T) -> $T {
                self.wrapping_mul(b)
            }

            #[inline(always)]
            fn div(self, b: $T) -> $T {
                if b == 0 { !0 } else { self.wrapping_div(b) }
            }

            #[inline(always)]
            fn rem(self, b: $T) -> $T {
                if b == 0 { self } else { self.wrapping_rem(b) }
            }

            #[inline(always)]
            fn shl(self, b: $T) -> $T {
                if (b as $unsigned) < $T::BITS as $unsigned { self << b } else { 0 }
            }

            #[inline(always)]
            fn shr(self, b: $T) -> $T {
                let last = $T::BITS - 1;
                if (b as $unsigned) <= last as $unsigned { self >> b } else { integer!(@sign self last $($signed)?) }
            }
        }
    )* };
    (@abs $x:ident signed) => { $x.wrapping_abs() };
    (@abs $x:ident) => { $x };
    (@sign $x:ident $last:ident signed) => { $x >> $last };
    (@sign $x:ident $last:ident) => { 0 };
}

integer! {
    i8 u8 signed;
    i16 u16 signed;
    i32 u32 signed;
    i64 u64 signed;
    u8 u8;
    u16 u16;
    u32 u32;
    u64 u64;
}

/// What floats do.
pub(super) trait Float: Scalar + PartialOrd {
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round_even(self) -> Self;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn copysign(self, b: Self) -> Self;
    fn min_or_second(self, b: Self) -> Self;
    fn max_or_second(self, b: Self) -> Self;
    fn scale(self, b: Self) -> Self;
    fn mul_add(self, b: Self, c: Self) -> Self;
}

macro_rules! float {
    ($($T:ident)*) => { $(
        impl Scalar for $T {
            #[inline(always)]
            fn read(bits: u64) -> $T {
                $T::from_bits(bits as _)
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits() as u64
            }
        }

        impl Float for $T {
            #[inline(always)]
            fn neg(self) -> $T {
                -self
            }

            #[inline(always)]
            fn abs(self) -> $T {
                $T::abs(self)
            }

            #[inline(always)]
            fn sqrt(self) -> $T {
                $T::sqrt(self)
            }

            #[inline(always)]
            fn floor(self) -> $T {
                $T::floor(self)
            }

            #[inline(always)]
            fn ceil(self) -> $T {
                $T::ceil(self)
            }

            #[inline(always)]
            fn trunc(self) -> $T {
                $T::trunc(self)
            }

            #[inline(always)]
            fn round_even(self) -> $T {
                $T::round_ties_even(self)
            }

            #[inline(always)]
            fn add(self, b: $T) -> $T {
                self + b
            }

            #[inline(always)]
            fn sub(self, b: $T) -> $T {
                self - b
            }

            #[inline(always)]
            fn mul(self, b: $T) -> $T {
                self * b
            }

            #[inline(always)]
            fn div(self, b: $T) -> $T {
                self / b
            }

            #[inline(always)]
            fn max(self, b: $T) -> $T {
                // Equal numbers have equal bits, but for zeros: the larger is negative if both are.
                let equal = $T::from_bits(self.to_bits() & b.to_bits());
                let ordered = if self < b { b } else { equal };
                let ordered = if self > b { self } else { ordered };
                if self.is_nan() || b.is_nan() { self + b } else { ordered }
            }

            #[inline(always)]
            fn min(self, b: $T) -> $T {
                // The smaller zero is negative if one is.
                let equal = $T::from_bits(self.to_bits() | b.to_bits());
                let ordered = if self > b { b } else { equal };
                let ordered = if self < b { self } else { ordered };
                if self.is_nan() || b.is_nan() { self + b } else { ordered }
            }

            #[inline(always)]
            fn copysign(self, b: $T) -> $T {
                $T::copysign(self, b)
            }

            #[inline(always)]
            fn min_or_second(self, b: $T) -> $T {
                if self < b { self } else { b }
            }

            #[inline(always)]
            fn max_or_second(self, b: $T) -> $T {
                if self > b { self } else { b }
            }

            #[inline(always)]
            fn scale(self, b: $T) -> $T {
                let m = crate::recipes::Numbers::<$T>::new();
                crate::recipes::Machine::scale(&m, self, b)
            }

            #[inline(always)]
            fn mul_add(self, b: $T, c: $T) -> $T {
                $T::mul_add(self, b, c)
            }
        }
    )* };
}

float! { f32 f64 }

/// A number in another type.
pub(super) trait To<Y> {
    fn to(self) -> Y;
}

macro_rules! to {
    ($($X:ident)*) => { $(
        to! { @from $X: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

        impl To<Truth> for $X {
            #[inline(always)]
            fn to(self) -> Truth {
                Truth::from(self != 0 as $X)
            }
        }

        impl To<$X> for Truth {
            #[inline(always)]
            fn to(self) -> $X {
                self.holds() as u8 as $X
            }
        }
    )* };
    // What the language says of conversions is what `as` does.
    (@from $X:ident: $($Y:ident)*) => { $(
        impl To<$Y> for $X {
            #[inline(always)]
            fn to(self) -> $Y {
                self as $Y
            }
        }
    )* };
}

to! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

impl To<Truth> for Truth {
    #[inline(always)]
    fn to(self) -> Truth {
        self
    }
}
