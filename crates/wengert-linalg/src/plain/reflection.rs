//! Householder's reflections, with the signs that LAPACK gives them.

use super::number::hypotenuse;
use super::{Matrix, Number};

/// `1 - tau·v·vᴴ`, which acts on the rows from `first` on. The first element of `v` is 1.
pub(super) struct Reflection<T> {
    pub first: usize,
    pub v: Vec<T>,
    pub tau: T,
}

impl<T: Number> Reflection<T> {
    /// The reflection whose adjoint takes `x` to a real multiple of the first unit vector; and that number.
    pub(super) fn of(x: &[T], first: usize) -> (Reflection<T>, f64) {
        let (head, rest) = (x[0], length(&x[1..]));
        let mut v = x.to_vec();
        v[0] = T::one();
        if rest == 0.0 && head.im() == 0.0 {
            return (Reflection { first, v, tau: T::zero() }, head.re());
        }
        let beta = -hypotenuse(head.size(), rest).copysign(head.re());
        let tau = T::new((beta - head.re()) / beta, -head.im() / beta);
        let scale = T::one() / (head - T::real(beta));
        v[1..].iter_mut().for_each(|x| *x *= scale);
        (Reflection { first, v, tau }, beta)
    }

    /// The same for the other direction: `v` ends in a 1, and acts on the rows up to there.
    pub(super) fn of_last(x: &[T]) -> (Reflection<T>, f64) {
        let turned: Vec<T> = x.iter().rev().copied().collect();
        let (mut reflection, beta) = Reflection::of(&turned, 0);
        reflection.v.reverse();
        (reflection, beta)
    }

    pub(super) fn adjoint(&self) -> Reflection<T> {
        Reflection { first: self.first, v: self.v.clone(), tau: self.tau.conj() }
    }

    /// Applies it to the columns of a matrix from `column` on.
    pub(super) fn left(&self, a: &mut Matrix<T>, column: usize) {
        if self.tau == T::zero() {
            return;
        }
        for j in column..a.columns {
            let x = &mut a.column_mut(j)[self.first..self.first + self.v.len()];
            let dot = self.v.iter().zip(&*x).fold(T::zero(), |s, (v, x)| s + v.conj() * *x);
            let scale = self.tau * dot;
            x.iter_mut().zip(&self.v).for_each(|(x, v)| *x -= *v * scale);
        }
    }

    /// Applies it from the right to the rows of a matrix from `row` on.
    pub(super) fn right(&self, a: &mut Matrix<T>, row: usize) {
        if self.tau == T::zero() {
            return;
        }
        let mut product = vec![T::zero(); a.rows - row];
        for (k, v) in self.v.iter().enumerate() {
            let x = &a.column(self.first + k)[row..];
            product.iter_mut().zip(x).for_each(|(p, x)| *p += *x * *v);
        }
        for (k, v) in self.v.iter().enumerate() {
            let scale = self.tau * v.conj();
            let x = &mut a.column_mut(self.first + k)[row..];
            x.iter_mut().zip(&product).for_each(|(x, p)| *x -= *p * scale);
        }
    }
}

/// The length of a vector. The squares are those of elements about 1.
pub(super) fn length<T: Number>(x: &[T]) -> f64 {
    let most = x.iter().fold(0f64, |m, x| m.max(x.re().abs()).max(x.im().abs()));
    if most == 0.0 {
        return most;
    }
    let inverse = 1.0 / most;
    if !inverse.is_finite() {
        return x.iter().fold(0.0, |m, x| hypotenuse(m, x.size()));
    }
    let square = |x: &T| {
        let x = x.times(inverse);
        x.re() * x.re() + x.im() * x.im()
    };
    most * x.iter().map(square).fold(0.0, |s, x| s + x).sqrt()
}
