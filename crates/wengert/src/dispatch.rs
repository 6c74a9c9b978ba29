//! The one way of every operation on arrays: it is replayed, recorded, and staged or run, in that order.
//!
//! [`dispatch`] asks the tape being replayed whether it has the results, and records the operation. [`perform`] makes it
//! equations of the trace that an operand belongs to, runs it if all values are known, or does both.

use crate::apart::apart;
use crate::array::{Array, Trace};
use crate::device;
use crate::every_value::EveryValue;
use crate::fail::ok;
use crate::trace::{self, StagedVars, keep_values, stage_op, stage_program, target};
use crate::watch;
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};
use wengert_core::ops::{Call as CallOp, CallKind};
use wengert_core::run::{Executable, Observer, Run, Value};
use wengert_core::{Error, Op, Place, Program, Result, Tensor, Type};
use wengert_tape::record::{
    self, Call, CallBody, ControlObserver, InnerNodes, LoggedOp, OpBody, ProgramRecorder, RecalledOp, Sources,
    StepObserver, TracedBody,
};

/// Arrays that an operation gives.
pub(crate) type Arrays = SmallVec<[Array; 1]>;

/// An operation on arrays.
pub(crate) enum Operation<'a> {
    /// One op.
    Op(&'a Op),
    /// A program that is run once: its equations are written into a trace. A tape has it under this name.
    Inlined(&'a str, Op),
    /// A call of a staged function, which is one equation of a trace.
    Staged(StagedCall<'a>),
}

/// Gives the compiled program for operands.
pub(crate) type Compile<'a> = &'a dyn Fn(&[Value]) -> Result<Arc<dyn Executable>>;

/// A call of a staged function.
pub(crate) struct StagedCall<'a> {
    /// What a tape calls it.
    pub(crate) name: &'a str,
    /// The call as an op.
    pub(crate) op: Op,
    /// The same, of the program that really runs on the CPU, once a tape asks for it: run again, it gives the same bits.
    pub(crate) recorded: &'a OnceLock<Op>,
    /// The program as it was traced.
    pub(crate) traced: &'a Arc<Program>,
    /// Where it was staged.
    pub(crate) place: &'a Place,
    /// What the function did while it was traced.
    pub(crate) body: Option<&'a Arc<TracedBody>>,
    /// Gives the compiled program for these operands; none if the program is not kept.
    pub(crate) executable: Option<Compile<'a>>,
}

/// A call of this program as an op.
pub(crate) fn call_op(program: &Arc<Program>) -> Op {
    CallOp { program: program.clone(), kind: CallKind::Staged }.into()
}

impl Operation<'_> {
    fn op(&self) -> &Op {
        match self {
            Operation::Op(op) => op,
            Operation::Inlined(_, op) => op,
            Operation::Staged(call) => &call.op,
        }
    }

    /// The op that a tape has for it. In a trace, that is the op of the trace.
    fn recorded_op(&self, trace: &Target) -> Result<&Op> {
        match self {
            Operation::Staged(StagedCall { op: Op::Call(call), recorded, executable: Some(_), .. })
                if trace.is_none() =>
            {
                if let Some(op) = recorded.get() {
                    return Ok(op);
                }
                let op = call_op(&wengert_cpu::CPU.rewrite(&call.program, |_, _, _| ())?);
                Ok(recorded.get_or_init(|| op))
            }
            operation => Ok(operation.op()),
        }
    }

    /// What a tape calls it.
    fn name(&self) -> &str {
        match self {
            Operation::Op(op) => op.name(),
            Operation::Inlined(name, _) => name,
            Operation::Staged(call) => call.name,
        }
    }

    /// Begins a line of the log of ops.
    fn log(&self, operands: impl Iterator<Item = Type>, place: &Place) -> LoggedOp {
        match self {
            Operation::Op(op) if op.programs().is_empty() => LoggedOp::start(op, operands, place),
            operation => LoggedOp::start(operation.name(), operands, place),
        }
    }

    /// Whether a tape has it as a call, and not as an op.
    fn is_call(&self) -> bool {
        !matches!(self, Operation::Op(_))
    }

    fn stage(&self, trace: &Arc<Trace>, x: &[&Array], place: &Place) -> Result<StagedVars> {
        match self {
            Operation::Inlined(_, Op::Call(call)) => stage_program(trace, &call.program, x, place),
            _ => stage_op(trace, self.op(), x, place),
        }
    }

    fn run(&self, x: Vec<Value>, place: &Place, observer: Option<&mut dyn Observer>) -> Result<Vec<Value>> {
        match self {
            Operation::Staged(StagedCall { executable: Some(compile), name, op, traced, place, .. }) => {
                let run = |x: Vec<Value>| {
                    let executable = compile(&x)?;
                    apart(self.op(), || executable.run(Run { inputs: x, wanted: &[], observer }))
                };
                match op {
                    Op::Call(c) if watch::is_watching() => {
                        let staged = watch::StagedRun { name, program: &c.program, traced, place };
                        watch::staged(&staged, x, run, &device::compile_part)
                    }
                    _ => run(x),
                }
            }
            // A transform outside of staged functions computes on the host.
            Operation::Inlined(_, op) => {
                let x = x.into_iter().map(|x| x.into_host().map(Value::Host)).collect::<Result<Vec<Value>>>()?;
                run_alone(op, x, place, observer)
            }
            operation => run_alone(operation.op(), x, place, observer),
        }
    }
}

