//! Functions of the host that can be computed again: operators, casts, and methods of the numbers of the standard library. Each is
//! computed by the very code that the user's function ran, so that the bits are the same.

use crate::host::{HostNumber, HostType};
use wengert_core::Op;
use wengert_core::ops::{Binary, Convert, Unary};

/// What an expression of the host does, where that can be done again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Meaning {
    /// The same as an op, to the bit.
    Op(Box<Op>),
    /// What no op does to the bit.
    Function(HostFunction),
}

impl Meaning {
    pub(crate) fn op(op: Op) -> Meaning {
        Meaning::Op(Box::new(op))
    }
}

macro_rules! functions {
    ($($variant:ident = $name:literal, $arity:literal;)*) => {
        /// A function of numbers of the host that gives the same number for the same numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum HostFunction {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl HostFunction {
            const ALL: &[HostFunction] = &[$(HostFunction::$variant),*];

            /// Its name in Rust.
            pub fn name(self) -> &'static str {
                match self {
                    $(HostFunction::$variant => $name,)*
                }
            }

            /// How many operands it has.
            fn arity(self) -> usize {
                match self {
                    $(HostFunction::$variant => $arity,)*
                }
            }
        }
    };
}
functions! {
    Cast = "as", 1;
    Not = "!", 1;
    BitAnd = "&", 2;
    BitOr = "|", 2;
    BitXor = "^", 2;
    Shl = "<<", 2;
    Shr = ">>", 2;
    Div = "/", 2;
    Rem = "%", 2;
    Abs = "abs", 1;
    Sqrt = "sqrt", 1;
    Cbrt = "cbrt", 1;
    Floor = "floor", 1;
    Ceil = "ceil", 1;
    Round = "round", 1;
    RoundTiesEven = "round_ties_even", 1;
    Trunc = "trunc", 1;
    Fract = "fract", 1;
    Signum = "signum", 1;
    Recip = "recip", 1;
    ToRadians = "to_radians", 1;
    ToDegrees = "to_degrees", 1;
    Exp = "exp", 1;
    Exp2 = "exp2", 1;
    ExpM1 = "exp_m1", 1;
    Ln = "ln", 1;
    Ln1p = "ln_1p", 1;
    Log2 = "log2", 1;
    Log10 = "log10", 1;
    Sin = "sin", 1;
    Cos = "cos", 1;
    Tan = "tan", 1;
    Asin = "asin", 1;
    Acos = "acos", 1;
    Atan = "atan", 1;
    Sinh = "sinh", 1;
    Cosh = "cosh", 1;
    Tanh = "tanh", 1;
    Asinh = "asinh", 1;
    Acosh = "acosh", 1;
    Atanh = "atanh", 1;
    IsNan = "is_nan", 1;
    IsFinite = "is_finite", 1;
    IsInfinite = "is_infinite", 1;
    IsSignNegative = "is_sign_negative", 1;
    IsSignPositive = "is_sign_positive", 1;
    IsNegative = "is_negative", 1;
    IsPositive = "is_positive", 1;
    ToBits = "to_bits", 1;
    CountOnes = "count_ones", 1;
    CountZeros = "count_zeros", 1;
    LeadingZeros = "leading_zeros", 1;
    TrailingZeros = "trailing_zeros", 1;
    IsPowerOfTwo = "is_power_of_two", 1;
    UnsignedAbs = "unsigned_abs", 1;
    IsSubnormal = "is_subnormal", 1;
    IsNormal = "is_normal", 1;
    NextUp = "next_up", 1;
    NextDown = "next_down", 1;
    LeadingOnes = "leading_ones", 1;
    TrailingOnes = "trailing_ones", 1;
    SwapBytes = "swap_bytes", 1;
    ReverseBits = "reverse_bits", 1;
    WrappingNeg = "wrapping_neg", 1;
    WrappingAbs = "wrapping_abs", 1;
    Isqrt = "isqrt", 1;
    Ilog2 = "ilog2", 1;
    Ilog10 = "ilog10", 1;
    NextPowerOfTwo = "next_power_of_two", 1;
    Max = "max", 2;
    Min = "min", 2;
    Powi = "powi", 2;
    Powf = "powf", 2;
    Pow = "pow", 2;
    Log = "log", 2;
    Hypot = "hypot", 2;
    Atan2 = "atan2", 2;
    Copysign = "copysign", 2;
    RemEuclid = "rem_euclid", 2;
    DivEuclid = "div_euclid", 2;
    AbsDiff = "abs_diff", 2;
    WrappingAdd = "wrapping_add", 2;
    WrappingSub = "wrapping_sub", 2;
    WrappingMul = "wrapping_mul", 2;
    WrappingPow = "wrapping_pow", 2;
    SaturatingAdd = "saturating_add", 2;
    SaturatingSub = "saturating_sub", 2;
    SaturatingMul = "saturating_mul", 2;
    SaturatingPow = "saturating_pow", 2;
    Ilog = "ilog", 2;
    IsMultipleOf = "is_multiple_of", 2;
    NextMultipleOf = "next_multiple_of", 2;
    DivCeil = "div_ceil", 2;
    Midpoint = "midpoint", 2;
    RotateLeft = "rotate_left", 2;
    RotateRight = "rotate_right", 2;
    WrappingShl = "wrapping_shl", 2;
    WrappingShr = "wrapping_shr", 2;
    MulAdd = "mul_add", 3;
    Clamp = "clamp", 3;
}

