//! From tape to program: what this run did, as a straight line that runs again.

use crate::api::{EXIT, RAISED, REPRODUCED, UNWINDING};
use crate::extract::{Between, Extraction};
use crate::host::HostNumber;
use crate::node::{Node, NodeId, ResultId};
use crate::provenance::{flipped, truth};
use crate::row::{Kind, NONE, Ref};
use crate::tape::Tape;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use wengert_core::run::Device;
use wengert_core::{Builder, Error, ErrorKind, Place, Program, Result, Tensor};

/// A run, or a part of one, as a program without decisions: each decision of the host is as it was in the run.
#[derive(Debug)]
pub struct StraightProgram {
    pub(crate) program: Program,
    pub(crate) inputs: Vec<(NodeId, usize)>,
    pub(crate) guards: Vec<Guard>,
    /// Calls that were not recorded inside, and reads of what no node tells of.
    pub(crate) unchecked: Vec<NodeId>,
    /// The first of these reads.
    pub(crate) unknown: Option<UnknownRead>,
    /// How many outputs are results; after them come the values that the host read.
    pub(crate) results: usize,
    /// Of a run that failed, the op that failed, or why the program lacks it.
    pub(crate) failure: Option<std::result::Result<NodeId, String>>,
}

/// A value that the host read, and what it saw.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) node: NodeId,
    pub(crate) place: Place,
    pub(crate) saw: SeenValue,
}

/// A read of which no node tells what it depends on.
#[derive(Debug)]
pub(crate) struct UnknownRead {
    pub(crate) node: NodeId,
    pub(crate) place: Place,
    /// The inputs it was made with, as far as they were kept.
    pub(crate) with: Vec<Option<Tensor>>,
}

#[derive(Clone, Debug)]
pub(crate) enum SeenValue {
    Decision(bool),
    Value(Tensor),
    /// The one element, as a number of the host.
    Number(HostNumber),
    /// A value that was not kept.
    Unknown,
    /// Nothing: this operator of integers must not overflow, as it did not in the run.
    NoOverflow(String),
}

impl StraightProgram {
    /// The program: inputs as [`StraightProgram::inputs`] says, then the results.
    pub fn program(&self) -> Program {
        let mut b = Builder::new();
        let x = b.inputs_of(&self.program);
        let y = b.inline(&self.program, &x);
        b.finish(&y[..self.results]).with_name(self.program.name())
    }

    /// The program with what the host read: [`StraightProgram::check`] takes what it gives.
    pub fn guarded_program(&self) -> &Program {
        &self.program
    }

    /// The nodes whose values are the inputs, each with the number of the result: arguments, arrays that came from
    /// outside, and what was set on the tape and so is no longer computed.
    pub fn inputs(&self) -> &[(NodeId, usize)] {
        &self.inputs
    }

    /// Of a run that failed, the node of the op that failed, which is the last equation; or why the program ends before it.
    pub fn failure(&self) -> Option<std::result::Result<NodeId, &str>> {
        self.failure.as_ref().map(|f| f.as_ref().map(|n| *n).map_err(String::as_str))
    }

    /// The values of the inputs in the recorded run, if they were kept.
    pub fn recorded_inputs(&self, tape: &Tape) -> Option<Vec<Tensor>> {
        self.inputs.iter().map(|&(n, out)| tape.get(n)?.value(out)).collect()
    }

    /// Runs the program on other inputs, with the decisions of the host as they were.
    pub fn run(&self, device: &dyn Device, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let mut y = self.run_all(device, inputs)?;
        y.truncate(self.results);
        Ok(y)
    }

    /// The results, then what the host read.
    fn run_all(&self, device: &dyn Device, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.check_inputs(&inputs)?;
        device.compile_as_written(Arc::new(self.program.clone()))?.run_on_host(inputs)
    }

    /// Runs the program on other inputs, and fails if the host would have read another value: it might have decided
    /// otherwise. The error names the first such read, or the first that can't be checked.
    pub fn run_guarded(&self, device: &dyn Device, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.check_given(&inputs)?;
        self.check(self.run_all(device, inputs)?)
    }

    /// An error if the host read something of which the tape does not tell where it comes from, and these inputs are not those of
    /// the run: it may read another value with them.
    pub fn check_given(&self, inputs: &[Tensor]) -> Result<()> {
        let Some(read) = &self.unknown else { return Ok(()) };
        let is_same = |(x, was): (&Tensor, &Option<Tensor>)| was.as_ref().is_some_and(|was| was.same_bits(x));
        if inputs.iter().zip(&read.with).all(is_same) {
            return Ok(());
        }
        let why = "the host read here what no node tells of, and may read something else with other inputs";
        Err(flipped(why.to_string(), read.node, read.place.clone()).note("`run` checks nothing"))
    }

