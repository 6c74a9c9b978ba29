//! Re-evaluation: change a value, and recompute what depends on it and nothing else.

use crate::function::HostFunction;
use crate::host::HostNumber;
use crate::node::{Node, NodeId, ResultId};
use crate::provenance::{AGAIN, flipped, truth, unrecorded};
use crate::record::{ControlObserver, UNSHOWN};
use crate::row::{CONDITION, FOLLOWED, KeptValue, Kind, NONE, Ref, ResultRow};
use crate::tape::{Constant, Tape};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::mem::take;
use wengert_core::run::Device;
use wengert_core::{Error, ErrorKind, Op, Result, Tensor, Type};

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The nodes whose values changed, in order; those that were set are not among them.
    pub changed: Vec<NodeId>,
    /// The nodes that were computed again and came out the same: what depends on them alone was left alone.
    pub same: Vec<NodeId>,
    /// Values that the host read, and that are not what it saw. What it did with them is not on the tape.
    pub reads: Vec<NodeId>,
}

/// The changes that were made on a tape, and how far updates have followed them.
#[derive(Clone, Default)]
pub(crate) struct Edits {
    /// The nodes that were set and not yet followed.
    changed: BTreeSet<u32>,
    /// The nodes that an update changed before it stopped.
    pending: BTreeSet<u32>,
    /// The nodes that are to be computed once more whatever they depend on.
    again: BTreeSet<u32>,
    /// Where the last update stopped, if a run of the function can go on from there.
    stopped: Option<u32>,
    /// Results that keep the values they were set to. Of those from outside, what they were.
    fixed: BTreeMap<ResultId, Option<Tensor>>,
    /// For each read of a number, what the host saw; filled before the first change.
    saw: Option<BTreeMap<u32, Tensor>>,
    /// The reads whose values are not what the host saw.
    stale: BTreeSet<u32>,
    /// The calls that no longer have copies of their results.
    bare: BTreeSet<u32>,
    /// The calls that are known to have given no values of the host.
    without_host_values: BTreeSet<u32>,
}

/// The nodes that an update has still to look at, the earliest first.
#[derive(Default)]
struct UpdateQueue {
    heap: BinaryHeap<Reverse<u32>>,
    queued: FxHashSet<u32>,
}

impl UpdateQueue {
    fn push(&mut self, id: u32) {
        if self.queued.insert(id) {
            self.heap.push(Reverse(id));
        }
    }
}

impl Tape {
    /// Gives a result another value; [`Tape::update`] then recomputes what depends on it. Of a node with several, `(node, 1)`
    /// is the second.
    ///
    /// The node may be an argument, an array from outside, or anything computed, which keeps this value from then on,
    /// whatever becomes of what it was computed from; see [`Tape::unset`]. A file does not say that it was set. An array
    /// from outside that `jit` made a constant of its program is not changed there; bodies of loops and branches, and functions
    /// of other transforms, take it as it is here.
    pub fn set(&mut self, result: impl Into<ResultId>, value: Tensor) -> Result<()> {
        let id: ResultId = result.into();
        let r = self.settable(id, &value)?;
        let (old, place) = (self.value_of(r), self.node(id.node).place());
        let Some(old) = old else { return Err(no_value(self, NodeId(r.at)).at(place)) };
        self.remember_reads();
        let (source, same) = (self.node(r.at), old.same_bits(&value));
        if source.is_whole() {
            self.edits.fixed.insert(r.id(), None);
        } else if source.kind() != Kind::Argument {
            let was = self.edits.fixed.entry(r.id()).or_insert(Some(old));
            if was.as_ref().is_some_and(|was| was.same_bits(&value)) {
                self.edits.fixed.remove(&r.id());
            }
        }
        if !same {
            self.store(r, value);
            self.edits.changed.insert(r.at);
        }
        Ok(())
    }

