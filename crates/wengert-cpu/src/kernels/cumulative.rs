//! Running sums, products, extremes and log-sums.

use super::elementwise::{blocks, convert, elements};
use super::number::{self, Arg, Real, Zip, zip};
use wengert_core::ops::{Binary, Cumulative, CumulativeKind};
use wengert_core::{Complex, DType, Element, Tensor, with_dtype};

pub(crate) fn cumulative(op: &Cumulative, x: &Tensor) -> Tensor {
    let binary = match op.kind {
        _ if matches!(x.dtype(), DType::F16 | DType::BF16) => {
            return convert(&cumulative(op, &convert(x, DType::F32)), x.dtype());
        }
        CumulativeKind::LogSumExp => {
            return match x.dtype() {
                DType::F32 => accumulate(op, x, zip!(log_add_exp::<f32>)),
                DType::F64 => accumulate(op, x, zip!(log_add_exp::<f64>)),
                DType::C64 => accumulate(op, x, zip!(complex_log_add_exp::<f32>)),
                _ => accumulate(op, x, zip!(complex_log_add_exp::<f64>)),
            };
        }
        CumulativeKind::Sum => Binary::Add,
        CumulativeKind::Prod => Binary::Mul,
        CumulativeKind::Max => Binary::Max,
        CumulativeKind::Min => Binary::Min,
    };
    with_dtype!(x.dtype(), T => accumulate(op, x, number::binary::<T>(binary)))
}

fn log_add_exp<R: Real>(x: R, y: R) -> R {
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

/// Combines rows one after the other along the axis.
fn accumulate<T: Element>(op: &Cumulative, x: &Tensor, f: Zip<T, T>) -> Tensor {
    let x = x.dense();
    let n = x.shape()[op.dim];
    let width: usize = x.shape()[op.dim + 1..].iter().product();
    let mut out = elements::<T>(&x).to_vec();
    let along = |_: usize, v: &mut [T]| {
        let mut next = vec![T::default(); width];
        for i in 1..n {
            let (before, here) = if op.reverse { (n - i, n - i - 1) } else { (i - 1, i) };
            let row = |i: usize| Arg::Each(&v[i * width..(i + 1) * width]);
            f(row(before), row(here), &mut next);
            v[here * width..(here + 1) * width].copy_from_slice(&next);
        }
    };
    let work = out.len();
    blocks(&mut out, n * width, work, &along);
    Tensor::new(x.shape().clone(), out).expect("same size")
}
