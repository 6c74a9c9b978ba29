//! Recordings inside of functions that are staged: what they keep is no constant of another call.

use std::sync::{Arc, Mutex};
use wengert::tape::{Context, Draft, Recorder};
use wengert::{Array, Capture, Tape, Tensor, call_program, fori_loop, grad, jit, make_program, record, track, try_run};

fn values() -> Recorder {
    Recorder::new().capture(Capture::Values)
}

fn number(t: &Tensor) -> f64 {
    t.get(0).as_f64().unwrap()
}

/// All values that a tape kept, as one number.
fn kept(tape: &Tape) -> f64 {
    let values = tape.nodes().flat_map(|n| (0..n.result_count()).filter_map(move |i| n.value(i)));
    let summaries = tape.nodes().flat_map(|n| (0..n.result_count()).filter_map(move |i| n.summary(i)));
    values.map(|t| number(&t)).sum::<f64>() + summaries.map(|s| s.max).sum::<f64>()
}

/// A context that sees values and asks for more than the recorder does.
struct Sees(Arc<Mutex<f64>>);

impl Context for Sees {
    fn primitive(&self, draft: &mut Draft<'_>) {
        draft.capture(Capture::Values);
        *self.0.lock().unwrap() += draft.value(0).map_or(0.0, |t| number(&t));
    }
    fn call(&self, draft: &mut Draft<'_>) {
        let given = draft.arguments().filter_map(|(_, value)| value.map(|v| format!("{v:?}").len() as f64));
        *self.0.lock().unwrap() += given.sum::<f64>();
    }
}

#[track]
fn twice(x: Array) -> Array {
    x * 2.0
}

/// What a function can take of a tape, each in a way of its own.
#[allow(clippy::type_complexity)]
const TAKEN: &[(&str, fn(&Array) -> f64)] = &[
    ("values", |x| kept(&values().record(|| x * 2.0).1)),
    ("summaries", |x| kept(&Recorder::new().capture(Capture::Summaries).record(|| x * 2.0).1)),
    ("constants", |x| kept(&values().record(|| x.clone()).1)),
    ("failed", |x| kept(&values().try_record(|| (x * 2.0).matmul(Array::from([1.0, 2.0]))).1)),
    ("inner", |x| kept(&values().record(|| record(|| x * 2.0).0).1)),
    ("innermost", |x| record(|| kept(&values().record(|| x * 2.0).1)).0),
    ("derivative", |x| kept(&values().record(|| grad(|x: Array| x.sin() * &x)(x.clone())).1)),
    ("staged", |x| kept(&values().every_step().record(|| jit(|x: Array| x.sin())(x.clone())).1)),
    ("captured", |x| kept(&values().every_step().record(|| jit(|a: Array| a + x)(Array::from(1.0))).1)),
    ("loop", |x| kept(&values().every_step().record(|| fori_loop(0, 3, |_, a: Array| a * x, Array::from(1.0))).1)),
    ("tracked", |x| kept(&values().record(|| twice(x.clone())).1)),
    ("context", |x| {
        let seen = Arc::new(Mutex::new(0.0));
        let (_, tape) = Recorder::new().context(Sees(seen.clone())).record(|| twice(x.clone()));
        kept(&tape) + *seen.lock().unwrap()
    }),
    ("thread", |x| std::thread::scope(|s| s.spawn(|| kept(&values().record(|| x * 2.0).1)).join().unwrap())),
    ("steps on a thread", |x| {
        let run = || kept(&values().every_step().record(|| jit(|x: Array| x.sin())(x.clone())).1);
        std::thread::scope(|s| s.spawn(run).join().unwrap())
    }),
];

/// A path that is kept has nothing of a tape that only its first call had.
#[test]
fn c10_a_recording_in_a_guarded_function_has_no_values() {
    let is_old = |taken: fn(&Array) -> f64| {
        let f = jit(|x: Array| {
            let y = if x.gt(0.0).to_bool() { &x * 3.0 } else { -&x };
            y + taken(&x)
        })
        .with_guards();
        let got = [2.0, 3.0, -4.0, -5.0].map(|x| f(Array::from(x)).to_f64());
        // The same of each path, whatever the argument is.
        (f.misses(), f.hits()) != (2, 2) || [got[1] - got[0], got[3] - got[2]] != [3.0, 1.0] || got[0] != 6.0
    };
    let old: Vec<&str> = TAKEN.iter().filter(|(_, taken)| is_old(*taken)).map(|(name, _)| *name).collect();
    assert!(old.is_empty(), "{old:?}");
}

/// A recording around it has the values of all parts.
#[test]
fn a_recording_around_a_guarded_function_has_values() {
    let f = jit(|x: Array| if x.gt(0.0).to_bool() { x.sin() * 2.0 } else { x }).with_guards();
    for _ in 0..2 {
        let (y, tape) = values().every_step().record(|| f(Array::from(2.0)));
        let sine = tape.nodes().find(|n| n.function() == "sin").unwrap();
        assert_eq!(number(&sine.value(0).unwrap()) * 2.0, y.to_f64(), "{tape}");
    }
}

/// Where an array has no value that could be kept, `live` says so.
#[test]
fn live_in_a_staged_function_says_why_it_cannot_be() {
    let message = |f: &dyn Fn() -> Array| try_run(f).unwrap_err().to_string();
    let live = |x: Array| Recorder::new().live(|x: Array| x * 2.0, (x,)).value();
    let captured = |x: Array| Recorder::new().live(move |y: Array| y * &x, (Array::from(2.0),)).value();
    let none = "`live` keeps the values of a run, and while `jit` traces a traced array has none";
    let one_call = "`live` keeps the values of a run, and while `jit` traces those of a function with guards are of one call alone";
    for f in [&live as &(dyn Fn(Array) -> Array + Sync), &captured] {
        let e = message(&|| jit(f)(Array::from(1.0)));
        assert!(e.contains(none) && e.contains("staged by `jit` at") && e.contains("call `live` outside"), "{e}");
        let e = message(&|| jit(f).with_guards()(Array::from(1.0)));
        assert!(e.contains(one_call) && e.contains("call `live` outside"), "{e}");
        assert_eq!(grad(f)(Array::from(1.0)).to_f64(), 0.0);
    }
    let inside_of_another = |x: Array| grad(live)(x);
    assert!(message(&|| jit(inside_of_another)(Array::from(1.0))).contains(none));
}

/// A program that captures a variable takes it as an input, and says so.
#[test]
fn a_program_takes_the_traced_arrays_that_it_captures() {
    let program = |x: &Array| make_program(|y: Array| y + x, (Array::from(1.0),));
    let right = |x: Array| call_program(&program(&x), &[Array::from(1.0), x]).remove(0);
    let wrong = |x: Array| call_program(&program(&x), &[Array::from(1.0)]).remove(0);
    assert_eq!([2.0, 3.0].map(|x| jit(right).with_guards()(Array::from(x)).to_f64()), [3.0, 4.0]);
    for f in [jit(wrong), jit(wrong).with_guards()] {
        let e = try_run(|| f(Array::from(1.0))).unwrap_err().to_string();
        assert!(e.contains("takes (arg0: f64[], captured0: f64[])") && e.contains("that its function captured"), "{e}");
    }
}
