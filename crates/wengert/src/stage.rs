//! Tracing functions of trees: what every transform begins with.

use crate::array::Array;
use crate::array::{Stager, StagingInfo};
use crate::dispatch::inline;
use crate::fail::ok;
use crate::function::{Args, Function};
use crate::guards::GuardedRead;
use crate::tape::{TracingRecord, call_if_failed};
use crate::trace::{CAPTURED, EndedTrace, TraceArgument, Tracing};
use crate::tree::{Tree, tree_paths};
use std::sync::Arc;
use wengert_core::{Error, Place, Program, Result, Type, Var, counted};
use wengert_tape::record::{self, Origin, Recorded, TracedBody};

/// Whether a transform gives its tracers the values of the arguments (concrete tracers) or not (abstract ones).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tracers {
    Abstract,
    Concrete,
}

/// Arguments as their leaves and their structure.
pub(crate) struct FlatArgs<A: Args> {
    pub(crate) leaves: Vec<Array>,
    pub(crate) structure: A::Structure,
}

impl<A: Args> FlatArgs<A> {
    pub(crate) fn new(args: &A) -> FlatArgs<A> {
        let mut leaves = Vec::new();
        let structure = args.flatten(&mut leaves);
        FlatArgs { leaves, structure }
    }

    /// Arguments that are given away: the leaves are then the only handles on arrays that nobody else holds.
    pub(crate) fn of(args: A) -> FlatArgs<A> {
        let mut leaves = Vec::new();
        let structure = args.into_leaves(&mut leaves);
        FlatArgs { leaves, structure }
    }

    /// Names for the leaves.
    pub(crate) fn names(&self) -> Vec<String> {
        leaf_names::<A>(&self.structure)
    }
}

/// Names for the leaves of arguments: `arg0`, `arg1.w`.
pub(crate) fn leaf_names<A: Args>(structure: &A::Structure) -> Vec<String> {
    tree_paths::<A>(structure).into_iter().map(|n| format!("arg{n}")).collect()
}

/// A traced function: its program takes the arguments, then the captures.
pub(crate) struct TracedFunction<S> {
    pub(crate) program: Program,
    pub(crate) captures: Vec<Array>,
    /// For each variable of the program its value, where that is known.
    pub(crate) known: Vec<Option<Array>>,
    /// What else the function gave: the structure of its result.
    pub(crate) out: S,
    /// What the function did while it was traced, if that was recorded and its program is kept.
    pub(crate) body: Option<Arc<TracedBody>>,
    /// What the host read, if the trace was guarded.
    pub(crate) reads: Vec<GuardedRead>,
}

impl<S> TracedFunction<S> {
    /// The same with something else beside the arrays.
    pub(crate) fn with<T>(self, out: T) -> TracedFunction<T> {
        let TracedFunction { program, captures, known, out: _, body, reads } = self;
        TracedFunction { program, captures, known, out, body, reads }
    }
}

/// Traces a function from arrays to arrays, and to anything else beside them.
pub(crate) fn trace<S>(
    info: StagingInfo,
    arguments: Vec<TraceArgument>,
    f: impl FnOnce(Vec<Array>) -> (Vec<Array>, S),
) -> Result<TracedFunction<S>> {
    let (mut f, mut out) = (Some(f), None);
    let traced = trace_arrays(info, arguments, &mut |x| {
        let (y, s) = f.take().expect("it is traced once")(x);
        out = Some(s);
        y
    })?;
    Ok(traced.with(out.expect("it was traced")))
}

/// The same of a function that gives nothing else: compiled once, and not for each function of the user's.
fn trace_arrays(
    info: StagingInfo,
    arguments: Vec<TraceArgument>,
    f: &mut dyn FnMut(Vec<Array>) -> Vec<Array>,
) -> Result<TracedFunction<()>> {
    let names: Vec<String> = arguments.iter().map(|a| a.name.clone()).collect();
    let (tracing, mut tracers) = Tracing::start(info.clone(), &arguments);
    let recording = TracingRecord::start(&info, &mut tracers, &names);
    let (mut outputs, recording) = recording.run(&info, || f(tracers));
    // The tape of the function ends before its program does, which has these as constants.
    let constants: Vec<usize> =
        (0..outputs.len()).filter(|&i| !outputs[i].is_traced() && record::is_constant_of_body(&outputs[i])).collect();
    let body = recording.finish(&info, &outputs);
    constants.into_iter().for_each(|i| outputs[i].set_origin(Origin::default()));
    let EndedTrace { program, captures, known, reads } = tracing.end(&outputs)?;
    Ok(TracedFunction { program, captures, known, out: (), body, reads })
}

/// Traces a function at these arguments.
pub(crate) fn stage<A: Args, R: Tree>(
    info: StagingInfo,
    tracers: Tracers,
    flat: &FlatArgs<A>,
    f: &dyn Fn(A) -> R,
) -> Result<TracedFunction<R::Structure>> {
    let arguments = flat
        .leaves
        .iter()
        .zip(flat.names())
        .map(|(x, name)| match tracers {
            Tracers::Concrete => TraceArgument::of(x, name),
            Tracers::Abstract => TraceArgument::unknown(x.ty(), name),
        })
        .collect();
    trace(info, arguments, |x| call_flat(f, &flat.structure, x))
}

