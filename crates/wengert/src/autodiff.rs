//! Derivatives: `grad` and its relatives, forward and reverse.

use crate::array::{Array, Stager, StagingInfo};
use crate::dispatch::inline;
use crate::fail::ok;
use crate::fit::{leaf_names_of, same_type};
use crate::function::{Arg, Args, Func, Function, Select, SharedFn, callable};
use crate::stage::{FlatArgs, Tracers, stage};
use crate::tape;
use crate::trace::variables;
use crate::tree::{Tree, leaves, mismatch};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use wengert_core::transform::{self, KnownVars, Residual, WithKnown};
use wengert_core::{Error, Place, Program, Result, Scalar, Tensor, Type, Var};
use wengert_tape::api::{RETURNED_BY, RETURNS, WRT};

/// A function traced at its arguments, ready to be differentiated.
struct Primal<R: Tree> {
    program: Program,
    /// Arguments, then captures.
    inputs: Vec<Array>,
    /// Which inputs derivatives are taken in.
    wrt: Vec<bool>,
    out: R::Structure,
    /// The values of the program's variables, where they are known.
    known: Vec<Option<Array>>,
    place: Place,
}

/// Of each leaf of the arguments, whether a derivative is taken in it.
pub(crate) fn selected<A: Args, W: Select<A>>(args: &A) -> Vec<bool> {
    let counts = args.leaf_counts();
    let chosen = W::chosen(counts.len());
    counts.iter().zip(chosen).flat_map(|(&n, on)| std::iter::repeat_n(on, n)).collect()
}

/// The numbers of the leaves that a derivative is taken in.
pub(crate) fn chosen_leaves<A: Args, W: Select<A>>(args: &A) -> impl Iterator<Item = i64> {
    selected::<A, W>(args).into_iter().enumerate().filter(|(_, on)| *on).map(|(i, _)| i as i64)
}

fn primal<A: Args, R: Tree, W: Select<A>>(info: &StagingInfo, args: &A, f: &dyn Fn(A) -> R) -> Result<Primal<R>> {
    let flat = FlatArgs::new(args);
    let mut wrt = selected::<A, W>(args);
    let by = info.by;
    for ((x, on), name) in flat.leaves.iter().zip(&wrt).zip(flat.names()) {
        if *on && !x.dtype().is_differentiable() {
            return Err(Error::dtype(format!("`{by}` can't differentiate in `{name}`, which has type {}", x.ty()))
                .at(info.place.clone())
                .note(
                    "only floats and complex numbers have derivatives: convert it, or leave it out with `.wrt(..)`",
                ));
        }
    }
    let traced = stage(info.clone(), Tracers::Concrete, &flat, f)?;
    let mut inputs = flat.leaves;
    inputs.extend(traced.captures);
    wrt.resize(inputs.len(), false);
    let (program, known, place) = (traced.program, traced.known, info.place.clone());
    Ok(Primal { program, inputs, wrt, out: traced.out, known, place })
}

/// The values that the run of a traced function computed, so that its derivative need not compute them again.
struct ComputedValues<'a> {
    program: &'a Program,
    known: Vec<Option<Array>>,
}

impl ComputedValues<'_> {
    fn is_known(&self, v: Var) -> bool {
        self.known[v.index()].is_some()
    }

    /// The values of these variables as arrays. `x` are the arrays that the function was run on.
    fn take_arrays(self, x: &[&Array], vars: &[Var], place: &Place) -> Result<Vec<Array>> {
        if vars.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = variables(self.program, x, self.known, place)?;
        Ok(vars.iter().map(|v| all[v.index()].take().expect("taken once, if known")).collect())
    }
}

/// A number that a derivative begins with.
fn seed(ty: &Type, x: f64) -> Array {
    Array::literal(Tensor::splat(ty.shape.clone(), Scalar::from_f64(ty.dtype, x)))
}

pub(crate) fn zeros(ty: &Type) -> Array {
    Array::from_tensor(Tensor::zeros(ty))
}

/// What a gradient is of: a scalar, alone or with other results after it.
pub trait Loss: Tree {}
impl Loss for Array {}
impl<T: Tree> Loss for (Array, T) {}