    /// Takes back what was set: a result that is computed is so again at the next update, an array from outside is what it
    /// was. Arguments keep their values.
    pub fn unset(&mut self, result: impl Into<ResultId>) {
        let id: ResultId = result.into();
        let there = self.get(id.node).is_some_and(|n| id.out < n.result_count());
        let r = if there { self.resolve(id.reference()) } else { return };
        match self.edits.fixed.remove(&r.id()) {
            None => {}
            Some(None) => drop(self.edits.again.insert(r.at)),
            Some(Some(was)) => {
                self.store(r, was);
                self.edits.changed.insert(r.at);
            }
        }
    }

    /// Where a result comes from, if that can be given this value.
    fn settable(&self, id: ResultId, value: &Tensor) -> Result<Ref> {
        let Some(n) = self.get(id.node) else {
            return Err(Error::shape(format!("{} is not a node of this tape, which has {}", id.node, self.len())));
        };
        let Some(ty) = n.ty(id.out).cloned() else {
            return Err(Error::dtype(format!("{id} is not an array, and can't be set to one")).at(n.place()));
        };
        check_type(id, &ty, value).map_err(|e| e.at(n.place()))?;
        let r = self.resolve(id.reference());
        if r.is_constant() {
            return Err(Error::new(ErrorKind::Run, format!("{id} stands for a number in the program itself"))
                .at(n.place())
                .note("pass it to the recorded function as an array, and it is a node of its own"));
        }
        if self.keep_of(r).and_then(|k| self.type_of(k)) != Some(&ty) {
            return Err(misfit(NodeId(r.at)).at(n.place()));
        }
        let source = self.node(r.at);
        if source.kind() == Kind::Constant && source.host_type().is_some() && !source.function().is_empty() {
            let m = format!("{id} was drawn here, and nothing on the tape says what was done with it");
            return Err(Error::new(ErrorKind::Run, m).at(n.place()).note(
                "in a function with `#[track]`, set what the call of the generator gave; or run the function with \
                 `tape::Rng::replaying`",
            ));
        }
        if let Some(whole) = self.node(r.at).ancestors().find(|a| a.is_whole()) {
            let m = format!(
                "{id} is inside {}, which ran as a whole: it is computed again from what it was given",
                whole.id()
            );
            return Err(Error::new(ErrorKind::Run, m).at(n.place()));
        }
        Ok(r)
    }

    /// Keeps what the host saw where it read numbers, before any of them changes.
    fn remember_reads(&mut self) {
        if self.edits.saw.is_none() {
            let numbers = self.nodes().filter(|n| n.is_read() && n.condition().is_none());
            let saw = numbers.filter_map(|n| Some((n.id, self.value_of(self.refs_of(n.id)[0])?))).collect();
            self.edits.saw = Some(saw);
        }
    }

    /// Recomputes on a device what depends on the values that were set, in order, and stops where a value comes out as it
    /// was.
    ///
    /// # Errors
    /// If a decision of the host would go another way, or hangs on a number that changed: the error names the first. The
    /// values before it are up to date, those after it are as they were, and the change is not forgotten: the run can be
    /// made again from there ([`Tape::stopped`]). So too if something that may depend on the change was not recorded.
    /// Or if a node can't be computed again: its values were not kept, or (of a tape from a file) it does not fit what
    /// it uses. The ops that a tape holds are run: a loop without an end has none here either, and an index that is out of
    /// range, which an array function refuses, is what the op makes of it.
    pub fn update(&mut self, device: &dyn Device) -> Result<Changes> {
        let mut changes = Changes::default();
        let Edits { changed, pending, again, stopped, .. } = &mut self.edits;
        let (set, mut pending, again) = (take(changed), take(pending), take(again));
        *stopped = None;
        let mut queue = UpdateQueue::default();
        for &id in set.iter().chain(&pending) {
            self.enqueue(id, &mut queue);
        }
        again.iter().for_each(|&id| queue.push(id));
        let unknown = self.unknown_of(set.iter().chain(&pending).chain(&again).copied()).find(|&id| !self.is_fixed(id));
        unknown.into_iter().for_each(|id| queue.push(id));
        let mut touched: FxHashSet<u32> = set.iter().chain(&pending).copied().collect();
        while let Some(Reverse(id)) = queue.heap.pop() {
            match self.recompute(id, device, &touched, &mut changes) {
                Ok(true) => {
                    touched.extend([id, self.seen_outside(id)]);
                    self.enqueue(id, &mut queue);
                }
                Ok(false) => {}
                Err(e) => {
                    // Asked again, what depends on these is looked at again, however often.
                    pending.extend(changes.changed.iter().map(|n| n.0));
                    (self.edits.pending, self.edits.changed, self.edits.again) = (pending, set, again);
                    let n = Node { tape: self, id };
                    let lost = || self.refs_of(id).iter().any(|&r| self.value_of(r).is_none());
                    // What failed in the run was caught: what that did then, a run of the function finds out.
                    let is_built_in = || n.built_in().next().is_some();
                    let unknown = || n.is_unrecorded() || n.op().is_none() || n.unwound() || is_built_in() || lost();
                    self.edits.stopped = (e.kind() == ErrorKind::Flipped || unknown()).then_some(id);
                    return Err(e);
                }
            }
        }
        Ok(changes)
    }

