//! The log of ops as they run, which `WENGERT_LOG=ops` asks for: one line each on the standard error.

use super::environment::{ask as ask_environment, say};
use super::scope::{any_recording, count_for_all};
use super::switch::thread_name;
use crate::print::clip;
use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wengert_core::{Place, Type};

/// What is logged.
const LOG: &str = "WENGERT_LOG";

static LOGS_OPS: AtomicBool = AtomicBool::new(false);

/// Asks the environment whether ops are logged.
pub(super) fn ask() {
    match std::env::var_os(LOG) {
        None => {}
        Some(word) if word.is_empty() => {}
        Some(word) if word == "ops" => {
            LOGS_OPS.store(true, Ordering::Relaxed);
            count_for_all(true);
        }
        Some(word) => say(&format!("{LOG} is `ops`, and not {word:?}: nothing is logged")),
    }
}

/// Whether ops are logged.
#[inline]
pub fn logs_ops() -> bool {
    any_recording() && logs_ops_by_environment()
}

#[cold]
fn logs_ops_by_environment() -> bool {
    ask_environment();
    LOGS_OPS.load(Ordering::Relaxed)
}

/// An op that runs, and is logged when it is done.
pub struct LoggedOp {
    text: String,
    started: Instant,
}

impl LoggedOp {
    /// It begins, with operands of these types.
    pub fn start(op: impl Display, operands: impl Iterator<Item = Type>, place: &Place) -> LoggedOp {
        let mut text = String::new();
        if !place.is_unknown() {
            let _ = write!(text, "[{place}] ");
        }
        let _ = write!(text, "{}({})", clip(op), listed(operands));
        LoggedOp { text, started: Instant::now() }
    }

    /// It is done, with results of these types: the line is written. What a device still computes is not waited for.
    pub fn finish(self, results: impl Iterator<Item = Type>) {
        let (time, thread) = (self.started.elapsed(), thread_name());
        let mut line = format!("{} : {} in {}", self.text, listed(results), shown(time));
        if thread != "main" {
            let _ = write!(line, " on thread {thread}");
        }
        line.push('\n');
        // In one piece: lines of threads do not mix.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

fn listed(types: impl Iterator<Item = Type>) -> String {
    types.map(|t| t.to_string()).collect::<Vec<_>>().join(", ")
}

fn shown(time: Duration) -> String {
    match time.as_nanos() as f64 {
        n if n < 1e6 => format!("{:.1} µs", n / 1e3),
        n if n < 1e9 => format!("{:.1} ms", n / 1e6),
        n => format!("{:.2} s", n / 1e9),
    }
}
