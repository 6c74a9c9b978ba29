//! The values of a recorded run: as they were kept, or run again where they were not.

use super::outcomes::{Moved, decided, moved};
use crate::patience::with_patience;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert::tape::{Argument, NodeRef, ResultId, StraightProgram, Tape};
use wengert_core::run::Device;
use wengert_core::{Error, ErrorKind, Result, Tensor, Type, counted};

/// What a run has for the results of its nodes.
pub(super) struct RunValues<'t> {
    tape: &'t Tape,
    /// What the run is given instead of what it was given then: all of it is run again.
    given: Option<FxHashMap<ResultId, Tensor>>,
    /// The values that were found by running.
    found: FxHashMap<ResultId, Option<Tensor>>,
    /// How many programs were run.
    pub(super) runs: usize,
    /// Why the first value that could not be found was not.
    pub(super) unknown: Option<Error>,
}

impl<'t> RunValues<'t> {
    pub(super) fn new(tape: &'t Tape) -> RunValues<'t> {
        RunValues { tape, given: None, found: FxHashMap::default(), runs: 0, unknown: None }
    }

    /// The run on other inputs, in the order of those of [`Tape::to_program`].
    pub(super) fn on(tape: &'t Tape, inputs: &[Tensor]) -> Result<RunValues<'t>> {
        let straight = tape.to_program()?;
        let (wanted, given) = (straight.program().input_types(), inputs.iter().map(Tensor::ty).collect::<Vec<Type>>());
        if wanted != given {
            let list = |t: &[Type]| t.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            let takes = format!("the run takes {}: {}", counted(wanted.len(), "input"), list(&wanted));
            return Err(Error::shape(format!("{takes}; and it is given {}", list(&given))));
        }
        let given = straight.inputs().iter().map(|&(n, out)| (n, out).into()).zip(inputs.iter().cloned()).collect();
        Ok(RunValues { given: Some(given), ..RunValues::new(tape) })
    }

    /// Whether a value is known without running anything.
    pub(super) fn is_kept(&self, r: NodeRef<'_>) -> bool {
        self.given.is_none() && (r.node.has_summary(r.out) || r.node.number(r.out).is_some())
    }

    /// The value of a result, if it was kept.
    ///
    /// # Errors
    /// If it is damaged.
    pub(super) fn kept(&self, r: NodeRef<'_>) -> Result<Option<Tensor>> {
        if self.given.is_some() {
            return Ok(None);
        }
        match r.node.number(r.out) {
            Some(x) => Ok(Some(x.tensor())),
            None => r.node.read(r.out),
        }
    }

    /// The value of a result: as it was kept, or run again; none where neither is possible.
    ///
    /// # Errors
    /// If it is damaged.
    pub(super) fn value(&mut self, r: NodeRef<'_>) -> Result<Option<Tensor>> {
        if let Some(x) = self.kept(r)? {
            return Ok(Some(x));
        }
        let id = ResultId::from(r);
        if let Some(found) = self.found.get(&id) {
            return Ok(found.clone());
        }
        let found = match self.run(id) {
            Ok(x) => Some(x),
            Err(e) => {
                self.unknown.get_or_insert(e);
                None
            }
        };
        self.found.insert(id, found.clone());
        Ok(found)
    }

    /// Runs what leads to a result, op by op as it was recorded: the same bits come out.
    fn run(&mut self, id: ResultId) -> Result<Tensor> {
        let straight = self.tape.program_of(&[id])?;
        let x = self.given(&straight)?;
        self.runs += 1;
        let program = Arc::new(straight.program());
        let found = wengert::device("cpu")?.compile_as_written(program)?.run_on_host(x)?;
        found.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Run, format!("{id} is no array")))
    }

    /// What a program of the run is given.
    fn given(&self, straight: &StraightProgram) -> Result<Vec<Tensor>> {
        let mut x = Vec::new();
        for &(node, out) in straight.inputs() {
            let value = match &self.given {
                Some(given) => given.get(&(node, out).into()).cloned(),
                None => self.tape.node(node).read(out)?,
            };
            x.push(value.ok_or_else(|| {
                let m = format!("what {node} was is not known: the tape did not keep it");
                Error::new(ErrorKind::Run, m).note("record with `Capture::Values`, or give the inputs again")
            })?);
        }
        Ok(x)
    }

    /// What may become of these results where the run is rounded otherwise ([`moved`]), or starts from what the other run has, as far as that
    /// counts as the same; none of a result of which that can't be found.
    pub(super) fn moved(&self, wanted: &[ResultId], there: &dyn Fn(ResultId) -> Option<Tensor>) -> Vec<Option<Moved>> {
        let all = |wanted: &[ResultId]| -> Result<Option<Vec<Moved>>> {
            let straight = self.tape.program_of(wanted)?;
            let (program, x) = (straight.program(), self.given(&straight)?);
            let others = straight.inputs().iter().zip(&x).map(|(&id, x)| there(id.into()).unwrap_or_else(|| x.clone()));
            let (run, starts) = (program.clone(), [x.clone(), others.collect()]);
            // What the run has may be wrong.
            let right = with_patience(move || starts.map(|x| decided(&run, x).ok()));
            let Some([Some(y), Some(other)]) = right else { return Ok(None) };
            Ok(if y.results.len() == wanted.len() { moved(&program, &x, &y, Some(other)) } else { None })
        };
        match all(wanted) {
            Ok(found) => found.map_or(vec![None; wanted.len()], |f| f.into_iter().map(Some).collect()),
            // One of them is no part of a program.
            Err(_) if wanted.len() > 1 => wanted.iter().flat_map(|&id| self.moved(&[id], there)).collect(),
            Err(_) => vec![None],
        }
    }

    /// What may become of what an op gave where that op alone is rounded otherwise.
    pub(super) fn moved_alone(&self, r: NodeRef<'_>) -> Option<Moved> {
        let operand = |x: Argument<'_>| match x {
            Argument::Node(x) => Some(ResultId::from(x)),
            Argument::Constant(_) => None,
        };
        let mut operands: Vec<ResultId> = r.node.arguments().filter_map(operand).collect();
        operands.sort_unstable();
        operands.dedup();
        let straight = self.tape.slice(&operands, &[ResultId::from(r)]).ok()?;
        let (program, x) = (straight.program(), self.given(&straight).ok()?);
        let (run, start) = (program.clone(), x.clone());
        let y = with_patience(move || decided(&run, start).ok())??;
        moved(&program, &x, &y, None)?.pop()
    }
}
