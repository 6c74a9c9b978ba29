//! The switches: each is a recording of the whole process, of the threads that run already and of those that start later.
//!
//! There are two: that of the environment (`WENGERT_TAPE`), and inside it the one that the program turns. A switch has one
//! tape. What the thread does that turned it on stands at the root; each other thread has a call there.

use super::cursor::Cursor;
use super::listeners::listen_everywhere;
use super::origin::NoArray;
use super::outside;
use super::scope::{Frame, count_for_all, with_cursor_of};
use super::shared::SharedWriter;
use super::slots::{follow_switches, scope_of_switch};
use super::writer::{NodeHeader, Settings};
use crate::context::Enter;
use crate::row::{Kind, NONE};
use crate::tape::Tape;
use std::cell::{Cell, OnceCell};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use wengert_core::Place;

/// A recording of the process.
struct Switch {
    /// The tape, from the first time the switch is turned on until it is purged.
    shared: Option<Arc<SharedWriter>>,
    on: bool,
    /// Whether it counts as a scope: also while it is off, if it may go on with its tape. What is made of its arrays
    /// meanwhile must be marked.
    counts: bool,
    /// The thread whose nodes stand at the root; none: the thread `main`.
    home: Option<ThreadId>,
}

impl Switch {
    const OFF: Switch = Switch { shared: None, on: false, counts: false, home: None };

    fn is_home(&self) -> bool {
        match self.home {
            Some(id) => thread::current().id() == id,
            None => thread::current().name() == Some("main"),
        }
    }

    /// Whether it has a tape with nodes, which it goes on with when it is turned on.
    fn has_begun(&self) -> bool {
        self.shared.as_ref().is_some_and(|w| w.lock().as_ref().is_some_and(|w| !w.tape.is_empty()))
    }

    fn count(&mut self) {
        let counts = self.on || self.has_begun();
        if self.counts != counts {
            self.counts = counts;
            count_for_all(counts);
        }
    }
}

/// Which of the switches.
const ENVIRONMENT: usize = 0;
const PROGRAM: usize = 1;

static SWITCHES: Mutex<[Switch; 2]> = Mutex::new([Switch::OFF; 2]);

/// How often switches were turned.
static TURNS: AtomicU64 = AtomicU64::new(1);

fn switches() -> MutexGuard<'static, [Switch; 2]> {
    SWITCHES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often switches were turned: threads look at them again when this is another number than before.
#[inline]
pub(super) fn turns() -> u64 {
    TURNS.load(Ordering::Relaxed)
}

/// The tape of a switch that is on, and whether this thread is at its root.
type TapeOfSwitch = Option<(Arc<SharedWriter>, bool)>;

/// How often switches were turned, and their tapes.
pub(super) fn state() -> (u64, [TapeOfSwitch; 2]) {
    let s = switches();
    (turns(), [ENVIRONMENT, PROGRAM].map(|i| s[i].shared.clone().filter(|_| s[i].on).map(|w| (w, s[i].is_home()))))
}

/// Changes the switches.
fn change<T>(f: impl FnOnce(&mut [Switch; 2]) -> T) -> T {
    let mut s = switches();
    let y = f(&mut s);
    s.iter_mut().for_each(Switch::count);
    listen_everywhere(s.iter().any(|s| s.on));
    TURNS.fetch_add(1, Ordering::Relaxed);
    y
}

fn new_tape(settings: Settings, place: &Place) -> Arc<SharedWriter> {
    let shared = SharedWriter::new(settings, "trace", place);
    outside::opened(&shared);
    shared
}

/// Starts recording what all threads do, or goes on with the recording that was stopped. It is around all other scopes:
/// while these are open, what happens goes to them.
pub fn enable(settings: Settings, place: &Place) {
    super::environment::ask();
    change(|s| {
        let s = &mut s[PROGRAM];
        if !(s.on && s.shared.is_some() || s.has_begun()) {
            (s.shared, s.home) = (Some(new_tape(settings, place)), Some(thread::current().id()));
        }
        s.on = true;
        s.shared.iter().for_each(|w| outside::go_on(w));
    });
    follow_switches();
}

