//! `WENGERT_CHECK=nan`: the first op that gives NaN or an infinity of finite numbers.
//!
//! The rule is the same for ops that run by themselves and for those of staged functions, and inside of loops, branches and
//! calls: an op is at fault if a result is not finite although all operands are, or a number of it although those are that it is made of,
//! where that is known (`reach.rs`: at its position, in its row, before it), whether or not a mask (`where_`) hides it
//! afterwards. What is hidden from the result is not hidden from its derivative. What is asked for is no fault: a constant, and
//! NaN that is read where nothing is (`IndexMode::Fill`). An op of the user's is judged by its results, and the op inside of it
//! is named if it is short for a program. What nothing uses is in no staged program.

mod find;
mod flagged;
mod reach;

pub(crate) use find::{Compile, GivenBy};
use find::{Fault, find, first_flag};
use flagged::{is_asked_for, is_looked_into, is_told_by_position, with_flags};
use reach::first_new;
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use wengert_core::compare::is_finite;
use wengert_core::ops::{PRINT, without};
use wengert_core::run::{Executable, Value};
use wengert_core::{Builder, Error, ErrorKind, Op, Place, Program, Result, Tensor, Type};
use wengert_emit::OF_FINITE;

/// Whether a message is about a number that is not finite: without `WENGERT_CHECK=nan` nothing fails so.
pub(crate) fn is_nan_message(message: &str) -> bool {
    message.contains(OF_FINITE)
}

fn is_bad(t: &Tensor) -> bool {
    !is_finite(t)
}

/// What is not finite in an array: `NaN`, `an infinity`; and its first element that is not.
fn what(t: &Tensor) -> (&'static str, usize) {
    let is_nan = |i: usize| {
        let c = t.get(i).as_complex();
        (c.re.is_nan() || c.im.is_nan(), c.re.is_finite() && c.im.is_finite())
    };
    match (0..t.size()).find(|&i| is_nan(i).0) {
        Some(i) => ("NaN", i),
        None => ("an infinity", (0..t.size()).find(|&i| !is_nan(i).1).unwrap_or(0)),
    }
}

/// Element `at` of an array by its position along each axis: `[1, 0]`.
fn position(ty: &Type, mut at: usize) -> String {
    let mut along = vec![0; ty.shape.rank()];
    for (i, &size) in ty.shape.iter().enumerate().rev() {
        (along[i], at) = (at % size, at / size);
    }
    format!("{along:?}")
}

impl Fault {
    fn error(self) -> Error {
        let Some(bad) = self.first.map(|(i, _)| &self.y[i]).or_else(|| self.y.iter().find(|t| is_bad(t))) else {
            // The whole program has it, and its parts do not: rounding decides.
            let m = format!(
                "`{}` gives numbers that are not finite {OF_FINITE}, but not in a part of its program",
                self.op
            );
            return Error::new(ErrorKind::Run, m).at(self.place);
        };
        // One that is made of such is not the first.
        let has_given = self.x.iter().any(is_bad);
        let (kind, at) = match self.first.filter(|_| has_given) {
            Some((_, at)) => (what(&Tensor::splat([1], bad.get(at))).0, at),
            None => what(bad),
        };
        let m = format!("`{}` gives {kind} {OF_FINITE}: {}", self.op, bad.ty());
        let mut error = Error::new(ErrorKind::Run, m).at(self.place);
        if bad.shape().rank() > 0 {
            let same = self.x.iter().filter(|x| self.is_told_by_position && x.shape() == bad.shape());
            let given: Vec<String> = same.map(|x| x.get(at).to_string()).collect();
            let given =
                if given.is_empty() { String::new() } else { format!(", where it is given {}", given.join(" and ")) };
            error = error.note(format!("the first is at {}{given}", position(&bad.ty(), at)));
        } else if !self.x.is_empty() && self.x.iter().all(|x| x.shape().rank() == 0) {
            let given: Vec<String> = self.x.iter().map(|x| x.get(0).to_string()).collect();
            error = error.note(format!("it is given {}", given.join(" and ")));
        }
        self.chain.into_iter().fold(error, Error::note)
    }
}

