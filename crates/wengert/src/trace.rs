//! Tracing: running a function on variables instead of values, so that what it does becomes a program.
//!
//! What users call here is the switch of the recorder: [`enable`], [`collect`], [`purge`], [`disable`].
//!
//! Every operation on arrays goes through [`bind`]. With concrete operands it runs at once; with a traced one it becomes
//! an equation of the innermost trace on this thread, and runs too if all values are known.

use crate::array::{Array, Repr};
use crate::backend;
use crate::fail::ok;
use crate::record::{self, Tracing};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wengert_core::backend::Executable;
use wengert_core::{Builder, Error, ErrorKind, Op, Place, Program, Result, Tensor, Type, Var};
use wengert_cpu::Plan;
use wengert_tape::Tape;
use wengert_tape::record::{self as tape, Around, For, Origin, Watching};

pub use crate::record::{collect, disable, enable, enable_with, is_recording, purge};

/// A traced array: a variable of a program being built.
pub(crate) struct Tracer {
    pub(crate) trace: Arc<Trace>,
    pub(crate) var: Var,
    pub(crate) ty: Type,
    pub(crate) value: Option<Tensor>,
    place: Place,
}

/// One function being traced.
pub(crate) struct Trace {
    id: u64,
    parent: Option<Arc<Trace>>,
    about: About,
    /// The recordings it is traced in.
    around: Around,
    /// The program so far; taken when the trace ends.
    state: Mutex<Option<State>>,
}

/// What is being traced and why, for messages.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// What stages the function: `jit`, `grad`, `the body of scan`.
    pub(crate) by: &'static str,
    /// The name of the user's function.
    pub(crate) function: Arc<str>,
    /// Where the user asked for it.
    pub(crate) place: Place,
}

#[derive(Default)]
struct State {
    builder: Builder,
    /// Names of the arguments; inputs past these are captures.
    arguments: Vec<String>,
    /// Arrays of enclosing traces, or of a recording around it, that the function uses, and their inputs in order.
    captures: Vec<(Array, Var)>,
    captured: FxHashMap<(u64, Var), Var>,
    /// Arrays of a recording around it that are constants of the program.
    baked: Vec<Array>,
    /// Constants already there, by the identity of their elements.
    constants: FxHashMap<(usize, Type), Var>,
}

impl State {
    /// The input that stands for an array of an enclosing trace, or of a recording around it.
    fn capture(&mut self, a: &Array) -> Var {
        if let Some((_, v)) = self.captures.iter().find(|(c, _)| c.is_same(a)) {
            return *v;
        }
        let v = self.builder.input(a.ty());
        self.captures.push((a.clone(), v));
        v
    }

    fn bake(&mut self, a: &Array) {
        if !self.baked.iter().any(|b| b.is_same(a)) {
            self.baked.push(a.clone());
        }
    }
}

thread_local! {
    static STACK: RefCell<Vec<Arc<Trace>>> = const { RefCell::new(Vec::new()) };
}

/// Whether a function is being traced on this thread.
pub(crate) fn tracing() -> bool {
    STACK.with_borrow(|s| !s.is_empty())
}

/// An argument of a function to be traced.
pub(crate) struct Argument {
    pub(crate) ty: Type,
    /// The value, for concrete tracers.
    pub(crate) value: Option<Tensor>,
    pub(crate) name: String,
    /// Where the value came from, on the tape.
    pub(crate) origin: Origin,
}

impl Argument {
    /// An argument whose value is not known.
    pub(crate) fn unknown(ty: Type, name: String) -> Argument {
        Argument { ty, value: None, name, origin: Origin::default() }
    }

    /// An argument with the value of this array, if that is known.
    pub(crate) fn of(x: &Array, name: String) -> Argument {
        Argument { ty: x.ty(), value: x.value().cloned(), name, origin: x.1 }
    }
}

/// A traced function: its program takes the arguments, then the captures.
pub(crate) struct Traced<S> {
    pub(crate) program: Program,
    pub(crate) captures: Vec<Array>,
    /// What else the function gave: the structure of its result.
    pub(crate) out: S,
    /// What the function did while it was traced, if that was recorded on a tape of its own.
    pub(crate) tape: Option<Arc<Tape>>,
}

