//! What the host does between the ops: what it reads, what it decides, where in its functions it is.

use super::cursor::Cursor;
use super::elsewhere::Sources;
use super::origin::{HostValue, Origin, Recorded};
use super::scope::{
    Frame, FrameId, leave_silently, open_silence, with_cursor, with_frame, with_innermost, with_writer,
};
use super::site::{Does, Site};
use super::slots::has_recording;
use super::writer::{NodeHeader, NodeResults};
use crate::api::{GIVEN, KERNEL};
use crate::host::{HostNumber, HostType};
use crate::meta::MetaValue;
use crate::row::{CONDITION, Kind, LEFT, NONE, READ, Ref};
use crate::summary::Capture;
use smallvec::SmallVec;
use wengert_core::ops::Custom;
use wengert_core::{Place, Tensor, Type};

/// Why the host reads an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadPurpose {
    /// Nobody knows; but a bool decides something.
    Unknown,
    /// It decides what comes next on the tape.
    Decision,
}

/// Records that the host read an array. `value` is what the host saw.
///
/// Outside of the scopes of the recording that the array is of, that recording knows of it too.
pub fn read<A: Recorded>(x: &A, name: &str, value: HostValue<'_, A>, purpose: ReadPurpose, place: &Place) {
    let recorded = push_read(x, name, &value, purpose, place);
    if recorded.is_none() || !has_recording(x.origin().recording) && !ended_here(x) {
        super::outside::read(x, name, &value, place);
    } else if let Some(body) = with_innermost(|l| l.shared.is_body().then_some(l.shared.id)) {
        super::outside::read_in_body(body, x, name, &value, place);
    }
}

/// The same of an array of a function that is recorded on a tape of its own: the recordings around it learn of the read when
/// the function ends.
pub fn read_in_trace<A: Recorded>(x: &A, name: &str, value: HostValue<'_, A>, purpose: ReadPurpose, place: &Place) {
    push_read(x, name, &value, purpose, place);
}

/// Whether an array is of a recording that ended inside the one of this thread, which knows what it read.
fn ended_here<A: Recorded>(x: &A) -> bool {
    with_cursor(|cursor| !cursor.writer.is_body() && cursor.of_origin(x.origin()).is_some()) == Some(true)
}

/// Whether what happens now on this thread is recorded on the tape of a function that is traced without all of its values.
pub fn is_in_body() -> bool {
    with_innermost(|l| l.shared.is_body().then_some(())).is_some()
}

/// Adds a read to the open call.
fn push_read<A: Recorded>(
    x: &A,
    name: &str,
    value: &HostValue<'_, A>,
    purpose: ReadPurpose,
    place: &Place,
) -> Option<()> {
    with_cursor(|cursor| {
        let r = cursor.reference(x, place);
        let is_bool = matches!(value, HostValue::Number(HostNumber { ty: HostType::Bool, .. }));
        let kind = if purpose == ReadPurpose::Decision || is_bool { Kind::Branch } else { Kind::Special };
        let label = cursor.writer.label(name, None);
        let id = cursor.push(&NodeHeader::new(kind, label, place), &[r], NodeResults::NONE);
        if let Some(id) = id {
            cursor.set_host_result(id, value);
            cursor.writer.row_mut(id).flags |= READ;
            if let Some(reads) = cursor.frame().conditions.last_mut() {
                reads.push(id);
            }
        }
    })
}

/// Records arrays that came from outside, such as a file.
pub fn received<A: Recorded>(name: &str, from: &str, y: &mut [A], place: &Place) {
    with_cursor(|cursor| {
        let (label, from) = (cursor.writer.label(name, None), cursor.writer.text_operand(from));
        cursor.push_with_results(&NodeHeader::new(Kind::Special, label, place), &[from], y);
    });
}

/// Records what an op of the user's that is no program of others gave for these, where values are kept: nothing but its code, which
/// is in no tape, could tell.
pub(super) fn kernel(op: &Custom, x: &[Tensor], y: &[Tensor]) {
    let keeps = |cursor: &mut Cursor<'_>| cursor.writer.settings.keeps_constants();
    if with_cursor(keeps) != Some(true) {
        return;
    }
    let types: Vec<Type> = x.iter().map(Tensor::ty).collect();
    if op.get().decompose(&types).is_some() {
        return;
    }
    let all: Vec<&Tensor> = x.iter().chain(y).collect();
    let types: Vec<Type> = all.iter().map(|t| t.ty()).collect();
    with_cursor(|cursor| {
        let (label, text) = (cursor.writer.label("kernel", None), op.text());
        let from = cursor.writer.text_operand(op.get().name());
        let Frame { node, block, .. } = *cursor.frame();
        let results = NodeResults { types: &types, value: &|i| Some(all[i].clone()) };
        let place = Place::unknown();
        let header = NodeHeader::new(Kind::Special, label, &place);
        let id = cursor.writer.push(&header, [node, block], &[from], results, Capture::Values);
        cursor.writer.set_meta(id, KERNEL.name(), MetaValue::Text(text));
        cursor.writer.set_meta(id, GIVEN.name(), MetaValue::Int(x.len() as i64));
    });
}

/// An array was copied to a device or back: both are one to a recording that has the array from outside. What happens elsewhere
/// to the copy happens to it.
pub fn moved<A: Recorded>(x: &A, y: &mut A, place: &Place) {
    if x.origin() != Origin::default() {
        return;
    }
    let known = with_cursor(|cursor| (cursor.id, cursor.source(x, place)));
    match known.filter(|(_, r)| !r.is_constant()) {
        Some((recording, r)) => y.set_origin(Origin { recording, node: r.at, out: r.out }),
        None => Sources::of([x]).into_iter().for_each(|x| x.made(std::slice::from_ref(y))),
    }
}