    /// Where the last update stopped, if a run of the function can go on from there: a decision that would go another way,
    /// or something that was not recorded, or of which no value was kept.
    pub fn stopped(&self) -> Option<Node<'_>> {
        self.edits.stopped.map(|id| Node { tape: self, id })
    }

    /// Where the host read a number that is not what it saw then: what it did with it is not on the tape.
    pub fn stale_reads(&self) -> impl Iterator<Item = Node<'_>> {
        self.edits.stale.iter().map(|&id| Node { tape: self, id })
    }

    /// The nodes that were set, and that no update has followed yet.
    pub fn set_nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.edits.changed.iter().map(|&id| Node { tape: self, id })
    }

    /// The results that were set and keep their values: those that are computed otherwise, and arrays from outside that
    /// are not what they were. Arguments are none of them.
    pub fn fixed(&self) -> impl Iterator<Item = ResultId> {
        self.edits.fixed.keys().copied()
    }

    /// Whether a result has the value it was set to.
    pub(crate) fn is_fixed_at(&self, r: Ref) -> bool {
        !self.edits.fixed.is_empty() && self.edits.fixed.contains_key(&r.id())
    }

    /// Whether all results of a node have the values they were set to.
    fn is_fixed(&self, id: u32) -> bool {
        let count = self.row(id).results_len;
        count > 0 && (0..count).all(|out| self.is_fixed_at(Ref { at: id, out }))
    }

    /// Queues the nodes that refer to a node.
    fn enqueue(&self, id: u32, queue: &mut UpdateQueue) {
        let outside = self.seen_outside(id);
        for &d in self.dependents().of(id).iter().chain(self.dependents().of(outside)) {
            queue.push(d);
        }
    }

    /// The node that others refer to for what this one gives: of a return, the call.
    fn seen_outside(&self, id: u32) -> u32 {
        let row = self.row(id);
        if row.kind() == Kind::Return && row.parent != NONE { row.parent } else { id }
    }

    /// Whether what an argument is given may be another now; of a jump's, only if that of its own place is.
    fn is_given_another(&self, source: Ref, touched: &FxHashSet<u32>) -> bool {
        let is_jump = !source.is_constant() && self.row(source.at).kind() == Kind::Branch;
        let through = self.step(source).filter(|_| is_jump);
        through.is_none_or(|r| self.node_of(r).is_some_and(|at| touched.contains(&at)))
    }

    /// Brings one node up to date; whether what refers to it must be too.
    fn recompute(
        &mut self,
        id: u32,
        device: &dyn Device,
        touched: &FxHashSet<u32>,
        changes: &mut Changes,
    ) -> Result<bool> {
        let n = Node { tape: self, id };
        if self.is_fixed(id) {
            return Ok(false);
        }
        if n.is_unrecorded() || self.dependents().is_unknown(id) {
            return Err(unrecorded(n).note(AGAIN));
        }
        if n.is_read() {
            return self.read_again(id, changes);
        }
        match n.kind() {
            // A jump gives what it was given.
            Kind::Branch if n.result_count() == 0 => Ok(true),
            Kind::Branch if n.still_holds() => Ok(false),
            Kind::Branch if !self.host_values_of(id).any(|r| touched.contains(&r.at)) => Ok(false),
            Kind::Branch => {
                let now = match n.condition_now() {
                    Some(now) if n.condition().is_some_and(|was| was != now) => format!("is {now} now"),
                    _ => "depends on a value that changed".to_string(),
                };
                Err(flipped(format!("`{}` was {} here, and {now}", n.function(), n.outcome()), n.id(), n.place()))
            }
            Kind::Return => {
                self.forget_copies(id);
                self.follow_host_values(id, touched)?;
                Ok(true)
            }
            Kind::Argument if self.refs_of(id).iter().skip(1).any(|r| touched.contains(&r.at)) => {
                let m = format!("`{}` was made with a value of the host that changed ({})", n.function(), n.id());
                Err(Error::new(ErrorKind::Run, m).at(n.place()).note(AGAIN))
            }
            Kind::Argument => {
                // A copy of the value, if one was kept, is updated too.
                let source = self.refs_of(id).first().copied();
                let own = Ref { at: id, out: 0 };
                if source.is_some_and(|source| !self.is_given_another(source, touched)) {
                    return Ok(false);
                }
                let kept = self.keep_of(own).is_some_and(|k| {
                    matches!(
                        KeptValue::unpack(k.kept),
                        KeptValue::Value(_) | KeptValue::Number(_) | KeptValue::SmallNumber(_)
                    )
                });
                let Some(source) = source.filter(|_| kept) else { return Ok(true) };
                let Some(v) = self.value_of(source) else { return Err(no_value(self, n.id()).at(n.place())) };
                if n.ty(0) != Some(&v.ty()) {
                    return Err(misfit(n.id()).at(n.place()));
                }
                self.store(own, v);
                Ok(true)
            }
            _ if n.is_whole() && self.dependents().is_without_value(id) => Ok(false),
            _ if n.is_of_host()
                && n.label().function.is_none()
                && !self.host_values_of(id).any(|r| touched.contains(&r.at)) =>
            {
                Ok(false)
            }
            _ if n.is_whole() && n.built_in().any(|r| touched.contains(&r.at)) => {
                let m = format!(
                    "`{}` is in a function that was traced with a number that changed ({})",
                    n.function(),
                    n.id()
                );
                Err(Error::new(ErrorKind::Run, m).at(n.place()).note(AGAIN))
            }
            _ if n.is_whole() => self.run_again(id, device, changes),
            _ => Ok(false),
        }
    }

    /// Compares a read of the host with what it would read now; whether decisions that name this read depend on a change.
    fn read_again(&mut self, id: u32, changes: &mut Changes) -> Result<bool> {
        let n = Node { tape: self, id };
        let Some(now) = self.value_of(self.refs_of(id)[0]) else { return Err(no_value(self, n.id()).at(n.place())) };
        let saw = self.edits.saw.as_ref().and_then(|saw| saw.get(&id));
        match n.condition() {
            Some(was) if was != truth(&now) => {
                Err(flipped(format!("the host read {was} here, and now it would read {}", !was), n.id(), n.place()))
            }
            Some(_) => Ok(false),
            None if self.row(id).has(FOLLOWED)
                && let Some(ty) = n.host_type()
                && now.size() == 1
                && let Some(x) = HostNumber::of_scalar(ty, now.get(0)) =>
            {
                let differs = n.number(0) != Some(x);
                self.store(Ref { at: id, out: 0 }, x.tensor());
                if differs {
                    changes.changed.push(NodeId(id));
                }
                Ok(differs)
            }
            None if saw.is_some_and(|saw| saw.same_bits(&now)) => {
                self.edits.stale.remove(&id);
                Ok(false)
            }
            None if n.kind() == Kind::Branch => {
                let why = format!("`{}` was {} here, and is another now", n.function(), n.outcome());
                Err(flipped(why, n.id(), n.place()))
            }
            None => {
                changes.reads.push(n.id());
                self.edits.stale.insert(id);
                Ok(true)
            }
        }
    }

    fn run_again(&mut self, id: u32, device: &dyn Device, changes: &mut Changes) -> Result<bool> {
        let n = Node { tape: self, id };
        if let Some(f) = n.label().function {
            return self.apply_again(id, f, changes);
        }
        let op = n.known_op()?.into_owned();
        let place = n.place();
        let inputs = self.refs_of(id).iter().map(|&r| self.value_of(r)).collect::<Option<Vec<Tensor>>>();
        let Some(inputs) = inputs else { return Err(no_value(self, NodeId(id)).at(place)) };
        n.takes(&op, &inputs).map_err(|e| e.at(place.clone()))?;
        let (outputs, metadata) = ControlObserver::run(device, &op, inputs).map_err(|e| e.at(place.clone()))?;
        let numbers: Option<SmallVec<[HostNumber; 2]>> = self.refs_of(id).iter().map(|&r| self.number_at(r)).collect();
        let gave = |ty| HostNumber::of_scalar(ty, outputs.first().filter(|y| y.size() == 1)?.get(0));
        if let (Some(numbers), Some(y)) = (numbers, n.host_type().and_then(gave))
            && HostNumber::overflows(&op, &numbers, y)
        {
            let of = numbers.iter().map(HostNumber::to_string).collect::<Vec<_>>().join(" and ");
            let m = format!("`{}` of {of} overflows here ({})", n.function(), n.id());
            return Err(Error::new(ErrorKind::Run, m).at(place));
        }
        if let Some((key, value)) = metadata
            && let Some(old) = self.metadata.get_mut(&(id, key.into()))
        {
            *old = value;
        }
        let mut differs = false;
        for (out, y) in outputs.into_iter().enumerate() {
            let r = Ref { at: id, out: out as u32 };
            if !self.is_fixed_at(r) && !self.value_of(r).is_some_and(|old| old.same_bits(&y)) {
                differs = true;
                self.store(r, y);
            }
        }
        if differs {
            self.forget_inside(id);
            changes.changed.push(NodeId(id));
        } else {
            changes.same.push(NodeId(id));
        }
        Ok(differs)
    }

    /// Computes a function of the host again.
    fn apply_again(&mut self, id: u32, f: HostFunction, changes: &mut Changes) -> Result<bool> {
        let n = Node { tape: self, id };
        let numbers: Option<SmallVec<[HostNumber; 3]>> = self.refs_of(id).iter().map(|&r| self.number_at(r)).collect();
        let Some(numbers) = numbers else { return Err(no_value(self, n.id()).at(n.place())) };
        let Some(y) = n.host_type().and_then(|ty| f.apply(&numbers, ty)) else {
            let of = numbers.iter().map(HostNumber::to_string).collect::<Vec<_>>().join(", ");
            let m = format!("`{}` gives no number for {of} here ({})", n.function(), n.id());
            return Err(Error::new(ErrorKind::Run, m).at(n.place()));
        };
        let differs = n.number(0) != Some(y);
        if differs {
            self.store(Ref { at: id, out: 0 }, y.tensor());
            changes.changed.push(NodeId(id));
        } else {
            changes.same.push(NodeId(id));
        }
        Ok(differs)
    }

    /// Drops the copies of its results that a call has: they are the values to which its return refers.
    fn forget_copies(&mut self, id: u32) {
        let call = self.row(id).parent;
        if call == NONE || self.row(call).returns() != Some(id) || !self.edits.bare.insert(call) {
            return;
        }
        let copied = |k: &ResultRow| matches!(KeptValue::unpack(k.kept), KeptValue::Value(_) | KeptValue::Summary(_));
        if self.results_of(call).iter().any(copied) {
            let (from, count) = (self.row(call).results as usize, self.row(call).results_len as usize);
            let results = &mut self.results.to_mut()[from..from + count];
            results.iter_mut().filter(|k| copied(k)).for_each(|k| k.kept = KeptValue::Nothing.pack());
        }
    }

    /// Numbers of the host that a call gave become those to which its return refers now. Where the caller's code is not tracked,
    /// what it did with them is not known.
    fn follow_host_values(&mut self, id: u32, touched: &FxHashSet<u32>) -> Result<()> {
        let call = self.row(id).parent;
        if call == NONE || self.row(call).returns() != Some(id) || self.edits.without_host_values.contains(&call) {
            return Ok(());
        }
        let n = Node { tape: self, id: call };
        let number =
            |k: &ResultRow| matches!(KeptValue::unpack(k.kept), KeptValue::Number(_) | KeptValue::SmallNumber(_));
        let outs: Vec<u32> = (0..).zip(self.results_of(call)).filter(|(_, k)| number(k)).map(|(out, _)| out).collect();
        if outs.is_empty() && self.host_values_of(id).next().is_none() {
            self.edits.without_host_values.insert(call);
            return Ok(());
        }
        let refs = self.refs_of(id);
        let given = |out: u32| {
            let r = refs.get(out as usize).filter(|_| refs.len() == self.row(call).results_len as usize)?;
            let now = self.value_of(*r).filter(|t| t.size() == 1)?;
            HostNumber::of_scalar(n.host_type()?, now.get(0))
        };
        let now: Option<Vec<(u32, HostNumber)>> = outs.iter().map(|&out| Some((out, given(out)?))).collect();
        let Some(now) = now else {
            let m = format!("`{}` gave a number that may be made of one that changed ({})", n.function(), n.id());
            return Err(Error::new(ErrorKind::Run, m).at(n.place()).note(AGAIN));
        };
        let differs = match &now[..] {
            [] => self.host_values_of(id).any(|r| touched.contains(&r.at)),
            now => now.iter().any(|&(out, x)| n.number(out as usize) != Some(x)),
        };
        if differs && !n.is_followed_call() {
            let m = format!("`{}` gave a value that is another now to code that is not tracked:", n.function());
            return Err(flipped(format!("{m} what that did with it is not on the tape"), n.id(), n.place()));
        }
        if differs {
            self.forget_text(call);
        }
        for (out, x) in now {
            self.store(Ref { at: call, out }, x.tensor());
        }
        Ok(())
    }

    /// Drops the text that a call gave: it shows values that are others now.
    fn forget_text(&mut self, call: u32) {
        let (from, count) = (self.row(call).results as usize, self.row(call).results_len as usize);
        for at in from..from + count {
            let KeptValue::Constant(i) = KeptValue::unpack(self.results[at].kept) else { continue };
            let unshown = match &self.constants[i as usize] {
                Constant::Text(_) => Constant::Text(UNSHOWN.into()),
                Constant::Shown(_, ty) => Constant::Shown(UNSHOWN.into(), ty.clone()),
                _ => continue,
            };
            let known = self.constants.iter().position(|c| *c == unshown);
            let i = known.unwrap_or_else(|| {
                self.constants.push(unshown);
                self.constants.len() - 1
            });
            self.results.to_mut()[at].kept = KeptValue::Constant(i as u32).pack();
        }
    }

    /// Drops the values inside a call that was computed again as a whole: they are those of the old run.
    fn forget_inside(&mut self, id: u32) {
        if !(Node { tape: self, id }).has_children() || !self.row(id).has_own_children() {
            return;
        }
        let inside: Vec<u32> = (Node { tape: self, id }).descendants().map(|n| n.id).collect();
        for i in inside {
            let row = *self.row(i);
            for k in &mut self.results.to_mut()[row.results as usize..(row.results + row.results_len) as usize] {
                k.kept = KeptValue::Nothing.pack();
            }
        }
    }

    /// Keeps another value of a result.
    fn store(&mut self, r: Ref, value: Tensor) {
        let at = (self.row(r.at).results + r.out) as usize;
        match KeptValue::unpack(self.results[at].kept) {
            KeptValue::Value(i) => self.values.set(i as usize, value),
            KeptValue::Number(i) => self.numbers.to_mut()[i as usize] = value.get(0).bits() as u64,
            KeptValue::SmallNumber(_) => {
                let bits = value.get(0).bits() as u64;
                let kept = KeptValue::small(bits).unwrap_or_else(|| {
                    self.numbers.room(1).push(bits);
                    KeptValue::Number(self.numbers.len() as u32 - 1)
                });
                self.results.to_mut()[at].kept = kept.pack();
            }
            _ => {
                let i = self.values.push(value) as u32;
                self.results.to_mut()[at].kept = KeptValue::Value(i).pack();
            }
        }
    }
}

