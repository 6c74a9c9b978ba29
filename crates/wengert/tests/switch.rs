//! The switch of the process (D1): one tape of what all threads do. Each test turns it, and is alone meanwhile.

#[path = "switch/hooks.rs"]
mod hooks;
#[path = "switch/scopes.rs"]
mod scopes;

use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;
use wengert::tape::{self, Kind};
use wengert::{Array, Capture, Node, Recorder, Tape, Tensor, record, track};

/// No other test of this binary runs until this is dropped.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn two() -> Array {
    Array::from([1.0f32, 2.0])
}

fn values() -> Recorder {
    Recorder::new().capture(Capture::Values)
}

/// The first node of this function.
fn find<'t>(tape: &'t Tape, function: &str) -> Node<'t> {
    tape.nodes().find(|n| n.function() == function).unwrap_or_else(|| panic!("no {function} in\n{tape}"))
}

/// The ops on a tape, in order.
fn ops(tape: &Tape) -> Vec<&str> {
    tape.nodes().filter(|n| n.kind() == Kind::Primitive).map(|n| n.function()).collect()
}

/// The calls of threads on a tape.
fn threads(tape: &Tape) -> impl Iterator<Item = Node<'_>> {
    tape.root().children().filter(|n| n.function() == "thread")
}

/// Runs a tape as the program it is, on the values it has.
fn run_again(tape: &Tape) -> Vec<Tensor> {
    let straight = tape.to_program().unwrap();
    straight.run(&wengert::Device::cpu(), straight.recorded_inputs(tape).unwrap()).unwrap()
}

