//! The order of elements: floats as integers in their total order. Sorting itself is an op that every backend has.

use wengert_core::ops::{Binary, Bitcast};
use wengert_core::{Builder, DType, Scalar, Tensor, Var};

/// Integers in the total order of floats: negative ones have all bits but the sign turned. Elements of other types as
/// they are.
pub fn total_order(b: &mut Builder, x: Var) -> Var {
    let dtype = match b.dtype(x) {
        DType::F16 | DType::BF16 => DType::I16,
        DType::F32 => DType::I32,
        DType::F64 => DType::I64,
        _ => return x,
    };
    let bits = b.one(Bitcast { dtype }, &[x]);
    let shape = b.shape(bits).clone();
    let width = b.constant(Tensor::splat(shape.clone(), Scalar::from_i64(dtype, dtype.bits() as i64 - 1)));
    let low = b.constant(Tensor::splat(shape, Scalar::from_bits(dtype, (1 << (dtype.bits() - 1)) - 1)));
    let sign = b.binary(Binary::ShrArithmetic, bits, width);
    let turn = b.binary(Binary::And, sign, low);
    b.binary(Binary::Xor, bits, turn)
}
