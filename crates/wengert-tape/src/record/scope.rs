//! Scopes: which recording this thread writes to, and the calls that are open in it.

use super::at::At;
use super::origin::{Origin, Recorded};
use super::replay::Replay;
use super::shared::{Held, Shared};
use crate::context::Enter;
use crate::row::{NONE, Ref};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;
use wengert_core::Place;

/// A call that is open on this thread.
pub(super) struct Frame {
    pub(super) node: u32,
    pub(super) block: u32,
    /// What runs in it is not recorded.
    pub(super) silent: bool,
    /// But for tracked functions that the context wants to see.
    pub(super) searched: bool,
    /// How the nodes made elsewhere are called here: the arguments of this call, and the results of calls in it.
    pub(super) aliases: FxHashMap<Ref, Ref>,
    /// For each condition being evaluated, what the host read for it.
    pub(super) conditions: Vec<SmallVec<[u32; 2]>>,
    /// The statement that runs, if the function is tracked.
    pub(super) here: Place,
    /// Where all that runs in it is for the user, if the function is one of our own.
    pub(super) place: Option<Place>,
}

impl Frame {
    pub(super) fn new(node: u32) -> Frame {
        let (aliases, conditions) = (FxHashMap::default(), Vec::new());
        let (here, place) = (Place::unknown(), None);
        Frame { node, block: 0, silent: false, searched: false, aliases, conditions, here, place }
    }

    /// A call whose inside is recorded so.
    pub(super) fn entered(node: u32, enter: Enter) -> Frame {
        Frame { silent: enter != Enter::Everything, searched: enter == Enter::Tracked, ..Frame::new(node) }
    }

    /// Whether a tracked function that is called in it may be recorded.
    fn listens(&self) -> bool {
        !self.silent || self.searched
    }

    /// The frame of what is not recorded.
    fn silence() -> Frame {
        Frame { silent: true, ..Frame::new(NONE) }
    }
}

/// A call, or a silence, that is open in a scope: its frame.
#[derive(Clone, Copy)]
pub(super) struct Opened {
    pub(super) scope: u64,
    pub(super) frame: usize,
}

/// A scope on this thread.
pub(super) struct Local {
    /// The same for no other, of whatever thread or recording.
    scope: u64,
    shared: Arc<Shared>,
    frames: Vec<Frame>,
    /// The depth of the first frame, where the scope was handed over by another thread.
    depth: usize,
    /// A tape of the same function: what is the same is not computed again.
    pub(super) replay: Option<Replay>,
    /// Whether times are measured.
    times: bool,
    _watching: Watching,
}

impl Local {
    pub(super) fn new(shared: &Arc<Shared>, root: Frame, depth: usize) -> Local {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        SCOPES.fetch_add(1, Ordering::Relaxed);
        let scope = NEXT.fetch_add(1, Ordering::Relaxed);
        let times = shared.lock().as_ref().is_some_and(|w| w.settings.times);
        Local {
            scope,
            shared: shared.clone(),
            frames: vec![root],
            depth,
            replay: None,
            times,
            _watching: Watching::start(),
        }
    }

    fn records(&self) -> bool {
        self.frames.last().is_some_and(|f| !f.silent)
    }

    fn listens(&self) -> bool {
        self.frames.last().is_some_and(Frame::listens)
    }

    /// The scope as another thread continues it: its tape, the call that is open and how, and the depth of that.
    pub(super) fn hand_over(&self) -> Option<(Arc<Shared>, u32, Enter, usize)> {
        let open = self.frames.last().filter(|f| f.listens())?;
        let enter = if open.silent { Enter::Tracked } else { Enter::Everything };
        Some((self.shared.clone(), open.node, enter, self.depth + self.frames.len() - 1))
    }

