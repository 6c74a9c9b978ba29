//! Nodes of one tape on another: the inside of staged functions, and of calls that are recalled.

use super::call::CallBody;
use super::cursor::Cursor;
use super::recording::TracedBody;
use super::replay::RecalledOp;
use super::scope::Frame;
use super::writer::{FixedLabel, Interner, NodeResults};
use crate::api::KERNEL;
use crate::context::{Context, ContextReply, Enter, visit};
use crate::node::ResultId;
use crate::row::{ABSTRACT, KeptValue, Kind, NONE, Ref, ResultRow, Row, SHARED};
use crate::summary::Capture;
use crate::tape::{Constant, Label, Tape};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;
use wengert_core::{Op, Place, Type};

/// The numbers of the entries of one table in another, as far as they were asked for.
#[derive(Default)]
struct Renumbering(FxHashMap<u32, u32>);

impl Renumbering {
    fn of<T: Hash + Eq + Clone>(&mut self, i: u32, from: &[T], to: &mut Interner<T>, table: &mut Vec<T>) -> u32 {
        *self.0.entry(i).or_insert_with(|| to.number(table, &from[i as usize]))
    }
}

/// What copied nodes have from outside of them.
#[derive(Default)]
pub(super) struct OuterRefs {
    /// Results outside of the copied nodes to which these refer, each with its reference on the new tape.
    pub(super) given: Vec<(Ref, Ref)>,
    /// Copied constants that are arguments on the new tape, each with the reference of its value there.
    pub(super) arguments: BTreeMap<u32, Ref>,
    /// Nodes that are not copied, each with the reference on the new tape that stands for its value, if that is used.
    pub(super) left_out: BTreeMap<u32, Option<Ref>>,
}

impl OuterRefs {
    pub(super) fn of_arguments(arguments: BTreeMap<u32, Ref>) -> OuterRefs {
        OuterRefs { arguments, ..OuterRefs::default() }
    }
}

