//! Running a function again that is on a tape: what it did there on the same values is not computed again.

use super::origin::Recorded;
use super::scope::innermost;
use crate::node::Node;
use crate::row::ABSTRACT;
use crate::tape::Tape;
use std::sync::Arc;
use wengert_core::{Op, Tensor};

/// A tape of the same function, whose values are good up to a node.
pub(super) struct Replay {
    tape: Arc<Tape>,
    next: u32,
    until: u32,
}

/// What an op gave when it was recorded before.
pub struct Recalled {
    pub(super) tape: Arc<Tape>,
    pub(super) node: u32,
    /// Its results.
    pub values: Vec<Tensor>,
}

impl Recalled {
    /// Whether what is inside is a run of its own, and not a program.
    pub fn ran_inside(&self) -> bool {
        !self.tape.row(self.node).has(ABSTRACT)
    }

    /// Something that was written on the node.
    pub fn meta(&self, key: &str) -> Option<&crate::MetaValue> {
        self.tape.metadata.get(&(self.node, key.into()))
    }
}

/// What the tape being replayed says of the next op.
enum Found {
    This(Recalled),
    /// It is there, and what ran inside is not: it has to run again.
    Forgotten,
    /// The function goes its own way from here.
    Another,
}

impl Replay {
    pub(super) fn new(tape: Arc<Tape>, until: u32) -> Replay {
        Replay { tape, next: 0, until }
    }

    /// The next node there that ran an op, if it is this op on these values.
    fn recall<A: Recorded>(&mut self, op: &Op, x: &[&A]) -> Found {
        let tape = &self.tape;
        let Some(n) = (self.next..self.until).map(|id| Node { tape, id }).find(|n| n.op().is_some()) else {
            return Found::Another;
        };
        let refs = tape.refs_of(n.id);
        let same = |(&r, x): (_, &&A)| match (tape.value_of(r), x.tensor()) {
            (Some(old), Some(new)) => old.same_bits(new),
            _ => false,
        };
        if n.op() != Some(op) || refs.len() != x.len() || !refs.iter().zip(x).all(same) {
            return Found::Another;
        }
        let Some(values) = (0..n.result_count()).map(|out| n.value(out)).collect() else { return Found::Another };
        let mut last = n;
        while let Some(id) = last.last_child() {
            last = Node { tape, id };
        }
        self.next = last.id + 1;
        let known = Recalled { tape: tape.clone(), node: n.id, values };
        let array_lost = |n: Node<'_>| (0..n.result_count()).any(|i| n.ty(i).is_some() && n.value(i).is_none());
        if known.ran_inside() && n.op().is_some_and(|op| !op.programs().is_empty()) && n.descendants().any(array_lost) {
            return Found::Forgotten;
        }
        Found::This(known)
    }
}

/// What an op on these values gave on the tape that is replayed on this thread, if it is the next one there.
pub fn recall<A: Recorded>(op: &Op, x: &[&A]) -> Option<Recalled> {
    // Taken out meanwhile: values may have to come from a device.
    let mut replay = innermost(|l| l.replay.take())?;
    let found = replay.recall(op, x);
    if let Found::Another = found {
        return None;
    }
    innermost(|l| l.replay.replace(replay));
    match found {
        Found::This(known) => Some(known),
        Found::Forgotten | Found::Another => None,
    }
}
