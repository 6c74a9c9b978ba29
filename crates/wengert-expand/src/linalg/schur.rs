//! The Schur form of general matrices: a unitary change of basis makes them triangular, by reflections first, then by the
//! shifted QR algorithm.

use super::factor::{Reflection, reflect, reflection};
use super::*;
use std::sync::Arc;

/// For each row, more iterations than any matrix is known to take.
const ITERATIONS: usize = 30;

/// The triangular `t` and the unitary `q` such that the operand, which is complex, is `q·t·qᴴ`.
pub fn schur(b: &mut Builder, a: Var) -> Vec<Var> {
    let [n, _] = sizes(b, a);
    if n < 2 {
        return vec![a, eye(b, a, [n, n])];
    }
    let (x, size) = scaled(b, a);
    let (h, q) = hessenberg(b, x);
    let (t, q, done) = triangular(b, h, q);
    let y = vec![times(b, t, size), q];
    let y = if_finite(b, a, y);
    or_nan(b, done, y)
}

/// `a·(1 - τ·v·vᴴ)`.
pub(super) fn reflect_rows(b: &mut Builder, a: Var, v: Var, tau: Var) -> Var {
    let a = adjoint(b, a);
    let tau = conj(b, tau);
    let a = reflect(b, a, v, tau);
    adjoint(b, a)
}

/// `h` without elements under its subdiagonal and a unitary `q` such that the operand is `q·h·qᴴ`.
pub(super) fn hessenberg(b: &mut Builder, a: Var) -> (Var, Var) {
    let [n, _] = sizes(b, a);
    let q = eye(b, a, [n, n]);
    // Of complex numbers, the last element under the diagonal is made real too.
    let left = if b.dtype(a).is_complex() { 1 } else { 2 };
    let y = count(b, Steps::Up(n.saturating_sub(left)), &[], &[a, q], &[], |b, x| {
        let (h, q, j) = (x[0], x[1], x[2]);
        let column = slice_at(b, h, COLUMN, j);
        let next = b.offset(j, 1.0);
        let Reflection { v, tau, column } = reflection(b, column, next);
        let back = conj(b, tau);
        let moved = reflect(b, h, v, back);
        let this = places(b, h, COLUMN, Direction::Eq, j);
        let column = along(b, column, &b.shape(h).clone(), ROW);
        let h = b.select(this, column, moved);
        vec![reflect_rows(b, h, v, tau), reflect_rows(b, q, v, tau)]
    });
    (y[0], y[1])
}

/// The triangular `t` and the unitary `q` such that `q₀·h·q₀ᴴ` is `q·t·qᴴ`; and which members of the batch got there.
///
/// Of each member the rows up to `last` are not triangular yet.
pub(super) fn triangular(b: &mut Builder, h: Var, q: Var) -> (Var, Var, Var) {
    let [n, _] = sizes(b, h);
    let batch = b.shape(h).without_axes(&[b.shape(h).rank() - ROW, b.shape(h).rank() - COLUMN]);
    if n == 1 {
        let done = b.full(&Type::new(DType::Bool, batch), 1.0);
        return (h, q, done);
    }
    let (number, each) = (Type::scalar(DType::I32), Type::new(DType::I32, batch));
    let state = [number.clone(), each.clone(), each.clone(), b.ty(h).clone(), b.ty(q).clone()];
    let cond = goes_on(&state, n);

    let mut body = Builder::new();
    let x = body.inputs(&state);
    let count = body.offset(x[0], 1.0);
    let (next_h, next_q) = iteration(&mut body, x[1], x[2], x[3], x[4]);
    let (next_h, last) = deflated(&mut body, next_h, x[1]);
    let same = body.compare(Direction::Eq, last, x[1]);
    let (waiting, zero) = (body.offset(x[2], 1.0), body.zeros(&each));
    let waiting = body.select(same, waiting, zero);
    let body = body.finish(&[count, last, waiting, next_h, next_q]).into();

    let (none, zero, all) = (b.zeros(&number), b.zeros(&each), b.full(&each, n as f64 - 1.0));
    let (h, last) = deflated(b, h, all);
    let y = b.push(While { consts: 0, cond, body }, &[none, last, zero, h, q]);
    let done = b.compare(Direction::Eq, y[1], zero);
    let upper = triangle(b, y[3], Direction::Le);
    let zero = b.full_like(y[3], 0.0);
    (b.select(upper, y[3], zero), y[4], done)
}

