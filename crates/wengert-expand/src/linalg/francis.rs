//! The Schur form of real matrices, in real numbers: the QR algorithm with two shifts at a time, which are conjugates of
//! each other or equal (Francis).

use super::factor::{Reflection, reflect, reflection};
use super::schur::{cleared, element, goes_on, hessenberg, put_at, reflect_rows, some_at, turn_columns, turn_rows};
use super::*;

/// `t`, triangular but for blocks of two rows whose eigenvalues are conjugates, and the orthogonal `q` such that the operand
/// is `q·t·qᵀ`. In a block both elements of the diagonal are equal, and the two beside it have different signs.
pub fn real_schur(b: &mut Builder, a: Var) -> Vec<Var> {
    let [n, _] = sizes(b, a);
    if n < 2 {
        return vec![a, eye(b, a, [n, n])];
    }
    let (x, size) = scaled(b, a);
    let (h, q) = hessenberg(b, x);
    // With one more row and column, three can be taken from each of the others on but the last.
    let (h, q) = (wider(b, h, [1, 1]), wider(b, q, [0, 1]));
    let (mut h, mut q, done) = in_blocks(b, h, q, n);
    // A block may have to be turned twice to find that it can be split.
    for _ in 0..2 {
        let y = count(b, Steps::Up(n - 1), &[], &[h, q], &[], |b, x| split(b, x[0], x[1], x[2]));
        (h, q) = (y[0], y[1]);
    }
    let (t, q) = (wider(b, h, [-1, -1]), wider(b, q, [0, -1]));
    let y = vec![times(b, t, size), q];
    let y = if_finite(b, a, y);
    or_nan(b, done, y)
}

/// Real and imaginary parts of the eigenvalues of such a `t`.
pub fn pairs(b: &mut Builder, t: Var) -> Vec<Var> {
    let re = diagonal(b, t);
    let roots = beside(b, t).map(|element| {
        let size = b.unary(Unary::Abs, element);
        b.unary(Unary::Sqrt, size)
    });
    let up = b.mul(roots[0], roots[1]);
    let down = shifted(b, up, 1);
    vec![re, b.sub(up, down)]
}

/// Schur's form of real matrices in complex numbers: triangular, with the eigenvalues of each block on the diagonal.
pub(super) fn in_complex(b: &mut Builder, a: Var) -> Vec<Var> {
    let [n, _] = sizes(b, a);
    let y = real_schur(b, a);
    let w = pairs(b, y[0]);
    let values = b.binary(Binary::Complex, w[0], w[1]);
    let dtype = b.dtype(values);
    let [t, q] = [y[0], y[1]].map(|v| b.convert(v, dtype));
    let y = match n < 2 {
        true => vec![t, q],
        false => count(b, Steps::Up(n - 1), &[w[1]], &[t, q], &[], |b, x| {
            let (im, t, q, i) = (x[0], x[1], x[2], x[3]);
            let next = b.offset(i, 1.0);
            let row = slice_at(b, t, ROW, next);
            let under = slice_at(b, row, COLUMN, i);
            let under = real(b, under);
            let im = slice_at(b, im, COLUMN, i);
            let (zero, one) = (b.full_like(under, 0.0), b.full_like(under, 1.0));
            let some = b.compare(Direction::Ne, under, zero);
            // The first vector of the block is the eigenvector `(i·im, under)`.
            let length = hypotenuse(b, im, under);
            let (c, s) = (b.div(im, length), b.div(under, length));
            let (c_re, c_im) = (b.select(some, zero, one), b.select(some, c, zero));
            let (c, s) = (b.binary(Binary::Complex, c_re, c_im), b.select(some, s, zero));
            let s = b.convert(s, dtype);
            let t = turn_rows(b, t, i, c, s);
            vec![turn_columns(b, t, i, c, s), turn_columns(b, q, i, c, s)]
        }),
    };
    let shape = b.shape(y[0]).clone();
    let [upper, on] = [Direction::Lt, Direction::Eq].map(|d| triangle(b, y[0], d));
    let zero = b.full_like(y[0], 0.0);
    let t = b.select(upper, y[0], zero);
    let values = along(b, values, &shape, COLUMN);
    vec![b.select(on, values, t), y[1]]
}

