//! What a context's hooks may do (C5): whatever any code may, and none of it is on the tape.

use super::alone;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wengert::tape::{self, Context, Draft, MetaKey, attach};
use wengert::{Array, Recorder, grad, jit, record, try_run};

/// A context that runs this at every node, and inside every call.
struct Hook<F>(F);

impl<F: Fn(&Draft<'_>) + Send + Sync> Context for Hook<F> {
    fn recurse(&self, call: &Draft<'_>) -> bool {
        (self.0)(call);
        true
    }
    fn node(&self, node: &mut Draft<'_>) {
        (self.0)(node);
    }
}

fn run() -> Array {
    let x = Array::from([1.0f32, 2.0]);
    let y = x.softmax(-1) * 2.0;
    if y.sum(..) > 0.0 { y.sin() } else { y }
}

/// The tape of a run under this hook is that of a run without one.
fn unseen(hook: impl Fn(&Draft<'_>) + Send + Sync + 'static) {
    let functions = |t: &wengert::Tape| t.nodes().map(|n| n.function().to_string()).collect::<Vec<_>>();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let hook = Hook(move |d: &Draft<'_>| {
        counted.fetch_add(1, Ordering::Relaxed);
        hook(d);
    });
    let (_, tape) = Recorder::new().context(hook).record(run);
    assert_eq!(functions(&tape), functions(&record(run).1));
    // Every node but the root, and once more for the call.
    assert_eq!(calls.load(Ordering::Relaxed), tape.len() - 1 + 1);
}

#[test]
fn c5_hooks_run_arrays() {
    let _alone = alone();
    unseen(|_| assert_eq!((Array::from([1.0f32, 2.0]) + 1.0).softmax(-1).sum(..).item::<f32>(), 1.0));
}

#[test]
fn c5_hooks_stage() {
    let _alone = alone();
    unseen(|d| {
        let n = d.depth as f32;
        assert_eq!(jit(move |x: Array| x * n)(Array::from(2.0f32)).item::<f32>(), 2.0 * n);
        assert_eq!(grad(|x: Array| &x * &x)(Array::from(2.0f32)).item::<f32>(), 4.0);
    });
}

#[test]
fn c5_hooks_record() {
    let _alone = alone();
    unseen(|_| assert!(record(run).1.nodes().any(|n| n.function() == "sin")));
}

#[test]
fn c5_hooks_collect() {
    let _alone = alone();
    const SEEN: MetaKey<i64> = MetaKey::new("seen");
    struct Counts;
    impl Context for Counts {
        fn node(&self, node: &mut Draft<'_>) {
            node.set_meta(SEEN, tape::collect().len() as i64);
        }
    }
    tape::enable_with(Recorder::new().context(Counts));
    run();
    let tape = tape::collect();
    tape::disable();
    tape::purge();
    assert!(tape.len() > 5);
    // Each saw what was there before it.
    assert!(tape.nodes().skip(1).all(|n| n.meta(SEEN) == Some(n.id().index() as i64)));
}

#[test]
fn c5_hooks_switch() {
    let _alone = alone();
    let purged = Hook(|d: &Draft<'_>| {
        if &*d.label.name == "sin" {
            tape::purge();
        }
    });
    tape::enable_with(Recorder::new().context(purged));
    run();
    let _after = Array::from(1.0f32).cos();
    // The node whose hook it was went with the others.
    assert!(!tape::collect().nodes().any(|n| matches!(n.function(), "softmax" | "sin")));
    assert!(tape::collect().nodes().any(|n| n.function() == "cos"));
    tape::disable();
    tape::purge();
    unseen(|_| {
        tape::enable();
        tape::disable();
        tape::purge();
    });
}

#[test]
fn c5_a_hook_that_panics_ends_the_run_and_not_the_recording() {
    let _alone = alone();
    let hook = Hook(|d: &Draft<'_>| assert!(&*d.label.name != "sin", "enough"));
    let (_, tape) = Recorder::new().context(hook).record(|| {
        assert!(std::panic::catch_unwind(run).is_err());
        Array::from(1.0f32).cos()
    });
    let has = |f: &str| tape.nodes().any(|n| n.function() == f);
    assert!(has("softmax") && !has("sin") && has("cos"));
    assert_eq!(try_run(run).unwrap().size(), 2);
}

#[test]
fn a_recording_may_end_while_a_hook_runs_elsewhere() {
    let _alone = alone();
    let (begun, wait) = (Arc::new(std::sync::Barrier::new(2)), Arc::new(std::sync::Barrier::new(2)));
    let (in_hook, until) = (begun.clone(), wait.clone());
    let hook = Hook(move |d: &Draft<'_>| {
        if &*d.label.name == "sin" {
            in_hook.wait();
            until.wait();
        }
    });
    let mut thread = None;
    let (_, tape) = Recorder::new().context(hook).record(|| {
        thread = Some(std::thread::spawn(attach(|| Array::from(1.0f32).sin().cos())));
        begun.wait();
        Array::from(1.0f32).exp()
    });
    wait.wait();
    assert!(thread.unwrap().join().is_ok());
    let has = |f: &str| tape.nodes().any(|n| n.function() == f);
    assert!(has("exp") && !has("sin") && !has("cos"));
}

/// What a hook starts on other threads is recorded under the switch: without end, which is told, unless it is silent.
#[test]
fn c5_hooks_that_start_threads() {
    use std::panic::{catch_unwind, resume_unwind};
    let _alone = alone();
    let sum = || (Array::from(1.0f32) + 2.0).item::<f32>();
    let trace = |compute: fn() -> f32| {
        let hook = Hook(move |_: &Draft<'_>| {
            let computed = std::thread::scope(|s| s.spawn(compute).join());
            assert_eq!(computed.unwrap_or_else(|panic| resume_unwind(panic)), 3.0);
        });
        tape::enable_with(Recorder::new().context(hook));
        let done = catch_unwind(run).map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default());
        tape::disable();
        let tape = tape::collect();
        tape::purge();
        (done.err(), tape)
    };
    let (failed, tape) = trace(|| tape::silently(|| (Array::from(1.0f32) + 2.0).item::<f32>()));
    assert_eq!(failed, None);
    assert_eq!(tape.nodes().filter(|n| n.function() == "softmax").count(), 1, "{tape}");
    assert!(!tape.to_string().contains("thread"), "{tape}");
    let (failed, _) = trace(sum);
    assert!(failed.as_ref().is_some_and(|e| e.contains("compute inside of `tape::silently`")), "{failed:?}");
}
