//! Runs that failed where no program can: in a transform, or in a function while it was traced. What is reduced are their calls.
//!
//! A candidate runs in this process: it ends in an error or a panic, or does not, and nothing is compiled that a call does not
//! compile. One that takes too long counts as one that does not fail.

mod edit;
mod passes;
mod run;

use crate::interrupt;
use crate::patience::with_patience;
use crate::symptom::without_numbers;
use std::fmt;
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
    /// let x = Array::from([1.0f32, 2.0]);
    /// let recorder = Recorder::new().capture(wengert::Capture::Values);
    /// let (_, tape) = recorder.try_record(|| grad(|x: Array| x.sin().cos() * 2.0)(x.exp()));
    /// let calls = FailedCalls::new(CallTree::of_tape(&tape)?).unwrap();
    /// let found = reduce_calls(calls, &mut |_| true)?;
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

    /// The message that it fails with now.
    fn failure(&self) -> Option<String> {
        let (tree, inputs) = (self.tree.clone(), self.inputs.clone());
        with_patience(move || run::failure(&tree, &inputs)).flatten()
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

/// Reduces the calls of a run while they fail with the same message, up to numbers and names. `watch` sees where it is after each
/// candidate, and says whether to go on.
///
/// # Errors
/// If the calls do not fail so when they are run again.
///
/// ```
/// use wengert::{Array, Recorder, jit, vmap};
/// use wengert_emit::CallTree;
/// use wengert_repro::calls::{FailedCalls, reduce_calls};
/// let (x, y) = (Array::from([[1.0f32, 2.0]; 3]), Array::from([1.0f32, 2.0, 3.0]));
/// let f = |x: Array| vmap(|x: Array| x.sin() * y.cos())(x.exp());
/// let (_, tape) = Recorder::new().capture(wengert::Capture::Values).try_record(|| jit(f)(x));
/// let calls = FailedCalls::new(CallTree::of_tape(&tape)?).unwrap();
/// let found = reduce_calls(calls, &mut |_| true)?;
/// assert_eq!((found.best.size().steps, found.is_minimal), (1, true)); // the product
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn reduce_calls(start: FailedCalls, watch: &mut dyn FnMut(CallProgress<'_>) -> bool) -> Result<CallReduction> {
    let wanted = signature(&start.message);
    let found = start.failure();
    if found.as_deref().map(signature).as_ref() != Some(&wanted) {
        let m = "the calls of the run do not fail as recorded when they are run again";
        let said = found.map_or("they run to their end".into(), |found| format!("they fail with: {found}"));
        return Err(Error::new(ErrorKind::Run, m).note(said));
    }
    let mut r = Reducer { best: start, wanted, watch, pass: "", steps: Vec::new(), candidates: 1, is_stopped: false };
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
    /// What the calls are to fail with.
    wanted: String,
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
        let failure = candidate.failure().filter(|message| signature(message) == self.wanted);
        let is_smaller = failure.is_some();
        if let Some(message) = failure {
            candidate.message = message;
            self.best = candidate;
            self.steps.push((self.pass, size, self.candidates));
        }
        let (best, pass, candidates) = (&self.best, self.pass, self.candidates);
        let goes_on = (self.watch)(CallProgress { best, pass, candidates, is_smaller });
        self.is_stopped |= !goes_on || interrupt::is_asked();
        is_smaller
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
        assert_ne!(a, signature("`jvp` over arrays of different sizes: `arg0` has 3, and `arg1` has 12"));
    }
}