/// A number of the host as a type of Rust.
trait Number: Sized {
    fn of(x: HostNumber) -> Option<Self>;
}

/// Operand `i` as a number of this type.
fn operand<T: Number>(x: &[HostNumber], i: usize) -> Option<T> {
    x.get(i).copied().and_then(T::of)
}

/// The functions of one operand that a type has, and those of two and three operands of that type.
macro_rules! same_type {
    ($f:ident, $x:ident, $t:ty; $($one:ident $one_method:ident)*; $($two:ident $two_method:ident)*) => {
        match $f {
            $(HostFunction::$one => Some(operand::<$t>($x, 0)?.$one_method().into()),)*
            $(HostFunction::$two => Some(operand::<$t>($x, 0)?.$two_method(operand::<$t>($x, 1)?).into()),)*
            _ => None,
        }
    };
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        fn $t(f: HostFunction, x: &[HostNumber]) -> Option<HostNumber> {
            use HostFunction::*;
            let own = |i: usize| operand::<$t>(x, i);
            match f {
                Powi => Some(own(0)?.powi(operand(x, 1)?).into()),
                MulAdd => Some(own(0)?.mul_add(own(1)?, own(2)?).into()),
                // It panics otherwise.
                Clamp if own(1)? <= own(2)? => Some(own(0)?.clamp(own(1)?, own(2)?).into()),
                f => same_type!(f, x, $t;
                    Abs abs Sqrt sqrt Cbrt cbrt Floor floor Ceil ceil Round round RoundTiesEven round_ties_even Trunc trunc
                    Fract fract Signum signum Recip recip ToRadians to_radians ToDegrees to_degrees Exp exp Exp2 exp2
                    ExpM1 exp_m1 Ln ln Ln1p ln_1p Log2 log2 Log10 log10 Sin sin Cos cos Tan tan Asin asin Acos acos
                    Atan atan Sinh sinh Cosh cosh Tanh tanh Asinh asinh Acosh acosh Atanh atanh IsNan is_nan
                    IsFinite is_finite IsInfinite is_infinite IsSignNegative is_sign_negative
                    IsSignPositive is_sign_positive ToBits to_bits IsSubnormal is_subnormal IsNormal is_normal NextUp next_up
                    NextDown next_down;
                    Max max Min min Powf powf Log log Hypot hypot Atan2 atan2 Copysign copysign RemEuclid rem_euclid
                    DivEuclid div_euclid Midpoint midpoint
                ),
            }
        }
    )*};
}
floats!(f32 f64);