    /// The results among what [`StraightProgram::guarded_program`] gave, if the host would have read the same values.
    ///
    /// # Errors
    /// As of [`StraightProgram::run_guarded`].
    pub fn check(&self, mut y: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let read = y.split_off(self.results);
        for (g, now) in self.guards.iter().zip(read) {
            let why = match &g.saw {
                SeenValue::Decision(was) if *was == truth(&now) => continue,
                SeenValue::Value(was) if was.same_bits(&now) => continue,
                SeenValue::NoOverflow(_) if !truth(&now) => continue,
                SeenValue::NoOverflow(operator) => format!("`{operator}` overflows here with these inputs"),
                SeenValue::Number(was)
                    if now.size() == 1 && HostNumber::of_scalar(was.ty, now.get(0)) == Some(*was) =>
                {
                    continue;
                }
                SeenValue::Number(was) => format!(
                    "the host read {was} here, and with these inputs it reads {}: what it does then is not on the tape",
                    crate::print::short(&now)
                ),
                SeenValue::Decision(was) => {
                    format!("the host read {was} here, and with these inputs it reads {}", !was)
                }
                SeenValue::Value(was) => format!(
                    "the host read {} here, and with these inputs it reads {}: what it does then is not on the tape",
                    crate::print::short(was),
                    crate::print::short(&now)
                ),
                SeenValue::Unknown => {
                    let m = format!("what the host read here was not kept, and can't be compared ({})", g.node);
                    return Err(Error::new(ErrorKind::Run, m)
                        .at(g.place.clone())
                        .note("record with `Capture::Values`, or use `run`, which checks nothing"));
                }
            };
            return Err(flipped(why, g.node, g.place.clone()));
        }
        Ok(y)
    }

    /// The places where the host read a value that was not kept, or one that no node tells of, and the calls that were not recorded inside and may have
    /// used more than they were given. [`StraightProgram::run_guarded`] can't check these: where something was read, it takes the
    /// inputs of the run alone.
    pub fn unchecked(&self) -> impl Iterator<Item = NodeId> {
        let unknown = self.guards.iter().filter(|g| matches!(g.saw, SeenValue::Unknown)).map(|g| g.node);
        self.unchecked.iter().copied().chain(unknown)
    }

    fn check_inputs(&self, inputs: &[Tensor]) -> Result<()> {
        let (want, got): (Vec<_>, Vec<_>) = (self.program.input_types(), inputs.iter().map(Tensor::ty).collect());
        if want == got {
            return Ok(());
        }
        Err(Error::shape(format!("the program of this tape takes {want:?}, and was given {got:?}")))
    }
}

impl Tape {
    /// What the run did as a straight program: from the arrays that came from outside to what it gave back. Decisions
    /// of the host become guards. A recording that was not ended with a result ([`record::collect`](crate::record::collect))
    /// gives what nothing in it uses. So does a run that failed, up to the op that failed, which is the last equation where that
    /// is possible ([`StraightProgram::failure`]): the program then fails as the run did.
    ///
    /// # Errors
    /// If it needs a value that was not recorded: of a call that was not recorded inside, or of an op that was left out.
    pub fn to_program(&self) -> Result<StraightProgram> {
        self.root().to_program()
    }

    /// The part of the run between these results and those: a program that takes the first, in their order (those that are one
    /// array once), and gives the second. Whatever else it needs is as it was in the run. Decisions of the host that depend on
    /// what it takes become guards.
    ///
    /// # Errors
    /// As [`Tape::to_program`]; if a value that it needs was not kept; or if something between them depends on what it takes in
    /// a way that no op says: a call of the host, an element that it chose.
    pub fn slice<I: Into<ResultId> + Copy, O: Into<ResultId> + Copy>(
        &self,
        from: &[I],
        to: &[O],
    ) -> Result<StraightProgram> {
        let from = from.iter().map(|&r| self.array(r.into())).collect::<Result<Vec<Ref>>>()?;
        let to = to.iter().map(|&r| self.array(r.into())).collect::<Result<Vec<Ref>>>()?;
        if let Some(r) = from.iter().find(|r| r.is_constant()) {
            return Err(Error::shape(format!("⟨{}⟩ stands in the program itself", self.constants[r.at as usize])));
        }
        let mut after: FxHashSet<u32> = from.iter().flat_map(|r| self.node(r.at).forward()).map(|n| n.id).collect();
        for id in self.unknown_of(from.iter().map(|r| r.at)) {
            after.insert(id);
            after.extend(self.node(id).forward().map(|n| n.id));
        }
        Extraction::new(self.root()).between(Between { from, to, after }).run()
    }

    /// The run as a straight program that gives these results instead of its own: what a value was that was not kept, the
    /// program finds out again. Decisions of the host are as they were, and are not checked.
    ///
    /// # Errors
    /// As [`Tape::to_program`], or if one of them is no array.
    pub fn program_of<R: Into<ResultId> + Copy>(&self, results: &[R]) -> Result<StraightProgram> {
        let wanted = results.iter().map(|&r| self.array(r.into())).collect::<Result<Vec<Ref>>>()?;
        Extraction::new(self.root()).wanted(wanted).run()
    }

