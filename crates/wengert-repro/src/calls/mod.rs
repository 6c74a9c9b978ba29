//! Runs that failed where no program can: in a transform, or in a function while it was traced. What is reduced are their calls.
//!
//! A candidate runs in this process: it ends in an error or a panic, or does not, and nothing is compiled that a call does not
//! compile. One that takes too long counts as one that does not fail.

mod edit;
mod passes;
mod run;

use crate::interrupt;
use crate::patience::with_patience_of;
use crate::symptom::without_numbers;
use run::End;
use std::fmt;
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind, Op, Result, Tensor, counted};
use wengert_emit::{CallTree, Does, Outcome, RecordedTree, Run, Step};

/// A run that failed, as its calls.
#[derive(Clone, Debug)]
pub struct FailedCalls {
    tree: CallTree,
    inputs: Vec<Tensor>,
    message: String,
}

/// How large the calls of a run are. What comes first counts most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSize {
    /// What its functions do, but for constants; what uses a function of its own counts twice.
    pub effort: usize,
    /// Functions.
    pub functions: usize,
    /// Parameters of functions, and variables in them.
    pub variables: usize,
    /// Elements of inputs and constants that are more than one number repeated, and of all variables.
    pub elements: usize,
    /// Inputs and constants that are neither zeros nor ones.
    pub numbers: usize,
    /// What its functions do, each thing once.
    pub steps: usize,
}

impl fmt::Display for CallSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (steps, functions) = (counted(self.steps, "step"), counted(self.functions, "function"));
        write!(f, "{steps} in {functions}, {}", counted(self.elements, "element"))
    }
}

impl FailedCalls {
    /// The calls of a recorded run, if it failed where they show it: code of the user's that panicked is in no tape.
    ///
    /// ```
    /// use wengert::{Array, Recorder, grad};
    /// use wengert_emit::CallTree;
    /// use wengert_repro::calls::{FailedCalls, reduce_calls};
    /// use std::time::Duration;
    /// let x = Array::from([1.0f32, 2.0]);
    /// let recorder = Recorder::new().capture(wengert::Capture::Values);
    /// let (_, tape) = recorder.try_record(|| grad(|x: Array| x.sin().cos() * 2.0)(x.exp()));
    /// let calls = FailedCalls::new(CallTree::of_tape(&tape)?).unwrap();
    /// let found = reduce_calls(calls, &|_| true, Duration::from_secs(60), &mut |_| true)?;
    /// assert_eq!(found.best.size().steps, 1); // the gradient of a function that gives what it takes
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn new(recorded: RecordedTree) -> Option<FailedCalls> {
        let RecordedTree { tree, inputs, outcome, .. } = recorded;
        let Some(Outcome::Error(message)) = outcome else { return None };
        let path = std::iter::successors(Some(tree.functions.len() - 1), |&id| edit::failing_inside(&tree, id));
        let last = path.last().and_then(|id| tree.functions[id].steps.last())?;
        match last.does {
            Does::Raise(_) | Does::Recorded(_) => None,
            _ => Some(FailedCalls { tree, inputs, message }),
        }
    }

    /// What it fails with.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The run, to be emitted.
    pub fn run(&self) -> Run {
        let outcome = Some(Outcome::Error(self.message.clone()));
        Run { tree: self.tree.clone(), inputs: self.inputs.clone(), outcome }
    }

    /// How large the calls are.
    pub fn size(&self) -> CallSize {
        let mut size = CallSize { functions: self.tree.functions.len(), ..CallSize::default() };
        let mut add = |x: &Tensor| {
            size.elements += if x.is_splat() { 0 } else { x.size() };
            size.numbers += usize::from(!edit::is_plain(x));
        };
        self.inputs.iter().for_each(&mut add);
        for f in &self.tree.functions {
            for step in &f.steps {
                if let Does::Primitive(Op::Constant(c), _) = &step.does {
                    add(&c.value);
                }
            }
        }
        for f in &self.tree.functions {
            size.variables += f.variables.len();
            size.elements += f.variables.iter().map(|v| v.ty.shape.size()).sum::<usize>();
            for step in f.steps.iter().filter(|s| !is_constant(s)) {
                size.steps += 1;
                size.effort += match &step.does {
                    Does::Call(_) => 1,
                    does => 1 + usize::from(!does.functions().is_empty()),
                };
            }
        }
        size
    }