#[test]
fn d1_the_switch_covers_all_threads() {
    let _alone = alone();
    let x = two();
    // A thread that runs before the switch is turned on.
    let (give, work) = mpsc::channel::<Array>();
    let (send, results) = mpsc::channel();
    let early = thread::Builder::new().name("early".into()).spawn(move || {
        for x in work {
            send.send(x.cos()).unwrap();
        }
    });
    let early = early.unwrap();
    tape::enable_with(values());
    let y = x.sin();
    give.send(y).unwrap();
    let z = results.recv().unwrap();
    let late = thread::Builder::new().name("late".into());
    let w = late.spawn(move || z.softmax(-1) * 2.0).unwrap().join().unwrap();
    give.send(&w + 1.0).unwrap();
    let last = results.recv().unwrap();
    let mut tape = tape::collect();
    tape::disable();
    give.send(last.clone()).unwrap();
    results.recv().unwrap();
    assert_eq!(tape::collect().len(), tape.len());
    tape::purge();
    drop(give);
    early.join().unwrap();
    // Each thread is one call, and links go from thread to thread.
    let threads: Vec<String> = threads(&tape).map(|n| n.arguments().next().unwrap().to_string()).collect();
    assert_eq!(threads, ["⟨early⟩", "⟨late⟩"], "{tape}");
    let parent = |name: &str| find(&tape, name).parent().unwrap();
    assert_eq!(parent("sin"), tape.root());
    assert_eq!((parent("cos").function(), parent("softmax").function()), ("thread", "thread"));
    assert_eq!(tape.nodes().filter(|n| n.function() == "cos").count(), 2);
    let end = tape.nodes().rfind(|n| n.function() == "cos").unwrap();
    let before: Vec<&str> = end.backward().map(|n| n.function()).collect();
    assert!(["add", "mul", "softmax", "cos", "sin"].iter().all(|f| before.contains(f)), "{before:?} in\n{tape}");
    // It is a program, and what is changed in one thread changes the others.
    assert_eq!(run_again(&tape), [last.to_tensor()], "{tape}");
    let (end, other) = (end.id(), Array::from([0.5f32, -3.0]));
    let constant = tape.nodes().find(|n| n.kind() == Kind::Constant).unwrap().id();
    tape.set(constant, other.to_tensor()).unwrap();
    tape.update(&wengert::Device::cpu()).unwrap();
    let expected = (other.sin().cos().softmax(-1) * 2.0 + 1.0).cos();
    assert_eq!(tape.node(end).value(0).unwrap(), expected.to_tensor());
    // Files keep it.
    let path = std::env::temp_dir().join(format!("wengert-switch-{}.tape", std::process::id()));
    tape.save(&path).unwrap();
    assert_eq!(Tape::open(&path).unwrap().to_string(), tape.to_string());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn d1_d7_a_recording_of_a_thread_beside_the_switch() {
    let _alone = alone();
    tape::enable_with(values());
    let (y, tape) = thread::spawn(|| values().record(|| two().sin())).join().unwrap();
    let z = y.cos();
    let trace = tape::collect();
    tape::disable();
    tape::purge();
    assert_eq!((ops(&tape), ops(&trace)), (vec!["sin"], vec!["sin", "cos"]));
    assert_eq!(run_again(&tape), [y.to_tensor()]);
    assert_eq!(run_again(&trace), [z.to_tensor()], "{trace}");
    let recorded = find(&trace, "record");
    assert_eq!(recorded.parent().unwrap().function(), "thread", "{trace}");
    assert_eq!(find(&trace, "cos").backward().filter(|n| n.function() == "sin").count(), 1);
}

#[test]
fn d1_a_recording_that_panics_is_a_part_of_the_switch() {
    let _alone = alone();
    tape::enable();
    let run = || record(|| if two().sin().sum(..) > 0.0 { panic!("here") } else { two() });
    assert!(std::panic::catch_unwind(run).is_err());
    let trace = tape::collect();
    tape::disable();
    tape::purge();
    assert_eq!(find(&trace, "sin").parent().map(|n| (n.function(), n.unwound())), Some(("record", true)), "{trace}");
}

/// What a thread takes up while its kernel waits for others is recorded too, in the call of the thread.
#[test]
fn d1_work_that_a_pool_steals_is_on_the_tape() {
    let _alone = alone();
    let x = Array::from_vec([256, 256], (0..65536).map(|i| (i % 101) as f32 / 101.0).collect());
    tape::enable();
    (0..64).into_par_iter().for_each(|_| {
        let y = x.matmul(&x).tanh();
        rayon::join(|| y.sin().sum(..), || y.cos().sum(..));
    });
    let trace = tape::collect();
    tape::disable();
    tape::purge();
    let count = |name: &str| trace.nodes().filter(|n| n.function() == name).count();
    assert_eq!([count("dot_general"), count("tanh"), count("sin"), count("cos")], [64; 4]);
    for n in trace.nodes().filter(|n| n.function() == "tanh") {
        assert!(n.ancestors().any(|n| n.function() == "thread"), "{n}");
    }
    assert!(trace.nodes().all(|n| n.function() != "unrecorded"), "{trace}");
}

#[test]
fn d1_turned_by_one_thread_while_others_run() {
    let _alone = alone();
    #[track]
    fn step(x: Array) -> Array {
        let y = x.sin();
        if y.sum(..) > 0.0 { y.softmax(-1) } else { x }
    }
    /// The threads end when this does, also by a panic.
    struct Ends<'a>(&'a AtomicBool);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                let mut x = two();
                while !done.load(Ordering::Relaxed) {
                    x = step(x);
                    // On few cores, the thread that turns the switch has to come by too.
                    thread::sleep(Duration::from_micros(20));
                }
                assert!(x.sum(..).item::<f32>() > 0.0);
            });
        }
        let _ends = Ends(&done);
        for i in 0..60 {
            tape::enable_with(values());
            thread::sleep(Duration::from_micros(500));
            let tape = tape::collect();
            if i % 3 > 0 {
                tape::purge();
            }
            // Not for long: the others record faster than a tape is looked through.
            tape::disable();
            assert!(threads(&tape).count() <= 4, "{tape}");
            tape.verify().unwrap();
        }
    });
    tape::disable();
    tape::purge();
    assert!(!tape::is_recording() && tape::collect().is_empty());
    assert!(thread::spawn(|| !tape::is_recording()).join().unwrap());
}

#[test]
fn d1_d6_a_switch_around_existing_code() {
    let _alone = alone();
    assert!(tape::collect().is_empty());
    tape::enable();
    let x = Array::from([1.0f32, 2.0]).sin();
    tape::disable();
    let _unseen = x.cos();
    tape::enable();
    let _y = x.exp();
    let tape = tape::collect();
    let ops = ops(&tape);
    assert_eq!(ops, ["sin", "exp"]);
    tape::purge();
    assert!(tape::collect().is_empty());
    // Purging frees what was kept.
    tape::disable();
    tape::purge();
    tape::enable_with(values());
    let big = Array::from([1.0f32, 2.0]).sin();
    let kept = big.to_tensor().weak().expect("elements in a block");
    drop(big);
    assert!(kept.upgrade().is_some());
    tape::purge();
    assert!(kept.upgrade().is_none());
    tape::disable();
}