/// Traces a function that takes arrays and gives arrays, and anything else beside them.
pub(crate) fn trace<S>(
    about: About,
    arguments: Vec<Argument>,
    f: impl FnOnce(Vec<Array>) -> (Vec<Array>, S),
) -> Result<Traced<S>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let parent = STACK.with_borrow(|s| s.last().cloned());
    let mut state = State::default();
    state.builder.set_place(about.place.clone());
    let vars: Vec<Var> = arguments.iter().map(|a| state.builder.input(a.ty.clone())).collect();
    for (v, a) in vars.iter().zip(&arguments) {
        state.builder.set_name(*v, a.name.as_str());
    }
    state.arguments = arguments.iter().map(|a| a.name.clone()).collect();
    let name = about.function.clone();
    let place = about.place.clone();
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    // In a function that is traced, and that nobody looks into, captures are still those of what is made of it.
    let around = Around::here().or_else(|| parent.as_ref().map(|p| p.around.clone())).unwrap_or_default();
    let trace = Arc::new(Trace { id, parent, about, around, state: Mutex::new(Some(state)) });
    let mut names = Vec::new();
    let mut tracers = Vec::new();
    for (var, a) in vars.into_iter().zip(arguments) {
        names.push(a.name);
        let mut tracer = trace.tracer(var, a.ty, a.value, place.clone());
        tracer.1 = a.origin;
        tracers.push(tracer);
    }

    // The trace leaves the stack and ends however the function returns.
    struct Running {
        trace: Arc<Trace>,
        _watching: Watching,
    }
    impl Drop for Running {
        fn drop(&mut self) {
            STACK.with_borrow_mut(|s| s.retain(|t| t.id != self.trace.id));
            self.trace.lock().take();
        }
    }
    STACK.with_borrow_mut(|s| s.push(trace.clone()));
    let running = Running { trace: trace.clone(), _watching: Watching::start() };
    let recording = Tracing::start(&trace.about, &mut tracers, &names);
    let (outputs, out) = f(tracers);
    let tape = recording.finish(&outputs, &place);
    let mut guard = trace.lock();
    let state = guard.as_mut().expect("ended only by Running");
    let outputs = outputs.iter().map(|a| trace.lift(state, a)).collect::<Result<Vec<Var>>>()?;
    let state = guard.take().expect("ended only by Running");
    drop(guard);
    drop(running);
    trace.tell_baked(state.baked)?;
    let program = state.builder.finish(&outputs).with_name(wengert_tape::program_name(&name));
    Ok(Traced { program, captures: state.captures.into_iter().map(|(a, _)| a).collect(), out, tape })
}