/// Runs an op that is no staged call.
fn run_alone(op: &Op, x: Vec<Value>, place: &Place, observer: Option<&mut dyn Observer>) -> Result<Vec<Value>> {
    let run = |x: Vec<Value>| apart(op, || device::run_op(op, x, observer));
    if watch::is_watching() { watch::op(op, x, place, run, &device::compile_part) } else { run(x) }
}

/// The trace that an operation becomes a part of, if it does.
type Target = Option<Arc<Trace>>;

/// Does an operation; `known` are its results, if they need not be computed.
fn dispatch(
    trace: Target,
    operation: &Operation<'_>,
    x: &[&Array],
    known: Option<Vec<Tensor>>,
    place: &Place,
) -> Result<Arrays> {
    if trace.is_none() && watch::wants_recording() {
        return watch::recorded(operation.name(), place, || dispatch(trace, operation, x, known, place));
    }
    let y = match record::any_recording() {
        true if record::logs_ops() => {
            let log = operation.log(x.iter().map(|x| x.ty()), place);
            let y = recorded(trace, operation, x, known, place)?;
            // What is traced without values does not run.
            if y.iter().all(|y| !y.is_traced() || y.value().is_some()) {
                log.finish(y.iter().map(|y| y.ty()));
            }
            y
        }
        true => recorded(trace, operation, x, known, place)?,
        false => perform(trace, operation, x, known, None, place)?,
    };
    keep_values(&y);
    Ok(y)
}

/// Stages an operation, or runs it, or both.
fn perform(
    trace: Target,
    operation: &Operation<'_>,
    x: &[&Array],
    known: Option<Vec<Tensor>>,
    observer: Option<&mut dyn Observer>,
    place: &Place,
) -> Result<Arrays> {
    let Some(trace) = trace else {
        let known = known.map(|k| k.into_iter().map(Value::Host).collect());
        let values = || x.iter().map(|&a| a.clone().into_value().expect("not traced")).collect();
        let y = known.map_or_else(|| operation.run(values(), place, observer), Ok).map_err(|e| e.at(place.clone()))?;
        return Ok(y.into_iter().map(Array::from_value).collect());
    };
    if let Operation::Inlined(_, op @ Op::Call(call)) = operation
        && known.is_none()
        && !record::has_scope()
        && op.rules().axis_name().is_none()
        && let Some(values) = host_values(x)
    {
        // A derivative of the trace may want any value of the program, as if it had been run op by op.
        let mut all = EveryValue::of(&call.program);
        operation.run(values, place, Some(&mut all)).map_err(|e| e.at(place.clone()))?;
        let all = trace::variables(&call.program, x, all.arrays(), place)?;
        return Ok(call.program.outputs().iter().map(|v| all[v.index()].clone().expect("of a trace")).collect());
    }
    let staged = operation.stage(&trace, x, place)?;
    // An op that communicates has a value only once its axis is mapped over.
    let known = match known {
        None if operation.op().rules().axis_name().is_none() => host_values(x)
            .map(|x| operation.run(x, place, observer)?.into_iter().map(Value::into_host).collect::<Result<_>>())
            .transpose()
            .map_err(|e| e.at(place.clone()))?,
        known => known,
    };
    Ok(staged.arrays(known, place))
}

/// The values of arrays, if all are known.
fn host_values(x: &[&Array]) -> Option<Vec<Value>> {
    x.iter().map(|a| a.value().cloned().map(Value::Host)).collect()
}

