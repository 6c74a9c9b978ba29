//! Eigenvalues of Hermitian matrices and singular values by Jacobi's method: columns are turned two by two until they
//! are orthogonal. All pairs of a round are disjoint, so they are turned at once; a sweep brings every column together
//! with every other, as in a tournament.

use super::*;

/// More sweeps than matrices that fit into memory take.
const SWEEPS: i32 = 40;

/// Eigenvalues in ascending order, and eigenvectors.
pub(crate) fn eigh(b: &mut Builder, op: &Eigh, a: Var) -> Vec<Var> {
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

/// Singular values in descending order, between the left and right singular vectors if asked for.
pub(crate) fn svd(b: &mut Builder, op: &Svd, a: Var) -> Vec<Var> {
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

/// Zeros added to the right and below.
fn widened(b: &mut Builder, x: Var, to: [usize; 2]) -> Var {
    let rank = b.shape(x).rank();
    let mut high = vec![0; rank];
    for (axis, size) in [rank - ROW, rank - COLUMN].into_iter().zip(to) {
        high[axis] = (size - b.shape(x)[axis]) as i64;
    }
    b.pad(x, 0.0, &vec![0; rank], &high)
}

/// How the columns of each pair are turned: the right one by a phase, then both by an angle.
struct Turn {
    cos: Var,
    sin: Var,
    phase: Var,
}

impl Turn {
    /// The turn that makes the columns of pairs orthogonal which have these squared lengths and products; and how large
    /// the products are, where they matter.
    fn new(b: &mut Builder, left: Var, right: Var, product: Var) -> (Turn, Var) {
        let dtype = b.dtype(product);
        let size = b.unary(Unary::Abs, product);
        let tiny = b.full_like(size, negligible(dtype));
        let some = b.compare(Direction::Gt, size, tiny);
        let zero = b.full_like(size, 0.0);
        let off = b.select(some, size, zero);
        // The smaller solution of t² + 2·τ·t = 1.
        let apart = b.sub(right, left);
        let twice = b.scale(size, 2.0);
        let tau = b.div(apart, twice);
        let tau_squared = b.mul(tau, tau);
        let root = b.offset(tau_squared, 1.0);
        let root = b.unary(Unary::Sqrt, root);
        let minus = b.neg(root);
        let forward = b.compare(Direction::Ge, tau, zero);
        let root = b.select(forward, root, minus);
        let sum = b.add(tau, root);
        let one = b.full_like(size, 1.0);
        let t = b.div(one, sum);
        let t = b.select(some, t, zero);
        let squared = b.mul(t, t);
        let squared = b.offset(squared, 1.0);
        let length = b.unary(Unary::Sqrt, squared);
        let cos = b.div(one, length);
        let sin = b.mul(t, cos);
        let phase = phase(b, product);
        let [cos, sin] = [cos, sin].map(|x| b.convert(x, dtype));
        (Turn { cos, sin, phase }, off)
    }

    /// Turns columns, and moves each to its place for the next round: the first stays, the others go round.
    fn apply(&self, b: &mut Builder, x: Var) -> Var {
        let [_, n] = sizes(b, x);
        let k = n / 2;
        let axis = b.shape(x).rank() - COLUMN;
        let (left, right) = (columns(b, x, 0, k), columns(b, x, k, n));
        let right = times_columns(b, right, self.phase);
        let mut both = |l: Var, r: Var, minus: bool| {
            let (l, r) = (times_columns(b, left, l), times_columns(b, right, r));
            if minus { b.sub(l, r) } else { b.add(l, r) }
        };
        let (left, right) = (both(self.cos, self.sin, true), both(self.sin, self.cos, false));
        if k == 1 {
            return b.concatenate(&[left, right], axis);
        }
        let parts = [(left, 0, 1), (right, 0, 1), (left, 1, k - 1), (right, 1, k), (left, k - 1, k)];
        let parts: Vec<Var> =
            parts.into_iter().filter(|(_, from, to)| from < to).map(|(x, from, to)| columns(b, x, from, to)).collect();
        b.concatenate(&parts, axis)
    }
}

/// Rounds over `k` pairs of columns, sweep after sweep, until a sweep finds no pair that says it is busy. A round gives
/// the next carries and which pairs are.
fn sweeps(
    b: &mut Builder,
    k: usize,
    consts: &[Var],
    carries: &[Var],
    round: impl FnOnce(&mut Builder, &[Var], &[Var]) -> (Vec<Var>, Var),
) -> Vec<Var> {
    let (bool, number) = (Type::scalar(DType::Bool), Type::scalar(DType::I32));
    let types = |vars: &[Var]| -> Vec<Type> { vars.iter().map(|&v| b.ty(v).clone()).collect() };
    let (consts_ty, carries_ty) = (types(consts), types(carries));

    let mut inner = Builder::new();
    let c = inner.inputs(&consts_ty);
    let before = inner.input(bool.clone());
    let x = inner.inputs(&carries_ty);
    let (next, busy) = round(&mut inner, &c, &x);
    let axes = batch_axes(&inner, busy, 0);
    let busy = inner.reduce(Combiner::Or, busy, &axes);
    let busy = inner.binary(Binary::Or, before, busy);
    let body = inner.finish_all(&[vec![busy], next].concat()).into();
    let rounds = Scan { length: 2 * k - 1, consts: consts.len(), carries: 1 + carries.len(), reverse: false, body };

    let state: Vec<Type> = [&consts_ty[..], &[number.clone(), bool.clone()], &carries_ty[..]].concat();
    let mut cond = Builder::new();
    let x = cond.inputs(&state);
    let most = cond.full(&number, SWEEPS as f64);
    let few = cond.compare(Direction::Lt, x[consts.len()], most);
    let go_on = cond.binary(Binary::And, few, x[consts.len() + 1]);
    let cond = cond.finish(&[go_on]).into();

    let mut sweep = Builder::new();
    let x = sweep.inputs(&state);
    let count = sweep.offset(x[consts.len()], 1.0);
    let calm = sweep.zeros(&bool);
    let y = sweep.push(rounds, &[&x[..consts.len()], &[calm], &x[consts.len() + 2..]].concat());
    let body = sweep.finish(&[&[count], &y[..]].concat()).into();

    let (none, busy) = (b.zeros(&number), b.full(&bool, 1.0));
    let operands = [consts, &[none, busy], carries].concat();
    b.push(While { consts: consts.len(), cond, body }, &operands)[2..].to_vec()
}
