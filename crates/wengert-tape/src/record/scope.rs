//! Scopes: which recording this thread writes to, and the calls that are open in it.

use super::replay::{Recalled, Replay};
use super::writer::{Iterations, Made, Seen, Settings, What, Writer};
use crate::context::{Context, Draft, Enter, Says, visit};
use crate::meta::MetaValue;
use crate::row::{Kind, NONE, Ref};
use crate::tape::{Label, Tape};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::any::Any;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use wengert_core::{Op, Place, Tensor, Type};
use wengert_cpu::Step;

/// Which result of which node of which recording an array is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// 0: of none.
    pub(super) recording: u32,
    pub(super) node: u32,
    pub(super) out: u32,
}

impl Origin {
    /// Made inside a recording, where nothing was recorded.
    pub(super) fn unseen(recording: u32) -> Origin {
        Origin { recording, node: NONE, out: 0 }
    }

    /// A number that the user wrote into an expression: it stands in the node that uses it.
    pub const LITERAL: Origin = Origin { recording: u32::MAX, node: 0, out: 0 };
}

/// What can be an operand or a result on a tape.
pub trait Recorded {
    /// Where it came from.
    fn origin(&self) -> Origin;
    /// Says where it came from.
    fn set_origin(&mut self, origin: Origin);
    /// Its type.
    fn ty(&self) -> Type;
    /// Whether that is its type.
    fn is_of(&self, ty: &Type) -> bool {
        self.ty() == *ty
    }
    /// Its value, if known. One that is on a device is copied from there.
    fn tensor(&self) -> Option<&Tensor>;
    /// Where its value lies, if that is known: the same for all handles on one value.
    fn memory(&self) -> Option<Memory>;
}

/// Where a value lies. It keeps the address from being used again, and not what is there.
#[derive(Clone)]
pub struct Memory(Weak<dyn Any + Send + Sync>);

impl Memory {
    /// The memory that this handle is on.
    pub fn new(handle: Weak<dyn Any + Send + Sync>) -> Memory {
        Memory(handle)
    }

    pub(super) fn address(&self) -> usize {
        self.0.as_ptr().cast::<()>() as usize
    }
}

/// Something given to a call or by it.
pub enum Given<'a, A> {
    /// An array.
    Array(&'a A),
    /// Anything else, as `Debug` shows it.
    Text(&'a str),
}

/// A tape being written. Threads share it; each call locks it for a moment.
pub(super) struct Shared {
    pub(super) id: u32,
    /// Taken when the recording ends.
    pub(super) writer: Mutex<Option<Writer>>,
}

impl Shared {
    /// A new tape, whose root has this name.
    pub(super) fn new(settings: Settings, name: &str, place: &Place) -> Arc<Shared> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let writer = Writer::new(settings, name, place);
        Arc::new(Shared { id: NEXT.fetch_add(1, Ordering::Relaxed), writer: Mutex::new(Some(writer)) })
    }

    #[inline]
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the recording, and gives what was written. A writer that hooks run for stays until they are done.
    pub(super) fn close(&self) -> Option<Written> {
        let mut guard = self.lock();
        match guard.as_ref()?.hooks {
            0 => guard.take().map(|Writer { tape, settings, seen, .. }| Written { tape, settings, seen }),
            _ => guard.as_ref().map(|w| Written {
                tape: w.tape.clone(),
                settings: w.settings.clone(),
                seen: w.seen.clone(),
            }),
        }
    }
}

/// The tape of a recording, how it was recorded, and what it has from elsewhere.
#[derive(Default)]
pub(super) struct Written {
    pub(super) tape: Tape,
    pub(super) settings: Settings,
    pub(super) seen: Seen,
}

/// The writer of a recording, locked; but not while a hook runs.
pub(super) struct Held<'a> {
    shared: &'a Shared,
    guard: Option<MutexGuard<'a, Option<Writer>>>,
}

impl<'a> Held<'a> {
    /// None if the recording has ended.
    #[inline(always)]
    fn new(shared: &'a Shared) -> Option<Held<'a>> {
        let guard = shared.lock();
        guard.is_some().then_some(Held { shared, guard: Some(guard) })
    }

    /// Runs a hook: others may write meanwhile, and the hook may look at the tape.
    fn release<T>(&mut self, hook: impl FnOnce() -> T) -> T {
        struct Again<'h, 'a>(&'h mut Held<'a>);
        impl Drop for Again<'_, '_> {
            fn drop(&mut self) {
                self.0.guard = Some(self.0.shared.lock());
                self.0.hooks -= 1;
            }
        }
        self.hooks += 1;
        self.guard = None;
        let _again = Again(self);
        hook()
    }
}

impl Deref for Held<'_> {
    type Target = Writer;
    #[inline]
    fn deref(&self) -> &Writer {
        self.guard.as_deref().and_then(Option::as_ref).expect("held but while a hook runs, which keeps it there")
    }
}

impl DerefMut for Held<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Writer {
        self.guard.as_deref_mut().and_then(Option::as_mut).expect("held but while a hook runs, which keeps it there")
    }
}

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
    scope: u64,
    frame: usize,
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

/// Where the next node goes.
pub(super) struct At<'a> {
    pub(super) id: u32,
    scope: u64,
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
        let (ty, memory) = (x.ty(), x.memory());
        if let Some(r) = memory.as_ref().and_then(|m| self.writer.outside(m, &ty)) {
            return r;
        }
        let unseen = self.is_unseen(origin);
        let (kind, name) = if unseen { (Kind::Special, "unrecorded") } else { (Kind::Constant, "constant") };
        let label = self.writer.label(name, None);
        let made = Made { types: std::slice::from_ref(&ty), value: &|_| x.tensor().cloned() };
        let id = self.push(&What::new(kind, label, place), &[], made);
        let Some(id) = id else { return self.unknown(x) };
        let r = Ref { at: id, out: 0 };
        if let Some(m) = memory {
            self.writer.set_outside(m, &ty, r);
        }
        if origin != Origin::default() && !unseen {
            self.writer.seen.foreign.push((id, origin));
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

/// The time, if times are recorded.
pub fn started() -> Option<Instant> {
    innermost(|l| l.times.then(Instant::now))
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
