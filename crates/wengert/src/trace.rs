//! Tracing: running a function on variables instead of values, so that what it does becomes a program.
//!
//! Nothing here runs an operation or records one: see [`dispatch`](crate::dispatch).

use crate::array::{Array, Repr, Stager, StagingInfo, Trace, TraceState, Tracer};
use crate::guards::GuardedRead;
use crate::set_aside::{OpenList, SetAsideList};
use crate::traced_reads::OuterRead;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wengert_core::{Error, ErrorKind, Op, Place, Program, Result, Tensor, Type, Var};
use wengert_tape::record::{self, ListenerGuard, OpenRecordings, Origin, ReadPurpose, Recorded};

impl TraceState {
    /// The input that stands for an array of an enclosing trace, or of a recording around the trace.
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

/// What inputs of a program that is handed out are called, with their number, if they are captured of a trace around it.
pub(crate) const CAPTURED: &str = "captured";

thread_local! {
    static STACK: OpenList<Arc<Trace>> = const { OpenList::new() };
}

/// Whether a function is being traced on this thread.
pub(crate) fn tracing() -> bool {
    STACK.with(|s| s.see(|s| !s.is_empty()))
}

/// What is being traced on this thread, set aside until this is dropped.
pub(crate) fn set_aside() -> SetAsideList<Arc<Trace>> {
    SetAsideList::new(&STACK)
}

/// An argument of a function to be traced.
pub(crate) struct TraceArgument {
    pub(crate) ty: Type,
    /// The value, for concrete tracers.
    pub(crate) value: Option<Tensor>,
    pub(crate) name: String,
    /// Where the value came from, on the tape.
    pub(crate) origin: Origin,
    /// The array outside of the trace, where its value is known.
    pub(crate) given: Option<Array>,
    /// The traced array that it is outside, where that has no value.
    pub(crate) hidden: Option<Array>,
}

impl TraceArgument {
    /// An argument whose value is not known.
    pub(crate) fn unknown(ty: Type, name: String) -> TraceArgument {
        TraceArgument { ty, value: None, name, origin: Origin::default(), given: None, hidden: None }
    }

    /// An argument with the value of this array, if that is known.
    pub(crate) fn of(x: &Array, name: String) -> TraceArgument {
        let value = x.value().cloned();
        let given = value.is_some().then(|| x.clone());
        let hidden = value.is_none().then(|| x.clone());
        TraceArgument { ty: x.ty(), value, name, origin: x.1, given, hidden }
    }
}

/// A function on the trace stack of this thread, until its trace is ended or dropped.
pub(crate) struct Tracing {
    trace: Arc<Trace>,
    _listener: ListenerGuard,
}

/// The program of a trace that has ended.
pub(crate) struct EndedTrace {
    /// It takes the arguments, then the captures.
    pub(crate) program: Program,
    pub(crate) captures: Vec<Array>,
    /// For each variable of the program its value, where that is known.
    pub(crate) known: Vec<Option<Array>>,
    /// What the host read, if the trace is guarded.
    pub(crate) reads: Vec<GuardedRead>,
}

impl Tracing {
    /// Begins to trace a function of these arguments, on this thread, and gives its tracers.
    pub(crate) fn start(info: StagingInfo, arguments: &[TraceArgument]) -> (Tracing, Vec<Array>) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let parent = innermost();
        let mut state = TraceState::default();
        state.builder.set_place(info.place.clone());
        let vars: Vec<Var> = arguments.iter().map(|a| state.builder.input(a.ty.clone())).collect();
        for (v, a) in vars.iter().zip(arguments) {
            state.builder.set_name(*v, a.name.as_str());
        }
        state.arguments = arguments.iter().map(|a| a.name.clone()).collect();
        state.given = arguments.iter().map(|a| a.given.clone()).collect();
        state.hidden = arguments.iter().map(|a| a.hidden.clone()).collect();
        let place = info.place.clone();
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        // In a silence no recording is open here: those of the enclosing trace count.
        let around = OpenRecordings::here().or_else(|| parent.as_ref().map(|p| p.around.clone())).unwrap_or_default();
        let trace = Arc::new(Trace::new(id, parent, info, around, state));
        let tracers = vars.into_iter().zip(arguments).map(|(var, a)| {
            let mut tracer = trace.tracer(var, a.ty.clone(), a.value.clone(), place.clone());
            tracer.1 = a.origin;
            tracer
        });
        let tracers = tracers.collect();
        STACK.with(|s| s.change(|s| s.push(trace.clone())));
        (Tracing { trace, _listener: ListenerGuard::start() }, tracers)
    }