/// Records an operation around what it does.
fn recorded(
    trace: Target,
    operation: &Operation<'_>,
    x: &[&Array],
    computed: Option<Vec<Tensor>>,
    place: &Place,
) -> Result<Arrays> {
    if !trace::tracing() {
        return recorded_here(trace, operation, x, computed, place);
    }
    // What is known is computed before the loop or branch whose body is being traced; what is not, in the body.
    let _scope = match &trace {
        None => record::around_bodies(),
        Some(_) if is_abstract(x) => record::inside_bodies(),
        Some(_) if crate::tape::is_dissolved() => record::around_bodies_of(x),
        Some(_) => None,
    };
    let is_known = trace.is_none();
    let y = recorded_here(trace, operation, x, computed, place)?;
    // The tape of a program that is kept has it; the recording around the program, whose arrays it is made of, gets it too.
    match is_known.then(|| record::around_program(x)).flatten() {
        None => Ok(y),
        Some(around) => {
            let values = y.iter().map(|y| y.concretize("a result").cloned()).collect::<Result<Vec<Tensor>>>()?;
            let x: Vec<Array> = x.iter().map(|&x| around.operand(x)).collect();
            let outside = recorded_here(None, operation, &x.iter().collect::<Vec<_>>(), Some(values), place)?;
            around.finish(&outside, &y);
            Ok(outside)
        }
    }
}

/// Records an operation in the innermost scope.
fn recorded_here(
    trace: Target,
    operation: &Operation<'_>,
    x: &[&Array],
    computed: Option<Vec<Tensor>>,
    place: &Place,
) -> Result<Arrays> {
    let wanted = if operation.is_call() { record::is_listening() } else { record::is_recording() };
    if !wanted {
        let mut y = perform(trace, operation, x, computed, None, place)?;
        record::mark_unrecorded(x, &mut y);
        return Ok(y);
    }
    let op = operation.recorded_op(&trace)?;
    let recalled = if is_abstract(x) || !record::is_recording() { None } else { record::recall(op, x) };
    let values = recalled.as_ref().map(|recalled| recalled.values.clone()).or(computed);
    if !operation.is_call() && !holds_programs(op) {
        let (started, mut steps) = (record::start_time(), StepObserver::default());
        // Only convolutions say what they run inside.
        let observer: Option<&mut dyn Observer> = match op {
            Op::Convolution(_) => Some(&mut steps),
            _ => None,
        };
        let mut y = perform(trace, operation, x, values, observer, place)
            .inspect_err(|e| record::failed_op(op, x, place, e.message()))?;
        let body = recalled.as_ref().map_or(OpBody::Steps(&steps.0), OpBody::Recalled);
        record::primitive(op, x, &mut y, place, started, body);
        return Ok(y);
    }
    let call = Call::enter_op(operation.name(), op, x, place);
    if matches!(operation, Operation::Staged(_)) && call.is_open() {
        crate::tape::say_of_open_call(wengert_tape::api::API, "jit".into());
    }
    if !operation.is_call() {
        crate::tape::add_parts();
    }
    let types: Vec<Type> = x.iter().map(|x| x.ty()).collect();
    if recalled.is_none() && record::inner_nodes() == Some(InnerNodes::EveryStep) && trace.is_none() {
        let values = x.iter().map(|x| Value::Host(ok(x.concretize("an operand")).clone())).collect();
        let mut recorder = if operation.is_call() { ProgramRecorder::new() } else { ProgramRecorder::of_op() };
        // Recorded equation by equation, on the host.
        let y = device::run_op(op, values, Some(&mut recorder)).map_err(|e| e.at(place.clone()))?;
        let mut y: Arrays = y.into_iter().map(Array::from_value).collect();
        call.finish_whole(&mut y, CallBody::Recorded);
        return Ok(y);
    }
    let mut control = ControlObserver::default();
    let observer: Option<&mut dyn Observer> = if operation.is_call() { None } else { Some(&mut control) };
    let mut y = match perform(trace, operation, x, values, observer, place) {
        Ok(y) => y,
        Err(e) => {
            call.fail(e.message());
            return Err(e);
        }
    };
    let program = match operation {
        Operation::Staged(StagedCall { body: Some(body), executable: Some(_), .. }) => CallBody::Traced(body),
        Operation::Staged(StagedCall { body: Some(body), executable: None, .. }) => CallBody::TracedHere(body),
        _ => CallBody::Op(&types),
    };
    match &recalled {
        Some(recalled) => {
            for key in ["iterations", "branch"] {
                recalled.meta(key).cloned().into_iter().for_each(|value| record::set_meta(key, value));
            }
            call.finish_whole(&mut y, recalled_body(recalled, program));
        }
        None => {
            control.metadata(op).into_iter().for_each(|(key, value)| record::set_meta(key, value));
            call.finish_whole(&mut y, program);
        }
    }
    Ok(y)
}

