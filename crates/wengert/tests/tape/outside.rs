//! C10: whatever happens to arrays outside of the scopes of their recording, and whatever the host reads of them, an update
//! never gives an old value.

use super::values;
use std::sync::atomic::{AtomicU64, Ordering};
use wengert::tape::{LiveRun, NodeId, Rng, UpdateOutcome};
use wengert::{Array, Capture, Device, ErrorKind, Recorder, Tape, record, track, untracked};

fn start<'f>(f: impl Fn(Array) -> Array + Send + Sync + 'f) -> LiveRun<'f, (Array,), Array> {
    Recorder::new().live(f, (Array::from([1.0f32, 2.0]),))
}

/// After a change, an update is an error or gives what a new run gives; with a re-run it always does.
fn follows(what: &str, f: impl Fn(Array) -> Array + Send + Sync + Clone) {
    let other = Array::from([0.25f32, -3.0]);
    let fresh = f(other.clone()).to_vec::<f32>();
    let mut live = start(f.clone());
    live.set(live.argument(0), other.clone()).unwrap();
    if live.update().is_ok() {
        assert_eq!(live.value().to_vec::<f32>(), fresh, "{what}: an old value\n{}", live.tape());
    }
    let mut live = start(f);
    live.set(live.argument(0), other).unwrap();
    live.update_or_rerun().unwrap();
    assert_eq!(live.value().to_vec::<f32>(), fresh, "{what}: an old value after a re-run\n{}", live.tape());
}

#[test]
fn c10_work_of_other_threads_is_never_a_constant() {
    follows("spawned", |x| {
        let y = x.clone();
        std::thread::spawn(move || y.sin()).join().unwrap() * x
    });
    follows("scoped", |x| std::thread::scope(|s| s.spawn(|| x.cos() + 1.0).join().unwrap()));
    follows("joined", |x| {
        let (a, b) = rayon::join(|| x.sin(), || x.cos());
        a * b
    });
    follows("recorded there", |x| {
        let y = x.clone();
        std::thread::spawn(move || record(|| y.exp()).0).join().unwrap() + 1.0
    });
    follows("read in a recording there", |x| {
        let y = x.clone();
        let n = std::thread::spawn(move || record(|| y.to_vec::<f32>()[0]).0).join().unwrap();
        x * n
    });
    follows("read there", |x| {
        let y = x.clone();
        let n = std::thread::spawn(move || y.sum(..).item::<f32>()).join().unwrap();
        x * n
    });
    // What another thread does beside it is nobody's business.
    let mut live = start(|x| {
        let loaded = std::thread::spawn(|| Array::from([1.0f32, 1.0]).sin()).join().unwrap();
        x * loaded
    });
    live.set(live.argument(0), Array::from([0.25f32, -3.0])).unwrap();
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Updated(_)));
}

#[test]
fn c10_a_program_has_no_inputs_made_by_other_threads() {
    let x = Array::from([1.0f32, 2.0]);
    let (_, tape) = values().record(|| {
        let x = &x * 1.0;
        std::thread::scope(|s| s.spawn(|| x.sin()).join().unwrap()) * 2.0
    });
    assert!(tape.to_program().unwrap_err().message().contains("nothing was recorded"), "{tape}");
}

#[test]
fn c10_to_devices_and_back() {
    let f = |x: Array| x.sin().to_device(&Device::cpu()).unwrap().cos().to_host().unwrap() * 2.0;
    follows("to a device", f);
    let mut live = start(f);
    live.set(live.argument(0), Array::from([0.25f32, -3.0])).unwrap();
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Updated(_)));
    let p = live.tape().to_program().unwrap();
    assert_eq!(p.inputs().len(), 1);
    assert!(p.program().to_text().contains("sin"), "{}", p.program());
}

#[test]
fn c10_texts_and_files_are_reads() {
    follows("display", |x| {
        let n = format!("{x}").bytes().map(u32::from).sum::<u32>();
        x * n as f32
    });
    follows("debug", |x| {
        let n = format!("{x:?}").bytes().map(u32::from).sum::<u32>();
        x * n as f32
    });
    let path = std::env::temp_dir().join(format!("wengert-reads-{}.npy", std::process::id()));
    follows("a file", |x| {
        x.sin().save_npy(&path).unwrap();
        Array::load_npy(&path).unwrap() * 2.0
    });
    std::fs::remove_file(&path).unwrap();
    follows("of an inner tape", |x| {
        let (_, tape) = values().record(|| x.sin());
        let sine = tape.nodes().find(|n| n.function() == "sin").unwrap();
        let n = sine.value(0).unwrap().get(0).as_f64().unwrap();
        x * n as f32
    });
    follows("in a silence", |x| {
        let n: f32 = wengert::untracked!(x.sum(..).item());
        x * n
    });
}

