//! The code of an instruction: for a scalar one function, for lanes another, both made of the same operation.
//!
//! Those for lanes of floats are compiled twice on x86-64: for every processor, and for those with AVX2 and FMA, without
//! which rounding and [`crate::Inst::MulAdd`] are calls.

use super::number::{BF16, F16, Float, Integer, Scalar, To, Truth, and, eq, le, lt, ne, or, select, xor};
use crate::ir::{Binary, Compare, Kind, Unary};

/// Where a step finds its operands: registers by number, or buffers by line. The first is the result.
pub(super) type Places = [u32; 6];

/// How many elements the lanes of one step are, at most.
pub(super) const LANES: usize = 256;

/// Bytes of a line, which the places of buffers are counted in.
pub(super) const LINE: usize = 64;

/// What the lanes of one step work on.
pub(super) struct Lanes {
    /// The registers.
    pub registers: *mut u64,
    /// Where buffers lie, by line.
    pub buffers: *mut u8,
    /// The number of the first lane.
    pub first: u64,
    /// How many there are, at most [`LANES`].
    pub count: usize,
}

impl Lanes {
    /// The buffer at a line.
    ///
    /// # Safety
    /// A buffer of this type was placed at the line, and no [`Lanes::buffer_mut`] of it is held.
    #[inline(always)]
    pub unsafe fn buffer<T: Scalar>(&self, line: u32) -> &[T] {
        // SAFETY: as above; it holds LANES elements, aligned to the line.
        unsafe { std::slice::from_raw_parts(self.buffers.add(line as usize * LINE).cast(), self.count) }
    }

    /// The buffer at a line, to be written.
    ///
    /// # Safety
    /// A buffer of this type was placed at the line, and no other reference to it is held.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn buffer_mut<T: Scalar>(&self, line: u32) -> &mut [T] {
        // SAFETY: as above; it holds LANES elements, aligned to the line.
        unsafe { std::slice::from_raw_parts_mut(self.buffers.add(line as usize * LINE).cast(), self.count) }
    }

    /// A register.
    ///
    /// # Safety
    /// There is one of this number.
    #[inline(always)]
    pub unsafe fn register(&self, at: u32) -> u64 {
        // SAFETY: as above.
        unsafe { *self.registers.add(at as usize) }
    }
}

/// Computes one result from registers.
pub(super) type ScalarCode = unsafe fn(*mut u64, &Places);

/// Computes one result from buffers, for each lane.
pub(super) type LanesCode = unsafe fn(&Lanes, &Places);

/// An operation, for scalars and for lanes.
#[derive(Clone, Copy)]
pub(super) struct Code {
    pub scalar: ScalarCode,
    pub lanes: LanesCode,
}

/// The one value of a type without size.
#[inline(always)]
fn the<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0) }
    // SAFETY: it has no bytes that could be wrong. It is the type of a function, and whoever asks was handed one.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// Functions of a number of operands.
