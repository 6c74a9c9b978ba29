//! Scopes: which recording this thread writes to, and the calls that are open in it.

use super::writer::{Iterations, New, Settings, Writer};
use crate::meta::MetaValue;
use crate::node::NodeId;
use crate::row::{Keep, Kept, Kind, NONE, Ref, UNWOUND};
use crate::tape::Tape;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use wengert_core::{Op, Place, Tensor, Type};
use wengert_cpu::Step;

/// Which result of which node of which recording an array is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// 0: of none.
    recording: u32,
    node: u32,
    out: u32,
}

impl Origin {
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
    /// Its value, if known.
    fn tensor(&self) -> Option<&Tensor>;
}

/// Something given to a call or by it.
pub enum Given<'a, A> {
    /// An array.
    Array(&'a A),
    /// Anything else, as `Debug` shows it.
    Text(&'a str),
}

/// A tape being written. Threads share it; each call locks it for a moment.
struct Shared {
    id: u32,
    /// Taken when the recording ends.
    writer: Mutex<Option<Writer>>,
}

impl Shared {
    fn new(settings: Settings) -> Arc<Shared> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let writer = Writer::new(settings);
        Arc::new(Shared { id: NEXT.fetch_add(1, Ordering::Relaxed), writer: Mutex::new(Some(writer)) })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is open on this thread.
pub(super) struct Frame {
    pub(super) node: u32,
    pub(super) block: u32,
    /// What runs in it is not recorded.
    pub(super) silent: bool,
    /// How the nodes made elsewhere are called here: the arguments of this call, and the results of calls in it.
    aliases: FxHashMap<Ref, Ref>,
    /// For each condition being evaluated, what the host read for it.
    pub(super) conditions: Vec<SmallVec<[u32; 2]>>,
    /// The statement that runs, if the function is tracked.
    pub(super) here: Place,
}

impl Frame {
    pub(super) fn new(node: u32) -> Frame {
        let (aliases, conditions) = (FxHashMap::default(), Vec::new());
        Frame { node, block: 0, silent: false, aliases, conditions, here: Place::unknown() }
    }

    /// The frame of a call, silent if the call was left out.
    pub(super) fn of(node: Option<u32>) -> Frame {
        let mut frame = Frame::new(node.unwrap_or(NONE));
        frame.silent = node.is_none();
        frame
    }
}

/// A scope on this thread.
struct Local {
    shared: Arc<Shared>,
    frames: Vec<Frame>,
    /// The depth of the first frame, where the scope was handed over by another thread.
    depth: usize,
    /// A tape of the same function, whose values are good up to a node: what is the same is not computed again.
    replay: Option<(Arc<Tape>, u32)>,
    /// Whether times are measured.
    times: bool,
}

impl Local {
    fn new(shared: &Arc<Shared>, root: u32, depth: usize) -> Local {
        SCOPES.fetch_add(1, Ordering::Relaxed);
        let times = shared.lock().as_ref().is_some_and(|w| w.settings.times);
        Local { shared: shared.clone(), frames: vec![Frame::new(root)], depth, replay: None, times }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        SCOPES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many scopes there are, on all threads: nothing is recorded while there is none.
static SCOPES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static LOCALS: RefCell<Vec<Local>> = const { RefCell::new(Vec::new()) };
    static SWITCH: RefCell<Option<Arc<Shared>>> = const { RefCell::new(None) };
}

/// Whether what happens now on this thread is recorded.
#[inline]
pub fn active() -> bool {
    SCOPES.load(Ordering::Relaxed) != 0 && active_here()
}

fn active_here() -> bool {
    // Borrowed: this is a context's own doing.
    LOCALS.with(|l| match l.try_borrow() {
        Ok(l) => l.last().and_then(|l| l.frames.last()).is_some_and(|f| !f.silent),
        Err(_) => false,
    })
}

/// The writer of the innermost scope, if it records.
pub(super) fn with<T>(f: impl FnOnce(&mut At<'_>) -> T) -> Option<T> {
    if SCOPES.load(Ordering::Relaxed) == 0 {
        return None;
    }
    LOCALS.with(|locals| {
        let mut locals = locals.try_borrow_mut().ok()?;
        let Local { shared, frames, depth, .. } = locals.last_mut()?;
        if frames.last()?.silent {
            return None;
        }
        let mut guard = shared.lock();
        let writer = guard.as_mut()?;
        Some(f(&mut At { id: shared.id, writer, frames, depth: *depth }))
    })
}

/// Where the next node goes.
pub(super) struct At<'a> {
    pub(super) id: u32,
    pub(super) writer: &'a mut Writer,
    pub(super) frames: &'a mut Vec<Frame>,
    pub(super) depth: usize,
}

/// What a node is, before its operands and results.
pub(super) struct What<'a> {
    pub(super) kind: Kind,
    pub(super) label: u32,
    pub(super) place: &'a Place,
    pub(super) module: &'a str,
    pub(super) nanos: f32,
}

impl At<'_> {
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a scope has its root")
    }

    pub(super) fn push(
        &mut self,
        what: &What<'_>,
        refs: &[Ref],
        types: &[Type],
        values: &[Option<Tensor>],
    ) -> Option<u32> {
        let depth = self.depth + self.frames.len();
        let frame = self.frame();
        let (parent, block) = (frame.node, frame.block);
        let &What { kind, label, place, module, nanos } = what;
        self.writer.push(&New { kind, label, place, module, parent, block, depth, refs, types, values, nanos })
    }

    /// The node a value came from, however it is called here.
    fn source<A: Recorded>(&mut self, x: &A, place: &Place) -> Ref {
        let origin = x.origin();
        if origin.recording == self.id {
            return Ref { at: origin.node, out: origin.out };
        }
        let tensor = x.tensor();
        if origin == Origin::LITERAL
            && let Some(t) = tensor
            && let Some(s) = t.splat_value()
        {
            return self.writer.number(s, t.ty());
        }
        if let Some(r) = tensor.and_then(|t| self.writer.outside(t)) {
            return r;
        }
        let label = self.writer.label("constant", None);
        let what = What { kind: Kind::Constant, label, place, module: "", nanos: f32::NAN };
        let id = self.push(&what, &[], &[x.ty()], &[tensor.cloned()]);
        let Some(id) = id else { return self.unknown(x) };
        let r = Ref { at: id, out: 0 };
        if let Some(t) = tensor {
            self.writer.set_outside(t, r);
        }
        r
    }

    /// An operand whose node the context left out.
    fn unknown<A: Recorded>(&mut self, x: &A) -> Ref {
        self.writer.note(&x.ty().to_string())
    }

    pub(super) fn reference<A: Recorded>(&mut self, x: &A, place: &Place) -> Ref {
        let r = self.source(x, place);
        let aliases = &self.frame().aliases;
        if aliases.is_empty() { r } else { aliases.get(&r).copied().unwrap_or(r) }
    }

    fn references<A: Recorded>(&mut self, x: &[&A], place: &Place) -> SmallVec<[Ref; 4]> {
        x.iter().map(|x| self.reference(*x, place)).collect()
    }

    /// Adds a node with results of its own, which come from it from now on.
    fn push_made<A: Recorded>(&mut self, what: &What<'_>, refs: &[Ref], y: &mut [A]) -> Option<u32> {
        let types: SmallVec<[Type; 2]> = y.iter().map(Recorded::ty).collect();
        let values: SmallVec<[Option<Tensor>; 2]> = match self.writer.settings.wants_values() {
            true => y.iter().map(|y| y.tensor().cloned()).collect(),
            false => SmallVec::new(),
        };
        let id = self.push(what, refs, &types, &values);
        for (out, y) in y.iter_mut().enumerate() {
            let origin = id.map(|node| Origin { recording: self.id, node, out: out as u32 });
            y.set_origin(origin.unwrap_or_default());
        }
        id
    }
}