#[test]
fn c10_numbers_that_the_host_read() {
    follows("a product", |x| &x * x.sum(..).item::<f32>());
    let mut live = start(|x| &x * x.sum(..).item::<f32>());
    live.set(live.argument(0), Array::from([0.25f32, -3.0])).unwrap();
    assert!(live.update().unwrap_err().message().contains("the host read"), "staleness is said");
    #[track]
    fn tracked(x: Array) -> Array {
        let n = x.sum(..).item::<f32>();
        let twice = n * 2.0 + 1.0;
        if twice > 100.0 { x } else { x * twice }
    }
    follows("tracked", tracked);
    // All of its way is on the tape: it is followed, and nothing runs again.
    let mut live = start(tracked);
    live.set(live.argument(0), Array::from([0.25f32, -3.0])).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_vec::<f32>(), tracked(Array::from([0.25f32, -3.0])).to_vec::<f32>());
    let p = live.tape().to_program().unwrap();
    let other = Array::from([3.0f32, -1.0]);
    let y = p.run_guarded(&Device::cpu(), vec![other.to_tensor()]);
    assert_eq!(y.unwrap()[0].to_vec::<f32>().unwrap(), tracked(other).to_vec::<f32>());
    #[track]
    fn chosen(x: Array) -> Array {
        let means = [x.sin(), x.cos(), x.exp()];
        let z = (x.sum(..).item::<f32>().abs() as usize) % 3;
        means[z].clone() + 1.0
    }
    follows("an index", chosen);
    #[track]
    fn sliced(x: Array) -> Array {
        let n = if x.sum(..).item::<f32>() > 0.0 { 1 } else { 2 };
        let y = x.get(0..n);
        y.sum(..) * 3.0
    }
    follows("a slice", sliced);
    #[track]
    fn element(x: Array) -> Array {
        let v: Vec<f32> = vec![x.sum(..).item::<f32>(), 2.0];
        let n = if x.size() > 1 { v[0] } else { 1.0 };
        let m = { v[v.len() - 2] } + 1.0;
        x * n + m
    }
    follows("an element at the end of a block", element);
    #[track]
    fn captured(x: Array) -> Array {
        let n = x.sum(..).item::<f32>();
        let scaled = |y: &Array| y * n;
        scaled(&x)
    }
    follows("a closure", captured);
}

#[test]
fn c10_what_was_not_kept_is_not_checked_silently() {
    let x = Array::from([1.0f32, 2.0]);
    let (_, tape) = record(|| {
        let v: Vec<f32> = x.to_vec();
        &x * v[0]
    });
    let p = tape.to_program().unwrap();
    let e = p.run_guarded(&Device::cpu(), vec![x.to_tensor()]).unwrap_err();
    assert!(e.message().contains("was not kept"), "{e}");
    // A number is kept whatever else is.
    let (_, tape) = record(|| &x * x.sum(..).item::<f32>());
    let p = tape.to_program().unwrap();
    p.run_guarded(&Device::cpu(), vec![x.to_tensor()]).unwrap();
    let e = p.run_guarded(&Device::cpu(), vec![Array::from([5.0f32, 6.0]).to_tensor()]).unwrap_err();
    assert!(e.message().contains("the host read 3 here"), "{e}");
}

mod numbers {
    use wengert::track;

    #[track]
    pub fn twice(x: f64) -> f64 {
        x * 2.0
    }

    #[track]
    pub fn ident(x: f64) -> f64 {
        x
    }

    #[track]
    pub fn early(x: f64) -> f64 {
        if x < 100.0 {
            return x;
        }
        0.0
    }

    #[track]
    pub fn named(x: f64) -> f64 {
        let t = x;
        t
    }

    #[track]
    pub fn chosen(x: f64) -> f64 {
        if x > 0.0 { x } else { -x }
    }

    #[track]
    pub fn summed(x: f64) -> f64 {
        let mut sum = 0.0;
        for _ in 0..3 {
            sum += x;
        }
        sum
    }

    pub struct Scale(pub f64);

    #[track]
    impl Scale {
        pub fn of(&self, x: f64) -> f64 {
            x * self.0
        }
        pub fn through(&self, x: f64) -> f64 {
            x
        }
    }
}

