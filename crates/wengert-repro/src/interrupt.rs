//! Ctrl-C while a reduction runs: the candidates of now are given up, and what was found so far is written. A second one ends the
//! process at once.

use std::sync::atomic::{AtomicBool, Ordering};
use wengert_core::{Error, ErrorKind};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on an interrupt, or a wish that the process end, only says so, once.
pub fn watch() {
    #[cfg(unix)]
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler does nothing but what handlers may do.
        unsafe { libc::signal(signal, note as extern "C" fn(libc::c_int) as libc::sighandler_t) };
    }
}

#[cfg(unix)]
extern "C" fn note(signal: libc::c_int) {
    ASKED.store(true, Ordering::Relaxed);
    // SAFETY: handlers may call it; the next one ends the process.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Whether somebody wants an end.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// What a test says that was given up.
pub(crate) fn error() -> Error {
    Error::new(ErrorKind::Run, "interrupted")
}