/// More rows and columns of zeros, or fewer.
fn wider(b: &mut Builder, x: Var, by: [i64; 2]) -> Var {
    let rank = b.shape(x).rank();
    let (low, mut high) = (vec![0; rank], vec![0; rank]);
    high[rank - 2..].copy_from_slice(&by);
    b.pad(x, 0.0, &low, &high)
}

/// Nothing but blocks of one or two rows on the diagonal, and which members of the batch got there.
///
/// Of each member the rows from `first` to `last` are a larger block, the last such.
fn in_blocks(b: &mut Builder, h: Var, q: Var, n: usize) -> (Var, Var, Var) {
    let rank = b.shape(h).rank();
    let batch = b.shape(h).without_axes(&[rank - ROW, rank - COLUMN]);
    let (number, each) = (Type::scalar(DType::I32), Type::new(DType::I32, batch));
    let state = [number.clone(), each.clone(), each.clone(), each.clone(), b.ty(h).clone(), b.ty(q).clone()];

    let mut body = Builder::new();
    let x = body.inputs(&state);
    let count = body.offset(x[0], 1.0);
    let (h_next, q_next) = sweep(&mut body, [x[2], x[1], x[3]], x[4], x[5]);
    let (h_next, first, last) = larger(&mut body, h_next);
    let same = body.compare(Direction::Eq, last, x[1]);
    let (waiting, zero) = (body.offset(x[3], 1.0), body.zeros(&each));
    let waiting = body.select(same, waiting, zero);
    let body = body.finish(&[count, last, first, waiting, h_next, q_next]).into();

    let (h, first, last) = larger(b, h);
    let (none, zero) = (b.zeros(&number), b.zeros(&each));
    let y = b.push(While { consts: 0, cond: goes_on(&state, n), body }, &[none, last, first, zero, h, q]);
    let done = b.compare(Direction::Eq, y[1], zero);
    // What reflections left under the subdiagonal is nothing.
    let index = b.ty(h).with_dtype(DType::I32);
    let [row, column] = [ROW, COLUMN].map(|axis| b.one(Iota { ty: index.clone(), dim: rank - axis }, &[]));
    let next = b.offset(column, 1.0);
    let kept = b.compare(Direction::Le, row, next);
    let zero = b.full_like(h, 0.0);
    (b.select(kept, y[4], zero), y[5], done)
}

/// With zeros where elements of the subdiagonal are next to nothing: the last block of more than two rows, its first row
/// and its last; both 0 if there is none.
fn larger(b: &mut Builder, h: Var) -> (Var, Var, Var) {
    let (h, stays) = cleared(b, h);
    let axis = b.shape(h).rank() - COLUMN;
    let joined = b.reduce(Combiner::Or, stays, &[axis]);
    let joined = b.convert(joined, DType::I32);
    let before = shifted(b, joined, 1);
    let row = b.one(Iota { ty: b.ty(joined).clone(), dim: axis - 1 }, &[]);
    let zero = b.full_like(row, 0.0);
    let both = b.mul(joined, before);
    let both = b.mul(both, row);
    let last = b.reduce(Combiner::Max, both, &[axis - 1]);
    let limit = leading(b, last, &b.shape(row).clone());
    let within = b.compare(Direction::Le, row, limit);
    let begins = b.compare(Direction::Eq, joined, zero);
    let begins = b.binary(Binary::And, begins, within);
    let rows = b.select(begins, row, zero);
    (h, b.reduce(Combiner::Max, rows, &[axis - 1]), last)
}