impl Tape {
    /// The nodes inside a node, at any depth, by number. Children that a call shares are not among them.
    fn own_descendants(&self, of: u32) -> Vec<u32> {
        if of == 0 {
            return (1..self.len() as u32).collect();
        }
        let mut found = Vec::new();
        let mut todo = vec![self.row(of).first_child];
        while let Some(id) = todo.pop() {
            if id != NONE {
                found.push(id);
                todo.extend([self.row(id).next, self.row(id).first_child]);
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether the values of a node are no results of ops: it is a constant, an array that the host made, or what code of the user's
    /// gave.
    fn is_from_outside(&self, id: u32) -> bool {
        let row = self.row(id);
        let is_linked =
            |r: &Ref| r.is_constant() && matches!(self.constants.get(r.at as usize), Some(Constant::Linked(..)));
        match row.kind() {
            Kind::Constant => true,
            Kind::Primitive => match &self.labels[row.label as usize].op {
                None => true,
                Some(op) => matches!(op, Op::Convert(_)) && self.refs_of(id).iter().all(is_linked),
            },
            Kind::Special => self.node(id).meta(KERNEL).is_some(),
            _ => false,
        }
    }
}

/// The numbers of the nodes of a recording on the tape of another, in which it ended.
#[derive(Clone)]
pub(super) enum NodeMap {
    /// The nodes come one after another: node 1 has this number.
    Offset(u32),
    /// The number of each node, from node 1 on; [`NONE`] if the context left it out.
    Table(Arc<[u32]>),
}

impl NodeMap {
    /// The number of a node. The root has none.
    pub(super) fn get(&self, node: u32) -> Option<u32> {
        let i = node.checked_sub(1)?;
        match self {
            NodeMap::Offset(first) => Some(first + i),
            NodeMap::Table(all) => all.get(i as usize).copied().filter(|&n| n != NONE),
        }
    }

    /// This map, and then the next.
    pub(super) fn then(&self, next: &NodeMap) -> NodeMap {
        match (self, next) {
            (NodeMap::Offset(first), NodeMap::Offset(next)) => NodeMap::Offset(next + first - 1),
            (NodeMap::Offset(first), NodeMap::Table(next)) => {
                NodeMap::Table(next.get(*first as usize - 1..).unwrap_or(&[]).into())
            }
            (NodeMap::Table(all), next) => NodeMap::Table(all.iter().map(|&n| next.get_or_none(n)).collect()),
        }
    }

    pub(super) fn get_or_none(&self, node: u32) -> u32 {
        if node == NONE { NONE } else { self.get(node).unwrap_or(NONE) }
    }
}

/// How a context sees the nodes inside a call. Two calls can share their children where their visibility is the same;
/// without a context it always is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Visibility {
    /// How deep the nodes are.
    depth: usize,
    /// Whether only tracked functions are looked for.
    searched: bool,
    /// Which context sees them.
    context: usize,
}

/// What became of a node of the old tape.
#[derive(Clone, Copy)]
pub(super) struct CopiedNode {
    /// The number on the new tape, or [`NONE`] if the node was left out.
    pub(super) here: u32,
    /// The parent of its children on the new tape, or [`NONE`] if they were left out.
    child_parent: u32,
    visibility: Visibility,
}

impl CopiedNode {
    const LEFT_OUT: CopiedNode =
        CopiedNode { here: NONE, child_parent: NONE, visibility: Visibility { depth: 0, searched: false, context: 0 } };
}

/// Copies nodes from another tape.
struct NodeCopier<'t> {
    from: &'t Tape,
    /// The context that is asked about each node.
    context: Option<Arc<dyn Context>>,
    /// What is kept of values, unless the context says otherwise.
    capture: Capture,
    labels: Renumbering,
    names: Renumbering,
    types: Renumbering,
    constants: Renumbering,
    /// The new call that has the children of an old call, for calls that share them.
    owners: FxHashMap<(u32, Visibility), u32>,
    /// New calls whose children are not copied yet, and the old call that has them.
    pending: Vec<(CopiedNode, u32)>,
}

impl<'t> NodeCopier<'t> {
    fn new(from: &'t Tape, context: Option<Arc<dyn Context>>, capture: Capture) -> NodeCopier<'t> {
        NodeCopier {
            from,
            context,
            capture,
            labels: Renumbering::default(),
            names: Renumbering::default(),
            types: Renumbering::default(),
            constants: Renumbering::default(),
            owners: FxHashMap::default(),
            pending: Vec::new(),
        }
    }

    /// Copies the descendants of a node, to be descendants of `parent`. Gives what became of each, in the order of their
    /// numbers.
    fn copy_descendants(
        &mut self,
        cursor: &mut Cursor<'_>,
        of: u32,
        parent: CopiedNode,
        outer: &OuterRefs,
    ) -> Vec<CopiedNode> {
        let from = self.from;
        let ids = from.own_descendants(of);
        let mut copied: Vec<CopiedNode> = Vec::with_capacity(ids.len());
        for &id in &ids {
            if outer.left_out.contains_key(&id) {
                copied.push(CopiedNode::LEFT_OUT);
                continue;
            }
            let find = |copied: &[CopiedNode], id: u32| match ids.binary_search(&id) {
                Ok(i) => copied[i],
                Err(_) if id == of => parent,
                Err(_) => CopiedNode::LEFT_OUT,
            };
            let around = find(&copied, from.row(id).parent);
            let argument = outer.arguments.get(&id).copied();
            let node_copy = match self.decide(cursor, id, around, argument.is_some()) {
                Err(node_copy) => node_copy,
                Ok((enter, reply)) => {
                    let mut refs: SmallVec<[Ref; 4]> = argument.into_iter().collect();
                    for &r in from.refs_of(id) {
                        let known = || outer.left_out.get(&r.at).copied().flatten();
                        let listed = || outer.given.iter().find(|(there, _)| *there == r).map(|(_, here)| *here);
                        let given = || known().or_else(listed);
                        refs.push(match r.is_constant() {
                            true => match from.constants.get(r.at as usize) {
                                Some(Constant::Linked(number, ty)) => {
                                    let here = find(&copied, number.node.index() as u32).here;
                                    self.linked(cursor, (here, *number), ty, r)
                                }
                                _ => self.constant(cursor, r),
                            },
                            false => match find(&copied, r.at).here {
                                NONE => given().unwrap_or_else(|| self.unknown(cursor, r)),
                                here => Ref { at: here, out: r.out },
                            },
                        });
                    }
                    self.copy_node(cursor, id, around, (enter, reply), &refs, argument.is_some())
                }
            };
            // The return of a copied call, if it was copied too.
            let row = from.row(id);
            if node_copy.here != NONE && row.parent != of && from.row(row.parent).returns() == Some(id) {
                cursor.writer.row_mut(around.here).extra = node_copy.here;
            }
            copied.push(node_copy);
        }
        copied
    }

    /// How a node and its children are recorded; an error has what becomes of a node that is left out.
    fn decide(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: u32,
        around: CopiedNode,
        argument: bool,
    ) -> std::result::Result<(Enter, ContextReply), CopiedNode> {
        let from = self.from;
        let reply = ContextReply::new(self.capture);
        if around.child_parent == NONE {
            return Err(CopiedNode::LEFT_OUT);
        }
        let Some(context) = &self.context else { return Ok((Enter::Everything, reply)) };
        let row = from.row(id);
        let kind = if argument { Kind::Argument } else { row.kind() };
        let call = kind == Kind::Call;
        let has_inside = call || row.first_child != NONE;
        let own;
        let label = match argument {
            false => &from.labels[row.label as usize],
            true => {
                own = Label::new("argument", None);
                &own
            }
        };
        let place = row.place.checked_sub(1).map_or(Place::unknown(), |i| from.places[i as usize].clone());
        let node = (kind, label, &place, around.visibility.depth, None);
        let mut enter = None;
        if around.visibility.searched {
            // Calls of other functions are searched.
            let wanted = match label.module.is_some() {
                true => cursor.consult(&**context, node, NodeResults::NONE, |c, draft| c.enter(draft)).0,
                false => Enter::Tracked,
            };
            if !call || wanted == Enter::Nothing {
                return Err(CopiedNode::LEFT_OUT);
            }
            if wanted == Enter::Tracked {
                let depth = around.visibility.depth + 1;
                let visibility = Visibility { depth, searched: true, ..around.visibility };
                return Err(CopiedNode { here: NONE, visibility, ..around });
            }
            enter = Some(wanted);
        }
        let results = from.results_of(id);
        let types: SmallVec<[Type; 2]> = match call {
            true => SmallVec::new(),
            false => results.iter().filter_map(|&k| from.type_of(k).cloned()).collect(),
        };
        let value = |out: usize| from.value_of(Ref { at: id, out: out as u32 });
        let value = |out: usize| (out < results.len()).then(|| value(out)).flatten();
        let ((), reply) =
            cursor.consult(&**context, node, NodeResults { types: &types, value: &value }, |c, draft| visit(c, draft));
        if reply.skipped {
            cursor.left_out(kind, &place, [around.child_parent, row.block]);
            return Err(CopiedNode::LEFT_OUT);
        }
        if has_inside && enter.is_none() {
            enter = Some(cursor.consult(&**context, node, NodeResults::NONE, |c, draft| c.enter(draft)).0);
        }
        Ok((enter.unwrap_or(Enter::Everything), reply))
    }

    fn constant(&mut self, cursor: &mut Cursor<'_>, r: Ref) -> Ref {
        match r.at {
            NONE => r,
            i => {
                let w = &mut *cursor.writer;
                Ref::constant(self.constants.of(i, &self.from.constants, &mut w.constants, &mut w.tape.constants))
            }
        }
    }

    /// A number that came from a node of the host, which has this number here; where it was left out, as it was.
    fn linked(&mut self, cursor: &mut Cursor<'_>, (here, number): (u32, ResultId), ty: &Type, r: Ref) -> Ref {
        if here != NONE {
            let linked = Constant::Linked((here, number.out).into(), ty.clone());
            return Ref::constant(cursor.writer.constant(&linked));
        }
        match self.from.value_of(r).and_then(|t| t.splat_value()) {
            Some(s) => cursor.writer.splat_operand(s, ty.clone()),
            None => cursor.writer.text_operand(&ty.to_string()),
        }
    }

    /// An operand whose node was left out.
    fn unknown(&mut self, cursor: &mut Cursor<'_>, r: Ref) -> Ref {
        let Some(kept) = self.from.keep_of(r) else { return cursor.writer.text_operand("?") };
        match (KeptValue::unpack(kept.kept), self.from.type_of(kept)) {
            (KeptValue::Constant(i), _) => self.constant(cursor, Ref::constant(i)),
            (_, Some(ty)) => cursor.writer.text_operand(&ty.to_string()),
            _ => cursor.writer.text_operand("?"),
        }
    }

    /// A result on the new tape. `alone` if it is of a call whose children are not copied.
    fn copy_result(
        &mut self,
        cursor: &mut Cursor<'_>,
        r: Ref,
        k: ResultRow,
        here: u32,
        capture: Capture,
        alone: bool,
    ) -> ResultRow {
        let from = self.from;
        let kept = match KeptValue::unpack(k.kept) {
            // The value of a call is that of its return, which is not copied.
            KeptValue::Nothing if alone => cursor.writer.keep(capture, || from.value_of(r), here),
            KeptValue::Nothing => KeptValue::Nothing,
            KeptValue::Value(i) => cursor.writer.keep(capture, || from.values.get(i as usize).ok(), here),
            KeptValue::Summary(_) if capture == Capture::Shapes => KeptValue::Nothing,
            KeptValue::Summary(i) => cursor.writer.keep_summary(from.summaries[i as usize]),
            KeptValue::Constant(i) => KeptValue::Constant(self.constant(cursor, Ref::constant(i)).at),
            KeptValue::Number(i) => cursor.writer.keep_number(from.numbers[i as usize]),
            small @ KeptValue::SmallNumber(_) => small,
        };
        let w = &mut *cursor.writer;
        let ty = match k.ty.checked_sub(1) {
            None => 0,
            Some(i) => 1 + self.types.of(i, &from.types, &mut w.types, &mut w.tape.types),
        };
        ResultRow { ty, kept: kept.pack() }
    }

    /// Copies one node.
    fn copy_node(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: u32,
        around: CopiedNode,
        (enter, reply): (Enter, ContextReply),
        operands: &[Ref],
        argument: bool,
    ) -> CopiedNode {
        let from = self.from;
        let row = *from.row(id);
        let here = cursor.writer.tape.rows.len() as u32;
        let (refs, results) = (cursor.writer.tape.refs.len() as u32, cursor.writer.tape.results.len() as u32);
        cursor.writer.tape.refs.room(operands.len()).extend_from_slice(operands);
        let alone = row.kind() == Kind::Call && enter != Enter::Everything;
        let whole = cursor.writer.settings.constants && from.is_from_outside(id);
        let capture = if whole { Capture::Values } else { reply.capture };
        for (out, &k) in from.results_of(id).iter().enumerate() {
            let kept = self.copy_result(cursor, Ref { at: id, out: out as u32 }, k, here, capture, alone);
            cursor.writer.tape.results.room(1).push(kept);
        }
        let w = &mut *cursor.writer;
        let place = row.place.checked_sub(1).map_or(0, |i| w.place(&from.places[i as usize]));
        let name = match row.name.checked_sub(1) {
            None => 0,
            Some(i) => 1 + self.names.of(i, &from.names, &mut w.names, &mut w.tape.names),
        };
        let label = match argument {
            true => w.fixed_label(FixedLabel::Argument),
            false => self.labels.of(row.label, &from.labels, &mut w.labels, &mut w.tape.labels),
        };
        if let Some(source) = from.sources_of.get(&row.label) {
            w.tape.sources_of.entry(label).or_insert_with(|| source.clone());
        }
        // A call gets its return when that is copied.
        let extra = if row.kind() == Kind::Branch { row.extra } else { NONE };
        w.link(Row {
            kind: if argument { Kind::Argument as u8 } else { row.kind },
            flags: row.flags & !SHARED,
            parent: around.child_parent,
            position: 0,
            next: NONE,
            first_child: NONE,
            last_child: NONE,
            label,
            place,
            name,
            refs,
            refs_len: operands.len() as u32,
            results,
            extra,
            ..row
        });
        for ((_, key), value) in from.metadata.range((id, "".into())..(id + 1, "".into())) {
            w.tape.metadata.insert((here, key.clone()), value.clone());
        }
        reply.metadata.into_iter().for_each(|(key, value)| w.set_meta(here, key, value));
        let (depth, searched) = (around.visibility.depth + 1, enter == Enter::Tracked);
        let depth = if self.context.is_some() { depth } else { 0 };
        let child_parent = if enter == Enter::Nothing { NONE } else { here };
        let node_copy =
            CopiedNode { here, child_parent, visibility: Visibility { depth, searched, ..around.visibility } };
        if child_parent != NONE && row.kind() == Kind::Call {
            self.share_children(cursor, id, node_copy);
        }
        node_copy
    }

    /// Lets a call that was just copied share the children of another that has the same, or be the one that has them.
    fn share_children(&mut self, cursor: &mut Cursor<'_>, id: u32, call: CopiedNode) {
        let mut owner = id;
        while self.from.row(owner).has(SHARED) {
            owner = self.from.row(owner).extra;
        }
        match self.owners.get(&(owner, call.visibility)) {
            Some(&first) => {
                let row = cursor.writer.row_mut(call.here);
                (row.flags, row.extra) = (row.flags | SHARED, first);
            }
            None => {
                self.owners.insert((owner, call.visibility), call.here);
                if owner != id {
                    self.pending.push((call, owner));
                }
            }
        }
    }
}

/// Whether the context is asked about nodes that are copied.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ContextPolicy {
    /// As about all nodes.
    Consult,
    /// It was asked when they were recorded before.
    AlreadyConsulted,
}

impl Cursor<'_> {
    /// The visibility of the children of a call that was just added.
    pub(super) fn visibility(&self, searched: bool) -> Visibility {
        match self.context() {
            Some(c) => {
                let context = Arc::as_ptr(&c).cast::<u8>() as usize;
                Visibility { depth: self.depth + self.frames.len() + 1, searched, context }
            }
            None => Visibility::default(),
        }
    }

