//! The array users hold: a value, or a variable of a program being traced; and what a trace is.

use crate::fail::ok;
use crate::guards::{GuardedReads, guarded_trace};
use crate::traced_reads::TracedRead;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wengert_core::run::Value;
use wengert_core::{Builder, DType, Id, Place, Result, Shape, Tensor, Type, Var};
use wengert_tape::record::{self, OpenRecordings, Origin, Recorded, TracedFor, next_recording};

/// A cheap handle on an n-dimensional value. Concrete, or traced: a variable of a program being built, with or without
/// a value beside it.
#[derive(Clone)]
pub struct Array(pub(crate) Repr, pub(crate) Origin);

#[derive(Clone)]
pub(crate) enum Repr {
    Concrete(Value),
    Traced(Arc<Tracer>),
}

/// A traced array: a variable of a program being built.
pub(crate) struct Tracer {
    pub(crate) trace: Arc<Trace>,
    pub(crate) var: Var,
    pub(crate) ty: Type,
    pub(crate) value: Option<Tensor>,
    pub(crate) place: Place,
}

/// One function being traced.
pub(crate) struct Trace {
    pub(crate) id: u64,
    pub(crate) parent: Option<Arc<Trace>>,
    pub(crate) info: StagingInfo,
    /// The recordings that were open when the trace began.
    pub(crate) around: OpenRecordings,
    /// Values of this thread that were there before the trace began have smaller identities.
    begun: Id,
    /// Recordings from this number on began after the trace did.
    pub(crate) first_inside: u32,
    /// The program so far; taken when the trace ends.
    state: Mutex<Option<TraceState>>,
}

impl Trace {
    pub(crate) fn new(
        id: u64,
        parent: Option<Arc<Trace>>,
        info: StagingInfo,
        around: OpenRecordings,
        state: TraceState,
    ) -> Trace {
        Trace {
            id,
            parent,
            info,
            around,
            begun: Id::new(),
            first_inside: next_recording(),
            state: Mutex::new(Some(state)),
        }
    }

    /// Whether an array was there when the trace began, and a recording around it may change it.
    pub(crate) fn is_from_around(&self, a: &Array) -> bool {
        let before = |a: &Array| matches!(&a.0, Repr::Concrete(Value::Host(t)) if t.id() < self.begun);
        self.around.made(a) || !self.around.is_empty() && !a.is_literal() && before(a)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<TraceState>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stages a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stager {
    /// `jit`: the program is kept for other calls, with the tape of its tracing.
    Jit,
    /// `jit` with guards: the path that a call took is kept for other calls that decide the same.
    GuardedJit,
    /// `make_program` and functions like it: the program is handed out, or looked at.
    Program(&'static str),
    /// `linear_transpose`: the program is kept in the function that is handed out, beside the arrays that it captures.
    Transpose,
    /// `vmap`: what depends on the example has no value.
    Vmap,
    /// An op that holds programs, such as a loop.
    Op(&'static str),
    /// Another transform, which uses the program there and then.
    Other(&'static str),
}

impl Stager {
    /// Whether the program is used by others than the call that staged it.
    pub(crate) fn keeps_program(self) -> bool {
        matches!(self, Stager::Jit | Stager::GuardedJit | Stager::Program(_) | Stager::Transpose)
    }

    /// Whether arrays of a recording that the program captures become constants of it.
    pub(crate) fn bakes(self) -> bool {
        self.keeps_program() && self != Stager::Transpose
    }
}

impl fmt::Display for Stager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stager::Jit | Stager::GuardedJit => "jit",
            Stager::Transpose => "linear_transpose",
            Stager::Vmap => "vmap",
            Stager::Program(name) | Stager::Op(name) | Stager::Other(name) => name,
        })
    }
}

/// Who stages which function, and where: for messages and tapes.
#[derive(Clone, Debug)]
pub(crate) struct StagingInfo {
    /// What stages the function.
    pub(crate) by: Stager,
    /// The name of the user's function.
    pub(crate) function: Arc<str>,
    /// Where the user asked for it.
    pub(crate) place: Place,
}

impl StagingInfo {
    /// Functions for an op that holds their programs: each is named where it is traced, if it has a name.
    pub(crate) fn of_op(by: &'static str, place: Place) -> StagingInfo {
        StagingInfo { by: Stager::Op(by), function: "".into(), place }
    }

    /// A function that a transform stages.
    pub(crate) fn new(by: &'static str, function: &str, place: Place) -> StagingInfo {
        StagingInfo { by: Stager::Other(by), function: function.into(), place }
    }

