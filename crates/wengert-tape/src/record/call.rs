//! Calls being recorded: what they are given, what runs inside, what they give back.

use super::scope::{At, Frame, Given, Origin, Recorded, What, leave, nanos, with};
use crate::node::NodeId;
use crate::row::{Keep, Kept, Kind, NONE, Ref, UNWOUND};
use crate::tape::Tape;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Instant;
use wengert_core::{Op, Place, Type};

/// What the children of a call are that ran as a whole.
pub enum Body<'a> {
    /// Those recorded while it ran.
    Recorded,
    /// Those of a tape made when it was traced.
    Tape(&'a Arc<Tape>),
    /// The programs its op holds, given the types of its operands.
    Op(&'a [Type]),
}

/// A call being recorded. Its children are what happens on this thread until it is finished; dropped unfinished, it
/// has unwound.
pub struct Call {
    open: Option<Open>,
}

struct Open {
    /// None if the context left the call out.
    node: Option<u32>,
    recording: u32,
    arguments: SmallVec<[Option<u32>; 4]>,
    started: Option<Instant>,
    unwinding: bool,
}

impl Call {
    /// A call that is not recorded.
    pub const SILENT: Call = Call { open: None };

    /// Opens a call of a function with named arguments, which are nodes inside it.
    pub fn enter<A: Recorded>(name: &str, module: &str, args: &[(&str, Given<'_, A>)], place: &Place) -> Call {
        Call::open(name, module, None, args, place)
    }

    /// Opens a call that runs an op which holds programs; see [`Call::finish_whole`].
    pub fn enter_op<A: Recorded>(name: &str, op: &Op, x: &[&A], place: &Place) -> Call {
        let args: SmallVec<[(&str, Given<'_, A>); 4]> = x.iter().map(|x| ("", Given::Array(*x))).collect();
        Call::open(name, "", Some(op), &args, place)
    }

    fn open<A: Recorded>(
        name: &str,
        module: &str,
        op: Option<&Op>,
        args: &[(&str, Given<'_, A>)],
        place: &Place,
    ) -> Call {
        let open = with(|at| {
            let started = at.writer.settings.times.then(Instant::now);
            let refs: SmallVec<[Ref; 4]> = args
                .iter()
                .map(|(_, a)| match a {
                    Given::Array(x) => at.reference(*x, place),
                    Given::Text(t) => at.writer.note(t),
                })
                .collect();
            let label = match op {
                None => at.writer.label(name, None),
                Some(op) => at.writer.structured(name, op),
            };
            let what = What { kind: Kind::Call, label, place, module, nanos: f32::NAN };
            let node = at.push(&what, &refs, &[], &[]);
            let inside = |at: &mut At<'_>| at.ask(&what, &[], &[], |c, draft| c.recurse(draft));
            let silent = node.is_none() || inside(at).is_some_and(|(recurse, _)| !recurse);
            at.frames.push(Frame { silent, ..Frame::new(node.unwrap_or(NONE)) });
            let mut arguments = SmallVec::new();
            if !silent && op.is_none() {
                for ((name, a), &r) in args.iter().zip(&refs) {
                    // Without a name it has no node of its own: what uses it refers to where it came from.
                    arguments.push(if name.is_empty() { None } else { at.argument(name, a, r, place) });
                }
            }
            Open { node, recording: at.id, arguments, started, unwinding: std::thread::panicking() }
        });
        Call { open }
    }

    /// Whether it is recorded.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether it is being left by unwinding.
    pub fn unwinds(&self) -> bool {
        self.open.as_ref().is_some_and(|o| std::thread::panicking() && !o.unwinding)
    }

    /// Its node, if it is recorded and was not left out.
    pub fn node(&self) -> Option<NodeId> {
        self.open.as_ref()?.node.map(NodeId)
    }

    /// Where an argument comes from inside the call.
    pub fn argument(&self, i: usize) -> Origin {
        let open = self.open.as_ref();
        let node = open.and_then(|o| *o.arguments.get(i)?);
        node.map_or(Origin::default(), |node| Origin { recording: open.expect("there").recording, node, out: 0 })
    }

    /// Ends the call with what it gives back.
    pub fn finish<A: Recorded>(mut self, results: &[Given<'_, A>], place: &Place) {
        let Some(open) = self.open.take() else { return };
        let nanos = nanos(open.started);
        leave(|at, frame| {
            let mut kept: SmallVec<[Kept; 2]> = SmallVec::new();
            let mut refs: SmallVec<[Ref; 2]> = SmallVec::new();
            let mut outside: SmallVec<[Ref; 2]> = SmallVec::new();
            for r in results {
                let (k, inner, source) = match r {
                    Given::Text(t) => {
                        let r = at.writer.note(t);
                        (at.writer.text(t), r, r)
                    }
                    Given::Array(x) => {
                        let ty = at.writer.ty(&x.ty());
                        let k = Kept { ty, kept: Keep::Nothing.pack() };
                        if frame.silent {
                            (k, Ref::constant(NONE), Ref::constant(NONE))
                        } else {
                            let source = at.source(*x, place);
                            (k, frame.aliases.get(&source).copied().unwrap_or(source), source)
                        }
                    }
                };
                kept.push(k);
                refs.push(inner);
                outside.push(source);
            }
            let Some(call) = open.node else { return };
            if !frame.silent {
                let label = at.writer.label("return", None);
                let what = What { kind: Kind::Return, label, place, module: "", nanos: f32::NAN };
                // Still inside the call.
                at.frames.push(Frame::new(call));
                at.frame().block = frame.block;
                let id = at.push(&what, &refs, &[], &[]);
                at.frames.pop();
                at.writer.row_mut(call).extra = id.unwrap_or(NONE);
            }
            for (i, (r, source)) in results.iter().zip(&outside).enumerate() {
                let Given::Array(x) = r else { continue };
                let here = Ref { at: call, out: i as u32 };
                if frame.silent {
                    // Nothing inside has a node: the value comes from the call.
                    if let Some(t) = x.tensor()
                        && x.origin().recording != at.id
                    {
                        kept[i].kept = at.writer.keep_result(x.tensor(), call).pack();
                        at.writer.set_outside(t, here);
                    }
                } else if !source.is_constant() && source.at > call {
                    at.frame().aliases.insert(*source, here);
                }
            }
            at.writer.set_results(call, &kept);
            at.writer.row_mut(call).nanos = nanos;
        });
    }

    /// Ends a call that ran as a whole: its results are new.
    pub fn finish_whole<A: Recorded>(mut self, y: &mut [A], body: Body<'_>) {
        let Some(open) = self.open.take() else { return };
        let nanos = nanos(open.started);
        leave(|at, frame| {
            let Some(call) = open.node else { return };
            let mut kept: SmallVec<[Kept; 2]> = SmallVec::new();
            for (out, y) in y.iter_mut().enumerate() {
                let ty = at.writer.ty(&y.ty());
                kept.push(Kept { ty, kept: at.writer.keep_result(y.tensor(), call).pack() });
                y.set_origin(Origin { recording: at.id, node: call, out: out as u32 });
            }
            at.writer.set_results(call, &kept);
            at.writer.row_mut(call).nanos = nanos;
            match body {
                _ if frame.silent => {}
                Body::Recorded => {}
                Body::Tape(tape) => at.writer.graft(call, tape),
                Body::Op(types) => at.writer.graft_op(call, types),
            }
        });
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let flag = if self.unwinds() { UNWOUND } else { 0 };
        let Some(open) = self.open.take() else { return };
        let nanos = nanos(open.started);
        leave(|at, _| {
            if let Some(call) = open.node {
                let row = at.writer.row_mut(call);
                row.flags |= flag;
                row.nanos = nanos;
            }
        });
    }
}

impl At<'_> {
    /// The node of an argument, inside the call that was just opened.
    fn argument<A: Recorded>(&mut self, name: &str, a: &Given<'_, A>, r: Ref, place: &Place) -> Option<u32> {
        let label = self.writer.label("argument", None);
        let what = What { kind: Kind::Argument, label, place, module: "", nanos: f32::NAN };
        let id = match a {
            Given::Array(x) => {
                let id = self.push(&what, &[r], &[x.ty()], &[])?;
                if !r.is_constant() {
                    let source = self.source(*x, place);
                    self.frame().aliases.entry(source).or_insert(Ref { at: id, out: 0 });
                }
                id
            }
            Given::Text(t) => {
                let id = self.push(&what, &[r], &[], &[])?;
                let kept = self.writer.text(t);
                self.writer.set_results(id, &[kept]);
                id
            }
        };
        self.writer.row_mut(id).name = self.writer.name(name);
        Some(id)
    }
}
