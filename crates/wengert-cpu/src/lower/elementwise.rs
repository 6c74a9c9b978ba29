//! Elementwise ops on scalars: which instructions each one is. Floats of 16 bits are computed as `f32`, and rounded after
//! each op.

use super::neighbours;
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{DType, Scalar};
use wengert_kernel::recipes::{PairRecipe, Recipe};
use wengert_kernel::{self as k, Builder, Kind, Value, half};
use wengert_x86::faults::{Fault, is_planted};

/// The bits of a number of this kind.
fn number(kind: Kind, x: f64) -> u64 {
    match kind {
        Kind::F16 => half::f16_from_f32(x as f32) as u64,
        Kind::BF16 => half::bf16_from_f32(x as f32) as u64,
        Kind::F32 => (x as f32).to_bits() as u64,
        Kind::F64 => x.to_bits(),
        _ => x as i64 as u64,
    }
}

/// A number as a scalar.
pub(super) fn constant(b: &mut Builder, kind: Kind, x: f64) -> Value {
    b.constant(kind, number(kind, x))
}

/// A constant element.
pub(super) fn element(b: &mut Builder, kind: Kind, x: Scalar) -> Value {
    b.constant(kind, x.bits() as u64)
}

/// The kind that scalars of a kind are computed in.
pub(super) fn computed(kind: Kind) -> Kind {
    if kind.is_half() { Kind::F32 } else { kind }
}

/// A scalar in the kind that it is computed in.
fn wide(b: &mut Builder, x: Value) -> Value {
    b.convert(x, computed(b.kind(x)))
}

/// A result in the kind of the operands that it was computed from, rounded; a boolean as it is.
fn rounded(b: &mut Builder, y: Value, kind: Kind) -> Value {
    if kind.is_half() && b.kind(y) == Kind::F32 { b.convert(y, kind) } else { y }
}

/// The number in another kind.
pub(super) fn convert(b: &mut Builder, x: Value, to: Kind) -> Value {
    let x = if b.kind(x) == to { x } else { wide(b, x) };
    match b.kind(x) {
        Kind::F64 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::U64 if to.is_half() => {
            let x = b.convert(x, Kind::F64);
            let odd = if is_planted(Fault::DoubleRounding) { b.convert(x, Kind::F32) } else { to_odd(b, x) };
            b.convert(odd, to)
        }
        _ => {
            let x = if to.is_half() { b.convert(x, Kind::F32) } else { x };
            b.convert(x, to)
        }
    }
}

/// The neighbour of an `f64` in `f32` with an odd last bit, unless it is one: rounding that again gives the nearest of the
/// first.
fn to_odd(b: &mut Builder, x: Value) -> Value {
    let near = b.convert(x, Kind::F32);
    let back = b.convert(near, Kind::F64);
    let sizes = [back, x].map(|v| b.unary(k::Unary::Abs, v));
    let above = b.compare(k::Compare::Gt, sizes[0], sizes[1]);
    let inexact = b.compare(k::Compare::Ne, back, x);
    let [above, inexact] = [above, inexact].map(|v| b.convert(v, Kind::U32));
    let bits = b.bitcast(near, Kind::U32);
    let cut = b.binary(k::Binary::Sub, bits, above);
    let odd = b.binary(k::Binary::Or, cut, inexact);
    b.bitcast(odd, Kind::F32)
}

/// The recipe that an op is.
fn recipe(op: Unary) -> Option<Recipe> {
    Some(match op {
        Unary::Exp => Recipe::Exp,
        Unary::Expm1 => Recipe::Expm1,
        Unary::Log => Recipe::Log,
        Unary::Log1p => Recipe::Log1p,
        Unary::Logistic => Recipe::Logistic,
        Unary::Tanh => Recipe::Tanh,
        Unary::ErfInv => Recipe::ErfInv,
        Unary::Sin => Recipe::Sin,
        Unary::Cos => Recipe::Cos,
        Unary::Tan => Recipe::Tan,
        Unary::Asin => Recipe::Asin,
        Unary::Acos => Recipe::Acos,
        Unary::Atan => Recipe::Atan,
        Unary::Sinh => Recipe::Sinh,
        Unary::Cosh => Recipe::Cosh,
        Unary::Asinh => Recipe::Asinh,
        Unary::Acosh => Recipe::Acosh,
        Unary::Atanh => Recipe::Atanh,
        Unary::Cbrt => Recipe::Cbrt,
        Unary::Erf => Recipe::Erf,
        Unary::Erfc => Recipe::Erfc,
        Unary::Lgamma => Recipe::Lgamma,
        Unary::Digamma => Recipe::Digamma,
        Unary::BesselI0e => Recipe::BesselI0e,
        Unary::BesselI1e => Recipe::BesselI1e,
        _ => return None,
    })
}