    /// The user's function in a message: by its name, or, of a closure, by where it was given. Nothing where there is none.
    pub(crate) fn shown_function(&self) -> String {
        match &*self.function {
            "" => String::new(),
            name if name.ends_with("{{closure}}") => format!("the closure given to `{}` at {}", self.by, self.place),
            name => format!("`{name}`"),
        }
    }

    /// Whether the function is traced for a staged call, for an op that holds its program, or for its program, and a tape has
    /// that alone.
    pub(crate) fn has_no_call(&self) -> bool {
        matches!(self.by, Stager::Jit | Stager::Program(_) | Stager::Transpose | Stager::Op(_))
    }

    /// What a tape of the function is for.
    pub(crate) fn traced_for(&self) -> TracedFor {
        match self.by {
            by if by.bakes() => TracedFor::Program,
            Stager::Transpose | Stager::Op(_) => TracedFor::Op,
            _ => TracedFor::Transform,
        }
    }
}

/// The program that a trace has so far.
#[derive(Default)]
pub(crate) struct TraceState {
    pub(crate) builder: Builder,
    /// Names of the arguments; inputs past these are captures.
    pub(crate) arguments: Vec<String>,
    /// Arrays of enclosing traces, or of a recording around the trace, that the function uses, with their inputs in order.
    pub(crate) captures: Vec<(Array, Var)>,
    pub(crate) captured: FxHashMap<(u64, Var), Var>,
    /// Arrays of a recording around the trace that are constants of the program.
    pub(crate) baked: Vec<Array>,
    /// Constants of the program, by the identity of their values.
    pub(crate) constants: FxHashMap<Id, Var>,
    /// The values of variables, where they are known, and where they came from on the tape.
    pub(crate) known: FxHashMap<Var, (Tensor, Origin)>,
    /// What the arguments are outside of the trace, where they are known there.
    pub(crate) given: Vec<Option<Array>>,
    /// The traced arrays that arguments are outside, where these have no value.
    pub(crate) hidden: Vec<Option<Array>>,
    /// What the host read, where the trace is guarded.
    pub(crate) reads: GuardedReads,
    /// What the host read, where the function is recorded on a tape of its own.
    pub(crate) noted: Vec<TracedRead>,
}

impl Array {
    /// A concrete array.
    ///
    /// ```
    /// use wengert::{Array, Tensor};
    /// let x = Array::from_tensor(Tensor::new([2], vec![1.0f32, 2.0])?);
    /// assert_eq!(x.to_vec::<f32>(), [1.0, 2.0]);
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn from_tensor(t: Tensor) -> Array {
        Array::from_value(Value::Host(t))
    }

    /// A concrete array, wherever it is.
    pub(crate) fn from_value(v: Value) -> Array {
        Array(Repr::Concrete(v), Origin::default())
    }

    /// A number the user wrote beside an array.
    pub(crate) fn literal(t: Tensor) -> Array {
        Array(Repr::Concrete(Value::Host(t)), Origin::LITERAL)
    }

    /// Whether this is a number the user wrote beside an array.
    pub(crate) fn is_literal(&self) -> bool {
        self.1 == Origin::LITERAL
    }

    /// The value of a concrete array, wherever it is.
    pub(crate) fn into_value(self) -> Option<Value> {
        match self.0 {
            Repr::Concrete(v) => Some(v),
            Repr::Traced(_) => None,
        }
    }

    /// Whether it is a handle on the same array.
    pub(crate) fn is_same(&self, other: &Array) -> bool {
        match (&self.0, &other.0) {
            (Repr::Traced(a), Repr::Traced(b)) => Arc::ptr_eq(&a.trace, &b.trace) && a.var == b.var,
            (Repr::Concrete(a), Repr::Concrete(b)) => a.id() == b.id() && self.1 == other.1,
            _ => false,
        }
    }

    /// Another value that is a literal if this one is.
    pub(crate) fn with_tensor(&self, t: Tensor) -> Array {
        if self.is_literal() { Array::literal(t) } else { Array::from_tensor(t) }
    }

    /// The type: element type and shape. Known for traced arrays too.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0]]).ty().to_string(), "f32[1,2]");
    /// ```
    pub fn ty(&self) -> Type {
        match &self.0 {
            Repr::Concrete(v) => v.ty(),
            Repr::Traced(t) => t.ty.clone(),
        }
    }