/// A number of the host that a tracked function gives is followed into what uses it, or the update is an error.
#[test]
fn c10_numbers_that_tracked_functions_give() {
    use numbers::*;
    type Way = fn(f64) -> f64;
    let ways: [(&str, Way); 9] = [
        ("twice", twice),
        ("ident", ident),
        ("early", early),
        ("named", named),
        ("chosen", chosen),
        ("summed", summed),
        ("of", |x| Scale(3.0).of(x)),
        ("through", |x| Scale(3.0).through(x)),
        ("nested", |x| twice(ident(x))),
    ];
    #[track]
    fn f(x: Array, y: Array, way: fn(f64) -> f64) -> Array {
        y * way(x.item::<f64>())
    }
    #[track]
    fn direct(x: Array, y: Array) -> Array {
        y * twice(x.item::<f64>())
    }
    #[track]
    fn through(x: Array, y: Array) -> Array {
        let n = ident(x.item::<f64>());
        y * n
    }
    let mut failed = Vec::new();
    let mut check = |name: &str, f: &(dyn Fn(Array, Array) -> Array + Send + Sync)| {
        for other in [1.6, 3.2, 0.5, -1.0] {
            let mut live = Recorder::new().live(|x: Array, y: Array| f(x, y), (Array::from(1.5), Array::from(2.0)));
            let want = f(Array::from(other), Array::from(2.0)).item::<f64>();
            live.set(live.argument(0), Array::from(other)).unwrap();
            if live.update().is_ok() && live.value().item::<f64>() != want {
                failed.push(format!("{name}, {other}: {} and not {want}\n{}", live.value(), live.tape()));
                return;
            }
            live.update_or_rerun().unwrap();
            if live.value().item::<f64>() != want {
                failed.push(format!("{name}, {other} again: {} and not {want}\n{}", live.value(), live.tape()));
                return;
            }
        }
    };
    for (name, way) in ways {
        check(name, &move |x, y| f(x, y, way));
    }
    check("direct", &direct);
    check("through", &through);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What the host looks at of a tape that was recorded inside is read, silently or not, one value at a time or all at once.
#[test]
fn c10_what_is_read_of_inner_tapes() {
    fn inner(x: &Array) -> Tape {
        Recorder::new().capture(Capture::Values).record(|| x.cos() * 2.0).1
    }
    #[track]
    fn scaled(x: &Array) -> Array {
        let v = x.to_f64();
        let w = v * 2.0;
        x * w
    }
    /// The last number of the host on the tape of a tracked function.
    fn number(x: &Array) -> (Tape, NodeId) {
        let tape = record(|| scaled(x)).1;
        let id = tape.nodes().rfind(|n| n.host_type().is_some()).unwrap().id();
        (tape, id)
    }
    type Way = fn(Array) -> Array;
    let ways: [(&str, Way); 11] = [
        ("number", |x| {
            let (tape, id) = number(&x);
            Array::from(f64::from_bits(tape.node(id).number(0).unwrap().bits))
        }),
        ("silent number", |x| {
            let (tape, id) = number(&x);
            Array::from(f64::from_bits(untracked!(tape.node(id).number(0)).unwrap().bits))
        }),
        ("value", |x| Array::from_tensor(inner(&x).root().value(0).unwrap())),
        ("silently", |x| {
            let tape = inner(&x);
            Array::from_tensor(untracked!(tape.root().value(0).unwrap()))
        }),
        ("node", |x| Array::from_tensor(inner(&x).nodes().nth(2).unwrap().value(0).unwrap())),
        ("summary", |x| {
            let tape = Recorder::new().capture(Capture::Summaries).record(|| x.cos() * 2.0).1;
            Array::from(tape.nodes().nth(2).unwrap().summary(0).unwrap().min)
        }),
        ("text", |x| Array::from(inner(&x).to_string().bytes().map(f64::from).sum::<f64>())),
        ("line", |x| Array::from(inner(&x).root().line().bytes().map(f64::from).sum::<f64>())),
        ("silent text", |x| {
            let tape = inner(&x);
            Array::from(untracked!(tape.to_string()).bytes().map(f64::from).sum::<f64>())
        }),
        ("file", |x| {
            let path = std::env::temp_dir().join(format!("wengert-inner-{}.tape", std::process::id()));
            inner(&x).save(&path).unwrap();
            let value = Tape::open(&path).unwrap().root().value(0).unwrap();
            std::fs::remove_file(path).unwrap();
            Array::from_tensor(value)
        }),
        ("live", |x| {
            let mut live = Recorder::new().live(|y: Array| y.sin() * &x, (Array::from(2.0),));
            live.set(live.argument(0), Array::from(1.0)).unwrap();
            live.update().unwrap();
            live.value()
        }),
    ];
    for (name, f) in ways {
        let mut live = Recorder::new().live(f, (Array::from(2.0),));
        live.set(live.argument(0), Array::from(3.25)).unwrap();
        assert!(live.update().is_err(), "{name}\n{}", live.tape());
        live.update_or_rerun().unwrap();
        assert_eq!(live.value().to_tensor(), f(Array::from(3.25)).to_tensor(), "{name}");
    }
    // What an inner recording gives is there, though it kept no values.
    let f = |x: Array| record(|| x.cos() * 2.0).0;
    let mut live = Recorder::new().live(f, (Array::from(2.0),));
    assert_eq!(live.value().to_tensor(), f(Array::from(2.0)).to_tensor());
    live.set(live.argument(0), Array::from(3.0)).unwrap();
    live.update_or_rerun().unwrap();
    assert_eq!(live.value().to_tensor(), f(Array::from(3.0)).to_tensor());
}

/// What the host sees of it is read, also of nodes that have no result where the run is a call.
#[test]
fn a_tape_that_is_shown_inside_of_a_run_can_be_saved() {
    #[wengert::track]
    fn root(a: wengert::Array) -> wengert::Array {
        let mut x = a.clone();
        while (&x * &x - &a).abs() > 1e-3 {
            x = (&x + &a / &x) / 2.0;
        }
        x
    }
    let (_, tape) = wengert::record(|| {
        let inside = || root(wengert::Array::from(2.0f64));
        let (y, inner) = wengert::Recorder::new().capture(wengert::Capture::Values).record(inside);
        assert!(inner.to_string().contains("goto"));
        y
    });
    let path = std::env::temp_dir().join(format!("wengert-shown-{}.tape", std::process::id()));
    tape.save(&path).unwrap();
    assert_eq!(wengert::Tape::open(&path).unwrap().len(), tape.len());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn c10_a_read_that_no_node_tells_of_holds_for_the_inputs_of_the_run() {
    let f = |x: &Array| {
        let n = std::thread::scope(|s| s.spawn(|| (x * 2.0).sum(..).to_f64()).join().unwrap());
        x.sum(..) * n
    };
    let (y, tape) = Recorder::new().capture(Capture::Values).record(|| f(&Array::from([1.0f64, 2.0])));
    let program = tape.to_program().unwrap();
    let same = program.recorded_inputs(&tape).unwrap();
    assert_eq!(program.run_guarded(&Device::cpu(), same).unwrap(), [y.to_tensor()]);
    let other = vec![Array::from([10.0f64, 20.0]).to_tensor()];
    let e = program.run_guarded(&Device::cpu(), other.clone()).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Flipped);
    assert!(e.to_string().contains("what no node tells of"), "{e}");
    assert!(program.run(&Device::cpu(), other).is_ok());
}

#[test]
fn c10_what_a_run_did_after_an_error_that_it_caught_is_found_out_again() {
    let f = |x: Array| match wengert::try_run(|| x.reshape([1, 2])) {
        Ok(y) => y,
        Err(_) => x * 2.0,
    };
    let mut live = Recorder::new().live(f, (Array::from([1.0f64, 2.0, 3.0, 4.0]),));
    for by in [5.0, 6.0] {
        live.set(live.argument(0), Array::from([by; 4])).unwrap();
        assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
        assert_eq!(live.value().to_vec::<f64>(), [2.0 * by; 4]);
    }
}

/// A run that is made again from a node on keeps what it drew before, and draws the rest anew; its generator goes on meanwhile.
#[test]
fn c10_draws_before_a_decision_are_kept() {
    let drawn = std::sync::Mutex::new(0u64);
    let next = || {
        let mut drawn = drawn.lock().unwrap();
        *drawn += 1;
        *drawn
    };
    let f = |x: Array| {
        let mut rng = Rng::new(next);
        let (a, b) = (rng.draw() as f32, rng.draw() as f32);
        let y = &x * a + b;
        if y.sum(..) > 0.0 { y } else { y * rng.draw() as f32 }
    };
    let mut live = Recorder::new().live(f, (Array::from(10.0f32),));
    assert_eq!(live.value().item::<f32>(), 12.0);
    live.set(live.argument(0), Array::from(-10.0f32)).unwrap();
    assert!(matches!(live.update_or_rerun(), Ok(UpdateOutcome::Reran(_))));
    // (-10 * 1 + 2) * 5: two draws were made again, and not used.
    assert_eq!((live.value().item::<f32>(), *drawn.lock().unwrap()), (-40.0, 5));
    // What was done with a draw is not on the tape.
    let draw = live.tape().nodes().find(|n| n.function() == "draw").unwrap().id();
    let e = live.set(draw, Array::from(7u64)).unwrap_err().to_string();
    assert!(e.contains("nothing on the tape says what was done with it"), "{e}");
    // Each place keeps its own, also in a recording inside.
    let first = AtomicU64::new(1);
    let second = AtomicU64::new(101);
    let f = |x: Array| {
        let (d, _) = record(|| Rng::new(|| first.fetch_add(1, Ordering::Relaxed)).draw());
        let e = Rng::new(|| second.fetch_add(1, Ordering::Relaxed)).draw();
        let y = Array::from((1000 * d + e) as f32);
        if x > 0.0 { y } else { -y }
    };
    let mut live = Recorder::new().live(f, (Array::from(1.0f32),));
    live.set(live.argument(0), Array::from(-1.0f32)).unwrap();
    live.update_or_rerun().unwrap();
    assert_eq!(live.value().item::<f32>(), -1101.0);
}