impl Node<'_> {
    /// Whether a decision by the value of one node comes out as it did.
    fn still_holds(self) -> bool {
        self.condition().is_some() && self.condition() == self.condition_now()
    }

    /// What the node is now that a decision is by, if it is by one.
    fn condition_now(self) -> Option<bool> {
        let row = self.tape.row(self.id);
        let is_by_one = row.has(CONDITION) && row.results_len == 1;
        let by = self.tape.refs_of(self.id).first().filter(|_| is_by_one)?;
        self.tape.value_of(*by).map(|t| truth(&t))
    }

    /// How a decision came out, or what was read.
    fn outcome(self) -> String {
        match (self.text(0).or(self.text(1)), self.number(0)) {
            (Some(text), _) => text.to_string(),
            (None, Some(x)) => x.to_string(),
            (None, None) => "?".to_string(),
        }
    }

    /// Whether its op takes these operands, gives results as they were recorded, and finds memory for them: a file may
    /// say anything.
    fn takes(self, op: &Op, x: &[Tensor]) -> Result<()> {
        let types: Vec<Type> = x.iter().map(Tensor::ty).collect();
        let results = op.result_types(&types).map_err(|e| e.within(misfit(self.id()).message()))?;
        if !results.iter().map(Some).eq((0..self.result_count()).map(|i| self.ty(i))) {
            return Err(misfit(self.id()));
        }
        let bytes = types.iter().chain(&results).filter_map(Type::bytes).fold(0, usize::saturating_add);
        if bytes > LARGE && Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
            return Err(Error::new(ErrorKind::Run, format!("{} needs {bytes} bytes, which are not there", self.id())));
        }
        Ok(())
    }
}

/// The system is asked for so many bytes before an op runs that needs them.
const LARGE: usize = 1 << 28;

fn misfit(id: NodeId) -> Error {
    Error::new(ErrorKind::Run, format!("{id} does not fit what it uses"))
}

fn check_type(id: ResultId, ty: &Type, value: &Tensor) -> Result<()> {
    if value.ty() == *ty {
        return Ok(());
    }
    Err(Error::shape(format!("{id} has type {ty}, and can't be set to a value of type {}", value.ty())))
}

fn no_value(tape: &Tape, id: NodeId) -> Error {
    let own = (0..tape.row(id.0).results_len).map(|out| Ref { at: id.0, out });
    if let Some(damage) = tape.refs_of(id.0).iter().copied().chain(own).find_map(|r| tape.read_of(r).err()) {
        return damage;
    }
    let note = match tape.limited {
        None => "record with `Recorder::new().capture(Capture::Values)`".to_string(),
        Some(first) => {
            format!("the memory limit of the recorder cut values to summaries from {} on", NodeId(first))
        }
    };
    Error::new(ErrorKind::Run, format!("the value that {id} needs was not kept")).note(note)
}
