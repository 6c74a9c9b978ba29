//! A tape being written, which threads share.

use super::around::TracedFor;
use super::elsewhere::{self, Told};
use super::host::kernel;
use super::lock::{WriterLock, WriterLockGuard};
use super::writer::{OutsideArrays, Settings, Writer};
use crate::tape::Tape;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use wengert_core::Place;
use wengert_core::ops::Custom;

/// The number of the next recording.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// Recordings from this number on began after this call.
pub fn next_recording() -> u32 {
    NEXT.load(Ordering::Relaxed)
}

/// A tape being written. Threads share it; each call locks it for a moment.
pub(super) struct SharedWriter {
    pub(super) id: u32,
    /// What it is traced for, if it is of a function that is traced without values.
    pub(super) body_of: Option<TracedFor>,
    /// Taken when the recording ends.
    writer: WriterLock<Option<Writer>>,
}

impl SharedWriter {
    /// A new tape, whose root has this name.
    pub(super) fn new(settings: Settings, name: &str, place: &Place) -> Arc<SharedWriter> {
        SharedWriter::of(Writer::new(settings, name, place), None)
    }

    /// The tape of a function that is traced without values.
    pub(super) fn new_body(name: &str, traced_for: TracedFor, place: &Place) -> Arc<SharedWriter> {
        let settings = Settings { constants: true, ..Settings::default() };
        SharedWriter::of(Writer::new(settings, name, place), Some(traced_for))
    }

    fn of(mut writer: Writer, body_of: Option<TracedFor>) -> Arc<SharedWriter> {
        if body_of.is_none() {
            let (told, since) = Told::new();
            (writer.told, writer.outside.since) = (Some(told), since);
        }
        Custom::observe(kernel);
        Arc::new(SharedWriter {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            body_of,
            writer: WriterLock::new(Some(writer)),
        })
    }

    /// Whether it is of a function that is traced without values.
    pub(super) fn is_body(&self) -> bool {
        self.body_of.is_some()
    }

    /// What was written so far, if the recording is open.
    pub(super) fn so_far(&self) -> Option<FinishedRecording> {
        elsewhere::settle(self);
        self.lock().as_ref().map(FinishedRecording::of)
    }

    #[inline(always)]
    pub(super) fn lock(&self) -> WriterLockGuard<'_, Option<Writer>> {
        self.writer.lock()
    }

    /// Ends the recording, and gives what was written. A writer that hooks run for stays until they are done.
    pub(super) fn close(&self) -> Option<FinishedRecording> {
        elsewhere::settle(self);
        let mut guard = self.lock();
        match guard.as_ref()?.hooks {
            0 => {
                guard.take().map(|Writer { tape, settings, outside, .. }| FinishedRecording { tape, settings, outside })
            }
            _ => guard.as_ref().map(FinishedRecording::of),
        }
    }
}

/// The tape of a recording that has ended, how it was recorded, and the arrays it has from outside.
#[derive(Default)]
pub(super) struct FinishedRecording {
    pub(super) tape: Tape,
    pub(super) settings: Settings,
    pub(super) outside: OutsideArrays,
}

impl FinishedRecording {
    fn of(w: &Writer) -> FinishedRecording {
        FinishedRecording { tape: w.tape.clone(), settings: w.settings.clone(), outside: w.outside.clone() }
    }
}

/// The writer of a recording, locked; but not while a hook runs.
pub(super) struct WriterGuard<'a> {
    shared: &'a SharedWriter,
    guard: Option<WriterLockGuard<'a, Option<Writer>>>,
}

impl<'a> WriterGuard<'a> {
    /// None if the recording has ended.
    #[inline(always)]
    pub(super) fn new(shared: &'a SharedWriter) -> Option<WriterGuard<'a>> {
        let guard = shared.lock();
        guard.is_some().then_some(WriterGuard { shared, guard: Some(guard) })
    }

    /// Whether it is of a function that is traced without values.
    pub(super) fn is_body(&self) -> bool {
        self.shared.is_body()
    }

    /// Runs a hook with the writer unlocked: others may write meanwhile, and the hook may look at the tape.
    pub(super) fn unlocked<T>(&mut self, hook: impl FnOnce() -> T) -> T {
        struct Relock<'h, 'a>(&'h mut WriterGuard<'a>);
        impl Drop for Relock<'_, '_> {
            fn drop(&mut self) {
                self.0.guard = Some(self.0.shared.lock());
                self.0.hooks -= 1;
            }
        }
        self.hooks += 1;
        self.guard = None;
        let _relock = Relock(self);
        hook()
    }
}

impl Deref for WriterGuard<'_> {
    type Target = Writer;
    #[inline]
    fn deref(&self) -> &Writer {
        self.guard
            .as_deref()
            .and_then(Option::as_ref)
            .expect("locked but while a hook runs, which keeps the writer there")
    }
}

impl DerefMut for WriterGuard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Writer {
        self.guard
            .as_deref_mut()
            .and_then(Option::as_mut)
            .expect("locked but while a hook runs, which keeps the writer there")
    }
}