impl Trace {
    fn lock(&self) -> MutexGuard<'_, Option<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tracer(self: &Arc<Trace>, var: Var, ty: Type, value: Option<Tensor>, place: Place) -> Array {
        Array(Repr::Traced(Arc::new(Tracer { trace: self.clone(), var, ty, value, place })), Origin::default())
    }

    /// Gives a variable a name.
    pub(crate) fn set_name(&self, var: Var, name: &str) {
        if let Some(state) = self.lock().as_mut() {
            state.builder.set_name(var, name);
        }
    }

    /// Gives a variable a name, if it has none but that of its position.
    pub(crate) fn suggest_name(&self, var: Var, name: &str) {
        let position = |n: &str| n.strip_prefix("arg").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
        if let Some(state) = self.lock().as_mut()
            && state.builder.name(var).is_none_or(|n| position(n))
        {
            state.builder.set_name(var, name);
        }
    }

    /// Whether what it captures of a recording becomes a constant: where the program is kept for other calls.
    fn bakes(&self) -> bool {
        matches!(self.about.by, "jit" | "make_program")
    }

    /// What became a constant of a program was read by the host, for the recording around the outermost trace.
    fn tell_baked(&self, baked: Vec<Array>) -> Result<()> {
        for a in baked {
            match &self.parent {
                None => drop(a.read("captured", "a constant", For::Decision, &self.about.place, |t| Ok(t.clone()))?),
                Some(outer) if outer.around.made(&a) => outer.lock().iter_mut().for_each(|s| s.bake(&a)),
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn encloses(&self, inner: &Trace) -> bool {
        let mut at = inner.parent.as_ref();
        while let Some(t) = at {
            if t.id == self.id {
                return true;
            }
            at = t.parent.as_ref();
        }
        false
    }

    /// The variable of this trace that stands for an array: a constant, its own, or a capture from an enclosing trace.
    fn lift(&self, state: &mut State, a: &Array) -> Result<Var> {
        match &a.0 {
            Repr::Concrete(_) if self.around.made(a) && !self.bakes() => Ok(state.capture(a)),
            Repr::Concrete(v) => {
                if self.around.made(a) {
                    state.bake(a);
                }
                let t = v.host()?;
                if t.splat_value().is_some() {
                    return Ok(state.builder.constant(t.clone()));
                }
                let State { constants, builder, .. } = state;
                let new = || builder.constant(t.clone());
                Ok(*constants.entry((t.storage_id(), t.ty())).or_insert_with(new))
            }
            Repr::Traced(t) if t.trace.id == self.id => Ok(t.var),
            Repr::Traced(t) => {
                if !t.trace.encloses(self) || t.trace.lock().is_none() {
                    return Err(leaked(t));
                }
                let key = (t.trace.id, t.var);
                if let Some(&v) = state.captured.get(&key) {
                    return Ok(v);
                }
                let v = state.capture(a);
                state.captured.insert(key, v);
                Ok(v)
            }
        }
    }
}

fn leaked(t: &Tracer) -> Error {
    let About { by, function, place } = &t.trace.about;
    let of = if function.is_empty() { String::new() } else { format!(" of `{function}`") };
    Error::new(
        ErrorKind::LeakedTracer,
        format!("a traced array of type {} is used after the trace it belongs to has ended", t.ty),
    )
    .note(format!("it was made at {}", t.place))
    .note(format!("while `{by}`{of} was tracing, at {place}"))
    .note("what to do: return the array from the function instead of keeping it elsewhere")
}

/// Why a traced value can't be read here, and what to do.
pub(crate) fn concretization_error(t: &Tracer, read_as: &str, place: Place) -> Error {
    let guard = t.trace.lock();
    let Some(state) = guard.as_ref() else { return leaked(t).at(place) };
    let About { by, function, place: staged } = &t.trace.about;
    let mut e = Error::new(
        ErrorKind::Concretization,
        format!("a traced array was read as {read_as}, and while `{by}` traces it has no value"),
    )
    .at(place);
    let from: Vec<String> = state
        .builder
        .origins(t.var)
        .iter()
        .map(|&i| match state.arguments.get(i) {
            Some(name) => format!("argument `{name}`"),
            None => "a value of an enclosing trace".to_string(),
        })
        .collect();
    let from = if from.is_empty() { "constants alone".to_string() } else { from.join(", ") };
    let of = if function.is_empty() { String::new() } else { format!(" of `{function}`") };
    e = e.note(format!("it is Traced<{}>, made at {}, and depends on {from}{of}", t.ty, t.place));
    e = e.note(format!("the function was staged by `{by}` at {staged}"));
    e.note(
        "what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged; \
         or pass the argument as a plain value (`f64`, `usize`, `bool`) or in `Static(..)`, and it is staged once for each value",
    )
}

/// The trace that an operation on these arrays belongs to; none if all are concrete.
fn target(x: &[&Array]) -> Result<Option<Arc<Trace>>> {
    let mut deepest: Option<&Arc<Trace>> = None;
    for a in x {
        if let Repr::Traced(t) = &a.0
            && deepest.is_none_or(|d| d.encloses(&t.trace))
        {
            deepest = Some(&t.trace);
        }
    }
    let Some(deepest) = deepest else { return Ok(None) };
    // The innermost trace of this thread, unless the arrays were handed to a thread of its own.
    let current = STACK.with_borrow(|s| s.last().cloned());
    Ok(Some(current.filter(|c| c.id == deepest.id || deepest.encloses(c)).unwrap_or_else(|| deepest.clone())))
}

/// Every operand's value, if all are known.
fn values(x: &[&Array]) -> Option<Vec<Tensor>> {
    x.iter().map(|a| a.value().cloned()).collect()
}

/// Does an operation: now, or as an equation of the program being traced.
pub(crate) fn try_bind(op: Op, x: &[&Array], place: Place) -> Result<SmallVec<[Array; 1]>> {
    let Some(trace) = target(x)? else {
        let types: SmallVec<[Type; 3]> = x.iter().map(|a| a.ty()).collect();
        let results = op.rules().infer(&types).map_err(|e| e.at(place.clone()))?;
        too_large(&op, &results).map_err(|e| e.at(place.clone()))?;
        if tape::anywhere() {
            return record::op(&op, x, &place).map_err(|e| e.at(place));
        }
        return Ok(backend::run_op(&op, x).map_err(|e| e.at(place))?.into());
    };
    push(&trace, op, x, place)
}

/// Makes an operation an equation of the innermost trace, whether or not an operand is traced.
pub(crate) fn try_bind_staged(op: Op, x: &[&Array], place: Place) -> Result<SmallVec<[Array; 1]>> {
    match STACK.with_borrow(|s| s.last().cloned()) {
        Some(trace) => push(&trace, op, x, place),
        None => try_bind(op, x, place),
    }
}

/// Adds an equation to a trace, and does it too if all values are known.
fn push(trace: &Arc<Trace>, op: Op, x: &[&Array], place: Place) -> Result<SmallVec<[Array; 1]>> {
    if tape::anywhere() {
        return record::traced(&op, x, &place, |known| push_known(trace, &op, x, known, &place));
    }
    push_known(trace, &op, x, None, &place)
}

/// [`push`] without a recording, where the results may be known already.
fn push_known(
    trace: &Arc<Trace>,
    op: &Op,
    x: &[&Array],
    known: Option<Vec<Tensor>>,
    place: &Place,
) -> Result<SmallVec<[Array; 1]>> {
    let (vars, types) = {
        let mut guard = trace.lock();
        let Some(state) = guard.as_mut() else { return Err(leaked(traced_of(x, trace)).at(place.clone())) };
        state.builder.set_place(place.clone());
        let vars = x.iter().map(|a| trace.lift(state, a)).collect::<Result<SmallVec<[Var; 3]>>>();
        let vars = vars.map_err(|e| e.at(place.clone()))?;
        let y = state.builder.try_push(op.clone(), &vars).map_err(|e| e.at(place.clone()))?;
        let types: SmallVec<[Type; 1]> = y.iter().map(|&v| state.builder.ty(v).clone()).collect();
        (y, types)
    };
    // What communicates has a value only once its axis is there.
    let results = match (known, values(x).filter(|_| op.rules().axis_name().is_none())) {
        (Some(known), _) => known,
        (None, Some(v)) => wengert_cpu::run_op(op, v).map_err(|e| e.at(place.clone()))?,
        (None, None) => Vec::new(),
    };
    let mut results = results.into_iter();
    let tracers = vars.iter().zip(types);
    Ok(tracers.map(|(&v, ty)| trace.tracer(v, ty, results.next(), place.clone())).collect())
}

/// Makes an op whose results may be known an equation of the trace that one of its operands belongs to. Not recorded.
pub(crate) fn bind_known(op: &Op, x: &[&Array], known: Option<Vec<Tensor>>, place: &Place) -> Result<Vec<Array>> {
    let trace = target(x)?.expect("an operand is traced");
    Ok(push_known(&trace, op, x, known, place)?.into_vec())
}

fn traced_of<'a>(x: &[&'a Array], trace: &Trace) -> &'a Tracer {
    let of = |a: &&'a Array| match &a.0 {
        Repr::Traced(t) if t.trace.id == trace.id => Some(&**t),
        _ => None,
    };
    x.iter().find_map(of).expect("the trace came from an operand")
}

