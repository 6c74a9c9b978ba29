//! Solutions of equations by a solver of the user's, with the derivatives of the equation.

use super::body::{FlatTree, Part, share_captures, trace_body};
use crate::array::{Array, StagingInfo};
use crate::autodiff::{linearize, zeros};
use crate::dispatch::try_bind;
use crate::fail::ok;
use crate::linear::linear_transpose;
use crate::stage::TracedFunction;
use crate::tape;
use crate::tree::{Tree, mismatch};
use std::sync::Arc;
use wengert_core::ops::{LinearSolve, Root};
use wengert_core::{Error, Op, Place, Program, Result, Type};

/// A function that a solver is given.
pub type TreeFn<'f, T> = dyn Fn(T) -> T + Send + Sync + 'f;

/// What solves an equation: it is given a function and a tree that its unknown is like, the right side or a first guess.
pub type Solver<'f, T> = dyn Fn(&TreeFn<'_, T>, T) -> T + 'f;

/// The solution `x` of `matvec(x) = b`, for a linear function, as `solve(matvec, b)` finds it.
///
/// Derivatives are those of the equation, not of the solver: in `b`, and in all that `matvec` uses, to any order. Reverse mode
/// solves the transposed system by `transpose_solve`, which is given the transposed function; for a symmetric one that is
/// `Some(&solve)`. The solvers are traced without values: loops are `while_loop` and its relatives.
///
/// ```
/// use wengert::{custom_linear_solve, grad, Array, TreeFn};
/// // Jacobi's method, for a matrix with a heavy diagonal.
/// fn solution(a: Array, b: Array) -> Array {
///     let diagonal = a.diagonal(0, [0, 1]);
///     let solve = |product: &TreeFn<Array>, b: Array| {
///         wengert::fori_loop(0, 60, |_, x: Array| &x + (&b - product(x.clone())) / &diagonal, b.clone())
///     };
///     custom_linear_solve(|x: Array| a.matmul(x), b, solve, Some(&solve))
/// }
/// let (a, b) = (Array::from([[4.0, 1.0], [2.0, 5.0]]), Array::from([6.0, 12.0]));
/// assert!((solution(a.clone(), b.clone()).get(1).item::<f64>() - 2.0).abs() < 1e-9);
/// let slope = grad(|a: Array, b: Array| solution(a, b).get(1))(a, b);
/// assert!((slope.get((1, 1)).item::<f64>() + 4.0 / 9.0).abs() < 1e-9);
/// ```
#[track_caller]
pub fn custom_linear_solve<T: Tree>(
    matvec: impl Fn(T) -> T + Send + Sync,
    b: T,
    solve: impl Fn(&TreeFn<'_, T>, T) -> T,
    transpose_solve: Option<&Solver<'_, T>>,
) -> T {
    let equation = Equation::new("custom_linear_solve", &b, Place::caller());
    let back = transpose_solve.map(|solve| {
        let like = equation.like();
        let matvec = &matvec;
        move |b: T| {
            let back = linear_transpose(|x: T| matvec(x), (crate::map_leaves(&like, |x| x.clone()),));
            solve(&|x| back(x).0, b)
        }
    });
    let back = back.as_ref().map(|f| f as &dyn Fn(T) -> T);
    ok(equation.linear_solve(&|b| solve(&matvec, b), &|x| matvec(x), back))
}

/// The solution of a linear system, as one op: [`custom_linear_solve`] with solvers that know what they solve.
///
/// ```
/// use wengert::{grad, lax, Array};
/// let solve = |b: Array| b / 4.0;
/// let f = |b: Array| lax::linear_solve(solve, |x: Array| x * 4.0, Some(&solve), b);
/// assert_eq!(grad(f)(Array::from(3.0)).item::<f64>(), 0.25);
/// ```
#[track_caller]
pub fn linear_solve<T: Tree>(
    solve: impl Fn(T) -> T,
    matvec: impl Fn(T) -> T,
    transpose_solve: Option<&dyn Fn(T) -> T>,
    b: T,
) -> T {
    ok(Equation::new("linear_solve", &b, Place::caller()).linear_solve(&solve, &matvec, transpose_solve))
}

/// A root of a function: an `x` with `f(x) = 0`, as `solve(f, initial)` finds it.
///
/// Derivatives in all that `f` uses are those of the equation, to any order, and not of the solver: `tangent_solve(g, y)` gives
/// the `x` with `g(x) = y`, where `g` is linear: `f`'s derivative at the root. For numbers that is `y / g(1)`. Reverse mode
/// needs a `tangent_solve` that is linear in `y` op by op, as `y / g(1)` and [`Array::solve`] are, or
/// [`custom_linear_solve`]. All are traced without values: loops are `while_loop` and its relatives.
///
/// ```
/// use wengert::{custom_root, fori_loop, grad, Array, TreeFn};
/// fn cube_root(a: Array) -> Array {
///     let newton = |f: &TreeFn<Array>, x: Array| {
///         fori_loop(0, 50, |_, x: Array| { let y = f(x.clone()); &x - y / (3.0 * &x * &x) }, x)
///     };
///     custom_root(|x: Array| &x * &x * &x - &a, Array::from(2.0), newton, |g, y| y / g(Array::from(1.0)))
/// }
/// assert!((cube_root(Array::from(27.0)).item::<f64>() - 3.0).abs() < 1e-12);
/// assert!((grad(cube_root)(Array::from(27.0)).item::<f64>() - 1.0 / 27.0).abs() < 1e-12);
/// assert!((grad(grad(cube_root))(Array::from(27.0)).item::<f64>() + 2.0 / 2187.0).abs() < 1e-12);
/// ```
#[track_caller]
pub fn custom_root<T: Tree>(
    f: impl Fn(T) -> T + Send + Sync,
    initial: T,
    solve: impl Fn(&TreeFn<'_, T>, T) -> T,
    tangent_solve: impl Fn(&TreeFn<'_, T>, T) -> T,
) -> T {
    let along = |x: T, y: T| {
        let (_, linear) = linearize(|x: T| f(x), (x,));
        tangent_solve(&|v| linear.apply((v,)), y)
    };
    ok(Equation::new("custom_root", &initial, Place::caller()).root(&|x| solve(&f, x), &|x| f(x), &along))
}

/// A root of a function, as one op: [`custom_root`] with solvers that know what they solve. `tangent_solve(x, y)` gives the `v`
/// with `J v = y`, for the Jacobian of `f` at the root `x`.
///
/// ```
/// use wengert::{grad, lax, Array};
/// let root = |a: Array| {
///     let square = |x: Array| &x * &x - &a;
///     lax::root(|_| a.sqrt(), square, |x: Array, y: Array| y / (x * 2.0), Array::from(1.0))
/// };
/// assert_eq!(grad(root)(Array::from(4.0)).item::<f64>(), 0.25);
/// ```
#[track_caller]
pub fn root<T: Tree>(solve: impl Fn(T) -> T, f: impl Fn(T) -> T, tangent_solve: impl Fn(T, T) -> T, initial: T) -> T {
    ok(Equation::new("root", &initial, Place::caller()).root(&solve, &f, &tangent_solve))
}

/// An equation being set up: all its functions give trees like the unknown.
struct Equation<T: Tree> {
    info: StagingInfo,
    unknown: FlatTree<T>,
}

impl<T: Tree> Equation<T> {
    fn new(by: &'static str, like: &T, place: Place) -> Self {
        Equation { info: StagingInfo::of_op(by, place), unknown: FlatTree::new(like) }
    }

    /// A tree like the unknown, of zeros.
    fn like(&self) -> T {
        T::unflatten(&self.unknown.structure, &mut self.unknown.types().iter().map(zeros))
    }

    fn linear_solve(
        &self,
        solve: &dyn Fn(T) -> T,
        matvec: &dyn Fn(T) -> T,
        transpose_solve: Option<&dyn Fn(T) -> T>,
    ) -> Result<T> {
        self.recorded(|| {
            let mut parts = vec![self.traced("solve", solve)?, self.traced("the linear function", matvec)?];
            if let Some(f) = transpose_solve {
                parts.push(self.traced("transpose_solve", f)?);
            }
            self.solved(parts, |shared, programs| {
                let mut programs = programs.into_iter();
                let mut next = || programs.next();
                let (solve, matvec) = next().zip(next()).expect("two at least");
                LinearSolve { solve, matvec, transpose_solve: next(), shared }.into()
            })
        })
    }

    fn root(&self, solve: &dyn Fn(T) -> T, f: &dyn Fn(T) -> T, along: &dyn Fn(T, T) -> T) -> Result<T> {
        self.recorded(|| {
            let parts = vec![
                self.traced("solve", solve)?,
                self.traced("the function", f)?,
                self.traced_pair("tangent_solve", &|(x, y)| along(x, y))?,
            ];
            self.solved(parts, |shared, programs| {
                let [solve, f, tangent_solve] = <[_; 3]>::try_from(programs).expect("one of each");
                Root { solve, f, tangent_solve, shared }.into()
            })
        })
    }

    /// As one call of a recording if it fails; it is one op otherwise.
    fn recorded(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        tape::call_if_failed(&self.info, || self.unknown.leaves.clone(), || {}, f)
    }

    /// A function of the unknown.
    fn traced(&self, what: &str, f: &dyn Fn(T) -> T) -> Result<TracedFunction<T::Structure>> {
        let types = self.unknown.types();
        self.checked(what, trace_body(&self.info, "x", &types, &self.unknown.structure, Part { f, name: "" })?)
    }

    /// A function of two trees like the unknown.
    fn traced_pair(&self, what: &str, f: &dyn Fn((T, T)) -> T) -> Result<TracedFunction<T::Structure>> {
        let (types, s) = (self.unknown.types(), &self.unknown.structure);
        let twice = [&types[..], &types].concat();
        self.checked(what, trace_body(&self.info, "x", &twice, &(s.clone(), s.clone()), Part { f, name: "" })?)
    }

    /// What it gives must be like the unknown.
    fn checked(&self, what: &str, traced: TracedFunction<T::Structure>) -> Result<TracedFunction<T::Structure>> {
        let by = self.info.by;
        let said = format!("what {what} of `{by}` gives and what it is given");
        if traced.out != self.unknown.structure {
            return Err(mismatch::<T>(&said, &traced.out, &self.unknown.structure).at(self.info.place.clone()));
        }
        let (given, wanted): (Vec<Type>, Vec<Type>) = (traced.program.output_types(), self.unknown.types());
        match given.iter().zip(&wanted).find(|(g, w)| g != w) {
            None => Ok(traced),
            Some((g, w)) => {
                let m = format!("{said} must have the same types, and {g} is no {w}");
                Err(Error::shape(m).at(self.info.place.clone()))
            }
        }
    }

    /// The solution: an op made of these functions, which share what they capture.
    fn solved(
        &self,
        parts: Vec<TracedFunction<T::Structure>>,
        op: impl FnOnce(usize, Vec<Arc<Program>>) -> Op,
    ) -> Result<T> {
        let (captures, programs) = share_captures(parts);
        let op = op(captures.len(), programs.into_iter().map(|(p, _)| p).collect());
        let x: Vec<&Array> = captures.iter().chain(&self.unknown.leaves).collect();
        let y = tape::with_parts(|| try_bind(op, &x, self.info.place.clone()))?;
        Ok(T::unflatten(&self.unknown.structure, &mut y.into_iter()))
    }
}
