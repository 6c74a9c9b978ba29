//! Systems of equations with three diagonals that may be singular, as JAX's `tridiagonal_solve_perturbed` solves them: rows change
//! places by their share of the row, and pivots that are too small to divide by are moved away from zero on the way up.

use super::tridiagonal::{Types, first, inputs};
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Program, Type, Var};

/// Solves for the right sides of type `b`, given the diagonals below, on and above the main one, all of type `d`; the first element
/// of the one below and the last of the one above do not count. The solution is finite.
pub fn solve(d: &Type, b: &Type) -> Program {
    let n = d.shape[0];
    let mut p = Builder::new();
    let [lower, main, upper, right] = inputs(&mut p, d, b);
    if n == 0 {
        return p.finish(&[right]).with_name(NAME);
    }
    let system = System::new(d, b);
    let mut row = [main, upper, right].map(|x| first(&mut p, x)).to_vec();
    let sizes = [row[0], row[1]].map(|x| system.modulus(&mut p, x));
    let (scale, mut largest) = (p.add(sizes[0], sizes[1]), p.binary(Binary::Max, sizes[0], sizes[1]));
    row.push(scale);
    row.extend([lower, main, upper, right].map(|x| p.slice_axis(x, 0, 1, n)));
    let down = Scan { length: n - 1, consts: 0, carries: 4, reverse: false, body: Arc::new(system.down()) };
    let rows = p.push(down, &row);
    let (last, above) = (rows[0], &rows[4..]);

    // The largest element of what is solved. Of the row before the last, JAX looks at none.
    let mut seen = vec![system.modulus(&mut p, last)];
    if n > 2 {
        for &x in &above[..3] {
            let x = p.slice_axis(x, 0, 0, n - 2);
            let x = system.modulus(&mut p, x);
            seen.push(p.reduce(Combiner::Max, x, &[0]));
        }
    }
    for x in seen {
        largest = p.binary(Binary::Max, largest, x);
    }
    let step = p.scale(largest, system.epsilon());

    let none = p.zeros(&system.types.row);
    let zero = p.zeros(&system.types.element);
    let row = p.inline(&system.up(), &[step, none, none, last, zero, zero, rows[2]]);
    let up = Scan { length: n - 1, consts: 1, carries: 2, reverse: true, body: Arc::new(system.up()) };
    let solved = p.push(up, &[&[step, row[0], row[1]], above].concat());
    let last = p.reshape(row[0], &system.types.row.shape.with_axis(0, 1));
    let x = p.concatenate(&[solved[2], last], 0);
    p.finish(&[x]).with_name(NAME)
}

const NAME: &str = "tridiagonal_solve_perturbed";

/// The types that a system is made of.
struct System {
    types: Types,
    /// Of the size of an element.
    real: Type,
}

impl System {
    fn new(d: &Type, b: &Type) -> System {
        let types = Types { element: d.with_shape([]), row: b.with_shape(b.shape.without_axes(&[0])) };
        System { real: types.element.with_dtype(d.dtype.real()), types }
    }

    fn is_single(&self) -> bool {
        self.real.dtype == DType::F32
    }

    fn epsilon(&self) -> f64 {
        if self.is_single() { f32::EPSILON as f64 } else { f64::EPSILON }
    }

    /// The least number whose inverse is finite.
    fn least(&self) -> f64 {
        if self.is_single() { f32::MIN_POSITIVE as f64 } else { f64::MIN_POSITIVE }
    }

    fn modulus(&self, p: &mut Builder, x: Var) -> Var {
        p.unary(Unary::Abs, x)
    }

    /// One step down: as without perturbations, but rows are compared by the share that their first elements have in them.
    fn down(&self) -> Program {
        let mut p = Builder::new();
        let [main, upper] = [(); 2].map(|()| p.input(self.types.element.clone()));
        let right = p.input(self.types.row.clone());
        let scale = p.input(self.real.clone());
        let below @ [lower, next_main, next_upper] = [(); 3].map(|()| p.input(self.types.element.clone()));
        let next_right = p.input(self.types.row.clone());
        let [here, size] = [main, lower].map(|x| self.modulus(&mut p, x));
        let rest = [next_main, next_upper].map(|x| self.modulus(&mut p, x));
        let next_scale = [rest[0], rest[1]].into_iter().fold(size, |sum, x| p.add(sum, x));
        let zero = p.zeros(&self.real);
        let share = |p: &mut Builder, x: Var, of: Var| {
            let (none, share) = (p.compare(Direction::Eq, x, zero), p.div(x, of));
            p.select(none, zero, share)
        };
        let shares = [share(&mut p, here, scale), share(&mut p, size, next_scale)];
        let swap = p.compare(Direction::Gt, shares[1], shares[0]);
        let (next, stays) =
            self.types.eliminated(&mut p, swap, [main, upper, right], [below[0], next_main, next_upper, next_right]);
        let sizes = [next[0], next[1]].map(|x| self.modulus(&mut p, x));
        let swapped = p.add(sizes[0], sizes[1]);
        let scale = p.select(swap, swapped, next_scale);
        p.finish(&[&next[..], &[scale], &stays[..]].concat())
    }

