//! Eigenvalues and eigenvectors: of Hermitian matrices by Jacobi's method, of general ones by their Schur form, whose
//! triangular systems give the vectors.

use super::francis::in_complex;
use super::jacobi::{Turn, sweeps, widened};
use super::schur::{hessenberg, schur, triangular};
use super::*;

/// Eigenvalues in ascending order, and eigenvectors.
pub(super) fn eigh(b: &mut Builder, op: &Eigh, a: Var) -> Vec<Var> {
    let [n, _] = sizes(b, a);
    let k = n.div_ceil(2);
    let h = mirrored(b, a, op.lower);
    let (h, size) = scaled(b, h);
    let (h, v) = (widened(b, h, [2 * k, 2 * k]), eye(b, a, [n, 2 * k]));
    let last = b.shape(h).rank() - 1;
    let norm = square(b, h);
    let norm = b.sum(norm, &[last - 1, last]);
    let norm = b.unary(Unary::Sqrt, norm);
    let enough = b.scale(norm, epsilon(b.dtype(a)));
    let y = sweeps(b, k, &[enough], &[h, v], |b, enough, x| {
        let (h, v) = (x[0], x[1]);
        let d = diagonal(b, h);
        let d = real(b, d);
        let (left, right) = (columns(b, d, 0, k), columns(b, d, k, 2 * k));
        let corner = columns(b, h, k, 2 * k);
        let corner = b.slice_axis(corner, last - 1, 0, k);
        let product = diagonal(b, corner);
        let (turn, off) = Turn::new(b, left, right, product);
        let enough = leading(b, enough[0], &b.shape(off).clone());
        let busy = b.compare(Direction::Gt, off, enough);
        // The matrix is its own adjoint, so that turning its columns, and those of the adjoint, turns its rows too.
        let once = turn.apply(b, h);
        let once = adjoint(b, once);
        (vec![turn.apply(b, once), turn.apply(b, v)], busy)
    });
    let w = diagonal(b, y[0]);
    let w = real(b, w);
    let w = times(b, w, size);
    let (w, v) = (columns(b, w, 0, n), columns(b, y[1], 0, n));
    let (w, v) = sort_columns(b, w, &[v]);
    let turns = turns(b, v[0]);
    let v = times_columns(b, v[0], turns);
    if_finite(b, a, vec![w, v])
}

/// The Hermitian matrix that one triangle stands for.
fn mirrored(b: &mut Builder, a: Var, lower: bool) -> Var {
    let dtype = b.dtype(a);
    let zero = b.full_like(a, 0.0);
    let inside = triangle(b, a, if lower { Direction::Gt } else { Direction::Lt });
    let here = b.select(inside, a, zero);
    let there = adjoint(b, here);
    let both = b.add(here, there);
    let middle = real(b, a);
    let middle = b.convert(middle, dtype);
    let on = triangle(b, a, Direction::Eq);
    b.select(on, middle, both)
}

/// Eigenvalues, and eigenvectors as asked for.
pub(super) fn eig(b: &mut Builder, op: &Eig, a: Var) -> Vec<Var> {
    if op.compute_v == Eigenvectors::Both {
        return eig_both(b, a);
    }
    let dtype = b.dtype(a).complex().unwrap_or(b.dtype(a));
    let x = b.convert(a, dtype);
    let (x, size) = scaled(b, x);
    let (h, q) = hessenberg(b, x);
    let (t, q, done) = triangular(b, h, q);
    let w = diagonal(b, t);
    let mut y = vec![times(b, w, size)];
    if op.compute_v == Eigenvectors::Right {
        let v = vectors(b, t, w);
        let v = matmul(b, q, v);
        y.push(unit_columns(b, v));
    }
    let y = if_finite(b, a, y);
    or_nan(b, done, y)
}

