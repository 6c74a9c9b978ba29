//! Where the next node goes: the nodes that operands are, ops, and what is written on nodes.

use super::origin::{Origin, Recorded};
use super::replay::Recalled;
use super::scope::{Frame, Opened, with};
use super::shared::{Held, Shared};
use super::writer::{Iterations, Made, What};
use crate::context::{Context, Draft, Enter, Says, visit};
use crate::meta::MetaValue;
use crate::row::{Kind, NONE, Ref};
use crate::tape::Label;
use smallvec::SmallVec;
use std::time::Instant;
use wengert_core::run::Step;
use wengert_core::{Op, Place, Type};

/// Where the next node goes.
pub(super) struct At<'a> {
    pub(super) id: u32,
    pub(super) scope: u64,
    pub(super) writer: Held<'a>,
    pub(super) frames: &'a mut Vec<Frame>,
    pub(super) depth: usize,
}

impl<'a> At<'a> {
    /// In a recording that is no thread's scope.
    pub(super) fn root(shared: &'a Shared, frames: &'a mut Vec<Frame>) -> At<'a> {
        At { id: shared.id, scope: 0, writer: Held::new(shared).expect("it is new"), frames, depth: 0 }
    }

    /// Opens a call, or a silence.
    pub(super) fn enter(&mut self, frame: Frame) -> Opened {
        self.frames.push(frame);
        Opened { scope: self.scope, frame: self.frames.len() - 1 }
    }

    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a scope has its root")
    }

    pub(super) fn push(&mut self, what: &What<'_>, refs: &[Ref], made: Made<'_>) -> Option<u32> {
        let own = self.frame().place.clone();
        let what = What { place: own.as_ref().unwrap_or(what.place), ..*what };
        let says = match self.ask(&what, made, |c, draft| visit(c, draft)) {
            None => Says { capture: self.writer.settings.capture, skipped: false, metadata: Vec::new() },
            Some(((), says)) if says.skipped => return None,
            Some(((), says)) => says,
        };
        let Frame { node, block, .. } = *self.frame();
        Some(self.writer.push(&what, [node, block], refs, made, says))
    }

    /// What a hook of the context, if there is one, says of a node.
    pub(super) fn ask<T>(
        &mut self,
        what: &What<'_>,
        made: Made<'_>,
        hook: impl FnOnce(&dyn Context, &mut Draft<'_>) -> T,
    ) -> Option<(T, Says)> {
        let context = self.writer.settings.context.clone()?;
        let label = self.writer.tape.labels[what.label as usize].clone();
        let depth = self.depth + self.frames.len();
        Some(self.consult(&*context, (what.kind, &label, what.place, depth), made, hook))
    }

    /// What a hook of a context says of a node. Nothing is held while it runs.
    pub(super) fn consult<T>(
        &mut self,
        context: &dyn Context,
        (kind, label, place, depth): (Kind, &Label, &Place, usize),
        Made { types, value }: Made<'_>,
        hook: impl FnOnce(&dyn Context, &mut Draft<'_>) -> T,
    ) -> (T, Says) {
        let module = label.module.as_deref().unwrap_or_default();
        let says = Says { capture: self.writer.settings.capture, skipped: false, metadata: Vec::new() };
        self.writer.release(|| {
            let mut draft = Draft { kind, label, module, place, depth, types, value, says };
            let y = hook(context, &mut draft);
            (y, draft.says)
        })
    }

    /// The node of this recording that is an origin, if that is one of its own or of a recording that ended inside it.
    #[inline]
    pub(super) fn of_origin(&self, origin: Origin) -> Option<Ref> {
        let Origin { recording, node, out } = origin;
        if node == NONE {
            return None;
        }
        if recording == self.id {
            return Some(Ref { at: node, out });
        }
        let at = self.writer.seen.absorbed.get(&recording)?.of(node)?;
        Some(Ref { at, out })
    }

    /// Whether an origin without a node here is in this recording, or one that ended inside it.
    fn is_unseen(&self, origin: Origin) -> bool {
        origin.recording == self.id || self.writer.seen.absorbed.contains_key(&origin.recording)
    }

    /// The node a value came from, however it is called here.
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
        let (ty, id) = (x.ty(), x.id());
        if let Some(r) = id.and_then(|id| self.writer.seen.outside.get(&id)) {
            return *r;
        }
        let unseen = self.is_unseen(origin);
        let (kind, name) = if unseen { (Kind::Special, "unrecorded") } else { (Kind::Constant, "constant") };
        let label = self.writer.label(name, None);
        let made = Made { types: std::slice::from_ref(&ty), value: &|_| x.tensor().cloned() };
        let node = self.push(&What::new(kind, label, place), &[], made);
        let Some(node) = node else { return self.unknown(x) };
        let r = Ref { at: node, out: 0 };
        if let Some(id) = id {
            self.writer.seen.outside.insert(id, r);
        }
        if origin != Origin::default() && !unseen {
            self.writer.seen.foreign.push((node, origin));
        }
        r
    }

    /// An operand whose node the context left out.
    fn unknown<A: Recorded>(&mut self, x: &A) -> Ref {
        self.writer.note(&x.ty().to_string())
    }

    pub(super) fn reference<A: Recorded>(&mut self, x: &A, place: &Place) -> Ref {
        let r = self.source(x, place);
        self.alias(r)
    }

    /// What a node is called in the open call, or else in those around it.
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
            // It was made in here: calls further out know nothing of it. Calls that are gone through have no inside.
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

    /// Adds a node with results of its own, which come from it from now on.
    pub(super) fn push_made<A: Recorded>(&mut self, what: &What<'_>, refs: &[Ref], y: &mut [A]) -> Option<u32> {
        let types: SmallVec<[Type; 2]> = y.iter().map(Recorded::ty).collect();
        let id = self.push(what, refs, Made { types: &types, value: &|i| y[i].tensor().cloned() });
        for (out, y) in y.iter_mut().enumerate() {
            let origin = id.map(|node| Origin { recording: self.id, node, out: out as u32 });
            y.set_origin(origin.unwrap_or(Origin::unseen(self.id)));
        }
        id
    }
}