    /// The sizes along each axis. Known for traced arrays too.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0]]).shape()[..], [1, 2]);
    /// ```
    pub fn shape(&self) -> &Shape {
        match &self.0 {
            Repr::Concrete(v) => v.shape(),
            Repr::Traced(t) => &t.ty.shape,
        }
    }

    /// The element type.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::from([1, 2]).dtype(), DType::I32);
    /// ```
    pub fn dtype(&self) -> DType {
        match &self.0 {
            Repr::Concrete(v) => v.dtype(),
            Repr::Traced(t) => t.ty.dtype,
        }
    }

    /// The number of axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2]]).rank(), 2);
    /// ```
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The number of elements.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).size(), 4);
    /// ```
    pub fn size(&self) -> usize {
        self.shape().size()
    }

    /// Whether this is a variable of a program being traced.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// jit(|x: Array| {
    ///     assert!(x.is_traced());
    ///     x
    /// })(Array::from(1.0f32));
    /// ```
    pub fn is_traced(&self) -> bool {
        matches!(self.0, Repr::Traced(_))
    }

    /// Where the array is: `host`, or a device such as `cuda:0`. A traced array is nowhere yet.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).device(), Some("host"));
    /// ```
    pub fn device(&self) -> Option<&str> {
        match &self.0 {
            Repr::Concrete(v) => Some(v.device()),
            Repr::Traced(_) => None,
        }
    }

    /// Waits until the elements are there: a staged function returns while a device is still at work.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f32, 2.0]).sin();
    /// x.wait()?;
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn wait(&self) -> Result<()> {
        match &self.0 {
            Repr::Concrete(v) => v.wait(),
            Repr::Traced(_) => Ok(()),
        }
    }

    /// The array on the host. A traced array is itself.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).to_host()?.device(), Some("host"));
    /// # Ok::<(), wengert::Error>(())
    /// ```
    #[track_caller]
    pub fn to_host(&self) -> Result<Array> {
        match &self.0 {
            Repr::Concrete(v) => v.host().cloned().map(|t| self.moved(Array::from_tensor(t), &Place::caller())),
            Repr::Traced(_) => Ok(self.clone()),
        }
    }

    /// This array as it is somewhere else: recordings have both as one.
    pub(crate) fn moved(&self, to: Array, place: &Place) -> Array {
        let mut to = Array(to.0, self.1);
        if record::any_recording() {
            record::moved(self, &mut to, place);
        }
        to
    }

    /// The value, if it is known: a concrete array, or a traced one with its value beside it. Copied to the host if it
    /// is not there.
    pub(crate) fn value(&self) -> Option<&Tensor> {
        match &self.0 {
            Repr::Concrete(v) => Some(ok(v.host())),
            Repr::Traced(t) => t.value.as_ref(),
        }
    }
}

impl Recorded for Array {
    fn origin(&self) -> Origin {
        self.1
    }
    fn set_origin(&mut self, origin: Origin) {
        self.1 = origin;
    }
    fn ty(&self) -> Type {
        Array::ty(self)
    }
    fn is_of(&self, ty: &Type) -> bool {
        match &self.0 {
            Repr::Concrete(Value::Host(t)) => (t.dtype(), t.shape()) == (ty.dtype, &ty.shape),
            _ => Array::ty(self) == *ty,
        }
    }
    fn tensor(&self) -> Option<&Tensor> {
        self.value()
    }
    fn id(&self) -> Option<Id> {
        match &self.0 {
            Repr::Concrete(v) => Some(v.id()),
            Repr::Traced(t) => t.value.as_ref().map(Tensor::id),
        }
    }
    fn is_traced(&self) -> bool {
        Array::is_traced(self)
    }
    fn guarded_since(&self) -> Option<u32> {
        match &self.0 {
            Repr::Concrete(_) => None,
            Repr::Traced(t) => guarded_trace(&t.trace).map(|t| t.first_inside),
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A part of what a tape shows: to fetch it from where it is would take long.
        if crate::call_values::showing() {
            return write!(f, "{}", self.ty());
        }
        self.shown();
        match &self.0 {
            Repr::Concrete(Value::Host(t)) => write_debug(f, "Array", t),
            Repr::Concrete(v) => v.fmt(f),
            Repr::Traced(t) => match t.shown_value() {
                None => write!(f, "Traced<{}>", t.ty),
                Some(v) => write_debug(f, "Traced", v),
            },
        }
    }
}

fn write_debug(f: &mut fmt::Formatter<'_>, what: &str, t: &Tensor) -> fmt::Result {
    write!(f, "{what}<{}>(", t.ty())?;
    t.write_elements(f)?;
    f.write_str(")")
}