/// An error if an op that runs by itself is at fault.
pub(crate) fn check_op(op: &Op, x: &[Value], y: &[Value], place: &Place, compile: Compile<'_>) -> Result<()> {
    if !super::checks_nan() || is_asked_for(op) {
        return Ok(());
    }
    let host = |v: &Value| v.clone().into_host().ok();
    if is_looked_into(op) {
        let Some(x) = x.iter().map(host).collect::<Option<Vec<Tensor>>>() else { return Ok(()) };
        if let Op::Call(call) = op {
            return check(&call.program, &x, y, compile).map_err(|found| found.error);
        }
        let types: Vec<Type> = x.iter().map(Tensor::ty).collect();
        let mut b = Builder::new();
        b.set_place(place.clone());
        let args = b.inputs(&types);
        let out = b.push(op.clone(), &args);
        return check(&Arc::new(b.finish(&out)), &x, y, compile).map_err(|found| found.error);
    }
    let y: Vec<Tensor> = y.iter().filter_map(host).collect();
    if !y.iter().any(is_bad) {
        return Ok(());
    }
    let x: Vec<Tensor> = x.iter().filter_map(host).collect();
    let first = if x.iter().any(is_bad) { first_new(op, &x, &y, compile) } else { None };
    if x.iter().any(is_bad) && first.is_none() {
        return Ok(());
    }
    let inner = match op {
        Op::Custom(_) => find::inside(op, place, &x, compile)?,
        _ => None,
    };
    let outer = || {
        let (name, is_told_by_position) = (op.name().into(), is_told_by_position(op));
        Fault { op: name, place: place.clone(), is_told_by_position, x, y, chain: Vec::new(), first, given_by: None }
    };
    Err(inner.unwrap_or_else(outer).error())
}

/// The program without what it prints: it prints once.
fn silent(program: &Program) -> Program {
    without(program, &|op| op.get().name() == PRINT)
}

/// The program with flags, compiled; kept, since a staged function runs often.
fn compiled(program: &Arc<Program>, compile: Compile<'_>) -> Result<Arc<dyn Executable>> {
    /// A program, by its address, which it keeps while it is here.
    type Kept = FxHashMap<usize, (Arc<Program>, Arc<dyn Executable>)>;
    const MOST: usize = 256;
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = Arc::as_ptr(program) as usize;
    if let Some((_, made)) = kept().get(&key) {
        return Ok(made.clone());
    }
    let made = compile(with_flags(&silent(program)))?;
    let mut kept = kept();
    if kept.len() >= MOST {
        kept.clear();
    }
    kept.insert(key, (program.clone(), made.clone()));
    Ok(made)
}

/// What is not finite in the run of a program.
pub(super) struct NotFinite {
    pub(super) error: Error,
    pub(super) given_by: Option<Box<GivenBy>>,
}

impl From<Error> for NotFinite {
    fn from(error: Error) -> NotFinite {
        NotFinite { error, given_by: None }
    }
}

/// An error if an op of a program is at fault, which gave `outputs`. `compile` compiles parts of the program.
pub(super) fn check(
    program: &Arc<Program>,
    inputs: &[Tensor],
    outputs: &[Value],
    compile: Compile<'_>,
) -> std::result::Result<(), NotFinite> {
    // What can't be compiled in this form is judged by its results.
    let flags = compiled(program, compile).and_then(|e| e.run_on_host(inputs.to_vec()));
    if let Ok(flags) = &flags
        && first_flag(flags).is_some()
        && let Some(mut fault) = find(&silent(program), inputs, compile)?
    {
        let given_by = fault.given_by.take().map(Box::new);
        return Err(NotFinite { error: fault.error(), given_by });
    }
    let Some(bad) = outputs.iter().filter_map(|v| v.clone().into_host().ok()).find(is_bad) else { return Ok(()) };
    let is_infinite = |op: &Op| match op {
        Op::Constant(c) => is_bad(&c.value),
        op => is_asked_for(op),
    };
    if inputs.iter().any(is_bad) || program.any(|_, e| is_infinite(&e.op)) {
        return Ok(());
    }
    let name = if program.name().is_empty() { "program" } else { program.name() };
    let m = format!("`{name}` gives {} {OF_FINITE}: {}", what(&bad).0, bad.ty());
    let which = match flags {
        Ok(_) => "no op of it does so by itself: the compiler may be wrong".to_string(),
        Err(e) => format!("which op does so can't be found: {}", e.message()),
    };
    let note = "what to do: `wengert diff program.wg --backends cpu,eval` finds where the compiled program parts from its meaning";
    Err(Error::new(ErrorKind::Run, m).note(which).note(note).into())
}
