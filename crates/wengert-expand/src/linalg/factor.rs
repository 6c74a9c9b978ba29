//! LU and QR, a column at a time: elimination with partial pivoting, and Householder's reflections with the signs that
//! LAPACK gives.

use super::matrix::permutation;
use super::*;

/// Gaussian elimination with partial pivoting: both factors in one matrix, the pivots, and the order of the rows. The
/// pivot is the first of the largest elements by `|re| + |im|`; a column without one is left as it is.
pub(super) fn lu(b: &mut Builder, a: Var) -> Vec<Var> {
    let [m, n] = sizes(b, a);
    let y = count(b, Steps::Up(m.min(n)), &[], &[a], &[], |b, x| {
        let (a, j) = (x[0], x[1]);
        let shape = b.shape(a).clone();
        let pivot = pivot(b, a, j);
        let [here, there] = [j, pivot].map(|k| places(b, a, ROW, Direction::Eq, k));
        let (mine, top) = (slice_at(b, a, ROW, j), pick(b, a, there, ROW));
        let [mine, top_row] = [mine, top].map(|row| along(b, row, &shape, COLUMN));
        let a = b.select(there, mine, a);
        let a = b.select(here, top_row, a);
        let head = slice_at(b, top, COLUMN, j);
        let column = slice_at(b, a, COLUMN, j);
        let divisor = leading(b, head, &b.shape(column).clone());
        let zero = b.full_like(divisor, 0.0);
        let some = b.compare(Direction::Ne, divisor, zero);
        let quotient = b.div(column, divisor);
        let l = b.select(some, quotient, column);
        let l = along(b, l, &shape, ROW);
        let product = b.mul(l, top_row);
        let rest = b.sub(a, product);
        let below = places(b, a, ROW, Direction::Gt, j);
        let [right, this] = [Direction::Gt, Direction::Eq].map(|d| places(b, a, COLUMN, d, j));
        let [inside, under] = [right, this].map(|columns| b.binary(Binary::And, below, columns));
        let a = b.select(inside, rest, a);
        vec![b.select(under, l, a), pivot]
    });
    let last = b.shape(y[1]).rank() - 1;
    let pivots = b.move_axis(y[1], 0, last);
    let batch = &b.shape(a)[..last];
    let order = Type::new(DType::I32, [batch, &[m]].concat());
    let order = b.inline(&permutation(&b.ty(pivots).clone(), &order), &[pivots])[0];
    vec![y[0], pivots, order]
}

/// The row from `j` on with the largest element of column `j`.
fn pivot(b: &mut Builder, a: Var, j: Var) -> Var {
    let column = slice_at(b, a, COLUMN, j);
    let size = match b.dtype(a).is_complex() {
        false => b.unary(Unary::Abs, column),
        true => {
            let [re, im] = [Unary::Real, Unary::Imag].map(|part| {
                let part = b.unary(part, column);
                b.unary(Unary::Abs, part)
            });
            b.add(re, im)
        }
    };
    let free = places(b, size, COLUMN, Direction::Ge, j);
    let done = b.full_like(size, -1.0);
    let size = b.select(free, size, done);
    let dim = b.shape(size).rank() - 1;
    b.one(ArgReduce { extreme: Extreme::Max, dim, dtype: DType::I32 }, &[size])
}

/// `q` and `r` by Householder's reflections, with the signs that LAPACK gives. `q` has a column for each row of the
/// operand if it is to be square.
pub(super) fn qr(b: &mut Builder, a: Var, square: bool) -> [Var; 2] {
    let [m, n] = sizes(b, a);
    let width = if square { m } else { m.min(n) };
    let y = count(b, Steps::Up(m.min(n)), &[], &[a], &[], |b, x| {
        let (a, j) = (x[0], x[1]);
        let column = slice_at(b, a, COLUMN, j);
        let Reflection { v, tau, column } = reflection(b, column, j);
        let back = conj(b, tau);
        let moved = reflect(b, a, v, back);
        let this = places(b, a, COLUMN, Direction::Eq, j);
        let column = along(b, column, &b.shape(a).clone(), ROW);
        vec![b.select(this, column, moved), v, tau]
    });
    let start = eye(b, a, [m, width]);
    let q = count(b, Steps::Down(m.min(n)), &[], &[start], &y[1..], |b, x| vec![reflect(b, x[0], x[2], x[3])])[0];
    let axis = b.shape(a).rank() - ROW;
    [q, b.slice_axis(y[0], axis, 0, width)]
}