/// Records that an array went outside, such as to a file.
pub fn sent<A: Recorded>(x: &A, name: &str, to: &str, place: &Place) {
    with_cursor(|cursor| {
        let (r, label, to) =
            (cursor.reference(x, place), cursor.writer.label(name, None), cursor.writer.text_operand(to));
        if let Some(id) = cursor.push(&NodeHeader::new(Kind::Special, label, place), &[r, to], NodeResults::NONE) {
            // What is written may be read again, by whomever.
            cursor.writer.row_mut(id).flags |= READ;
        }
    });
}

/// Sets the block of its function that the open call is in.
pub fn set_block(number: u32) {
    with_frame(|frame| frame.block = number);
}

/// Sets the statement of its function that the open call is at: calls that it makes are at this place.
pub fn set_statement(place: Place) {
    with_frame(|frame| frame.here = place);
}

/// The statement that the open call is at, if its function is tracked.
pub fn statement_place() -> Option<Place> {
    with_frame(|frame| frame.here.clone()).filter(|p| !p.is_unknown())
}

/// A jump without a condition, such as `break`, to a block of the open call.
pub fn jump(name: &str, target: u32, place: &Place) {
    with_cursor(|cursor| {
        let label = cursor.writer.label(name, None);
        let id = cursor.push(&NodeHeader::new(Kind::Branch, label, place), &[], NodeResults::NONE);
        if let Some(id) = id {
            cursor.writer.row_mut(id).extra = target;
        }
        cursor.frame().block = target;
    });
}

/// Begins a condition: all reads of the host until [`branch`] belong to it.
pub fn begin_condition() {
    with_frame(|frame| frame.conditions.push(SmallVec::new()));
}

/// Records a decision of the host: the text of its condition, whether it held, how that is said (empty: by the bool), and
/// the block that the open call goes to. What the host read for it are its operands.
pub fn branch(text: &str, (taken, how): (bool, &str), target: Option<u32>, place: &Place) {
    with_cursor(|cursor| {
        let reads = cursor.frame().conditions.pop().unwrap_or_default();
        // One read that is the condition itself: its node is the branch.
        if let [id] = reads[..]
            && cursor.is_decision_of(id, taken)
            && how.is_empty()
        {
            cursor.writer.row_mut(id).extra = target.unwrap_or(NONE);
            cursor.goto(target);
            return;
        }
        let label = cursor.writer.label(text, None);
        let refs: SmallVec<[Ref; 2]> = reads.iter().map(|&at| Ref { at, out: 0 }).collect();
        cursor.decided(&refs, label, (taken, how), target, place);
        cursor.goto(target);
    });
}

/// The same of a tracked function that says where the condition came from.
pub fn decide(site: &'static Site, (taken, how): (bool, &str), target: Option<u32>, place: &Place) {
    if how.is_empty() && with_writer(|mut open| open.decided(site, taken, target, place)).is_some() {
        return;
    }
    with_cursor(|cursor| {
        let mut refs = cursor.slots_of(site.operands);
        refs.retain(|r| !r.is_constant());
        let exact = site.does == Does::Name;
        // A read that is the condition itself is the branch.
        if let [Ref { at, out: 0 }] = refs[..]
            && exact
            && cursor.is_decision_of(at, taken)
            && how.is_empty()
        {
            cursor.writer.row_mut(at).extra = target.unwrap_or(NONE);
        } else {
            let label = cursor.writer.site_label(site, None);
            let id = cursor.decided(&refs, label, (taken, how), target, place);
            if let Some(id) = id.filter(|_| !refs.is_empty() && exact) {
                cursor.writer.row_mut(id).flags |= CONDITION;
            }
            id.into_iter().for_each(|id| cursor.remember_site(site, id, place));
        }
        cursor.goto(target);
    });
}

/// The open call was left by the decision that was recorded last: it has no block to go to.
pub fn left() {
    with_cursor(|cursor| {
        let node = cursor.frame().node;
        let last = if node == NONE { NONE } else { cursor.writer.tape.row(node).last_child };
        if last != NONE && cursor.writer.tape.row(last).kind() == Kind::Branch {
            cursor.writer.row_mut(last).flags |= LEFT;
        }
    });
}

/// Runs a function that is not recorded.
pub fn silently<T>(f: impl FnOnce() -> T) -> T {
    let _silence = silence();
    f()
}

/// A time in which nothing is recorded on this thread: it ends when this is dropped.
pub struct Silence(Option<FrameId>);

/// Begins a [`Silence`].
pub fn silence() -> Silence {
    Silence(open_silence())
}

impl Drop for Silence {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(leave_silently);
    }
}

impl Cursor<'_> {
    fn goto(&mut self, block: Option<u32>) {
        if let Some(block) = block {
            self.frame().block = block;
        }
    }

    /// Whether a node is the read of a bool, the last that happened in this call, and what it read was this.
    fn is_decision_of(&mut self, id: u32, taken: bool) -> bool {
        let node = self.frame().node;
        let tape = &self.writer.tape;
        let (row, last) = (tape.row(id), node != NONE && tape.row(node).last_child == id);
        let read = row.kind() == Kind::Branch && row.has(READ) && row.extra == NONE;
        last && read && crate::Node { tape, id }.number(0) == Some(taken.into())
    }
}
