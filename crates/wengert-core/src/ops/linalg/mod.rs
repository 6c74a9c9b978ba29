//! Linear algebra on the last two axes; all axes before them are a batch.
//!
//! The derivatives are written with the matrix functions of [`matrix`], so they have derivatives of their own.

mod eig;
mod factor;
mod matrix;
mod svd;
mod triangular;

pub use eig::{Eig, Eigenvectors, Eigh};
pub use factor::{Lu, Qr};
pub use svd::Svd;
pub use triangular::{Cholesky, MatrixTranspose, TriangularSolve};