    /// Gives a call what a function did that was traced as its children: the first time by copying them, later by sharing those.
    pub(super) fn graft(&mut self, call: u32, body: &Arc<TracedBody>, searched: bool) {
        let visibility = self.visibility(searched);
        let key = (Arc::as_ptr(body) as usize, visibility);
        let first = self.writer.staged_bodies.get(&key).map(|(first, _)| *first);
        if first.is_none() {
            self.writer.staged_bodies.insert(key, (call, body.clone()));
        }
        match first {
            Some(first) => self.share_body(call, first),
            None => self.copy_body(call, &body.written.tape, visibility),
        }
    }

    /// The same of a function that was traced for this call alone. What it has of this recording is an argument inside the call.
    pub(super) fn graft_here(&mut self, call: u32, body: &TracedBody, searched: bool) {
        let given = self.given_here(&body.written);
        let visibility = self.visibility(searched);
        self.copy_inside(call, body.id, &body.written, OuterRefs::of_arguments(given), visibility);
        self.writer.row_mut(call).flags |= ABSTRACT;
    }

    /// Gives a call the programs of its op as children: the first time by copying them, later by sharing those.
    pub(super) fn graft_op(&mut self, call: u32, types: &[Type], searched: bool) {
        let label = self.writer.tape.row(call).label;
        let Some(op) = self.writer.tape.labels[label as usize].op.clone() else { return };
        let visibility = self.visibility(searched);
        // Other ops hold programs of one type.
        let of = if matches!(op, Op::Custom(_)) { types.to_vec() } else { Vec::new() };
        match *self.writer.op_bodies.entry((label, of, visibility)).or_insert(call) {
            first if first != call => self.share_body(call, first),
            _ => self.copy_body(call, &super::body::tape_of_op(&op, types), visibility),
        }
    }

