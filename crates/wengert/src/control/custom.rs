//! Derivatives of the user's own, and what to keep for the backward pass.

use super::body::{FlatTree, Part, share_captures, trace_body};
use crate::array::Array;
use crate::array::StagingInfo;
use crate::autodiff::zeros;
use crate::dispatch::{try_bind, try_bind_known};
use crate::fail::ok;
use crate::fit::{leaf_names_of, same_type};
use crate::function::{Args, Func, Function};
use crate::stage::{FlatArgs, Tracers, stage};
use crate::stage::{TracedFunction, trace};
use crate::tape;
use crate::trace::TraceArgument;
use crate::tree::{Leaf, Tree, leaves, mismatch};
use std::cell::RefCell;
use std::sync::Arc;
use wengert_core::ops::{Call, CallKind, CustomJvp, CustomVjp, StopGradient};
use wengert_core::{Builder, Op, Place, Program, Result, Tensor, Type, Var};

/// A function with its own derivative rule: `rule(args, tangents) -> (value, tangent of the value)`.
///
/// The tangents come as a tree like the arguments (those of integers are zeros), and the rule's second result is a tree
/// like the value. The rule must be linear in the tangents. Both forward and reverse mode use it.
///
/// ```
/// use wengert::{custom_jvp, grad, Array};
/// // log(1 + exp(x)), with a derivative that does not overflow.
/// let softplus = custom_jvp(
///     |x: Array| (x.exp() + 1.0).log(),
///     |(x,): (Array,), (t,): (Array,)| ((x.exp() + 1.0).log(), t / ((-x).exp() + 1.0)),
/// );
/// assert_eq!(grad(softplus)(Array::from(1000.0f32)).item::<f32>(), 1.0);
/// ```
#[track_caller]
pub fn custom_jvp<'f, A: Args + 'f, F, G>(f: F, rule: G) -> Func<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: Tree + 'f,
    G: Fn(A, A) -> (F::Output, F::Output) + Send + Sync + 'f,
{
    let info = StagingInfo::new("custom_jvp", f.name(), Place::caller());
    let name = f.name().to_string();
    Func::new(&name, move |args| {
        let call = || call_custom_jvp(&info, &|a| f.call(a), &rule, &args);
        ok(tape::transform(&info, || leaves(&args), call, leaves))
    })
}

/// The types that have derivatives.
fn differentiable(types: &[Type]) -> Vec<Type> {
    types.iter().filter(|t| t.dtype.is_differentiable()).cloned().collect()
}

/// A program with its inputs and outputs put in another order, or some added.
fn rearranged(
    p: &Program,
    f: impl FnOnce(&mut Builder, &dyn Fn(&mut Builder, &[Var]) -> Vec<Var>) -> Vec<Var>,
) -> Arc<Program> {
    let mut b = Builder::new();
    let outputs = f(&mut b, &|b, args| b.inline(p, args));
    Arc::new(b.finish(&outputs).with_name(p.name()))
}

/// The tree with the next of `given` at each leaf whose type has derivatives, and zeros at the others.
fn with_zeros<T: Tree>(structure: &T::Structure, types: &[Type], given: &mut dyn Iterator<Item = Array>) -> T {
    let leaves: Vec<Array> = types
        .iter()
        .map(|t| if t.dtype.is_differentiable() { given.next().expect("one each") } else { zeros(t) })
        .collect();
    T::unflatten(structure, &mut leaves.into_iter())
}

/// The leaves of a derivative, without those of integers, checked against the value it belongs to.
fn derivative_leaves<T: Tree>(
    (what, name): (&str, &str),
    structure: &T::Structure,
    types: &[Type],
    derivative: &T,
    info: &StagingInfo,
) -> Result<Vec<Array>> {
    let parts = FlatTree::new(derivative);
    if parts.structure != *structure {
        let what = format!("what is differentiated and each {what} of `{}`", info.by);
        return Err(mismatch::<T>(&what, structure, &parts.structure).at(info.place.clone()));
    }
    let names = leaf_names_of::<T>(name, structure);
    for ((want, got), name) in types.iter().zip(&parts.leaves).zip(names) {
        same_type(what, &name, want, got, info, &info.place)?;
    }
    Ok(parts.leaves.into_iter().zip(types).filter(|(_, t)| t.dtype.is_differentiable()).map(|(x, _)| x).collect())
}

/// A call of a function with a derivative of its own: the arguments, and the function traced at them.
struct TracedCall<A: Args, R: Tree> {
    flat: FlatArgs<A>,
    types: Vec<Type>,
    primal: TracedFunction<R::Structure>,
    out_types: Vec<Type>,
}

