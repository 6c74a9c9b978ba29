//! The scopes of each thread, the innermost last, with those of the switches around them.

use super::around::TracedFor;
use super::scope::ThreadScope;
use super::shared::SharedWriter;
use super::{environment, switch};
use std::cell::{Cell, RefCell};

/// The place of a scope among those of its thread. It is empty while the scope is written to: what hooks do meanwhile
/// is recorded nowhere.
pub(super) struct ScopeSlot {
    pub(super) scope: u64,
    pub(super) recording: u32,
    /// Whether it is the scope of a switch.
    of_switch: bool,
    /// What it is traced for, if it is of a function that is traced without values.
    pub(super) body_of: Option<TracedFor>,
    /// What [`FOCUS`] was when it was opened.
    focus_before: Option<u64>,
    pub(super) local: Option<Box<ThreadScope>>,
}

thread_local! {
    /// The scopes of this thread, the innermost last.
    static SLOTS: RefCell<Vec<ScopeSlot>> = const { RefCell::new(Vec::new()) };
    /// How often switches had been turned when this thread last looked.
    static SEEN_TURNS: Cell<u64> = const { Cell::new(0) };
    /// The scope that counts as the innermost, where that is not the last.
    static FOCUS: Cell<Option<u64>> = const { Cell::new(None) };
}

impl ScopeSlot {
    fn new(local: ThreadScope, of_switch: bool) -> ScopeSlot {
        let ThreadScope { scope, shared, .. } = &local;
        let (scope, recording, body_of) = (*scope, shared.id, shared.body_of);
        ScopeSlot { scope, recording, of_switch, body_of, focus_before: None, local: Some(Box::new(local)) }
    }
}

/// Calls a function with the scopes of this thread, once those of the switches are as these are. A thread that ends, and
/// has dropped its scopes, has none.
#[inline(always)]
pub(super) fn with_slots<T>(f: impl FnOnce(&mut Vec<ScopeSlot>) -> T) -> T {
    if SEEN_TURNS.get() != switch::turns() {
        follow_switches();
    }
    let mut f = Some(f);
    let mut call = |slots: &mut Vec<ScopeSlot>| f.take().map(|f| f(slots));
    let called = SLOTS.try_with(|s| call(&mut s.borrow_mut()));
    called.unwrap_or_else(|_| call(&mut Vec::new())).expect("called once")
}

/// Opens and closes the scopes of the switches on this thread, which are around all others: recordings that are open go
/// on, and become a part of the switch when they end.
#[cold]
pub(super) fn follow_switches() {
    environment::ask();
    let (turns, on) = switch::state();
    SEEN_TURNS.set(turns);
    // Dropped once the list is free again, as in `close_slot`.
    let _closed = SLOTS.try_with(|slots| {
        let mut slots = slots.borrow_mut();
        let wanted = |s: &ScopeSlot| on.iter().flatten().any(|(shared, _)| shared.id == s.recording);
        let closed: Vec<ScopeSlot> = slots.extract_if(.., |s| s.of_switch && !wanted(s)).collect();
        for (i, (shared, at_root)) in on.iter().flatten().enumerate() {
            if !slots.iter().any(|s| s.of_switch && s.recording == shared.id) {
                slots.insert(i, ScopeSlot::new(ThreadScope::of_switch(shared, *at_root), true));
            }
        }
        closed
    });
}

/// The position of the scope that counts as the innermost.
#[inline]
pub(super) fn innermost(slots: &[ScopeSlot]) -> Option<usize> {
    let focused = FOCUS.get().and_then(|focus| slots.iter().rposition(|s| s.scope == focus));
    focused.or(slots.len().checked_sub(1))
}

/// Makes a scope count as the innermost, or the last one again, and gives what counted before.
pub(super) fn focus(scope: Option<u64>) -> Option<u64> {
    FOCUS.replace(scope)
}

/// Opens a scope on this thread, inside all others, and gives its number.
pub(super) fn enter(local: ThreadScope) -> u64 {
    let scope = local.scope;
    let slot = ScopeSlot { focus_before: FOCUS.take(), ..ScopeSlot::new(local, false) };
    with_slots(|s| s.push(slot));
    scope
}

/// Closes a scope of this thread.
pub(super) fn exit(scope: u64) {
    // Dropped once the list is free again: with the recording may go hooks, which are the user's.
    let _closed = with_slots(|s| {
        let i = s.iter().position(|s| s.scope == scope)?;
        FOCUS.set(s[i].focus_before);
        Some(s.remove(i))
    });
}

/// The number of the scope of a recording's switch on this thread, if it is open.
pub(super) fn scope_of_switch(shared: &SharedWriter) -> Option<u64> {
    with_slots(|s| s.iter().find(|s| s.of_switch && s.recording == shared.id).map(|s| s.scope))
}

/// Whether this thread has a scope that is not of a switch.
pub(super) fn has_own() -> bool {
    with_slots(|s| s.iter().any(|s| !s.of_switch))
}

/// Whether this thread has a scope of the recording with this number.
pub(super) fn has_recording(recording: u32) -> bool {
    with_slots(|s| s.iter().any(|s| s.recording == recording))
}

/// The scopes of a thread, set aside until this is dropped: meanwhile it does what is no part of them.
pub struct SetAside {
    held: Vec<ScopeSlot>,
    seen_turns: u64,
    focus: Option<u64>,
}

/// Sets the scopes of this thread aside. What it does meanwhile is still a part of the switches, but of no call that is open.
pub fn set_aside() -> SetAside {
    let held = with_slots(std::mem::take);
    let seen_turns = SEEN_TURNS.get();
    if held.iter().any(|s| s.of_switch) {
        SEEN_TURNS.set(0);
    }
    SetAside { held, seen_turns, focus: FOCUS.take() }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.held);
        let _meanwhile = SLOTS.try_with(|s| s.replace(held));
        SEEN_TURNS.set(self.seen_turns);
        FOCUS.set(self.focus);
    }
}
