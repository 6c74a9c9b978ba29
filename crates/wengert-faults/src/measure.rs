//! Reductions by processes that have a fault, and what is found to hold of what comes out.

use crate::table::symptom;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use wengert_core::Result;
use wengert_repro::{Case, Outcome, Reduction, Test, WorkerPool, WorkerTest, reduce_by};
use wengert_x86::faults::Fault;

/// The variable that names the fault of a process.
pub const VARIABLE: &str = "WENGERT_FAULT";

/// What a reduction came to.
pub struct Measured {
    /// The reduction.
    pub found: Reduction,
    /// How long it took.
    pub seconds: f64,
    /// Whether what came out fails in the same way in a process of its own.
    pub still_fails: bool,
    /// Whether it fails without the fault: then it is another failure.
    pub fails_without: bool,
}

impl Measured {
    /// Whether nothing more goes.
    pub fn is_minimal(&self) -> bool {
        matches!(self.found.outcome, Outcome::Minimal)
    }
}

/// How processes with a fault, or without, are started: `own` is the program `faults`.
pub fn worker(own: &Path, fault: Fault, planted: bool) -> impl FnMut() -> Command + Send + 'static {
    let own = own.to_path_buf();
    move || {
        let mut command = Command::new(&own);
        command.args(["serve", fault.name()]);
        command.env(VARIABLE, if planted { fault.name() } else { "" });
        command
    }
}

/// A test for the symptom of a fault.
fn test(own: &Path, fault: Fault) -> WorkerTest {
    let symptom = symptom(fault);
    WorkerTest::new(worker(own, fault, true), symptom.sign(), symptom.limit(Duration::from_secs(60)))
}

/// Reduces a case by the passes of these names, for so long at most.
pub fn measure(
    own: &Path,
    fault: Fault,
    start: Case,
    limit: Duration,
    uses: impl Fn(&str) -> bool,
) -> Result<Measured> {
    let time = Instant::now();
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut pool = WorkerPool::new(test(own, fault), jobs, || worker(own, fault, true));
    pool.learn(&start, None)?;
    let found = reduce_by(uses, start, &mut pool, &mut |_| time.elapsed() < limit)?;
    let seconds = time.elapsed().as_secs_f64();
    let [mut fresh, mut without] = [true, false].map(|planted| pool.test().by(worker(own, fault, planted)));
    let still_fails = fresh.is_interesting(&found.best)?;
    let fails_without = without.is_interesting(&found.best)?;
    Ok(Measured { found, seconds, still_fails, fails_without })
}
