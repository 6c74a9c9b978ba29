//! A tape being written, which threads share.

use super::writer::{Seen, Settings, Writer};
use crate::tape::Tape;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wengert_core::Place;

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
    pub(super) fn new(shared: &'a Shared) -> Option<Held<'a>> {
        let guard = shared.lock();
        guard.is_some().then_some(Held { shared, guard: Some(guard) })
    }

    /// Runs a hook: others may write meanwhile, and the hook may look at the tape.
    pub(super) fn release<T>(&mut self, hook: impl FnOnce() -> T) -> T {
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