impl<A: Args, R: Tree> TracedCall<A, R> {
    fn new(info: &StagingInfo, f: &dyn Fn(A) -> R, args: &A) -> Result<Self> {
        let flat = FlatArgs::new(args);
        let primal = stage(info.clone(), Tracers::Concrete, &flat, f)?;
        let types = flat.leaves.iter().map(Array::ty).collect();
        Ok(TracedCall { types, out_types: primal.program.output_types(), flat, primal })
    }
}

/// The values that a function of these leaves gave when it was traced, if they are known.
fn computed<S>(traced: &TracedFunction<S>, leaves: &[Array]) -> Option<Vec<Tensor>> {
    let p = &traced.program;
    let given = |v: &Var| leaves.iter().chain(&traced.captures).nth(p.inputs().iter().position(|i| i == v)?);
    let value = |v: &Var| given(v).or(traced.known[v.index()].as_ref())?.value().cloned();
    p.outputs().iter().map(value).collect()
}

/// The results of an op on two lists of arrays, as a tree; `known` are their values, if they are.
fn bind_tree<R: Tree>(
    op: impl Into<Op>,
    [first, then]: [&[Array]; 2],
    known: Option<Vec<Tensor>>,
    out: &R::Structure,
    place: &Place,
) -> Result<R> {
    let x: Vec<&Array> = first.iter().chain(then).collect();
    let y = try_bind_known(op.into(), &x, known, place.clone())?;
    Ok(R::unflatten(out, &mut y.into_iter()))
}

fn call_custom_jvp<A: Args, R: Tree>(
    info: &StagingInfo,
    f: &dyn Fn(A) -> R,
    rule: &dyn Fn(A, A) -> (R, R),
    args: &A,
) -> Result<R> {
    let TracedCall { flat, types, primal, out_types } = TracedCall::new(info, f, args)?;
    let mut arguments: Vec<TraceArgument> =
        flat.leaves.iter().zip(flat.names()).map(|(x, name)| TraceArgument::of(x, name)).collect();
    for (t, n) in types.iter().zip(flat.names()).filter(|(t, _)| t.dtype.is_differentiable()) {
        arguments.push(TraceArgument::unknown(t.clone(), format!("d_{n}")));
    }
    let failed = RefCell::new(None);
    let derivative = trace(info.clone(), arguments, |mut x| {
        let mut t = x.split_off(types.len()).into_iter();
        let primals = A::unflatten(&flat.structure, &mut x.into_iter());
        let (y, dy) = rule(primals, with_zeros(&flat.structure, &types, &mut t));
        let mut out = FlatTree::new(&y).leaves;
        let what = ("tangent that the rule gives", "result");
        match derivative_leaves(what, &primal.out, &out_types, &dy, info) {
            Ok(d) => out.extend(d),
            Err(e) => *failed.borrow_mut() = Some(e),
        }
        (out, primal.out.clone())
    })?;
    if let Some(e) = failed.into_inner() {
        return Err(e);
    }
    let known = computed(&primal, &flat.leaves);
    let (captures, programs) = share_captures(vec![primal, derivative]);
    let [(program, out), (rule, _)] = <[_; 2]>::try_from(programs).unwrap_or_else(|_| unreachable!("two programs"));
    // What the functions capture counts as constant: the op gives the rule its tangents too, and they go unused.
    let own = differentiable(&types).len();
    let held = differentiable(&captures.iter().map(Array::ty).collect::<Vec<_>>());
    let rule = rearranged(&rule, |b, inline| {
        let types = rule.input_types();
        let (primals, tangents) = types.split_at(types.len() - own);
        let mut args = b.inputs(primals);
        b.inputs(&held);
        args.extend(b.inputs(tangents));
        inline(b, &args)
    });
    bind_tree(CustomJvp { program, rule }, [&captures, &flat.leaves], known, &out, &info.place)
}

/// A function with its own reverse derivative: `forward(args) -> (value, residuals)` and
/// `backward(residuals, cotangent of the value) -> cotangents of the arguments`.
///
/// ```
/// use wengert::{custom_vjp, grad, Array};
/// // A gradient that is clipped on its way back.
/// let clipped = custom_vjp(
///     |x: Array| x,
///     |(x,): (Array,)| (x, ()),
///     |(): (), ct: Array| (ct.clip(-1.0, 1.0),),
/// );
/// let f = |x: Array| clipped(x) * 10.0;
/// assert_eq!(grad(f)(Array::from(2.0f32)).item::<f32>(), 1.0);
/// ```
#[track_caller]
pub fn custom_vjp<'f, A: Args + 'f, S: Tree + 'f, F, G, H>(f: F, forward: G, backward: H) -> Func<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: Tree + 'f,
    G: Fn(A) -> (F::Output, S) + Send + Sync + 'f,
    H: Fn(S, F::Output) -> A + Send + Sync + 'f,
{
    let info = StagingInfo::new("custom_vjp", f.name(), Place::caller());
    let name = f.name().to_string();
    Func::new(&name, move |args| {
        let call = || call_custom_vjp(&info, &|a| f.call(a), &forward, &backward, &args);
        ok(tape::transform(&info, || leaves(&args), call, leaves))
    })
}

