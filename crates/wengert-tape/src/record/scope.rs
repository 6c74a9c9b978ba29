//! Scopes: which recording this thread writes to, and the calls that are open in it.

use super::again::OpenCallWriter;
use super::callee::{Called, Callee};
use super::cursor::Cursor;
use super::effects::Aliasing;
use super::listeners::ListenerGuard;
use super::origin::{Origin, Recorded};
use super::replay::Replay;
use super::shared::{SharedWriter, WriterGuard};
use super::slots::{ScopeSlot, has_own, innermost, with_slots};
use super::switch;
use crate::context::{Context, Enter};
use crate::row::{NONE, Ref};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;
use wengert_core::Place;

/// A call, and the parts of the tuple that it gave.
pub(super) type PartsGiven = (u32, SmallVec<[Ref; 2]>);

/// A call that is open on this thread.
pub(super) struct Frame {
    pub(super) node: u32,
    pub(super) block: u32,
    /// What runs in this call is not recorded.
    pub(super) silent: bool,
    /// A silent call is searched for tracked functions that the context wants to see.
    pub(super) searched: bool,
    /// The names in this call of nodes outside it and of nodes inside calls in it: the arguments of this call, and the
    /// results of the calls in it.
    pub(super) aliases: FxHashMap<Ref, Ref>,
    /// For each slot of the function, the node that gave its value last.
    pub(super) slots: Vec<Ref>,
    /// What is known of variables beside their nodes, if there is anything.
    pub(super) aliasing: Option<Box<Aliasing>>,
    /// The last call or read inside that an expression of the function has as its node.
    pub(super) claimed: u32,
    /// The jump that the next block begins after, if it has arguments.
    pub(super) jump: u32,
    /// Where the values that the function gives came from.
    pub(super) returns: SmallVec<[Ref; 2]>,
    /// Whether these are the parts of a tuple, one by one.
    pub(super) gives_parts: bool,
    /// The last call inside that gave a tuple of numbers, and its parts.
    pub(super) parts_given: Option<Box<PartsGiven>>,
    /// For each condition being evaluated, what the host read for it.
    pub(super) conditions: Vec<SmallVec<[u32; 2]>>,
    /// The statement that runs, if the function is tracked.
    pub(super) here: Place,
    /// The context that was passed inward.
    pub(super) context: Option<Arc<dyn Context>>,
    /// The place of all nodes in this call, if the function is one of our own: where the user called it.
    pub(super) place: Option<Place>,
    /// Whether a tracked function that is open was given an array without a value.
    pub(super) is_given_variable: bool,
    /// Whether it is inside of a function that is traced with values.
    pub(super) is_traced: bool,
    /// The call that ended last in this one, and which function it is of.
    pub(super) last_call: (u32, Callee),
    /// What is known of the function that the expression calls which is being looked at.
    pub(super) called: Called,
}

impl Frame {
    #[inline(always)]
    pub(super) fn new(node: u32) -> Frame {
        let (aliases, conditions) = (FxHashMap::default(), Vec::new());
        let (here, place) = (Place::unknown(), None);
        let (slots, returns) = (Vec::new(), SmallVec::new());
        Frame {
            node,
            block: 0,
            silent: false,
            searched: false,
            aliases,
            slots,
            aliasing: None,
            claimed: NONE,
            jump: NONE,
            returns,
            gives_parts: false,
            parts_given: None,
            conditions,
            here,
            context: None,
            place,
            is_given_variable: false,
            is_traced: false,
            last_call: (NONE, Callee::default()),
            called: Called::Unknown,
        }
    }

    /// The frame of a call that the context enters so.
    #[inline(always)]
    pub(super) fn entered(node: u32, enter: Enter) -> Frame {
        Frame { silent: enter != Enter::Everything, searched: enter == Enter::Tracked, ..Frame::new(node) }
    }

    /// Whether a tracked function that is called in this call may be recorded.
    fn listens(&self) -> bool {
        !self.silent || self.searched
    }

    /// The frame of a silence.
    fn silence() -> Frame {
        Frame { silent: true, ..Frame::new(NONE) }
    }
}

/// The frame of a call, or of a silence, that is open in a scope.
#[derive(Clone, Copy)]
pub(super) struct FrameId {
    pub(super) scope: u64,
    pub(super) frame: usize,
}