/// One iteration on the rows from `first` to `last`: what two shifts make of the first column (or of a later one, where
/// that is as good) decides on a reflection of three rows and columns, and others follow, each of which takes to zero what
/// the one before it left.
fn sweep(b: &mut Builder, [first, last, waiting]: [Var; 3], h: Var, q: Var) -> (Var, Var) {
    let [n, _] = sizes(b, q);
    let (first, lead) = lead(b, [first, last, waiting], h);
    let y = count(b, Steps::Up(n - 1), &[first, last, lead], &[h, q], &[], |b, x| {
        let (first, last, lead, h, q, k) = (x[0], x[1], x[2], x[3], x[4], x[5]);
        let rows = some_at(b, h, ROW, k, 3);
        let shape = b.shape(first).clone();
        let here = leading(b, k, &shape);
        let begins = b.compare(Direction::Eq, here, first);
        let before = b.offset(k, -1.0);
        let column = slice_at(b, rows, COLUMN, before);
        let begins_wide = leading(b, begins, &b.shape(lead).clone());
        let column = b.select(begins_wide, lead, column);
        // Outside of the block there is nothing to reflect.
        let place = b.one(Iota { ty: b.ty(lead).with_dtype(DType::I32), dim: b.shape(lead).rank() - 1 }, &[]);
        let wide = b.shape(place).clone();
        let [row, from, to] = [k, first, last].map(|v| leading(b, v, &wide));
        let after = b.compare(Direction::Ge, row, from);
        let row = b.add(row, place);
        let within = b.compare(Direction::Le, row, to);
        let inside = b.binary(Binary::And, after, within);
        let none = b.full_like(column, 0.0);
        let column = b.select(inside, column, none);
        let zero = b.zeros(&Type::scalar(DType::I32));
        let Reflection { v, tau, column } = reflection(b, column, zero);
        let moved = reflect(b, rows, v, tau);
        // The column before this one is known, unless this is the first.
        let shape = b.shape(rows).clone();
        let this = places(b, rows, COLUMN, Direction::Eq, before);
        let [here, from, to] = [k, first, last].map(|v| leading(b, v, &shape));
        let after = b.compare(Direction::Gt, here, from);
        let inside = b.compare(Direction::Lt, here, to);
        let known = b.binary(Binary::And, after, inside);
        let known = b.binary(Binary::And, known, this);
        let column = along(b, column, &shape, ROW);
        let rows = b.select(known, column, moved);
        let h = put_at(b, h, ROW, k, rows);
        [h, q]
            .map(|x| {
                let columns = some_at(b, x, COLUMN, k, 3);
                let columns = reflect_rows(b, columns, v, tau);
                put_at(b, x, COLUMN, k, columns)
            })
            .to_vec()
    });
    (y[0], y[1])
}

/// The row to start from, and the three elements from there on of its column of `(h - s₁)·(h - s₂)`, both shifts being the
/// eigenvalues of the last two rows and columns; if these are real, the nearer to the last element twice. From time to time
/// something else. Rows before the start are left out if what that neglects is next to nothing: as LAPACK does.
fn lead(b: &mut Builder, [first, last, waiting]: [Var; 3], h: Var) -> (Var, Var) {
    let before = b.offset(last, -1.0);
    let (p, q) = (element(b, h, before, before), element(b, h, before, last));
    let (r, s) = (element(b, h, last, before), element(b, h, last, last));
    let earlier = b.offset(last, -2.0);
    let other = element(b, h, before, earlier);
    let [r_size, other_size] = [r, other].map(|v| b.unary(Unary::Abs, v));
    let size = b.add(r_size, other_size);
    let step = b.scale(size, 0.75);
    let raised = b.add(s, step);
    let across = b.scale(size, -0.4375);
    let ten = b.full_like(waiting, 10.0);
    let phase = b.binary(Binary::Rem, waiting, ten);
    let nine = b.full_like(waiting, 9.0);
    let long = b.compare(Direction::Eq, phase, nine);
    let [p, q, r, s] =
        [(raised, p), (across, q), (size, r), (raised, s)].map(|(other, usual)| b.select(long, other, usual));
    let sum = b.add(p, s);
    let mean = b.scale(sum, 0.5);
    let (left, right) = (b.sub(p, mean), b.sub(s, mean));
    let (product, crossed) = (b.mul(left, right), b.mul(q, r));
    let inside = b.sub(product, crossed);
    let root = b.unary(Unary::Abs, inside);
    let root = b.unary(Unary::Sqrt, root);
    let zero = b.full_like(root, 0.0);
    let conjugates = b.compare(Direction::Ge, inside, zero);
    let ends = [b.add(mean, root), b.sub(mean, root)];
    let away = ends.map(|end| {
        let apart = b.sub(end, s);
        b.unary(Unary::Abs, apart)
    });
    let upper = b.compare(Direction::Le, away[0], away[1]);
    let near = b.select(upper, ends[0], ends[1]);
    let (re, im) = (b.select(conjugates, mean, near), b.select(conjugates, root, zero));

    // For every row that may be the first.
    let main = diagonal(b, h);
    let [under, over] = beside(b, h);
    let wide = b.shape(main).clone();
    let [re, im] = [re, im].map(|v| leading(b, v, &wide));
    let [next_main, next_under] = [main, under].map(|v| shifted(b, v, -1));
    let (top, middle) = (b.sub(main, re), b.sub(next_main, re));
    let terms = [b.mul(under, over), b.mul(top, top), b.mul(im, im)];
    let one = b.add(terms[1], terms[2]);
    let one = b.add(one, terms[0]);
    let two = b.add(top, middle);
    let parts = [one, b.mul(under, two), b.mul(under, next_under)];
    let [one_size, two_size, three_size] = parts.map(|v| b.unary(Unary::Abs, v));
    let before = shifted(b, under, 1);
    let before = b.unary(Unary::Abs, before);
    let rest = b.add(two_size, three_size);
    let neglected = b.mul(before, rest);
    let previous = shifted(b, main, 1);
    let near = [previous, main, next_main].map(|v| b.unary(Unary::Abs, v));
    let near = [near[1], near[2]].into_iter().fold(near[0], |sum, v| b.add(sum, v));
    let enough = b.mul(one_size, near);
    let enough = b.scale(enough, epsilon(b.dtype(h)));
    let small = b.compare(Direction::Le, neglected, enough);
    let row = b.one(Iota { ty: b.ty(main).with_dtype(DType::I32), dim: wide.rank() - 1 }, &[]);
    let third = b.offset(row, 2.0);
    let [from, to] = [first, last].map(|v| leading(b, v, &wide));
    let (after, within) = (b.compare(Direction::Gt, row, from), b.compare(Direction::Le, third, to));
    let inside = b.binary(Binary::And, after, within);
    let small = b.binary(Binary::And, small, inside);
    let starts = b.select(small, row, from);
    let start = b.reduce(Combiner::Max, starts, &[wide.rank() - 1]);
    let here = leading(b, start, &wide);
    let here = b.compare(Direction::Eq, row, here);
    let thin: Shape = b.shape(first).iter().copied().chain([1]).collect();
    let parts = parts.map(|v| {
        let one = pick(b, v, here, COLUMN);
        b.reshape(one, &thin)
    });
    (start, b.concatenate(&parts, thin.rank() - 1))
}