/// Calls a function of trees on leaves.
pub(crate) fn call_flat<A: Tree, R: Tree>(
    f: &dyn Fn(A) -> R,
    structure: &A::Structure,
    x: Vec<Array>,
) -> (Vec<Array>, R::Structure) {
    let out = f(A::unflatten(structure, &mut x.into_iter()));
    let mut leaves = Vec::new();
    let structure = out.flatten(&mut leaves);
    (leaves, structure)
}

/// The program a function is traced to at these arguments (only their types count). Arrays of a function around it that is being
/// traced (by `jit`, `grad`) have no value there: those that it captures are inputs of the program, after the arguments.
///
/// ```
/// use wengert::{make_program, Array};
/// let p = make_program(|x: Array| (&x * 2.0).sin(), (Array::from([1.0f32, 2.0]),));
/// assert!(p.to_string().contains("sin"));
/// ```
#[track_caller]
pub fn make_program<A: Args, F: Function<A>>(f: F, args: A) -> Program
where
    F::Output: Tree,
{
    let info = StagingInfo { by: Stager::Program("make_program"), function: f.name().into(), place: Place::caller() };
    ok(stage_program(info, &FlatArgs::new(&args), &|a| f.call(a))).program
}

/// Traces a function for its program.
pub(crate) fn stage_program<A: Args, R: Tree>(
    info: StagingInfo,
    flat: &FlatArgs<A>,
    f: &dyn Fn(A) -> R,
) -> Result<TracedFunction<R::Structure>> {
    let traced = || stage(info.clone(), Tracers::Abstract, flat, f);
    call_if_failed(&info, || flat.leaves.clone(), || (), traced)
}

/// The types of what a function would give at these arguments, of which only the types count: nothing is computed. Each has
/// its path in the result.
///
/// ```
/// use wengert::{eval_shape, Array, DType};
/// let tall = Array::zeros([10_000, 100], DType::F32);
/// let types = eval_shape(|x: Array| (x.matmul(x.t()), x.sum(0)), (tall,));
/// let shown: Vec<String> = types.iter().map(|(path, ty)| format!("{path}: {ty}")).collect();
/// assert_eq!(shown, ["0: f32[10000,10000]", "1: f32[100]"]);
/// ```
#[track_caller]
pub fn eval_shape<A: Args, F: Function<A>>(f: F, args: A) -> Vec<(String, Type)>
where
    F::Output: Tree,
{
    let info = StagingInfo { by: Stager::Program("eval_shape"), function: f.name().into(), place: Place::caller() };
    let traced = ok(stage_program(info, &FlatArgs::new(&args), &|a| f.call(a)));
    tree_paths::<F::Output>(&traced.out).into_iter().zip(traced.program.output_types()).collect()
}

/// An error if a program does not take arrays of these types: which argument, and what it should be.
fn fits(program: &Program, given: &[Type]) -> Result<()> {
    let wanted = program.input_types();
    let differs = wanted.iter().zip(given).position(|(wanted, got)| wanted != got);
    if differs.is_none() && wanted.len() == given.len() {
        return Ok(());
    }
    let name = if program.name().is_empty() { "the program".into() } else { format!("`{}`", program.name()) };
    let input = |&v: &Var| match program.var_name(v) {
        Some(name) => format!("{name}: {}", program.ty(v)),
        None => program.ty(v).to_string(),
    };
    let takes = format!("{name} takes ({})", program.inputs().iter().map(input).collect::<Vec<_>>().join(", "));
    let Some(i) = differs.filter(|_| wanted.len() == given.len()) else {
        let m = format!("`call_program`: {name} takes {}, and got {}", counted(wanted.len(), "array"), given.len());
        let missing = program.inputs().get(given.len()).and_then(|v| program.var_name(*v));
        let e = Error::shape(m).note(takes);
        return Err(match missing.is_some_and(|name| name.starts_with(CAPTURED)) {
            true => e.note("what to do: give it the traced arrays too that its function captured, after the arguments"),
            false => e,
        });
    };
    let (wanted, got) = (&wanted[i], &given[i]);
    let m = format!("`call_program`: argument {i} of {name} must be {wanted}, and is {got}");
    Err(match wanted.shape == got.shape {
        true => Error::dtype(m).note(takes).note(format!("convert it first with `.to(DType::{:?})`", wanted.dtype)),
        false => Error::shape(m).note(takes).note("what to do: reshape it; for a batch of such arrays, use `vmap`"),
    })
}

/// Calls a program on arrays: now, or by writing its equations into the program being traced. What was read from text
/// is a function like any other this way.
///
/// ```
/// use wengert::{call_program, grad, Array, Program};
/// let p = Program::parse("program (x: f32[]) { y: f32[] = mul(x, x) return y }").unwrap();
/// let f = |x: Array| call_program(&p, &[x]).remove(0);
/// assert_eq!(f(Array::from(3.0f32)).item::<f32>(), 9.0);
/// assert_eq!(grad(f)(Array::from(3.0f32)).item::<f32>(), 6.0);
/// ```
#[track_caller]
pub fn call_program(program: &Program, x: &[Array]) -> Vec<Array> {
    let place = Place::caller();
    let types: Vec<Type> = x.iter().map(Array::ty).collect();
    let program = Arc::new(program.clone());
    ok(fits(&program, &types).map_err(|e| e.at(place.clone())));
    let name = if program.name().is_empty() { "program" } else { program.name() };
    ok(inline(name, &program, &x.iter().collect::<Vec<_>>(), place))
}
