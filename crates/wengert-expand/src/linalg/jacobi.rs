//! Jacobi's method, by which eigenvalues of Hermitian matrices and singular values are found: columns are turned two by two
//! until they are orthogonal. All pairs of a round are disjoint, so they are turned at once; a sweep brings every column
//! together with every other, as in a tournament.

use super::*;

/// More sweeps than matrices that fit into memory take.
const SWEEPS: i32 = 40;

/// Zeros added to the right and below.
pub(super) fn widened(b: &mut Builder, x: Var, to: [usize; 2]) -> Var {
    let rank = b.shape(x).rank();
    let mut high = vec![0; rank];
    for (axis, size) in [rank - ROW, rank - COLUMN].into_iter().zip(to) {
        high[axis] = (size - b.shape(x)[axis]) as i64;
    }
    b.pad(x, 0.0, &vec![0; rank], &high)
}

/// How the columns of each pair are turned: the right one by a phase, then both by an angle.
pub(super) struct Turn {
    cos: Var,
    sin: Var,
    phase: Var,
}

impl Turn {
    /// The turn that makes the columns of pairs orthogonal which have these squared lengths and products; and how large
    /// the products are, where they matter.
    pub(super) fn new(b: &mut Builder, left: Var, right: Var, product: Var) -> (Turn, Var) {
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
    pub(super) fn apply(&self, b: &mut Builder, x: Var) -> Var {
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
pub(super) fn sweeps(
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