/// Rows and columns `i` and `i + 1` turned so that what is one block there is of the form it should have.
fn split(b: &mut Builder, h: Var, q: Var, i: Var) -> Vec<Var> {
    let rank = b.shape(h).rank();
    let batch = b.shape(h).without_axes(&[rank - ROW, rank - COLUMN]);
    let rows = some_at(b, h, ROW, i, 2);
    let block = some_at(b, rows, COLUMN, i, 2);
    let mut corner = |row: usize, column: usize| {
        let one = b.slice_axis(block, rank - ROW, row, row + 1);
        let one = b.slice_axis(one, rank - COLUMN, column, column + 1);
        b.reshape(one, &batch)
    };
    let old = [corner(0, 0), corner(0, 1), corner(1, 0), corner(1, 1)];
    let ([c, s], new) = standard(b, old);
    let h = turn_rows(b, h, i, c, s);
    let h = turn_columns(b, h, i, c, s);
    let q = turn_columns(b, q, i, c, s);
    let thin: Shape = batch.iter().copied().chain([1, 1]).collect();
    let [p, q_, r, t] = new.map(|v| b.reshape(v, &thin));
    let [upper, lower] = [[p, q_], [r, t]].map(|pair| b.concatenate(&pair, rank - COLUMN));
    let block = b.concatenate(&[upper, lower], rank - ROW);
    let rows = some_at(b, h, ROW, i, 2);
    let rows = put_at(b, rows, COLUMN, i, block);
    vec![put_at(b, h, ROW, i, rows), q]
}