/// A scope on this thread.
pub(super) struct ThreadScope {
    /// The number of the scope, which no other scope of any thread has.
    pub(super) scope: u64,
    pub(super) shared: Arc<SharedWriter>,
    frames: Vec<Frame>,
    /// The depth of the first frame: not 0 where the scope continues one of another thread.
    depth: usize,
    /// A tape of the same function, whose values are not computed again.
    pub(super) replay: Option<Replay>,
    /// Whether times are measured.
    times: bool,
    /// The first frame gets the call of this thread before anything is written: see [`switch::thread_call`].
    awaits_thread_call: bool,
    /// None of a switch, to which all threads listen.
    _counted: Option<CountedScope>,
}

/// A scope counts among those that there are, and among those that listen to tracked functions.
struct CountedScope(#[allow(dead_code)] ListenerGuard);

impl CountedScope {
    fn start() -> CountedScope {
        SCOPES.fetch_add(1, Ordering::Relaxed);
        CountedScope(ListenerGuard::start())
    }
}

impl Drop for CountedScope {
    fn drop(&mut self) {
        SCOPES.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ThreadScope {
    pub(super) fn new(shared: &Arc<SharedWriter>, root: Frame, depth: usize) -> ThreadScope {
        ThreadScope::open(shared, root, depth, Some(CountedScope::start()))
    }

    /// The scope of a switch on this thread.
    pub(super) fn of_switch(shared: &Arc<SharedWriter>, at_root: bool) -> ThreadScope {
        ThreadScope { awaits_thread_call: !at_root, ..ThreadScope::open(shared, Frame::new(0), 0, None) }
    }

    fn open(shared: &Arc<SharedWriter>, root: Frame, depth: usize, counted: Option<CountedScope>) -> ThreadScope {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let scope = NEXT.fetch_add(1, Ordering::Relaxed);
        let times = shared.lock().as_ref().is_some_and(|w| w.settings.times);
        ThreadScope {
            scope,
            shared: shared.clone(),
            frames: vec![root],
            depth,
            replay: None,
            times,
            awaits_thread_call: false,
            _counted: counted,
        }
    }

    /// Sees to it that the first frame is the call of this thread.
    fn enter_thread_call(&mut self) {
        if std::mem::take(&mut self.awaits_thread_call)
            && let Some(frame) = switch::thread_call(&self.shared)
        {
            (self.frames[0], self.depth) = (frame, 1);
        }
    }

    pub(super) fn records(&self) -> bool {
        self.frames.last().is_some_and(|f| !f.silent)
    }

    fn listens(&self) -> bool {
        self.frames.last().is_some_and(Frame::listens)
    }

    /// The tape, the open call and how it was entered, and its depth.
    fn handle_parts(&mut self) -> Option<HandleParts> {
        self.enter_thread_call();
        let open = self.frames.last().filter(|f| f.listens())?;
        let enter = if open.silent { Enter::Tracked } else { Enter::Everything };
        let context = self.frames.iter().rev().find_map(|f| f.context.clone());
        let depth = self.depth + self.frames.len() - 1;
        Some(HandleParts { shared: self.shared.clone(), node: open.node, enter, context, depth })
    }

    fn write<T>(&mut self, f: impl FnOnce(&mut Cursor<'_>) -> T) -> Option<T> {
        self.enter_thread_call();
        let ThreadScope { scope, shared, frames, depth, .. } = self;
        Some(f(&mut Cursor { id: shared.id, scope: *scope, writer: WriterGuard::new(shared)?, frames, depth: *depth }))
    }
}

/// How many scopes there are, on all threads: nothing is recorded while there is none. A switch that is on counts as one
/// for all threads, a log of ops too; and there is one more until the environment was asked.
static SCOPES: AtomicUsize = AtomicUsize::new(1);

/// What concerns all threads begins, or ends.
pub(super) fn count_for_all(begins: bool) {
    if begins {
        SCOPES.fetch_add(1, Ordering::Relaxed)
    } else {
        SCOPES.fetch_sub(1, Ordering::Relaxed)
    };
}

/// Calls a function with the innermost scope of this thread, if there is one that is not being written to.
#[inline(always)]
pub(super) fn with_innermost<T>(f: impl FnOnce(&mut ThreadScope) -> Option<T>) -> Option<T> {
    with_slots(|s| f(innermost(s).and_then(|i| s[i].local.as_mut())?))
}

/// Calls a function with a scope of this thread, if it is open and not being written to.
pub(super) fn with_scope(scope: u64, f: impl FnOnce(&mut ThreadScope)) {
    with_slots(|s| s.iter_mut().rev().find(|s| s.scope == scope)?.local.as_deref_mut().map(f));
}

/// Whether what happens now on this thread is recorded.
#[inline]
pub fn is_recording() -> bool {
    any_recording() && is_recording_here()
}

/// Whether there is any recording, on any thread.
#[inline]
pub fn any_recording() -> bool {
    SCOPES.load(Ordering::Relaxed) != 0
}

/// Whether this thread has a scope, whether it records now or not.
#[inline]
pub fn has_scope() -> bool {
    any_recording() && with_slots(|s| !s.is_empty())
}

/// Whether this thread has a scope that is not one of the whole process.
pub fn has_own_scope() -> bool {
    any_recording() && has_own()
}

/// The recordings that were open on a thread.
#[derive(Clone, Default)]
pub struct OpenRecordings(SmallVec<[u32; 2]>);

impl OpenRecordings {
    /// The recordings of this thread, if the innermost records now.
    pub fn here() -> Option<OpenRecordings> {
        is_recording().then(|| OpenRecordings(with_slots(|s| s.iter().map(|s| s.recording).collect())))
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an array was made in one of these recordings, or in a recording that ended inside one.
    pub fn made<A: Recorded>(&self, x: &A) -> bool {
        let recording = x.origin().recording;
        let inside = |s: &ScopeSlot| {
            let local = s.local.as_ref().filter(|_| self.0.contains(&s.recording));
            local.is_some_and(|l| l.shared.lock().as_ref().is_some_and(|w| w.outside.absorbed.contains_key(&recording)))
        };
        // Or in that of a function being traced, of arrays of one of these.
        let used = || {
            self.0.iter().any(|of| super::outside::has_used(recording, *of))
                && !super::outside::is_of_its_own(x.origin(), false)
        };
        !self.0.is_empty()
            && ![Origin::default(), Origin::LITERAL].contains(&x.origin())
            && (self.0.contains(&recording) || with_slots(|s| s.iter().any(inside)) || used())
    }
}

/// Whether what is made of these arrays may have to be marked: see [`mark_unrecorded`].
pub fn may_mark<A: Recorded>(x: &[A]) -> bool {
    any_recording() && x.iter().any(|x| ![Origin::default(), Origin::LITERAL].contains(&x.origin()))
}

/// Marks arrays that were made of others in a recording where it is silent, or outside of its scopes: no node tells how.
pub fn mark_unrecorded<A: Recorded>(x: &[&A], y: &mut [A]) {
    if !any_recording() {
        return;
    }
    match with_innermost(|l| (!l.records()).then_some(l.shared.id)) {
        Some(id) => {
            for y in y {
                let origin = if y.id().is_some() { Origin::unrecorded } else { Origin::unrecorded_with_number };
                y.set_origin(origin(id));
            }
        }
        None => super::outside::mark_made(x, y),
    }
}

#[cold]
fn is_recording_here() -> bool {
    with_innermost(|l| Some(l.records())) == Some(true)
}

/// Whether a tracked function that is called now on this thread may be recorded.
#[inline]
pub fn is_listening() -> bool {
    any_recording() && with_innermost(|l| Some(l.listens())) == Some(true)
}

/// Whether the innermost scope of this thread is silent.
pub(super) fn has_silence() -> bool {
    with_innermost(|l| Some(!l.records())) == Some(true)
}

/// A scope of this thread, taken out of its slot until this is dropped.
struct BorrowedScope(Option<Box<ThreadScope>>);

impl BorrowedScope {
    /// The innermost scope. None if there is none, or if it is not wanted.
    fn innermost(wanted: impl FnOnce(&ThreadScope) -> bool) -> Option<BorrowedScope> {
        with_slots(|s| innermost(s).and_then(|i| s[i].local.take_if(|l| wanted(l))).map(|l| BorrowedScope(Some(l))))
    }

    /// The scope with this number. None if it was closed.
    fn of(scope: u64) -> Option<BorrowedScope> {
        with_slots(|s| {
            let slot = s.iter_mut().rev().find(|s| s.scope == scope)?;
            slot.local.take().map(|l| BorrowedScope(Some(l)))
        })
    }
}

impl Deref for BorrowedScope {
    type Target = ThreadScope;
    #[inline]
    fn deref(&self) -> &ThreadScope {
        self.0.as_deref().expect("there until it is dropped")
    }
}

impl DerefMut for BorrowedScope {
    #[inline]
    fn deref_mut(&mut self) -> &mut ThreadScope {
        self.0.as_deref_mut().expect("there until it is dropped")
    }
}

impl Drop for BorrowedScope {
    fn drop(&mut self) {
        let scope = self.scope;
        with_slots(|s| {
            // A hook may have closed it.
            if let Some(s) = s.iter_mut().rev().find(|s| s.scope == scope) {
                s.local = self.0.take();
            }
        });
    }
}

/// The time now, if times are recorded.
pub fn start_time() -> Option<Instant> {
    with_innermost(|l| l.times.then(Instant::now))
}

/// Calls a function with the cursor of the innermost scope, if it records.
#[inline]
pub(super) fn with_cursor<T>(f: impl FnOnce(&mut Cursor<'_>) -> T) -> Option<T> {
    if SCOPES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    BorrowedScope::innermost(ThreadScope::records)?.write(f)
}

/// Calls a function with the call that is open in the innermost scope and with its tape, if it records and no hook sees what it
/// writes: then the scope stays where it is meanwhile.
#[inline(always)]
pub(super) fn with_writer<T>(f: impl FnOnce(OpenCallWriter<'_>) -> Option<T>) -> Option<T> {
    if SCOPES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    with_innermost(|l| {
        if l.awaits_thread_call {
            return None;
        }
        let frame = l.frames.last_mut().filter(|f| !f.silent && f.place.is_none())?;
        let mut guard = l.shared.lock();
        let writer = guard.as_mut().filter(|w| w.settings.context.is_none())?;
        f(OpenCallWriter { frame, writer })
    })
}

/// Calls a function with the call that is open in the innermost scope, if it records. Nothing is locked.
#[inline]
pub(super) fn with_frame<T>(f: impl FnOnce(&mut Frame) -> T) -> Option<T> {
    if SCOPES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    with_innermost(|l| l.frames.last_mut().filter(|frame| !frame.silent).map(f))
}

/// What another thread needs to continue a scope.
#[derive(Clone)]
pub(super) struct HandleParts {
    pub(super) shared: Arc<SharedWriter>,
    node: u32,
    enter: Enter,
    /// What the context of the recording passed inward, if it did.
    context: Option<Arc<dyn Context>>,
    pub(super) depth: usize,
}

impl HandleParts {
    /// The frame of the call that was open, on another thread.
    pub(super) fn frame(&self) -> Frame {
        Frame { context: self.context.clone(), ..Frame::entered(self.node, self.enter) }
    }
}

/// What another thread needs to continue the innermost scope, if it records or listens to tracked functions.
pub(super) fn innermost_parts() -> Option<HandleParts> {
    BorrowedScope::innermost(ThreadScope::listens)?.handle_parts()
}

/// Calls a function with the cursor of a scope, if it is open.
pub(super) fn with_cursor_of<T>(scope: u64, f: impl FnOnce(&mut Cursor<'_>) -> T) -> Option<T> {
    BorrowedScope::of(scope)?.write(f)
}

/// Calls a function with the cursor of the innermost scope, if it records or listens to tracked functions.
pub(super) fn with_listening_cursor<T>(f: impl FnOnce(&mut Cursor<'_>) -> T) -> Option<T> {
    BorrowedScope::innermost(ThreadScope::listens)?.write(f)
}

/// Calls a function with the cursor of a scope at its root: calls that were left open have ended.
pub(super) fn with_root<T>(scope: u64, f: impl FnOnce(&mut Cursor<'_>) -> T) -> Option<T> {
    let mut scope = BorrowedScope::of(scope)?;
    scope.frames.truncate(1);
    scope.write(f)
}

/// Opens a silence in the innermost scope of this thread, until [`leave`], if that scope records or listens.
pub(super) fn open_silence() -> Option<FrameId> {
    if SCOPES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    with_innermost(|l| {
        l.listens().then(|| {
            l.frames.push(Frame::silence());
            FrameId { scope: l.scope, frame: l.frames.len() - 1 }
        })
    })
}

/// Closes a call, or a silence, in its own scope, and all that was left open inside it. Nothing happens if that scope, or
/// a call around it, was closed before.
pub(super) fn leave(opened: FrameId, f: impl FnOnce(&mut Cursor<'_>, Frame)) {
    let Some(mut scope) = BorrowedScope::of(opened.scope) else { return };
    scope.frames.truncate(opened.frame + 1);
    if scope.frames.len() > opened.frame
        && let Some(frame) = scope.frames.pop()
    {
        scope.write(|cursor| f(cursor, frame));
    }
}

/// [`leave`] without a report.
pub(super) fn leave_silently(opened: FrameId) {
    with_scope(opened.scope, |l| l.frames.truncate(opened.frame));
}