/// Whether there are rows left, and iterations: of the state, the first counts those, and the second says the last row of
/// each member that is not done.
pub(super) fn goes_on(state: &[Type], n: usize) -> Arc<Program> {
    let mut cond = Builder::new();
    let x = cond.inputs(state);
    let most = cond.full(&state[0], (ITERATIONS * n) as f64);
    let few = cond.compare(Direction::Lt, x[0], most);
    let zero = cond.zeros(&state[1]);
    let left = cond.compare(Direction::Gt, x[1], zero);
    let axes = batch_axes(&cond, left, 0);
    let left = cond.reduce(Combiner::Or, left, &axes);
    let go_on = cond.binary(Binary::And, few, left);
    cond.finish(&[go_on]).into()
}

/// Elements of the subdiagonal that are nothing next to those around them made zero, and where there are others. That is
/// LAPACK's test (Ahues and Tisseur): signs depend on when an element is found to be nothing.
pub(super) fn cleared(b: &mut Builder, h: Var) -> (Var, Var) {
    let (shape, dtype) = (b.shape(h).clone(), b.dtype(h));
    let size = b.unary(Unary::Abs, h);
    let d = diagonal(b, h);
    let [above, here] = [COLUMN, ROW].map(|axis| along(b, d, &shape, axis));
    let apart = b.sub(above, here);
    let [above, here, apart] = [above, here, apart].map(|v| parts_size(b, v));
    let near = b.add(above, here);
    let near = b.scale(near, epsilon(dtype));
    let small = b.compare(Direction::Le, size, near);
    let rank = shape.rank();
    let other = b.move_axis(size, rank - 1, rank - 2);
    let [most, least, large, little] = [
        (Binary::Max, size, other),
        (Binary::Min, size, other),
        (Binary::Max, here, apart),
        (Binary::Min, here, apart),
    ]
    .map(|(op, x, y)| b.binary(op, x, y));
    let sum = b.add(large, most);
    let [most, large] = [most, large].map(|v| b.div(v, sum));
    let (product, bound) = (b.mul(least, most), b.mul(little, large));
    let bound = b.scale(bound, epsilon(dtype));
    let tiny = b.full_like(size, negligible(dtype));
    let bound = b.binary(Binary::Max, bound, tiny);
    let nothing = b.compare(Direction::Le, product, bound);
    let small = b.binary(Binary::And, small, nothing);
    let none = b.compare(Direction::Le, size, tiny);
    let small = b.binary(Binary::Or, small, none);
    let index = b.ty(h).with_dtype(DType::I32);
    let [row, column] = [ROW, COLUMN].map(|axis| b.one(Iota { ty: index.clone(), dim: index.rank() - axis }, &[]));
    let next = b.offset(column, 1.0);
    let under = b.compare(Direction::Eq, row, next);
    let gone = b.binary(Binary::And, under, small);
    let zero = b.full_like(h, 0.0);
    let kept = b.select(gone, zero, h);
    let large = b.unary(Unary::Not, small);
    (kept, b.binary(Binary::And, under, large))
}

/// The sum of the sizes of both parts of a number, by which LAPACK compares.
fn parts_size(b: &mut Builder, x: Var) -> Var {
    if !b.dtype(x).is_complex() {
        return b.unary(Unary::Abs, x);
    }
    let [re, im] = [Unary::Real, Unary::Imag].map(|part| {
        let part = b.unary(part, x);
        b.unary(Unary::Abs, part)
    });
    b.add(re, im)
}

/// The same, and the last row up to `last` that still has one.
fn deflated(b: &mut Builder, h: Var, last: Var) -> (Var, Var) {
    let shape = b.shape(h).clone();
    let (kept, stays) = cleared(b, h);
    let index = b.ty(h).with_dtype(DType::I32);
    let row = b.one(Iota { ty: index.clone(), dim: index.rank() - ROW }, &[]);
    let limit = leading(b, last, &shape);
    let within = b.compare(Direction::Le, row, limit);
    let stays = b.binary(Binary::And, stays, within);
    let none = b.zeros(&index);
    let rows = b.select(stays, row, none);
    let rank = shape.rank();
    (kept, b.reduce(Combiner::Max, rows, &[rank - ROW, rank - COLUMN]))
}

