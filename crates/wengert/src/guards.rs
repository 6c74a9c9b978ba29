//! What the host read while a path was traced: each read becomes a guard of the path.
//!
//! A function that `jit` stages with guards is traced with its values. Where it reads a number, the variable it read, what
//! it saw and where are noted here, and [`paths`](crate::paths) makes parts of the path of them. Inside a transform that
//! traces by itself, a variable of its trace is first expressed in the arrays that the transform was given.

use crate::array::{Array, Repr, Stager, Trace, Tracer};
use crate::trace::{deepest, innermost, stage_program};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;
use wengert_core::{Builder, Error, ErrorKind, Place, Result, Scalar, Tensor, Var};
use wengert_tape::{HostNumber, HostType};

/// A number that the host saw: as a number of a type of its own, or the one element as it is.
#[derive(Clone, Copy)]
pub(crate) enum SeenNumber {
    Host(HostNumber),
    Element(Scalar),
}

impl SeenNumber {
    /// What the host sees in an array that is read in the same way.
    pub(crate) fn of(self, t: &Tensor) -> SeenNumber {
        let again = |x: HostNumber| HostNumber::of_scalar(x.ty, t.get(0)).map(SeenNumber::Host);
        match self {
            SeenNumber::Host(x) => again(x).expect("it was read as this before"),
            SeenNumber::Element(_) => SeenNumber::Element(t.get(0)),
        }
    }

    /// Whether it is a number that seldom comes again.
    pub(crate) fn is_float(self) -> bool {
        match self {
            SeenNumber::Host(x) => matches!(x.ty, HostType::F32 | HostType::F64),
            SeenNumber::Element(_) => true,
        }
    }

    /// Whether both were read in the same way.
    pub(crate) fn is_like(self, other: SeenNumber) -> bool {
        match (self, other) {
            (SeenNumber::Host(a), SeenNumber::Host(b)) => a.ty == b.ty,
            (SeenNumber::Element(a), SeenNumber::Element(b)) => a.dtype() == b.dtype(),
            _ => false,
        }
    }
}

impl PartialEq for SeenNumber {
    /// Of the same bits.
    fn eq(&self, other: &SeenNumber) -> bool {
        match (self, other) {
            (SeenNumber::Host(a), SeenNumber::Host(b)) => a == b,
            (SeenNumber::Element(a), SeenNumber::Element(b)) => a.dtype() == b.dtype() && a.bits() == b.bits(),
            _ => false,
        }
    }
}

impl fmt::Display for SeenNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeenNumber::Host(x) => write!(f, "{x}"),
            SeenNumber::Element(s) => write!(f, "{s:?}"),
        }
    }
}

/// As a read shows it.
impl fmt::Debug for SeenNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A number that the host read.
#[derive(Clone, Debug)]
pub(crate) struct GuardedRead {
    pub(crate) var: Var,
    /// What the host saw.
    pub(crate) saw: SeenNumber,
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
    /// Whether variables depend on what the trace was given, where that was asked.
    depends: FxHashMap<Var, bool>,
}

impl GuardedReads {
    /// Whether a variable depends on what the trace was given. Each equation is looked at once.
    fn depends(&mut self, b: &Builder, v: Var) -> bool {
        let mut open = vec![v];
        while let Some(&x) = open.last() {
            if self.depends.contains_key(&x) {
                open.pop();
                continue;
            }
            let Some(e) = b.definition(x) else {
                self.depends.insert(x, true);
                continue;
            };
            let unknown: Vec<Var> = e.inputs.iter().copied().filter(|i| !self.depends.contains_key(i)).collect();
            if unknown.is_empty() {
                let depends = e.inputs.iter().any(|i| self.depends[i]);
                e.outputs.iter().for_each(|&y| _ = self.depends.insert(y, depends));
            }
            open.extend(unknown);
        }
        self.depends[&v]
    }

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

/// Whether a trace is that of a guarded function, or inside of one.
pub(crate) fn within_guards(trace: &Arc<Trace>) -> bool {
    guarded_trace(trace).is_some()
}

/// The outermost trace of a guarded function that a trace is or is inside of.
pub(crate) fn guarded_trace(trace: &Arc<Trace>) -> Option<&Arc<Trace>> {
    std::iter::successors(Some(trace), |t| t.parent.as_ref()).filter(|t| t.info.by == Stager::GuardedJit).last()
}

/// The one element of an array.
fn element(value: &Tensor) -> Option<SeenNumber> {
    (value.size() == 1).then(|| SeenNumber::Element(value.get(0)))
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
        let mut guard = t.trace.lock();
        let Some(state) = guard.as_mut() else { return Ok(None) };
        if t.trace.info.by == Stager::GuardedJit {
            let depends = state.reads.depends(&state.builder, t.var);
            let decided = state.reads.decision(t.var);
            return Ok(depends.then(|| GuardedVar { trace: t.trace.clone(), var: t.var, decided }));
        }
        let Some((program, x)) = state.expressed(t.var) else { return Ok(None) };
        drop(guard);
        let x: Vec<&Array> = x.iter().collect();
        let Some(outer) = deepest(&x) else { return Ok(None) };
        let y = stage_program(outer, &program, &x, place)?.arrays(None, place);
        GuardedVar::of(&y[0], place)
    }

    /// The error that it was read as something that nothing guards.
    pub(crate) fn unguarded(self, read_as: &str, place: &Place) -> Error {
        let m = format!("an array was read as {read_as}, and `jit` with guards can only guard numbers that are read");
        Error::new(ErrorKind::Concretization, m)
            .at(place.clone())
            .note(format!("the function was staged by `jit` at {}", self.trace.info.place))
            .note(
                "what to do: read one number of it (`.sum(..)`, `.any(..)`, an index), return the array and read it \
                 outside, or leave `with_guards` and `jit` out",
            )
    }

    /// Notes what the host saw; an error if that is not a number.
    pub(crate) fn saw(
        self,
        by: &str,
        read_as: &str,
        saw: Option<HostNumber>,
        value: &Tensor,
        place: &Place,
    ) -> Result<()> {
        let Some(saw) = saw.map(SeenNumber::Host).or_else(|| element(value)) else {
            return Err(self.unguarded(read_as, place));
        };
        if let Some(state) = self.trace.lock().as_mut() {
            let equations = state.builder.equation_count();
            let (by, read_as, place) = (by.to_string(), read_as.to_string(), place.clone());
            state.reads.taken.push(GuardedRead { var: self.var, saw, by, read_as, place, equations });
        }
        Ok(())
    }
}
