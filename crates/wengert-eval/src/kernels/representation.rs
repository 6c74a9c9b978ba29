//! Elements by their bits.

use super::parallel::fill;
use wengert_core::ops::ReducePrecision;
use wengert_core::{DType, Element, View, ViewMut, with_dtype};

/// The same bits as elements of another type. Of a longer element, the low bits are the first shorter one.
pub(crate) fn bitcast(x: View<'_>, y: &mut ViewMut<'_>) {
    let plain = |d: DType| d != DType::Bool && !d.is_complex();
    if cfg!(target_endian = "little") && plain(x.dtype()) && plain(y.dtype()) && !x.is_splat() {
        // That is how they lie in memory.
        let bytes = y.size() * y.dtype().size();
        // SAFETY: both have as many bytes, any of which make numbers, and a result takes no operand's memory.
        return unsafe { std::ptr::copy_nonoverlapping(x.start(), y.start(), bytes) };
    }
    let (from, to) = (x.dtype().bits(), y.dtype().bits());
    let part = |i: usize| match from > to {
        true => x.get(i / (from / to)).bits() >> (i % (from / to) * to),
        false => (0..to / from).rev().fold(0, |bits, k| bits << from | x.get(i * (to / from) + k).bits()),
    };
    with_dtype!(y.dtype(), T => {
        y.elements::<T>().iter_mut().enumerate().for_each(|(i, y)| *y = <T as Element>::from_bits(part(i)));
    });
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
