//! A node of a tape, and what can be asked of it alone: what it is, and its place in the tree.

use crate::host::{HostNumber, HostType};
use crate::meta::{Meta, MetaKey, MetaValue};
use crate::row::{ABSTRACT, KeptValue, Kind, LEFT, NONE, OWN, Ref, SHARED, UNWOUND};
use crate::summary::Summary;
use crate::tape::{Constant, Label, Tape};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use wengert_core::{Op, Place, Result, Tensor, Type};

/// The number of a node on its tape. Nodes are numbered in the order they began, so what a node uses comes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u32> for NodeId {
    fn from(id: u32) -> NodeId {
        NodeId(id)
    }
}

impl From<Node<'_>> for NodeId {
    fn from(node: Node<'_>) -> NodeId {
        node.id()
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

/// A result of a node by numbers: a node stands for its first, `(node, 1)` for its second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultId {
    /// The node.
    pub node: NodeId,
    /// Which of its results.
    pub out: usize,
}

impl ResultId {
    pub(crate) fn reference(self) -> Ref {
        Ref { at: self.node.0, out: self.out as u32 }
    }
}

impl<N: Into<NodeId>> From<(N, usize)> for ResultId {
    fn from((node, out): (N, usize)) -> ResultId {
        ResultId { node: node.into(), out }
    }
}

macro_rules! first_result {
    ($($t:ty)*) => {$(
        impl From<$t> for ResultId {
            fn from(node: $t) -> ResultId {
                (node, 0).into()
            }
        }
    )*};
}
first_result!(u32 NodeId Node<'_>);

impl From<NodeRef<'_>> for ResultId {
    fn from(r: NodeRef<'_>) -> ResultId {
        (r.node, r.out).into()
    }
}

impl fmt::Display for ResultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.node)?;
        if self.out > 0 { write!(f, ".{}", self.out) } else { Ok(()) }
    }
}

/// One of the results of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NodeRef<'t> {
    /// The node.
    pub node: Node<'t>,
    /// Which of its results.
    pub out: usize,
}

/// What a node was given.
#[derive(Clone, Copy, PartialEq)]
pub enum Argument<'t> {
    /// A result of an earlier node.
    Node(NodeRef<'t>),
    /// A value that stands in the node itself.
    Constant(&'t Constant),
}

impl<'t> Argument<'t> {
    /// The type, if it is an array or one of its elements.
    pub fn ty(self) -> Option<Cow<'t, Type>> {
        match self {
            Argument::Node(r) => r.node.ty(r.out).map(Cow::Borrowed),
            Argument::Constant(Constant::Number(_, ty) | Constant::Linked(_, ty)) => Some(Cow::Borrowed(ty)),
            Argument::Constant(c) => c.tensor().map(|t| Cow::Owned(t.ty())),
        }
    }
}

/// One node of a tape. A cheap handle.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    pub(crate) tape: &'t Tape,
    pub(crate) id: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.tape, other.tape)
    }
}
impl Eq for Node<'_> {}

