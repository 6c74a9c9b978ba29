//! Calls being recorded: what they are given, what runs inside, what they give back.

use super::at::{At, nanos};
use super::origin::{Given, Origin, Recorded};
use super::replay::Recalled;
use super::scope::{Frame, Opened, leave, listen, with};
use super::writer::{Made, What};
use crate::context::Enter;
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
    /// Those of the call on the tape being replayed.
    Recalled(&'a Recalled),
}

/// A call being recorded. Its children are what happens on this thread until it is finished; dropped unfinished, it
/// has unwound.
pub struct Call {
    open: Option<Open>,
}

struct Open {
    at: Opened,
    /// None if the context left the call out.
    node: Option<u32>,
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

    /// Opens a call of one of our own functions: for the user, all that it does is where it is called.
    pub fn enter_own<A: Recorded>(name: &str, args: &[(&str, Given<'_, A>)], place: &Place) -> Call {
        let call = Call::open(name, "", None, args, place);
        if call.is_open() {
            with(|at| {
                at.frame().place.get_or_insert_with(|| place.clone());
            });
        }
        call
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
        let report = |at: &mut At<'_>| {
            let started = at.writer.settings.times.then(Instant::now);
            let unwinding = std::thread::panicking();
            let passed = |at: &mut At<'_>, enter| {
                let around = at.frame().node;
                Open { at: at.enter(Frame::entered(around, enter)), node: None, started, unwinding }
            };
            // What a staged function did is looked through when it ends.
            if at.frame().silent && op.is_some() {
                return passed(at, Enter::Tracked);
            }
            let label = match op {
                None => at.writer.function(name, module),
                Some(op) => at.writer.structured(name, op),
            };
            let what = What::new(Kind::Call, label, place);
            let mut found = None;
            if at.frame().silent {
                let enter = at.enters(&what);
                found = Some(enter);
                if enter != Enter::Everything {
                    return passed(at, enter);
                }
            }
            let refs: SmallVec<[Ref; 4]> = args
                .iter()
                .map(|(_, a)| match a {
                    Given::Array(x) => at.reference(*x, place),
                    Given::Text(t) => at.writer.note(t),
                })
                .collect();
            let node = at.push(&what, &refs, Made::NOTHING);
            let (opened, enter) = at.go_inside(node, &what, found);
            let silent = enter != Enter::Everything;
            if !silent && op.is_none() {
                // Without a name it has no node of its own: what uses it refers to where it came from.
                for ((name, a), &r) in args.iter().zip(&refs).filter(|((name, _), _)| !name.is_empty()) {
                    at.argument(name, a, r, place);
                }
            }
            Open { at: opened, node, started, unwinding }
        };
        // Where only tracked functions are looked for, our own pass unseen.
        Call { open: if module.is_empty() && op.is_none() { with(report) } else { listen(report) } }
    }

    /// Whether it is recorded.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether it is being left by unwinding.
    pub fn unwinds(&self) -> bool {
        self.open.as_ref().is_some_and(|o| std::thread::panicking() && !o.unwinding)
    }

