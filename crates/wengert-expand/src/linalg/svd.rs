//! Singular values, by Jacobi's method on the triangular factor of the matrix. The largest
//! element of each left vector is positive.

use super::factor::qr;
use super::jacobi::{Turn, sweeps, widened};
use super::*;

/// Singular values in descending order, between the left and right singular vectors if asked for.
pub(super) fn svd(b: &mut Builder, op: &Svd, a: Var) -> Vec<Var> {
    let [m, n] = sizes(b, a);
    let wide = m < n;
    let (x, size) = scaled(b, a);
    let x = if wide { adjoint(b, x) } else { x };
    let (long, n) = (m.max(n), m.min(n));
    // a = q·r, and with rᴴ·v = w, whose columns are orthogonal: r = v·wᴴ.
    let [q, r] = qr(b, x, op.full_matrices);
    let r = b.slice_axis(r, b.shape(a).rank() - ROW, 0, n);
    let w = adjoint(b, r);
    let (w, v) = orthogonal_columns(b, w);
    let last = b.shape(w).rank() - 1;
    let s = square(b, w);
    let s = b.sum(s, &[last - 1]);
    let s = b.unary(Unary::Sqrt, s);
    let minus = b.neg(s);
    let (minus, sorted) = sort_columns(b, minus, &[w, v]);
    let s = b.neg(minus);
    let s = times(b, s, size);
    if !op.compute_uv {
        return if_finite(b, a, vec![s]);
    }
    // The columns of w divided by their lengths; where those are zero, what is missing to a basis.
    let [right, lengths] = qr(b, sorted[0], true);
    let signs = diagonal(b, lengths);
    let signs = phase(b, signs);
    let signs = conj(b, signs);
    let right = times_columns(b, right, signs);
    let thin = columns(b, q, 0, n);
    let left = matmul(b, thin, sorted[1]);
    let (u, v) = if wide { (right, left) } else { (left, right) };
    let turns = turns(b, u);
    let [u, v] = [u, v].map(|x| times_columns(b, x, turns));
    let rest = |b: &mut Builder, x: Var| match op.full_matrices && n < long {
        true => {
            let rest = columns(b, q, n, long);
            b.concatenate(&[x, rest], last)
        }
        false => x,
    };
    let (u, v) = if wide { (u, rest(b, v)) } else { (rest(b, u), v) };
    let vh = adjoint(b, v);
    if_finite(b, a, vec![u, s, vh])
}

/// Square matrices times a unitary one so that their columns are orthogonal; and that one.
fn orthogonal_columns(b: &mut Builder, w: Var) -> (Var, Var) {
    let [n, _] = sizes(b, w);
    let (k, last) = (n.div_ceil(2), b.shape(w).rank() - 1);
    let (x, v) = (widened(b, w, [n, 2 * k]), eye(b, w, [n, 2 * k]));
    let y = sweeps(b, k, &[], &[x, v], |b, _, x| {
        let (w, v) = (x[0], x[1]);
        let (left, right) = (columns(b, w, 0, k), columns(b, w, k, 2 * k));
        let [l, r] = [left, right].map(|x| {
            let x = square(b, x);
            b.sum(x, &[last - 1])
        });
        let turned = conj(b, left);
        let product = b.mul(turned, right);
        let product = b.sum(product, &[last - 1]);
        let (turn, off) = Turn::new(b, l, r, product);
        let [l, r] = [l, r].map(|x| b.unary(Unary::Sqrt, x));
        let enough = b.mul(l, r);
        let enough = b.scale(enough, epsilon(b.dtype(w)) * (n as f64).sqrt());
        let busy = b.compare(Direction::Gt, off, enough);
        (vec![turn.apply(b, w), turn.apply(b, v)], busy)
    });
    (columns(b, y[0], 0, n), columns(b, y[1], 0, n))
}
