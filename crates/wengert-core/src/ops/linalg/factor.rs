//! Factors of general matrices: LU and QR.

use super::matrix::{
    Triangle, adjoint, batch_leading, block, eye_like, matmul, matrix, on_diagonal, permuted, sizes, solve,
    solve_unit_lower, solve_upper, triangle, with_last,
};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::ops::{Concatenate, Unary, check};
use crate::program::Var;
use crate::transform::{Batched, Batcher};
use crate::types::{DType, Type};

const STRICTLY_LOWER: Triangle = Triangle { lower: true, strict: true };
const UPPER: Triangle = Triangle { lower: false, strict: false };

attributes! {
    /// Gaussian elimination with partial pivoting, of any shape: `l` (under its unit diagonal) and `u` in one matrix;
    /// for each step, the row exchanged with its own; and the order these exchanges put the rows in.
    "lu" => pub struct Lu {}
}

impl Rules for Lu {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("lu", x)?;
        let [m, n] = matrix("lu", x)?;
        let rows = |n: usize| with_last(x, &[n]).with_dtype(DType::I32);
        Ok(vec![x.clone(), rows(m.min(n)), rows(m)])
    }

    fn tangents(&self, b: &mut Builder, _: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        // With p = l⁻¹·a'·u⁻¹: l' = l·tril(p), u' = triu(p)·u. Both factors are made square with parts of the identity.
        let (lu, permutation) = (y[0], y[2]);
        let [m, n] = sizes(b, lu);
        let l = block(b, lu, 0..m, 0..m);
        let l = triangle(b, l, STRICTLY_LOWER);
        let eye = eye_like(b, l);
        let l = b.add(l, eye);
        let u = block(b, lu, 0..n, 0..n);
        let mut u = triangle(b, u, UPPER);
        if n > m {
            let (whole, part) = (eye_like(b, u), block(b, eye, 0..n, 0..n));
            let rest = b.sub(whole, part);
            u = b.add(u, rest);
        }
        let p = permuted(b, permutation, t[0].expect("called with a tangent"));
        let p = solve_unit_lower(b, l, p);
        let p = solve_upper(b, u, p, false);
        let (lower, upper) = (triangle(b, p, STRICTLY_LOWER), triangle(b, p, UPPER));
        let (dl, du) = (matmul(b, l, lower), matmul(b, upper, u));
        Ok(vec![Some(b.add(dl, du)), None, None])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        batch_leading(self, b, x)
    }
}

attributes! {
    /// `q` with orthonormal columns and the upper triangular `r` whose product is the operand.
    "qr" => pub struct Qr {
        /// Whether `q` is square, or has no more columns than the operand.
        pub full_matrices: bool,
    }
}

impl Rules for Qr {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("qr", x)?;
        let [m, n] = matrix("qr", x)?;
        let k = if self.full_matrices { m } else { m.min(n) };
        Ok(vec![with_last(x, &[m, k]), with_last(x, &[k, n])])
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (q, r, t) = (y[0], y[1], t[0].expect("called with a tangent"));
        let [m, n] = sizes(b, x[0]);
        let rows = b.shape(q).rank() - 2;
        let (dq, dr) = if m < n {
            // The square part on the left determines q; the rest of r is qᴴ times the rest of the operand.
            let (square, rest) = (0..m, m..n);
            let (r1, t1) = (block(b, r, 0..m, square.clone()), block(b, t, 0..m, square));
            let (dq, dr1) = thin(b, q, r1, t1);
            let (x2, t2) = (block(b, x[0], 0..m, rest.clone()), block(b, t, 0..m, rest));
            let (dqh, qh) = (adjoint(b, dq), adjoint(b, q));
            let (turned, moved) = (matmul(b, dqh, x2), matmul(b, qh, t2));
            let dr2 = b.add(turned, moved);
            (dq, b.one(Concatenate { dim: rows + 1 }, &[dr1, dr2]))
        } else {
            let (q1, r1) = (block(b, q, 0..m, 0..n), block(b, r, 0..n, 0..n));
            let (dq1, dr1) = thin(b, q1, r1, t);
            match self.full_matrices && m > n {
                false => (dq1, dr1),
                true => {
                    let dq2 = completion(b, q, dq1, n);
                    (b.one(Concatenate { dim: rows + 1 }, &[dq1, dq2]), block(b, dr1, 0..m, 0..n))
                }
            }
        };
        Ok(vec![Some(dq), Some(dr)])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        batch_leading(self, b, x)
    }
}

/// The tangents of `q` and `r` where `q` has as many columns as the operand.
fn thin(b: &mut Builder, q: Var, r: Var, t: Var) -> (Var, Var) {
    // With p = qᴴ·a'·r⁻¹ = qᴴ·q' + r'·r⁻¹: the first is skew, the second upper triangular with a real diagonal.
    let tr = solve_upper(b, r, t, false);
    let qh = adjoint(b, q);
    let p = matmul(b, qh, tr);
    let lower = triangle(b, p, STRICTLY_LOWER);
    let upper = adjoint(b, lower);
    let mut skew = b.sub(lower, upper);
    let dtype = b.dtype(p);
    if dtype.is_complex() {
        let re = b.unary(Unary::Real, p);
        let re = b.convert(re, dtype);
        let imaginary = b.sub(p, re);
        let on = on_diagonal(b, p);
        skew = b.select(on, imaginary, skew);
    }
    let rest = b.sub(p, skew);
    let back = matmul(b, q, rest);
    (b.sub(tr, back), matmul(b, rest, r))
}

/// The tangent of the columns of a square `q` from `n` on, given that of those before. Householder reflections determine
/// them: `q - 1` has rank `n`, so with `z = q₂₁·(q₁₁ - 1)⁻¹` its lower rows are `z` times its upper ones.
fn completion(b: &mut Builder, q: Var, dq1: Var, n: usize) -> Var {
    let m = sizes(b, q)[0];
    let (q1, q2) = (block(b, q, 0..m, 0..n), block(b, q, 0..m, n..m));
    let (top, bottom) = (block(b, q1, 0..n, 0..n), block(b, q1, n..m, 0..n));
    let (dtop, dbottom) = (block(b, dq1, 0..n, 0..n), block(b, dq1, n..m, 0..n));
    let eye = eye_like(b, top);
    let less = b.sub(top, eye);
    let (less, bottom) = (adjoint(b, less), adjoint(b, bottom));
    let zh = solve(b, less, bottom);
    let z = adjoint(b, zh);
    let first = matmul(b, dq1, zh);
    let q2z = matmul(b, q2, z);
    let left = b.add(q1, q2z);
    let zd = matmul(b, z, dtop);
    let right = b.sub(dbottom, zd);
    let right = adjoint(b, right);
    let second = matmul(b, left, right);
    b.sub(first, second)
}