/// The value of a scalar function, and its gradient in the chosen arguments.
fn value_and_gradient<A: Args, R: Loss, W: Select<A>>(
    info: &StagingInfo,
    args: A,
    f: &dyn Fn(A) -> R,
) -> Result<(R, W::Picked)> {
    tape::transform(info, || leaves(&args), || take_gradient::<A, R, W>(info, &args, f), leaves)
}

fn take_gradient<A: Args, R: Loss, W: Select<A>>(
    info: &StagingInfo,
    args: &A,
    f: &dyn Fn(A) -> R,
) -> Result<(R, W::Picked)> {
    tape::say_numbers(WRT, chosen_leaves::<A, W>(args));
    let p: Primal<R> = primal::<A, R, W>(info, args, f)?;
    let types = p.program.output_types();
    let loss = &types[0];
    if loss.rank() != 0 || !loss.dtype.is_float() {
        return Err(Error::shape(format!(
            "`{}` needs a function that gives a real scalar, and this one gives {loss}",
            info.by
        ))
        .at(p.place)
        .note(format!("it is {}", info.shown_function()))
        .note(match loss {
            loss if loss.rank() > 0 => {
                "reduce the result, for example with `.sum(..)` or `.mean(..)`; `vjp` and `jacrev` take any result"
            }
            loss if loss.dtype.is_complex() => "take its real part with `.real()`, or its size with `.abs()`",
            _ => "only floats have derivatives: compute the result in floats; integers have none, converted or not",
        }));
    }
    let seeds: Vec<Array> = types
        .iter()
        .enumerate()
        .filter(|(_, t)| t.dtype.is_differentiable())
        .map(|(i, t)| seed(t, if i == 0 { 1.0 } else { 0.0 }))
        .collect();
    let computed = ComputedValues { program: &p.program, known: p.known };
    let WithKnown { derivative, known } =
        transform::vjp_known(&p.program, &p.wrt, &KnownVars(&|v| computed.is_known(v)))?;
    let inputs: Vec<&Array> = p.inputs.iter().collect();
    let known = computed.take_arrays(&inputs, &known, &p.place)?;
    let x: Vec<&Array> = p.inputs.iter().chain(&seeds).chain(&known).collect();
    let mut y = inline("value and gradient", &Arc::new(derivative), &x, p.place)?.into_iter();
    let value = R::unflatten(&p.out, &mut y);
    let mut picked = Vec::new();
    let structure = W::pick(args).flatten(&mut picked);
    Ok((value, W::Picked::unflatten(&structure, &mut y)))
}

