//! Queries along the data: what a node depends on, and what depends on it.
//!
//! A node depends on the nodes it refers to, and a call on its return: what it gives was computed inside it. So the way
//! back from a result leads into the calls it came through, and the way forward out of them. Calls that ran as a whole
//! (a staged function, a loop) have no return of their own, and are one step.

use crate::node::{Argument, Node, NodeId};
use crate::row::{Kind, NONE, READ};
use crate::tape::{Constant, Tape};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// For each node, the nodes that refer to it.
pub(crate) struct Dependents {
    /// Where the dependents of each node begin; one more at the end.
    starts: Vec<u32>,
    nodes: Vec<u32>,
    /// The nodes whose values may depend on any node before them, because the tape does not say on which.
    unknown: Vec<u32>,
    /// The nodes of functions that were traced which have no value.
    without_value: Vec<u32>,
}

impl Dependents {
    fn new(tape: &Tape) -> Dependents {
        let mut starts = vec![0u32; tape.len() + 1];
        // A node that refers to another twice depends on it once.
        let each = |f: &mut dyn FnMut(u32, u32)| {
            let mut last = vec![NONE; tape.len()];
            for id in 0..tape.len() as u32 {
                for on in tape.refs_of(id).iter().filter_map(|&r| tape.node_of(r)) {
                    if std::mem::replace(&mut last[on as usize], id) != id {
                        f(on, id);
                    }
                }
            }
        };
        each(&mut |on, _| starts[on as usize + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut at = starts.clone();
        let mut nodes = vec![NONE; *starts.last().expect("one more than nodes") as usize];
        each(&mut |on, id| {
            nodes[at[on as usize] as usize] = id;
            at[on as usize] += 1;
        });
        let mut dependents = Dependents { starts, nodes, unknown: Vec::new(), without_value: find_without_value(tape) };
        dependents.unknown = dependents.find_unknown(tape);
        dependents
    }

    fn find_unknown(&self, tape: &Tape) -> Vec<u32> {
        // The nodes inside a call that ran as a whole have no part in its value, unless they are of code of the user's.
        let mut apart = vec![false; tape.len()];
        let mut unknown = Vec::new();
        for n in tape.nodes() {
            apart[n.id as usize] =
                n.parent().is_some_and(|p| apart[p.id as usize] || p.is_whole() && !p.runs_code_of_users());
            // Our own functions use no more than their arguments, to which the call refers.
            // What was read of an array that was made where nothing was recorded may have gone anywhere.
            let used = !self.of(n.id).is_empty() || tape.row(n.id).has(READ);
            let made = n.kind() == Kind::Special && n.is_unrecorded() && used;
            if !apart[n.id as usize] && (made || n.may_use_anything() || n.lacks_operand()) {
                unknown.push(n.id);
            }
        }
        unknown
    }

    /// The nodes after this one whose operands are unknown.
    fn unknown_after(&self, id: u32) -> impl Iterator<Item = u32> {
        self.unknown[self.unknown.partition_point(|&n| n <= id)..].iter().copied()
    }

    /// Whether a node is of a function that was traced, and has no value there.
    pub(crate) fn is_without_value(&self, id: u32) -> bool {
        self.without_value.binary_search(&id).is_ok()
    }

    /// Whether the values of a node may depend on anything before it.
    pub(crate) fn is_unknown(&self, id: u32) -> bool {
        self.unknown.binary_search(&id).is_ok()
    }

    pub(crate) fn of(&self, id: u32) -> &[u32] {
        &self.nodes[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }
}

/// The nodes of functions that were traced which depend on the arguments of these. What else is there has a value.
fn find_without_value(tape: &Tape) -> Vec<u32> {
    let (mut inside, mut without) = (vec![false; tape.len()], vec![false; tape.len()]);
    for n in tape.nodes() {
        let (id, refs) = (n.id as usize, tape.refs_of(n.id));
        let Some(parent) = n.parent() else { continue };
        let around = parent.id as usize;
        inside[id] = inside[around] || parent.is_abstract();
        let is_argument = n.kind() == Kind::Argument && refs.is_empty();
        let follows = || refs.iter().any(|r| !r.is_constant() && without[r.at as usize]);
        if inside[id] && (is_argument || follows()) {
            without[id] = true;
            // What a call gives may depend on what it has inside.
            without[around] |= inside[around];
        }
    }
    (0..tape.len() as u32).filter(|&id| without[id as usize]).collect()
}

/// Orders nodes by when they were complete, a call after its return: a node is after all that it depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CompletionOrder {
    at: u32,
    is_call: bool,
    id: u32,
}

impl CompletionOrder {
    fn of(tape: &Tape, id: u32) -> CompletionOrder {
        let returned = tape.row(id).returns();
        CompletionOrder { at: returned.unwrap_or(id), is_call: returned.is_some(), id }
    }
}

impl Tape {
    pub(crate) fn dependents(&self) -> &Dependents {
        self.dependents.get_or_init(|| Arc::new(Dependents::new(self)))
    }

    /// The nodes whose operands are unknown and that may depend on one of these: those after it, and all if it came from outside,
    /// for it was there before anything used it.
    pub(crate) fn unknown_of(&self, ids: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
        let from = ids.map(|id| if self.row(id).kind() == Kind::Constant { 0 } else { id }).min();
        from.into_iter().flat_map(|id| self.dependents().unknown_after(id))
    }
}

impl<'t> Node<'t> {
    /// The nodes it refers to, in the order of its arguments.
    pub fn referenced(self) -> impl Iterator<Item = Node<'t>> {
        self.referenced_at().map(|(_, n)| n)
    }

    /// The nodes it refers to, each with the number of the argument.
    pub fn referenced_at(self) -> impl Iterator<Item = (usize, Node<'t>)> {
        self.arguments().enumerate().filter_map(|(i, a)| match a {
            Argument::Node(r) => Some((i, r.node)),
            Argument::Constant(Constant::Linked(from, _)) => Some((i, self.tape.node(from.node))),
            Argument::Constant(_) => None,
        })
    }

    /// The nodes that refer to it, in order. The first question of this kind makes an index of the whole tape.
    pub fn dependents(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        tape.dependents().of(self.id).iter().map(move |&id| Node { tape, id })
    }

    /// All that it depends on, itself left out, the latest first: a node comes before what it depends on. A node depends
    /// on what it refers to, and a call on its return, so also on what inside it computed its value.
    ///
    /// A jump refers to its condition and to what it passes on. A return refers to what it gives: the decision by which it was reached is
    /// no part of that, else all that was decided would be in every value that comes out of a call. It is [`Node::since`], and
    /// `returned.since()` has a `backward` of its own.
    ///
    /// It is the reverse of [`Node::forward`]: what is in the one of a node has that node in the other.
    pub fn backward(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let before = move |id: u32, reach: &mut dyn FnMut(u32)| {
            tape.row(id).returns().into_iter().for_each(&mut *reach);
            tape.refs_of(id).iter().filter_map(|&r| tape.node_of(r)).for_each(&mut *reach);
        };
        self.reachable(before, |c| c)
    }

    /// [`Node::backward`] within the call that it is in: calls are one step.
    pub fn backward_in_call(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let parent = tape.row(self.id).parent;
        let before = move |id: u32, reach: &mut dyn FnMut(u32)| {
            let nodes = tape.refs_of(id).iter().filter_map(|&r| tape.node_of(r));
            nodes.filter(|&n| tape.row(n).parent == parent).for_each(&mut *reach);
        };
        self.reachable(before, |c| c)
    }

    /// [`Node::forward`] within the call that it is in: calls are one step.
    pub fn forward_in_call(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let parent = tape.row(self.id).parent;
        let after = move |id: u32, reach: &mut dyn FnMut(u32)| {
            let here = tape.dependents().of(id).iter().filter(|&&d| tape.row(d).parent == parent);
            here.for_each(|&d| reach(d));
        };
        self.reachable(after, Reverse)
    }

    /// All that depends on it, itself left out, in order: a node comes after what it depends on. What a call gives back
    /// goes on in the call, and where that is used.
    pub fn forward(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let after = move |id: u32, reach: &mut dyn FnMut(u32)| {
            let row = tape.row(id);
            if row.parent != NONE && tape.row(row.parent).returns() == Some(id) {
                reach(row.parent);
            }
            tape.dependents().of(id).iter().for_each(|&d| reach(d));
        };
        self.reachable(after, Reverse)
    }

    /// What can be reached, each once; of what is known to be, the one with the greatest key is next.
    fn reachable<K: Ord + Copy>(
        self,
        steps: impl Fn(u32, &mut dyn FnMut(u32)),
        key: impl Fn(CompletionOrder) -> K,
    ) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let mut heap: BinaryHeap<(K, u32)> = BinaryHeap::new();
        let mut seen = FxHashSet::default();
        let mut visit = move |id: u32, heap: &mut BinaryHeap<(K, u32)>| {
            steps(id, &mut |next| {
                if seen.insert(next) {
                    heap.push((key(CompletionOrder::of(tape, next)), next));
                }
            });
        };
        visit(self.id, &mut heap);
        std::iter::from_fn(move || {
            let (_, id) = heap.pop()?;
            visit(id, &mut heap);
            Some(Node { tape, id })
        })
    }

    /// The numbers of the nodes it refers to: what travels where a handle can't.
    pub fn references(self) -> impl Iterator<Item = NodeId> {
        self.referenced().map(Node::id)
    }
}
