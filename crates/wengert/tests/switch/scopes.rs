//! Scopes: each recording and the switch write to their own tape, in whatever order they are opened and
//! closed (D1, D7).

use super::{alone, find, ops, run_again, two, values};
use wengert::tape::{self, Kind};
use wengert::{Array, Tape, record, track, untracked};

/// What the recorded function gave, by its program.
#[track_caller]
fn gives(tape: &Tape, y: &Array) {
    assert_eq!(run_again(tape)[0].to_vec::<f32>().unwrap(), y.to_vec::<f32>(), "{tape}");
}

/// The names of the calls under a tape's root.
fn calls(tape: &Tape) -> Vec<&str> {
    tape.root().children().filter(|n| n.kind() == Kind::Call).map(|n| n.function()).collect()
}

#[test]
fn d1_the_switch_turned_on_in_a_recording_is_around_it() {
    let _alone = alone();
    let (y, tape) = values().record(|| {
        tape::enable();
        two().sin()
    });
    let after = two().cos();
    tape::disable();
    let trace = tape::collect();
    tape::purge();
    assert_eq!(ops(&tape), ["sin"]);
    assert_eq!(tape.root().ty(0).unwrap().to_string(), "f32[2]");
    gives(&tape, &y);
    // The recording ended while the switch was on: it is a call there.
    assert_eq!((calls(&trace), ops(&trace)), (vec!["record"], vec!["sin", "cos"]));
    assert_eq!(after.shape()[..], [2]);
    assert!(!tape::is_recording());
}

#[test]
fn d1_purged_in_a_recording_the_switch_starts_anew_around_it() {
    let _alone = alone();
    tape::enable();
    let x = two().exp();
    let (y, tape) = values().record(|| {
        tape::purge();
        x.sin()
    });
    let trace = tape::collect();
    tape::disable();
    tape::purge();
    assert_eq!(ops(&tape), ["sin"]);
    gives(&tape, &y);
    assert_eq!((calls(&trace), ops(&trace)), (vec!["record"], vec!["sin"]));
}

#[test]
fn d1_turned_off_in_a_recording_the_switch_leaves_it_alone() {
    let _alone = alone();
    tape::enable();
    let (y, tape) = values().record(|| {
        tape::disable();
        two().sin()
    });
    let _ = two().cos();
    assert_eq!(ops(&tape::collect()), [""; 0]);
    tape::purge();
    assert_eq!(ops(&tape), ["sin"]);
    gives(&tape, &y);
}

#[test]
fn d1_what_is_not_tracked_may_turn_the_switch() {
    let _alone = alone();
    let (y, tape) = values().record(|| {
        untracked!(tape::enable());
        let y = two().sin();
        untracked!({
            let _ = y.exp();
            tape::disable();
        });
        y.cos()
    });
    tape::purge();
    assert_eq!(ops(&tape), ["sin", "cos"]);
    gives(&tape, &y);
    // A silence in the switch ends with it.
    tape::enable();
    untracked!({
        tape::disable();
        tape::enable();
    });
    let _ = two().sin();
    tape::disable();
    assert_eq!(ops(&tape::collect()), ["sin"]);
    tape::purge();
}

#[track]
fn turns_on(x: Array) -> Array {
    let y = x.sin();
    tape::enable();
    y.cos()
}

#[track]
fn turns_off_and_on(x: Array) -> Array {
    let y = x.sin();
    tape::disable();
    tape::enable();
    y.cos()
}

#[track]
fn purges(x: Array) -> Array {
    let y = x.sin();
    tape::purge();
    y.cos()
}

#[test]
fn d1_a_tracked_function_that_turns_the_switch_ends_in_its_own_scope() {
    let _alone = alone();
    let (y, tape) = values().record(|| turns_on(two()).exp());
    tape::disable();
    tape::purge();
    gives(&tape, &y);
    // What came after it is beside it, and not inside.
    assert_eq!(find(&tape, "exp").parent(), Some(tape.root()), "{tape}");
    assert_eq!(find(&tape, "cos").parent().unwrap().function(), "turns_on");
    // With no recording around it, or with the switch itself: what it left open stays behind.
    for f in [turns_on, turns_off_and_on, purges] {
        tape::enable();
        let _ = f(two()).exp();
        let trace = tape::collect();
        tape::disable();
        tape::purge();
        let last = trace.nodes().next_back().unwrap();
        assert_eq!((last.function(), last.parent()), ("exp", Some(trace.root())), "{trace}");
    }
}

#[test]
fn d1_d7_recordings_inside_each_other_and_the_switch_do_not_mix() {
    let _alone = alone();
    let (outer, tape) = values().record(|| {
        let a = two().sin();
        tape::enable();
        let (b, inner) = values().record(|| {
            tape::purge();
            let b = a.cos();
            tape::disable();
            b
        });
        gives(&inner, &b);
        assert_eq!(ops(&inner), ["cos"]);
        b.exp()
    });
    tape::purge();
    assert_eq!(ops(&tape), ["sin", "cos", "exp"]);
    gives(&tape, &outer);
    assert_eq!(record(two).1.len(), 3);
}

#[test]
fn d7_threads_of_a_pool_take_part_in_a_recording() {
    let _alone = alone();
    let batches: Vec<Array> = (0..8).map(|i| Array::from([i as f32, 1.0])).collect();
    // Threads that are there before the recording, and after it.
    let (send, take) = std::sync::mpsc::channel::<Box<dyn FnOnce() + Send>>();
    let take = std::sync::Arc::new(std::sync::Mutex::new(take));
    let pool: Vec<_> = (0..3)
        .map(|_| {
            let take = take.clone();
            std::thread::spawn(move || {
                loop {
                    let work = take.lock().unwrap().recv();
                    let Ok(work) = work else { return };
                    work();
                    assert!(!tape::is_recording());
                }
            })
        })
        .collect();
    let sums = || {
        let handle = tape::handle();
        let (give, results) = std::sync::mpsc::channel();
        for (i, x) in batches.iter().cloned().enumerate() {
            let (handle, give) = (handle.clone(), give.clone());
            send.send(Box::new(move || give.send((i, handle.run(|| x.tanh().sum(..)))).unwrap())).unwrap();
        }
        drop(give);
        let mut all: Vec<(usize, Array)> = results.iter().collect();
        all.sort_by_key(|(i, _)| *i);
        all.into_iter().map(|(_, x)| x).reduce(|a, b| a + b).unwrap()
    };
    let (y, tape) = values().record(sums);
    assert_eq!(ops(&tape).iter().filter(|n| **n == "tanh").count(), 8);
    assert_eq!(run_again(&tape), [y.to_tensor()]);
    // Without a recording it just runs; one that has ended takes nothing more.
    assert_eq!(sums().to_tensor(), y.to_tensor());
    let (late, tape) = record(|| wengert::Static(tape::is_recording().then(tape::handle).map(|s| s.run(two).size())));
    assert_eq!((late.0, tape.nodes().any(|n| n.kind() == Kind::Primitive)), (Some(2), false));
    let mut handle = None;
    let (_, tape) = record(|| {
        handle = Some(tape::handle());
        two()
    });
    assert_eq!(handle.unwrap().run(|| two().sin()).size(), 2);
    assert_eq!(ops(&tape), [""; 0]);
    drop(send);
    pool.into_iter().for_each(|t| t.join().unwrap());
}
