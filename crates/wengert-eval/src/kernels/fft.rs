//! Discrete Fourier transforms, one axis after the other.

use super::number::Real;
use super::parallel::blocks;
use super::shape::{made, transposed};
use wengert_core::ops::{Fft, FftKind};
use wengert_core::{Complex, DType, Element, Tensor, View, ViewMut};
use wengert_fft::Transform;

/// A float type with transforms.
trait Float: Real + Transform + Send {}
impl<R: Real + Transform + Send> Float for R {}

pub(crate) fn fft(op: &Fft, x: View<'_>, y: &mut ViewMut<'_>) {
    if y.size() == 0 {
        return;
    }
    let dense = made(&x.ty(), |y| y.copy_from(x));
    let out = match x.dtype() {
        DType::F32 | DType::C64 => transform::<f32>(op, &dense),
        _ => transform::<f64>(op, &dense),
    };
    y.copy_from(out.view());
}

fn transform<R: Float>(op: &Fft, x: &Tensor) -> Tensor
where
    Complex<R>: Element,
{
    let rank = x.shape().rank();
    let (last, n) = (rank - 1, *op.lengths.last().expect("checked"));
    let others = rank - op.lengths.len()..last;
    match op.kind {
        FftKind::Fft => (others.chain([last])).fold(x.clone(), |x, d| along::<R>(x, d, false)),
        FftKind::Ifft => (others.chain([last])).fold(x.clone(), |x, d| along::<R>(x, d, true)),
        FftKind::Rfft => {
            let x = Tensor::write(x.shape().clone(), |y: &mut [Complex<R>]| {
                y.iter_mut().zip(x.elements::<R>()).for_each(|(y, x)| *y = Complex::from(*x));
            });
            let x = along::<R>(x, last, false);
            let x = resized(&x, n / 2 + 1, |row: &[Complex<R>], i| row[i]);
            others.fold(x, |x, d| along::<R>(x, d, false))
        }
        FftKind::Irfft => {
            let x = others.fold(x.clone(), |x, d| along::<R>(x, d, true));
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
            let y = along::<R>(x, last, true);
            resized(&y, n, |row: &[Complex<R>], i| row[i].re)
        }
    }
}

/// Rows of another length along the last axis, each made of one row.
fn resized<T: Element, U: Element>(x: &Tensor, n: usize, f: impl Fn(&[T], usize) -> U) -> Tensor {
    let mut shape = x.shape().clone();
    let row = std::mem::replace(shape.0.last_mut().expect("an axis"), n);
    Tensor::write(shape, |y: &mut [U]| {
        for (y, row) in y.chunks_mut(n.max(1)).zip(x.elements::<T>().chunks(row)) {
            y.iter_mut().enumerate().for_each(|(i, y)| *y = f(row, i));
        }
    })
}

/// The transform along one axis; the inverse one is scaled.
fn along<R: Float>(mut x: Tensor, dim: usize, inverse: bool) -> Tensor
where
    Complex<R>: Element,
{
    let last = x.shape().rank() - 1;
    if dim != last {
        let mut swapped: Vec<usize> = (0..=last).collect();
        swapped.swap(dim, last);
        let y = along::<R>(transposed(&x, &swapped).dense(), last, inverse);
        return transposed(&y, &swapped);
    }
    let n = x.shape()[last];
    if !x.is_writable() {
        x = made(&x.ty(), |y| y.copy_from(x.view()));
    }
    let v = x.elements_mut::<Complex<R>>().expect("nothing shares it");
    let scale = if inverse { R::of(n as f64).recip() } else { R::one() };
    let lines = (1 << 12) / n + 1;
    let work = v.len() * 8;
    blocks(v, n * lines, work, &|_, lines| {
        R::transform(lines, n, inverse);
        lines.iter_mut().for_each(|x| *x = x.scale(scale));
    });
    x
}
