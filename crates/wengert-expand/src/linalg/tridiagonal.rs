//! Systems of equations with three diagonals, as LAPACK's `gtsv` solves them: down row by row, where a row changes places
//! with the next if that one has the larger element, and up again.

use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Program, Type, Var};

/// Solves for the right sides of type `b`, given the diagonals below, on and above the main one, all of type `d`; the
/// first element of the one below and the last of the one above do not count. Also gives the number of the first row
/// without a pivot, from one, or zero: no solution is one then.
pub fn solve(d: &Type, b: &Type) -> Program {
    let n = d.shape[0];
    let mut p = Builder::new();
    let [lower, main, upper, right] = inputs(&mut p, d, b);
    if n == 0 {
        let fine = p.zeros(&Type::scalar(DType::I32));
        return p.finish(&[right, fine]).with_name("gtsv");
    }
    let types = Types { element: d.with_shape([]), row: b.with_shape(b.shape.without_axes(&[0])) };
    let mut x: Vec<Var> = [main, upper, right].map(|x| first(&mut p, x)).to_vec();
    x.extend([lower, main, upper, right].map(|x| p.slice_axis(x, 0, 1, n)));
    let down = Scan { length: n - 1, consts: 0, carries: 3, reverse: false, body: Arc::new(types.down()) };
    let rows = p.push(down, &x);

    let (pivot, sides) = (rows[0], rows[2]);
    let last = types.over(&mut p, sides, pivot);
    let after = p.zeros(&types.row);
    let up = Scan { length: n - 1, consts: 0, carries: 2, reverse: true, body: Arc::new(types.up()) };
    let solved = p.push(up, &[&[last, after], &rows[3..]].concat());
    let last = p.reshape(last, &types.row.shape.with_axis(0, 1));
    let x = p.concatenate(&[solved[2], last], 0);
    let pivot = p.reshape(pivot, &[1].into());
    let pivots = p.concatenate(&[rows[3], pivot], 0);
    let failed = first_zero(&mut p, pivots);
    p.finish(&[x, failed]).with_name("gtsv")
}

/// The inputs of a program that solves: the three diagonals and the right sides. The last element of the diagonal above, which
/// does not count, is zero.
pub(super) fn inputs(p: &mut Builder, d: &Type, b: &Type) -> [Var; 4] {
    let [lower, main, mut upper] = [(); 3].map(|()| p.input(d.clone()));
    let right = p.input(b.clone());
    if let Some(counting) = d.shape[0].checked_sub(1) {
        upper = p.slice_axis(upper, 0, 0, counting);
        upper = p.pad(upper, 0.0, &[0], &[1]);
    }
    [lower, main, upper, right]
}

/// Where the first zero is, counted from one; zero if there is none.
fn first_zero(p: &mut Builder, x: Var) -> Var {
    let number = p.ty(x).with_dtype(DType::I32);
    let n = number.shape[0];
    let at = p.one(Iota { ty: number.clone(), dim: 0 }, &[]);
    let at = p.offset(at, 1.0);
    let zero = p.full_like(x, 0.0);
    let is_zero = p.compare(Direction::Eq, x, zero);
    let none = p.full(&number, n as f64 + 1.0);
    let at = p.select(is_zero, at, none);
    let first = p.reduce(Combiner::Min, at, &[0]);
    let (none, zero) = (p.full_like(first, n as f64 + 1.0), p.full_like(first, 0.0));
    let found = p.compare(Direction::Lt, first, none);
    p.select(found, first, zero)
}

/// The first element along the first axis.
pub(super) fn first(p: &mut Builder, x: Var) -> Var {
    let shape = p.shape(x).without_axes(&[0]);
    let x = p.slice_axis(x, 0, 0, 1);
    p.reshape(x, &shape)
}

/// What a row has: an element of each diagonal, and its right sides.
pub(super) struct Types {
    pub(super) element: Type,
    pub(super) row: Type,
}

