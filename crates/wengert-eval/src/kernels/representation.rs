//! Elements by their bits.

use super::elementwise::map_into;
use super::number::map;
use super::parallel::fill;
use wengert_core::ops::ReducePrecision;
use wengert_core::{DType, Element, View, ViewMut, with_dtype};

pub(crate) fn bitcast(x: View<'_>, y: &mut ViewMut<'_>) {
    with_dtype!(x.dtype(), S => cast_from::<S>(x, y))
}

fn cast_from<S: Element>(x: View<'_>, y: &mut ViewMut<'_>) {
    with_dtype!(y.dtype(), T => cast::<S, T>(x, y))
}

fn cast<S: Element, T: Element>(x: View<'_>, y: &mut ViewMut<'_>) {
    let (from, to) = (S::DTYPE.bits(), T::DTYPE.bits());
    if from == to {
        return map_into(x, y, map!(|x: S| T::from_bits(x.bits())));
    }
    let (v, y) = (x.elements::<S>(), y.elements::<T>());
    let at = |i: usize| v[if x.is_splat() { 0 } else { i }].bits();
    if from > to {
        let parts = from / to;
        y.iter_mut().enumerate().for_each(|(i, y)| *y = T::from_bits(at(i / parts) >> (i % parts * to)));
    } else {
        let parts = to / from;
        let join = |i: usize| (0..parts).rev().fold(0, |bits, k| bits << from | at(i * parts + k));
        y.iter_mut().enumerate().for_each(|(i, y)| *y = T::from_bits(join(i)));
    }
}

pub(crate) fn reduce_precision(op: &ReducePrecision, x: View<'_>, y: &mut ViewMut<'_>) {
    with_dtype!(x.dtype(), T => shorten::<T>(op, x, y))
}

fn shorten<T: Element>(op: &ReducePrecision, x: View<'_>, y: &mut ViewMut<'_>) {
    let (bits, mantissa) = match T::DTYPE {
        DType::F16 => (16, 10),
        DType::BF16 => (16, 7),
        DType::F32 => (32, 23),
        _ => (64, 52),
    };
    let format = Format { bits, mantissa };
    let v = x.elements::<T>();
    let short = |i: usize| T::from_bits(format.shortened(v[if x.is_splat() { 0 } else { i }].bits(), op));
    fill(y.elements(), &|r, out| out.iter_mut().zip(r).for_each(|(y, i)| *y = short(i)));
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