/// The turn (its cosine and sine) that makes `[[p, q], [r, s]]` triangular, or equal on the diagonal if it can't be; and
/// what that gives.
fn standard(b: &mut Builder, [p, q, r, s]: [Var; 4]) -> ([Var; 2], [Var; 4]) {
    let [zero, one] = [0.0, 1.0].map(|n| b.full_like(p, n));
    let signed = |b: &mut Builder, size: Var, like: Var| {
        let (down, minus) = (b.compare(Direction::Lt, like, zero), b.neg(size));
        b.select(down, minus, size)
    };
    let apart = b.sub(p, s);
    let half = b.scale(apart, 0.5);
    let [q_size, r_size, half_size] = [q, r, half].map(|v| b.unary(Unary::Abs, v));
    let (most, least) = (b.binary(Binary::Max, q_size, r_size), b.binary(Binary::Min, q_size, r_size));
    let least = signed(b, least, q);
    let least = signed(b, least, r);
    let size = b.binary(Binary::Max, half_size, most);
    let size = or_one(b, size);
    let (half_part, most_part) = (b.div(half, size), b.div(most, size));
    let (squared, crossed) = (b.mul(half_part, half), b.mul(most_part, least));
    let inside = b.add(squared, crossed);

    // Two real eigenvalues.
    let clear = b.full_like(inside, 4.0 * epsilon(b.dtype(p)));
    let clear = b.compare(Direction::Ge, inside, clear);
    let (level, some) = (b.compare(Direction::Eq, half, zero), b.compare(Direction::Gt, inside, zero));
    let level = b.binary(Binary::And, level, some);
    let real = b.binary(Binary::Or, clear, level);
    let root = b.unary(Unary::Abs, inside);
    let [root, size] = [root, size].map(|v| b.unary(Unary::Sqrt, v));
    let root = b.mul(root, size);
    let root = signed(b, root, half);
    let z = b.add(half, root);
    let z = or_one(b, z);
    let quotient = b.div(most, z);
    let change = b.mul(quotient, least);
    let length = hypotenuse(b, r, z);
    let triangular = [b.div(z, length), b.div(r, length), b.add(s, z), b.sub(q, r), zero, b.sub(s, change)];

    // Conjugates, or real ones too close to tell.
    let sigma = b.add(q, r);
    let length = hypotenuse(b, sigma, apart);
    let sigma_size = b.unary(Unary::Abs, sigma);
    let quotient = b.div(sigma_size, length);
    let inside = b.offset(quotient, 1.0);
    let inside = b.scale(inside, 0.5);
    let c = b.unary(Unary::Sqrt, inside);
    let divisor = b.mul(length, c);
    let s_ = b.div(half, divisor);
    let s_ = b.neg(s_);
    let s_ = signed(b, s_, sigma);
    let combine = |b: &mut Builder, x: Var, y: Var, plus: bool| {
        let (cx, sy) = (b.mul(c, x), b.mul(s_, y));
        if plus { b.add(cx, sy) } else { b.sub(cx, sy) }
    };
    let (p1, q1) = (combine(b, p, q, true), combine(b, q, p, false));
    let (r1, s1) = (combine(b, r, s, true), combine(b, s, r, false));
    let (p2, q2) = (combine(b, p1, r1, true), combine(b, q1, s1, true));
    let (r2, s2) = (combine(b, r1, p1, false), combine(b, s1, q1, false));
    let sum = b.add(p2, s2);
    let mean = b.scale(sum, 0.5);
    let equal = [c, s_, mean, q2, r2, mean];

    let minus = b.neg(r);
    let exchanged = [zero, one, s, minus, zero, p];
    let same = [one, zero, p, q, r, s];
    let [no_upper, no_lower] = [q, r].map(|v| b.compare(Direction::Eq, v, zero));
    let mut of = |k: usize| {
        let y = b.select(real, triangular[k], equal[k]);
        let y = b.select(no_upper, exchanged[k], y);
        b.select(no_lower, same[k], y)
    };
    ([of(0), of(1)], [of(2), of(3), of(4), of(5)])
}

/// `√(x² + y²)`, or 1 where both are zero.
fn hypotenuse(b: &mut Builder, x: Var, y: Var) -> Var {
    let [x, y] = [x, y].map(|v| b.unary(Unary::Abs, v));
    let most = b.binary(Binary::Max, x, y);
    let most = or_one(b, most);
    let [x, y] = [x, y].map(|v| {
        let part = b.div(v, most);
        b.mul(part, part)
    });
    let sum = b.add(x, y);
    let root = b.unary(Unary::Sqrt, sum);
    let length = b.mul(most, root);
    or_one(b, length)
}

/// With 1 in place of zero.
fn or_one(b: &mut Builder, x: Var) -> Var {
    let (zero, one) = (b.full_like(x, 0.0), b.full_like(x, 1.0));
    let none = b.compare(Direction::Eq, x, zero);
    b.select(none, one, x)
}
