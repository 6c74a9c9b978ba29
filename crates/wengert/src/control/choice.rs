//! `cond` and `switch`.

use super::body::{FlatTree, Part, function_name, share_captures, trace_body};
use crate::array::Array;
use crate::array::{Stager, StagingInfo};
use crate::dispatch::try_bind;
use crate::fail::ok;
use crate::tape;
use crate::tree::{Tree, mismatch};
use crate::where_;
use wengert_core::ops::Cond;
use wengert_core::{DType, Error, Place, Result};

fn choose<T: Tree, R: Tree>(
    by: &'static str,
    index: Array,
    branches: &[Part<'_, T, R>],
    operands: T,
    place: Place,
) -> Result<R> {
    let parts = FlatTree::new(&operands);
    let info = StagingInfo::of_op(by, place);
    let given = || std::iter::once(&index).chain(&parts.leaves).cloned().collect();
    tape::call_if_failed(&info, given, || (), || choose_flat(&info, &index, branches, &parts))
}

fn choose_flat<T: Tree, R: Tree>(
    info: &StagingInfo,
    index: &Array,
    branches: &[Part<'_, T, R>],
    parts: &FlatTree<T>,
) -> Result<R> {
    let (by, place) = (info.by, info.place.clone());
    let types = parts.types();
    let traced =
        branches.iter().map(|&f| trace_body(info, "x", &types, &parts.structure, f)).collect::<Result<Vec<_>>>()?;
    let (captures, programs) = share_captures(traced);
    let (first, out) = &programs[0];
    for (i, (p, s)) in programs.iter().enumerate().skip(1) {
        if s != out {
            return Err(mismatch::<R>(&format!("the results of the branches of `{by}`"), out, s).at(place));
        }
        let mut names = Vec::new();
        R::paths(out, "result", &mut names);
        for ((a, b), name) in first.output_types().iter().zip(p.output_types()).zip(names) {
            if *a != b {
                let make = if a.shape == b.shape { Error::dtype } else { Error::shape };
                let [first, other] = match branches.len() {
                    2 if by == Stager::Op("cond") => {
                        ["if the predicate is false".to_string(), "if it is true".to_string()]
                    }
                    _ => [0, i].map(|i| format!("in branch {i}")),
                };
                let m = format!(
                    "the branches of `{by}` must give the same types; `{name}` is {a} {first}, and {b} {other}"
                );
                return Err(make(m)
                    .at(place)
                    .note("what to do: convert with `.to(..)`, or broadcast it, in one of them"));
            }
        }
    }
    let x: Vec<&Array> = std::iter::once(index).chain(&captures).chain(&parts.leaves).collect();
    let op = Cond { branches: programs.iter().map(|(p, _)| p.clone()).collect() };
    let y = tape::with_parts(|| try_bind(op.into(), &x, place))?;
    Ok(R::unflatten(out, &mut y.into_iter()))
}

/// Runs one of two functions on the operands, by a scalar predicate. Both are traced; one runs.
///
/// ```
/// use wengert::{cond, jit, Array};
/// let f = jit(|x: Array| cond(x.gt(0.0), |x: Array| x.log(), |x: Array| -x, x));
/// assert_eq!(f(Array::from(-2.0f32)).item::<f32>(), 2.0);
/// assert_eq!(f(Array::from(1.0f32)).item::<f32>(), 0.0);
/// ```
#[track_caller]
pub fn cond<T: Tree, R: Tree>(
    pred: impl Into<Array>,
    on_true: impl Fn(T) -> R,
    on_false: impl Fn(T) -> R,
    operands: T,
) -> R {
    let place = Place::caller();
    let pred = pred.into();
    if pred.rank() != 0 {
        let e = Error::shape(format!("`cond` needs a predicate that is a scalar, and got {}", pred.ty()));
        ok::<()>(Err(e.at(place.clone()).note("to choose element by element, use `where_`")));
    }
    let pred = pred.to(DType::Bool);
    let branches =
        [Part { f: &on_false, name: function_name(&on_false) }, Part { f: &on_true, name: function_name(&on_true) }];
    ok(choose("cond", pred, &branches, operands, place))
}

/// Runs one of several functions on the operands, by a scalar index, which is taken into range.
///
/// ```
/// use wengert::{switch, Array};
/// let f = |i: i32| switch(i, &[&|x: Array| x.sin(), &|x: Array| &x * 2.0, &|x: Array| -x], Array::from(3.0f32));
/// assert_eq!(f(1).item::<f32>(), 6.0);
/// assert_eq!(f(9).item::<f32>(), -3.0);
/// ```
#[track_caller]
pub fn switch<T: Tree, R: Tree>(index: impl Into<Array>, branches: &[&dyn Fn(T) -> R], operands: T) -> R {
    let place = Place::caller();
    let index = index.into();
    if branches.is_empty() || index.rank() != 0 || !index.dtype().is_integer() {
        let what =
            if branches.is_empty() { "no branch".to_string() } else { format!("an index of type {}", index.ty()) };
        let e = Error::shape(format!("`switch` needs an integer scalar and at least one branch, and got {what}"));
        ok::<()>(Err(e.at(place.clone()).note("what to do: convert the index with `.to(DType::I32)`")));
    }
    // Clamped in its own type first: a wide index must not wrap into range.
    let last = branches.len() as i64 - 1;
    let index = where_(index.lt(0), 0, where_(index.gt(last), last, &index)).to(DType::I32);
    ok(choose("switch", index, &nameless(branches), operands, place))
}

/// The primitive behind [`cond`](crate::cond) and [`switch`](crate::switch): runs the branch that a scalar says, an `i32` in
/// range or a `bool`, of which `false` is the first.
///
/// ```
/// use wengert::{lax, Array};
/// let y = lax::case(&Array::from(1), &[&|x: Array| x.sin(), &|x: Array| x * 2.0], Array::from(3.0f32));
/// assert_eq!(y.item::<f32>(), 6.0);
/// ```
#[track_caller]
pub fn case<T: Tree, R: Tree>(index: &Array, branches: &[&dyn Fn(T) -> R], operands: T) -> R {
    ok(choose("case", index.clone(), &nameless(branches), operands, Place::caller()))
}

/// Functions behind references, which have no names.
fn nameless<'f, T, R>(branches: &[&'f dyn Fn(T) -> R]) -> Vec<Part<'f, T, R>> {
    branches.iter().map(|&f| Part { f, name: "" }).collect()
}