pub(super) fn nanos(started: Option<Instant>) -> f32 {
    started.map_or(f32::NAN, |s| s.elapsed().as_nanos() as f32)
}

/// What ran inside an op.
pub enum Inside<'a> {
    /// What its kernel ran.
    Steps(&'a [Step]),
    /// What ran inside it when it was recorded before.
    Recalled(&'a Recalled),
}

/// Records one op.
pub fn primitive<A: Recorded>(
    op: &Op,
    x: &[&A],
    y: &mut [A],
    place: &Place,
    started: Option<Instant>,
    inside: Inside<'_>,
) {
    let nanos = nanos(started);
    with(|at| {
        let refs = at.references(x, place);
        let Some(id) = at.push_op(op, &refs, y, place, nanos) else { return };
        match inside {
            Inside::Steps([]) => {}
            Inside::Recalled(known) => at.copy_recalled(id, known),
            Inside::Steps(steps) => at.steps(id, steps, place),
        }
    });
}

impl At<'_> {
    fn push_op<A: Recorded>(&mut self, op: &Op, refs: &[Ref], y: &mut [A], place: &Place, nanos: f32) -> Option<u32> {
        let Frame { node, block, place: own, .. } = self.frames.last().expect("a scope has its root");
        let writer = &mut *self.writer;
        if own.is_none()
            && writer.settings.context.is_none()
            && let Some(node) = writer.push_again(op, [*node, *block], refs, y, (place, nanos))
        {
            y[0].set_origin(Origin { recording: self.id, node, out: 0 });
            return Some(node);
        }
        let label = writer.op(op);
        let id = self.push_made(&What { nanos, ..What::new(Kind::Primitive, label, place) }, refs, y)?;
        self.writer.remember(id);
        Some(id)
    }

    /// What the kernel of an op ran, inside the op's node.
    fn steps(&mut self, id: u32, steps: &[Step], place: &Place) {
        let label = self.writer.tape.row(id).label;
        if self.enters(&What::new(Kind::Primitive, label, place)) != Enter::Everything {
            return;
        }
        self.frames.push(Frame::new(id));
        for s in steps {
            let refs: SmallVec<[Ref; 2]> = s.inputs.iter().map(|t| self.writer.note(&t.to_string())).collect();
            let label = self.writer.label(s.name, None);
            let what = What::new(Kind::Primitive, label, place);
            self.push(&what, &refs, Made::types(std::slice::from_ref(&s.output)));
        }
        self.frames.pop();
    }
}

/// What runs inside loops and staged calls, as the innermost scope wants it.
pub fn inside() -> Option<Iterations> {
    with(|at| at.writer.settings.inside)
}

/// Writes something on the call that is open.
pub fn set_meta(key: &str, value: MetaValue) {
    with(|at| {
        let id = at.frame().node;
        at.writer.set_meta(id, key, value);
    });
}

/// Gives the node that made this array a name, if it has none. An array from outside the recording gets its node here.
pub fn set_name<A: Recorded>(x: &A, name: &str, place: &Place) {
    with(|at| {
        let r = at.reference(x, place);
        if r.is_constant() {
            return;
        }
        let row = *at.writer.tape.row(r.at);
        let old = row.name.checked_sub(1).map(|i| at.writer.tape.names[i as usize].clone());
        let name = match old {
            None if r.out == 0 => at.writer.name(name),
            // Each result has its own, in order.
            Some(old) if old.split(", ").count() == r.out as usize => at.writer.name(&format!("{old}, {name}")),
            _ => return,
        };
        at.writer.row_mut(r.at).name = name;
    });
}
