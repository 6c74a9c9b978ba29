//! Products of parts of matrices, turned in all ways.

use super::matrices::Random;
use super::{TOOLS, difference, times};
use crate::{Matrix, Number, vectors};
use wengert_core::Complex;

fn check<T: Number>() {
    let mut random = Random(1);
    let [x, y] = [(9, 8), (7, 6)].map(|(m, n)| random.matrix::<T>(m, n));
    // Five by four, and four by three.
    let transposed = |a: &Matrix<T>| a.adjoint().map(T::conj);
    let (left, right) = (x.part(2..7, 3..7), y.part(1..5, 2..5));
    let (left_turned, right_turned) = (x.part(2..6, 3..8), y.part(1..4, 2..6));
    let (f, g) = (x.some(2..7, 3..7), y.some(1..5, 2..5));
    let (ft, gt) = (x.some(2..6, 3..8), y.some(1..4, 2..6));
    for (f, left) in [(f, left), (ft.adjoint(), left_turned.adjoint()), (ft.transposed(), transposed(&left_turned))] {
        for (g, right) in
            [(g, right.clone()), (gt.adjoint(), right_turned.adjoint()), (gt.transposed(), transposed(&right_turned))]
        {
            let expected = times(&left, &right);
            assert!(difference(&Matrix::product(f, g, TOOLS), &expected) < 1e-15);
            let mut all = random.matrix::<T>(8, 9);
            let mut taken = all.clone();
            taken.take_product((2, 4), f, g, TOOLS);
            (0..3).for_each(|j| (0..5).for_each(|i| all[(2 + i, 4 + j)] -= expected[(i, j)]));
            assert!(difference(&taken, &all) < 1e-15);
        }
    }
}

#[test]
fn products() {
    check::<f64>();
    check::<Complex<f64>>();
}

fn check_vectors<T: Number>(n: usize) {
    let mut random = Random(n as u64);
    let a = random.matrix::<T>(n, n);
    let v = random.matrix::<T>(n, 1);
    let column = |x: Vec<T>| Matrix::of_columns(x.len(), 1, x);
    let bound = 1e-15 * n as f64;
    let dots = vectors::adjoint_times(a.elements(), n, n, v.column(0));
    assert!(difference(&column(dots), &times(&a.adjoint(), &v)) < bound);
    let mut out = vec![T::zero(); n];
    vectors::take_times(a.elements(), n, v.column(0), &mut out);
    assert!(difference(&column(out), &times(&a, &v).map(|x| -x)) < bound);
    let w = random.matrix::<T>(1, n);
    let mut less = a.clone();
    vectors::take_outer(less.elements_mut(), n, v.column(0), w.elements());
    let outer = times(&v, &w);
    let expected = Matrix::new(n, n, |i, j| a[(i, j)] - outer[(i, j)]);
    assert!(difference(&less, &expected) < bound);
    let hermitian = crate::symmetric::hermitian(a, true);
    let product = vectors::hermitian_times(hermitian.elements(), n, v.column(0));
    assert!(difference(&column(product), &times(&hermitian, &v)) < bound);
}

#[test]
fn products_with_vectors() {
    for n in 1..40 {
        check_vectors::<f64>(n);
        check_vectors::<Complex<f64>>(n);
    }
}