/// The children of a call that is recalled: those of its run, or else its program.
fn recalled_body<'a>(recalled: &'a RecalledOp, program: CallBody<'a>) -> CallBody<'a> {
    if recalled.ran_inside() { CallBody::Recalled(recalled) } else { program }
}

/// Whether a value is not known yet.
fn is_abstract(x: &[&Array]) -> bool {
    x.iter().any(|x| x.is_traced() && x.value().is_none())
}

fn holds_programs(op: &Op) -> bool {
    matches!(op, Op::Custom(_)) || !op.programs().is_empty()
}

/// Checks that concrete operands fit an op, whose results can be addressed.
fn check(op: &Op, x: &[&Array]) -> Result<()> {
    let types: SmallVec<[Type; 3]> = x.iter().map(|a| a.ty()).collect();
    match op.rules().infer(&types)?.iter().find(|t| t.bytes().is_none()) {
        None => Ok(()),
        Some(t) => Err(Error::shape(format!("`{}` would make an array of type {t}, too large to address", op.name()))),
    }
}

/// Does an operation: now, or as an equation of the program being traced.
pub(crate) fn try_bind(op: Op, x: &[&Array], place: Place) -> Result<Arrays> {
    let trace = match target(x)? {
        None if trace::tracing() && record::is_part_of_body() => trace::innermost(),
        trace => trace,
    };
    if trace.is_none() && watch::wants_recording() {
        return watch::recorded(op.name(), &place, || bind_in(None, &op, x, &place));
    }
    let is_alone = trace.is_none();
    let left = |e| if is_alone && watch::is_watching() { watch::leave_failed_op(&op, x, &place, e) } else { e };
    bind_in(trace, &op, x, &place).map_err(left)
}

/// Checks and does an operation.
fn bind_in(trace: Target, op: &Op, x: &[&Array], place: &Place) -> Result<Arrays> {
    if trace.is_none() {
        check(op, x).map_err(|e| {
            if record::is_recording() {
                record::failed_op(op, x, place, e.message());
            }
            e.at(place.clone())
        })?;
    }
    dispatch(trace, &Operation::Op(op), x, None, place)
}

/// [`try_bind`] of an op whose results were computed already, if they were.
pub(crate) fn try_bind_known(op: Op, x: &[&Array], known: Option<Vec<Tensor>>, place: Place) -> Result<Arrays> {
    dispatch(target(x)?, &Operation::Op(&op), x, known, &place)
}

/// Makes an operation an equation of the innermost trace, whether or not an operand is traced.
pub(crate) fn try_bind_staged(op: Op, x: &[&Array], place: Place) -> Result<Arrays> {
    match trace::innermost() {
        Some(trace) => dispatch(Some(trace), &Operation::Op(&op), x, None, &place),
        None => try_bind(op, x, place),
    }
}

/// [`try_bind`] that fails at the user's place.
#[track_caller]
pub(crate) fn bind(op: impl Into<Op>, x: &[&Array]) -> Arrays {
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
    Ok(dispatch(target(x)?, &Operation::Inlined(name, call_op(program)), x, None, &place)?.into_vec())
}

/// [`inline`] of a program whose results are known.
pub(crate) fn inline_known(
    name: &str,
    program: &Arc<Program>,
    x: &[&Array],
    known: Vec<Tensor>,
    place: Place,
) -> Result<Vec<Array>> {
    Ok(dispatch(target(x)?, &Operation::Inlined(name, call_op(program)), x, Some(known), &place)?.into_vec())
}

/// Calls a staged function on arrays that are given away: where nothing records or traces them, those that nobody else holds
/// may be overwritten.
pub(crate) fn call_staged(call: StagedCall<'_>, x: Vec<Array>, place: &Place) -> Result<Vec<Array>> {
    let operation = Operation::Staged(call);
    if record::has_scope() || record::may_mark(&x) || x.iter().any(Array::is_traced) {
        let x: Vec<&Array> = x.iter().collect();
        return Ok(dispatch(target(&x)?, &operation, &x, None, place)?.into_vec());
    }
    let log = record::logs_ops().then(|| operation.log(x.iter().map(|x| x.ty()), place));
    let sources = Sources::of(&x);
    let values = x.into_iter().map(|a| a.into_value().expect("not traced")).collect();
    let y: Vec<Array> = operation.run(values, place, None)?.into_iter().map(Array::from_value).collect();
    sources.into_iter().for_each(|x| x.made(&y));
    log.into_iter().for_each(|log| log.finish(y.iter().map(|y| y.ty())));
    Ok(y)
}