fn nanos(started: Option<Instant>) -> f32 {
    started.map_or(f32::NAN, |s| s.elapsed().as_nanos() as f32)
}

/// The time, if times are recorded.
pub fn started() -> Option<Instant> {
    let times = LOCALS.with(|l| l.try_borrow().ok()?.last().map(|l| l.times));
    (times == Some(true)).then(Instant::now)
}

/// The results of an op that the tape being replayed has already, if it is the next one there.
pub fn recall<A: Recorded>(op: &Op, x: &[&A], place: &Place) -> Option<Vec<Tensor>> {
    let (tape, until) = LOCALS.with(|l| l.try_borrow().ok()?.last()?.replay.clone())?;
    let found = with(|at| {
        let refs = at.references(x, place);
        let id = at.writer.tape.rows.len() as u32;
        let n = tape.get(id).filter(|n| id < until && n.is_whole() && n.op() == Some(op))?;
        if tape.refs_of(id) != &refs[..] {
            return None;
        }
        (0..n.result_count()).map(|out| n.value(out)).collect::<Option<Vec<Tensor>>>()
    });
    if found.as_ref().is_none_or(Option::is_none) {
        // From here on the function goes its own way.
        LOCALS.with_borrow_mut(|l| l.last_mut().and_then(|l| l.replay.take()));
    }
    found.flatten()
}

