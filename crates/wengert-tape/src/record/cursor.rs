//! The cursor: where the next node goes. It finds the nodes of operands, and adds ops, metadata and names.

use super::elsewhere::UNRECORDED;
use super::evaluate::UNSHOWN;
use super::origin::{Origin, Recorded};
use super::outside;
use super::replay::RecalledOp;
use super::scope::{Frame, FrameId, with_cursor};
use super::shared::{SharedWriter, WriterGuard};
use super::writer::{InnerNodes, NodeHeader, NodeResults};
use crate::context::{Arguments, Context, ContextReply, Draft, Enter, visit};
use crate::meta::MetaValue;
use crate::provenance::LEFT_OUT;
use crate::row::{Kind, NONE, READ, Ref};
use crate::summary::Capture;
use crate::tape::Label;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Instant;
use wengert_core::run::{Step, StepInput};
use wengert_core::{Op, Place, Tensor, Type};

/// Where the next node goes.
pub(super) struct Cursor<'a> {
    pub(super) id: u32,
    pub(super) scope: u64,
    pub(super) writer: WriterGuard<'a>,
    pub(super) frames: &'a mut Vec<Frame>,
    pub(super) depth: usize,
}

/// How many hooks of one recording may run at once, on all threads: more are those that call each other without end.
const MOST_HOOKS: usize = 500;

