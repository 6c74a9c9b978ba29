//! Eigenvalues and eigenvectors.

use super::{Field, finite, hermitian, line, rows, scale, turn};
use faer::traits::ext::{ComplexFieldExt, RealFieldExt};
use faer::{MatRef, Side};
use wengert_core::ops::{Eig, Eigenvectors, Eigh};
use wengert_core::{Complex, Tensor};

pub(super) fn eigh<T: Field>(op: &Eigh, a: MatRef<'_, T>) -> Option<Vec<Tensor>> {
    if a.nrows() == 0 {
        return Some(vec![line::<T::Real>(Vec::new()), rows(a)]);
    }
    let a = hermitian(a, op.lower);
    let eigen = finite(a.as_ref())?.self_adjoint_eigen(Side::Lower).ok()?;
    let w: Vec<T::Real> = eigen.S().column_vector().iter().map(|w| w.real()).collect();
    let mut v = eigen.U().to_owned();
    turn(&mut v);
    Some(vec![line(w), rows(v.as_ref())])
}

pub(super) fn eig<T: Field>(op: &Eig, a: MatRef<'_, T>) -> Option<Vec<Tensor>> {
    let (w, v) = T::eigen(finite(a)?)?;
    Some(match op.compute_v {
        Eigenvectors::None => vec![w],
        Eigenvectors::Right => vec![w, v],
        // Of a matrix that has none; others are decomposed as LAPACK does it.
        Eigenvectors::Both => vec![w, v.clone(), v],
    })
}

/// Elements whose matrices have complex eigenvalues and eigenvectors.
pub(super) trait Eigen: Sized {
    /// Both, the vectors as columns of length 1.
    fn eigen(a: MatRef<'_, Self>) -> Option<(Tensor, Tensor)>;
}

macro_rules! eigen {
    ($($t:ty, $part:ty, $new:ident;)*) => {$(
        impl Eigen for $t {
            fn eigen(a: MatRef<'_, $t>) -> Option<(Tensor, Tensor)> {
                let eigen = faer::linalg::solvers::Eigen::<$part>::$new(a).ok()?;
                let w = eigen.S().column_vector().iter().copied().collect();
                let mut v = eigen.U().to_owned();
                for j in 0..v.ncols() {
                    let length = v.col(j).norm_l2();
                    scale(&mut v, j, length.recip().to_cplx());
                }
                turn(&mut v);
                Some((line::<Complex<$part>>(w), rows(v.as_ref())))
            }
        }
    )*};
}
eigen! {
    f64, f64, new_from_real;
    Complex<f64>, f64, new;
}