/// Records one op.
pub fn primitive<A: Recorded>(op: &Op, x: &[&A], y: &mut [A], place: &Place, started: Option<Instant>) {
    primitive_with(op, x, y, place, started, &[]);
}

/// Records one op, and inside it what its kernel ran.
pub fn primitive_with<A: Recorded>(
    op: &Op,
    x: &[&A],
    y: &mut [A],
    place: &Place,
    started: Option<Instant>,
    steps: &[Step],
) {
    let nanos = nanos(started);
    with(|at| {
        let refs = at.references(x, place);
        let label = at.writer.op(op);
        let id = at.push_made(&What { kind: Kind::Primitive, label, place, module: "", nanos }, &refs, y);
        let Some(id) = id.filter(|_| !steps.is_empty()) else { return };
        at.frames.push(Frame::new(id));
        for s in steps {
            let refs: SmallVec<[Ref; 2]> = s.inputs.iter().map(|t| at.writer.note(&t.to_string())).collect();
            let label = at.writer.label(s.name, None);
            let what = What { kind: Kind::Primitive, label, place, module: "", nanos: f32::NAN };
            at.push(&what, &refs, std::slice::from_ref(&s.output), &[]);
        }
        at.frames.pop();
    });
}

/// Puts the nodes of another tape, but for its root, inside the open call.
pub fn absorb(tape: &Tape) {
    with(|at| {
        let call = at.frame().node;
        at.writer.copy_children(call, tape);
    });
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
            let silent = match (node, at.writer.settings.context.clone()) {
                (None, _) => true,
                (_, None) => false,
                (Some(_), Some(c)) => {
                    let depth = at.depth + at.frames.len();
                    let (parent, block) = (at.frame().node, at.frame().block);
                    let &What { kind, label, place, module, nanos } = &what;
                    let new = New {
                        kind,
                        label,
                        place,
                        module,
                        parent,
                        block,
                        depth,
                        refs: &refs,
                        types: &[],
                        values: &[],
                        nanos,
                    };
                    !c.recurse(&at.writer.draft(&new))
                }
            };
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

/// Opens a call of this thread that is not recorded.
pub(super) fn push_silence() {
    LOCALS.with_borrow_mut(|l| {
        if let Some(l) = l.last_mut() {
            l.frames.push(Frame::of(None));
        }
    });
}

/// Closes the innermost call of this thread without a word.
pub(super) fn pop_frame() {
    LOCALS.with_borrow_mut(|l| l.last_mut().filter(|l| l.frames.len() > 1).and_then(|l| l.frames.pop()));
}

/// Closes the innermost call of this thread.
fn leave(f: impl FnOnce(&mut At<'_>, Frame)) {
    LOCALS.with(|locals| {
        let Ok(mut locals) = locals.try_borrow_mut() else { return };
        let Some(Local { shared, frames, depth, .. }) = locals.last_mut() else { return };
        if frames.len() < 2 {
            return;
        }
        let frame = frames.pop().expect("at least two");
        let mut guard = shared.lock();
        if let Some(writer) = guard.as_mut() {
            f(&mut At { id: shared.id, writer, frames, depth: *depth }, frame);
        }
    });
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

/// A scope: from its start until it is finished, what happens on this thread is recorded, and on threads that are given
/// its [`Handle`].
pub struct Recording {
    shared: Arc<Shared>,
    /// It is the scope of the thread that opened it.
    here: PhantomData<*const ()>,
}

impl Recording {
    /// Opens a scope on this thread, whose root has this name.
    pub fn start(settings: Settings, name: &str, place: &Place) -> Recording {
        let shared = Shared::new(settings);
        open_root(&shared, name, place);
        enter(Local::new(&shared, 0, 0));
        Recording { shared, here: PhantomData }
    }

    /// Takes values from another tape of the same function as long as it does the same, up to this node.
    pub fn replay(&self, tape: Arc<Tape>, until: NodeId) {
        LOCALS.with_borrow_mut(|l| {
            if let Some(l) = l.last_mut() {
                l.replay = Some((tape, until.0));
            }
        });
    }

    /// Gives the root an argument.
    pub fn argument<A: Recorded>(&self, name: &str, x: &mut A, place: &Place) {
        with(|at| {
            let label = at.writer.label("argument", None);
            let what = What { kind: Kind::Argument, label, place, module: "", nanos: f32::NAN };
            let id = at.push_made(&what, &[], std::slice::from_mut(x));
            if let Some(id) = id {
                at.writer.row_mut(id).name = at.writer.name(name);
            }
        });
    }

    /// Ends the scope with what the recorded function gave, and gives the tape.
    pub fn finish<A: Recorded>(self, results: &[Given<'_, A>], place: &Place) -> Tape {
        with(|at| {
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
            let what = What { kind: Kind::Return, label, place, module: "", nanos: f32::NAN };
            let id = at.push(&what, &refs, &[], &[]);
            at.writer.row_mut(0).extra = id.unwrap_or(NONE);
            at.writer.set_results(0, &kept);
        });
        let tape = self.shared.lock().take().map(|w| w.tape);
        tape.unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        exit(&self.shared);
        self.shared.lock().take();
    }
}

fn open_root(shared: &Shared, name: &str, place: &Place) {
    let mut guard = shared.lock();
    let writer = guard.as_mut().expect("new");
    let label = writer.label(name, None);
    // The root is there whatever the context says.
    let context = writer.settings.context.take();
    writer.push(&New {
        kind: Kind::Call,
        label,
        place,
        module: "",
        parent: NONE,
        block: 0,
        depth: 0,
        refs: &[],
        types: &[],
        values: &[],
        nanos: f32::NAN,
    });
    writer.settings.context = context;
}

fn enter(local: Local) {
    LOCALS.with_borrow_mut(|l| l.push(local));
}

fn exit(shared: &Arc<Shared>) {
    LOCALS.with_borrow_mut(|l| {
        if let Some(i) = l.iter().rposition(|x| Arc::ptr_eq(&x.shared, shared)) {
            l.remove(i);
        }
    });
}

/// The scope of a thread, to be taken to another.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    node: u32,
    depth: usize,
}

/// The innermost scope of this thread, if it records.
pub fn current() -> Option<Handle> {
    if !active() {
        return None;
    }
    LOCALS.with_borrow(|l| {
        let local = l.last()?;
        let node = local.frames.last()?.node;
        Some(Handle { shared: local.shared.clone(), node, depth: local.depth + local.frames.len() - 1 })
    })
}

impl Handle {
    /// Runs something on this thread as a part of the scope, inside the call that was open where the handle was made.
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> T {
        struct Exit<'a>(&'a Arc<Shared>);
        impl Drop for Exit<'_> {
            fn drop(&mut self) {
                exit(self.0);
            }
        }
        enter(Local::new(&self.shared, self.node, self.depth));
        let _exit = Exit(&self.shared);
        f()
    }
}

/// Starts recording on this thread, or goes on with the recording that was stopped.
pub fn enable(settings: Settings, place: &Place) {
    SWITCH.with_borrow_mut(|s| {
        let shared = s.get_or_insert_with(|| {
            let shared = Shared::new(settings);
            open_root(&shared, "trace", place);
            shared
        });
        let on = LOCALS.with_borrow(|l| l.iter().any(|l| Arc::ptr_eq(&l.shared, shared)));
        if !on {
            enter(Local::new(shared, 0, 0));
        }
    });
}

/// Stops recording on this thread; what was recorded stays.
pub fn disable() {
    SWITCH.with_borrow(|s| s.iter().for_each(exit));
}

/// What was recorded so far.
pub fn collect() -> Tape {
    SWITCH.with_borrow(|s| s.as_ref().and_then(|s| s.lock().as_ref().map(|w| w.tape.clone())).unwrap_or_default())
}

/// Forgets what was recorded, and frees its memory. Recording goes on if it was on.
pub fn purge() {
    let old = SWITCH.with_borrow_mut(Option::take);
    let Some(old) = old else { return };
    let on = LOCALS.with_borrow(|l| l.iter().any(|l| Arc::ptr_eq(&l.shared, &old)));
    exit(&old);
    if let Some(w) = old.lock().take()
        && on
    {
        enable(w.settings, &Place::unknown());
    }
}