/// `1 - τ·v·vᴴ`, and what its adjoint makes of the vector it was made for.
pub(super) struct Reflection {
    pub(super) v: Var,
    pub(super) tau: Var,
    pub(super) column: Var,
}

/// The reflection that takes the elements of a vector after `j` to zero, and that at `j` to a real number.
pub(super) fn reflection(b: &mut Builder, x: Var, j: Var) -> Reflection {
    let (shape, dtype, last) = (b.shape(x).clone(), b.dtype(x), b.shape(x).rank() - 1);
    let [before, head, tail] = [Direction::Lt, Direction::Eq, Direction::Gt].map(|d| places(b, x, COLUMN, d, j));
    let (zero, one) = (b.full_like(x, 0.0), b.full_like(x, 1.0));
    // Relative to the largest, squares neither overflow nor vanish.
    let free = b.select(before, zero, x);
    let free_size = b.unary(Unary::Abs, free);
    let size = b.reduce(Combiner::Max, free_size, &[last]);
    let (none, unit) = (b.full_like(size, 0.0), b.full_like(size, 1.0));
    let some = b.compare(Direction::Gt, size, none);
    let size = b.select(some, size, unit);
    let divisor = b.convert(size, dtype);
    let divisor = leading(b, divisor, &shape);
    let y = b.div(free, divisor);
    let alpha = pick(b, y, head, COLUMN);
    let rest = b.select(tail, y, zero);
    let squares = square(b, rest);
    let squares = b.sum(squares, &[last]);
    let mut done = b.compare(Direction::Eq, squares, none);
    if dtype.is_complex() {
        let imag = b.unary(Unary::Imag, alpha);
        let is_real = b.compare(Direction::Eq, imag, none);
        done = b.binary(Binary::And, done, is_real);
    }
    let all = square(b, alpha);
    let all = b.add(all, squares);
    let norm = b.unary(Unary::Sqrt, all);
    let lead = real(b, alpha);
    let negative = b.compare(Direction::Lt, lead, none);
    let minus = b.neg(norm);
    let beta = b.select(negative, norm, minus);
    let beta = b.select(done, lead, beta);
    let (nothing, single) = (b.full_like(alpha, 0.0), b.full_like(alpha, 1.0));
    let target = b.convert(beta, dtype);
    let difference = b.sub(target, alpha);
    let tau = b.div(difference, target);
    let tau = b.select(done, nothing, tau);
    let divisor = b.neg(difference);
    let divisor = b.select(done, single, divisor);
    let divisor = leading(b, divisor, &shape);
    let v = b.div(rest, divisor);
    let v = b.select(head, one, v);
    let beta = b.mul(beta, size);
    let beta = b.convert(beta, dtype);
    let beta = leading(b, beta, &shape);
    let column = b.select(head, beta, x);
    let column = b.select(tail, zero, column);
    Reflection { v, tau, column }
}

/// `(1 - τ·v·vᴴ)·a`.
pub(super) fn reflect(b: &mut Builder, a: Var, v: Var, tau: Var) -> Var {
    let shape = b.shape(a).clone();
    let v = along(b, v, &shape, ROW);
    let turned = conj(b, v);
    let dots = b.mul(turned, a);
    let dots = b.sum(dots, &[shape.rank() - ROW]);
    let tau = leading(b, tau, &b.shape(dots).clone());
    let dots = b.mul(tau, dots);
    let dots = along(b, dots, &shape, COLUMN);
    let change = b.mul(v, dots);
    b.sub(a, change)
}
