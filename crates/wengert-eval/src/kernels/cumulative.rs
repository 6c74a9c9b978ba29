//! Running sums, products, extremes and log-sums.

use super::number::{self, Arg, Real, Zip, zip};
use super::parallel::blocks;
use num_traits::Float;
use wengert_core::ops::{Binary, Cumulative, CumulativeKind};
use wengert_core::{Complex, DType, Element, View, ViewMut, bf16, f16, with_dtype};

/// The result may lie where the operand does.
pub(crate) fn cumulative(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>) {
    let binary = match op.kind {
        CumulativeKind::LogSumExp => {
            return match x.dtype() {
                DType::F16 => accumulate(op, x, y, zip!(log_add_exp::<f16>)),
                DType::BF16 => accumulate(op, x, y, zip!(log_add_exp::<bf16>)),
                DType::F32 => accumulate(op, x, y, zip!(log_add_exp::<f32>)),
                DType::F64 => accumulate(op, x, y, zip!(log_add_exp::<f64>)),
                DType::C64 => accumulate(op, x, y, zip!(complex_log_add_exp::<f32>)),
                _ => accumulate(op, x, y, zip!(complex_log_add_exp::<f64>)),
            };
        }
        CumulativeKind::Sum => Binary::Add,
        CumulativeKind::Prod => Binary::Mul,
        CumulativeKind::Max => Binary::Max,
        CumulativeKind::Min => Binary::Min,
    };
    with_dtype!(x.dtype(), T => accumulate(op, x, y, number::binary::<T>(binary)))
}

fn log_add_exp<R: Float>(x: R, y: R) -> R {
    let less = -(x - y).abs();
    // NaN stays; equal infinities have no difference.
    if less.is_nan() { x + y } else { x.max(y) + less.exp().ln_1p() }
}

fn complex_log_add_exp<R: Real>(x: Complex<R>, y: Complex<R>) -> Complex<R> {
    let (high, low) = if x.re > y.re { (x, y) } else { (y, x) };
    let sum = high + (Complex::from(R::one()) + (low - high).exp()).ln();
    // The argument lies in the half-open turn around zero, as that of a logarithm does.
    let turn = R::TAU();
    Complex::new(sum.re, sum.im - turn * ((sum.im - R::PI()) / turn).ceil())
}

/// Combines rows along the axis.
fn accumulate<T: Element>(op: &Cumulative, x: View<'_>, y: &mut ViewMut<'_>, f: Zip<T, T>) {
    y.copy_from(x);
    let n = x.shape()[op.dim];
    let width: usize = x.shape()[op.dim + 1..].iter().product();
    let work = y.size();
    blocks(y.elements(), n * width, work, &|_, v| Rows { f, width, reverse: op.reverse }.scan(v));
}

/// So many rows are combined one after the other, then what such blocks have together: the order of XLA on the CPU. Sums
/// are its own to the bit then, and long ones of short floats lose little.
const BLOCK: usize = 16;

struct Rows<T: Element> {
    f: Zip<T, T>,
    width: usize,
    reverse: bool,
}

impl<T: Element> Rows<T> {
    fn scan(&self, v: &mut [T]) {
        let block = BLOCK * self.width;
        let mut next = vec![T::default(); block];
        if v.len() <= block {
            return self.in_order(v, &mut next);
        }
        let mut totals = Vec::with_capacity(v.len().div_ceil(BLOCK));
        for v in v.chunks_mut(block) {
            self.in_order(v, &mut next);
            totals.extend_from_slice(if self.reverse { &v[..self.width] } else { &v[v.len() - self.width..] });
        }
        self.scan(&mut totals);
        let totals: Vec<&[T]> = totals.chunks(self.width).collect();
        for (i, v) in v.chunks_mut(block).enumerate() {
            let beside = if self.reverse { totals.get(i + 1) } else { totals.get(i.wrapping_sub(1)) };
            let Some(beside) = beside else { continue };
            // Rows of one element are combined all at once.
            let (side, together) = match **beside {
                [one] => (Arg::One(one), v.len()),
                _ => (Arg::Each(beside), self.width),
            };
            for row in v.chunks_mut(together) {
                let next = &mut next[..row.len()];
                (self.f)(side, Arg::Each(row), next);
                row.copy_from_slice(next);
            }
        }
    }

    /// From the first row on. In reverse too, where each is combined with all that come after it: all rows at once with
    /// the next, then with those after the next, and so on. `next` has room for all rows.
    fn in_order(&self, v: &mut [T], next: &mut [T]) {
        let (w, n) = (self.width, v.len() / self.width);
        let rows = if self.reverse { v.to_vec() } else { Vec::new() };
        for i in 1..n {
            let (at, before, after) = match self.reverse {
                true => (0, &v[..(n - i) * w], &rows[i * w..]),
                false => (i * w, &v[(i - 1) * w..i * w], &v[i * w..(i + 1) * w]),
            };
            let next = &mut next[..before.len()];
            (self.f)(Arg::Each(before), Arg::Each(after), next);
            v[at..at + next.len()].copy_from_slice(next);
        }
    }
}
