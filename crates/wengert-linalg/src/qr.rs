//! QR by Householder reflections, with the signs LAPACK gives.

use super::{Field, rows};
use faer::traits::ext::{ComplexFieldExt, RealFieldExt};
use faer::{Mat, MatRef};
use wengert_core::Tensor;
use wengert_core::ops::Qr;

pub(super) fn qr<T: Field>(op: &Qr, a: MatRef<'_, T>) -> Vec<Tensor> {
    let (m, n) = a.shape();
    let k = if op.full_matrices { m } else { m.min(n) };
    let (q, r) = if m == 0 || n == 0 {
        (Mat::identity(m, k), Mat::zeros(k, n))
    } else if T::IS_REAL {
        let qr = a.qr();
        let (q, r) = (if k == m { qr.compute_Q() } else { qr.compute_thin_Q() }, qr.thin_R());
        (q, Mat::from_fn(k, n, |i, j| if i < r.nrows() { r[(i, j)] } else { T::zero() }))
    } else {
        reflect(a, k)
    };
    vec![rows(q.as_ref()), rows(r.as_ref())]
}

/// The factors for complex matrices. `faer` makes the diagonal of `r` turn with that of `a`; LAPACK makes it real, which
/// takes reflections `1 - τ·v·vᴴ` with a complex `τ`.
fn reflect<T: Field>(a: MatRef<'_, T>, k: usize) -> (Mat<T>, Mat<T>) {
    let (m, n) = a.shape();
    let mut r = a.to_owned();
    let mut reflections = Vec::new();
    for i in 0..m.min(n) {
        let (v, tau, beta) = reflection(r.as_ref().col(i).subrows(i, m - i).iter().copied().collect());
        apply(&mut r, i, i + 1, &v, tau.conj());
        r[(i, i)] = beta;
        (i + 1..m).for_each(|j| r[(j, i)] = T::zero());
        reflections.push((v, tau));
    }
    let mut q = Mat::identity(m, k);
    for (i, (v, tau)) in reflections.iter().enumerate().rev() {
        apply(&mut q, i, i, v, *tau);
    }
    (q, r.get(..k, ..).to_owned())
}

/// `v` with leading 1, `τ` and the real `β` such that `(1 - τ·v·vᴴ)ᴴ` takes `x` to `β` times the first unit vector.
fn reflection<T: Field>(mut x: Vec<T>) -> (Vec<T>, T, T) {
    let head = x[0];
    x[0] = T::one();
    let tail = MatRef::from_column_major_slice(&x[1..], x.len() - 1, 1).norm_l2();
    if tail == T::Real::zero() && head.imag() == T::Real::zero() {
        return (x, T::zero(), head);
    }
    let norm = head.abs().hypot(tail);
    let beta = if head.real() < T::Real::zero() { norm } else { -norm };
    let beta: T = beta.to_cplx();
    let tau = (beta - head) / beta;
    let scale = (head - beta).recip();
    x[1..].iter_mut().for_each(|x| *x *= scale);
    (x, tau, beta)
}

/// Applies `1 - τ·v·vᴴ` to the rows of `a` from `row` on, in the columns from `column` on.
fn apply<T: Field>(a: &mut Mat<T>, row: usize, column: usize, v: &[T], tau: T) {
    for j in column..a.ncols() {
        let x = &mut a.col_as_slice_mut(j)[row..];
        let dot = v.iter().zip(&*x).fold(T::zero(), |s, (v, x)| s + v.conj() * *x);
        let scale = tau * dot;
        x.iter_mut().zip(v).for_each(|(x, v)| *x -= *v * scale);
    }
}
