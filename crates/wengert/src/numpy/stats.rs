//! Signals, polynomials and statistics of several variables.

use super::operators::Operand;
use super::structure::Widths;
use crate::array::Array;
use crate::fail::fail;
use crate::nn;
use crate::tape::composite;
use wengert_core::{Error, Place};

/// Which part of a convolution is given; see [`Array::convolve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvolveMode {
    /// Everything, wherever the two touch.
    Full,
    /// As much as the longer one, from the middle.
    Same,
    /// Where one lies wholly within the other.
    Valid,
}

impl Array {
    /// The convolution of two vectors: the coefficients of the product of the polynomials they are.
    ///
    /// ```
    /// # use wengert::{Array, ConvolveMode};
    /// let y = Array::from([1.0f32, 2.0, 3.0]).convolve(&Array::from([1.0f32, 10.0]), ConvolveMode::Full);
    /// assert_eq!(y.to_vec::<f32>(), [1.0, 12.0, 23.0, 30.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn convolve(&self, other: &Array, mode: ConvolveMode) -> Array {
        let (x, y) = if self.size() >= other.size() { (self, other) } else { (other, self) };
        if x.rank() != 1 || y.rank() != 1 || y.size() == 0 {
            let message =
                format!("`convolve` takes two vectors that are not empty, and got {} and {}", self.ty(), other.ty());
            fail(Error::shape(message).at(Place::caller()));
        }
        let k = y.size();
        let padding = Widths::Every(match mode {
            ConvolveMode::Full => (k - 1, k - 1),
            ConvolveMode::Same => (k / 2, k - k / 2 - 1),
            ConvolveMode::Valid => (0, 0),
        });
        let (x, y) = (x.reshape([1, 1, x.size()]), y.flip(0).reshape([1, 1, k]));
        nn::conv(&x, &y, nn::Sliding::new().padding(padding)).ravel()
    }

    /// The polynomial with these coefficients, the highest power first, at the points `x`.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 2.0, 3.0]).polyval(10.0).item::<f32>(), 123.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn polyval(&self, x: impl Into<Operand>) -> Array {
        if self.rank() != 1 {
            let message = format!("`polyval` takes a vector of coefficients, and got {}", self.ty());
            fail(Error::shape(message).at(Place::caller()));
        }
        let x = Array::zeros((), self.dtype()) + x;
        let mut y = x.zeros_like();
        for i in 0..self.size() {
            y = y * &x + self.slice_axis(0, i, i + 1).reshape(());
        }
        y
    }

    /// The covariances of variables, one a row, from their observations, one a column.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1.0f32, 2.0, 3.0], [3.0, 2.0, 1.0]]);
    /// assert_eq!(x.cov(), Array::from([[1.0f32, -1.0], [-1.0, 1.0]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn cov(&self) -> Array {
        let (_, n) = self.matrix_sizes("cov");
        let x = self.to_inexact();
        let centered = &x - x.mean(super::keep(-1));
        centered.matmul(centered.adjoint()) / (n as f64 - 1.0)
    }

    /// The correlations of variables, one a row, from their observations, one a column.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1.0f64, 2.0, 3.0], [30.0, 20.0, 10.0]]);
    /// assert!((x.corrcoef() - Array::from([[1.0, -1.0], [-1.0, 1.0]])).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[composite]
    #[track_caller]
    pub fn corrcoef(&self) -> Array {
        let c = self.cov();
        let deviation = c.diagonal(0, [-2, -1]).real().sqrt().to(c.dtype());
        &c / deviation.expand_dims(-1) / deviation.expand_dims(-2)
    }
}
