//! Convolutions of complex numbers, by those of real ones.

use super::Real;
use crate::kernels::shape::{for_each_offset, made, transpose};
use wengert_core::ops::Convolution;
use wengert_core::{Complex, DType, Element, Shape, Tensor, Type, View, ViewMut};

/// A convolution whose features are real and imaginary parts, one after the other: the kernel has the part of each
/// product at each of them.
pub(super) fn convolution(op: &Convolution, lhs: View<'_>, rhs: View<'_>, out: &mut ViewMut<'_>, real: &mut Real<'_>) {
    let dtype = if out.dtype() == DType::C64 { DType::F32 } else { DType::F64 };
    let (from, to) = (lhs.shape().clone(), out.shape().clone());
    let (last, feature) = (lhs.shape().rank(), op.lhs[1]);
    let l = {
        let parts = from.with_axis(last, 2);
        // SAFETY: the elements are pairs of numbers of this type.
        let parts = unsafe { View::from_raw(dtype, &parts, false, lhs.start()) };
        moved(parts, last, feature + 1).reshaped(doubled(&from, feature))
    };
    let r = match dtype {
        DType::F32 => kernel::<f32>(op, rhs),
        _ => kernel::<f64>(op, rhs),
    };
    let feature = op.out[1];
    let mut y = Tensor::room(&Type::new(dtype, doubled(&to, feature)));
    real(op, l.view(), r.view(), &mut y.view_mut().expect("nothing shares it"));
    let mut halves = to.clone();
    halves = halves.with_axis(feature + 1, 2);
    let y = y.reshaped(halves);
    let axes: Vec<usize> = (0..=last).filter(|&d| d != feature + 1).chain([feature + 1]).collect();
    let parts = to.with_axis(last, 2);
    // SAFETY: the elements are pairs of numbers of this type.
    let mut parts = unsafe { ViewMut::from_raw(dtype, &parts, out.start()) };
    transpose(&axes, y.view(), &mut parts);
}

fn doubled(shape: &Shape, axis: usize) -> Shape {
    let mut shape = shape.clone();
    shape.0[axis] *= 2;
    shape
}

/// The same elements with one axis moved.
fn moved(x: View<'_>, from: usize, to: usize) -> Tensor {
    let mut axes: Vec<usize> = (0..x.shape().rank()).filter(|&d| d != from).collect();
    axes.insert(to, from);
    let shape: Shape = axes.iter().map(|&d| x.shape()[d]).collect();
    made(&Type::new(x.dtype(), shape), |y| transpose(&axes, x, y))
}

/// A kernel with a row for each part of an input feature, and a column for each part of an output feature.
fn kernel<T: Element + std::ops::Neg<Output = T>>(op: &Convolution, rhs: View<'_>) -> Tensor
where
    Complex<T>: Element,
{
    let (feature, part) = (op.rhs[0], op.rhs[1]);
    let shape = doubled(&doubled(rhs.shape(), feature), part);
    let steps: Vec<isize> = shape.strides().iter().map(|&s| s as isize).collect();
    let (column, row) = (steps[feature] as usize, steps[part] as usize);
    let walk: Vec<isize> = (0..steps.len()).map(|d| steps[d] * if d == feature || d == part { 2 } else { 1 }).collect();
    let mut all = Tensor::room(&Type::new(T::DTYPE, shape));
    let v = all.elements_mut::<T>().expect("nothing shares it");
    let mut numbers = rhs.elements::<Complex<T>>().iter();
    for_each_offset(rhs.shape(), 0, &walk, |at| {
        let (at, w) = (at as usize, numbers.next().expect("a number for each place"));
        (v[at], v[at + row]) = (w.re, -w.im);
        (v[at + column], v[at + column + row]) = (w.im, w.re);
    });
    all
}