    /// One step up: the row solved, given the two rows after it, after a step that pivots may be moved by.
    fn up(&self) -> Program {
        let mut p = Builder::new();
        let step = p.input(self.real.clone());
        let [x, after] = [(); 2].map(|()| p.input(self.types.row.clone()));
        let [pivot, upper, upper_after] = [(); 3].map(|()| p.input(self.types.element.clone()));
        let right = p.input(self.types.row.clone());
        let right = self.types.remaining(&mut p, right, [(upper, x), (upper_after, after)]);
        let (pivot, right) = self.moved(&mut p, step, pivot, right);
        let one = p.full(&self.types.element, 1.0);
        let by = p.div(one, pivot);
        let by = p.broadcast(by, &self.types.row.shape, &[]);
        let solved = p.mul(right, by);
        p.finish(&[solved, x, solved])
    }

    /// A pivot that the right sides can be divided by, and the right sides: moved from zero by steps that double, or both made
    /// larger.
    fn moved(&self, p: &mut Builder, step: Var, pivot: Var, right: Var) -> (Var, Var) {
        let sizes = self.modulus(p, right);
        let all: Vec<usize> = (0..p.shape(sizes).len()).collect();
        let largest =
            if p.shape(sizes).size() == 0 { p.zeros(&self.real) } else { p.reduce(Combiner::Max, sizes, &all) };
        let least = p.full(&self.real, self.least());
        let step = p.binary(Binary::Max, step, least);
        // Away from zero, on the side where the pivot is.
        let real = if self.types.element.dtype.is_complex() { p.unary(Unary::Real, pivot) } else { pivot };
        let step = self.with_sign(p, step, real);
        let again = p.constant(wengert_core::Tensor::scalar(true));
        let carried = [pivot, step, right, again];
        let types: Vec<Type> = [largest].iter().chain(&carried).map(|&v| p.ty(v).clone()).collect();
        let cond = Arc::new(self.is_small(&types));
        let body = Arc::new(self.one_move(&types));
        let y = p.push(While { consts: 1, cond, body }, &[&[largest], &carried[..]].concat());
        (y[0], y[2])
    }

    /// A size with the sign of a number, of which zero has one too.
    fn with_sign(&self, p: &mut Builder, size: Var, of: Var) -> Var {
        let one = p.full(&self.real, 1.0);
        let zero = p.zeros(&self.real);
        let turned = p.neg(size);
        // One over zero has the sign of zero.
        let over = p.div(one, of);
        let is_zero = p.compare(Direction::Eq, of, zero);
        let sign = p.select(is_zero, over, of);
        let negative = p.compare(Direction::Lt, sign, zero);
        p.select(negative, turned, size)
    }

    /// Whether a pivot is still to be looked at.
    fn is_small(&self, types: &[Type]) -> Program {
        let mut p = Builder::new();
        let x = p.inputs(types);
        let size = self.modulus(&mut p, x[1]);
        let one = p.full(&self.real, 1.0);
        let small = p.compare(Direction::Lt, size, one);
        let go_on = p.binary(Binary::And, small, x[4]);
        p.finish(&[go_on])
    }

    fn one_move(&self, types: &[Type]) -> Program {
        let mut p = Builder::new();
        let x = p.inputs(types);
        let (largest, pivot, step, right) = (x[0], x[1], x[2], x[3]);
        let size = self.modulus(&mut p, pivot);
        let [least, zero] = [self.least(), 0.0].map(|v| p.full(&self.real, v));
        let most = 1.0 / self.least();
        let tiny = p.compare(Direction::Lt, size, least);
        let none = p.compare(Direction::Eq, size, zero);
        let (shrunk, grown) = (p.mul(largest, least), p.scale(size, most));
        let overflows = p.compare(Direction::Gt, shrunk, size);
        let overflows = p.binary(Binary::Or, none, overflows);
        let too_large = p.compare(Direction::Gt, largest, grown);
        let moves = p.select(tiny, overflows, too_large);
        let stays = p.unary(Unary::Not, moves);
        let scales = p.binary(Binary::And, tiny, stays);
        let by = p.convert(step, self.types.element.dtype);
        let moved = p.add(pivot, by);
        let pivot_moved = p.select(moves, moved, pivot);
        let doubled = p.scale(step, 2.0);
        let step = p.select(moves, doubled, step);
        let larger = p.scale(pivot_moved, most);
        let pivot = p.select(scales, larger, pivot_moved);
        let larger = p.scale(right, most);
        let scales = p.broadcast(scales, &self.types.row.shape, &[]);
        let right = p.select(scales, larger, right);
        p.finish(&[pivot, step, right, moves])
    }
}