/// Stops recording, on all threads; what was recorded stays.
pub fn disable() {
    change(|s| {
        s[PROGRAM].on = false;
        s[PROGRAM].shared.iter().for_each(|w| outside::pause(w));
    });
    follow_switches();
}

/// What was recorded so far, by all threads.
pub fn collect() -> Tape {
    let shared = switches()[PROGRAM].shared.clone();
    shared.and_then(|s| s.so_far()).map(|written| written.tape).unwrap_or_default()
}

/// Forgets what was recorded, and frees its memory. Recording goes on if it was on.
pub fn purge() {
    let Some(old) = change(|s| s[PROGRAM].shared.take()) else { return };
    let written = old.close();
    change(|s| {
        let s = &mut s[PROGRAM];
        if s.on && s.shared.is_none() {
            let settings = written.as_ref().map(|w| w.settings.clone()).unwrap_or_default();
            s.shared = Some(new_tape(settings, &Place::unknown()));
        }
    });
    follow_switches();
    // The environment's tape has it all.
    let environment = switches()[ENVIRONMENT].shared.clone();
    if let (Some(environment), Some(written)) = (environment, written)
        && let Some(scope) = scope_of_switch(&environment)
    {
        let place = written.tape.root().place();
        with_cursor_of(scope, |cursor| cursor.absorb::<NoArray>(old.id, &written, &[], &place));
    }
}

/// Turns the switch of the environment on.
pub(super) fn enable_for_environment(settings: Settings) {
    change(|s| {
        s[ENVIRONMENT].shared = Some(new_tape(settings, &Place::unknown()));
        s[ENVIRONMENT].on = true;
    });
}

/// Ends the recording that the environment asked for. Recordings that are open are calls of it.
pub(super) fn finish_for_environment() -> Option<Tape> {
    let shared = change(|s| {
        s[ENVIRONMENT].on = false;
        s[ENVIRONMENT].shared.take()
    })?;
    for open in outside::all() {
        if open.id == shared.id || open.is_body() {
            continue;
        }
        let written = open.so_far();
        let mut frames = vec![Frame::new(0)];
        if let (Some(written), Some(mut cursor)) = (written, Cursor::try_root(&shared, &mut frames)) {
            let place = written.tape.root().place();
            cursor.absorb::<NoArray>(open.id, &written, &[], &place);
        }
    }
    shared.close().map(|finished| finished.tape)
}

/// The name of this thread, or a number for one that has none: the first of these is `#1`.
pub(super) fn thread_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    thread_local! {
        static NUMBER: OnceCell<u32> = const { OnceCell::new() };
    }
    match thread::current().name() {
        Some(name) => name.to_string(),
        None => format!("#{}", NUMBER.with(|n| *n.get_or_init(|| NEXT.fetch_add(1, Ordering::Relaxed)))),
    }
}

/// The calls of this thread: the recording, the node in it, and how it was entered.
type ThreadCalls = [(u32, u32, Enter); 2];

/// The frame of the call that this thread has at the root of a switch's tape. None if the recording has ended.
pub(super) fn thread_call(shared: &SharedWriter) -> Option<Frame> {
    thread_local! {
        static CALLS: Cell<ThreadCalls> = const { Cell::new([(0, 0, Enter::Nothing); 2]) };
    }
    let calls = CALLS.get();
    if let Some(&(_, node, enter)) = calls.iter().find(|(recording, ..)| *recording == shared.id) {
        return Some(Frame::entered(node, enter));
    }
    let mut frames = vec![Frame::new(0)];
    let mut cursor = Cursor::try_root(shared, &mut frames)?;
    let name = cursor.writer.text_operand(&thread_name());
    let label = cursor.writer.label("thread", None);
    let (_, node, enter) = cursor.open_call(&NodeHeader::new(Kind::Call, label, &Place::unknown()), &[name]);
    let node = node.unwrap_or(NONE);
    CALLS.set([(shared.id, node, enter), calls[0]]);
    Some(Frame::entered(node, enter))
}
