//! Ctrl-C while a reduction runs: the candidates of now are given up, and what was found so far is written. A second one ends the
//! process at once.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use wengert_core::{Error, ErrorKind};

/// When somebody first wanted an end, in milliseconds of the system; 0 if nobody did.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// The signal by which somebody wanted an end, if it was one.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From here on an interrupt, or a wish that the process end, only says so, once.
pub fn watch() {
    #[cfg(unix)]
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler does nothing but what handlers may do.
        let before = unsafe { libc::signal(signal, note as extern "C" fn(libc::c_int) as libc::sighandler_t) };
        if signal == libc::SIGHUP && before == libc::SIG_IGN {
            // `nohup` asks that it go on.
            // SAFETY: as above.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
}

#[cfg(unix)]
extern "C" fn note(signal: libc::c_int) {
    /// What comes so soon is the same wish: a signal to a group reaches this process, and those that forward it.
    const ONE_WISH: u64 = 300;
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: handlers may call it; it writes a plain value.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let now = (now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000).max(1);
    let first = ASKED.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
    if first.is_ok() {
        SIGNAL.store(signal, Ordering::Relaxed);
    }
    if first.is_err_and(|first| now.saturating_sub(first) > ONE_WISH) {
        // SAFETY: handlers may call these; the process ends by the signal when the handler is over.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

/// Whether somebody wants an end.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed) != 0
}

/// The signal that asked for an end, by its number, if one did.
pub fn signal() -> Option<u8> {
    u8::try_from(SIGNAL.load(Ordering::Relaxed)).ok().filter(|&signal| signal != 0)
}

/// What a test says that was given up.
pub(crate) fn error() -> Error {
    Error::new(ErrorKind::Run, "interrupted")
}