/// The recipe that an op of two operands is.
fn pair_recipe(op: Binary) -> Option<PairRecipe> {
    match op {
        Binary::Atan2 => Some(PairRecipe::Atan2),
        Binary::Pow => Some(PairRecipe::Pow),
        Binary::Rem => Some(PairRecipe::Rem),
        Binary::Polygamma => Some(PairRecipe::Polygamma),
        _ => None,
    }
}

/// Whether a unary op has instructions for this type.
pub(super) fn has_unary(op: Unary, dtype: DType) -> bool {
    match op {
        Unary::Popcnt | Unary::Clz | Unary::Real | Unary::Imag | Unary::Conj => false,
        _ => super::form::kind(dtype).is_some(),
    }
}

/// A unary op of a scalar that it has instructions for.
pub(super) fn unary(b: &mut Builder, op: Unary, x: Value) -> Value {
    let kind = b.kind(x);
    let x = wide(b, x);
    let y = unary_wide(b, op, x);
    rounded(b, y, kind)
}

fn unary_wide(b: &mut Builder, op: Unary, x: Value) -> Value {
    let kind = b.kind(x);
    let simple = match op {
        Unary::Neg => Some(k::Unary::Neg),
        Unary::Abs => Some(k::Unary::Abs),
        Unary::Not => Some(k::Unary::Not),
        Unary::Sqrt => Some(k::Unary::Sqrt),
        Unary::Floor => Some(k::Unary::Floor),
        Unary::Ceil => Some(k::Unary::Ceil),
        Unary::RoundEven => Some(k::Unary::RoundEven),
        _ => None,
    };
    if let Some(op) = simple {
        return b.unary(op, x);
    }
    match op {
        Unary::Rsqrt => {
            let (one, root) = (constant(b, kind, 1.0), b.unary(k::Unary::Sqrt, x));
            b.binary(k::Binary::Div, one, root)
        }
        Unary::IsFinite => {
            let (size, infinity) = (b.unary(k::Unary::Abs, x), constant(b, kind, f64::INFINITY));
            b.compare(k::Compare::Lt, size, infinity)
        }
        Unary::Sign if kind.is_float() => {
            // Zeros and NaN stay as they are.
            let (zero, one) = (constant(b, kind, 0.0), constant(b, kind, 1.0));
            let unit = b.binary(k::Binary::CopySign, one, x);
            let above = b.compare(k::Compare::Gt, x, zero);
            let below = b.compare(k::Compare::Lt, x, zero);
            let either = b.binary(k::Binary::Or, above, below);
            b.select(either, unit, x)
        }
        Unary::Sign => {
            let zero = constant(b, kind, 0.0);
            let above = b.compare(k::Compare::Gt, x, zero);
            let below = b.compare(k::Compare::Lt, x, zero);
            let (above, below) = (b.convert(above, kind), b.convert(below, kind));
            b.binary(k::Binary::Sub, above, below)
        }
        Unary::Logistic if is_planted(Fault::LogisticOverflow) => {
            let (power, one) = (Recipe::Exp.build(b, x), constant(b, kind, 1.0));
            let sum = b.binary(k::Binary::Add, power, one);
            b.binary(k::Binary::Div, power, sum)
        }
        Unary::Round => neighbours::round(b, x),
        op => recipe(op).expect("`has_unary` says so").build(b, x),
    }
}

/// Whether a binary op has instructions for this type.
pub(super) fn has_binary(op: Binary, dtype: DType) -> bool {
    match op {
        Binary::Complex => false,
        Binary::Pow if !dtype.is_float() => false,
        Binary::Nextafter => matches!(dtype, DType::F32 | DType::F64),
        _ => super::form::kind(dtype).is_some(),
    }
}

/// A binary op of scalars that it has instructions for.
pub(super) fn binary(b: &mut Builder, op: Binary, x: Value, y: Value) -> Value {
    let kind = b.kind(x);
    let [x, y] = [x, y].map(|v| wide(b, v));
    let z = binary_wide(b, op, x, y);
    rounded(b, z, kind)
}

/// The middle one of three: the bounds are the first and the last.
pub(super) fn clamp(b: &mut Builder, x: [Value; 3]) -> Value {
    let kind = b.kind(x[1]);
    let [least, x, most] = x.map(|v| wide(b, v));
    let above = binary_wide(b, Binary::Max, x, least);
    let y = binary_wide(b, Binary::Min, above, most);
    rounded(b, y, kind)
}

