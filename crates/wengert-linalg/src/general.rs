//! Eigenvalues and eigenvectors of matrices that need not be Hermitian: balanced, made triangular, and read off that.

use super::back::{blocks, eigenvalues, eigenvector};
use super::balance::Balance;
use super::bulges;
use super::reflection::length;
use super::rotation::Rotation;
use super::schur::{Schur, Sweep};
use super::{Limits, Matrix, Number, Tools, turn};
use std::ops::Range;
use wengert_core::Complex;
use wengert_core::ops::Eigenvectors;

/// Eigenvalues, and matrices of eigenvectors as asked for: left ones, then right ones, in columns of length 1.
type Eigen = (Vec<Complex<f64>>, Vec<Matrix<Complex<f64>>>);

/// Nothing if an element is not finite.
pub(super) fn eig<T: Sweep>(a: Matrix<T>, wanted: Eigenvectors, limits: Limits, tools: Tools<'_>) -> Option<Eigen> {
    if !a.finite() {
        return None;
    }
    let (mut a, scale) = in_range(a, limits);
    let balance = Balance::new(&mut a, limits);
    let mut schur = Schur::new(a, balance.rows.clone(), wanted != Eigenvectors::None, limits, tools)?;
    let blocks = blocks(&schur.t);
    let values = blocks.iter().flat_map(|b| eigenvalues(&schur.t, b, limits)).map(|w| w * scale).collect();
    let Some(basis) = schur.q.take() else { return Some((values, Vec::new())) };
    let vectors = Vectors { t: schur.t, basis, blocks, balance, limits, tools };
    let mut sides =
        if wanted == Eigenvectors::Both { vec![vectors.left(), vectors.right()] } else { vec![vectors.right()] };
    if vectors.t.rows >= bulges::ROWS {
        sides.iter_mut().for_each(|side| _ = turn(side));
    }
    Some((values, sides))
}

/// A matrix whose largest element has a square, and so has its inverse, that is as exact as others; and what it was divided
/// by. Others are left as they are: whether two eigenvalues are too close to tell depends on it.
fn in_range<T: Number>(a: Matrix<T>, limits: Limits) -> (Matrix<T>, f64) {
    let least = limits.least.sqrt() / limits.spacing();
    let most = a.largest();
    if most == 0.0 || (least..=1.0 / least).contains(&most) {
        return (a, 1.0);
    }
    let bound = 2f64.powi((if most < least { least } else { 1.0 / least }).log2() as i32);
    let (a, scale) = a.scaled();
    (a.map(|x| x.times(bound)), scale / bound)
}

/// What eigenvectors are made from.
struct Vectors<'a, T> {
    t: Matrix<T>,
    basis: Matrix<T>,
    blocks: Vec<Range<usize>>,
    balance: Balance,
    limits: Limits,
    tools: Tools<'a>,
}

impl<T: Sweep> Vectors<'_, T> {
    fn right(&self) -> Matrix<Complex<f64>> {
        self.each(false, |block| eigenvector(&self.t, block, self.limits))
    }

    /// Those of the adjoint, which is of the same form when it is seen from the other end.
    fn left(&self) -> Matrix<Complex<f64>> {
        let n = self.t.rows;
        let turned = Matrix::new(n, n, |i, j| self.t[(n - 1 - j, n - 1 - i)].conj());
        self.each(true, |block| {
            let mut y = eigenvector(&turned, &(n - block.end..n - block.start), self.limits);
            y.reverse();
            if block.len() == 2 {
                // The other one of the pair, times the imaginary unit.
                y.iter_mut().for_each(|y| *y = Complex::new(y.im, y.re));
            }
            y
        })
    }

    /// The vectors of all blocks, from what they are in the basis.
    fn each(&self, left: bool, vector: impl Fn(&Range<usize>) -> Vec<Complex<f64>>) -> Matrix<Complex<f64>> {
        let n = self.t.rows;
        let mut inside = Matrix::zero(n, self.blocks.len());
        for (k, block) in self.blocks.iter().enumerate() {
            inside.column_mut(k).copy_from_slice(&vector(block));
        }
        let outside = T::times_complex(&self.basis, &inside, self.tools);
        let mut all = Matrix::zero(n, n);
        for (k, block) in self.blocks.iter().enumerate() {
            let v = all.column_mut(block.start);
            v.copy_from_slice(outside.column(k));
            self.balance.undo(v, left);
            normalize(v, T::REAL);
            if block.len() == 2 {
                let (v, conjugate) = all.two_columns(block.start, block.start + 1);
                conjugate.iter_mut().zip(v).for_each(|(y, v)| *y = v.conj());
            }
        }
        all
    }
}

/// Makes the length 1, and the largest element real: of real matrices by the smaller turn, so that its real part keeps its
/// sign.
fn normalize(v: &mut [Complex<f64>], real: bool) {
    let inverse = 1.0 / length(v);
    v.iter_mut().for_each(|x| *x *= inverse);
    let largest = (0..v.len()).fold(0, |k, i| if v[i].norm_sqr() > v[k].norm_sqr() { i } else { k });
    let Complex { re, im } = v[largest];
    let (turn, _) = Rotation::of(re, im);
    let phase = match real || re == 0.0 {
        true => Complex::new(turn.c, -turn.s),
        false => Complex::new(turn.c, -turn.s) * 1f64.copysign(re),
    };
    if phase != Complex::from(1.0) {
        v.iter_mut().for_each(|x| *x *= phase);
    }
    v[largest].im = 0.0;
}
