//! Re-evaluation: change a value, and recompute what depends on it and nothing else.

use crate::node::{Node, NodeId};
use crate::program::{flipped, same_bits, truth};
use crate::record::Taken;
use crate::row::{Keep, Kind, Ref};
use crate::tape::Tape;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wengert_core::{Error, ErrorKind, Op, Result, Tensor, Type};

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The nodes whose values changed, in order; those that were set are not among them.
    pub changed: Vec<NodeId>,
    /// The nodes that were computed again and came out the same: what depends on them alone was left alone.
    pub same: Vec<NodeId>,
    /// Values that the host read as numbers, and that are different now. What it did with them is not on the tape.
    pub reads: Vec<NodeId>,
}

impl Tape {
    /// Gives the first result of a node another value; [`Tape::update`] then recomputes what depends on it.
    ///
    /// The node may be an argument, an array from outside, or anything computed, which then keeps this value.
    pub fn set(&mut self, node: impl Into<NodeId>, value: Tensor) -> Result<()> {
        let id: NodeId = node.into();
        let Some(n) = self.get(id) else {
            return Err(Error::shape(format!("{id} is not a node of this tape, which has {}", self.len())));
        };
        let Some(ty) = n.ty(0).cloned() else {
            return Err(Error::dtype(format!("{id} is not an array, and can't be set to one")).at(n.place()));
        };
        check_type(id, &ty, &value).map_err(|e| e.at(n.place()))?;
        let r = self.resolve(Ref { at: id.0, out: 0 });
        if r.is_constant() {
            return Err(Error::new(ErrorKind::Run, format!("{id} stands for a number in the program itself"))
                .at(n.place())
                .note("pass it to the recorded function as an array, and it is a node of its own"));
        }
        if self.keep_of(r).and_then(|k| self.type_of(k)) != Some(&ty) {
            return Err(misfit(NodeId(r.at)).at(n.place()));
        }
        if self.value_of(r).is_none() {
            return Err(no_value(self, NodeId(r.at)).at(n.place()));
        }
        if self.value_of(r).is_some_and(|old| same_bits(&old, &value)) {
            return Ok(());
        }
        self.store(r, value);
        self.changed.insert(r.at);
        Ok(())
    }

    /// Recomputes what depends on the values that were set, in order, and stops where a value comes out as it was.
    ///
    /// # Errors
    /// If a decision of the host would go another way: the error names the first. The values before it are up to date,
    /// those after it are as they were, and the change is not forgotten: the run can be made again from there.
    /// Or if a node can't be computed again: its values were not kept, or (of a tape from a file) it does not fit what
    /// it uses. The ops that a tape holds are run: a loop without an end has none here either.
    pub fn update(&mut self) -> Result<Changes> {
        let mut changes = Changes::default();
        self.flipped = None;
        let mut heap: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let mut queued: FxHashSet<u32> = FxHashSet::default();
        let set = std::mem::take(&mut self.changed);
        let mut pending = std::mem::take(&mut self.pending);
        self.dependents();
        for &id in set.iter().chain(&pending) {
            self.enqueue(id, &mut heap, &mut queued);
        }
        while let Some(Reverse(id)) = heap.pop() {
            if set.contains(&id) {
                continue;
            }
            match self.recompute(id, &mut changes) {
                Ok(true) => self.enqueue(id, &mut heap, &mut queued),
                Ok(false) => {}
                Err(e) => {
                    // Asked again, what depends on these is looked at again, however often.
                    pending.extend(changes.changed.iter().map(|n| n.0));
                    self.pending = pending;
                    self.changed = set;
                    self.flipped = (e.kind() == ErrorKind::Flipped).then_some(id);
                    return Err(e);
                }
            }
        }
        Ok(changes)
    }

