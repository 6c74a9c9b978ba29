//! What the host read while a path was traced: each read becomes a guard of the path.
//!
//! A function that `jit` stages with guards is traced with its values. Where it reads a number, the variable it read, what
//! it saw and where are noted here, and [`paths`](crate::paths) makes parts of the path of them. Inside a transform that
//! traces by itself, a variable of its trace is first expressed in the arrays that the transform was given.

use crate::array::{Array, Repr, Stager, Trace, Tracer};
use crate::trace::{deepest, innermost, stage_program};
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Place, Result, Tensor, Var};
use wengert_tape::HostNumber;

/// A number that the host read.
#[derive(Clone, Debug)]
pub(crate) struct GuardedRead {
    pub(crate) var: Var,
    /// What the host saw.
    pub(crate) saw: HostNumber,
    /// What a tape calls the read, and what the value was read as.
    pub(crate) by: String,
    pub(crate) read_as: String,
    pub(crate) place: Place,
    /// How many equations the path had then.
    pub(crate) equations: usize,
}

/// The reads of one guarded trace.
#[derive(Default)]
pub(crate) struct GuardedReads {
    /// What the first of them give, whatever the values of the trace are: the call that the path is traced for has decided
    /// them already, on values that were rounded by the compiled program.
    pub(crate) decided: Vec<Tensor>,
    pub(crate) taken: Vec<GuardedRead>,
}

impl GuardedReads {
    /// What the call that the path is traced for saw in this variable.
    fn decision(&self, var: Var) -> Option<Tensor> {
        let before = || self.taken.iter().position(|r| r.var == var).and_then(|i| self.decided.get(i));
        self.decided.get(self.taken.len()).or_else(before).cloned()
    }
}

impl Tracer {
    /// The value as texts show it. In a guarded trace none: a text that shows it would be wrong in other calls.
    pub(crate) fn shown_value(&self) -> Option<&Tensor> {
        self.value.as_ref().filter(|_| !within_guards(&self.trace))
    }
}

fn within_guards(trace: &Arc<Trace>) -> bool {
    let mut at = Some(trace);
    while let Some(t) = at {
        if t.info.by == Stager::GuardedJit {
            return true;
        }
        at = t.parent.as_ref();
    }
    false
}

/// Says what the first reads of the trace that has just begun give.
pub(crate) fn decide(decided: Vec<Tensor>) {
    if let Some(trace) = innermost()
        && let Some(state) = trace.lock().as_mut()
    {
        state.reads.decided = decided;
    }
}

/// A variable of a guarded trace that the host is about to read.
pub(crate) struct GuardedVar {
    trace: Arc<Trace>,
    var: Var,
    /// What was decided of it already.
    pub(crate) decided: Option<Tensor>,
}

impl GuardedVar {
    /// The variable of a guarded trace that an array is; none if there is no such trace, or the array depends on nothing
    /// that it was given.
    pub(crate) fn of(a: &Array, place: &Place) -> Result<Option<GuardedVar>> {
        let Repr::Traced(t) = &a.0 else { return Ok(None) };
        if !within_guards(&t.trace) {
            return Ok(None);
        }
        let guard = t.trace.lock();
        let Some(state) = guard.as_ref() else { return Ok(None) };
        if t.trace.info.by == Stager::GuardedJit {
            let depends = !state.builder.origins(t.var).is_empty();
            let decided = state.reads.decision(t.var);
            return Ok(depends.then(|| GuardedVar { trace: t.trace.clone(), var: t.var, decided }));
        }
        let (program, taken) = {
            let p = state.builder.so_far(t.var);
            let mut known = vec![false; p.var_count()];
            p.inputs().iter().for_each(|v| known[v.index()] = true);
            p.part(&known, p.outputs())
        };
        let captures = state.captures.iter().map(|(a, _)| Some(a.clone()));
        let given: Vec<Option<Array>> = state.given.iter().cloned().chain(captures).collect();
        drop(guard);
        // The inputs are numbered first.
        let Some(x) = taken.iter().map(|v| given[v.index()].as_ref()).collect::<Option<Vec<&Array>>>() else {
            return Ok(None);
        };
        let Some(outer) = deepest(&x) else { return Ok(None) };
        let y = stage_program(outer, &program, &x, place)?.arrays(None, place);
        GuardedVar::of(&y[0], place)
    }

    /// Notes what the host saw; an error if that is not a number.
    pub(crate) fn saw(self, by: &str, read_as: &str, saw: Option<HostNumber>, place: &Place) -> Result<()> {
        let Some(saw) = saw else {
            let info = &self.trace.info;
            let m =
                format!("an array was read as {read_as}, and `jit` with guards can only guard numbers that are read");
            return Err(Error::new(ErrorKind::Concretization, m)
                .at(place.clone())
                .note(format!("`{}` was staged at {}", info.function, info.place))
                .note(
                    "what to do: read one number of it (`.sum(..)`, `.any(..)`, an index), return the array and read it \
                     outside, or leave `with_guards` and `jit` out",
                ));
        };
        if let Some(state) = self.trace.lock().as_mut() {
            let equations = state.builder.equation_count();
            let (by, read_as, place) = (by.to_string(), read_as.to_string(), place.clone());
            state.reads.taken.push(GuardedRead { var: self.var, saw, by, read_as, place, equations });
        }
        Ok(())
    }
}