/// What integers have. Where Rust may panic, whether it does or not, nothing is computed again.
macro_rules! integers {
    ($($t:ident: $($one:ident $one_method:ident)*;)*) => {$(
        fn $t(f: HostFunction, x: &[HostNumber]) -> Option<HostNumber> {
            use HostFunction::*;
            let own = |i: usize| operand::<$t>(x, i);
            let exponent = || operand::<u32>(x, 1);
            let by = || u32::try_from(x.get(1)?.integer()?).ok();
            match f {
                Not => Some((!own(0)?).into()),
                BitAnd => Some((own(0)? & own(1)?).into()),
                BitOr => Some((own(0)? | own(1)?).into()),
                BitXor => Some((own(0)? ^ own(1)?).into()),
                Shl => own(0)?.checked_shl(by()?).map(HostNumber::from),
                Shr => own(0)?.checked_shr(by()?).map(HostNumber::from),
                Div => own(0)?.checked_div(own(1)?).map(HostNumber::from),
                Rem => own(0)?.checked_rem(own(1)?).map(HostNumber::from),
                RemEuclid => own(0)?.checked_rem_euclid(own(1)?).map(HostNumber::from),
                DivEuclid => own(0)?.checked_div_euclid(own(1)?).map(HostNumber::from),
                Pow => own(0)?.checked_pow(exponent()?).map(HostNumber::from),
                WrappingPow => Some(own(0)?.wrapping_pow(exponent()?).into()),
                SaturatingPow => Some(own(0)?.saturating_pow(exponent()?).into()),
                RotateLeft => Some(own(0)?.rotate_left(exponent()?).into()),
                RotateRight => Some(own(0)?.rotate_right(exponent()?).into()),
                WrappingShl => Some(own(0)?.wrapping_shl(exponent()?).into()),
                WrappingShr => Some(own(0)?.wrapping_shr(exponent()?).into()),
                Ilog2 => own(0)?.checked_ilog2().map(HostNumber::from),
                Ilog10 => own(0)?.checked_ilog10().map(HostNumber::from),
                Ilog if own(1)? >= 2 => own(0)?.checked_ilog(own(1)?).map(HostNumber::from),
                Clamp if own(1)? <= own(2)? => Some(own(0)?.clamp(own(1)?, own(2)?).into()),
                $($one => integers!(@$one_method own),)*
                f => same_type!(f, x, $t;
                    CountOnes count_ones CountZeros count_zeros LeadingZeros leading_zeros TrailingZeros trailing_zeros
                    LeadingOnes leading_ones TrailingOnes trailing_ones SwapBytes swap_bytes ReverseBits reverse_bits
                    WrappingNeg wrapping_neg;
                    Max max Min min AbsDiff abs_diff WrappingAdd wrapping_add WrappingSub wrapping_sub
                    WrappingMul wrapping_mul SaturatingAdd saturating_add SaturatingSub saturating_sub
                    SaturatingMul saturating_mul Midpoint midpoint
                ),
            }
        }
    )*};
    (@checked_abs $x:ident) => { $x(0)?.checked_abs().map(HostNumber::from) };
    (@checked_isqrt $x:ident) => { $x(0)?.checked_isqrt().map(HostNumber::from) };
    (@checked_next_power_of_two $x:ident) => { $x(0)?.checked_next_power_of_two().map(HostNumber::from) };
    (@checked_next_multiple_of $x:ident) => { $x(0)?.checked_next_multiple_of($x(1)?).map(HostNumber::from) };
    (@div_ceil $x:ident) => { { let by = $x(1)?; if by == 0 { None } else { Some($x(0)?.div_ceil(by).into()) } } };
    (@is_multiple_of $x:ident) => { Some($x(0)?.is_multiple_of($x(1)?).into()) };
    (@$method:ident $x:ident) => { Some($x(0)?.$method().into()) };
}
macro_rules! signed {
    ($($t:ident)*) => {
        integers! {
            $($t: Abs checked_abs Signum signum UnsignedAbs unsigned_abs IsNegative is_negative IsPositive is_positive
                WrappingAbs wrapping_abs Isqrt checked_isqrt;)*
        }
    };
}
macro_rules! unsigned {
    ($($t:ident)*) => {
        integers! {
            $($t: IsPowerOfTwo is_power_of_two Isqrt isqrt NextPowerOfTwo checked_next_power_of_two
                NextMultipleOf checked_next_multiple_of DivCeil div_ceil IsMultipleOf is_multiple_of;)*
        }
    };
}
signed!(i8 i16 i32 i64 isize);
unsigned!(u8 u16 u32 u64 usize);