/// A function made from the value and the gradient of another.
macro_rules! gradient {
    ($(#[$meta:meta])* $name:ident => $out:ty, $of:expr, $(#[$wrt:meta])*) => {
        $(#[$meta])*
        pub struct $name<'f, A: Args + 'f, R: Loss + 'f, W: Select<A> = Arg<0>> {
            f: SharedFn<'f, A, R>,
            info: StagingInfo,
            call: Func<'f, A, $out>,
            which: PhantomData<W>,
        }

        impl<'f, A: Args + 'f, R: Loss + 'f, W: Select<A> + 'f> $name<'f, A, R, W> {
            fn new(f: SharedFn<'f, A, R>, info: StagingInfo) -> Self {
                let (g, a, of) = (f.clone(), info.clone(), $of);
                let call = Func::new(&info.function, move |args| of(ok(value_and_gradient::<A, R, W>(&a, args, &*g))));
                $name { f, info, call, which: PhantomData }
            }

            $(#[$wrt])*
            pub fn wrt<V: Select<A> + 'f>(self, _which: V) -> $name<'f, A, R, V> {
                $name::new(self.f, self.info)
            }
        }
        callable!($name<R: Loss, W: Select<A>> => $out);
    };
}
gradient! {
    /// A gradient: see [`grad`]. Call it like the function it was made from.
    Grad => W::Picked, |(_, slope)| slope,
    /// Differentiates in another argument, or in all.
    ///
    /// ```
    /// use wengert::{grad, All, Arg, Array};
    /// let f = |x: Array, y: Array| &x * &x * y;
    /// let (x, y) = (Array::from(2.0f32), Array::from(3.0f32));
    /// assert_eq!(grad(f).wrt(Arg::<1>)(x.clone(), y.clone()).item::<f32>(), 4.0);
    /// let (dx, dy) = grad(f).wrt(All)(x, y);
    /// assert_eq!((dx.item::<f32>(), dy.item::<f32>()), (12.0, 4.0));
    /// ```
}
gradient! {
    /// The value and gradient of a scalar function: see [`value_and_grad`].
    ValueAndGrad => (R, W::Picked), |both| both,
    /// Differentiates in another argument, or in all.
    ///
    /// ```
    /// use wengert::{value_and_grad, Arg, Array};
    /// let f = |x: Array, y: Array| x * &y * &y;
    /// let (value, slope) = value_and_grad(f).wrt(Arg::<1>)(Array::from(2.0f32), Array::from(3.0f32));
    /// assert_eq!((value.item::<f32>(), slope.item::<f32>()), (18.0, 12.0));
    /// ```
}

/// The gradient of a function that gives a real scalar, in its first argument.
///
/// The gradient has the tree structure of the argument. A function may also give `(scalar, anything else)`.
///
/// ```
/// use wengert::{grad, All, Arg, Array};
/// let f = |x: Array, y: Array| (&x * &x * y).sum(..);
/// let (x, y) = (Array::from([1.0f32, 2.0]), Array::from([3.0f32, 4.0]));
/// assert_eq!(grad(f)(x.clone(), y.clone()).to_vec::<f32>(), [6.0, 16.0]);
/// assert_eq!(grad(f).wrt(Arg::<1>)(x.clone(), y.clone()).to_vec::<f32>(), [1.0, 4.0]);
/// let (dx, dy) = grad(f).wrt(All)(x, y);
/// assert_eq!((dx.to_vec::<f32>()[0], dy.to_vec::<f32>()[0]), (6.0, 1.0));
/// ```
#[track_caller]
pub fn grad<'f, A: Args + 'f, F>(f: F) -> Grad<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: Loss + 'f,
    Arg<0>: Select<A>,
{
    let info = StagingInfo::new("grad", f.name(), Place::caller());
    Grad::new(Arc::new(move |a| f.call(a)), info)
}

/// The value of a function that gives a real scalar, and its gradient in its first argument.
///
/// ```
/// use wengert::{value_and_grad, Array};
/// let (y, g) = value_and_grad(|x: Array| &x * &x)(Array::from(3.0f64));
/// assert_eq!((y.item::<f64>(), g.item::<f64>()), (9.0, 6.0));
/// ```
#[track_caller]
pub fn value_and_grad<'f, A: Args + 'f, F>(f: F) -> ValueAndGrad<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: Loss + 'f,
    Arg<0>: Select<A>,
{
    let info = StagingInfo::new("value_and_grad", f.name(), Place::caller());
    ValueAndGrad::new(Arc::new(move |a| f.call(a)), info)
}

/// Pushes tangents forward: the function's value at `primals` and its derivative along `tangents`.
///
/// ```
/// use wengert::{jvp, Array};
/// let (y, dy) = jvp(|x: Array| x.sin(), (Array::from(0.0f32),), (Array::from(2.0f32),));
/// assert_eq!((y.item::<f32>(), dy.item::<f32>()), (0.0, 2.0));
/// ```
#[track_caller]
pub fn jvp<A: Args, F: Function<A>>(f: F, primals: A, tangents: A) -> (F::Output, F::Output)
where
    F::Output: Tree,
{
    let info = StagingInfo::new("jvp", f.name(), Place::caller());
    let given = || [leaves(&primals), leaves(&tangents)].concat();
    ok(tape::transform(&info, given, || push_forward(&info, &|a| f.call(a), &primals, &tangents), leaves))
}

fn push_forward<A: Args, R: Tree>(info: &StagingInfo, f: &dyn Fn(A) -> R, primals: &A, tangents: &A) -> Result<(R, R)> {
    let place = &info.place;
    let (flat, t) = (FlatArgs::new(primals), FlatArgs::new(tangents));
    if flat.structure != t.structure {
        return Err(mismatch::<A>("primals and tangents", &flat.structure, &t.structure).at(place.clone()));
    }
    for ((x, t), name) in flat.leaves.iter().zip(&t.leaves).zip(flat.names()) {
        same_type("tangent", &name, &x.ty(), t, info, place)?;
    }
    let traced = stage(info.clone(), Tracers::Concrete, &flat, f)?;
    let mut active: Vec<bool> = flat.leaves.iter().map(|x| x.dtype().is_differentiable()).collect();
    active.resize(flat.leaves.len() + traced.captures.len(), false);
    let computed = ComputedValues { program: &traced.program, known: traced.known };
    let known = KnownVars(&|v| computed.is_known(v));
    let (WithKnown { derivative, known }, moving) = transform::jvp_known(&traced.program, &active, &known)?;
    let tangents = t.leaves.iter().zip(&active).filter(|(_, a)| **a).map(|(t, _)| t);
    let inputs: Vec<&Array> = flat.leaves.iter().chain(&traced.captures).collect();
    let known = computed.take_arrays(&inputs, &known, place)?;
    let x: Vec<&Array> = inputs.into_iter().chain(tangents).chain(&known).collect();
    let mut y = inline("value and tangent", &Arc::new(derivative), &x, place.clone())?;
    let mut moved = y.split_off(moving.len()).into_iter();
    let tangents: Vec<Array> = moving
        .iter()
        .zip(&y)
        .map(|(&m, y)| if m { moved.next().expect("a tangent each") } else { zeros(&y.ty()) })
        .collect();
    let out = |v: Vec<Array>| R::unflatten(&traced.out, &mut v.into_iter());
    Ok((out(y), out(tangents)))
}

/// The linear part of a function at a point: from tangents of its arguments to tangents of its result.
#[derive(Clone)]
pub struct Linear<A: Args, R: Tree> {
    program: Arc<Program>,
    residuals: Vec<Array>,
    input: A::Structure,
    input_types: Vec<Type>,
    output: R::Structure,
    output_types: Vec<Type>,
    /// Of each leaf of the arguments, whether it has a tangent.
    active: Vec<bool>,
    moving: Vec<bool>,
    info: StagingInfo,
    /// The number by which tapes know it.
    number: i64,
}

/// The function's value, and its linear part at `args`, which can be applied to many tangents.
///
/// ```
/// use wengert::{linearize, Array};
/// let (y, f) = linearize(|x: Array| x.exp(), (Array::from(0.0f64),));
/// assert_eq!((y.item::<f64>(), f.apply((Array::from(3.0f64),)).item::<f64>()), (1.0, 3.0));
/// ```
#[track_caller]
pub fn linearize<A: Args, F: Function<A>>(f: F, args: A) -> (F::Output, Linear<A, F::Output>)
where
    F::Output: Tree,
{
    let info = StagingInfo::new("linearize", f.name(), Place::caller());
    linearized(info, &|a| f.call(a), args)
}

/// [`linear_part`] as one call of a recording: what it gives are the value and the residuals.
fn linearized<A: Args, R: Tree>(info: StagingInfo, f: &dyn Fn(A) -> R, args: A) -> (R, Linear<A, R>) {
    let out = |(y, linear): &(R, Linear<A, R>)| [leaves(y), linear.residuals.clone()].concat();
    let made = || {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        tape::say(RETURNS, number);
        let active: Vec<bool> = leaves(&args).iter().map(|x| x.dtype().is_differentiable()).collect();
        let (y, linear) = linear_part(&info, f, &args, &active)?;
        Ok((y, Linear { number, ..linear }))
    };
    ok(tape::transform(&info, || leaves(&args), made, out))
}

static NEXT_NUMBER: AtomicI64 = AtomicI64::new(1);

/// The value of a function, and its linear part at `args` in those of their leaves that are active.
pub(crate) fn linear_part<A: Args, R: Tree>(
    info: &StagingInfo,
    f: &dyn Fn(A) -> R,
    args: &A,
    active: &[bool],
) -> Result<(R, Linear<A, R>)> {
    let flat = FlatArgs::new(args);
    let traced = stage(info.clone(), Tracers::Concrete, &flat, f)?;
    let n = traced.program.outputs().len();
    let active = active.to_vec();
    let mut moved = active.clone();
    moved.resize(flat.leaves.len() + traced.captures.len(), false);
    let computed = ComputedValues { program: &traced.program, known: traced.known };
    let known = KnownVars(&|v| computed.is_known(v));
    let WithKnown { derivative: lin, known } =
        transform::linearize_known(&traced.program, &moved, &vec![false; n], &known)?;
    let x: Vec<&Array> = flat.leaves.iter().chain(&traced.captures).collect();
    let known = computed.take_arrays(&x, &known, &info.place)?;
    let all: Vec<&Array> = x.iter().copied().chain(&known).collect();
    let mut y = inline("forward", &Arc::new(lin.forward), &all, info.place.clone())?;
    let residuals = lin
        .residuals
        .iter()
        .map(|r| match *r {
            Residual::Input(i) => x[i].clone(),
            Residual::Output(i) => y[i].clone(),
        })
        .collect();
    y.truncate(n);
    let linear = Linear {
        program: Arc::new(lin.linear),
        residuals,
        input_types: flat.leaves.iter().map(Array::ty).collect(),
        input: flat.structure.clone(),
        output: traced.out.clone(),
        output_types: y.iter().map(Array::ty).collect(),
        active,
        moving: lin.moving,
        info: info.clone(),
        number: 0,
    };
    Ok((R::unflatten(&traced.out, &mut y.into_iter()), linear))
}

impl<A: Args, R: Tree> Linear<A, R> {
    /// The tangent of the result along these tangents of the arguments.
    ///
    /// ```
    /// use wengert::{linearize, Array};
    /// let (_, f) = linearize(|x: Array| &x * &x, (Array::from(3.0f32),));
    /// assert_eq!(f.apply((Array::from(10.0f32),)).item::<f32>(), 60.0);
    /// ```
    #[track_caller]
    pub fn apply(&self, tangents: A) -> R {
        let place = Place::caller();
        let push = || self.push(&tangents, &place);
        ok(self.call("apply", &place, || leaves(&tangents), push, leaves))
    }

    /// Runs it as one call of a recording, which says who gave it.
    fn call<T>(
        &self,
        by: &'static str,
        place: &Place,
        given: impl Fn() -> Vec<Array>,
        f: impl FnOnce() -> Result<T>,
        out: impl Fn(&T) -> Vec<Array>,
    ) -> Result<T> {
        let info = StagingInfo::new(by, &self.info.function, place.clone());
        let told = || {
            tape::say(RETURNED_BY, self.number);
            f()
        };
        tape::transform(&info, given, told, out)
    }

    pub(crate) fn push(&self, tangents: &A, place: &Place) -> Result<R> {
        let t = FlatArgs::new(tangents);
        if t.structure != self.input {
            return Err(mismatch::<A>("arguments and tangents", &self.input, &t.structure).at(place.clone()));
        }
        let mut x: Vec<&Array> = self.residuals.iter().collect();
        let names = t.names();
        for (((t, want), active), name) in t.leaves.iter().zip(&self.input_types).zip(&self.active).zip(names) {
            if *active {
                same_type("tangent", &name, want, t, &self.info, place)?;
                x.push(t);
            }
        }
        let name = format!("linear part of {}", self.info.function);
        let mut y = inline(&name, &self.program, &x, place.clone())?.into_iter();
        let out = self.moving.iter().zip(&self.output_types);
        let leaves: Vec<Array> =
            out.map(|(&m, t)| if m { y.next().expect("a tangent each") } else { zeros(t) }).collect();
        Ok(R::unflatten(&self.output, &mut leaves.into_iter()))
    }

    /// The program of the linear part: residuals, then tangents.
    ///
    /// ```
    /// use wengert::{linearize, Array};
    /// let (_, f) = linearize(|x: Array| x.sin(), (Array::from(3.0f32),));
    /// assert!(f.program().to_string().contains("mul"));
    /// ```
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn pull(&self, cotangent: &R, place: Place) -> Result<A> {
        let mut ct = Vec::new();
        let structure = cotangent.flatten(&mut ct);
        if structure != self.output {
            return Err(mismatch::<R>("result and cotangent", &self.output, &structure).at(place));
        }
        let names = leaf_names_of::<R>("result", &self.output);
        for ((want, ct), name) in self.output_types.iter().zip(&ct).zip(&names) {
            same_type("cotangent", name, want, ct, &self.info, &place)?;
        }
        let mut linear = vec![false; self.residuals.len()];
        linear.resize(self.program.inputs().len(), true);
        let given = vec![true; self.program.outputs().len()];
        let (program, present) = transform::transpose(&self.program, &linear, &given)?;
        let moving = ct.iter().zip(&self.moving).filter(|(_, m)| **m).map(|(c, _)| c);
        let x: Vec<&Array> = self.residuals.iter().chain(moving).collect();
        let name = format!("backward {}", self.info.function);
        let mut y = inline(&name, &Arc::new(program), &x, place)?.into_iter();
        let mut present = present.into_iter();
        let leaves: Vec<Array> = self
            .input_types
            .iter()
            .zip(&self.active)
            .map(|(t, &active)| match active && present.next().unwrap_or(false) {
                true => y.next().expect("a cotangent each"),
                false => zeros(t),
            })
            .collect();
        Ok(A::unflatten(&self.input, &mut leaves.into_iter()))
    }
}

/// The function's value, and the function that pulls a cotangent of the result back to the arguments.
///
/// ```
/// use wengert::{vjp, Array};
/// let (y, pull) = vjp(|x: Array, y: Array| x * y, (Array::from(2.0f32), Array::from(5.0f32)));
/// let (dx, dy) = pull.pull(Array::from(1.0f32));
/// assert_eq!((y.item::<f32>(), dx.item::<f32>(), dy.item::<f32>()), (10.0, 5.0, 2.0));
/// ```
#[track_caller]
pub fn vjp<A: Args, F: Function<A>>(f: F, args: A) -> (F::Output, Pullback<A, F::Output>)
where
    F::Output: Tree,
{
    let info = StagingInfo::new("vjp", f.name(), Place::caller());
    let (y, linear) = linearized(info, &|a| f.call(a), args);
    (y, Pullback(linear))
}

/// Pulls cotangents of a result back to the arguments: see [`vjp`].
#[derive(Clone)]
pub struct Pullback<A: Args, R: Tree>(Linear<A, R>);

impl<A: Args, R: Tree> Pullback<A, R> {
    /// The cotangents of the arguments.
    ///
    /// ```
    /// use wengert::{vjp, Array};
    /// let (_, f) = vjp(|x: Array| &x * &x, (Array::from(3.0f32),));
    /// assert_eq!(f.pull(Array::from(10.0f32)).0.item::<f32>(), 60.0);
    /// ```
    #[track_caller]
    pub fn pull(&self, cotangent: R) -> A {
        let place = Place::caller();
        let pull = || self.0.pull(&cotangent, place.clone());
        ok(self.0.call("pull", &place, || leaves(&cotangent), pull, leaves))
    }

    /// Where the function was differentiated.
    ///
    /// ```
    /// use wengert::{vjp, Array};
    /// let (_, f) = vjp(|x: Array| x.sin(), (Array::from(3.0f32),));
    /// assert!(f.place().to_string().contains(".rs"));
    /// ```
    pub fn place(&self) -> &Place {
        &self.0.info.place
    }
}

/// The Hessian-vector product of a scalar function in its first argument, forward over reverse.
///
/// ```
/// use wengert::{hvp, Array};
/// let f = |x: Array| (&x * &x * &x).sum(..);
/// let h = hvp(f, Array::from([1.0f32, 2.0]), Array::from([1.0f32, 10.0]));
/// assert_eq!(h.to_vec::<f32>(), [6.0, 120.0]);
/// ```
#[track_caller]
pub fn hvp<T: Tree, F>(f: F, x: T, v: T) -> T
where
    F: Function<(T,), Output = Array> + Send + Sync,
{
    let info = StagingInfo::new("hvp", f.name(), Place::caller());
    let g = Grad::<(T,), Array>::new(
        Arc::new(|(x,)| f.call((x,))),
        StagingInfo { by: Stager::Other("grad"), ..info.clone() },
    );
    let (x, v) = ((x,), (v,));
    let given = || [leaves(&x), leaves(&v)].concat();
    let along = || push_forward(&info, &|x: (T,)| g.call(x), &x, &v);
    ok(tape::transform(&info, given, along, |(_, h)| leaves(h))).1
}