fn binary_wide(b: &mut Builder, op: Binary, x: Value, y: Value) -> Value {
    let kind = b.kind(x);
    let simple = match (op, kind) {
        (Binary::Add | Binary::Max, Kind::Bool) => k::Binary::Or,
        (Binary::Mul | Binary::Min, Kind::Bool) => k::Binary::And,
        (Binary::Add, _) => k::Binary::Add,
        (Binary::Sub, _) => k::Binary::Sub,
        (Binary::Mul, _) => k::Binary::Mul,
        (Binary::Div, _) => k::Binary::Div,
        (Binary::Rem, _) if !kind.is_float() => k::Binary::Rem,
        (Binary::Max, _) => k::Binary::Max,
        (Binary::Min, _) => k::Binary::Min,
        (Binary::And, _) => k::Binary::And,
        (Binary::Or, _) => k::Binary::Or,
        (Binary::Xor, _) => k::Binary::Xor,
        (Binary::Shl, _) => k::Binary::Shl,
        (Binary::ShrArithmetic, _) => k::Binary::ShrArithmetic,
        (Binary::ShrLogical, _) => k::Binary::ShrLogical,
        (Binary::Nextafter, _) => return neighbours::nextafter(b, x, y),
        (op, _) => return pair_recipe(op).expect("`has_binary` says so").build(b, x, y),
    };
    b.binary(simple, x, y)
}

/// A quotient or remainder of integers by a division of floats, which vectors have: of as many bits as make it exact once it
/// is cut. None for integers that no float holds.
pub(super) fn divide_in_lanes(b: &mut Builder, op: Binary, x: Value, y: Value) -> Option<Value> {
    let kind = b.kind(x);
    let float = match kind {
        Kind::I8 | Kind::U8 | Kind::I16 | Kind::U16 => Kind::F32,
        Kind::I32 | Kind::U32 => Kind::F64,
        _ => return None,
    };
    let [a, d] = [x, y].map(|v| b.convert(v, float));
    let quotient = b.binary(k::Binary::Div, a, d);
    let mut quotient = b.convert(quotient, kind);
    let zero = constant(b, kind, 0.0);
    let all_bits = b.unary(k::Unary::Not, zero);
    if kind.is_signed() {
        // By minus one: the smallest number has no negative, and wraps.
        let by_minus_one = b.compare(k::Compare::Eq, y, all_bits);
        let negative = b.unary(k::Unary::Neg, x);
        quotient = b.select(by_minus_one, negative, quotient);
    }
    if op == Binary::Rem {
        let product = b.binary(k::Binary::Mul, quotient, y);
        return Some(b.binary(k::Binary::Sub, x, product));
    }
    if is_planted(Fault::DivisionByZero) {
        return Some(quotient);
    }
    let by_zero = b.compare(k::Compare::Eq, y, zero);
    Some(b.select(by_zero, all_bits, quotient))
}

pub(super) fn compare(b: &mut Builder, op: Direction, x: Value, y: Value) -> Value {
    let op = match op {
        Direction::Eq => k::Compare::Eq,
        Direction::Ne => k::Compare::Ne,
        Direction::Lt => k::Compare::Lt,
        Direction::Le => k::Compare::Le,
        Direction::Gt => k::Compare::Gt,
        Direction::Ge => k::Compare::Ge,
    };
    let [x, y] = [x, y].map(|v| wide(b, v));
    b.compare(op, x, y)
}

/// Twenty rounds of Threefry: two words under a key.
pub(super) fn threefry(b: &mut Builder, key: [Value; 2], count: [Value; 2]) -> [Value; 2] {
    const ROTATIONS: [[u64; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let both = b.binary(k::Binary::Xor, key[0], key[1]);
    let parity = b.constant(Kind::U32, 0x1bd1_1bda);
    let schedule = [key[0], key[1], b.binary(k::Binary::Xor, both, parity)];
    let mut x = b.binary(k::Binary::Add, count[0], key[0]);
    let mut y = b.binary(k::Binary::Add, count[1], key[1]);
    for i in 0..5 {
        for r in ROTATIONS[i % 2] {
            x = b.binary(k::Binary::Add, x, y);
            let (left, right) = (b.constant(Kind::U32, r), b.constant(Kind::U32, 32 - r));
            let (high, low) = (b.binary(k::Binary::Shl, y, left), b.binary(k::Binary::ShrLogical, y, right));
            let turned = b.binary(k::Binary::Or, high, low);
            y = b.binary(k::Binary::Xor, turned, x);
        }
        x = b.binary(k::Binary::Add, x, schedule[(i + 1) % 3]);
        let more = b.constant(Kind::U32, i as u64 + 1);
        y = b.binary(k::Binary::Add, y, schedule[(i + 2) % 3]);
        y = b.binary(k::Binary::Add, y, more);
    }
    [x, y]
}
