//! How far `wengert reduce` is, for those who wait.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use wengert_core::counted;
use wengert_repro::Progress;

/// Progress on the terminal: one line that changes, or a line for each step where there is none.
pub struct Shown {
    start: Instant,
    last: Instant,
    terminal: bool,
    written: bool,
}

impl Shown {
    pub fn new() -> Shown {
        let now = Instant::now();
        Shown { start: now, last: now, terminal: std::io::stderr().is_terminal(), written: false }
    }

    pub fn progress(&mut self, p: &Progress<'_>) {
        let often = Duration::from_millis(if self.terminal { 100 } else { 2000 });
        if self.last.elapsed() < often {
            return;
        }
        self.last = Instant::now();
        let each = p.candidates as f64 / self.start.elapsed().as_secs_f64().max(1e-9);
        let line =
            format!("{}: {} after {}, {each:.0} a second", p.pass, p.best.size(), counted(p.candidates, "candidate"));
        let mut to = std::io::stderr().lock();
        let _ = if self.terminal { write!(to, "\r\x1b[K{line}") } else { writeln!(to, "{line}") };
        let _ = to.flush();
        self.written = true;
    }

    pub fn end(&self) {
        if self.terminal && self.written {
            eprint!("\r\x1b[K");
        }
    }
}