/// Columns with the length 1, and the largest element positive.
fn unit_columns(b: &mut Builder, v: Var) -> Var {
    let length = square(b, v);
    let length = b.sum(length, &[b.shape(v).rank() - ROW]);
    let length = b.unary(Unary::Sqrt, length);
    let one = b.full_like(length, 1.0);
    let inverse = b.div(one, length);
    let inverse = b.convert(inverse, b.dtype(v));
    let turns = turns(b, v);
    let by = b.mul(inverse, turns);
    times_columns(b, v, by)
}

/// Eigenvalues, left and right eigenvectors. Those of real matrices are conjugates of each other.
fn eig_both(b: &mut Builder, a: Var) -> Vec<Var> {
    let y = match b.dtype(a).is_complex() {
        true => schur(b, a),
        false => in_complex(b, a),
    };
    let (t, size) = scaled(b, y[0]);
    let w = diagonal(b, t);
    let right = vectors(b, t, w);
    // Seen from the other end, the adjoint is of the same form.
    let rank = b.shape(t).rank();
    let turned = |b: &mut Builder, x: Var| b.one(Reverse { dims: [rank - ROW, rank - COLUMN].as_slice().into() }, &[x]);
    let back = adjoint(b, t);
    let back = turned(b, back);
    let back_w = diagonal(b, back);
    let left = vectors(b, back, back_w);
    let left = turned(b, left);
    let [left, right] = [left, right].map(|v| {
        let v = matmul(b, y[1], v);
        unit_columns(b, v)
    });
    vec![times(b, w, size), left, right]
}

/// The eigenvectors of triangular matrices with this diagonal, from the last row up. Equal eigenvalues are taken for
/// different ones: then vectors come out the same where there is only one.
fn vectors(b: &mut Builder, t: Var, w: Var) -> Var {
    let [n, _] = sizes(b, t);
    let dtype = b.dtype(t);
    let (shape, ty) = (b.shape(t).clone(), b.ty(t).clone());
    let start = b.zeros(&ty);
    let size = b.unary(Unary::Abs, t);
    let rank = shape.rank();
    let norm = b.reduce(Combiner::Max, size, &[rank - ROW, rank - COLUMN]);
    let least = b.scale(norm, epsilon(dtype));
    let least = b.offset(least, negligible(dtype));
    count(b, Steps::Down(n), &[t, w, least], &[start], &[], |b, x| {
        let (t, w, least, y, i) = (x[0], x[1], x[2], x[3], x[4]);
        let row = slice_at(b, t, ROW, i);
        let head = slice_at(b, row, COLUMN, i);
        let down = along(b, row, &shape, ROW);
        let dots = b.mul(down, y);
        let dots = b.sum(dots, &[rank - ROW]);
        let across = b.shape(dots).clone();
        let head = leading(b, head, &across);
        let apart = b.sub(w, head);
        let apart_size = b.unary(Unary::Abs, apart);
        let least_here = leading(b, least, &across);
        let far = b.compare(Direction::Gt, apart_size, least_here);
        let least_here = b.convert(least_here, dtype);
        let apart = b.select(far, apart, least_here);
        let value = b.div(dots, apart);
        let [after, here] = [Direction::Gt, Direction::Eq].map(|d| places(b, dots, COLUMN, d, i));
        let (zero, one) = (b.full_like(value, 0.0), b.full_like(value, 1.0));
        let value = b.select(after, value, zero);
        let value = b.select(here, one, value);
        let wide = along(b, value, &shape, COLUMN);
        let this = places(b, y, ROW, Direction::Eq, i);
        let y = b.select(this, wide, y);
        // Columns that grow are made smaller in time.
        let size = b.unary(Unary::Abs, value);
        let limit = b.full_like(size, 1e8);
        let grown = b.compare(Direction::Gt, size, limit);
        let unit = b.full_like(size, 1.0);
        let inverse = b.div(unit, size);
        let by = b.select(grown, inverse, unit);
        let by = b.convert(by, dtype);
        vec![times_columns(b, y, by)]
    })[0]
}