    /// Ends the trace with what the function gave.
    pub(crate) fn end(self, outputs: &[Array]) -> Result<EndedTrace> {
        let trace = self.trace.clone();
        let mut guard = trace.lock();
        let state = guard.as_mut().expect("ended only here and when dropped");
        let outputs = outputs.iter().map(|a| trace.lift(state, a)).collect::<Result<Vec<Var>>>()?;
        let mut state = guard.take().expect("ended only here and when dropped");
        drop(guard);
        drop(self);
        state.outer_reads().into_iter().try_for_each(OuterRead::report)?;
        trace.report_baked(state.baked)?;
        if trace.info.by == Stager::GuardedJit {
            // All of the path stays: another one goes with it up to a decision.
            let program =
                state.builder.finish_all(&outputs).with_name(wengert_tape::program_name(&trace.info.function));
            let captures = state.captures.into_iter().map(|(a, _)| a).collect();
            return Ok(EndedTrace { program, captures, known: Vec::new(), reads: state.reads.taken });
        }
        let (program, before) = state.builder.finish_numbered(&outputs);
        let array = |(value, origin): (Tensor, Origin)| {
            let mut x = Array::from_tensor(value);
            x.set_origin(origin);
            x
        };
        let known = before.iter().map(|v| state.known.remove(v).map(array)).collect();
        let program = program.with_name(wengert_tape::program_name(&trace.info.function));
        let captures = state.captures.into_iter().map(|(a, _)| a).collect();
        Ok(EndedTrace { program, captures, known, reads: Vec::new() })
    }
}

impl Drop for Tracing {
    /// The trace leaves the stack and ends however the function returns.
    fn drop(&mut self) {
        STACK.with(|s| s.change(|s| s.retain(|t| t.id != self.trace.id)));
        let state = self.trace.lock().take();
        let unfinished = state.map(|mut state| state.outer_reads()).unwrap_or_default();
        unfinished.iter().for_each(OuterRead::report_unfinished);
    }
}

impl Trace {
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

    /// Whether arrays that it captures from a recording become constants: they do where the program is kept for other calls.
    fn bakes(&self) -> bool {
        self.info.by.bakes()
    }

