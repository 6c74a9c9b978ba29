//! What happens to arrays of a recording outside of its scopes: on a thread that was not given its handle, in a recording of
//! its own, or in a silence. The recording knows of it, so that nothing that comes of it counts as a constant.

use super::elsewhere::{self, Sources};
use super::origin::{HostValue, NoArray, Origin, Recorded};
use super::shared::SharedWriter;
use super::writer::{NodeHeader, NodeResults, Writer};
use crate::host::{HostNumber, HostType};
use crate::node::Node;
use crate::row::{Kind, NONE, READ, Ref};
use crate::summary::Capture;
use crate::tape::{Constant, Tape};
use rustc_hash::FxHashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use wengert_core::{Id, Place};

/// The recordings that are open, and which recordings used arrays of others.
#[derive(Default)]
struct Open {
    recordings: Vec<(u32, Weak<SharedWriter>)>,
    /// A recording, and another that was open whose arrays it used.
    used: Option<FxHashSet<(u32, u32)>>,
}

static OPEN: Mutex<Open> = Mutex::new(Open { recordings: Vec::new(), used: None });

fn open() -> MutexGuard<'static, Open> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A recording was opened.
pub(super) fn opened(shared: &Arc<SharedWriter>) {
    let mut open = open();
    open.recordings.retain(|(_, w)| w.strong_count() > 0);
    if open.recordings.is_empty() {
        open.used = None;
    }
    open.recordings.push((shared.id, Arc::downgrade(shared)));
}

/// The recordings that are open, in the order in which they were opened.
pub(super) fn all() -> Vec<Arc<SharedWriter>> {
    open().recordings.iter().filter_map(|(_, w)| w.upgrade()).collect()
}

/// The recording with this number, if it is open.
fn find(recording: u32) -> Option<Arc<SharedWriter>> {
    let found = open().recordings.iter().find(|(id, _)| *id == recording).and_then(|(_, w)| w.upgrade());
    // Locked without the list: what writes to a recording may ask for it.
    found.filter(|shared| shared.lock().is_some())
}

/// The arrays that the function with this recording has from outside, if it is being traced.
pub(super) fn from_outside_of_body(recording: u32) -> Vec<Id> {
    let body = find(recording).filter(|shared| shared.is_body());
    body.and_then(|shared| Some(shared.lock().as_ref()?.outside.by_id.keys().copied().collect())).unwrap_or_default()
}

/// Whether the recording with this number is open.
pub(super) fn is_open(recording: u32) -> bool {
    find(recording).is_some()
}

/// The recording that is open and has arrays of this origin, or whose arrays it was made of in another, and whether that is
/// the one itself.
fn open_recording(origin: Origin) -> Option<(Arc<SharedWriter>, bool)> {
    if origin == Origin::default() || origin == Origin::LITERAL {
        return None;
    }
    if let Some(shared) = find(origin.recording) {
        return Some((shared, true));
    }
    let of: Vec<u32> = {
        let open = open();
        let used = open.used.iter().flatten();
        used.filter(|(by, _)| *by == origin.recording).map(|(_, of)| *of).collect()
    };
    let used = of.into_iter().find_map(find);
    let absorbed = |shared: &Arc<SharedWriter>| {
        shared.lock().as_ref().is_some_and(|w| w.outside.absorbed.contains_key(&origin.recording))
    };
    used.or_else(|| all().into_iter().find(absorbed)).map(|shared| (shared, false))
}

/// A switch is off: what the host reads of its arrays meanwhile is written once it is on again.
pub(super) fn pause(shared: &SharedWriter) {
    if let Some(w) = shared.lock().as_mut() {
        w.outside.paused.get_or_insert_default();
    }
}

/// A switch is on again.
pub(super) fn go_on(shared: &SharedWriter) {
    let mut writer = shared.lock();
    let Some(w) = writer.as_mut() else { return };
    for (from, read) in w.outside.paused.take().into_iter().flatten() {
        w.push_late_read(from.as_slice(), &read);
    }
}

/// A read that a recording learns of later: while a switch is off, or where no recording sees it.
#[derive(Clone)]
pub(super) struct LateRead {
    name: String,
    value: HostValue<'static, NoArray>,
    place: Place,
}