    fn write<T>(&mut self, f: impl FnOnce(&mut At<'_>) -> T) -> Option<T> {
        let Local { scope, shared, frames, depth, .. } = self;
        Some(f(&mut At { id: shared.id, scope: *scope, writer: Held::new(shared)?, frames, depth: *depth }))
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        SCOPES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many scopes there are, on all threads: nothing is recorded while there is none.
static SCOPES: AtomicUsize = AtomicUsize::new(0);

/// How many scopes and traces there are, on all threads: without one, nobody asks what a tracked function does.
static WATCHING: AtomicUsize = AtomicUsize::new(0);

/// Whether anyone, on any thread, may ask what a tracked function does.
#[inline]
pub fn watched() -> bool {
    WATCHING.load(Ordering::Relaxed) != 0
}

/// A scope or a trace, until it is dropped.
pub struct Watching(());

impl Watching {
    /// It begins.
    pub fn start() -> Watching {
        WATCHING.fetch_add(1, Ordering::Relaxed);
        Watching(())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        WATCHING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where a scope stands among those of its thread. While it is written to it is away: what hooks do meanwhile finds a
/// scope that records nothing.
struct Slot {
    scope: u64,
    recording: u32,
    local: Option<Box<Local>>,
}

thread_local! {
    /// The scopes of this thread, the innermost last.
    static SLOTS: RefCell<Vec<Slot>> = const { RefCell::new(Vec::new()) };
}

impl Slot {
    fn new(local: Local) -> Slot {
        Slot { scope: local.scope, recording: local.shared.id, local: Some(Box::new(local)) }
    }
}

/// Opens a scope on this thread, inside all others, and gives its number.
pub(super) fn enter(local: Local) -> u64 {
    let scope = local.scope;
    SLOTS.with_borrow_mut(|s| s.push(Slot::new(local)));
    scope
}

/// Opens a scope on this thread, around all others: what is open goes on, and is a part of this one when it ends.
pub(super) fn enter_around(local: Local) {
    SLOTS.with_borrow_mut(|s| s.insert(0, Slot::new(local)));
}

/// Closes a scope of this thread.
pub(super) fn exit(scope: u64) {
    close_slot(|s| s.scope == scope);
}

/// Closes the scope that is around all others on this thread, if it is of this recording.
pub(super) fn exit_around(shared: &Shared) {
    close_slot(|s| s.recording == shared.id);
}

fn close_slot(which: impl Fn(&Slot) -> bool) {
    // Dropped once the list is free again: with the recording may go hooks, which are the user's.
    let _closed = SLOTS.with_borrow_mut(|s| {
        let i = s.iter().position(which)?;
        Some(s.remove(i))
    });
}

/// Whether this thread has a scope of this recording.
pub(super) fn is_open(shared: &Shared) -> bool {
    SLOTS.with_borrow(|s| s.iter().any(|s| s.recording == shared.id))
}

/// Looks at the innermost scope of this thread, if there is one that is not being written to.
pub(super) fn innermost<T>(f: impl FnOnce(&mut Local) -> Option<T>) -> Option<T> {
    SLOTS.with_borrow_mut(|s| f(s.last_mut()?.local.as_mut()?))
}

/// Looks at a scope of this thread, if it is open and not being written to.
pub(super) fn look_at(scope: u64, f: impl FnOnce(&mut Local)) {
    SLOTS.with_borrow_mut(|s| s.iter_mut().rev().find(|s| s.scope == scope)?.local.as_deref_mut().map(f));
}

/// Whether what happens now on this thread is recorded.
#[inline]
pub fn active() -> bool {
    anywhere() && active_here()
}

/// Whether there is any recording, on any thread.
#[inline]
pub fn anywhere() -> bool {
    SCOPES.load(Ordering::Relaxed) != 0
}

/// Whether this thread has a scope, whether it records now or not.
#[inline]
pub fn on_this_thread() -> bool {
    anywhere() && SLOTS.with_borrow(|s| !s.is_empty())
}

/// The scopes of a thread, away until this is dropped: meanwhile it does what is no part of them.
pub struct Elsewhere(Vec<Slot>);

/// Takes the scopes of this thread away.
pub fn away() -> Elsewhere {
    Elsewhere(SLOTS.take())
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.0);
        // A switch that was turned on meanwhile is around them.
        SLOTS.with_borrow_mut(|s| s.extend(held));
    }
}

/// The recordings that are open on a thread.
#[derive(Clone, Default)]
pub struct Around(SmallVec<[u32; 2]>);

impl Around {
    /// Those of this thread, if something is recorded now.
    pub fn here() -> Option<Around> {
        active().then(|| Around(SLOTS.with_borrow(|s| s.iter().map(|s| s.recording).collect())))
    }

    /// Whether an array was made in one of them, or in a recording that ended inside one.
    pub fn made<A: Recorded>(&self, x: &A) -> bool {
        let recording = x.origin().recording;
        let inside = |s: &Slot| {
            let local = s.local.as_ref().filter(|_| self.0.contains(&s.recording));
            local.is_some_and(|l| l.shared.lock().as_ref().is_some_and(|w| w.seen.absorbed.contains_key(&recording)))
        };
        !self.0.is_empty()
            && ![Origin::default(), Origin::LITERAL].contains(&x.origin())
            && (self.0.contains(&recording) || SLOTS.with_borrow(|s| s.iter().any(inside)))
    }
}

/// Says of arrays that they were just made where nothing is recorded, if that is in a recording: no node tells how.
pub fn unseen<A: Recorded>(y: &mut [A]) {
    if anywhere()
        && let Some(id) = innermost(|l| (!l.records()).then_some(l.shared.id))
    {
        y.iter_mut().for_each(|y| y.set_origin(Origin::unseen(id)));
    }
}

#[cold]
fn active_here() -> bool {
    innermost(|l| Some(l.records())) == Some(true)
}

/// Whether a tracked function that is called now on this thread may be recorded.
#[inline]
pub fn listening() -> bool {
    SCOPES.load(Ordering::Relaxed) != 0 && innermost(|l| Some(l.listens())) == Some(true)
}

/// A scope of this thread, away from its slot until this is dropped.
struct Away(Option<Box<Local>>);

impl Away {
    /// None if there is no scope, or this says that there is nothing to do in it.
    fn innermost(wanted: impl FnOnce(&Local) -> bool) -> Option<Away> {
        SLOTS.with_borrow_mut(|s| s.last_mut()?.local.take_if(|l| wanted(l)).map(|l| Away(Some(l))))
    }

    /// None if that scope was closed.
    fn of(scope: u64) -> Option<Away> {
        SLOTS.with_borrow_mut(|s| {
            let slot = s.iter_mut().rev().find(|s| s.scope == scope)?;
            slot.local.take().map(|l| Away(Some(l)))
        })
    }
}

impl Deref for Away {
    type Target = Local;
    #[inline]
    fn deref(&self) -> &Local {
        self.0.as_deref().expect("there until it is dropped")
    }
}

impl DerefMut for Away {
    #[inline]
    fn deref_mut(&mut self) -> &mut Local {
        self.0.as_deref_mut().expect("there until it is dropped")
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        let scope = self.scope;
        SLOTS.with_borrow_mut(|s| {
            // A hook may have closed it.
            if let Some(s) = s.iter_mut().rev().find(|s| s.scope == scope) {
                s.local = self.0.take();
            }
        });
    }
}

/// The time, if times are recorded.
pub fn started() -> Option<Instant> {
    innermost(|l| l.times.then(Instant::now))
}

/// The writer of the innermost scope, if it records.
pub(super) fn with<T>(f: impl FnOnce(&mut At<'_>) -> T) -> Option<T> {
    if SCOPES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    Away::innermost(Local::records)?.write(f)
}

/// The writer of the innermost scope, if it records, or looks for tracked functions.
pub(super) fn listen<T>(f: impl FnOnce(&mut At<'_>) -> T) -> Option<T> {
    Away::innermost(Local::listens)?.write(f)
}

/// The writer of a scope, at its root: whatever was left open in it has ended.
pub(super) fn at_root<T>(scope: u64, f: impl FnOnce(&mut At<'_>) -> T) -> Option<T> {
    let mut scope = Away::of(scope)?;
    scope.frames.truncate(1);
    scope.write(f)
}

/// Nothing is recorded in the innermost scope of this thread until [`leave`], if anything would be now.
pub(super) fn silence() -> Option<Opened> {
    if SCOPES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    innermost(|l| {
        l.listens().then(|| {
            l.frames.push(Frame::silence());
            Opened { scope: l.scope, frame: l.frames.len() - 1 }
        })
    })
}

/// Closes a call, or a silence, in its own scope, and all that was left open inside it. Nothing happens if that scope, or
/// a call around it, was closed before.
pub(super) fn leave(opened: Opened, f: impl FnOnce(&mut At<'_>, Frame)) {
    let Some(mut scope) = Away::of(opened.scope) else { return };
    scope.frames.truncate(opened.frame + 1);
    if scope.frames.len() > opened.frame
        && let Some(frame) = scope.frames.pop()
    {
        scope.write(|at| f(at, frame));
    }
}

/// [`leave`] without a word.
pub(super) fn leave_silently(opened: Opened) {
    look_at(opened.scope, |l| l.frames.truncate(opened.frame));
}