/// One iteration on the last block of rows up to `last`, for members that have been `waiting` this long for a zero to appear: what
/// a shift makes of the first column decides on a reflection of two rows and columns, and others follow, each of which takes to
/// zero what the one before it left. Elements under the diagonal stay real, which decides on all phases, as in LAPACK.
fn iteration(b: &mut Builder, last: Var, waiting: Var, h: Var, q: Var) -> (Var, Var) {
    let [n, _] = sizes(b, h);
    let shift = shift(b, last, waiting, h);
    let first = start(b, last, shift, h);
    let next = b.offset(first, 1.0);
    let (top, under) = (element(b, h, first, first), element(b, h, next, first));
    let top = b.sub(top, shift);
    let thin: Shape = b.shape(first).iter().copied().chain([1]).collect();
    let parts = [top, under].map(|v| b.reshape(v, &thin));
    let lead = b.concatenate(&parts, thin.rank() - 1);
    let y = count(b, Steps::Up(n - 1), &[first, last, lead], &[h, q], &[], |b, x| {
        reflected([x[0], x[1]], x[2], x[3], x[4], x[5], b)
    });
    let (h, q) = (y[0], y[1]);
    // The last one is left.
    let before = b.offset(last, -1.0);
    let end = element(b, h, last, before);
    let imag = b.unary(Unary::Imag, end);
    let none = b.full_like(imag, 0.0);
    let complex = b.compare(Direction::Ne, imag, none);
    let phase = direction(b, end, complex);
    let row = places(b, h, ROW, Direction::Eq, last);
    turned(b, row, phase, h, q)
}

/// The reflection of rows and columns `k` and `k + 1` that is next, if they are among those from `first` to `last`.
fn reflected([first, last]: [Var; 2], lead: Var, h: Var, q: Var, k: Var, b: &mut Builder) -> Vec<Var> {
    let rows = some_at(b, h, ROW, k, 2);
    let before = b.offset(k, -1.0);
    let each = b.shape(first).clone();
    let here = leading(b, k, &each);
    let begins = b.compare(Direction::Eq, here, first);
    let (after, within) = (b.compare(Direction::Ge, here, first), b.compare(Direction::Lt, here, last));
    let inside = b.binary(Binary::And, after, within);
    let column = slice_at(b, rows, COLUMN, before);
    let wide = b.shape(lead).clone();
    let [begins_wide, inside_wide] = [begins, inside].map(|v| leading(b, v, &wide));
    let column = b.select(begins_wide, lead, column);
    let none = b.full_like(column, 0.0);
    let column = b.select(inside_wide, column, none);
    let zero = b.zeros(&Type::scalar(DType::I32));
    let Reflection { v, tau, column } = reflection(b, column, zero);
    let back = conj(b, tau);
    let moved = reflect(b, rows, v, back);
    // The column before this one is known: what is taken to zero; nothing of it moves where this is the first.
    let shape = b.shape(rows).clone();
    let this = places(b, rows, COLUMN, Direction::Eq, before);
    let [begins_wide, inside] = [begins, inside].map(|v| leading(b, v, &shape));
    let known = b.binary(Binary::And, this, inside);
    let column = along(b, column, &shape, ROW);
    let column = b.select(begins_wide, rows, column);
    let rows = b.select(known, column, moved);
    let h = put_at(b, h, ROW, k, rows);
    let [h, q] = [h, q].map(|x| {
        let columns = some_at(b, x, COLUMN, k, 2);
        let columns = reflect_rows(b, columns, v, tau);
        put_at(b, x, COLUMN, k, columns)
    });
    // Where there is something before the first row, that stays real.
    let start = element(b, h, first, before);
    let none = b.full_like(start, 0.0);
    let some = b.compare(Direction::Ne, start, none);
    let some = [begins, within].into_iter().fold(some, |some, v| b.binary(Binary::And, some, v));
    let axes = batch_axes(b, some, 0);
    let any = b.reduce(Combiner::Or, some, &axes);
    let operands = [some, tau, first, last, h, q];
    let types: Vec<Type> = operands.iter().map(|&v| b.ty(v).clone()).collect();
    let branches = [false, true].map(|kept_real| {
        let mut b = Builder::new();
        let x = b.inputs(&types);
        let y = if kept_real { with_real_start(&mut b, &x) } else { [x[4], x[5]] };
        Arc::new(b.finish(&y))
    });
    b.push(Cond { branches: branches.into() }, &[&[any], &operands[..]].concat()).to_vec()
}

