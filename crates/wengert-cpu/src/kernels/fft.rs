//! Discrete Fourier transforms, through `rustfft`, one axis after the other.

use super::elementwise::{blocks, elements};
use super::number::Real;
use super::shape::transpose;
use rustfft::{FftDirection, FftNum, FftPlanner};
use std::cell::RefCell;
use std::sync::Arc;
use wengert_core::ops::{Fft, FftKind};
use wengert_core::{Complex, DType, Element, Rules, Shape, Tensor};

pub(crate) fn fft(op: &Fft, x: &Tensor) -> Tensor {
    let ty = op.infer(&[x.ty()]).expect("operands the op takes").remove(0);
    if ty.shape.size() == 0 {
        return Tensor::zeros(&ty);
    }
    match x.dtype() {
        DType::F32 | DType::C64 => transform::<f32>(op, &x.dense()),
        _ => transform::<f64>(op, &x.dense()),
    }
}

/// A float type with transforms, planned once for each length.
trait Planned: Real + FftNum {
    fn plan(n: usize, direction: FftDirection) -> Arc<dyn rustfft::Fft<Self>>;
}

macro_rules! planned {
    ($($t:ty)*) => {$(
        impl Planned for $t {
            fn plan(n: usize, direction: FftDirection) -> Arc<dyn rustfft::Fft<$t>> {
                thread_local!(static PLANNER: RefCell<FftPlanner<$t>> = RefCell::new(FftPlanner::new()));
                PLANNER.with_borrow_mut(|p| p.plan_fft(n, direction))
            }
        }
    )*};
}
planned! { f32 f64 }

fn transform<R: Planned>(op: &Fft, x: &Tensor) -> Tensor
where
    Complex<R>: Element,
{
    let rank = x.shape().rank();
    let (last, n) = (rank - 1, *op.lengths.last().expect("checked"));
    let others = rank - op.lengths.len()..last;
    match op.kind {
        FftKind::Fft => (others.chain([last])).fold(x.clone(), |x, d| along::<R>(x, d, FftDirection::Forward)),
        FftKind::Ifft => (others.chain([last])).fold(x.clone(), |x, d| along::<R>(x, d, FftDirection::Inverse)),
        FftKind::Rfft => {
            let v = elements::<R>(x).iter().map(|&x| Complex::from(x)).collect();
            let x = along::<R>(Tensor::new(x.shape().clone(), v).expect("same size"), last, FftDirection::Forward);
            let x = resized(&x, n / 2 + 1, |row: &[Complex<R>], i| row[i]);
            others.fold(x, |x, d| along::<R>(x, d, FftDirection::Forward))
        }
        FftKind::Irfft => {
            let x = others.fold(x.clone(), |x, d| along::<R>(x, d, FftDirection::Inverse));
            // The other half has the conjugate numbers; where both halves meet, numbers count as real.
            let x = resized(&x, n, |row: &[Complex<R>], i| match (i, n - i) {
                (0, _) => row[0].re.into(),
                (i, j) if i == j => row[i].re.into(),
                (i, j) => {
                    if i < j {
                        row[i]
                    } else {
                        row[j].conj()
                    }
                }
            });
            let y = along::<R>(x, last, FftDirection::Inverse);
            resized(&y, n, |row: &[Complex<R>], i| row[i].re)
        }
    }
}

/// Rows of another length along the last axis, each made of one row.
fn resized<T: Element, U: Element>(x: &Tensor, n: usize, f: impl Fn(&[T], usize) -> U) -> Tensor {
    let mut shape = x.shape().clone();
    let row = std::mem::replace(shape.0.last_mut().expect("an axis"), n);
    let v = elements::<T>(x).chunks(row).flat_map(|row| (0..n).map(|i| f(row, i)).collect::<Vec<U>>()).collect();
    Tensor::new(shape, v).expect("rows of this length")
}

/// The transform along one axis; the inverse one is scaled.
fn along<R: Planned>(x: Tensor, dim: usize, direction: FftDirection) -> Tensor
where
    Complex<R>: Element,
{
    let last = x.shape().rank() - 1;
    if dim != last {
        let mut swapped: Vec<usize> = (0..=last).collect();
        swapped.swap(dim, last);
        let y = along::<R>(transpose(&x, &swapped).dense(), last, direction);
        return transpose(&y, &swapped);
    }
    let n = x.shape()[last];
    let shape: Shape = x.shape().clone();
    let mut v = elements::<Complex<R>>(&x).to_vec();
    let plan = R::plan(n, direction);
    let scale = if direction == FftDirection::Inverse { R::of(n as f64).recip() } else { R::one() };
    let lines = (1 << 12) / n + 1;
    let work = v.len() * 8;
    blocks(&mut v, n * lines, work, &|_, lines| {
        plan.process(lines);
        lines.iter_mut().for_each(|x| *x = x.scale(scale));
    });
    Tensor::new(shape, v).expect("same size")
}
