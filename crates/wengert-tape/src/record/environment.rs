//! What the environment asks to be recorded: `WENGERT_TAPE` names the file of a tape of the whole run, and
//! `WENGERT_LOG` asks for a log of ops. It is asked once, before the first op or tracked call.

use super::writer::Settings;
use super::{listeners, log, scope, switch};
use crate::api::EXIT;
use crate::node::NodeId;
use crate::summary::Capture;
use crate::tape::Tape;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Once, OnceLock};
use wengert_core::Place;

/// The file of the tape. `%p` in it is the number of the process.
const TAPE: &str = "WENGERT_TAPE";
/// What the tape keeps of values.
const CAPTURE: &str = "WENGERT_TAPE_CAPTURE";

/// A tape to be written when the process ends.
struct Request {
    path: PathBuf,
    /// A process that is forked from this one writes no tape.
    process: u32,
}

static REQUEST: OnceLock<Request> = OnceLock::new();

/// Asks the environment, if nobody has yet.
pub(super) fn ask() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        log::ask();
        if let Some(path) = std::env::var_os(TAPE).filter(|p| !p.is_empty()) {
            start(path);
        }
        scope::count_for_all(false);
        listeners::environment_was_asked();
    });
}

/// Says something to the user. Where nobody can hear it, nothing happens.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "wengert: {text}");
}

/// Records from now on, if the file can be written.
fn start(path: OsString) {
    let process = std::process::id();
    let path = match path.to_str() {
        Some(text) => PathBuf::from(text.replace("%p", &process.to_string())),
        None => PathBuf::from(path),
    };
    // The program may change its directory before the tape is written. A file that is there may be of an earlier run.
    let path = std::path::absolute(&path).unwrap_or(path);
    if let Err(e) = Tape::default().save(&path) {
        say(&format!("{TAPE}: this run is not recorded, for the tape can't be written: {}", e.message()));
        return;
    }
    let capture = match std::env::var_os(CAPTURE) {
        None => Capture::default(),
        Some(word) => match word.to_str() {
            Some("" | "shapes") => Capture::Shapes,
            Some("summaries") => Capture::Summaries,
            Some("values") => Capture::Values,
            _ => {
                say(&format!("{CAPTURE} is `shapes`, `summaries` or `values`, and not {word:?}: shapes are kept"));
                Capture::Shapes
            }
        },
    };
    if REQUEST.set(Request { path, process }).is_err() {
        return;
    }
    switch::enable_for_environment(Settings { capture, ..Settings::default() });
    at_exit();
    #[cfg(unix)]
    if let Err(e) = super::signals::before_death(save_at_signal) {
        say(&format!("{TAPE}: there will be no tape if a signal ends the process: {e}"));
    }
    if !std::thread::panicking() {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // What is open has the message: nothing else knows it where nobody catches the panic.
            let said = panic.payload().downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.payload().downcast_ref::<&str>().copied());
            super::call::panicked(said.unwrap_or("a panic of another type than text"), &Place::unknown());
            told(panic);
            if cfg!(panic = "abort") {
                // Nothing unwinds to the end of the process.
                save(None);
            }
        }));
    }
}

/// Has the tape written when the process ends, with the status that it ends with.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn at_exit() {
    use libc::{c_int, c_void};
    unsafe extern "C" {
        fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    extern "C" fn save_at_exit(status: c_int, _: *mut c_void) {
        save(Some(i64::from(status)));
    }
    // SAFETY: glibc has this function; what it is given uses no argument, and does not unwind.
    unsafe { on_exit(save_at_exit, std::ptr::null_mut()) };
}

/// Has the tape written when the process ends. With what status is not told.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn at_exit() {
    extern "C" fn save_at_exit() {
        save(None);
    }
    // SAFETY: the function takes nothing, and does not unwind.
    unsafe { libc::atexit(save_at_exit) };
}

/// Writes the tape of a process that a signal ends.
#[cfg(unix)]
fn save_at_signal() {
    if let Some(request) = REQUEST.get().filter(|r| r.process == std::process::id()) {
        let path = request.path.display();
        say(&format!("{TAPE}: interrupted; the tape is written to {path}. Another signal ends the process without it"));
    }
    save(None);
}

/// Writes the tape, once, of a process that ends with this status, if that is known. Who asks meanwhile waits until it is written.
fn save(status: Option<i64>) {
    static SAVED: Once = Once::new();
    let Some(request) = REQUEST.get().filter(|r| r.process == std::process::id()) else { return };
    // No panic may leave a function that C calls.
    let saved = std::panic::catch_unwind(|| {
        SAVED.call_once(|| {
            let Some(mut tape) = switch::finish_for_environment() else { return };
            if let Some(status) = status {
                tape.set_meta(NodeId(0), EXIT, status);
            }
            if let Err(e) = tape.save(&request.path) {
                say(&format!("{TAPE}: the tape was not written: {}", e.message()));
            }
        });
    });
    if saved.is_err() {
        say(&format!("{TAPE}: the tape was not written"));
    }
}