impl Types {
    /// One step down. Of the row so far and the next it makes the row that stays, with two elements after the diagonal,
    /// and the next row without its first element.
    fn down(&self) -> Program {
        let mut p = Builder::new();
        let [main, upper] = [(); 2].map(|()| p.input(self.element.clone()));
        let right = p.input(self.row.clone());
        let [lower, next_main, next_upper] = [(); 3].map(|()| p.input(self.element.clone()));
        let next_right = p.input(self.row.clone());
        let [here, below] = [main, lower].map(|x| size(&mut p, x));
        let swap = p.compare(Direction::Lt, here, below);
        let row = [main, upper, right];
        let (next, stays) = self.eliminated(&mut p, swap, row, [lower, next_main, next_upper, next_right]);
        p.finish(&[&next[..], &stays[..]].concat())
    }

    /// The next row without its first element, and the row that stays: the first of both, or the second where `swap` holds.
    pub(super) fn eliminated(
        &self,
        p: &mut Builder,
        swap: Var,
        row: [Var; 3],
        below: [Var; 4],
    ) -> ([Var; 3], [Var; 4]) {
        let ([main, upper, right], [lower, next_main, next_upper, next_right]) = (row, below);
        let zero = p.zeros(&self.element);
        let mut either = |a: Var, b: Var| {
            let shape = p.shape(a).clone();
            let swap = p.broadcast(swap, &shape, &[]);
            [p.select(swap, b, a), p.select(swap, a, b)]
        };
        let [pivot, other] = either(main, lower);
        let [stays, goes] = either(upper, next_main);
        let [stays_after, _] = either(zero, next_upper);
        let [stays_right, goes_right] = either(right, next_right);
        let factor = p.div(other, pivot);
        // Where there is nothing to take away nothing is taken: the diagonal may be zero there, and zeros have signs.
        let none = p.compare(Direction::Eq, lower, zero);
        let mut less = |x: Var, y: Var| {
            let shape = p.shape(x).clone();
            let [factor, none] = [factor, none].map(|v| p.broadcast(v, &shape, &[]));
            let y = p.mul(factor, y);
            let less = p.sub(x, y);
            p.select(none, x, less)
        };
        let [next, next_right] = [less(goes, stays), less(goes_right, stays_right)];
        let taken = p.mul(factor, next_upper);
        let taken = p.neg(taken);
        let next = [next, p.select(swap, taken, next_upper), next_right];
        (next, [pivot, stays, stays_after, stays_right])
    }

    /// One step up: the row solved, given the two rows after it.
    fn up(&self) -> Program {
        let mut p = Builder::new();
        let [x, after] = [(); 2].map(|()| p.input(self.row.clone()));
        let [pivot, upper, upper_after] = [(); 3].map(|()| p.input(self.element.clone()));
        let right = p.input(self.row.clone());
        let right = self.remaining(&mut p, right, [(upper, x), (upper_after, after)]);
        let solved = self.over(&mut p, right, pivot);
        p.finish(&[solved, x, solved])
    }

    /// A right side without what is solved after it.
    pub(super) fn remaining(&self, p: &mut Builder, right: Var, solved: [(Var, Var); 2]) -> Var {
        solved.into_iter().fold(right, |right, (factor, x)| {
            let factor = p.broadcast(factor, &self.row.shape, &[]);
            let part = p.mul(factor, x);
            p.sub(right, part)
        })
    }

    fn over(&self, p: &mut Builder, right: Var, pivot: Var) -> Var {
        let pivot = p.broadcast(pivot, &self.row.shape, &[]);
        p.div(right, pivot)
    }
}

/// The size of a number as LAPACK compares them.
fn size(p: &mut Builder, x: Var) -> Var {
    if !p.dtype(x).is_complex() {
        return p.unary(Unary::Abs, x);
    }
    let [re, im] = [Unary::Real, Unary::Imag].map(|part| {
        let part = p.unary(part, x);
        p.unary(Unary::Abs, part)
    });
    p.add(re, im)
}
