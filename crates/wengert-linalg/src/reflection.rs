//! Householder's reflections, with the signs that LAPACK gives them.

use super::lanes::{dots, reflect, reflect_complex};
use super::number::hypotenuse;
use super::vectors::{adjoint_times, take_outer, take_times};
use super::{Matrix, Number};
use std::ops::Range;

/// Numbers are inverted, and sums of squares taken as they are, that are between this one and its inverse.
const TINY: f64 = 1e-280;

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
        let divisor = head - T::real(beta);
        if divisor.parts() > TINY {
            let inverse = T::one().over(divisor);
            v[1..].iter_mut().for_each(|x| *x *= inverse);
        } else {
            v[1..].iter_mut().for_each(|x| *x = x.over(divisor));
        }
        (Reflection { first, v, tau }, beta)
    }

    /// The same for the other direction: `v` ends in a 1, and acts on the rows up to there.
    pub(super) fn of_last(x: &[T]) -> (Reflection<T>, f64) {
        let turned: Vec<T> = x.iter().rev().copied().collect();
        let (mut reflection, beta) = Reflection::of(&turned, 0);
        reflection.v.reverse();
        (reflection, beta)
    }

    /// Applies it to these columns of a matrix.
    pub(super) fn left(&self, a: &mut Matrix<T>, columns: Range<usize>) {
        self.left_with(self.tau, a, columns);
    }

    /// Applies the adjoint to these columns of a matrix.
    pub(super) fn adjoint_left(&self, a: &mut Matrix<T>, columns: Range<usize>) {
        self.left_with(self.tau.conj(), a, columns);
    }

    fn left_with(&self, tau: T, a: &mut Matrix<T>, columns: Range<usize>) {
        if tau == T::zero() {
            return;
        }
        match self.v[..] {
            [one, x] if one == T::one() => return self.short_left(tau, [x], a, columns),
            [one, x, y] if one == T::one() => return self.short_left(tau, [x, y], a, columns),
            _ => {}
        }
        if columns.is_empty() {
            return;
        }
        let step = a.rows;
        let a = &mut a.elements_mut()[self.first + columns.start * step..];
        let mut dots = adjoint_times(a, step, columns.len(), &self.v);
        dots.iter_mut().for_each(|x| *x = tau * x.conj());
        take_outer(a, step, &self.v, &dots);
    }

    /// Applies it from the right to these rows of a matrix.
    pub(super) fn right(&self, a: &mut Matrix<T>, rows: Range<usize>) {
        if self.tau == T::zero() {
            return;
        }
        match self.v[..] {
            [one, x] if one == T::one() => return self.short_right([x], a, rows),
            [one, x, y] if one == T::one() => return self.short_right([x, y], a, rows),
            _ => {}
        }
        if rows.is_empty() {
            return;
        }
        let step = a.rows;
        let a = &mut a.elements_mut()[rows.start + self.first * step..];
        let mut product = vec![T::zero(); rows.len()];
        take_times(a, step, &self.v, &mut product);
        let back: Vec<T> = self.v.iter().map(|v| -self.tau * v.conj()).collect();
        take_outer(a, step, &product, &back);
    }
}

/// Those of two or three rows, which sweeps are made of.
impl<T: Number> Reflection<T> {
    fn short_left<const N: usize>(&self, tau: T, v: [T; N], a: &mut Matrix<T>, columns: Range<usize>) {
        let t = v.map(|v| tau * v.conj());
        for j in columns {
            let (x, rest) = a.column_mut(j)[self.first..].split_first_mut().expect("a row");
            let rest = &mut rest[..N];
            let sum = (0..N).fold(tau * *x, |s, k| s + t[k] * rest[k]);
            *x -= sum;
            (0..N).for_each(|k| rest[k] -= v[k] * sum);
        }
    }

    fn short_right<const N: usize>(&self, v: [T; N], a: &mut Matrix<T>, rows: Range<usize>) {
        let (x, rest) = a.columns_mut::<N>(self.first);
        let (x, mut rest) = (&mut x[rows.clone()], rest.map(|y| &mut y[rows.clone()]));
        let pair = |x: T| [x.re(), x.im()];
        match &mut rest[..] {
            _ if T::REAL => {
                let rest = rest.map(T::parts_of_mut);
                reflect(T::parts_of_mut(x), rest, self.tau.re(), v.map(T::re));
            }
            [y] => {
                let t = pair(self.tau * v[0]);
                reflect_complex(T::parts_of_mut(x), T::parts_of_mut(y), pair(self.tau), t, pair(v[0]));
            }
            _ => {
                let (t, back) = (v.map(|v| self.tau * v), v.map(|v| v.conj()));
                for i in 0..rows.len() {
                    let sum = (0..N).fold(self.tau * x[i], |s, k| s + t[k] * rest[k][i]);
                    x[i] -= sum;
                    (0..N).for_each(|k| rest[k][i] -= sum * back[k]);
                }
            }
        }
    }
}

/// The length of a vector. Where squares would be lost, they are those of elements about 1.
pub(super) fn length<T: Number>(x: &[T]) -> f64 {
    let parts = T::parts_of(x);
    let mut sum = [[0.0]];
    dots(parts, parts.len(), [parts], &mut sum);
    if (TINY..1.0 / TINY).contains(&sum[0][0]) {
        return sum[0][0].sqrt();
    }
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