    /// Reports arrays that became constants of a program, as reads of the host, to the recording around the outermost trace.
    fn report_baked(&self, baked: Vec<Array>) -> Result<()> {
        for a in baked {
            match &self.parent {
                None => {
                    drop(a.read("captured", "a constant", ReadPurpose::Decision, &self.info.place, |t| Ok(t.clone()))?)
                }
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
    fn lift(&self, state: &mut TraceState, a: &Array) -> Result<Var> {
        match &a.0 {
            Repr::Concrete(_) if !self.bakes() && self.is_from_around(a) => Ok(state.capture(a)),
            Repr::Concrete(v) => {
                if self.around.made(a) {
                    state.bake(a);
                } else if self.bakes() {
                    record::captured(a, &self.info.place);
                }
                let t = v.host()?;
                if t.splat_value().is_some() {
                    return Ok(state.builder.constant(t.clone()));
                }
                let TraceState { constants, builder, .. } = state;
                let new = || builder.constant(t.clone());
                Ok(*constants.entry(t.id()).or_insert_with(new))
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
                if matches!(self.info.by, Stager::Program(_)) {
                    let i = state.captures.len() - 1;
                    state.builder.set_name(v, format!("{CAPTURED}{i}").as_str());
                }
                state.captured.insert(key, v);
                Ok(v)
            }
        }
    }
}

pub(crate) fn leaked(t: &Tracer) -> Error {
    let info = &t.trace.info;
    let during = match info.shown_function() {
        f if f.starts_with('`') => format!("while `{}` of {f} was tracing, at {}", info.by, info.place),
        f if f.is_empty() => format!("while `{}` was tracing, at {}", info.by, info.place),
        f => format!("while {f} was traced"),
    };
    Error::new(
        ErrorKind::LeakedTracer,
        format!("a traced array of type {} is used after the trace it belongs to has ended", t.ty),
    )
    .note(format!("it was made at {}", t.place))
    .note(during)
    .note("what to do: return the array from the function instead of keeping it elsewhere")
}

/// Who took its value from a traced array: what stages it, or, of an array that comes from an enclosing trace without one, what
/// stages that.
fn hidden_by(t: &Tracer) -> StagingInfo {
    let outer = t.trace.lock().as_ref().and_then(|state| {
        let outside = |&i: &usize| match i.checked_sub(state.arguments.len()) {
            None => state.hidden[i].clone(),
            Some(i) => state.captures.get(i).map(|(x, _)| x.clone()).filter(|x| x.value().is_none()),
        };
        state.builder.origins(t.var).iter().find_map(outside)
    });
    match outer.as_ref().map(|x| &x.0) {
        Some(Repr::Traced(outer)) => hidden_by(outer),
        _ => t.trace.info.clone(),
    }
}

/// Why a traced value can't be read here, and what to do.
pub(crate) fn concretization_error(t: &Tracer, read_as: &str, place: Place) -> Error {
    let StagingInfo { by, function, place: staged } = hidden_by(t);
    let guard = t.trace.lock();
    let Some(state) = guard.as_ref() else { return leaked(t).at(place) };
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
    let of = match t.trace.info.shown_function() {
        f if f.is_empty() => f,
        f => format!(" of {f}"),
    };
    e = e.note(format!("it is Traced<{}>, made at {}, and depends on {from}{of}", t.ty, t.place));
    e = e.note(format!("the function was staged by `{by}` at {staged}"));
    let choose = "what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged";
    // What a body of a loop is given is always an array.
    e = e.note(match function.is_empty() {
        true => choose.to_string(),
        false => format!(
            "{choose}; or pass the argument as a plain value (`f64`, `usize`, `bool`) or in `Static(..)`, and it is staged \
             once for each value"
        ),
    });
    match by {
        Stager::Jit => e.note("or say `jit(..).with_guards()`, which stages each path that calls take"),
        _ => e,
    }
}

/// Why a run of a traced array can't be kept to be changed, and what to do.
pub(crate) fn no_value_to_keep(t: &Tracer, place: Place) -> Error {
    let StagingInfo { by, place: staged, .. } = hidden_by(t);
    let why = match t.value {
        None => "a traced array has none",
        Some(_) => "those of a function with guards are of one call alone",
    };
    Error::new(ErrorKind::Concretization, format!("`live` keeps the values of a run, and while `{by}` traces {why}"))
        .at(place)
        .note(format!("the function was staged by `{by}` at {staged}"))
        .note("what to do: call `live` outside of it; inside, `record` has the shapes")
}

/// The trace that an operation on these arrays belongs to; none if all are concrete.
pub(crate) fn target(x: &[&Array]) -> Result<Option<Arc<Trace>>> {
    let Some(deepest) = deepest(x) else { return Ok(None) };
    // The innermost trace of this thread, unless the arrays were handed to a thread of its own.
    let current = innermost();
    Ok(Some(current.filter(|c| c.id == deepest.id || deepest.encloses(c)).unwrap_or_else(|| deepest.clone())))
}

/// The innermost trace that any of these arrays belongs to.
pub(crate) fn deepest<'a>(x: &[&'a Array]) -> Option<&'a Arc<Trace>> {
    let mut deepest: Option<&Arc<Trace>> = None;
    for a in x {
        if let Repr::Traced(t) = &a.0
            && deepest.is_none_or(|d| d.encloses(&t.trace))
        {
            deepest = Some(&t.trace);
        }
    }
    deepest
}