fn too_large(op: &Op, results: &[Type]) -> Result<()> {
    match results.iter().find(|t| t.bytes().is_none()) {
        None => Ok(()),
        Some(t) => Err(Error::shape(format!("`{}` would make an array of type {t}, too large to address", op.name()))),
    }
}

/// [`try_bind`] that fails at the user's place.
#[track_caller]
pub(crate) fn bind(op: impl Into<Op>, x: &[&Array]) -> SmallVec<[Array; 1]> {
    ok(try_bind(op.into(), x, Place::caller()))
}

/// [`bind`] of an op with one result.
#[track_caller]
pub(crate) fn bind_one(op: impl Into<Op>, x: &[&Array]) -> Array {
    let place = Place::caller();
    ok(try_bind(op.into(), x, place)).into_iter().next().expect("one result")
}

/// Runs a program on arrays: now, or by writing its equations into the program being traced. `name` is what a tape calls
/// it.
pub(crate) fn inline(name: &str, program: &Arc<Program>, x: &[&Array], place: Place) -> Result<Vec<Array>> {
    if tape::anywhere() {
        return record::program(name, program, x, None, &place, |known| inline_known(program, x, known, &place));
    }
    inline_known(program, x, None, &place)
}

/// [`inline`] without a recording, where the results may be known already.
fn inline_known(program: &Arc<Program>, x: &[&Array], known: Option<Vec<Tensor>>, place: &Place) -> Result<Vec<Array>> {
    let run = || match (known, values(x)) {
        (Some(known), _) => Ok(Some(known)),
        (None, Some(v)) => Plan::new(program.clone()).run(v).map(Some).map_err(|e| e.at(place.clone())),
        (None, None) => Ok(None),
    };
    let Some(trace) = target(x)? else {
        let y = run()?.expect("all operands are concrete");
        return Ok(y.into_iter().map(Array::from_tensor).collect());
    };
    let (vars, types): (Vec<Var>, Vec<Type>) = {
        let mut guard = trace.lock();
        let Some(state) = guard.as_mut() else { return Err(leaked(traced_of(x, &trace)).at(place.clone())) };
        state.builder.set_place(place.clone());
        let args = x.iter().map(|a| trace.lift(state, a)).collect::<Result<Vec<Var>>>()?;
        let y = state.builder.inline(program, &args);
        let types = y.iter().map(|&v| state.builder.ty(v).clone()).collect();
        (y, types)
    };
    let mut results = run()?.unwrap_or_default().into_iter();
    let tracers = vars.iter().zip(types);
    Ok(tracers.map(|(&v, ty)| trace.tracer(v, ty, results.next(), place.clone())).collect())
}