fn call_custom_vjp<A: Args, R: Tree, S: Tree>(
    info: &StagingInfo,
    f: &dyn Fn(A) -> R,
    forward: &dyn Fn(A) -> (R, S),
    backward: &dyn Fn(S, R) -> A,
    args: &A,
) -> Result<R> {
    let TracedCall { flat, types, primal, out_types } = TracedCall::new(info, f, args)?;
    let n = out_types.len();
    let ahead = stage(info.clone(), Tracers::Concrete, &flat, forward)?;
    let (out, residuals) = ahead.out.clone();
    if out != primal.out {
        return Err(mismatch::<R>("the values of a custom_vjp function and its forward rule", &primal.out, &out)
            .at(info.place.clone()));
    }
    let residual_types = ahead.program.output_types().split_off(n);
    let cotangents = differentiable(&out_types);
    let failed = RefCell::new(None);
    let rule = |x: Vec<Array>| {
        let mut x = x.into_iter();
        let s = S::unflatten(&residuals, &mut x);
        let cts = backward(s, with_zeros(&out, &out_types, &mut x));
        let what = ("cotangent that the rule gives", "arg");
        derivative_leaves(what, &flat.structure, &types, &cts, info).unwrap_or_else(|e| {
            *failed.borrow_mut() = Some(e);
            Vec::new()
        })
    };
    let back = trace_body(
        info,
        "r",
        &[residual_types.clone(), cotangents.clone()].concat(),
        &vec![Leaf; residual_types.len() + cotangents.len()],
        Part { f: &rule, name: &info.function },
    )?;
    if let Some(e) = failed.into_inner() {
        return Err(e);
    }
    let known = computed(&primal, &flat.leaves);
    let forget = |program, captures| TracedFunction {
        program,
        captures,
        known: Vec::new(),
        out: (),
        body: None,
        reads: Vec::new(),
    };
    let (captures, programs) = share_captures(vec![
        forget(primal.program, primal.captures),
        forget(ahead.program, ahead.captures),
        forget(back.program, back.captures),
    ]);
    let [(program, ()), (ahead, ()), (back, ())] =
        <[_; 3]>::try_from(programs).unwrap_or_else(|_| unreachable!("three programs"));
    // What the functions capture counts as constant: it reaches the backward rule as residuals, and gets zeros back.
    let held: Vec<Type> = captures.iter().map(Array::ty).collect();
    let forward = rearranged(&ahead, |b, inline| {
        let args = b.inputs(&ahead.input_types());
        let mut y = inline(b, &args);
        y.extend(&args[..held.len()]);
        y
    });
    let backward = rearranged(&back, |b, inline| {
        let r = b.inputs(&residual_types);
        let c = b.inputs(&held);
        let ct = b.inputs(&cotangents);
        let own = inline(b, &[c, r, ct].concat());
        let mut y: Vec<Var> = differentiable(&held).iter().map(|t| b.zeros(t)).collect();
        y.extend(own);
        y
    });
    bind_tree(CustomVjp { program, forward, backward }, [&captures, &flat.leaves], known, &out, &info.place)
}

/// The same function, whose intermediate values are computed again in the backward pass instead of being kept.
///
/// ```
/// use wengert::{checkpoint, grad, Array};
/// let f = checkpoint(|x: Array| x.sin().exp());
/// let g = grad(f)(Array::from(0.0f32));
/// assert_eq!(g.item::<f32>(), 1.0);
/// ```
#[track_caller]
pub fn checkpoint<'f, A: Args + 'f, F>(f: F) -> Func<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: Tree + 'f,
{
    let info = StagingInfo::new("checkpoint", f.name(), Place::caller());
    Func::new(&info.function.clone(), move |args| {
        let call = || {
            let flat = FlatArgs::new(&args);
            let traced = stage(info.clone(), Tracers::Concrete, &flat, &|a| f.call(a))?;
            let known = computed(&traced, &flat.leaves);
            let op = Call { program: Arc::new(traced.program), kind: CallKind::Checkpoint };
            bind_tree(op, [&flat.leaves, &traced.captures], known, &traced.out, &info.place)
        };
        ok(tape::transform(&info, || leaves(&args), call, leaves))
    })
}

/// The same values, seen by derivatives as constants.
///
/// ```
/// use wengert::{grad, stop_gradient, Array};
/// let g = grad(|x: Array| &x * stop_gradient(x.clone()))(Array::from(3.0f32));
/// assert_eq!(g.item::<f32>(), 3.0);
/// ```
#[track_caller]
pub fn stop_gradient<T: Tree>(tree: T) -> T {
    let place = Place::caller();
    crate::map_leaves(&tree, |x| ok(try_bind(StopGradient {}.into(), &[x], place.clone())).remove(0))
}