fn bool(f: HostFunction, x: &[HostNumber]) -> Option<HostNumber> {
    let own = |i: usize| operand::<bool>(x, i);
    match f {
        HostFunction::Not => Some((!own(0)?).into()),
        HostFunction::BitAnd => Some((own(0)? & own(1)?).into()),
        HostFunction::BitOr => Some((own(0)? | own(1)?).into()),
        HostFunction::BitXor => Some((own(0)? ^ own(1)?).into()),
        _ => None,
    }
}

macro_rules! number_types {
    ($($t:ident, $v:ident: $bits:ident => $x:expr;)*) => {
        $(impl Number for $t {
            fn of(x: HostNumber) -> Option<$t> {
                let $bits = x.bits;
                (x.ty == HostType::$v).then(|| $x)
            }
        })*

        /// What a function gives for operands of which the first is of this type.
        fn of_type(f: HostFunction, ty: HostType, x: &[HostNumber]) -> Option<HostNumber> {
            match ty {
                $(HostType::$v => $t(f, x),)*
                HostType::Char => None,
            }
        }
    };
}
number_types! {
    bool, Bool: bits => bits != 0;
    i8, I8: bits => bits as i8;
    i16, I16: bits => bits as i16;
    i32, I32: bits => bits as i32;
    i64, I64: bits => bits as i64;
    isize, Isize: bits => bits as isize;
    u8, U8: bits => bits as u8;
    u16, U16: bits => bits as u16;
    u32, U32: bits => bits as u32;
    u64, U64: bits => bits;
    usize, Usize: bits => bits as usize;
    f32, F32: bits => f32::from_bits(bits as u32);
    f64, F64: bits => f64::from_bits(bits);
}

impl HostNumber {
    /// Whether an operator of integers gives another number for these than arithmetic does, which may stop a run.
    pub(crate) fn overflows(op: &Op, x: &[HostNumber], y: HostNumber) -> bool {
        if let ([a], Op::Unary(Unary::Neg)) = (x, op) {
            return a.integer().is_some_and(|a| y.integer() != Some(-a));
        }
        let ([a, b], Op::Binary(op)) = (x, op) else { return false };
        let exact = match (op, a.integer(), b.integer()) {
            (Binary::Add, Some(a), Some(b)) => a.checked_add(b),
            (Binary::Sub, Some(a), Some(b)) => a.checked_sub(b),
            (Binary::Mul, Some(a), Some(b)) => a.checked_mul(b),
            _ => return false,
        };
        exact != y.integer()
    }

    /// An integer, as one of all of them; what else `as` makes a number of, too.
    fn integer(self) -> Option<i128> {
        use HostType::*;
        Some(match self.ty {
            I8 | I16 | I32 | I64 | Isize => i128::from(self.scalar().as_i64()?),
            U8 | U16 | U32 | U64 | Usize | Bool | Char => i128::from(self.bits),
            F32 | F64 => return None,
        })
    }

    /// `self as ty`.
    fn cast(self, ty: HostType) -> Option<HostNumber> {
        macro_rules! cast {
            ($x:expr) => {
                match ty {
                    HostType::I8 => ($x as i8).into(),
                    HostType::I16 => ($x as i16).into(),
                    HostType::I32 => ($x as i32).into(),
                    HostType::I64 => ($x as i64).into(),
                    HostType::Isize => ($x as isize).into(),
                    HostType::U8 => ($x as u8).into(),
                    HostType::U16 => ($x as u16).into(),
                    HostType::U32 => ($x as u32).into(),
                    HostType::U64 => ($x as u64).into(),
                    HostType::Usize => ($x as usize).into(),
                    HostType::F32 => ($x as f32).into(),
                    HostType::F64 => ($x as f64).into(),
                    HostType::Bool | HostType::Char => return None,
                }
            };
        }
        Some(match (self.ty, ty) {
            (of, to) if of == to => self,
            (HostType::U8, HostType::Char) => char::from(u8::of(self)?).into(),
            (HostType::F32, _) => cast!(f32::of(self)?),
            (HostType::F64, _) => cast!(f64::of(self)?),
            _ => cast!(self.integer()?),
        })
    }

