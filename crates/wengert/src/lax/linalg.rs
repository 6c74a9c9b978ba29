//! Primitives of linear algebra, over the last two axes, and Fourier transforms.

use super::several;
use crate::array::Array;
use crate::dispatch::bind_one;
use wengert_core::ops::{Cholesky, Eig, Eigh, Fft, FftKind, Lu, MatrixTranspose, Qr, Svd, TriangularSolve};

/// The Fourier transform over the last axes, which have these lengths.
#[track_caller]
pub fn fft(x: &Array, kind: FftKind, lengths: &[usize]) -> Array {
    bind_one(Fft { kind, lengths: lengths.into() }, &[x])
}

/// Solves a triangular system.
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
#[track_caller]
pub fn cholesky(a: &Array, lower: bool) -> Array {
    bind_one(Cholesky { lower }, &[a])
}

/// Both triangular factors in one matrix, the pivots, and the permutation.
#[track_caller]
pub fn lu(a: &Array) -> [Array; 3] {
    several(Lu {}, &[a])
}

/// The orthogonal and the triangular factor.
#[track_caller]
pub fn qr(a: &Array, full_matrices: bool) -> [Array; 2] {
    several(Qr { full_matrices }, &[a])
}

/// The singular vectors and values: of the left, the values, of the right.
#[track_caller]
pub fn svd(a: &Array, full_matrices: bool) -> [Array; 3] {
    several(Svd { full_matrices, compute_uv: true }, &[a])
}

/// The singular values alone.
#[track_caller]
pub fn singular_values(a: &Array, full_matrices: bool) -> Array {
    bind_one(Svd { full_matrices, compute_uv: false }, &[a])
}

/// The eigenvectors and eigenvalues of a symmetric matrix, of which one half is read.
#[track_caller]
pub fn eigh(a: &Array, lower: bool) -> [Array; 2] {
    several(Eigh { lower }, &[a])
}

/// The eigenvalues and eigenvectors of a matrix.
#[track_caller]
pub fn eig(a: &Array) -> [Array; 2] {
    several(Eig { compute_v: true }, &[a])
}

/// The eigenvalues of a matrix alone.
#[track_caller]
pub fn eigenvalues(a: &Array) -> Array {
    bind_one(Eig { compute_v: false }, &[a])
}