impl<'t> Node<'t> {
    /// The tape it is on.
    pub fn tape(self) -> &'t Tape {
        self.tape
    }

    /// Its number.
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.tape.row(self.id).kind()
    }

    /// What it did.
    pub fn label(self) -> &'t Label {
        &self.tape.labels[self.tape.row(self.id).label as usize]
    }

    /// The function it called, or the name of its op.
    pub fn function(self) -> &'t str {
        &self.label().name
    }

    /// The path of the module that the function it called is in, if that is tracked.
    pub fn module(self) -> Option<&'t str> {
        self.label().module.as_deref()
    }

    /// Whether it is a call of one of the library's own functions that are made of ops.
    pub fn is_own(self) -> bool {
        self.kind() == Kind::Call && self.tape.row(self.id).has(OWN)
    }

    /// The op it ran.
    pub fn op(self) -> Option<&'t Op> {
        self.label().op.as_ref()
    }

    /// The op of a user's that it ran, as text, also where the process does not know it.
    pub fn user_op(self) -> Option<String> {
        match (self.op(), &self.label().unknown) {
            (Some(Op::Custom(op)), _) => Some(op.text()),
            (None, Some(text)) => Some(text.to_string()),
            _ => None,
        }
    }

    /// The name the user gave: of a variable or an argument.
    pub fn name(self) -> Option<&'t str> {
        match self.tape.row(self.id).name {
            0 => None,
            i => Some(&self.tape.names[i as usize - 1]),
        }
    }

    /// Where in the user's source it was written.
    pub fn place(self) -> Place {
        match self.tape.row(self.id).place {
            0 => Place::unknown(),
            i => self.tape.places[i as usize - 1].clone(),
        }
    }

    /// The block of the tracked function it stands in, from 1.
    pub fn block(self) -> Option<u32> {
        Some(self.tape.row(self.id).block).filter(|&b| b != 0)
    }

    /// Of a branch, the block it went to.
    pub fn target(self) -> Option<u32> {
        let row = self.tape.row(self.id);
        (row.kind() == Kind::Branch && row.extra != NONE).then_some(row.extra)
    }

    /// Of a branch, what its condition was: also whether a value matched a pattern.
    pub fn condition(self) -> Option<bool> {
        let number = self.number(0).filter(|x| self.kind() == Kind::Branch && x.ty == HostType::Bool)?;
        Some(number.bits != 0)
    }

    /// The decision that led to the block it stands in, in a tracked function: none where two ways meet.
    pub fn since(self) -> Option<Node<'t>> {
        let mut last = None;
        let mut block = None;
        for n in self.preceding() {
            if n.target().is_some() || n.left_function() {
                last = Some(n);
                block = n.target().or(n.block());
            } else if n.block() != block {
                last = None;
            }
        }
        last.filter(|_| block == self.block())
    }

    /// Whether it is a `?` that left its function: it has no block to go to.
    pub(crate) fn left_function(self) -> bool {
        self.tape.row(self.id).has(LEFT)
    }

    /// How long it took, in nanoseconds, if that was measured.
    pub fn nanos(self) -> Option<f64> {
        Some(self.tape.row(self.id).nanos as f64).filter(|t| !t.is_nan())
    }

    /// Whether the call ended by unwinding.
    pub fn unwound(self) -> bool {
        self.tape.row(self.id).has(UNWOUND)
    }

    /// Whether its children are those of a program that was traced earlier, and not a run of their own.
    pub fn is_abstract(self) -> bool {
        self.tape.row(self.id).has(ABSTRACT)
    }

    /// Of a call whose children were recorded at an earlier call of the same staged function: that call.
    pub fn shares(self) -> Option<Node<'t>> {
        let row = self.tape.row(self.id);
        row.has(SHARED).then_some(Node { tape: self.tape, id: row.extra })
    }

    /// What it was given, in order.
    pub fn arguments(self) -> impl DoubleEndedIterator<Item = Argument<'t>> + ExactSizeIterator {
        let tape = self.tape;
        tape.refs_of(self.id).iter().map(move |&r| self.argument(r))
    }

    pub(crate) fn argument(self, r: Ref) -> Argument<'t> {
        match r.is_constant() {
            true => Argument::Constant(&self.tape.constants[r.at as usize]),
            false => Argument::Node(NodeRef { node: Node { tape: self.tape, id: r.at }, out: r.out as usize }),
        }
    }

    /// How many results it has.
    pub fn result_count(self) -> usize {
        self.tape.row(self.id).results_len as usize
    }

    /// The type of a result, if that is an array.
    pub fn ty(self, out: usize) -> Option<&'t Type> {
        self.tape.type_of(*self.tape.results_of(self.id).get(out)?)
    }

    /// The value of a result, if it was kept, and is not in a file that is damaged: [`Node::read`] tells these apart.
    pub fn value(self, out: usize) -> Option<Tensor> {
        self.read(out).ok().flatten()
    }

    /// The value of a result, if it was kept.
    ///
    /// # Errors
    /// If it is in a file, and is not what was written there.
    pub fn read(self, out: usize) -> Result<Option<Tensor>> {
        self.note_read(out);
        self.tape.read_of(Ref { at: self.id, out: out as u32 }).map_err(|e| e.within(self.id()))
    }

    /// The host looks at a result: a recording around that of this tape knows of it.
    fn note_read(self, out: usize) {
        if self.tape.recording != 0 && crate::record::any_recording() {
            crate::record::read_of_tape(self, out);
        }
    }

    /// Whether [`Node::value`] has an answer. Nothing is read for it.
    pub fn has_value(self, out: usize) -> bool {
        self.tape.has_value(Ref { at: self.id, out: out as u32 })
    }

    /// Whether [`Node::summary`] has an answer: the value of a result was kept, or its summary. Nothing is read for it.
    pub fn has_summary(self, out: usize) -> bool {
        let Some(kept) = self.tape.results_of(self.id).get(out) else { return false };
        matches!(KeptValue::unpack(kept.kept), KeptValue::Summary(_)) || self.has_value(out)
    }

    /// The summary of a result, if one was kept or its value was.
    pub fn summary(self, out: usize) -> Option<Summary> {
        let kept = self.tape.results_of(self.id).get(out)?;
        match KeptValue::unpack(kept.kept) {
            KeptValue::Summary(i) => {
                self.note_read(out);
                Some(self.tape.summaries[i as usize])
            }
            _ => self.value(out).map(|t| Summary::of(&t)),
        }
    }

    /// A result that is not an array, as `Debug` showed it.
    pub fn text(self, out: usize) -> Option<&'t str> {
        self.note_read(out);
        match KeptValue::unpack(self.tape.results_of(self.id).get(out)?.kept) {
            KeptValue::Constant(i) => self.tape.constants[i as usize].text(),
            _ => None,
        }
    }

    /// A result that is a number of the host.
    pub fn number(self, out: usize) -> Option<HostNumber> {
        self.note_read(out);
        let kept = KeptValue::unpack(self.tape.results_of(self.id).get(out)?.kept);
        match kept {
            KeptValue::Constant(i) => match self.tape.constants[i as usize] {
                Constant::Host(x) => Some(x),
                _ => None,
            },
            kept => Some(HostNumber { bits: self.tape.number_bits(kept)?, ty: self.host_type()? }),
        }
    }

    /// The type of its result, if that is a number of the host.
    pub fn host_type(self) -> Option<HostType> {
        HostType::of_code(self.tape.row(self.id).host)
    }

    /// The name of the type of a result: `f64`, `Vec<String>`, `f32[2,3]`.
    pub fn type_name(self, out: usize) -> Option<String> {
        let k = self.tape.results_of(self.id).get(out)?;
        match (KeptValue::unpack(k.kept), self.host_type()) {
            (KeptValue::Constant(i), _) => match &self.tape.constants[i as usize] {
                Constant::Shown(_, ty) => Some(ty.to_string()),
                Constant::Host(x) => Some(x.ty.name().to_string()),
                Constant::Number(_, t) | Constant::Linked(_, t) => Some(t.to_string()),
                Constant::Text(_) => None,
            },
            (_, Some(t)) => Some(t.name().to_string()),
            _ => Some(self.tape.type_of(*k)?.to_string()),
        }
    }

    /// What was written on the node under a key.
    pub fn meta<T: Meta>(self, key: MetaKey<T>) -> Option<T> {
        T::from_value(self.tape.metadata.get(&(self.id, key.name().into()))?)
    }

    /// All that was written on the node, by key.
    pub fn metadata(self) -> impl Iterator<Item = (&'t str, &'t MetaValue)> {
        let from = (self.id, Arc::<str>::from(""));
        self.tape.metadata.range(from..).take_while(move |((n, _), _)| *n == self.id).map(|((_, key), v)| (&**key, v))
    }

    /// The node it is inside of.
    pub fn parent(self) -> Option<Node<'t>> {
        Some(self.tape.row(self.id).parent).filter(|&p| p != NONE).map(|id| Node { tape: self.tape, id })
    }

    /// Its position among the children of its parent.
    pub fn position(self) -> usize {
        self.tape.row(self.id).position as usize
    }

    /// How many calls it is inside of; the root is at depth 0.
    pub fn depth(self) -> usize {
        self.ancestors().count()
    }

    fn chain(self, first: u32, next: impl Fn(&Tape, u32) -> u32) -> impl Iterator<Item = Node<'t>> {
        let tape = self.tape;
        let some = |id: u32| (id != NONE).then_some(id);
        std::iter::successors(some(first), move |&id| some(next(tape, id))).map(move |id| Node { tape, id })
    }

    /// What ran inside it, in order.
    pub fn children(self) -> impl Iterator<Item = Node<'t>> {
        self.chain(self.tape.row(self.owner()).first_child, |t, id| t.row(id).next)
    }

    /// What ran inside it at this position.
    pub fn child(self, position: usize) -> Option<Node<'t>> {
        self.children().nth(position)
    }

    /// The last node inside it, at any depth; itself, if there is none.
    pub(crate) fn last_inside(self) -> Node<'t> {
        let mut last = self;
        while let Some(id) = last.last_child() {
            last = Node { tape: self.tape, id };
        }
        last
    }

    pub(crate) fn last_child(self) -> Option<u32> {
        Some(self.tape.row(self.id).last_child).filter(|&id| id != NONE)
    }

    /// Its parent, that one's parent, and so on to the root.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'t>> {
        self.chain(self.tape.row(self.id).parent, |t, id| t.row(id).parent)
    }

    /// All that ran inside it, at any depth, in order. Children that calls share come once, with the first of them.
    pub fn descendants(self) -> impl Iterator<Item = Node<'t>> {
        self.within(|_| true)
    }

    /// All that ran inside it, and inside those of them that this holds for.
    pub(crate) fn within(self, enter: impl Fn(Node<'t>) -> bool) -> impl Iterator<Item = Node<'t>> {
        let mut seen = FxHashSet::from_iter([self.owner()]);
        let mut stack: Vec<Box<dyn Iterator<Item = Node<'t>> + 't>> = vec![Box::new(self.children())];
        std::iter::from_fn(move || {
            loop {
                match stack.last_mut()?.next() {
                    None => drop(stack.pop()),
                    Some(n) => {
                        // However often children are shared, all of it takes no longer than the tape is.
                        if n.has_children() && enter(n) && seen.insert(n.owner()) {
                            stack.push(Box::new(n.children()));
                        }
                        return Some(n);
                    }
                }
            }
        })
    }

    /// The call that has its children: itself, or the one it shares them with.
    fn owner(self) -> u32 {
        self.shares().map_or(self.id, |n| n.id)
    }

    /// Whether anything ran inside it.
    pub fn has_children(self) -> bool {
        let row = self.tape.row(self.id);
        row.first_child != NONE || row.has(SHARED)
    }

    /// The nodes before it with the same parent, in order.
    pub fn preceding(self) -> impl Iterator<Item = Node<'t>> {
        let first = match self.tape.row(self.id).parent {
            NONE => NONE,
            p => self.tape.row(p).first_child,
        };
        self.chain(first, |t, id| t.row(id).next).take_while(move |n| n.id != self.id)
    }

    /// The nodes after it with the same parent, in order.
    pub fn following(self) -> impl Iterator<Item = Node<'t>> {
        self.chain(self.tape.row(self.id).next, |t, id| t.row(id).next)
    }
}
