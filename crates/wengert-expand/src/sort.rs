//! The order of elements as programs: the natural order of keys, which puts NaN last and both zeros together, and the
//! total order of floats. Sorting itself is an op that every backend has.

use crate::program;
use wengert_core::ops::{Binary, Bitcast, Direction, Order, Sort, Unary};
use wengert_core::{Builder, DType, Program, Scalar, Shape, Tensor, Type, Var};

/// A sort by the natural order as a sort by a program.
pub(crate) fn sort(op: &Sort, types: &[Type]) -> Option<Program> {
    let Order::Natural(keys) = op.order else { return None };
    let pairs: Vec<Type> = types.iter().flat_map(|t| [(); 2].map(|()| Type::scalar(t.dtype))).collect();
    let order = Order::Program(natural_order(&pairs, keys).into());
    Some(program(types, |b, x| b.push(Sort { order, ..op.clone() }, x).to_vec()))
}

/// Whether one element comes before another in the natural order. The inputs are scalars of these types, two of each
/// operand of a sort; the first operands, as many as `keys`, are compared in turn.
pub fn natural_order(pairs: &[Type], keys: usize) -> Program {
    program(pairs, |b, x| vec![before(b, &x[..2 * keys])])
}

/// Whether one list of keys comes before another; `keys` has two of each. Complex keys are two keys.
fn before(b: &mut Builder, keys: &[Var]) -> Var {
    let mut parts: Vec<[Var; 2]> = Vec::new();
    for pair in keys.chunks(2) {
        let pair = [pair[0], pair[1]];
        match b.dtype(pair[0]).is_complex() {
            true => parts.extend([Unary::Real, Unary::Imag].map(|part| pair.map(|v| b.unary(part, v)))),
            false => parts.push(pair),
        }
    }
    let mut before: Option<Var> = None;
    for pair in parts.into_iter().rev() {
        let [p, q] = pair.map(|v| canonical(b, v)).map(|v| total_order(b, v));
        let less = b.compare(Direction::Lt, p, q);
        before = Some(match before {
            None => less,
            Some(rest) => {
                let equal = b.compare(Direction::Eq, p, q);
                let both = b.binary(Binary::And, equal, rest);
                b.binary(Binary::Or, less, both)
            }
        });
    }
    before.unwrap_or_else(|| b.zeros(&Type::scalar(DType::Bool)))
}

/// A float scalar with one zero and one NaN, so that the total order is the natural one.
fn canonical(b: &mut Builder, x: Var) -> Var {
    let dtype = b.dtype(x);
    if !dtype.is_float() {
        return x;
    }
    let [zero, nan] = [0.0, f64::NAN].map(|c| b.constant(Tensor::splat(Shape::scalar(), Scalar::from_f64(dtype, c))));
    let is_zero = b.compare(Direction::Eq, x, zero);
    let y = b.select(is_zero, zero, x);
    let is_nan = b.compare(Direction::Ne, x, x);
    b.select(is_nan, nan, y)
}

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