    /// How it ends now, if it does so in this time and nobody asks for an end.
    fn end(&self, limit: Duration) -> Option<End> {
        let (tree, inputs) = (self.tree.clone(), self.inputs.clone());
        with_patience_of(limit, move || run::run(&tree, &inputs))
    }
}

fn is_constant(step: &Step) -> bool {
    matches!(step.does, Does::Primitive(Op::Constant(_), _))
}

/// The first line of a message without numbers, and without names but the first: functions and arguments may be called otherwise.
fn signature(message: &str) -> String {
    let parts = message.split('`').enumerate().filter(|(i, _)| i % 2 == 0 || *i == 1);
    without_numbers(&parts.map(|(_, part)| part).collect::<String>())
}

/// A message with the names of the recorded one, where it has as many: the arguments of functions that run here have others.
fn named(recorded: &str, found: &str) -> String {
    let names: Vec<&str> = recorded.split('`').collect();
    let parts: Vec<&str> = found.split('`').collect();
    if names.len() != parts.len() {
        return found.to_string();
    }
    let part =
        |(i, (name, part)): (usize, (&&str, &&str))| if i % 2 == 1 { name.to_string() } else { part.to_string() };
    names.iter().zip(&parts).enumerate().map(part).collect::<Vec<_>>().join("`")
}

/// Where a reduction of calls is.
#[derive(Clone, Copy, Debug)]
pub struct CallProgress<'a> {
    /// The smallest calls so far.
    pub best: &'a FailedCalls,
    /// The pass that is at work.
    pub pass: &'static str,
    /// How many candidates were looked at.
    pub candidates: usize,
    /// Whether the best have just become others.
    pub is_smaller: bool,
}