    /// The decision at which the last update stopped, because it would go another way.
    pub fn flipped(&self) -> Option<Node<'_>> {
        self.flipped.map(|id| Node { tape: self, id })
    }

    /// Where the host read a number that updates have changed since: what it did with it then is not on the tape.
    pub fn stale_reads(&self) -> impl Iterator<Item = Node<'_>> {
        self.stale.iter().map(|&id| Node { tape: self, id })
    }

    /// The nodes that were set, and that no update has followed yet.
    pub fn set_nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.changed.iter().map(|&id| Node { tape: self, id })
    }

    /// Puts what refers to a node in line.
    fn enqueue(&self, id: u32, heap: &mut BinaryHeap<Reverse<u32>>, queued: &mut FxHashSet<u32>) {
        let row = self.row(id);
        let outside = if row.kind() == Kind::Return { row.parent } else { id };
        for &d in self.dependents().of(id).iter().chain(self.dependents().of(outside)) {
            if queued.insert(d) {
                heap.push(Reverse(d));
            }
        }
    }

    /// Brings one node up to date; whether what refers to it must be too.
    fn recompute(&mut self, id: u32, changes: &mut Changes) -> Result<bool> {
        let n = Node { tape: self, id };
        if n.is_read() {
            return self.read_again(id, changes).map(|()| false);
        }
        match n.kind() {
            Kind::Branch => Err(flipped(
                format!(
                    "`{}` was {} here, and depends on a value that changed",
                    n.function(),
                    n.text(0).unwrap_or("?")
                ),
                n.id(),
                n.place(),
            )),
            Kind::Argument | Kind::Return => {
                // Where a copy of the value was kept, it follows.
                let source = self.refs_of(id).first().copied();
                let own = Ref { at: id, out: 0 };
                let kept = self.keep_of(own).is_some_and(|k| matches!(Keep::unpack(k.kept), Keep::Value(_)));
                if let Some(v) = source.filter(|_| kept).and_then(|r| self.value_of(r)) {
                    if n.ty(0) != Some(&v.ty()) {
                        return Err(misfit(n.id()).at(n.place()));
                    }
                    self.store(own, v);
                }
                Ok(true)
            }
            _ if n.is_whole() => self.run_again(id, changes),
            _ => Ok(false),
        }
    }

    fn read_again(&mut self, id: u32, changes: &mut Changes) -> Result<()> {
        let n = Node { tape: self, id };
        let Some(now) = self.value_of(self.refs_of(id)[0]) else { return Err(no_value(self, n.id()).at(n.place())) };
        match n.condition() {
            Some(was) if was != truth(&now) => {
                Err(flipped(format!("the host read {was} here, and now it would read {}", !was), n.id(), n.place()))
            }
            Some(_) => Ok(()),
            None => {
                changes.reads.push(n.id());
                self.stale.insert(id);
                Ok(())
            }
        }
    }

    fn run_again(&mut self, id: u32, changes: &mut Changes) -> Result<bool> {
        let n = Node { tape: self, id };
        let Some(op) = n.op().cloned() else {
            let m = format!("{} ran `{}`, and a tape knows only its name", n.id(), n.function());
            return Err(Error::new(ErrorKind::Run, m).at(n.place()));
        };
        let place = n.place();
        let inputs = self.refs_of(id).iter().map(|&r| self.value_of(r)).collect::<Option<Vec<Tensor>>>();
        let Some(inputs) = inputs else { return Err(no_value(self, NodeId(id)).at(place)) };
        n.takes(&op, &inputs).map_err(|e| e.at(place.clone()))?;
        let (outputs, note) = Taken::run(&op, inputs).map_err(|e| e.at(place))?;
        if let Some((key, value)) = note
            && let Some(old) = self.metadata.get_mut(&(id, key.into()))
        {
            *old = value;
        }
        let mut differs = false;
        for (out, y) in outputs.into_iter().enumerate() {
            let r = Ref { at: id, out: out as u32 };
            if !self.value_of(r).is_some_and(|old| same_bits(&old, &y)) {
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

    /// What ran inside a call that is computed again as a whole is no longer what would run.
    fn forget_inside(&mut self, id: u32) {
        if !(Node { tape: self, id }).has_children() || self.row(id).flags != 0 {
            return;
        }
        let inside: Vec<u32> = (Node { tape: self, id }).descendants().map(|n| n.id).collect();
        for i in inside {
            let row = *self.row(i);
            for k in &mut self.results.to_mut()[row.results as usize..(row.results + row.results_len) as usize] {
                k.kept = Keep::Nothing.pack();
            }
        }
    }

    /// Keeps another value of a result.
    fn store(&mut self, r: Ref, value: Tensor) {
        let at = (self.row(r.at).results + r.out) as usize;
        match Keep::unpack(self.results[at].kept) {
            Keep::Value(i) => self.values.to_mut()[i as usize] = value,
            _ => {
                self.values.to_mut().push(value);
                self.results.to_mut()[at].kept = Keep::Value(self.values.len() as u32 - 1).pack();
            }
        }
    }
}

impl Node<'_> {
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

fn check_type(id: NodeId, ty: &Type, value: &Tensor) -> Result<()> {
    if value.ty() == *ty {
        return Ok(());
    }
    Err(Error::shape(format!("{id} has type {ty}, and can't be set to a value of type {}", value.ty())))
}

fn no_value(tape: &Tape, id: NodeId) -> Error {
    let note = match tape.limited {
        None => "record with `Recorder::new().capture(Capture::Values)`".to_string(),
        Some(first) => {
            format!("the memory limit of the recorder cut values to summaries from {} on", NodeId(first))
        }
    };
    Error::new(ErrorKind::Run, format!("the value that {id} needs was not kept")).note(note)
}