    /// Ends the call with what it gives back.
    pub fn finish<A: Recorded>(mut self, results: &[Given<'_, A>], place: &Place) {
        let Some(open) = self.open.take() else { return };
        let nanos = nanos(open.started);
        leave(open.at, |at, frame| {
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
                            let inside = frame.aliases.get(&source).copied();
                            (k, inside.unwrap_or_else(|| at.alias(source)), source)
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
                // Still inside the call.
                at.frames.push(Frame { block: frame.block, place: frame.place.clone(), ..Frame::new(call) });
                let id = at.push(&What::new(Kind::Return, label, place), &refs, Made::NOTHING);
                at.frames.pop();
                at.writer.row_mut(call).extra = id.unwrap_or(NONE);
            }
            for (i, (r, source)) in results.iter().zip(&outside).enumerate() {
                let Given::Array(x) = r else { continue };
                let here = Ref { at: call, out: i as u32 };
                if frame.silent {
                    // Nothing inside has a node: the value comes from the call.
                    if let Some(id) = x.id()
                        && at.of_origin(x.origin()).is_none()
                    {
                        kept[i] = at.writer.result(&x.ty(), || x.tensor().cloned(), call);
                        at.writer.seen.outside.insert(id, here);
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
        leave(open.at, |at, frame| {
            let Some(call) = open.node else {
                y.iter_mut().for_each(|y| y.set_origin(Origin::unseen(at.id)));
                return at.look_through(frame, body);
            };
            let mut kept: SmallVec<[Kept; 2]> = SmallVec::new();
            for (out, y) in y.iter_mut().enumerate() {
                kept.push(at.writer.result(&y.ty(), || y.tensor().cloned(), call));
                y.set_origin(Origin { recording: at.id, node: call, out: out as u32 });
            }
            at.writer.set_results(call, &kept);
            at.writer.row_mut(call).nanos = nanos;
            match body {
                _ if frame.silent && !frame.searched => {}
                Body::Recorded => {}
                // A user's op that is made of ops has shown them.
                Body::Op(_) if at.writer.tape.row(call).first_child != NONE => {}
                Body::Tape(tape) => at.graft(call, tape, frame.searched),
                Body::Op(types) => at.graft_op(call, types, frame.searched),
                Body::Recalled(known) => at.copy_recalled(call, known),
            }
        });
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let flag = if self.unwinds() { UNWOUND } else { 0 };
        let Some(open) = self.open.take() else { return };
        let nanos = nanos(open.started);
        leave(open.at, |at, _| {
            if let Some(call) = open.node {
                let row = at.writer.row_mut(call);
                row.flags |= flag;
                row.nanos = nanos;
            }
        });
    }
}

impl At<'_> {
    /// Adds a call and goes inside; silently if the context left it out, or does not want to see its inside.
    pub(super) fn open(&mut self, what: &What<'_>, refs: &[Ref]) -> (Opened, Option<u32>, Enter) {
        let node = self.push(what, refs, Made::NOTHING);
        let (opened, enter) = self.go_inside(node, what, None);
        (opened, node, enter)
    }

    /// Goes inside a call that was just added, or left out; the context is asked how, unless it was already.
    pub(super) fn go_inside(&mut self, node: Option<u32>, what: &What<'_>, said: Option<Enter>) -> (Opened, Enter) {
        let enter = match node {
            None => Enter::Nothing,
            Some(_) => said.unwrap_or_else(|| self.enters(what)),
        };
        let place = self.frame().place.clone();
        (self.enter(Frame { place, ..Frame::entered(node.unwrap_or(NONE), enter) }), enter)
    }

    /// How the inside of a call is recorded.
    pub(super) fn enters(&mut self, what: &What<'_>) -> Enter {
        self.ask(what, Made::NOTHING, |c, draft| c.enter(draft)).map_or(Enter::Everything, |(enter, _)| enter)
    }

    /// The node of an argument, inside the call that was just opened.
    fn argument<A: Recorded>(&mut self, name: &str, a: &Given<'_, A>, r: Ref, place: &Place) {
        let label = self.writer.label("argument", None);
        let what = What::new(Kind::Argument, label, place);
        let id = match a {
            Given::Array(x) => {
                let Some(id) = self.push(&what, &[r], Made::types(&[x.ty()])) else { return };
                if !r.is_constant() {
                    let source = self.source(*x, place);
                    self.frame().aliases.entry(source).or_insert(Ref { at: id, out: 0 });
                }
                id
            }
            Given::Text(t) => {
                let Some(id) = self.push(&what, &[r], Made::NOTHING) else { return };
                let kept = self.writer.text(t);
                self.writer.set_results(id, &[kept]);
                id
            }
        };
        self.writer.row_mut(id).name = self.writer.name(name);
    }
}
