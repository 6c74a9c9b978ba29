//! `scan`, `while_loop`, `fori_loop`, `map`.

use super::body::{FlatTree, Part, function_name, same_carry, share_captures, trace_body};
use crate::array::Array;
use crate::array::StagingInfo;
use crate::dispatch::try_bind;
use crate::fail::ok;
use crate::numpy::try_binary;
use crate::tape;
use crate::tree::{Leaf, Tree};
use std::sync::Arc;
use wengert_core::ops::{Binary, Compare, Direction, Scan, While};
use wengert_core::{Builder, DType, Error, Place, Program, Result, Type, Var};
use wengert_tape::api::{CARRIES, LENGTH, REVERSE};
use wengert_tape::record::ReadPurpose;

/// How [`scan_with`] walks.
#[derive(Clone, Debug, Default)]
pub struct ScanOptions {
    /// From the last slice to the first.
    pub reverse: bool,
    /// The number of steps, where no array tells it.
    pub length: Option<usize>,
    /// How many steps one turn of the loop does; 0 and 1 mean one.
    pub unroll: usize,
}

/// A loop that carries a value along and walks over the leading axis of `xs`: `f(carry, x) -> (carry, y)`.
///
/// Gives the last carry, and the `y`s stacked.
///
/// ```
/// use wengert::{scan, Array};
/// let xs = Array::from([1.0f32, 2.0, 3.0]);
/// let (total, sums) = scan(|c: Array, x: Array| { let s = c + x; (s.clone(), s) }, Array::from(0.0f32), xs);
/// assert_eq!(total.item::<f32>(), 6.0);
/// assert_eq!(sums.to_vec::<f32>(), [1.0, 3.0, 6.0]);
/// ```
#[track_caller]
pub fn scan<C: Tree, X: Tree, Y: Tree>(f: impl Fn(C, X) -> (C, Y), init: C, xs: X) -> (C, Y) {
    ok(try_scan("scan", &ScanOptions::default(), Step { f: &f, name: function_name(&f) }, init, xs, Place::caller()))
}

/// [`scan`] with options: in reverse, with a given length, unrolled.
///
/// ```
/// use wengert::{scan_with, Array, ScanOptions};
/// let options = ScanOptions { length: Some(4), ..Default::default() };
/// let (last, ()) = scan_with(&options, |c: Array, ()| (c * 2.0, ()), Array::from(1.0f32), ());
/// assert_eq!(last.item::<f32>(), 16.0);
/// ```
#[track_caller]
pub fn scan_with<C: Tree, X: Tree, Y: Tree>(
    options: &ScanOptions,
    f: impl Fn(C, X) -> (C, Y),
    init: C,
    xs: X,
) -> (C, Y) {
    ok(try_scan("scan", options, Step { f: &f, name: function_name(&f) }, init, xs, Place::caller()))
}

/// What a scan does in a step, and the name that the user gave it.
struct Step<'f, C, X, Y> {
    f: &'f dyn Fn(C, X) -> (C, Y),
    name: &'f str,
}

fn try_scan<C: Tree, X: Tree, Y: Tree>(
    by: &'static str,
    options: &ScanOptions,
    step: Step<'_, C, X, Y>,
    init: C,
    xs: X,
    place: Place,
) -> Result<(C, Y)> {
    let (carry, walked) = (FlatTree::new(&init), FlatTree::new(&xs));
    let mut length = options.length;
    let mut slices = Vec::new();
    let mut names = Vec::new();
    X::paths(&walked.structure, "xs", &mut names);
    for (x, name) in walked.leaves.iter().zip(names) {
        let mut ty = x.ty();
        if ty.rank() == 0 {
            return Err(Error::shape(format!("`{by}` can't walk along `{name}`, which is a scalar"))
                .at(place)
                .note("what to do: use what is the same in every step in the body as it is, or carry it"));
        }
        let n = ty.shape.0.remove(0);
        if *length.get_or_insert(n) != n {
            let m = format!("`{by}` of {} steps can't walk along `{name}`, which has {n} slices", length.unwrap_or(0));
            return Err(Error::shape(m).at(place).note(
                "what to do: all arrays of `xs` need one size along their first axis, and `length` too if it is given",
            ));
        }
        slices.push(ty);
    }
    let Some(length) = length else {
        return Err(Error::shape(format!("`{by}` over no array: the number of steps is not known"))
            .at(place)
            .note("give at least one array in `xs`, or `length` in the options"));
    };

    let info = StagingInfo::of_op(by, place);
    let given = || carry.leaves.iter().chain(&walked.leaves).cloned().collect();
    let tell = || {
        tape::say(CARRIES, carry.leaves.len() as i64);
        tape::say(LENGTH, length as i64);
        tape::say(REVERSE, options.reverse);
    };
    tape::call_if_failed(&info, given, tell, || scan_flat(&info, length, options, step, &carry, &walked, slices))
}