#[test]
fn d1_d4_the_trace_of_a_switch_is_a_program() {
    let _alone = alone();
    let x = two();
    tape::enable_with(values());
    let y = (&x * 2.0).sin().softmax(-1);
    let z = y.sum(..) + 1.0;
    let _seen = z.to_f64();
    let w = &x - 3.0;
    let tape = tape::collect();
    tape::disable();
    tape::purge();
    let p = tape.to_program().unwrap();
    let inputs = p.recorded_inputs(&tape).unwrap();
    assert_eq!(inputs, [x.to_tensor()]);
    assert_eq!(p.run(&wengert::Device::cpu(), inputs).unwrap(), [z.to_tensor(), w.to_tensor()]);
    // Inside a call that has not ended, too.
    #[track]
    fn outer(x: Array) -> wengert::Static<String> {
        let _y = x.sin();
        wengert::Static(tape::collect().to_program().unwrap().program().to_text())
    }
    tape::enable();
    let text = outer(x).0;
    tape::disable();
    tape::purge();
    assert!(text.contains("sin"), "{text}");
}

/// How many arrays of a tape were made where nothing was recorded.
fn unrecorded(tape: &Tape) -> usize {
    tape.nodes().filter(|n| n.function() == "unrecorded").count()
}

#[test]
fn c10_what_is_made_while_the_switch_is_off_is_no_constant() {
    let _alone = alone();
    let staged = wengert::jit(|x: Array| x.cos());
    staged(two());
    let plain: fn(&Array) -> Array = |x| x.cos();
    let inside: fn(&Array) -> Array = |x| record(|| x.cos()).0;
    let on_a_thread: fn(&Array) -> Array = |x| thread::scope(|s| s.spawn(|| x.cos()).join().unwrap());
    let by_steps: fn(&Array) -> Array = |x| (x * 2.0).sin();
    let run_staged = |x: &Array| staged(x.clone());
    let ways: [&dyn Fn(&Array) -> Array; 5] = [&plain, &inside, &on_a_thread, &by_steps, &run_staged];
    for (i, way) in ways.iter().enumerate() {
        for in_a_recording in [false, true] {
            let x = two();
            tape::enable_with(values());
            let y = if in_a_recording { values().record(|| x.sin()).0 } else { x.sin() };
            tape::disable();
            let z = way(&y);
            let before = tape::collect().nodes().count();
            tape::enable();
            let _w = z * &x;
            tape::disable();
            let mut tape = tape::collect();
            tape::purge();
            assert!(tape.nodes().count() > before);
            assert_eq!(unrecorded(&tape), 1, "way {i}, {in_a_recording}\n{tape}");
            assert!(tape.to_program().is_err(), "way {i}, {in_a_recording}\n{tape}");
            let constant = find(&tape, "constant").id();
            tape.set(constant, Array::from([3.0f32, 4.0]).to_tensor()).unwrap();
            assert!(tape.update(&wengert::Device::cpu()).is_err(), "way {i}, {in_a_recording}\n{tape}");
        }
    }
    // What has nothing to do with the recording is a constant.
    tape::enable_with(values());
    let _y = two().sin();
    tape::disable();
    let z = two().cos();
    tape::enable();
    let _w = z * 2.0;
    tape::disable();
    assert_eq!(unrecorded(&tape::collect()), 0);
    assert!(tape::collect().to_program().is_ok());
    tape::purge();
    // A number that was read meanwhile is on the tape once it goes on, and not before.
    tape::enable_with(values());
    let x = two();
    let y = x.sum(..);
    tape::disable();
    let before = tape::collect().nodes().count();
    let n: f32 = y.item();
    let _ = format!("{y}");
    assert_eq!(tape::collect().nodes().count(), before);
    tape::enable();
    let _w = &x * n;
    tape::disable();
    let mut tape = tape::collect();
    tape::purge();
    tape.set(find(&tape, "constant").id(), Array::from([3.0f32, 4.0]).to_tensor()).unwrap();
    tape.update(&wengert::Device::cpu()).unwrap();
    let stale: Vec<&str> = tape.stale_reads().map(|n| n.function()).collect();
    assert_eq!(stale, ["item"], "{tape}");
}

#[test]
fn c10_what_other_threads_make_of_a_recording_inside_is_no_constant() {
    let _alone = alone();
    let staged = wengert::jit(|x: Array| x.cos());
    staged(two());
    let run = |f: &(dyn Fn(Array) -> Array + Sync)| {
        let work = |x: Array| {
            let y = record(|| x.sin()).0;
            thread::scope(|s| s.spawn(|| f(y)).join().unwrap()) * 2.0
        };
        let mut live = Recorder::new().live(work, (two(),));
        live.set(live.argument(0), Array::from([3.0f32, 4.0])).unwrap();
        assert!(live.update().is_err(), "{}", live.tape());
        assert!(matches!(live.update_or_rerun().unwrap(), tape::UpdateOutcome::Reran(_)));
        assert_eq!(live.value().to_tensor(), work(Array::from([3.0f32, 4.0])).to_tensor());
    };
    run(&|y| y.cos());
    run(&|y| staged(y));
}