/// Rows and columns from `first` to `last`, but for the second, turned by the phase of `1 - tau`, for the members that are marked.
fn with_real_start(b: &mut Builder, x: &[Var]) -> [Var; 2] {
    let &[some, tau, first, last, h, q] = x else { unreachable!("six operands") };
    let one = b.full_like(tau, 1.0);
    let left = b.sub(one, tau);
    let back = conj(b, left);
    let phase = direction(b, back, some);
    let second = b.offset(first, 1.0);
    let [from, to, not] =
        [(Direction::Ge, first), (Direction::Le, last), (Direction::Ne, second)].map(|(d, v)| places(b, h, ROW, d, v));
    let rows = [to, not].into_iter().fold(from, |rows, v| b.binary(Binary::And, rows, v));
    let (h_turned, q) = turned(b, rows, phase, h, q);
    // What stands before the first row is real as it is.
    let earlier = places(b, h, COLUMN, Direction::Lt, first);
    [b.select(earlier, h, h_turned), q]
}

/// A number divided by its size, where it is marked; one elsewhere.
fn direction(b: &mut Builder, x: Var, some: Var) -> Var {
    let size = b.unary(Unary::Abs, x);
    let size = b.convert(size, b.dtype(x));
    let (one, phase) = (b.full_like(x, 1.0), b.div(x, size));
    b.select(some, phase, one)
}

/// Rows that are marked turned back by a phase, and the columns of the same numbers turned by it; likewise those of `q`.
fn turned(b: &mut Builder, rows: Var, by: Var, h: Var, q: Var) -> (Var, Var) {
    let shape = b.shape(h).clone();
    let rank = shape.rank();
    let columns = b.move_axis(rows, rank - ROW, rank - COLUMN);
    let forth = leading(b, by, &shape);
    let back = conj(b, forth);
    let one = b.full_like(h, 1.0);
    let (back, forth) = (b.select(rows, back, one), b.select(columns, forth, one));
    let h = b.mul(back, h);
    (b.mul(h, forth), b.mul(q, forth))
}

/// Rows `i` and `i + 1` turned by this cosine and sine.
pub(super) fn turn_rows(b: &mut Builder, x: Var, i: Var, c: Var, s: Var) -> Var {
    let [c_conj, s_conj] = [c, s].map(|x| conj(b, x));
    turn(b, x, ROW, i, [c_conj, s_conj, c, s])
}

/// Columns turned likewise.
pub(super) fn turn_columns(b: &mut Builder, x: Var, i: Var, c: Var, s: Var) -> Var {
    let [c_conj, s_conj] = [c, s].map(|x| conj(b, x));
    turn(b, x, COLUMN, i, [c, s, c_conj, s_conj])
}

fn turn(b: &mut Builder, x: Var, axis: usize, i: Var, by: [Var; 4]) -> Var {
    let pair = some_at(b, x, axis, i, 2);
    let [first, second] = halves(b, pair, axis);
    let shape = b.shape(first).clone();
    let [c, s, c_other, s_other] = by.map(|v| leading(b, v, &shape));
    let (cp, sq) = (b.mul(c, first), b.mul(s, second));
    let (sp, cq) = (b.mul(s_other, first), b.mul(c_other, second));
    let turned = [b.add(cp, sq), b.sub(cq, sp)];
    let rank = shape.rank();
    let pair = b.concatenate(&turned, rank - axis);
    put_at(b, x, axis, i, pair)
}

/// The element at a position for each member of the batch; zero where there is none.
pub(super) fn element(b: &mut Builder, h: Var, i: Var, j: Var) -> Var {
    let (row, column) = (places(b, h, ROW, Direction::Eq, i), places(b, h, COLUMN, Direction::Eq, j));
    let mask = b.binary(Binary::And, row, column);
    let row = pick(b, h, mask, ROW);
    let last = b.shape(row).rank() - 1;
    b.sum(row, &[last])
}

