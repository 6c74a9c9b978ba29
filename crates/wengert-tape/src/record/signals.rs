//! Signals that end the process: something is done before they do.

use std::io::{self, Read};
use std::os::fd::IntoRawFd;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::thread;

/// The signals by which users and systems ask a process to end.
const SIGNALS: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

/// Where the handler writes to.
static PIPE: AtomicI32 = AtomicI32::new(-1);
/// The process that listens at the other end: one that is forked has the handler too.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// When the first signal came, in nanoseconds from 1; 0 before.
static FIRST: AtomicI64 = AtomicI64::new(0);
/// For how long another signal is taken for the same: `timeout` sends its own to the process and then to its group.
const SAME: i64 = 1_000_000_000;

/// Does what may be done in a handler: it tells the thread that waits.
extern "C" fn noticed(signal: libc::c_int) {
    let number = signal as u8;
    // SAFETY: all of these may be called in handlers, and what they are given is there until they are done. Where the signal is
    // raised again, its action is the default by then, and it is delivered when the handler returns.
    unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        let now = (now.tv_sec as i64 * 1_000_000_000 + now.tv_nsec as i64).max(1);
        let is_here = libc::getpid() == PROCESS.load(Ordering::Relaxed);
        match FIRST.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) if is_here => {
                libc::write(PIPE.load(Ordering::Relaxed), (&raw const number).cast(), 1);
            }
            Err(first) if is_here && now - first < SAME => {}
            _ => {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
        }
    }
}

/// Calls a function before a signal ends the process; then the process ends by that signal, as whoever waits for it sees.
/// One that comes a second later or more does not wait. Signals that the program handles or ignores itself, now or later, are left alone.
pub(super) fn before_death(f: fn()) -> io::Result<()> {
    let (mut told, tell) = io::pipe()?;
    // Never closed: a handler may run at any time.
    PIPE.store(tell.into_raw_fd(), Ordering::Relaxed);
    PROCESS.store(std::process::id() as i32, Ordering::Relaxed);
    thread::Builder::new().name("wengert-signals".into()).spawn(move || {
        let mut number = [0];
        while told.read_exact(&mut number).is_ok() {
            f();
            die_by(number[0].into());
        }
    })?;
    for signal in SIGNALS {
        // SAFETY: both structs are valid while they are used, zeros are values of all their fields, and the handler does
        // nothing but what handlers may do.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut before) != 0 {
                return Err(io::Error::last_os_error());
            }
            if before.sa_sigaction == libc::SIG_DFL {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = noticed as extern "C" fn(libc::c_int) as libc::sighandler_t;
                action.sa_flags = libc::SA_RESTART;
                if libc::sigaction(signal, &action, std::ptr::null_mut()) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
        }
    }
    Ok(())
}

/// Ends the process by a signal.
fn die_by(signal: libc::c_int) {
    // SAFETY: the set is initialized before it is used, and its address is valid.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
    }
}
