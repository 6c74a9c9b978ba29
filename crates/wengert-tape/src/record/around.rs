//! Bodies of loops and branches, and what is known inside of them: it is computed once, while the body is traced, and belongs to
//! the recording around the loop. There it comes before the loop, which takes it as an operand. What is known inside of a function
//! whose program is kept is on the tape of that function, and on the recording around it too.

use super::origin::{Origin, Recorded};
use super::scope::{
    FrameId, ThreadScope, any_recording, has_silence, leave_silently, open_silence, with_cursor, with_frame,
    with_innermost,
};
use super::slots::{ScopeSlot, focus, innermost, with_slots};
use crate::row::NONE;
use std::marker::PhantomData;

/// What a function is traced for without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracedFor {
    /// A program that is kept for other calls, with the tape.
    Program,
    /// A transform, which has the tape inside its call.
    Transform,
    /// An op that holds its program, a loop or a branch: what the tape shows of it is the op.
    Op,
}

/// Another scope than the last counts as the innermost of this thread, or the last again, until this is dropped.
pub struct Refocused {
    before: Option<u64>,
    silence: Option<FrameId>,
    here: PhantomData<*const ()>,
}

impl Refocused {
    fn on(scope: Option<u64>) -> Refocused {
        Refocused { before: focus(scope), silence: None, here: PhantomData }
    }
}

impl Drop for Refocused {
    fn drop(&mut self) {
        self.silence.take().into_iter().for_each(leave_silently);
        focus(self.before);
    }
}

/// The scope around the outermost loop or branch whose body is being traced; none if there is no such body. A program that is
/// kept ends the search: its tape has all that its function did.
fn around(slots: &[ScopeSlot]) -> Option<u64> {
    let mut found = None;
    for i in (1..=innermost(slots)?).rev() {
        match slots[i].body_of {
            Some(TracedFor::Op) => found = Some(slots[i - 1].scope),
            Some(TracedFor::Transform) => {}
            Some(TracedFor::Program) | None => break,
        }
    }
    found
}

/// The number of the scope that [`around_bodies`] leads to.
pub fn scope_around_bodies() -> Option<u64> {
    any_recording().then(|| with_slots(|s| around(s))).flatten()
}

/// Whether what happens now is a part of the body of a loop or a branch whatever it is made of: a tracked function that was given
/// variables of the body is one with all that it does.
pub fn is_part_of_body() -> bool {
    let of_op = |l: &mut ThreadScope| l.shared.body_of == Some(TracedFor::Op);
    any_recording()
        && with_innermost(|l| of_op(l).then_some(())).is_some()
        && with_frame(|frame| frame.is_given_variable) == Some(true)
}

/// Leaves the bodies of loops and branches that are being traced: what happens until the result is dropped belongs to the
/// recording around them. It is silent there too where the body was.
pub fn around_bodies() -> Option<Refocused> {
    let scope = scope_around_bodies()?;
    let silent = has_silence();
    let mut refocused = Refocused::on(Some(scope));
    refocused.silence = silent.then(open_silence).flatten();
    Some(refocused)
}

/// The same, if none of these arrays is a variable of such a body.
pub fn around_bodies_of<A: Recorded>(x: &[&A]) -> Option<Refocused> {
    if x.iter().any(|x| is_of_body(x.origin())) { None } else { around_bodies() }
}

/// Whether an array is of a function that is being traced on this thread without values.
pub(super) fn is_of_body(origin: Origin) -> bool {
    with_slots(|s| s.iter().any(|s| s.body_of.is_some() && s.recording == origin.recording))
}

/// Goes back into the innermost body, from where [`around_bodies`] led.
pub fn inside_bodies() -> Option<Refocused> {
    any_recording().then(|| Refocused::on(None))
}

/// The recording around a function whose program is kept, while it gets what the function did with arrays that are known.
pub struct AroundProgram {
    refocused: Refocused,
}

/// Leaves a function that is traced for a program that is kept, if one of these arrays is of the recording around it.
pub fn around_program<A: Recorded>(x: &[&A]) -> Option<AroundProgram> {
    if !any_recording() {
        return None;
    }
    let scope = with_slots(|s| {
        // Transforms in the function have tapes inside of its own.
        let all = &s[..=innermost(s)?];
        let program = all.iter().rposition(|s| s.body_of != Some(TracedFor::Transform))?;
        let is_program = all[program].body_of == Some(TracedFor::Program);
        let outer = all[..program].iter().rev().find(|s| s.body_of.is_none()).filter(|_| is_program)?;
        x.iter().any(|x| x.origin().recording == outer.recording).then_some(outer.scope)
    })?;
    let records = !has_silence();
    let refocused = Refocused::on(Some(scope));
    (records && !has_silence()).then_some(AroundProgram { refocused })
}

impl AroundProgram {
    /// An operand as the recording around has it: what the function made of nothing but its own is from outside.
    pub fn operand<A: Recorded + Clone>(&self, x: &A) -> A {
        let mut x = x.clone();
        if is_of_body(x.origin()) && x.origin().node != NONE {
            x.set_origin(Origin::default());
        }
        x
    }

    /// Goes back into the function, whose tape knows these results by its own nodes.
    pub fn finish<A: Recorded>(self, outside: &[A], inside: &[A]) {
        drop(self.refocused);
        with_cursor(|cursor| {
            for (outside, inside) in outside.iter().zip(inside) {
                if let Some(r) = cursor.of_origin(inside.origin()) {
                    cursor.writer.outside.by_origin.insert(outside.origin(), r);
                }
            }
        });
    }
}
