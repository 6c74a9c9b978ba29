//! How far `wengert reduce`, `wengert diff` and `wengert emit` are, for those who wait.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wengert_core::{Program, Result, Tensor, counted};
use wengert_repro::{BackendName, Progress};

/// A line on the terminal that changes, or a new one each time where there is none.
struct Line {
    last: Instant,
    terminal: bool,
    written: bool,
}

impl Line {
    fn new() -> Line {
        Line { last: Instant::now(), terminal: std::io::stderr().is_terminal(), written: false }
    }

    /// Writes what it is given, if the last time is long enough ago.
    fn write(&mut self, text: impl FnOnce() -> String) {
        let often = Duration::from_millis(if self.terminal { 100 } else { 2000 });
        if self.last.elapsed() < often {
            return;
        }
        self.last = Instant::now();
        let (mut to, text) = (std::io::stderr().lock(), text());
        let _ = if self.terminal { write!(to, "\r\x1b[K{text}") } else { writeln!(to, "{text}") };
        let _ = to.flush();
        self.written = true;
    }

    fn end(&self) {
        if self.terminal && self.written {
            eprint!("\r\x1b[K");
        }
    }
}

/// How far a reduction is.
pub struct Shown {
    start: Instant,
    line: Line,
}

impl Shown {
    pub fn new() -> Shown {
        Shown { start: Instant::now(), line: Line::new() }
    }

    pub fn progress(&mut self, p: &Progress<'_>) {
        self.line(p.pass, &p.best.size(), p.candidates);
    }

    /// The pass that is at work, how large the smallest is, and how many candidates there were.
    pub fn line(&mut self, pass: &str, size: &dyn Display, candidates: usize) {
        let each = candidates as f64 / self.start.elapsed().as_secs_f64().max(1e-9);
        self.line.write(|| format!("{pass}: {size} after {}, {each:.0} a second", counted(candidates, "candidate")));
    }

    pub fn end(&self) {
        self.line.end();
    }
}

/// What is run, while it runs: a compiler may take minutes for one program.
pub struct Running {
    now: Arc<Mutex<Option<RunNow>>>,
    shows: Option<(Sender<()>, JoinHandle<()>)>,
}

struct RunNow {
    what: String,
    /// How many runs there were so far.
    count: usize,
    since: Instant,
}

impl Running {
    /// Shows nothing until something takes long.
    pub fn new() -> Running {
        let (end, ended) = channel::<()>();
        let now: Arc<Mutex<Option<RunNow>>> = Arc::default();
        let seen = now.clone();
        let thread = std::thread::spawn(move || {
            let (start, mut line) = (Instant::now(), Line::new());
            while ended.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                let now = seen.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(now) = now.as_ref().filter(|_| start.elapsed() >= LONG) else { continue };
                line.write(|| {
                    let seconds = now.since.elapsed().as_secs();
                    format!("{}, {seconds} s so far", now.what)
                });
            }
            line.end();
        });
        Running { now, shows: Some((end, thread)) }
    }

    /// Runs a program, which is shown if that takes long.
    pub fn run(&self, backend: &BackendName, program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.runs(backend.name(), program.equation_count());
        backend.run(program, inputs)
    }

    /// Notes that a side runs a program, which is so many equations long.
    pub fn runs(&self, side: &str, equations: usize) {
        let equations = counted(equations, "equation");
        self.note(1, |count| format!("run {count} on {side}: {equations}"));
    }

    /// Notes what is waited for, which counts as so many runs.
    fn note(&self, runs: usize, what: impl FnOnce(usize) -> String) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let count = now.as_ref().map_or(0, |now| now.count) + runs;
        *now = Some(RunNow { what: what(count), count, since: Instant::now() });
    }

    /// Notes that the program runs for the first time, in a process of its own.
    pub fn first_run(&self) {
        self.note(0, |_| "waiting for the first run of the program, in a process of its own".into());
    }

    /// Two sides are compared equation by equation.
    pub fn looks_for_rounding(&self) {
        self.note(0, |_| "looking whether they part by more than rounding".into());
    }

    /// The calls of a recorded run become source.
    pub fn reads_calls(&self) {
        self.note(0, |_| "reading the calls of the run".into());
    }

    /// It is found out how results may be compared, by runs that are rounded otherwise.
    pub fn looks_how_far(&self) {
        self.note(0, |_| "running it again to see how far rounding may lead".into());
    }

    /// An error if nothing runs on a backend. Pip's JAX takes long to start, or for ever.
    pub fn check(&self, backend: &BackendName) -> Result<()> {
        self.note(0, |_| match backend.is_jax() {
            true => "waiting for JAX to start".into(),
            false => format!("waiting for `{}` to start", backend.name()),
        });
        backend.check()
    }
}

/// Whoever waits less is told nothing.
const LONG: Duration = Duration::from_secs(2);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.shows.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}
