//! Queries along the data: what a node depends on, and what depends on it.

use crate::node::{Argument, Node, NodeId};
use crate::row::{Kind, NONE};
use crate::tape::Tape;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// For each node, the nodes that refer to it.
pub(crate) struct Dependents {
    /// Where the dependents of each node begin; one more at the end.
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Dependents {
    fn new(tape: &Tape) -> Dependents {
        let mut starts = vec![0u32; tape.len() + 1];
        // A node that refers to another twice depends on it once.
        let each = |f: &mut dyn FnMut(u32, u32)| {
            let mut last = vec![NONE; tape.len()];
            for id in 0..tape.len() as u32 {
                for r in tape.refs_of(id) {
                    if !r.is_constant() && std::mem::replace(&mut last[r.at as usize], id) != id {
                        f(r.at, id);
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
        Dependents { starts, nodes }
    }

    pub(crate) fn of(&self, id: u32) -> &[u32] {
        &self.nodes[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }
}

impl Tape {
    pub(crate) fn dependents(&self) -> &Dependents {
        self.dependents.get_or_init(|| Arc::new(Dependents::new(self)))
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
            Argument::Constant(_) => None,
        })
    }

    /// The nodes that refer to it, in order. The first question of this kind makes an index of the whole tape.
    pub fn dependents(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        tape.dependents().of(self.id).iter().map(move |&id| Node { tape, id })
    }

    /// All that it depends on, itself left out, the latest first: a node comes before what it refers to.
    pub fn backward(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let mut heap: BinaryHeap<u32> = BinaryHeap::new();
        let mut seen = FxHashSet::default();
        let visit = move |id: u32, heap: &mut BinaryHeap<u32>, seen: &mut FxHashSet<u32>| {
            for r in tape.refs_of(id) {
                if !r.is_constant() && seen.insert(r.at) {
                    heap.push(r.at);
                }
            }
        };
        visit(self.id, &mut heap, &mut seen);
        std::iter::from_fn(move || {
            let id = heap.pop()?;
            visit(id, &mut heap, &mut seen);
            Some(Node { tape, id })
        })
    }

    /// All that depends on it, itself left out, in order: a node comes after what it refers to.
    pub fn forward(self) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let mut heap: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let mut seen = FxHashSet::default();
        let visit = move |id: u32, heap: &mut BinaryHeap<Reverse<u32>>, seen: &mut FxHashSet<u32>| {
            let row = tape.row(id);
            // What a call gives back goes on where the call is used.
            let outside = if row.kind() == Kind::Return { row.parent } else { id };
            for &d in tape.dependents().of(id).iter().chain(tape.dependents().of(outside)) {
                if seen.insert(d) {
                    heap.push(Reverse(d));
                }
            }
        };
        visit(self.id, &mut heap, &mut seen);
        std::iter::from_fn(move || {
            let Reverse(id) = heap.pop()?;
            visit(id, &mut heap, &mut seen);
            Some(Node { tape, id })
        })
    }

    /// The numbers of the nodes it refers to: what travels where a handle can't.
    pub fn references(self) -> impl Iterator<Item = NodeId> {
        self.referenced().map(Node::id)
    }
}
