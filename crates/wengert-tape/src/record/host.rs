//! What the host does between the ops: what it reads, what it decides, where in its functions it is.

use super::cursor::Cursor;
use super::origin::Recorded;
use super::scope::{FrameId, leave_silently, open_silence, with_cursor};
use super::writer::{NodeHeader, NodeResults};
use crate::row::{Kind, NONE, Ref};
use smallvec::SmallVec;
use wengert_core::Place;

/// Why the host reads an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadPurpose {
    /// Nobody knows; but a bool decides something.
    Unknown,
    /// It decides what comes next on the tape.
    Decision,
}

/// Records that the host read an array. `value` is what the host saw, as text.
pub fn read<A: Recorded>(x: &A, name: &str, value: &str, purpose: ReadPurpose, place: &Place) {
    with_cursor(|cursor| {
        let r = cursor.reference(x, place);
        let decides = purpose == ReadPurpose::Decision || matches!(value, "true" | "false");
        let kind = if decides { Kind::Branch } else { Kind::Special };
        let label = cursor.writer.label(name, None);
        let id = cursor.push(&NodeHeader::new(kind, label, place), &[r], NodeResults::NONE);
        if let Some(id) = id {
            let kept = cursor.writer.text_result(value);
            cursor.writer.set_results(id, &[kept]);
            if let Some(reads) = cursor.frame().conditions.last_mut() {
                reads.push(id);
            }
        }
    });
}

/// Records arrays that came from outside, such as a file.
pub fn received<A: Recorded>(name: &str, from: &str, y: &mut [A], place: &Place) {
    with_cursor(|cursor| {
        let (label, from) = (cursor.writer.label(name, None), cursor.writer.text_operand(from));
        cursor.push_with_results(&NodeHeader::new(Kind::Special, label, place), &[from], y);
    });
}

/// Records that an array went outside, such as to a file.
pub fn sent<A: Recorded>(x: &A, name: &str, to: &str, place: &Place) {
    with_cursor(|cursor| {
        let (r, label, to) =
            (cursor.reference(x, place), cursor.writer.label(name, None), cursor.writer.text_operand(to));
        cursor.push(&NodeHeader::new(Kind::Special, label, place), &[r, to], NodeResults::NONE);
    });
}

/// Sets the block of its function that the open call is in.
pub fn set_block(number: u32) {
    with_cursor(|cursor| cursor.frame().block = number);
}

/// Sets the statement of its function that the open call is at: calls that it makes are at this place.
pub fn set_statement(place: Place) {
    with_cursor(|cursor| cursor.frame().here = place);
}

/// The statement that the open call is at, if its function is tracked.
pub fn statement_place() -> Option<Place> {
    with_cursor(|cursor| cursor.frame().here.clone()).filter(|p| !p.is_unknown())
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
    with_cursor(|cursor| cursor.frame().conditions.push(SmallVec::new()));
}

/// Records a decision of the host: the text of its condition, how the condition came out, and the block that the open call
/// goes to.
pub fn branch(text: &str, taken: &str, target: Option<u32>, place: &Place) {
    with_cursor(|cursor| {
        let reads = cursor.frame().conditions.pop().unwrap_or_default();
        let kept = cursor.writer.text_result(taken);
        let target = target.unwrap_or(NONE);
        // One read that is the condition itself: its node is the branch.
        if let [id] = reads[..]
            && cursor.writer.tape.row(id).kind() == Kind::Branch
            && cursor.writer.tape.row(id).extra == NONE
            && cursor.writer.tape.results_of(id) == [kept]
        {
            cursor.writer.row_mut(id).extra = target;
            cursor.goto(target);
            return;
        }
        let refs: SmallVec<[Ref; 2]> = reads.iter().map(|&at| Ref { at, out: 0 }).collect();
        let label = cursor.writer.label(text, None);
        let id = cursor.push(&NodeHeader::new(Kind::Branch, label, place), &refs, NodeResults::NONE);
        if let Some(id) = id {
            cursor.writer.set_results(id, &[kept]);
            cursor.writer.row_mut(id).extra = target;
        }
        cursor.goto(target);
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
    fn goto(&mut self, block: u32) {
        if block != NONE {
            self.frame().block = block;
        }
    }
}