    /// Where an array comes from.
    fn array(&self, r: ResultId) -> Result<Ref> {
        let there = self.get(r.node).is_some_and(|n| r.out < n.result_count() && n.ty(r.out).is_some());
        match there {
            true => Ok(self.resolve(r.reference())),
            false => Err(Error::shape(format!("{r} is no array or number of this tape"))),
        }
    }
}

impl<'t> Node<'t> {
    /// What the node did as a straight program: from what it was given to what it gave back; see [`Tape::to_program`].
    pub fn to_program(self) -> Result<StraightProgram> {
        let all = || Extraction::new(self).run();
        let failed = match self.failed_op() {
            None => return all(),
            Some(Err(why)) => Err(why),
            Some(Ok(n)) => match Extraction::new(self).failed(n).run() {
                Ok(p) => return Ok(StraightProgram { failure: Some(Ok(n.id())), ..p }),
                Err(e) => Err(format!("`{}` ({}) can't be a part of it: {}", n.function(), n.id(), e.message())),
            },
        };
        Ok(StraightProgram { failure: Some(failed), ..all()? })
    }

    /// Whether it is the whole run, and that ended well: an error that came last was caught.
    pub fn ended_well(self) -> bool {
        let is_process = || self.meta(EXIT) == Some(0) && self.meta(REPRODUCED) != Some(true);
        self.id == 0 && (self.gives_arrays() || is_process())
    }

    /// What was done inside, one after another: without what it returned and had from outside, what destructors did while a panic
    /// unwound, and reads of the host, of which some are noted at the end though they were before.
    pub fn steps(self) -> impl Iterator<Item = Node<'t>> {
        let is_read = |n: &Self| n.kind() == Kind::Special && (n.is_read() || n.is_unknown_read());
        let unwinds = |n: Self| n.meta(UNWINDING) == Some(true);
        // A destructor's own steps are all made so.
        let came_after = move |n: &Self| unwinds(*n) && !unwinds(self);
        let is_done = |n: &Self| !matches!(n.kind(), Kind::Return | Kind::Constant);
        self.children().filter(move |n| is_done(n) && !is_read(n) && !came_after(n))
    }

    pub(crate) fn gives_arrays(self) -> bool {
        (0..self.result_count()).any(|out| self.ty(out).is_some())
    }

    /// The op that a call failed at, if it did; an error says what failed instead.
    pub(crate) fn failed_op(self) -> Option<std::result::Result<Self, String>> {
        // An error that came from no call may be that of the op before it: a kernel that panics is apart from what is open.
        let is_error = |n: &Self| n.op().is_none() && n.function() == RAISED;
        let last = |n: Self| {
            let [before, last] = n.steps().fold([None; 2], |[_, before], n| [before, n.unwound().then_some(n)]);
            before.filter(|before| before.op().is_some() && last.is_some_and(|n| is_error(&n))).or(last)
        };
        if self.ended_well() {
            return None;
        }
        let mut found = last(self).filter(|_| !self.gives_arrays() && !self.is_whole())?;
        while found.op().is_none()
            && let Some(inside) = last(found)
        {
            found = inside;
        }
        Some(match found.op() {
            Some(_) => Ok(found),
            None if is_error(&found) => Err("it is no op that failed".to_string()),
            None if found.label().unknown.is_some() => {
                Err(format!("`{}` ({}) needs an op that this process does not have", found.function(), found.id()))
            }
            None => Err(format!("`{}` ({}) failed before it came to an op", found.function(), found.id())),
        })
    }

    /// Whether it is a call that has not ended, as far as the tape goes: its inside is there, and nothing that it gave.
    pub(crate) fn is_open(self) -> bool {
        let row = self.tape.row(self.id);
        row.kind() == Kind::Call
            && self.op().is_none()
            && row.has_own_children()
            && row.extra == NONE
            && row.results_len == 0
    }
}

/// The name of a program made from the function at this path: the last word that was written, without its types.
pub fn program_name(path: &str) -> String {
    // A pointer to a function has only its type.
    if path.starts_with("fn(") {
        return String::new();
    }
    let mut depth = 0usize;
    let outside = |c: &char| {
        depth = (depth + usize::from(*c == '<')).saturating_sub(usize::from(*c == '>'));
        depth == 0 && *c != '>'
    };
    let path: String = path.chars().filter(outside).collect();
    let word = path.rsplit([':', ' ']).find(|p| !p.is_empty() && !p.starts_with('{')).unwrap_or_default();
    let mut name: String = word.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_numeric()) {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::program_name;

    #[test]
    fn programs_are_named_for_functions() {
        for (path, name) in [
            ("jit model::train_step", "train_step"),
            ("model::train::{{closure}}", "train"),
            ("<model::Net<f32> as model::Layer>::apply", "apply"),
            ("model::step<alloc::vec::Vec<f32>, (f32, f32)>", "step"),
            ("value and gradient", "gradient"),
            ("branch 0", "_0"),
            ("fn(model::Net) -> model::Net", ""),
            ("{{closure}}", ""),
        ] {
            assert_eq!(program_name(path), name, "{path}");
        }
    }
}