impl<'a> Cursor<'a> {
    /// The cursor of a recording that is not the scope of a thread.
    pub(super) fn root(shared: &'a SharedWriter, frames: &'a mut Vec<Frame>) -> Cursor<'a> {
        Cursor::try_root(shared, frames).expect("it is new")
    }

    /// The same, if the recording has not ended.
    pub(super) fn try_root(shared: &'a SharedWriter, frames: &'a mut Vec<Frame>) -> Option<Cursor<'a>> {
        Some(Cursor { id: shared.id, scope: 0, writer: WriterGuard::new(shared)?, frames, depth: 0 })
    }

    /// Opens the frame of a call, or of a silence.
    #[inline]
    pub(super) fn enter(&mut self, frame: Frame) -> FrameId {
        self.frames.push(frame);
        FrameId { scope: self.scope, frame: self.frames.len() - 1 }
    }

    #[inline]
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a scope has its root")
    }

    pub(super) fn push(&mut self, header: &NodeHeader<'_>, refs: &[Ref], results: NodeResults<'_>) -> Option<u32> {
        if self.writer.settings.context.is_none() && self.frame().place.is_none() {
            let capture = self.writer.settings.capture;
            let Frame { node, block, .. } = *self.frame();
            return Some(self.writer.push(header, [node, block], refs, results, capture));
        }
        let own = self.frame().place.clone();
        let header = NodeHeader { place: own.as_ref().unwrap_or(header.place), ..*header };
        let reply = match self.consult_context(&header, results, |c, draft| visit(c, draft)) {
            None => ContextReply::new(self.writer.settings.capture),
            Some(((), reply)) if reply.skipped => {
                let Frame { node, block, .. } = *self.frame();
                self.left_out(header.kind, header.place, [node, block]);
                return None;
            }
            Some(((), reply)) => reply,
        };
        let header = match &reply.label {
            None => header,
            Some(name) => {
                let op = self.writer.tape.labels[header.label as usize].op.clone();
                NodeHeader { label: self.writer.label(name, op.as_ref()), ..header }
            }
        };
        let Frame { node, block, .. } = *self.frame();
        let id = self.writer.push(&header, [node, block], refs, results, reply.capture);
        reply.metadata.into_iter().for_each(|(key, value)| self.writer.set_meta(id, key, value));
        Some(id)
    }

    /// A context left a node out. Where it was one of what the host decided or read, nothing says now what that was, and whatever changes
    /// before it may change it: a node says so, one for several that follow each other.
    pub(super) fn left_out(&mut self, kind: Kind, place: &Place, [parent, block]: [u32; 2]) {
        if !matches!(kind, Kind::Branch | Kind::Special) {
            return;
        }
        let label = self.writer.label(LEFT_OUT, None);
        if self.writer.tape.rows.last().is_some_and(|last| last.label == label && last.parent == parent) {
            return;
        }
        let header = NodeHeader::new(Kind::Special, label, place);
        let id = self.writer.push(&header, [parent, block], &[], NodeResults::NONE, Capture::Shapes);
        let kept = self.writer.text_result(UNSHOWN);
        self.writer.set_results(id, &[kept]);
        self.writer.row_mut(id).flags |= READ;
    }

    /// Adds a node inside a call that is not open any more, in this block of it; `own` is the place of all nodes there, if they have one.
    pub(super) fn push_inside(
        &mut self,
        [call, block]: [u32; 2],
        own: Option<&Place>,
        header: &NodeHeader<'_>,
        refs: &[Ref],
    ) -> Option<u32> {
        if self.writer.settings.context.is_none() && own.is_none() {
            let capture = self.writer.settings.capture;
            return Some(self.writer.push(header, [call, block], refs, NodeResults::NONE, capture));
        }
        self.frames.push(Frame { block, place: own.cloned(), ..Frame::new(call) });
        let id = self.push(header, refs, NodeResults::NONE);
        self.frames.pop();
        id
    }

    /// What a hook says of a node, if there is a context.
    pub(super) fn consult_context<T>(
        &mut self,
        header: &NodeHeader<'_>,
        results: NodeResults<'_>,
        hook: impl FnOnce(&dyn Context, &mut Draft<'_>) -> T,
    ) -> Option<(T, ContextReply)> {
        let context = self.context()?;
        let label = self.writer.tape.labels[header.label as usize].clone();
        let depth = self.depth + self.frames.len();
        Some(self.consult(&*context, (header.kind, &label, header.place, depth, header.arguments), results, hook))
    }

    /// The context of the open call: the one that was passed inward last, or that of the recording.
    pub(super) fn context(&self) -> Option<Arc<dyn Context>> {
        let outermost = self.writer.settings.context.as_ref()?;
        Some(self.frames.iter().rev().find_map(|f| f.context.clone()).unwrap_or_else(|| outermost.clone()))
    }

    /// What a hook of a context says of a node. The writer is unlocked while the hook runs.
    pub(super) fn consult<T>(
        &mut self,
        context: &dyn Context,
        (kind, label, place, depth, arguments): (Kind, &Label, &Place, usize, Arguments<'_>),
        NodeResults { types, value }: NodeResults<'_>,
        hook: impl FnOnce(&dyn Context, &mut Draft<'_>) -> T,
    ) -> (T, ContextReply) {
        assert!(
            self.writer.hooks < MOST_HOOKS,
            "hooks of one context run in {MOST_HOOKS} threads at once: where they start threads under `enable_with`, what these do is \
             recorded, and asks the context again. What to do: have the threads compute inside of `tape::silently`"
        );
        let module = label.module.as_deref().unwrap_or_default();
        let reply = ContextReply::new(self.writer.settings.capture);
        let nothing: &dyn Fn(usize) -> Option<Tensor> = &|_| None;
        let value = if self.writer.keeps_nothing { nothing } else { value };
        self.writer.unlocked(|| {
            let mut draft = Draft { kind, label, module, place, depth, types, value, arguments, reply };
            let y = hook(context, &mut draft);
            (y, draft.reply)
        })
    }

    /// The node of an origin, if that is in this recording or in one that ended inside it.
    #[inline]
    pub(super) fn of_origin(&self, origin: Origin) -> Option<Ref> {
        let Origin { recording, node, out } = origin;
        if node == NONE {
            return None;
        }
        if recording == self.id {
            return Some(Ref { at: node, out });
        }
        let at = self.writer.outside.absorbed.get(&recording)?.get(node)?;
        Some(Ref { at, out })
    }

    /// Whether an origin without a node is in this recording or in one that ended inside it: the array was results in a silence.
    fn is_unrecorded(&self, origin: Origin) -> bool {
        origin.recording == self.id
            || self.writer.outside.absorbed.contains_key(&origin.recording)
            || origin != Origin::default() && outside::has_used(origin.recording, self.id)
    }

    /// Whether an array is of a recording around a function that is traced. Two variables there may have one value: an argument
    /// of a derivative, and what was given for it.
    fn is_variable_around(&mut self, origin: Origin) -> bool {
        let has_node = ![Origin::default(), Origin::LITERAL].contains(&origin) && origin.node != NONE;
        // The other recording is locked to see whether it is open.
        has_node && self.writer.is_body() && self.writer.unlocked(|| outside::is_open(origin.recording))
    }

    /// An array comes to the recording. After a variable of a function that is staged with guards, inside of which the recording
    /// began, no values are kept: the function may ask for them.
    pub(super) fn meet<A: Recorded>(&mut self, x: &A) {
        let Some(since) = x.guarded_since() else { return };
        if since <= self.id && !self.writer.is_body() && !self.writer.settings.guarded {
            self.writer.keeps_nothing = true;
        }
    }

    /// The result that a value is, before aliases. An array from outside gets its node.
    pub(super) fn source<A: Recorded>(&mut self, x: &A, place: &Place) -> Ref {
        let origin = x.origin();
        if let Some(r) = self.of_origin(origin) {
            return r;
        }
        if origin == Origin::LITERAL
            && let Some(t) = x.tensor()
            && let Some(s) = t.splat_value()
        {
            return self.writer.literal(s, t, place);
        }
        let ty = x.ty();
        if let Some(r) = self.writer.outside.by_origin.get(&origin) {
            return *r;
        }
        self.meet(x);
        let id = x.id().filter(|_| !self.is_variable_around(origin));
        if let Some(r) = id.and_then(|id| self.writer.outside.by_id.get(&id)) {
            return *r;
        }
        let number = origin.number_in_silence(self.id);
        if let Some(r) = number.and_then(|n| self.writer.outside.by_number.get(&n)) {
            return *r;
        }
        let unrecorded = self.is_unrecorded(origin);
        let (kind, name) = if unrecorded { (Kind::Special, UNRECORDED) } else { (Kind::Constant, "constant") };
        let label = self.writer.label(name, None);
        let results = NodeResults { types: std::slice::from_ref(&ty), value: &|_| x.tensor().cloned() };
        let node = self.push(&NodeHeader::new(kind, label, place), &[], results);
        let Some(node) = node else { return self.unknown(x) };
        let r = Ref { at: node, out: 0 };
        if let Some(id) = id {
            self.writer.outside.by_id.insert(id, r);
        }
        if origin != Origin::default() && !unrecorded {
            self.writer.outside.foreign.push((node, origin));
            if id.is_none() {
                self.writer.outside.by_origin.insert(origin, r);
            }
            let by = self.id;
            // The other recording is locked to see whether it is open.
            self.writer.unlocked(|| outside::mark_used(by, origin));
        }
        r
    }

    /// An operand whose node the context left out: its type, as text.
    fn unknown<A: Recorded>(&mut self, x: &A) -> Ref {
        self.writer.text_operand(&x.ty().to_string())
    }

    /// The result that a value is, by its alias in the open call.
    pub(super) fn reference<A: Recorded>(&mut self, x: &A, place: &Place) -> Ref {
        let r = self.source(x, place);
        self.alias(r)
    }

    /// The alias of a result in the open call, or else in those around it; itself, if it has none.
    #[inline]
    pub(super) fn alias(&self, r: Ref) -> Ref {
        if r.is_constant() {
            return r;
        }
        for f in self.frames.iter().rev() {
            if !f.aliases.is_empty()
                && let Some(&named) = f.aliases.get(&r)
            {
                return named;
            }
            // The node is inside this call: calls further out have no alias for it. Searched calls have no nodes inside.
            if f.node < r.at && !f.silent {
                break;
            }
        }
        r
    }

    #[inline]
    fn references<A: Recorded>(&mut self, x: &[&A], place: &Place) -> SmallVec<[Ref; 4]> {
        let mut refs = SmallVec::new();
        for x in x {
            refs.push(self.reference(*x, place));
        }
        refs
    }

    /// Adds a node with these results, and makes it their origin.
    pub(super) fn push_with_results<A: Recorded>(
        &mut self,
        header: &NodeHeader<'_>,
        refs: &[Ref],
        y: &mut [A],
    ) -> Option<u32> {
        let types: SmallVec<[Type; 2]> = y.iter().map(Recorded::ty).collect();
        y.iter().for_each(|y| self.meet(y));
        let id = self.push(header, refs, NodeResults { types: &types, value: &|i| y[i].tensor().cloned() });
        for (out, y) in y.iter_mut().enumerate() {
            let origin = id.map(|node| Origin { recording: self.id, node, out: out as u32 });
            y.set_origin(origin.unwrap_or(Origin::unrecorded(self.id)));
        }
        id
    }
}

pub(super) fn elapsed_nanos(started: Option<Instant>) -> f32 {
    started.map_or(f32::NAN, |s| s.elapsed().as_nanos() as f32)
}

/// The children of an op.
pub enum OpBody<'a> {
    /// The steps of its kernel.
    Steps(&'a [Step]),
    /// The children that it had when it was recorded before.
    Recalled(&'a RecalledOp),
}

/// Records one op.
pub fn primitive<A: Recorded>(
    op: &Op,
    x: &[&A],
    y: &mut [A],
    place: &Place,
    started: Option<Instant>,
    body: OpBody<'_>,
) {
    let nanos = elapsed_nanos(started);
    with_cursor(|cursor| {
        let refs = cursor.references(x, place);
        let Some(id) = cursor.push_op(op, &refs, y, place, nanos) else { return };
        if std::thread::panicking() {
            cursor.writer.set_unwinding(id);
        }
        match body {
            OpBody::Steps([]) => {}
            OpBody::Recalled(recalled) => cursor.copy_recalled(id, recalled),
            OpBody::Steps(steps) => cursor.push_steps(id, steps, place),
        }
    });
}

impl Cursor<'_> {
    fn push_op<A: Recorded>(&mut self, op: &Op, refs: &[Ref], y: &mut [A], place: &Place, nanos: f32) -> Option<u32> {
        let Frame { node, block, place: own, .. } = self.frames.last().expect("a scope has its root");
        let writer = &mut *self.writer;
        if own.is_none()
            && writer.settings.context.is_none()
            && let Some(node) = writer.push_repeated(op, [*node, *block], refs, y, (place, nanos))
        {
            y[0].set_origin(Origin { recording: self.id, node, out: 0 });
            return Some(node);
        }
        let label = writer.op(op);
        let id =
            self.push_with_results(&NodeHeader { nanos, ..NodeHeader::new(Kind::Primitive, label, place) }, refs, y)?;
        self.writer.remember(id);
        Some(id)
    }

    /// Adds the steps of an op's kernel as children of the op.
    pub(super) fn push_steps(&mut self, id: u32, steps: &[Step], place: &Place) {
        let label = self.writer.tape.row(id).label;
        if self.how_to_enter(&NodeHeader::new(Kind::Primitive, label, place)) != Enter::Everything {
            return;
        }
        let given: SmallVec<[Ref; 3]> = self.writer.tape.refs_of(id).into();
        let mut made: SmallVec<[Option<Ref>; 4]> = SmallVec::new();
        self.frames.push(Frame::new(id));
        for s in steps {
            let found = |input: &StepInput| match *input {
                StepInput::Operand(i) => given.get(i).copied(),
                StepInput::Step(i) => made.get(i).copied().flatten(),
            };
            let refs: SmallVec<[Ref; 2]> = s.inputs.iter().filter_map(found).collect();
            let label = self.writer.label(s.name, None);
            let header = NodeHeader::new(Kind::Primitive, label, place);
            let node = self.push(&header, &refs, NodeResults::types(std::slice::from_ref(&s.output)));
            made.push(node.map(|at| Ref { at, out: 0 }));
        }
        self.frames.pop();
    }
}

impl Cursor<'_> {
    /// Gives a result a name, if it has none.
    pub(super) fn set_name_of(&mut self, r: Ref, name: &str) {
        let name_of = self.writer.tape.row(r.at).name;
        if name_of != 0 && r.out == 0 {
            return;
        }
        let old = name_of.checked_sub(1).map(|i| self.writer.tape.names[i as usize].clone());
        let name = match old {
            None if r.out == 0 => self.writer.name(name),
            // Each result has its own, in order.
            Some(old) if old.split(", ").count() == r.out as usize => self.writer.name(&format!("{old}, {name}")),
            _ => return,
        };
        self.writer.row_mut(r.at).name = name;
    }
}

/// The nodes that the innermost scope wants inside loops and staged calls.
pub fn inner_nodes() -> Option<InnerNodes> {
    with_cursor(|cursor| cursor.writer.settings.inner_nodes)
}

/// Writes metadata on the open call.
pub fn set_meta(key: &str, value: MetaValue) {
    with_cursor(|cursor| {
        let id = cursor.frame().node;
        cursor.writer.set_meta(id, key, value);
    });
}

/// Gives the node that results this array a name, if it has none. An array from outside the recording gets its node here.
pub fn set_name<A: Recorded>(x: &A, name: &str, place: &Place) {
    with_cursor(|cursor| {
        let r = cursor.reference(x, place);
        if !r.is_constant() {
            cursor.set_name_of(r, name);
        }
    });
}