/// Variables of a trace that an operation made.
pub(crate) struct StagedVars {
    trace: Arc<Trace>,
    vars: SmallVec<[(Var, Type); 1]>,
}

impl StagedVars {
    /// The arrays of these variables, with values where they are known.
    pub(crate) fn arrays(self, values: Option<Vec<Tensor>>, place: &Place) -> SmallVec<[Array; 1]> {
        let mut values = values.into_iter().flatten();
        self.vars.into_iter().map(|(v, ty)| self.trace.tracer(v, ty, values.next(), place.clone())).collect()
    }
}

/// The innermost trace of this thread.
pub(crate) fn innermost() -> Option<Arc<Trace>> {
    STACK.with(|s| s.see(|s| s.last().cloned()))
}

/// Adds an op to a trace, as an equation.
pub(crate) fn stage_op(trace: &Arc<Trace>, op: &Op, x: &[&Array], place: &Place) -> Result<StagedVars> {
    with_state(trace, x, place, |state, x| state.builder.try_push(op.clone(), x).map(|y| y.to_vec()))
}

/// Adds the equations of a program to a trace.
pub(crate) fn stage_program(trace: &Arc<Trace>, program: &Program, x: &[&Array], place: &Place) -> Result<StagedVars> {
    with_state(trace, x, place, |state, x| Ok(state.builder.inline(program, x)))
}

/// Adds equations on these arrays to a trace.
fn with_state(
    trace: &Arc<Trace>,
    x: &[&Array],
    place: &Place,
    add: impl FnOnce(&mut TraceState, &[Var]) -> Result<Vec<Var>>,
) -> Result<StagedVars> {
    let mut guard = trace.lock();
    let Some(state) = guard.as_mut() else { return Err(leaked(traced_of(x, trace)).at(place.clone())) };
    state.builder.set_place(place.clone());
    let vars = x.iter().map(|a| trace.lift(state, a)).collect::<Result<SmallVec<[Var; 3]>>>();
    let y = vars.and_then(|vars| add(state, &vars)).map_err(|e| e.at(place.clone()))?;
    let vars = y.into_iter().map(|v| (v, state.builder.ty(v).clone())).collect();
    Ok(StagedVars { trace: trace.clone(), vars })
}

/// Keeps the values of traced arrays, and where they came from, for derivatives of the program.
pub(crate) fn keep_values(y: &[Array]) {
    for y in y {
        if let Repr::Traced(t) = &y.0
            && let Some(value) = &t.value
            && let Some(state) = t.trace.lock().as_mut()
        {
            state.known.insert(t.var, (value.clone(), y.1));
        }
    }
}

/// The variables of a program that was run on arrays, with their values where these are known: as they are, or, where
/// the arrays belong to a trace, as variables of that trace.
pub(crate) fn variables(
    program: &Program,
    x: &[&Array],
    known: Vec<Option<Array>>,
    place: &Place,
) -> Result<Vec<Option<Array>>> {
    let Some(trace) = target(x)? else { return Ok(known) };
    let staged = with_state(&trace, x, place, |state, x| Ok(state.builder.inline_all(program, x)))?;
    let value = |x: &Option<Array>| x.as_ref().and_then(|x| x.value().cloned());
    let arrays = staged.vars.into_iter().zip(&known).map(|((v, ty), x)| {
        let mut y = trace.tracer(v, ty, value(x), place.clone());
        x.iter().for_each(|x| y.set_origin(x.1));
        y
    });
    let arrays: Vec<Array> = arrays.collect();
    keep_values(&arrays);
    Ok(arrays.into_iter().map(Some).collect())
}

fn traced_of<'a>(x: &[&'a Array], trace: &Trace) -> &'a Tracer {
    let of = |a: &&'a Array| match &a.0 {
        Repr::Traced(t) if t.trace.id == trace.id => Some(&**t),
        _ => None,
    };
    x.iter().find_map(of).expect("the trace came from an operand")
}
