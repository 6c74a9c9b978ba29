//! Code of the user's that no tape has: what it gave is there, for what it was given.

use super::{Scope, is_return, last_segment};
use crate::maker::Maker;
use crate::tree::{CallTree, Does, FunctionId, RecordedCall, RecordedOp, Step, Transform, VariableId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use wengert_core::bytes::to_bytes;
use wengert_core::ops::Custom;
use wengert_core::{Error, ErrorKind, Op, Result, Tensor, Type};
use wengert_tape::api::{GIVEN, KERNEL};
use wengert_tape::{Kind, Node, NodeId, Tape};

/// The function of a `pure_callback`, which has no derivative.
const CALLBACK: &str = "wengert.callback";

/// What ops of the user's gave, by the op as text.
#[derive(Clone, Default)]
pub(crate) struct Kernels {
    calls: FxHashMap<String, Vec<RecordedCall>>,
    /// Whether each call of such an op is known: one without any was never called.
    are_all: bool,
}

impl Kernels {
    /// Those of a tape.
    pub(super) fn of_tape(tape: &Tape) -> Result<Kernels> {
        let mut calls: FxHashMap<String, Vec<RecordedCall>> = FxHashMap::default();
        let mut are_all = keeps_values(tape);
        for n in tape.nodes() {
            let Some(text) = n.meta(KERNEL) else { continue };
            match call(n)? {
                Some(call) => calls.entry(text).or_default().push(call),
                // It was too large.
                None => are_all = false,
            }
        }
        Ok(Kernels { calls, are_all })
    }

    /// The last node of what code of the user's did while a staged function ran, which comes before what the function does.
    pub(super) fn end_in(&self, call: Node<'_>) -> Option<NodeId> {
        if self.calls.is_empty() {
            return None;
        }
        call.children().filter(|n| n.kind() == Kind::Special && n.meta(KERNEL).is_some()).map(|n| n.id()).last()
    }

    /// The op with what it gave for operands of these types; with nothing, where a branch that holds it was never taken.
    fn recorded(&self, text: &str, types: [&[Type]; 2]) -> Option<Does> {
        let calls = self.calls.get(text).map(Vec::as_slice).or(self.are_all.then_some(&[]));
        calls.map(|calls| recorded(text, calls, types))
    }

    /// What an equation of a program does, if it is code of the user's of which all that it did is known.
    pub(crate) fn of_op(&self, op: &Custom, types: [&[Type]; 2]) -> Option<Does> {
        if is_program(op, types[0]) { None } else { self.recorded(&op.text(), types) }
    }
}

/// Whether an op of the user's is a program of others, or one that prints.
fn is_program(op: &Custom, given: &[Type]) -> bool {
    op.printed_text().is_some() || op.get().decompose(given).is_some()
}

/// Whether a tape has values, and so what code of the user's gave.
fn keeps_values(tape: &Tape) -> bool {
    tape.nodes().any(|n| (0..n.result_count()).any(|i| n.ty(i).is_some() && n.has_value(i)))
}

/// The call that a node has recorded, if its values were kept.
fn call(n: Node<'_>) -> Result<Option<RecordedCall>> {
    let Some(count) = n.meta(GIVEN).and_then(|g| usize::try_from(g).ok()) else { return Ok(None) };
    let all = (0..n.result_count()).map(|i| n.read(i)).collect::<Result<Option<Vec<Tensor>>>>()?;
    Ok(all.filter(|all| count <= all.len()).map(|mut given| {
        let gave = given.split_off(count);
        RecordedCall { given, gave }
    }))
}

/// The op with those calls that fit these types. What ran for a batch at once is a call for each of its examples.
fn recorded(text: &str, calls: &[RecordedCall], types: [&[Type]; 2]) -> Does {
    let mut all: Vec<RecordedCall> = Vec::new();
    let fits = |x: &[Tensor], types: &[Type]| x.iter().map(Tensor::ty).eq(types.iter().cloned());
    let same = |x: &[Tensor], y: &[Tensor]| x.iter().zip(y).all(|(x, y)| x.same_bits(y));
    // Where in the list calls are, by a hash of what they were given.
    let mut found: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for each in calls.iter().flat_map(|call| examples(call, types)) {
        if !fits(&each.given, types[0]) || !fits(&each.gave, types[1]) {
            continue;
        }
        let like = found.entry(hash(&each.given)).or_default();
        if !like.iter().any(|&i| same(&all[i].given, &each.given)) {
            like.push(all.len());
            all.push(each);
        }
    }
    let name = text.split('[').next().unwrap_or(text).to_string();
    Does::Recorded(Arc::new(RecordedOp { name, calls: all }))
}

fn hash(arrays: &[Tensor]) -> u64 {
    let mut hash = FxHasher::default();
    arrays.iter().for_each(|t| to_bytes(t).hash(&mut hash));
    hash.finish()
}

/// A call of one example as it is, or of a batch, which is the first axis of what it gave and of some that it was given, as its
/// examples.
fn examples(call: &RecordedCall, types: [&[Type]; 2]) -> Vec<RecordedCall> {
    let is_batch = |t: &Tensor, of: &Type| t.shape().len() == of.rank() + 1 && t.shape()[1..] == of.shape[..];
    let size = match (call.gave.first(), types[1].first()) {
        (Some(t), Some(of)) if is_batch(t, of) => t.shape()[0],
        _ => return vec![call.clone()],
    };
    let example = |x: &[Tensor], types: &[Type], i: usize| {
        let one = |(t, of): (&Tensor, &Type)| match is_batch(t, of) && t.shape()[0] == size {
            true => Tensor::from_bits(of, |k| t.get(i * of.shape.size() + k).bits()),
            false => t.clone(),
        };
        x.iter().zip(types).map(one).collect()
    };
    (0..size)
        .map(|i| RecordedCall { given: example(&call.given, types[0], i), gave: example(&call.gave, types[1], i) })
        .collect()
}

impl<'t> Scope<'t> {
    /// What a node did that ran code of the user's: what that gave here, or, of a function that was traced, wherever it ran.
    pub(super) fn kernel(&self, made: &Maker, n: Node<'t>) -> Result<Option<Does>> {
        let Some(text) = n.user_op().filter(|_| !n.children().any(is_return)) else { return Ok(None) };
        let types = |all: &mut dyn Iterator<Item = Option<Type>>| all.flatten().collect::<Vec<_>>();
        let given = types(&mut self.arrays(n).iter().map(|v| self.type_of(v)));
        let gave = types(&mut (0..n.result_count()).map(|i| n.ty(i).cloned()));
        let types = [&given[..], &gave[..]];
        let mut own = Vec::new();
        for k in n.children().filter(|k| k.meta(KERNEL).as_ref() == Some(&text)) {
            own.extend(call(k)?);
        }
        let is_program = matches!(n.op(), Some(Op::Custom(op)) if is_program(op, types[0]));
        Ok(match own.is_empty() || n.is_abstract() {
            _ if is_program => None,
            // What ran and left nothing failed.
            true if !n.is_abstract() && !made.kernels.calls.contains_key(&text) => None,
            true => made.kernels.recorded(&text, types),
            false => Some(recorded(&text, &own, types)),
        })
    }
}

impl<'t> Scope<'t> {
    /// A function of the user's that was not recorded inside, such as one with `#[track(boundary)]`: what it gave for the arrays it was
    /// given, if the values were kept.
    pub(super) fn not_recorded_inside(&self, n: Node<'t>) -> Result<Option<Does>> {
        let is_such = n.module().is_some() && n.op().is_none() && !n.has_children() && !n.unwound();
        if !is_such || n.is_abstract() || n.result_count() == 0 {
            return Ok(None);
        }
        let given = self.given(n).iter().map(|v| self.value_of(v)).collect::<Result<Option<Vec<Tensor>>>>()?;
        let outs = (0..n.result_count()).filter(|&i| n.ty(i).is_some());
        let gave = outs.map(|i| n.read(i)).collect::<Result<Option<Vec<Tensor>>>>()?;
        let name = last_segment(n.function()).to_string();
        let calls = given.zip(gave).map(|(given, gave)| vec![RecordedCall { given, gave }]);
        Ok(calls
            .filter(|calls| !calls[0].gave.is_empty())
            .map(|calls| Does::Recorded(Arc::new(RecordedOp { name, calls }))))
    }
}

/// Steps without those whose results nothing uses and that are made of what code of the user's was never asked for: a derivative may
/// need no value of the function.
pub(super) fn without_uncalled(mut steps: Vec<Step>, results: &[VariableId]) -> Vec<Step> {
    let is_uncalled = |does: &Does| matches!(does, Does::Recorded(op) if op.calls.is_empty());
    let mut unknown: FxHashSet<VariableId> = FxHashSet::default();
    for step in &steps {
        if is_uncalled(&step.does) || step.operands.iter().any(|v| unknown.contains(v)) {
            unknown.extend(&step.results);
        }
    }
    let mut used: FxHashSet<VariableId> = results.iter().copied().collect();
    let mut stays: Vec<bool> = vec![true; steps.len()];
    for (step, stays) in steps.iter().zip(&mut stays).rev() {
        *stays = step.results.is_empty() || step.results.iter().any(|v| used.contains(v) || !unknown.contains(v));
        if *stays {
            used.extend(&step.operands);
        }
    }
    let mut stays = stays.into_iter();
    steps.retain(|_| stays.next().unwrap_or(true));
    steps
}

impl CallTree {
    /// An error if a derivative is taken of code of the user's that has a rule for it, which no tape has either.
    pub(super) fn check_kernels(&self) -> Result<()> {
        for step in self.functions.iter().flat_map(|f| &f.steps) {
            if let Does::Transform { by, function, .. } = &step.does {
                self.check_has_derivative(by, *function)?;
            }
        }
        Ok(())
    }

    /// The same, of one transform of a function.
    pub(super) fn check_has_derivative(&self, by: &Transform, function: FunctionId) -> Result<()> {
        match by {
            Transform::Jit | Transform::Vmap { .. } => Ok(()),
            _ => self.check_inside(function, &mut FxHashSet::default()),
        }
    }

    fn check_inside(&self, id: FunctionId, seen: &mut FxHashSet<FunctionId>) -> Result<()> {
        if !seen.insert(id) {
            return Ok(());
        }
        for step in &self.functions[id].steps {
            match &step.does {
                Does::Recorded(op) if op.name != CALLBACK => {
                    let m = format!(
                        "`{}` is code of the user's, and so is its derivative: of a tape it has what it gave alone",
                        op.name
                    );
                    let way = "what to do: give the op a decomposition, or put `custom_jvp` around it, whose rule is a program";
                    return Err(Error::new(ErrorKind::Unsupported, m).at(step.place.clone()).note(way));
                }
                // Its rule is what is differentiated.
                Does::Primitive(Op::CustomJvp(_) | Op::CustomVjp(_), _) => {}
                does => does.functions().into_iter().try_for_each(|id| self.check_inside(id, seen))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};
    use wengert_core::DType;

    #[test]
    fn calls_that_were_given_the_same_are_found_by_their_content() {
        let ty = Type::scalar(DType::I64);
        let one = |i: i64| RecordedCall { given: vec![Tensor::scalar(i)], gave: vec![Tensor::scalar(-i)] };
        let calls: Vec<RecordedCall> = (0..200_000).map(|i| one(i / 2)).collect();
        let start = Instant::now();
        let does = recorded("f", &calls, [std::slice::from_ref(&ty); 2]);
        let Does::Recorded(op) = does else { panic!("{does:?}") };
        assert_eq!(op.calls.len(), 100_000);
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