    /// Whether both are the same number: not a number is the same as not a number, whatever its bits.
    fn is_same(self, other: HostNumber) -> bool {
        let is_nan = |x: HostNumber| match x.ty {
            HostType::F32 => f32::from_bits(x.bits as u32).is_nan(),
            HostType::F64 => f64::from_bits(x.bits).is_nan(),
            _ => false,
        };
        self == other || self.ty == other.ty && is_nan(self) && is_nan(other)
    }
}

impl HostFunction {
    /// The function of this name.
    pub(crate) fn of_name(name: &str) -> Option<HostFunction> {
        HostFunction::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// What it gives, of this type; none if it is not a function of such numbers, or the host would not go on with the result.
    pub(crate) fn apply(self, x: &[HostNumber], ty: HostType) -> Option<HostNumber> {
        let first = *x.first().filter(|_| x.len() == self.arity())?;
        let y = match self {
            HostFunction::Cast => first.cast(ty),
            f => of_type(f, first.ty, x),
        };
        y.filter(|y| y.ty == ty)
    }

    /// The type of a number that stands in the source as operand `i`, beside a first operand of this type.
    pub(crate) fn parameter(self, i: usize, first: Option<HostType>) -> Option<HostType> {
        use HostFunction::*;
        match self {
            Cast => None,
            Powi if i == 1 => Some(HostType::I32),
            Pow | WrappingPow | SaturatingPow if i == 1 => Some(HostType::U32),
            RotateLeft | RotateRight | WrappingShl | WrappingShr if i == 1 => Some(HostType::U32),
            Shl | Shr if i == 1 => None,
            _ => first,
        }
    }

    /// Whether numbers of this type have it, as a method that the user can't have another of.
    pub(crate) fn is_method_of(self, ty: HostType) -> bool {
        // All of them have a result for ones, but the logarithm, whose base is at least two.
        let like = |i: usize| {
            let ty = self.parameter(i, Some(ty))?;
            HostNumber::from(if i == 1 && self == HostFunction::Ilog { 2u8 } else { 1u8 }).cast(ty)
        };
        let ones: Option<Vec<HostNumber>> = (0..self.arity()).map(like).collect();
        ones.is_some_and(|x| of_type(self, ty, &x).is_some())
    }

    /// What it is, if it gave this number for these; none if it did not.
    pub(crate) fn meaning(self, x: &[HostNumber], gave: HostNumber) -> Option<Meaning> {
        let is_it = self.apply(x, gave.ty)?.is_same(gave);
        is_it.then(|| self.op(x[0].ty, gave.ty).map_or(Meaning::Function(self), Meaning::op))
    }

    /// The op that gives the same bits.
    fn op(self, of: HostType, gives: HostType) -> Option<Op> {
        use HostFunction::*;
        let is_float = |t: HostType| matches!(t, HostType::F32 | HostType::F64);
        let unary = |op| Some(Op::Unary(op));
        let binary = |op| Some(Op::Binary(op));
        match self {
            // Of numbers that an integer has not, and of characters, an op makes something else; an integer of more bits than a
            // float has it may round twice.
            Cast if of == HostType::Char || gives == HostType::Char || is_float(of) && !is_float(gives) => None,
            Cast if gives == HostType::F32 && !is_float(of) && of.dtype().size() > 2 => None,
            Cast => Some(Op::Convert(Convert { dtype: gives.dtype() })),
            Abs if is_float(of) => unary(Unary::Abs),
            Sqrt => unary(Unary::Sqrt),
            Floor => unary(Unary::Floor),
            Ceil => unary(Unary::Ceil),
            Not => unary(Unary::Not),
            BitAnd => binary(Binary::And),
            BitOr => binary(Binary::Or),
            BitXor => binary(Binary::Xor),
            Max if !is_float(of) => binary(Binary::Max),
            Min if !is_float(of) => binary(Binary::Min),
            // Those that wrap are not the operators, which may stop.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn gives(f: HostFunction, x: &[HostNumber], y: impl Into<HostNumber>) {
        let y = y.into();
        assert_eq!(f.apply(x, y.ty), Some(y), "{}", f.name());
        assert!(f.meaning(x, y).is_some());
    }

    #[test]
    fn functions_give_what_rust_gives() {
        use HostFunction::*;
        gives(Max, &[f64::NAN.into(), 1.0.into()], 1.0);
        gives(Max, &[(-3i64).into(), 2i64.into()], 2i64);
        gives(Powi, &[1.5f32.into(), (-2).into()], 1.5f32.powi(-2));
        gives(MulAdd, &[0.1.into(), 10.0.into(), (-1.0).into()], 0.1f64.mul_add(10.0, -1.0));
        gives(AbsDiff, &[(-100i8).into(), 100i8.into()], 200u8);
        gives(Shr, &[(-8i32).into(), 1u8.into()], -4i32);
        gives(Signum, &[(-0.0f64).into()], -1.0f64);
        gives(Tanh, &[0.3f64.into()], 0.3f64.tanh());
        gives(IsMultipleOf, &[6u64.into(), 0u64.into()], false);
        gives(RotateLeft, &[(-127i8).into(), 1u32.into()], 3i8);
        gives(Ilog, &[81i64.into(), 3i64.into()], 4u32);
        gives(Midpoint, &[(-3i8).into(), 0i8.into()], -1i8);
    }

    #[test]
    fn casts_saturate_and_wrap() {
        use HostFunction::Cast;
        gives(Cast, &[f64::NAN.into()], 0usize);
        gives(Cast, &[(-1e300).into()], i32::MIN);
        gives(Cast, &[300.7f32.into()], 255u8);
        gives(Cast, &[(-1i32).into()], u64::MAX);
        gives(Cast, &[u64::MAX.into()], u64::MAX as f32);
        gives(Cast, &[true.into()], 1i32);
        gives(Cast, &['a'.into()], 97u8);
        gives(Cast, &[97u8.into()], 'a');
        gives(Cast, &[1e300.into()], f32::INFINITY);
        assert_eq!(Cast.apply(&[2i32.into()], HostType::Bool), None);
    }

    /// What Rust panics at is not computed; nor what a type does not have, where the user may have a method of the name.
    #[test]
    fn what_is_no_function_of_numbers_is_none() {
        use HostFunction::*;
        assert_eq!(Div.apply(&[1.into(), 0.into()], HostType::I32), None);
        assert_eq!(Abs.apply(&[i32::MIN.into()], HostType::I32), None);
        assert_eq!(Pow.apply(&[10u8.into(), 3u32.into()], HostType::U8), None);
        assert_eq!(Clamp.apply(&[1.0.into(), 2.0.into(), 0.0.into()], HostType::F64), None);
        assert_eq!(Abs.apply(&[1u32.into()], HostType::U32), None);
        assert_eq!(Max.apply(&[1.0.into(), 2.0f32.into()], HostType::F64), None);
        assert_eq!(Max.apply(&[1.0.into()], HostType::F64), None);
        assert_eq!(Sqrt.meaning(&[4.0.into()], 3.0.into()), None);
        assert_eq!(DivCeil.apply(&[1u8.into(), 0u8.into()], HostType::U8), None);
        assert_eq!(Isqrt.apply(&[(-1i8).into()], HostType::I8), None);
        assert_eq!(Ilog.apply(&[8u8.into(), 1u8.into()], HostType::U32), None);
    }

    #[test]
    fn types_have_their_methods() {
        use HostFunction::*;
        let of = |f: HostFunction| -> Vec<HostType> {
            [HostType::F64, HostType::I8, HostType::U64].into_iter().filter(|t| f.is_method_of(*t)).collect()
        };
        assert_eq!(of(Max), [HostType::F64, HostType::I8, HostType::U64]);
        assert_eq!(of(Powi), [HostType::F64]);
        assert_eq!(of(Pow), [HostType::I8, HostType::U64]);
        assert_eq!(of(Ilog), [HostType::I8, HostType::U64]);
        assert_eq!(of(Abs), [HostType::F64, HostType::I8]);
        assert_eq!(of(IsMultipleOf), [HostType::U64]);
        let methods =
            HostFunction::ALL.iter().filter(|f| ![Cast, Not, BitAnd, BitOr, BitXor, Shl, Shr, Div, Rem].contains(f));
        methods.for_each(|&f| assert!(!of(f).is_empty(), "{}", f.name()));
    }

    #[test]
    fn names_find_their_functions() {
        assert!(HostFunction::ALL.iter().all(|&f| HostFunction::of_name(f.name()) == Some(f)));
    }
}