/// [`scan`] of so many steps, over slices of these types.
fn scan_flat<C: Tree, X: Tree, Y: Tree>(
    info: &StagingInfo,
    length: usize,
    options: &ScanOptions,
    step: Step<'_, C, X, Y>,
    carry: &FlatTree<C>,
    walked: &FlatTree<X>,
    slices: Vec<Type>,
) -> Result<(C, Y)> {
    let place = info.place.clone();
    let types = [carry.types(), slices].concat();
    let structure = (carry.structure.clone(), walked.structure.clone());
    let traced = trace_body(info, "c", &types, &structure, Part { f: &|(c, x)| (step.f)(c, x), name: step.name })?;
    let n = carry.leaves.len();
    let (captures, mut programs) = share_captures(vec![traced]);
    let (body, (carry_out, y_out)) = programs.remove(0);
    let out_types = body.output_types();
    let kept = &out_types[..n.min(out_types.len())];
    same_carry::<C>(info.by, &carry.structure, &carry.types(), &carry_out, kept, &place)?;

    let op = Scan { length, consts: captures.len(), carries: n, reverse: options.reverse, body };
    let mut y = if options.unroll > 1 {
        unrolled(op, options.unroll, captures, carry.leaves.clone(), walked.leaves.clone(), &place)?
    } else {
        let x: Vec<&Array> = captures.iter().chain(&carry.leaves).chain(&walked.leaves).collect();
        tape::with_parts(|| try_bind(op.into(), &x, place))?.into_vec()
    }
    .into_iter();
    let carry = C::unflatten(&carry_out, &mut y);
    Ok((carry, Y::unflatten(&y_out, &mut y)))
}

/// A scan whose every turn does `factor` steps, with the steps left over done by a scan of their own.
fn unrolled(
    op: Scan,
    factor: usize,
    consts: Vec<Array>,
    carry: Vec<Array>,
    xs: Vec<Array>,
    place: &Place,
) -> Result<Vec<Array>> {
    let whole = op.length / factor * factor;
    let turns = whole / factor;
    // The steps left over come last, which in reverse is at the front of the arrays.
    let (start, rest) = if op.reverse { (op.length - whole, 0..op.length - whole) } else { (0, whole..op.length) };
    let cut = |x: &Array, from: usize, to: usize| x.slice_axis(0, from, to);
    let mut shape;
    let mut folded = Vec::new();
    for x in &xs {
        shape = x.shape().clone();
        shape.0[0] = factor;
        folded.push(cut(x, start, start + whole).reshape(shape.with_axis(0, turns)));
    }
    let fast = Scan { length: turns, body: Arc::new(repeat_body(&op, factor)), ..op.clone() };
    let x: Vec<&Array> = consts.iter().chain(&carry).chain(&folded).collect();
    let mut y = try_bind(fast.into(), &x, place.clone())?.into_vec();
    let ys = y.split_off(op.carries);
    let ys: Vec<Array> = ys
        .into_iter()
        .map(|y| {
            let mut shape = y.shape().without_axes(&[0]);
            shape.0[0] = whole;
            y.reshape(shape)
        })
        .collect();
    if rest.is_empty() {
        y.extend(ys);
        return Ok(y);
    }
    let tail: Vec<Array> = xs.iter().map(|x| cut(x, rest.start, rest.end)).collect();
    let x: Vec<&Array> = consts.iter().chain(&y).chain(&tail).collect();
    let reverse = op.reverse;
    let carries = op.carries;
    let mut z = try_bind(Scan { length: rest.len(), ..op }.into(), &x, place.clone())?.into_vec();
    let more = z.split_off(carries);
    for (a, b) in ys.into_iter().zip(more) {
        z.push(crate::concatenate(&if reverse { [b, a] } else { [a, b] }, 0));
    }
    Ok(z)
}