/// The row that an iteration starts from: the last before `last` for which what that neglects is next to nothing, as LAPACK
/// chooses it. The order of eigenvalues depends on that.
fn start(b: &mut Builder, last: Var, shift: Var, h: Var) -> Var {
    let main = diagonal(b, h);
    let [under, _] = beside(b, h);
    let shape = b.shape(main).clone();
    let shift = leading(b, shift, &shape);
    let apart = b.sub(main, shift);
    let before = shifted(b, under, 1);
    let next = shifted(b, main, -1);
    let [under, before] = [under, before].map(|v| b.unary(Unary::Abs, v));
    let [main, next, apart] = [main, next, apart].map(|v| parts_size(b, v));
    let neglected = b.mul(before, under);
    let sum = b.add(main, next);
    let enough = b.mul(apart, sum);
    let enough = b.scale(enough, epsilon(b.dtype(h)));
    let small = b.compare(Direction::Le, neglected, enough);
    // Or the element before it is zero.
    let none = b.full_like(before, 0.0);
    let none = b.compare(Direction::Le, before, none);
    let small = b.binary(Binary::Or, small, none);
    let row = b.one(Iota { ty: b.ty(main).with_dtype(DType::I32), dim: shape.rank() - 1 }, &[]);
    let to = leading(b, last, &shape);
    let within = b.compare(Direction::Lt, row, to);
    let small = b.binary(Binary::And, small, within);
    let zero = b.full_like(row, 0.0);
    let starts = b.select(small, row, zero);
    b.reduce(Combiner::Max, starts, &[shape.rank() - 1])
}

/// The eigenvalue of the last two rows and columns that is nearer to the last element; something else from time to time,
/// should that lead nowhere.
fn shift(b: &mut Builder, last: Var, waiting: Var, h: Var) -> Var {
    let before = b.offset(last, -1.0);
    let (p, q) = (element(b, h, before, before), element(b, h, before, last));
    let (r, s) = (element(b, h, last, before), element(b, h, last, last));
    let half = b.sub(p, s);
    let half = b.scale(half, 0.5);
    let product = b.mul(q, r);
    let squared = b.mul(half, half);
    let inside = b.add(squared, product);
    let root = b.unary(Unary::Sqrt, inside);
    let (plus, minus) = (b.add(half, root), b.sub(half, root));
    let [plus_size, minus_size] = [plus, minus].map(|x| b.unary(Unary::Abs, x));
    let first = b.compare(Direction::Ge, plus_size, minus_size);
    let far = b.select(first, plus, minus);
    let size = b.unary(Unary::Abs, far);
    let none = b.full_like(size, 0.0);
    let some = b.compare(Direction::Gt, size, none);
    let quotient = b.div(product, far);
    let near = b.sub(s, quotient);
    let near = b.select(some, near, s);
    let step = b.unary(Unary::Abs, r);
    let step = b.scale(step, 0.75);
    let step = b.convert(step, b.dtype(h));
    let other = b.add(s, step);
    let ten = b.full_like(waiting, 10.0);
    let phase = b.binary(Binary::Rem, waiting, ten);
    let nine = b.full_like(waiting, 9.0);
    let long = b.compare(Direction::Eq, phase, nine);
    b.select(long, other, near)
}

/// Some rows (or columns) from `i` on.
pub(super) fn some_at(b: &mut Builder, x: Var, axis: usize, i: Var, some: usize) -> Var {
    let mut size = b.shape(x).0.clone();
    let at = size.len() - axis;
    size[at] = some;
    let starts = starts(b, size.len(), at, i);
    b.dynamic_slice(x, &starts, &size)
}

fn starts(b: &mut Builder, rank: usize, at: usize, i: Var) -> Vec<Var> {
    let zero = b.zeros(&Type::scalar(DType::I32));
    (0..rank).map(|d| if d == at { i } else { zero }).collect()
}

/// Both rows (or columns) of a pair.
fn halves(b: &mut Builder, pair: Var, axis: usize) -> [Var; 2] {
    let shape = b.shape(pair).clone();
    let at = shape.rank() - axis;
    [0, 1].map(|k| b.slice_axis(pair, at, k, k + 1))
}

/// Puts rows (or columns) in their place from `i` on.
pub(super) fn put_at(b: &mut Builder, x: Var, axis: usize, i: Var, some: Var) -> Var {
    let rank = b.shape(x).rank();
    let starts = starts(b, rank, rank - axis, i);
    b.dynamic_update_slice(x, some, &starts)
}
