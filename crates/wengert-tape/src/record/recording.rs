//! Scopes as they are opened and closed: a recording, and its handle for other threads.

use super::around::{self, TracedFor};
use super::origin::{CallValue, NoArray, Origin, Recorded};
use super::outside;
use super::replay::Replay;
use super::scope::{Frame, HandleParts, ThreadScope, innermost_parts, with_cursor, with_root, with_scope};
use super::shared::{FinishedRecording, SharedWriter};
use super::slots::{enter, exit};
use super::writer::{FixedLabel, NodeHeader, NodeResults, Settings};
use crate::api::API;
use crate::host::{HostNumber, HostType};
use crate::node::{Node, NodeId};
use crate::row::{ABSTRACT, FOLLOWED, KeptValue, Kind, NONE, Ref, ResultRow, UNWOUND};
use crate::tape::Tape;
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::sync::Arc;
use wengert_core::Place;

/// A scope: from its start until it is finished, what happens on this thread is recorded, and on threads that are given
/// its [`Handle`].
pub struct Recording {
    shared: Arc<SharedWriter>,
    scope: u64,
    /// It is the scope of the thread that opened it.
    here: PhantomData<*const ()>,
}

impl Recording {
    /// Opens a scope on this thread, whose root has this name.
    pub fn start(settings: Settings, name: &str, place: &Place) -> Recording {
        // One around it that keeps values gets all of its nodes.
        let is_kept = with_cursor(|cursor| cursor.writer.settings.keeps_constants()) == Some(true);
        let settings = Settings { constants: settings.constants || is_kept, ..settings };
        Recording::open(SharedWriter::new(settings, name, place))
    }

    /// The same of a function that is traced without values: its tape stays with its program, and is no part of others.
    pub fn start_body(name: &str, traced_for: TracedFor, place: &Place) -> Recording {
        Recording::open(SharedWriter::new_body(name, traced_for, place))
    }

    fn open(shared: Arc<SharedWriter>) -> Recording {
        outside::opened(&shared);
        let scope = enter(ThreadScope::new(&shared, Frame::new(0), 0));
        Recording { shared, scope, here: PhantomData }
    }

    /// Takes values from another tape of the same function as long as both do the same, up to this node.
    pub fn replay(&self, tape: Arc<Tape>, until: NodeId) {
        with_scope(self.scope, |l| l.replay = Some(Replay::new(tape, until.0)));
    }

    /// Gives the root an argument.
    pub fn argument<A: Recorded>(&self, name: &str, x: &mut A, place: &Place) {
        // A function that is traced has variables of its own.
        let (is_run, origin, array) = (!self.shared.is_body(), x.origin(), x.id());
        with_root(self.scope, |cursor| {
            let label = cursor.writer.fixed_label(FixedLabel::Argument);
            let id =
                cursor.push_with_results(&NodeHeader::new(Kind::Argument, label, place), &[], std::slice::from_mut(x));
            if let Some(id) = id {
                cursor.writer.row_mut(id).name = cursor.writer.name(name);
                cursor.writer.outside.arguments.extend(is_run.then_some((id, origin, array)));
            }
        });
        if is_run {
            outside::mark_used(self.shared.id, origin);
        }
    }

    /// The recorded function is the one at this path. If it is tracked, its call did all that the run did, and the run gives what
    /// the call gave: the call then.
    pub fn follow_call(&self, path: &str) -> Option<NodeId> {
        with_root(self.scope, |cursor| {
            let (call, callee) = cursor.frame().last_call;
            let is_all = callee.is_at(path) && cursor.writer.tape.row(0).last_child == call;
            is_all.then(|| {
                cursor.writer.row_mut(call).flags |= FOLLOWED;
                cursor.frame().returns = SmallVec::from_slice(&[Ref { at: call, out: 0 }]);
                NodeId(call)
            })
        })?
    }

    /// The recorded function gives a number. If a tracked function that it called gave that, as the last thing that it did, the run gives
    /// what came from there; what else the function, which is not tracked, did with it is not known.
    pub fn refer_to_call(&self, number: HostNumber) {
        with_root(self.scope, |cursor| {
            let (call, _) = cursor.frame().last_call;
            let here = Ref { at: call, out: 0 };
            if call != NONE && cursor.writer.tape.row(0).last_child == call && cursor.number_of(here) == Some(number) {
                cursor.frame().returns = SmallVec::from_slice(&[here]);
            }
        });
    }

