//! Primitives of linear algebra, over the last two axes, and Fourier transforms.

use super::several;
use crate::array::Array;
use crate::dispatch::bind_one;
use wengert_core::ops::{
    Cholesky, Eig, Eigenvectors, Eigh, Fft, FftKind, Lu, MatrixTranspose, Qr, Svd, TriangularSolve,
};

/// The Fourier transform over the last axes, which have these lengths.
///
/// ```
/// use wengert::{lax, Array};
/// let y = lax::fft(&Array::from([1.0f32, 1.0]), lax::FftKind::Rfft, &[2]);
/// assert_eq!(y.real().to_vec::<f32>(), [2.0, 0.0]);
/// ```
#[track_caller]
pub fn fft(x: &Array, kind: FftKind, lengths: &[usize]) -> Array {
    bind_one(Fft { kind, lengths: lengths.into() }, &[x])
}

/// Solves a triangular system.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// let y = lax::triangular_solve(&a, &a, true, true, false, lax::MatrixTranspose::No);
/// assert_eq!(y, Array::from([[1.0f32, 0.0], [0.0, 1.0]]));
/// ```
#[track_caller]
pub fn triangular_solve(
    a: &Array,
    b: &Array,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool,
    transpose_a: MatrixTranspose,
) -> Array {
    bind_one(TriangularSolve { left_side, lower, unit_diagonal, transpose_a }, &[a, b])
}

/// The triangular factor of a positive definite matrix.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// assert_eq!(lax::cholesky(&a, true), Array::from([[2.0f32, 0.0], [0.0, 3.0]]));
/// ```
#[track_caller]
pub fn cholesky(a: &Array, lower: bool) -> Array {
    bind_one(Cholesky { lower }, &[a])
}

/// Both triangular factors in one matrix, the pivots, and the permutation.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// let [factors, pivots, order] = lax::lu(&a);
/// assert_eq!(factors, a);
/// assert_eq!((pivots.to_vec::<i32>(), order.to_vec::<i32>()), (vec![0, 1], vec![0, 1]));
/// ```
#[track_caller]
pub fn lu(a: &Array) -> [Array; 3] {
    several(Lu {}, &[a])
}

/// The orthogonal and the triangular factor.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// let [q, r] = lax::qr(&a, false);
/// assert!(q.matmul(&r).is_close(&a, 1e-5, 1e-5).all(..).item::<bool>());
/// ```
#[track_caller]
pub fn qr(a: &Array, full_matrices: bool) -> [Array; 2] {
    several(Qr { full_matrices }, &[a])
}

/// The singular vectors and values: of the left, the values, of the right.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// let parts = lax::svd(&a, false);
/// assert!(parts.iter().any(|p| p.shape()[..] == [2]));
/// ```
#[track_caller]
pub fn svd(a: &Array, full_matrices: bool) -> [Array; 3] {
    several(Svd { full_matrices, compute_uv: true }, &[a])
}

/// The singular values alone.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// assert_eq!(lax::singular_values(&a, false).to_vec::<f32>(), [9.0, 4.0]);
/// ```
#[track_caller]
pub fn singular_values(a: &Array, full_matrices: bool) -> Array {
    bind_one(Svd { full_matrices, compute_uv: false }, &[a])
}

/// The eigenvectors and eigenvalues of a symmetric matrix, of which one half is read.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// let parts = lax::eigh(&a, true);
/// assert!(parts.iter().any(|p| p.shape()[..] == [2]));
/// ```
#[track_caller]
pub fn eigh(a: &Array, lower: bool) -> [Array; 2] {
    several(Eigh { lower }, &[a])
}

/// The eigenvalues and eigenvectors of a matrix.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// let parts = lax::eig(&a);
/// assert!(parts.iter().any(|p| p.shape()[..] == [2]));
/// ```
#[track_caller]
pub fn eig(a: &Array) -> [Array; 2] {
    several(Eig { compute_v: Eigenvectors::Right }, &[a])
}

/// The eigenvalues of a matrix, the left eigenvectors `u` (`uᴴ·a` is `uᴴ` times the eigenvalue) and the right ones.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[1.0f64, 0.0], [3.0, 2.0]]);
/// let [w, left, right] = lax::eig_both(&a);
/// let a = a.to(wengert::DType::C128);
/// assert!((a.matmul(&right) - &right * &w).abs().max(..).item::<f64>() < 1e-12);
/// assert!((left.t().matmul(&a) - left.t() * w.expand_dims(1)).abs().max(..).item::<f64>() < 1e-12);
/// ```
#[track_caller]
pub fn eig_both(a: &Array) -> [Array; 3] {
    several(Eig { compute_v: Eigenvectors::Both }, &[a])
}

/// The eigenvalues of a matrix alone.
///
/// ```
/// use wengert::{lax, Array};
/// let a = Array::from([[4.0f32, 0.0], [0.0, 9.0]]);
/// assert_eq!(lax::eigenvalues(&a).real().sum(..).item::<f32>(), 13.0);
/// ```
#[track_caller]
pub fn eigenvalues(a: &Array) -> Array {
    bind_one(Eig { compute_v: Eigenvectors::None }, &[a])
}