    /// Makes the nodes of a tape the children of a call.
    fn copy_body(&mut self, call: u32, body: &Tape, visibility: Visibility) {
        self.copy_descendants(body, 0, (call, visibility), &OuterRefs::default(), ContextPolicy::Consult);
        let row = self.writer.row_mut(call);
        (row.flags, row.extra) = (row.flags | ABSTRACT, NONE);
    }

    /// Gives a call the children of another that has them already.
    fn share_body(&mut self, call: u32, first: u32) {
        let row = self.writer.row_mut(call);
        (row.flags, row.extra) = (row.flags | SHARED | ABSTRACT, first);
    }

    /// Copies the tracked functions of a staged function that was called where only tracked functions are looked for.
    pub(super) fn copy_tracked(&mut self, frame: Frame, body: CallBody<'_>) {
        let body: &TracedBody = match body {
            CallBody::Traced(body) if frame.searched => body,
            CallBody::TracedHere(body) if frame.searched => body,
            _ => return,
        };
        let (tape, parent) = (&body.written.tape, (frame.node, self.visibility(true)));
        self.copy_descendants(tape, 0, parent, &OuterRefs::default(), ContextPolicy::Consult);
    }

    /// Gives a node the children that it has on the tape being replayed.
    pub(super) fn copy_recalled(&mut self, node: u32, recalled: &RecalledOp) {
        let there = recalled.tape.refs_of(recalled.node).iter().copied();
        let given = there.zip(self.writer.tape.refs_of(node).iter().copied()).collect();
        let outer = OuterRefs { given, ..OuterRefs::default() };
        self.copy_descendants(
            &recalled.tape,
            recalled.node,
            (node, Visibility::default()),
            &outer,
            ContextPolicy::AlreadyConsulted,
        );
    }

    /// Copies the descendants of a node of another tape, to be descendants of `parent`.
    pub(super) fn copy_descendants(
        &mut self,
        from: &Tape,
        of: u32,
        (parent, visibility): (u32, Visibility),
        outer: &OuterRefs,
        policy: ContextPolicy,
    ) -> Vec<CopiedNode> {
        let settings = &self.writer.settings;
        let (context, capture) = match policy {
            ContextPolicy::Consult => (self.context(), settings.capture),
            ContextPolicy::AlreadyConsulted => (None, Capture::Values),
        };
        let mut copier = NodeCopier::new(from, context, capture);
        let copied =
            copier.copy_descendants(self, of, CopiedNode { here: parent, child_parent: parent, visibility }, outer);
        while let Some((call, owner)) = copier.pending.pop() {
            copier.copy_descendants(self, owner, call, &OuterRefs::default());
        }
        copied
    }
}
