//! The tests of this crate that need no process of their own, as one binary.

mod command;
mod conformance;
mod diff;
mod emit;
mod killed;
mod recorded;
mod reduce;
mod reduce_jax;
mod reduce_tape;
mod show;

/// Runs parts of a test that mostly wait, at once.
#[cfg_attr(not(unix), allow(dead_code))]
fn at_once(parts: &[&(dyn Fn() + Sync)]) {
    std::thread::scope(|s| {
        let parts: Vec<_> = parts.iter().map(|part| s.spawn(part)).collect();
        parts.into_iter().for_each(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    });
}