impl LateRead {
    pub(super) fn new(name: &str, value: HostValue<'static, NoArray>, place: &Place) -> LateRead {
        LateRead { name: name.to_string(), value, place: place.clone() }
    }
}

/// Marks arrays that were made of others where nothing is recorded: if these are of a recording that is open, no node of it
/// tells how.
pub(super) fn mark_made<A: Recorded>(x: &[&A], y: &mut [A]) {
    match x.iter().find_map(|x| open_recording(x.origin())) {
        Some((shared, _)) => y.iter_mut().for_each(|y| y.set_origin(Origin::unrecorded(shared.id))),
        None => Sources::of(x.iter().copied()).into_iter().for_each(|x| x.made(y)),
    }
}

/// A recording uses an array of another, which may be open: what comes of it there is not recorded here.
pub(super) fn mark_used(by: u32, origin: Origin) {
    if let Some((shared, _)) = open_recording(origin)
        && shared.id != by
    {
        open().used.get_or_insert_default().insert((by, shared.id));
    }
}

/// Whether a recording used arrays of another while that was open.
pub(super) fn has_used(by: u32, of: u32) -> bool {
    open().used.as_ref().is_some_and(|used| used.contains(&(by, of)))
}

/// Whether an array was made in a function that is being traced, by ops alone, of nothing that another recording has; `alone`, if also
/// of no other array that came to the function.
pub(super) fn is_of_its_own(origin: Origin, alone: bool) -> bool {
    let Some(shared) = find(origin.recording).filter(|shared| shared.is_body()) else { return false };
    let writer = shared.lock();
    let Some(w) = writer.as_ref().filter(|w| (origin.node as usize) < w.tape.rows.len()) else { return false };
    // What the host read may be anywhere.
    if (0..origin.node).any(|id| w.tape.row(id).has(READ)) {
        return false;
    }
    let (mut seen, mut todo) = (FxHashSet::default(), vec![origin.node]);
    while let Some(id) = todo.pop() {
        let row = w.tape.row(id);
        let is_made = match row.kind() {
            Kind::Constant => {
                let came = alone && w.outside.by_id.values().any(|r| r.at == id);
                !came && !w.outside.foreign.iter().any(|(node, _)| *node == id)
            }
            Kind::Primitive => w.tape.labels[row.label as usize].op.is_some(),
            _ => false,
        };
        let is_linked =
            |r: &Ref| r.is_constant() && matches!(w.tape.constants.get(r.at as usize), Some(Constant::Linked(..)));
        if !is_made || w.tape.refs_of(id).iter().any(is_linked) {
            return false;
        }
        let operands = w.tape.refs_of(id).iter().filter(|r| !r.is_constant());
        todo.extend(operands.map(|r| r.at).filter(|&at| seen.insert(at)));
    }
    true
}

/// Whether an array was made in a function that is being traced, of nothing that came to the function: whoever gets it gets a constant.
pub fn is_constant_of_body<A: Recorded>(x: &A) -> bool {
    super::scope::any_recording() && is_of_its_own(x.origin(), true)
}

/// The host asked a tape for a value: a recording that is open, and in which the run of the tape ended, knows of it.
pub fn read_of_tape(n: Node<'_>, out: usize) {
    let tape = n.tape();
    let asked = Ref { at: n.id, out: out as u32 };
    // The run itself is a call there, and what it gave has a node.
    let given = if n.id == 0 { tape.step(asked) } else { None };
    let r = given.unwrap_or(asked);
    for shared in all() {
        // Where it is there, if it is: what a run gave that is no array has no result in the call that the run is.
        let found = |w: &Writer| {
            let at = w.outside.absorbed.get(&tape.recording)?.get(r.at);
            let is_there = |r: &Ref| w.tape.rows.len() as u32 > r.at && r.out < w.tape.row(r.at).outputs();
            Some(at.map(|at| Ref { at, out: r.out }).filter(is_there))
        };
        let found = shared.lock().as_ref().and_then(found);
        let Some(from) = found.filter(|_| !r.is_constant()) else { continue };
        let value: HostValue<'_, NoArray> = HostValue::Text { text: super::UNSHOWN.into(), ty: "Tensor".into() };
        push_read(&shared, "value", from.as_slice(), &value, &n.place());
    }
}