macro_rules! arity {
    ($code:ident, $float:ident, $scalar:ident, $lanes:ident, $wide:ident: $($x:ident $X:ident $i:tt)*) => {
        /// # Safety
        /// The places are those of registers.
        #[inline(always)]
        unsafe fn $scalar<$($X: Scalar,)* Y: Scalar, F: Fn($($X),*) -> Y + Copy>(r: *mut u64, at: &Places) {
            // SAFETY: the places are those of registers.
            unsafe { *r.add(at[0] as usize) = the::<F>()($($X::read(*r.add(at[$i] as usize))),*).bits() }
        }

        /// # Safety
        /// The places are those of buffers of these types; that of the result is no other's.
        #[inline(always)]
        unsafe fn $lanes<$($X: Scalar,)* Y: Scalar, F: Fn($($X),*) -> Y + Copy>(l: &Lanes, at: &Places) {
            // SAFETY: as above.
            unsafe {
                let y = l.buffer_mut::<Y>(at[0]);
                $(let $x = l.buffer::<$X>(at[$i]);)*
                for i in 0..l.count {
                    *y.get_unchecked_mut(i) = the::<F>()($(*$x.get_unchecked(i)),*);
                }
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $wide<$($X: Scalar,)* Y: Scalar, F: Fn($($X),*) -> Y + Copy>(l: &Lanes, at: &Places) {
            // SAFETY: as the other.
            unsafe { $lanes::<$($X,)* Y, F>(l, at) }
        }

        fn $code<$($X: Scalar,)* Y: Scalar, F: Fn($($X),*) -> Y + Copy>(_: F) -> Code {
            Code { scalar: $scalar::<$($X,)* Y, F>, lanes: $lanes::<$($X,)* Y, F> }
        }

        fn $float<$($X: Scalar,)* Y: Scalar, F: Fn($($X),*) -> Y + Copy>(f: F) -> Code {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Code { scalar: $scalar::<$($X,)* Y, F>, lanes: $wide::<$($X,)* Y, F> };
            }
            $code(f)
        }
    };
}

arity! { code1, float1, scalar1, lanes1, wide1: a A 1 }
arity! { code2, float2, scalar2, lanes2, wide2: a A 1 b B 2 }
arity! { code3, float3, scalar3, lanes3, wide3: a A 1 b B 2 c C 3 }

/// An expression with a type that depends on a kind.
macro_rules! with {
    // Any kind with as many bytes, as an unsigned integer.
    ($T:ident = unsigned $kind:expr => $e:expr) => {
        match $kind.bytes() {
            1 => { type $T = u8; $e }
            2 => { type $T = u16; $e }
            4 => { type $T = u32; $e }
            _ => { type $T = u64; $e }
        }
    };
    ($T:ident = signed $kind:expr => $e:expr) => {
        match $kind.bytes() {
            1 => { type $T = i8; $e }
            2 => { type $T = i16; $e }
            4 => { type $T = i32; $e }
            _ => { type $T = i64; $e }
        }
    };
    ($T:ident = integer $kind:expr => $e:expr) => {
        if $kind.is_signed() { with!($T = signed $kind => $e) } else { with!($T = unsigned $kind => $e) }
    };
    ($T:ident = float $kind:expr => $e:expr) => {
        if $kind == Kind::F32 { type $T = f32; $e } else { type $T = f64; $e }
    };
    ($T:ident = any $kind:expr => $e:expr) => {
        match $kind {
            Kind::Bool => { type $T = Truth; $e }
            kind if kind.is_float() => with!($T = float kind => $e),
            kind => with!($T = integer kind => $e),
        }
    };
}
pub(super) use with;

/// The code of an operation on one scalar of a kind.
pub(super) fn unary(op: Unary, kind: Kind) -> Code {
    if kind.is_float() {
        return with!(T = float kind => match op {
            Unary::Neg => float1(<T as Float>::neg),
            Unary::Abs => float1(<T as Float>::abs),
            Unary::Sqrt => float1(<T as Float>::sqrt),
            Unary::Floor => float1(<T as Float>::floor),
            Unary::Ceil => float1(<T as Float>::ceil),
            Unary::Trunc => float1(<T as Float>::trunc),
            Unary::RoundEven => float1(<T as Float>::round_even),
            Unary::Not => unreachable!("not of floats, as verified"),
        });
    }
    match op {
        Unary::Not if kind == Kind::Bool => code1(Truth::turned),
        Unary::Not => with!(T = unsigned kind => code1(<T as Integer>::not)),
        Unary::Neg => with!(T = unsigned kind => code1(<T as Integer>::neg)),
        Unary::Abs => with!(T = signed kind => code1(<T as Integer>::abs)),
        _ => unreachable!("of floats only, as verified"),
    }
}

/// The code of an operation on two scalars of a kind.
pub(super) fn binary(op: Binary, kind: Kind) -> Code {
    if kind.is_float() {
        return with!(T = float kind => match op {
            Binary::Add => float2(<T as Float>::add),
            Binary::Sub => float2(<T as Float>::sub),
            Binary::Mul => float2(<T as Float>::mul),
            Binary::Div => float2(<T as Float>::div),
            Binary::Max => float2(<T as Float>::max),
            Binary::Min => float2(<T as Float>::min),
            Binary::CopySign => float2(<T as Float>::copysign),
            Binary::MinOrSecond => float2(<T as Float>::min_or_second),
            Binary::MaxOrSecond => float2(<T as Float>::max_or_second),
            Binary::Scale => float2(<T as Float>::scale),
            _ => unreachable!("not of floats, as verified"),
        });
    }
    match op {
        Binary::Add => with!(T = unsigned kind => code2(<T as Integer>::add)),
        Binary::Sub => with!(T = unsigned kind => code2(<T as Integer>::sub)),
        Binary::Mul => with!(T = unsigned kind => code2(<T as Integer>::mul)),
        Binary::And => with!(T = unsigned kind => code2(and::<T>)),
        Binary::Or => with!(T = unsigned kind => code2(or::<T>)),
        Binary::Xor => with!(T = unsigned kind => code2(xor::<T>)),
        Binary::Shl => with!(T = unsigned kind => code2(<T as Integer>::shl)),
        Binary::ShrLogical => with!(T = unsigned kind => code2(<T as Integer>::shr)),
        Binary::ShrArithmetic => with!(T = signed kind => code2(<T as Integer>::shr)),
        Binary::Div => with!(T = integer kind => code2(<T as Integer>::div)),
        Binary::Rem => with!(T = integer kind => code2(<T as Integer>::rem)),
        Binary::Max => with!(T = integer kind => code2(<T as Ord>::max)),
        Binary::Min => with!(T = integer kind => code2(<T as Ord>::min)),
        Binary::CopySign | Binary::MinOrSecond | Binary::MaxOrSecond | Binary::Scale => {
            unreachable!("of floats only, as verified")
        }
    }
}

/// The code of a comparison of scalars of a kind, and whether the operands change places.
pub(super) fn compare(op: Compare, kind: Kind) -> (Code, bool) {
    let (op, swap) = match op {
        Compare::Gt => (Compare::Lt, true),
        Compare::Ge => (Compare::Le, true),
        op => (op, false),
    };
    let code = match op {
        Compare::Lt if kind.is_float() => with!(T = float kind => code2(lt::<T>)),
        Compare::Lt => with!(T = integer kind => code2(lt::<T>)),
        Compare::Eq if kind.is_float() => with!(T = float kind => code2(eq::<T>)),
        Compare::Eq => with!(T = unsigned kind => code2(eq::<T>)),
        Compare::Ne if kind.is_float() => with!(T = float kind => code2(ne::<T>)),
        Compare::Ne => with!(T = unsigned kind => code2(ne::<T>)),
        _ if kind.is_float() => with!(T = float kind => code2(le::<T>)),
        _ => with!(T = integer kind => code2(le::<T>)),
    };
    (code, swap)
}

/// The code of [`crate::Inst::MulAdd`].
pub(super) fn mul_add(kind: Kind, negate: [bool; 2]) -> Code {
    match negate {
        [false, false] => with!(T = float kind => float3(<T as Float>::mul_add)),
        [false, true] => with!(T = float kind => float3(|a: T, b: T, c: T| a.mul_add(b, Float::neg(c)))),
        [true, false] => with!(T = float kind => float3(|a: T, b: T, c: T| Float::neg(a).mul_add(b, c))),
        [true, true] => with!(T = float kind => float3(|a: T, b: T, c: T| Float::neg(a).mul_add(b, Float::neg(c)))),
    }
}

/// The code of [`crate::Inst::Select`].
pub(super) fn select_of(kind: Kind) -> Code {
    with!(T = unsigned kind => code3(select::<T>))
}

/// The code that takes bits as they are.
pub(super) fn same_bits(kind: Kind) -> Code {
    with!(T = unsigned kind => code1(std::convert::identity::<T>))
}

/// The code of [`crate::Inst::Convert`].
pub(super) fn convert(from: Kind, to: Kind) -> Code {
    match (from, to) {
        (Kind::F16, Kind::F32) => return float1(<F16 as To<f32>>::to),
        (Kind::BF16, Kind::F32) => return float1(<BF16 as To<f32>>::to),
        (Kind::F32, Kind::F16) => return float1(<f32 as To<F16>>::to),
        (Kind::F32, Kind::BF16) => return float1(<f32 as To<BF16>>::to),
        _ if from.is_half() => return same_bits(from),
        _ => {}
    }
    if from.is_integer() && to.is_integer() {
        // The sign of the wider one does not matter, and that of one that is cut neither.
        return if from.bytes() < to.bytes() {
            with!(X = integer from => with!(Y = unsigned to => code1(<X as To<Y>>::to)))
        } else {
            with!(X = unsigned from => with!(Y = unsigned to => code1(<X as To<Y>>::to)))
        };
    }
    with!(X = any from => with!(Y = any to => code1(<X as To<Y>>::to)))
}
