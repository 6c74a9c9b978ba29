//! Running a function again that is on a tape: ops that have the same operands there are not computed again.

use super::origin::Recorded;
use super::scope::with_innermost;
use super::slots::with_slots;
use crate::host::{HostNumber, HostType};
use crate::node::Node;
use crate::row::{ABSTRACT, Kind, Ref};
use crate::tape::Tape;
use std::sync::Arc;
use wengert_core::{Op, Place, Tensor};

/// A tape of the same function, whose values are good up to a node.
pub(super) struct Replay {
    tape: Arc<Tape>,
    /// The next op; none once the function does something else.
    next: Option<u32>,
    /// The node after which the next draw at a place is searched for.
    drawn: Vec<(Place, u32)>,
    until: u32,
}

/// An op as it was recorded before, with its results.
pub struct RecalledOp {
    pub(super) tape: Arc<Tape>,
    pub(super) node: u32,
    /// The results.
    pub values: Vec<Tensor>,
}

impl RecalledOp {
    /// Whether the nodes inside it are those of a run, and not of a program.
    pub fn ran_inside(&self) -> bool {
        !self.tape.row(self.node).has(ABSTRACT)
    }

    /// Something that was written on the node.
    pub fn meta(&self, key: &str) -> Option<&crate::MetaValue> {
        self.tape.metadata.get(&(self.node, key.into()))
    }
}

/// What the tape being replayed says of the next op.
enum ReplayMatch {
    Same(RecalledOp),
    /// The op is there, and the values inside it are not: it has to run again.
    Forgotten,
    /// The function does something else from here on.
    Different,
}

impl Replay {
    pub(super) fn new(tape: Arc<Tape>, until: u32) -> Replay {
        Replay { tape, next: Some(0), drawn: Vec::new(), until }
    }

    /// The next draw at a place, if it is a number of this type.
    fn recall_draw(&mut self, name: &str, ty: HostType, place: &Place) -> Option<HostNumber> {
        let known = self.drawn.iter().position(|(p, _)| p == place).unwrap_or(self.drawn.len());
        let from = self.drawn.get(known).map_or(0, |(_, from)| *from);
        let is_draw = |n: &Node<'_>| n.kind() == Kind::Constant && n.function() == name && n.place() == *place;
        let mut later = (from..self.until).map(|id| Node { tape: &self.tape, id });
        let drawn = later.find(is_draw).and_then(|n| Some((n.id, n.number(0).filter(|x| x.ty == ty)?)));
        let next = (place.clone(), drawn.map_or(self.until, |(id, _)| id + 1));
        match self.drawn.get_mut(known) {
            Some(known) => *known = next,
            None => self.drawn.push(next),
        }
        drawn.map(|(_, x)| x)
    }

    /// The next node of the replayed tape that ran an op, if it is this op on these values.
    fn recall<A: Recorded>(&mut self, op: &Op, x: &[&A]) -> ReplayMatch {
        let tape = &self.tape;
        // What a function did that was traced did not run.
        let Some(mut next) = self.next else { return ReplayMatch::Different };
        let n = loop {
            if next >= self.until {
                return ReplayMatch::Different;
            }
            let n = Node { tape, id: next };
            match (n.op(), n.is_abstract()) {
                (Some(_), _) => break n,
                (None, true) => next = n.last_inside().id + 1,
                (None, false) => next += 1,
            }
        };
        let refs = tape.refs_of(n.id);
        let same = |(&r, x): (_, &&A)| match (tape.value_of(r), x.tensor()) {
            (Some(old), Some(new)) => old.same_bits(new),
            _ => false,
        };
        if n.op() != Some(op) || refs.len() != x.len() || !refs.iter().zip(x).all(same) {
            return ReplayMatch::Different;
        }
        let Some(values) = (0..n.result_count()).map(|out| n.value(out)).collect() else {
            return ReplayMatch::Different;
        };
        self.next = Some(n.last_inside().id + 1);
        let recalled = RecalledOp { tape: tape.clone(), node: n.id, values };
        let array_lost = |n: Node<'_>| (0..n.result_count()).any(|i| n.ty(i).is_some() && n.value(i).is_none());
        if recalled.ran_inside()
            && n.op().is_some_and(|op| !op.programs().is_empty())
            && n.descendants().any(array_lost)
        {
            return ReplayMatch::Forgotten;
        }
        // Code of the user's that used an array beside its operands may find another value there now.
        let is_more = |r: &Ref| !r.is_constant() && r.at < n.id && !refs.contains(r);
        if n.runs_code_of_users() && n.descendants().any(|d| tape.refs_of(d.id).iter().any(is_more)) {
            return ReplayMatch::Forgotten;
        }
        ReplayMatch::Same(recalled)
    }
}

/// This op on these values as it is on the tape that is replayed on this thread, if it is the next op there.
pub fn recall<A: Recorded>(op: &Op, x: &[&A]) -> Option<RecalledOp> {
    // Taken out meanwhile: values may have to come from a device.
    let mut replay = with_innermost(|l| l.replay.take())?;
    let found = replay.recall(op, x);
    if let ReplayMatch::Different = found {
        replay.next = None;
    }
    with_innermost(|l| l.replay.replace(replay));
    match found {
        ReplayMatch::Same(recalled) => Some(recalled),
        ReplayMatch::Forgotten | ReplayMatch::Different => None,
    }
}

/// What was drawn at a place on the tape that is replayed on this thread, also around the recording that is open: draws that came
/// before what goes another way stay as they were.
pub fn recall_draw(name: &str, ty: HostType, place: &Place) -> Option<HostNumber> {
    with_slots(|s| {
        let replays = s.iter_mut().rev().filter_map(|s| s.local.as_mut()?.replay.as_mut());
        replays.last()?.recall_draw(name, ty, place)
    })
}
