//! Elements by their bits.

use super::elementwise::{arg, dense, fill, map_to};
use super::number::{Arg, map};
use wengert_core::ops::{Bitcast, ReducePrecision};
use wengert_core::{DType, Element, Rules, Tensor, with_data, with_dtype};

pub(crate) fn bitcast(op: &Bitcast, x: &Tensor) -> Tensor {
    if x.dtype() == op.dtype {
        return x.clone();
    }
    with_data!(x.stored(), v => cast_from(op, x, v))
}

fn cast_from<S: Element>(op: &Bitcast, x: &Tensor, _: &[S]) -> Tensor {
    with_dtype!(op.dtype, T => cast::<S, T>(op, x))
}

fn cast<S: Element, T: Element>(op: &Bitcast, x: &Tensor) -> Tensor {
    let (from, to) = (S::DTYPE.bits(), T::DTYPE.bits());
    if from == to {
        return map_to(x, map!(|x: S| T::from_bits(x.bits())));
    }
    let shape = op.infer(&[x.ty()]).expect("an operand the op takes").remove(0).shape;
    let dense = x.dense();
    let v = S::unwrap(dense.stored()).expect("elements of this type");
    let out: Vec<T> = if from > to {
        v.iter().flat_map(|x| (0..from / to).map(|i| T::from_bits(x.bits() >> (i * to)))).collect()
    } else {
        let join = |parts: &[S]| parts.iter().rev().fold(0, |bits, x| bits << from | x.bits());
        v.chunks(to / from).map(|parts| T::from_bits(join(parts))).collect()
    };
    Tensor::new(shape, out).expect("the same number of bits")
}

pub(crate) fn reduce_precision(op: &ReducePrecision, x: &Tensor) -> Tensor {
    with_dtype!(x.dtype(), T => shorten::<T>(op, x))
}

fn shorten<T: Element>(op: &ReducePrecision, x: &Tensor) -> Tensor {
    let (bits, mantissa) = match T::DTYPE {
        DType::F16 => (16, 10),
        DType::BF16 => (16, 7),
        DType::F32 => (32, 23),
        _ => (64, 52),
    };
    let format = Format { bits, mantissa };
    let short = |x: T| T::from_bits(format.shortened(x.bits(), op));
    match arg::<T>(x) {
        Arg::One(v) => Tensor::splat(x.shape().clone(), short(v).scalar()),
        Arg::Each(v) => dense(x, fill(v.len(), |r, out| v[r].iter().zip(out).for_each(|(x, y)| *y = short(*x)))),
    }
}

/// How a float type lies in its bits: sign, exponent, mantissa.
struct Format {
    bits: usize,
    mantissa: usize,
}

impl Format {
    /// The bits of a number rounded to fewer bits of mantissa and exponent.
    fn shortened(&self, x: u128, op: &ReducePrecision) -> u128 {
        let sign = x & (1 << (self.bits - 1));
        let infinity = (1u128 << (self.bits - 1)) - (1 << self.mantissa);
        let mut y = x - sign;
        if y > infinity {
            return x;
        }
        if op.mantissa < self.mantissa {
            // To nearest, halves to even. A mantissa that overflows carries into the exponent, as it should.
            let cut = self.mantissa - op.mantissa;
            y += (1 << (cut - 1)) - 1 + (y >> cut & 1);
            y = y >> cut << cut;
        }
        let exponent = self.bits - 1 - self.mantissa;
        if op.exponent < exponent {
            let bias = |bits: usize| (1u128 << (bits - 1)) - 1;
            let e = y >> self.mantissa;
            if e > bias(exponent) + bias(op.exponent) {
                y = infinity;
            } else if e <= bias(exponent) - bias(op.exponent) {
                y = 0;
            }
        }
        sign | y
    }
}
