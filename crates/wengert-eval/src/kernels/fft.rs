//! Discrete Fourier transforms, one axis after the other: the last one from the operand into the room, or the other way, the
//! others in place.

use super::parallel::each;
use super::shape::made;
use std::ops::Range;
use wengert_core::ops::{Fft, FftKind};
use wengert_core::{Complex, DType, Element, Shape, View, ViewMut};
use wengert_fft::{Axis, Transform};

pub(crate) fn fft(op: &Fft, x: View<'_>, y: &mut ViewMut<'_>) {
    if y.size() == 0 {
        return;
    }
    let dense;
    let x = match x.is_splat() || y.is(&x) {
        true => {
            dense = made(&x.ty(), |y| y.copy_from(x));
            dense.view()
        }
        false => x,
    };
    match x.dtype() {
        DType::F32 | DType::C64 => transform::<f32>(op, x, y),
        _ => transform::<f64>(op, x, y),
    }
}

fn transform<R: Transform + Element>(op: &Fft, x: View<'_>, y: &mut ViewMut<'_>)
where
    Complex<R>: Element,
{
    let (rank, n) = (x.shape().rank(), *op.lengths.last().expect("checked"));
    let others = rank - op.lengths.len()..rank - 1;
    let (from, to) = (x.shape(), y.shape());
    match op.kind {
        FftKind::Fft | FftKind::Ifft => {
            let inverse = op.kind == FftKind::Ifft;
            let y = y.elements::<Complex<R>>();
            R::complex(n, inverse, x.elements(), y, &each);
            along(others, to, inverse, y);
        }
        FftKind::Rfft => {
            let y = y.elements::<Complex<R>>();
            R::to_half(n, x.elements(), y, &each);
            along(others, to, false, y);
        }
        FftKind::Irfft if others.is_empty() => R::from_half(n, x.elements(), y.elements(), &each),
        FftKind::Irfft => {
            let half = made(&x.ty(), |half| {
                half.copy_from(x);
                along(others, from, true, half.elements::<Complex<R>>());
            });
            R::from_half(n, half.view().elements(), y.elements(), &each);
        }
    }
}

/// Transforms along these axes, in place.
fn along<R: Transform>(axes: Range<usize>, shape: &Shape, inverse: bool, numbers: &mut [Complex<R>]) {
    for d in axes {
        let size = |axes: &[usize]| axes.iter().product();
        let axis = Axis { outer: size(&shape[..d]), n: shape[d], inner: size(&shape[d + 1..]) };
        R::complex_over(axis, inverse, numbers, &each);
    }
}
