//! Linear algebra.

use super::elementwise::{convert, converted};
use super::shape::made;
use wengert_core::{DType, Op, Tensor, View, ViewMut};

/// Runs an op of the linear algebra family. What is shorter goes through `f64` and `c128`: the libraries are compiled for
/// these alone.
pub(crate) fn linalg(op: &Op, x: &[View<'_>], y: &mut [ViewMut<'_>]) {
    let wide = |d: DType| match d {
        d if d.is_float() => DType::F64,
        d if d.is_complex() => DType::C128,
        d => d,
    };
    if x[0].dtype() == wide(x[0].dtype()) {
        return wengert_linalg::run(op, x, y);
    }
    let x: Vec<Tensor> = x.iter().map(|x| made(&x.ty().with_dtype(wide(x.dtype())), |w| convert(*x, w))).collect();
    let x: Vec<View<'_>> = x.iter().map(Tensor::view).collect();
    let mut wider: Vec<Tensor> =
        y.iter().map(|y| Tensor::room(&wengert_core::Type::new(wide(y.dtype()), y.shape().clone()))).collect();
    let mut rooms: Vec<ViewMut<'_>> = wider.iter_mut().map(|t| t.view_mut().expect("nothing shares it")).collect();
    wengert_linalg::run(op, &x, &mut rooms);
    drop(rooms);
    for (y, w) in y.iter_mut().zip(&wider) {
        y.copy_from(converted(w, y.dtype()).view());
    }
}
