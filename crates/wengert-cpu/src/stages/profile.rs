//! Where time goes in programs that are compiled to count it, and how that is told: by [`profile`] when somebody asks, or
//! with `WENGERT_PROFILE=1` in the environment on the standard error when a program is dropped or the process ends.

use super::Shown;
use crate::compiled::Compiled;
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::Duration;
use wengert_core::{Profile, ProfiledBlock};
use wengert_kernel::profile::Counter;

/// What all runs of a program counted together.
#[derive(Default)]
pub(crate) struct Profiler(Mutex<Totals>);

#[derive(Default)]
struct Totals {
    /// One for each block.
    counters: Vec<Counter>,
    runs: u64,
    time: Duration,
}

impl Profiler {
    /// Adds what a run counted.
    pub(crate) fn add(&self, counters: &[Counter], time: Duration) {
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        totals.counters.resize(counters.len(), Counter::default());
        totals.counters.iter_mut().zip(counters).for_each(|(all, one)| all.add(*one));
        totals.runs += 1;
        totals.time += time;
    }

    /// Where the time went, by block. The clock of the counters is measured by the time of the runs.
    pub(crate) fn profile(&self, shown: &Shown<'_>) -> Profile {
        let totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ticks: u64 = totals.counters.iter().map(|c| c.ticks).sum();
        let time = |ticks_here: u64| totals.time.mul_f64(ticks_here as f64 / ticks.max(1) as f64);
        let counted = totals.counters.iter().zip(&shown.plan.blocks).enumerate().filter(|(_, (c, _))| c.runs > 0);
        let blocks = counted.map(|(i, (c, block))| ProfiledBlock {
            number: i as u32,
            name: shown.name(block),
            depth: shown.depth(block),
            time: time(c.ticks),
            runs: c.runs,
            equations: block.equations.iter().map(|&e| shown.equations.line(e)).collect(),
        });
        let program = shown.lowered.function.name.clone();
        Profile { program, runs: totals.runs, time: totals.time, blocks: blocks.collect() }
    }
}

/// Whether the environment asks for profiles of all programs.
pub(crate) fn asked() -> bool {
    std::env::var_os("WENGERT_PROFILE").is_some_and(|v| !v.is_empty() && v != "0")
}

/// Programs whose profiles are told when the process ends.
static LIVE: Mutex<Vec<Weak<Compiled>>> = Mutex::new(Vec::new());

/// Tells the profile of a program when the process ends, if it is there still.
pub(crate) fn tell_at_exit(compiled: &Arc<Compiled>) {
    static REGISTERED: Once = Once::new();
    extern "C" fn tell_all() {
        let live = std::mem::take(&mut *LIVE.lock().unwrap_or_else(PoisonError::into_inner));
        live.iter().filter_map(Weak::upgrade).for_each(|c| c.tell_profile());
    }
    REGISTERED.call_once(|| {
        // SAFETY: the function takes nothing, and does not unwind: it prints to the standard error, which may fail in
        // silence.
        unsafe { libc::atexit(tell_all) };
    });
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.retain(|c| c.strong_count() > 0);
    live.push(Arc::downgrade(compiled));
}