/// The host looked at many values of a tape at once, as a text or a file: the same as [`read_of_tape`] of all.
pub fn read_of_whole_tape(tape: &Tape) {
    const NAME: &str = "tape";
    for shared in all() {
        let is_new = |w: &Writer| {
            let last = w.tape.rows.last().filter(|row| row.has(READ) && row.refs_len == 0);
            let again = last.is_some_and(|row| &*w.tape.labels[row.label as usize].name == NAME);
            w.outside.absorbed.contains_key(&tape.recording) && !again
        };
        if shared.lock().as_ref().is_some_and(is_new) {
            let value: HostValue<'_, NoArray> = HostValue::Text { text: super::UNSHOWN.into(), ty: "Tape".into() };
            push_read(&shared, NAME, &[], &value, &tape.root().place());
        }
    }
}

/// The host read an array outside of the scopes of its recording: a node at the root says so.
pub(super) fn read<A: Recorded>(x: &A, name: &str, value: &HostValue<'_, A>, place: &Place) {
    let Origin { node, out, .. } = x.origin();
    let Some((shared, itself)) = open_recording(x.origin()) else {
        x.id().into_iter().for_each(|id| elsewhere::read(id, name, value, place));
        return;
    };
    // Of an array that was made outside too, nothing is known but that it was read.
    let from: &[Ref] = if node == NONE || !itself { &[] } else { &[Ref { at: node, out }] };
    push_read(&shared, name, from, value, place);
}

/// The host read an array in a function that is traced without values: the recordings around, whose arrays the function used,
/// know of it.
pub(super) fn read_in_body<A: Recorded>(body: u32, x: &A, name: &str, value: &HostValue<'_, A>, place: &Place) {
    let Origin { recording, node, out } = x.origin();
    for shared in all().iter().filter(|s| s.id != body && !s.is_body()) {
        if recording == shared.id && node != NONE {
            push_read(shared, name, &[Ref { at: node, out }], value, place);
        } else if recording == shared.id || has_used(body, shared.id) || has_used(recording, shared.id) {
            push_read(shared, name, &[], value, place);
        }
    }
}

/// Adds a read at the root of a recording. One that is paused gets it when it goes on; of reads of one array, one is enough.
fn push_read<A>(shared: &SharedWriter, name: &str, from: &[Ref], value: &HostValue<'_, A>, place: &Place) {
    let mut writer = shared.lock();
    let (Some(w), Some(value)) = (writer.as_mut(), value.without_arrays()) else { return };
    match &mut w.outside.paused {
        None => w.push_read(name, from, &value, place),
        Some(paused) => {
            paused.entry(from.first().copied()).or_insert_with(|| LateRead::new(name, value, place));
        }
    }
}

impl Writer {
    pub(super) fn push_late_read(&mut self, from: &[Ref], read: &LateRead) {
        self.push_read(&read.name, from, &read.value, &read.place);
    }

    fn push_read(&mut self, name: &str, from: &[Ref], value: &HostValue<'_, NoArray>, place: &Place) {
        let label = self.label(name, None);
        // A bool decides something, which can be looked at again where its array is known.
        let is_bool = matches!(value, HostValue::Number(HostNumber { ty: HostType::Bool, .. }));
        let kind = if is_bool && !from.is_empty() { Kind::Branch } else { Kind::Special };
        let id = self.push(&NodeHeader::new(kind, label, place), [0, 0], from, NodeResults::NONE, Capture::Shapes);
        let (kept, host) = match value {
            HostValue::Number(x) => (self.number_result(*x), HostType::code(Some(x.ty))),
            HostValue::Text { text, ty } => (self.shown_result(text, ty), 0),
            HostValue::Array(none) => match **none {},
        };
        self.set_results(id, &[kept]);
        let row = self.row_mut(id);
        row.flags |= READ;
        row.host = host;
    }
}
