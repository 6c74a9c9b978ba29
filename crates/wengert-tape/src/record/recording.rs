//! Scopes as they are opened and closed: a recording, its handle for other threads, and the switch of a thread.

use super::origin::{Given, Recorded};
use super::replay::Replay;
use super::scope::{Frame, Local, at_root, enter, enter_around, exit, exit_around, innermost, is_open, look_at, with};
use super::shared::{Shared, Written};
use super::writer::{Made, Settings, What};
use crate::context::Enter;
use crate::node::NodeId;
use crate::row::{Keep, Kept, Kind, NONE, Ref};
use crate::tape::Tape;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use wengert_core::Place;

thread_local! {
    static SWITCH: RefCell<Option<Arc<Shared>>> = const { RefCell::new(None) };
}

/// A scope: from its start until it is finished, what happens on this thread is recorded, and on threads that are given
/// its [`Handle`].
pub struct Recording {
    shared: Arc<Shared>,
    scope: u64,
    /// It is the scope of the thread that opened it.
    here: PhantomData<*const ()>,
}

impl Recording {
    /// Opens a scope on this thread, whose root has this name.
    pub fn start(settings: Settings, name: &str, place: &Place) -> Recording {
        let shared = Shared::new(settings, name, place);
        let scope = enter(Local::new(&shared, Frame::new(0), 0));
        Recording { shared, scope, here: PhantomData }
    }

    /// Takes values from another tape of the same function as long as it does the same, up to this node.
    pub fn replay(&self, tape: Arc<Tape>, until: NodeId) {
        look_at(self.scope, |l| l.replay = Some(Replay::new(tape, until.0)));
    }

    /// Gives the root an argument.
    pub fn argument<A: Recorded>(&self, name: &str, x: &mut A, place: &Place) {
        at_root(self.scope, |at| {
            let label = at.writer.label("argument", None);
            let id = at.push_made(&What::new(Kind::Argument, label, place), &[], std::slice::from_mut(x));
            if let Some(id) = id {
                at.writer.row_mut(id).name = at.writer.name(name);
            }
        });
    }

    /// Ends the scope with what the recorded function gave, and gives the tape.
    pub fn finish<A: Recorded>(self, results: &[Given<'_, A>], place: &Place) -> Tape {
        self.close(results, place).tape
    }

    /// Ends the scope. A recording around it has what happened as a call.
    pub fn finish_inside<A: Recorded>(self, results: &[Given<'_, A>], place: &Place) -> Tape {
        let id = self.shared.id;
        let written = self.close(results, place);
        with(|at| at.absorb(id, &written, results, place));
        written.tape
    }

    fn close<A: Recorded>(self, results: &[Given<'_, A>], place: &Place) -> Written {
        at_root(self.scope, |at| {
            let mut kept: Vec<Kept> = Vec::new();
            let mut refs: Vec<Ref> = Vec::new();
            for r in results {
                match r {
                    Given::Array(x) => {
                        refs.push(at.reference(*x, place));
                        kept.push(Kept { ty: at.writer.ty(&x.ty()), kept: Keep::Nothing.pack() });
                    }
                    Given::Text(t) => {
                        refs.push(at.writer.note(t));
                        kept.push(at.writer.text(t));
                    }
                }
            }
            let label = at.writer.label("return", None);
            let id = at.push(&What::new(Kind::Return, label, place), &refs, Made::NOTHING);
            at.writer.row_mut(0).extra = id.unwrap_or(NONE);
            at.writer.set_results(0, &kept);
        });
        // Dropped here, the scope ends.
        self.shared.close().unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        exit(self.scope);
        self.shared.close();
    }
}

/// The scope of a thread, to be taken to another.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    node: u32,
    enter: Enter,
    depth: usize,
}

/// The innermost scope of this thread, if it records.
pub fn current() -> Option<Handle> {
    innermost(|l| l.hand_over()).map(|(shared, node, enter, depth)| Handle { shared, node, enter, depth })
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
        let _exit = Exit(enter(Local::new(&self.shared, Frame::entered(self.node, self.enter), self.depth)));
        f()
    }
}

/// Starts recording on this thread, or goes on with the recording that was stopped. It is around all other scopes of the
/// thread: while these are open, what happens goes to them.
pub fn enable(settings: Settings, place: &Place) {
    SWITCH.with_borrow_mut(|s| {
        let shared = s.get_or_insert_with(|| Shared::new(settings, "trace", place));
        if !is_open(shared) {
            enter_around(Local::new(shared, Frame::new(0), 0));
        }
    });
}

/// Stops recording on this thread; what was recorded stays.
pub fn disable() {
    SWITCH.with_borrow(|s| s.iter().for_each(|s| exit_around(s)));
}

/// What was recorded so far.
pub fn collect() -> Tape {
    SWITCH.with_borrow(|s| s.as_ref().and_then(|s| s.lock().as_ref().map(|w| w.tape.clone())).unwrap_or_default())
}

/// Forgets what was recorded, and frees its memory. Recording goes on if it was on.
pub fn purge() {
    let old = SWITCH.with_borrow_mut(Option::take);
    let Some(old) = old else { return };
    let on = is_open(&old);
    exit_around(&old);
    if let Some(written) = old.close()
        && on
    {
        enable(written.settings, &Place::unknown());
    }
}