/// What a reduction of calls came to.
#[derive(Debug)]
pub struct CallReduction {
    /// The smallest calls that fail in the same way.
    pub best: FailedCalls,
    /// The passes that made them smaller, with the size since and how many candidates were looked at until then.
    pub steps: Vec<(&'static str, CallSize, usize)>,
    /// How many candidates were looked at.
    pub candidates: usize,
    /// Whether nothing more goes; else it was asked to stop.
    pub is_minimal: bool,
}

/// Reduces the calls of a run while they fail with the same message, up to numbers and names, that is wanted. No candidate may take
/// longer than the limit. `watch` sees where it is when the first run has failed as recorded, and after each candidate, and says whether
/// to go on.
///
/// # Errors
/// If the calls do not fail so when they are run again.
///
/// ```
/// use wengert::{Array, Recorder, jit, vmap};
/// use wengert_emit::CallTree;
/// use wengert_repro::calls::{FailedCalls, reduce_calls};
/// use std::time::Duration;
/// let (x, y) = (Array::from([[1.0f32, 2.0]; 3]), Array::from([1.0f32, 2.0, 3.0]));
/// let f = |x: Array| vmap(|x: Array| x.sin() * y.cos())(x.exp());
/// let (_, tape) = Recorder::new().capture(wengert::Capture::Values).try_record(|| jit(f)(x));
/// let calls = FailedCalls::new(CallTree::of_tape(&tape)?).unwrap();
/// let found = reduce_calls(calls, &|_| true, Duration::from_secs(60), &mut |_| true)?;
/// assert_eq!((found.best.size().steps, found.is_minimal), (1, true)); // the product
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn reduce_calls(
    start: FailedCalls,
    is_wanted: &dyn Fn(&str) -> bool,
    limit: Duration,
    watch: &mut dyn FnMut(CallProgress<'_>) -> bool,
) -> Result<CallReduction> {
    let wanted = signature(&start.message);
    let begun = Instant::now();
    let said = match start.end(limit.saturating_mul(10)) {
        Some(End::Failed(found)) if signature(&found) == wanted => None,
        Some(End::Failed(found)) => Some(format!("they fail with: {found}")),
        Some(End::Well) => Some("they run to their end".to_string()),
        Some(End::Refused(what)) => Some(format!("this is not run here: {what}")),
        None if interrupt::is_asked() => Some("it was interrupted".to_string()),
        None => Some(format!("they did not end within {} s", limit.saturating_mul(10).as_secs())),
    };
    if let Some(said) = said {
        let m = "the calls of the run do not fail as recorded when they are run again";
        return Err(Error::new(ErrorKind::Run, m).note(said));
    }
    // Smaller ones take no longer, but by chance.
    let limit = limit.min(begun.elapsed().saturating_mul(20) + Duration::from_millis(300));
    let mut r = Reducer {
        recorded: start.message.clone(),
        best: start,
        wanted,
        is_wanted,
        limit,
        watch,
        pass: "start",
        steps: Vec::new(),
        candidates: 1,
        is_stopped: false,
    };
    r.tell(true);
    loop {
        let before = r.best.size();
        for (name, pass) in passes::PASSES {
            r.pass = name;
            pass(&mut r);
        }
        if r.is_stopped || r.best.size() == before {
            let is_minimal = !r.is_stopped;
            return Ok(CallReduction { best: r.best, steps: r.steps, candidates: r.candidates, is_minimal });
        }
    }
}

/// A reduction at work.
struct Reducer<'a> {
    best: FailedCalls,
    /// The message that was recorded, and what is the same of it for smaller calls.
    recorded: String,
    wanted: String,
    /// Whether a message is one that is looked for.
    is_wanted: &'a dyn Fn(&str) -> bool,
    limit: Duration,
    watch: &'a mut dyn FnMut(CallProgress<'_>) -> bool,
    pass: &'static str,
    steps: Vec<(&'static str, CallSize, usize)>,
    candidates: usize,
    is_stopped: bool,
}

impl Reducer<'_> {
    /// Takes a candidate, if it is smaller and fails in the same way.
    fn take(&mut self, candidate: Option<FailedCalls>) -> bool {
        let Some(mut candidate) = candidate.filter(|_| !self.is_stopped).map(FailedCalls::tidied) else { return false };
        let size = candidate.size();
        if size >= self.best.size() {
            return false;
        }
        self.candidates += 1;
        let message = match candidate.end(self.limit) {
            Some(End::Failed(found)) if signature(&found) == self.wanted => Some(named(&self.recorded, &found)),
            _ => None,
        };
        let message = message.filter(|message| (self.is_wanted)(message));
        let is_smaller = message.is_some();
        if let Some(message) = message {
            candidate.message = message;
            self.best = candidate;
            self.steps.push((self.pass, size, self.candidates));
        }
        self.tell(is_smaller);
        is_smaller
    }

    /// Says where it is to whoever watches, who may want an end.
    fn tell(&mut self, is_smaller: bool) {
        let (best, pass, candidates) = (&self.best, self.pass, self.candidates);
        let goes_on = (self.watch)(CallProgress { best, pass, candidates, is_smaller });
        self.is_stopped |= !goes_on || interrupt::is_asked();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e5_the_same_failure_of_calls_has_the_same_text() {
        let a = signature("`vmap` over arrays of different sizes: `arg0` has 3, and `arg1` has 12\nmore");
        let b = signature("`vmap` over arrays of different sizes: `arg0.0` has 1, and `arg0.1` has 2");
        assert_eq!(a, b);
        let (recorded, found) = ("`vmap`: `arg0` has 3 and `arg1` has 2", "`vmap`: `arg0.0` has 1 and `arg0.1` has 4");
        assert_eq!(named(recorded, found), "`vmap`: `arg0` has 1 and `arg1` has 4");
        assert_ne!(a, signature("`jvp` over arrays of different sizes: `arg0` has 3, and `arg1` has 12"));
    }
}