    /// Ends the scope with what the recorded function gave, and gives the tape.
    pub fn finish<A: Recorded>(self, results: &[CallValue<'_, A>], place: &Place) -> Tape {
        self.close(results, place).tape
    }

    /// Ends the scope. A recording around it gets the nodes as a call.
    pub fn finish_inside<A: Recorded>(self, results: &[CallValue<'_, A>], place: &Place) -> Tape {
        let id = self.shared.id;
        let written = self.close(results, place);
        // One that used nothing of a body that is being traced is no part of the body.
        let of_body = |(_, origin): &(u32, Origin)| around::is_of_body(*origin);
        let _scope = (!written.outside.foreign.iter().any(of_body)).then(around::around_bodies);
        with_cursor(|cursor| cursor.absorb(id, &written, results, place));
        written.tape
    }

    /// The same where the recorded function panicked: then it has no return.
    pub fn finish_unwound(self) -> Tape {
        exit(self.scope);
        let written = self.shared.close().unwrap_or_default();
        absorb_unwound(self.shared.id, &written);
        written.tape
    }

    /// Ends a scope that was opened for our own sake. A recording around it has the nodes as if the scope had not been there.
    pub fn dissolve(self, place: &Place) -> Tape {
        let id = self.shared.id;
        let aliases = with_root(self.scope, |cursor| cursor.frame().aliases.clone()).unwrap_or_default();
        let written = self.close::<NoArray>(&[], place);
        with_cursor(|cursor| cursor.dissolve(id, &written, &aliases));
        written.tape
    }

    /// Ends the scope of a function that was traced, with what it gave.
    pub fn finish_body<A: Recorded>(self, results: &[CallValue<'_, A>], place: &Place) -> TracedBody {
        TracedBody { id: self.shared.id, written: self.close(results, place) }
    }

    /// Ends the scope of a function that failed while it was traced.
    pub fn abandon(self) -> Option<TracedBody> {
        Some(TracedBody { id: self.shared.id, written: self.shared.close()? })
    }

    fn close<A: Recorded>(self, results: &[CallValue<'_, A>], place: &Place) -> FinishedRecording {
        with_root(self.scope, |cursor| {
            let mut kept: Vec<ResultRow> = Vec::new();
            let mut refs: Vec<Ref> = Vec::new();
            let followed = cursor.frame().returns.first().copied().filter(|_| results.len() == 1);
            for r in results {
                match r {
                    CallValue::Array(x) => {
                        refs.push(cursor.reference(*x, place));
                        kept.push(ResultRow { ty: cursor.writer.ty(&x.ty()), kept: KeptValue::Nothing.pack() });
                    }
                    CallValue::Text(t) => {
                        refs.push(followed.unwrap_or_else(|| cursor.writer.text_operand(t)));
                        kept.push(cursor.writer.text_result(t));
                    }
                    CallValue::Shown(t, ty) => {
                        refs.push(followed.unwrap_or_else(|| cursor.writer.shown_operand(t, ty)));
                        kept.push(cursor.writer.shown_result(t, ty));
                    }
                    CallValue::Number(x) => {
                        refs.push(followed.unwrap_or_else(|| cursor.writer.number_operand(*x)));
                        kept.push(cursor.writer.number_result(*x));
                    }
                }
            }
            let label = cursor.writer.fixed_label(FixedLabel::Return);
            let id = cursor.push(&NodeHeader::new(Kind::Return, label, place), &refs, NodeResults::NONE);
            cursor.writer.row_mut(0).extra = id.unwrap_or(NONE);
            cursor.writer.set_results(0, &kept);
            if let [CallValue::Number(x)] = results {
                cursor.writer.row_mut(0).host = HostType::code(Some(x.ty));
            }
        });
        // Dropped here, the scope ends.
        let mut finished = self.shared.close().unwrap_or_default();
        finished.tape.recording = self.shared.id;
        finished
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        exit(self.scope);
        // One that was not finished, for the function panicked, is a part of the recording around it too.
        if let Some(written) = self.shared.close()
            && !self.shared.is_body()
        {
            absorb_unwound(self.shared.id, &written);
        }
    }
}

/// Adds a recording whose function panicked to the one around it, as a call.
fn absorb_unwound(id: u32, written: &FinishedRecording) {
    let place = written.tape.root().place();
    with_cursor(|cursor| {
        if let Some(call) = cursor.absorb::<NoArray>(id, written, &[], &place) {
            cursor.writer.row_mut(call).flags |= UNWOUND;
        }
    });
}

/// What a function did while it was traced without values, and what it has of the recording around it.
pub struct TracedBody {
    pub(super) id: u32,
    pub(super) written: FinishedRecording,
}

impl TracedBody {
    /// Whether a tracked function or a transform was called in it.
    pub fn has_calls(&self) -> bool {
        let tape = &self.written.tape;
        let is_call = |n: Node<'_>| n.kind() == Kind::Call && (n.module().is_some() || n.meta(API).is_some());
        // One that gave what is known outside has no part in the body.
        let is_outside = |r: &Ref| !r.is_constant() && tape.row(r.at).kind() == Kind::Constant;
        let given = |n: Node<'_>| tape.row(n.id).returns().map_or(&[][..], |returned| tape.refs_of(returned));
        let is_known = |n: Node<'_>| !given(n).is_empty() && given(n).iter().all(is_outside);
        tape.nodes().any(|n| is_call(n) && !is_known(n))
    }

    /// Adds it to the open call, as a call of its function, with the error that this ended in, if it did.
    pub fn add(&self, error: Option<&str>) {
        let place = self.written.tape.root().place();
        with_cursor(|cursor| {
            if let Some(call) = cursor.absorb::<NoArray>(self.id, &self.written, &[], &place) {
                cursor.writer.row_mut(call).flags |= ABSTRACT;
                error.into_iter().for_each(|message| cursor.set_failed(call, message));
            }
        });
    }
}

/// The scope of a thread, for other threads to continue.
#[derive(Clone)]
pub struct Handle(HandleParts);

/// The settings of the innermost recording of this thread, if it records.
pub fn current_settings() -> Option<Settings> {
    with_cursor(|cursor| cursor.writer.settings.clone())
}

/// The innermost scope of this thread, if it records.
pub fn current_handle() -> Option<Handle> {
    innermost_parts().map(Handle)
}

impl Handle {
    /// Runs something on this thread as a part of the scope, inside the call that was open where the handle was made.
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> T {
        struct Exit(u64);
        impl Drop for Exit {
            fn drop(&mut self) {
                exit(self.0);
            }
        }
        let _exit = Exit(enter(ThreadScope::new(&self.0.shared, self.0.frame(), self.0.depth)));
        f()
    }
}
