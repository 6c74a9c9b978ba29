//! What the host does between the ops: what it reads, what it decides, where in its functions it is.

use super::at::At;
use super::origin::Recorded;
use super::scope::{Opened, leave_silently, silence, with};
use super::writer::{Made, What};
use crate::row::{Kind, NONE, Ref};
use smallvec::SmallVec;
use wengert_core::Place;

/// What the host reads an array for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Something that is not known, unless it saw a bool: that decides something.
    Anything,
    /// To decide what comes next on the tape.
    Decision,
}

/// Records something that the host read. `value` is what it saw.
pub fn read<A: Recorded>(x: &A, name: &str, value: &str, purpose: For, place: &Place) {
    with(|at| {
        let r = at.reference(x, place);
        let decides = purpose == For::Decision || matches!(value, "true" | "false");
        let kind = if decides { Kind::Branch } else { Kind::Special };
        let label = at.writer.label(name, None);
        let id = at.push(&What::new(kind, label, place), &[r], Made::NOTHING);
        if let Some(id) = id {
            let kept = at.writer.text(value);
            at.writer.set_results(id, &[kept]);
            if let Some(reads) = at.frame().conditions.last_mut() {
                reads.push(id);
            }
        }
    });
}

/// Records what came from somewhere outside our knowledge, such as a file.
pub fn special<A: Recorded>(name: &str, from: &str, y: &mut [A], place: &Place) {
    with(|at| {
        let (label, from) = (at.writer.label(name, None), at.writer.note(from));
        at.push_made(&What::new(Kind::Special, label, place), &[from], y);
    });
}

/// Records that an array went to somewhere outside our knowledge, such as a file.
pub fn sent<A: Recorded>(x: &A, name: &str, to: &str, place: &Place) {
    with(|at| {
        let (r, label, to) = (at.reference(x, place), at.writer.label(name, None), at.writer.note(to));
        at.push(&What::new(Kind::Special, label, place), &[r, to], Made::NOTHING);
    });
}

/// Says which block of its function the open call is in from now on.
pub fn block(number: u32) {
    with(|at| at.frame().block = number);
}

/// Says which statement of its function the open call is at: calls it makes are from there.
pub fn statement(place: Place) {
    with(|at| at.frame().here = place);
}

/// Where the open call is, if its function says so.
pub fn here() -> Option<Place> {
    with(|at| at.frame().here.clone()).filter(|p| !p.is_unknown())
}

/// A jump without a condition, such as `break`, to a block of the open call.
pub fn jump(name: &str, target: u32, place: &Place) {
    with(|at| {
        let label = at.writer.label(name, None);
        let id = at.push(&What::new(Kind::Branch, label, place), &[], Made::NOTHING);
        if let Some(id) = id {
            at.writer.row_mut(id).extra = target;
        }
        at.frame().block = target;
    });
}

/// What the host reads from now on belongs to one condition, until [`branch`].
pub fn condition() {
    with(|at| at.frame().conditions.push(SmallVec::new()));
}

/// A decision of the host: what its condition was, as text and as it came out, and the block it goes to, where the open
/// call is from now on.
pub fn branch(text: &str, taken: &str, target: Option<u32>, place: &Place) {
    with(|at| {
        let reads = at.frame().conditions.pop().unwrap_or_default();
        let kept = at.writer.text(taken);
        let target = target.unwrap_or(NONE);
        // One read that is the condition itself: that node is the branch.
        if let [id] = reads[..]
            && at.writer.tape.row(id).kind() == Kind::Branch
            && at.writer.tape.row(id).extra == NONE
            && at.writer.tape.results_of(id) == [kept]
        {
            at.writer.row_mut(id).extra = target;
            at.goto(target);
            return;
        }
        let refs: SmallVec<[Ref; 2]> = reads.iter().map(|&at| Ref { at, out: 0 }).collect();
        let label = at.writer.label(text, None);
        let id = at.push(&What::new(Kind::Branch, label, place), &refs, Made::NOTHING);
        if let Some(id) = id {
            at.writer.set_results(id, &[kept]);
            at.writer.row_mut(id).extra = target;
        }
        at.goto(target);
    });
}

/// Runs something that is not recorded.
pub fn silently<T>(f: impl FnOnce() -> T) -> T {
    let _quiet = quiet();
    f()
}

/// Nothing is recorded on this thread until this is dropped.
pub struct Quiet(Option<Opened>);

/// Stops recording on this thread until the result is dropped.
pub fn quiet() -> Quiet {
    Quiet(silence())
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(leave_silently);
    }
}

impl At<'_> {
    fn goto(&mut self, block: u32) {
        if block != NONE {
            self.frame().block = block;
        }
    }
}
