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

/// These tests wait more than they compute, for processes and for limits of time: more of them run at once than there are
/// cores, unless somebody says how many.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static MORE_AT_ONCE: extern "C" fn() = {
    extern "C" fn more_at_once() {
        if std::env::var_os("RUST_TEST_THREADS").is_none() {
            // SAFETY: before `main` there is one thread.
            unsafe { std::env::set_var("RUST_TEST_THREADS", "6") };
        }
    }
    more_at_once
};

/// Runs parts of a test that mostly wait, at once.
#[cfg_attr(not(unix), allow(dead_code))]
fn at_once(parts: &[&(dyn Fn() + Sync)]) {
    std::thread::scope(|s| {
        let parts: Vec<_> = parts.iter().map(|part| s.spawn(part)).collect();
        parts.into_iter().for_each(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    });
}
