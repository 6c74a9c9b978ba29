//! Eigenvalues and singular values.

use super::matrices::{KINDS, matrix};
use super::{LIMITS, TOOLS, difference, is_close, is_unitary, times};
use crate::schur::Sweep;
use crate::{Matrix, Number, general, svd, symmetric};
use wengert_core::Complex;
use wengert_core::ops::Eigenvectors;

/// Kinds of matrices with their sizes: all small ones, those around where the algorithm changes, and some larger ones, so that
/// all kinds together have nearly all sizes.
fn sizes() -> impl Iterator<Item = (&'static str, usize)> {
    KINDS.into_iter().enumerate().flat_map(|(k, kind)| {
        (1..=6).chain([25, 26, 33]).chain((7 + k..=131).step_by(2 * KINDS.len())).map(move |n| (kind, n))
    })
}

/// The length of all elements.
fn norm<T: Number>(a: &Matrix<T>) -> f64 {
    crate::reflection::length(a.elements())
}

fn diagonal<T: Number>(w: &[f64], by: f64) -> Matrix<T> {
    Matrix::new(w.len(), w.len(), |i, j| if i == j { T::real(w[i] / by) } else { T::zero() })
}

fn check_eigh<T: Number>(kind: &str, n: usize, lower: bool) {
    let what = format!("eigh of {kind}, {n} rows");
    let (x, by) = matrix::<T>(kind, n, n);
    let whole = symmetric::hermitian(x, lower);
    let scaled = whole.clone().map(|x| x.times(by));
    let (w, v) = symmetric::eigh(scaled, lower, LIMITS, TOOLS).expect("it converges");
    assert!(w.windows(2).all(|w| w[0] <= w[1]), "{what}: in order");
    is_unitary(&v, &what);
    let again = times(&times(&v, &diagonal(&w, by)), &v.adjoint());
    is_close(difference(&again, &whole), n, norm(&whole), &what);
}

#[test]
fn eigh() {
    for (kind, n) in sizes() {
        check_eigh::<f64>(kind, n, n % 2 == 0);
        check_eigh::<Complex<f64>>(kind, n, n % 3 == 0);
    }
    check_eigh::<f64>("random", 300, true);
    check_eigh::<Complex<f64>>("graded", 200, false);
}

fn check_svd<T: Number>(kind: &str, m: usize, n: usize, full: bool) {
    let what = format!("svd of {kind}, {m} by {n}");
    let (x, by) = matrix::<T>(kind, m, n);
    let scaled = x.clone().map(|x| x.times(by));
    let (u, s, vh) = svd::svd(scaled.clone(), full, LIMITS, TOOLS).expect("it converges");
    let k = m.min(n);
    let wide = if full { (m, n) } else { (k, k) };
    assert_eq!([(u.rows, u.columns), (vh.rows, vh.columns)], [(m, wide.0), (wide.1, n)], "{what}");
    assert!(s.windows(2).all(|s| s[0] >= s[1]) && s.iter().all(|&s| s >= 0.0), "{what}: in order");
    is_unitary(&u, &what);
    is_unitary(&vh.adjoint(), &what);
    let again = times(&times(&u.part(0..m, 0..k), &diagonal(&s, by)), &vh.part(0..k, 0..n));
    is_close(difference(&again, &x), m.max(n), norm(&x), &what);
    let alone = svd::values(scaled, LIMITS, TOOLS).expect("it converges");
    let apart = s.iter().zip(&alone).fold(0.0, |d: f64, (x, y)| d.max((x / by - y / by).abs()));
    assert_eq!(alone.len(), k, "{what}");
    is_close(apart, m.max(n), norm(&x), &what);
}

#[test]
fn svd_of_square_matrices() {
    for (kind, n) in sizes() {
        check_svd::<f64>(kind, n, n, n % 2 == 0);
        check_svd::<Complex<f64>>(kind, n, n, n % 2 == 1);
    }
    check_svd::<f64>("random", 300, 300, false);
}

#[test]
fn svd_of_tall_and_wide_matrices() {
    for kind in KINDS {
        for (m, n) in [(1, 7), (5, 3), (26, 20), (60, 27), (40, 33), (90, 34)] {
            check_svd::<f64>(kind, m, n, true);
            check_svd::<f64>(kind, n, m, false);
            check_svd::<Complex<f64>>(kind, m, n, false);
            check_svd::<Complex<f64>>(kind, n, m, true);
        }
    }
    check_svd::<f64>("random", 400, 150, true);
}

fn check_eig<T: Sweep>(kind: &str, n: usize) {
    let what = format!("eig of {kind}, {n} rows");
    let (x, by) = matrix::<T>(kind, n, n);
    let scaled = x.clone().map(|x| x.times(by));
    let (w, sides) = general::eig(scaled.clone(), Eigenvectors::Both, LIMITS, TOOLS).expect("it converges");
    let [left, right] = &sides[..] else { panic!("two sides") };
    let x = Matrix::new(n, n, |i, j| x[(i, j)].complex());
    for (v, x, is_left) in [(right, x.clone(), false), (left, x.adjoint(), true)] {
        let mut back = times(&x, v);
        for j in 0..n {
            let w = w[j] / by;
            let w = if is_left { w.conj() } else { w };
            let v = v.column(j);
            is_close((crate::reflection::length(v) - 1.0).abs(), n, 1.0, &what);
            back.column_mut(j).iter_mut().zip(v).for_each(|(b, v)| *b -= v * w);
        }
        is_close(difference(&back, &Matrix::zero(n, n)), n, norm(&x), &what);
    }
    let (values, _) = general::eig(scaled, Eigenvectors::None, LIMITS, TOOLS).expect("it converges");
    let sum = |w: &[Complex<f64>]| w.iter().map(|w| w / by).sum::<Complex<f64>>();
    is_close((sum(&values) - sum(&w)).parts(), n, norm(&x) * (n as f64).sqrt(), &what);
}

#[test]
fn eig() {
    for (kind, n) in sizes() {
        check_eig::<f64>(kind, n);
        check_eig::<Complex<f64>>(kind, n);
    }
    check_eig::<f64>("random", 260);
    check_eig::<Complex<f64>>("random", 160);
}

#[test]
fn what_is_not_finite_has_no_values() {
    for n in [3, 40] {
        for wrong in [f64::NAN, f64::INFINITY] {
            let a = Matrix::new(n, n, |i, j| if (i, j) == (n - 1, 1) { wrong } else { 1.0 });
            assert!(symmetric::eigh(a.clone(), true, LIMITS, TOOLS).is_none());
            assert!(svd::svd(a.clone(), true, LIMITS, TOOLS).is_none());
            assert!(svd::values(a.clone(), LIMITS, TOOLS).is_none());
            assert!(general::eig(a, Eigenvectors::Right, LIMITS, TOOLS).is_none());
        }
    }
}

#[test]
fn nothing_has_no_values() {
    let (u, s, v) = svd::svd(Matrix::<f64>::zero(3, 0), true, LIMITS, TOOLS).expect("there is nothing to do");
    assert_eq!((u.rows, u.columns, s.len(), v.rows, v.columns), (3, 3, 0, 0, 0));
    let (w, v) = symmetric::eigh(Matrix::<f64>::zero(0, 0), true, LIMITS, TOOLS).expect("there is nothing to do");
    assert_eq!((w.len(), v.rows), (0, 0));
    let (w, _) = general::eig(Matrix::<f64>::zero(0, 0), Eigenvectors::Right, LIMITS, TOOLS).expect("nothing to do");
    assert!(w.is_empty());
}