/// A body that does `factor` steps: it takes `factor` slices of each array stacked, and gives as many.
fn repeat_body(op: &Scan, factor: usize) -> Program {
    let mut b = Builder::new();
    let types = op.body.input_types();
    let consts = b.inputs(&types[..op.consts]);
    let mut carry = b.inputs(&types[op.consts..op.consts + op.carries]);
    let stacked: Vec<Var> =
        types[op.consts + op.carries..].iter().map(|t| b.input(t.with_shape(t.shape.with_axis(0, factor)))).collect();
    let mut ys: Vec<Vec<Var>> = vec![Vec::new(); op.body.outputs().len() - op.carries];
    let order: Vec<usize> = if op.reverse { (0..factor).rev().collect() } else { (0..factor).collect() };
    for i in order {
        let mut args = [consts.clone(), carry].concat();
        for &s in &stacked {
            let shape = b.shape(s).without_axes(&[0]);
            let one = b.slice_axis(s, 0, i, i + 1);
            args.push(b.reshape(one, &shape));
        }
        let mut out = b.inline(&op.body, &args);
        for (list, y) in ys.iter_mut().zip(out.split_off(op.carries)) {
            let shape = b.shape(y).with_axis(0, 1);
            let y = b.reshape(y, &shape);
            if op.reverse { list.insert(0, y) } else { list.push(y) }
        }
        carry = out;
    }
    let ys: Vec<Var> = ys.iter().map(|list| b.concatenate(list, 0)).collect();
    b.finish(&[carry, ys].concat()).with_name(op.body.name())
}

/// A function of each slice of the leading axis, one after the other; the results stacked.
///
/// ```
/// use wengert::{map, Array};
/// let y = map(|x: Array| x.sum(..), Array::from([[1.0f32, 2.0], [3.0, 4.0]]));
/// assert_eq!(y.to_vec::<f32>(), [3.0, 7.0]);
/// ```
#[track_caller]
pub fn map<X: Tree, Y: Tree>(f: impl Fn(X) -> Y, xs: X) -> Y {
    let step = Step { f: &|(): (), x: X| ((), f(x)), name: function_name(&f) };
    ok(try_scan("map", &ScanOptions::default(), step, (), xs, Place::caller())).1
}

/// Repeats `body` as long as `cond` holds.
///
/// ```
/// use wengert::{while_loop, Array};
/// let y = while_loop(|x: Array| x.lt(100.0), |x: Array| x * 2.0, Array::from(3.0f32));
/// assert_eq!(y.item::<f32>(), 192.0);
/// ```
#[track_caller]
pub fn while_loop<C: Tree>(cond: impl Fn(C) -> Array, body: impl Fn(C) -> C, init: C) -> C {
    let (test, step) = (Part { f: &cond, name: function_name(&cond) }, Part { f: &body, name: function_name(&body) });
    ok(try_while("while_loop", test, step, init, Place::caller()))
}

fn try_while<C: Tree>(
    by: &'static str,
    cond: Part<'_, C, Array>,
    body: Part<'_, C, C>,
    init: C,
    place: Place,
) -> Result<C> {
    let carry = FlatTree::new(&init);
    let info = StagingInfo::of_op(by, place);
    let tell = || tape::say(CARRIES, carry.leaves.len() as i64);
    tape::call_if_failed(&info, || carry.leaves.clone(), tell, || while_flat(&info, cond, body, &carry))
}

fn while_flat<C: Tree>(
    info: &StagingInfo,
    cond: Part<'_, C, Array>,
    body: Part<'_, C, C>,
    carry: &FlatTree<C>,
) -> Result<C> {
    let (by, place) = (info.by, info.place.clone());
    let types = carry.types();
    let test = trace_body(info, "c", &types, &carry.structure, cond)?;
    let step = trace_body(info, "c", &types, &carry.structure, body)?;
    same_carry::<C>(by, &carry.structure, &types, &step.out, &step.program.output_types(), &place)?;
    let got = test.program.output_types();
    if got != [Type::scalar(DType::Bool)] {
        let e = Error::shape(format!("`{by}`: the condition must give bool[], and gives {}", got[0])).at(place);
        return Err(match (got[0].rank(), got[0].dtype) {
            (0, _) => e.note("compare the number, for example with `.ne(0)`"),
            (_, DType::Bool) => e.note("`.any(..)` goes on while any element holds, `.all(..)` while all do"),
            _ => e.note("compare the elements, then say `.any(..)` or `.all(..)`"),
        });
    }
    let structure = step.out.clone();
    let (captures, programs) = share_captures(vec![test, step.with(Leaf)]);
    let [(cond, _), (body, _)] = <[_; 2]>::try_from(programs).expect("two programs");
    let x: Vec<&Array> = captures.iter().chain(&carry.leaves).collect();
    let op = While { consts: captures.len(), cond, body };
    let y = tape::with_parts(|| try_bind(op.into(), &x, place))?;
    Ok(C::unflatten(&structure, &mut y.into_iter()))
}

/// An end of a counted loop: a number, or a scalar array.
pub trait Bound {
    /// The number, if it is known now. It decides how often the loop runs, at this place.
    fn known(&self, place: &Place) -> Option<i64>;
    /// As an array.
    fn array(&self) -> Array;
}

macro_rules! bound {
    ($($t:ty)*) => {$(
        impl Bound for $t {
            fn known(&self, _: &Place) -> Option<i64> {
                i64::try_from(*self).ok()
            }
            fn array(&self) -> Array {
                match i32::try_from(*self) {
                    Ok(i) => Array::from(i),
                    Err(_) => Array::from(*self as i64),
                }
            }
        }
    )*};
}
bound!(i32 i64 usize isize u32);

impl Bound for Array {
    fn known(&self, place: &Place) -> Option<i64> {
        if self.is_traced() || self.rank() > 0 {
            return None;
        }
        let number = self.value().and_then(|t| t.get(0).as_i64())?;
        Some(ok(self.read("bound", "how often a loop runs", ReadPurpose::Decision, place, |_| Ok(number))))
    }
    fn array(&self) -> Array {
        self.clone()
    }
}
impl Bound for &Array {
    fn known(&self, place: &Place) -> Option<i64> {
        (**self).known(place)
    }
    fn array(&self) -> Array {
        (*self).clone()
    }
}

/// `body(i, carry)` for `i` from `lower` up to, and without, `upper`.
///
/// With bounds known when it is staged, this is a [`scan`]; else a [`while_loop`].
///
/// ```
/// use wengert::{fori_loop, Array};
/// let y = fori_loop(0, 5, |i: Array, c: Array| c + i, Array::from(0));
/// assert_eq!(y.item::<i32>(), 10);
/// ```
#[track_caller]
pub fn fori_loop<C: Tree>(lower: impl Bound, upper: impl Bound, body: impl Fn(Array, C) -> C, init: C) -> C {
    let place = Place::caller();
    let (first, end) = (lower.array(), upper.array());
    let dtype = first.dtype().promote(end.dtype());
    let first = first.to(dtype);
    if !first.is_traced()
        && !end.is_traced()
        && let (Some(a), Some(b)) = (lower.known(&place), upper.known(&place))
    {
        let length = usize::try_from(b.saturating_sub(a)).unwrap_or(0);
        let options = ScanOptions { length: Some(length), ..Default::default() };
        let step = |(i, c): (Array, C), ()| ((next(&i, &place), body(i, c)), ());
        let step = Step { f: &step, name: function_name(&body) };
        return ok(try_scan("fori_loop", &options, step, (first, init), (), place.clone())).0.1;
    }
    let end = end.to(dtype);
    let cond = |(i, _): (Array, C)| below(&i, &end, &place);
    let step = |(i, c): (Array, C)| (next(&i, &place), body(i, c));
    let (cond, step) = (Part { f: &cond, name: "" }, Part { f: &step, name: function_name(&body) });
    ok(try_while("fori_loop", cond, step, (first, init), place.clone())).1
}

/// Whether a loop that the user wrote at this place goes on.
fn below(i: &Array, end: &Array, place: &Place) -> Array {
    ok(try_bind(Compare { direction: Direction::Lt }.into(), &[i, end], place.clone())).remove(0)
}

/// The counter of the next step of a loop that the user wrote at this place.
fn next(i: &Array, place: &Place) -> Array {
    ok(try_binary(Binary::Add, i.into(), 1.into(), place.clone()))
}
