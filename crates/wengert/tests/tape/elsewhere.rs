//! C10: what happens to arrays from outside where a recording does not see it: on other threads, in silences, in bodies that are
//! traced, in recordings of others. After a change, no update and no guarded program gives an old value without saying so.

use std::sync::LazyLock;
use wengert::tape::{Kind, Node};
use wengert::{Array, Capture, Device, ErrorKind, Recorder, fori_loop, record, track, untracked};
use wengert_testing::MockPlugin;

static DEVICE: LazyLock<Device> = LazyLock::new(|| Device::plugin(MockPlugin::new("").path(), 0).unwrap());

fn on_a_thread<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|s| s.spawn(f).join().unwrap())
}

/// A run that uses an array from outside, by its name.
type Run = (&'static str, fn(&Array) -> Array);

fn runs() -> Vec<Run> {
    vec![
        ("read on a thread", |x| x * on_a_thread(|| x.to_f64())),
        ("read on a thread, before", |x| {
            let v = on_a_thread(|| x.to_f64());
            x.sin() * v
        }),
        ("read on a thread, after", |x| {
            let y = x.sin();
            y * on_a_thread(|| x.to_f64())
        }),
        ("read in a silence", |x| {
            let v = untracked!(x.to_f64());
            x * v
        }),
        ("read in a body", |x| x + fori_loop(0, 2, |_, c: Array| c * x.to_f64(), Array::from(1.0))),
        ("made on a thread", |x| x * on_a_thread(|| x.sin())),
        ("made on a thread, before", |x| {
            let y = on_a_thread(|| x.sin().cos() + 1.0);
            y * x
        }),
        ("made and read on a thread", |x| {
            let v = on_a_thread(|| x.sin().to_f64());
            x * v
        }),
        ("tracked: made on a thread", |x| {
            #[track]
            fn f(x: Array) -> Array {
                std::thread::spawn(move || x.sin()).join().unwrap()
            }
            f(x.clone())
        }),
        ("tracked: made on a thread, and sent", |x| {
            #[track]
            fn f(x: Array) -> Array {
                let (send, receive) = std::sync::mpsc::channel();
                let y = x.clone();
                std::thread::spawn(move || send.send(y.sin()).unwrap());
                receive.recv().unwrap() * x
            }
            f(x.clone())
        }),
        ("tracked: made on a thread, and kept", |x| {
            #[track]
            fn f(x: Array) -> Array {
                let mut made = None;
                std::thread::scope(|s| {
                    s.spawn(|| made = Some(x.sin()));
                });
                made.unwrap() + &x
            }
            f(x.clone())
        }),
        ("tracked: made on a thread, once", |x| {
            #[track]
            fn f(x: Array) -> Array {
                let made = std::sync::OnceLock::new();
                std::thread::scope(|s| {
                    s.spawn(|| made.set(x.sin()).unwrap());
                });
                made.into_inner().unwrap() + 1.0
            }
            f(x.clone())
        }),
        ("tracked: a gradient on a thread", |x| {
            #[track]
            fn f(x: Array) -> Array {
                let g = wengert::grad(|x: Array| x.sin());
                std::thread::spawn(move || g(x)).join().unwrap()
            }
            f(x.clone())
        }),
        ("tracked: made on a thread of what a number made", |x| {
            #[track]
            fn f(x: Array) -> Array {
                let k = Array::from(x.to_f64());
                std::thread::spawn(move || k.sin()).join().unwrap()
            }
            f(x.clone())
        }),
        ("on a device, and used before", |x| {
            let y = x.cos();
            x.to_device(&DEVICE).unwrap().sin().to_host().unwrap() + y
        }),
        ("on a device first", |x| x.to_device(&DEVICE).unwrap().sin().to_host().unwrap() + x.cos()),
        ("read on a device", |x| {
            let there = x.to_device(&DEVICE).unwrap();
            x * there.to_f64()
        }),
        ("on a device, on a thread", |x| on_a_thread(|| x.to_device(&DEVICE).unwrap().sin().to_host().unwrap()) + x),
        ("tracked: a number on a device", |x| {
            #[track]
            fn f(x: Array) -> Array {
                let v: f64 = x.to_device(&DEVICE).unwrap().item();
                Array::from(v).to_device(&DEVICE).unwrap().to_host().unwrap() * 2.0
            }
            f(x.clone())
        }),
        ("shown on a thread", |x| {
            let v: f64 = on_a_thread(|| format!("{x}")).parse().unwrap();
            x * v
        }),
        ("recorded on a thread", |x| x * on_a_thread(|| record(|| x.to_f64()).0)),
        ("made in a recording on a thread", |x| x * on_a_thread(|| record(|| x.sin()).0)),
        ("made in a recording on a thread, before", |x| {
            let y = on_a_thread(|| {
                let y = x.cos();
                record(|| y.sin() + 1.0).0
            });
            y * x
        }),
        ("called on a thread", |x| {
            let f = wengert::jit(|x: Array| x.sin() * 2.0);
            x * on_a_thread(|| f(x.clone()))
        }),
        ("captured by a staged function", |x| {
            let held = x.clone();
            wengert::jit(move |y: Array| y * &held)(x.clone())
        }),
        ("captured by a staged function, before", |x| {
            let held = x.clone();
            wengert::jit(move |y: Array| y * &held)(Array::from(4.0)) + x
        }),
        ("captured by a function that a staged one calls", |x| {
            let held = x.clone();
            let inner = wengert::jit(move |y: Array| y * &held);
            wengert::jit(move |y: Array| inner(y) + 1.0)(x.clone())
        }),
        ("captured by a function in a map", |x| {
            let held = x.clone();
            let inner = wengert::jit(move |y: Array| y * &held);
            wengert::vmap(inner)(x.reshape([1])).sum(..)
        }),
        ("captured by a program", |x| {
            let held = x.clone();
            let program = wengert::make_program(move |y: Array| y * &held, (Array::from(4.0),)).to_string();
            x * program.matches('3').count() as f64
        }),
        ("captured by a program, as it was made", |x| {
            let held = x.clone();
            let program = wengert::make_program(move |y: Array| y * (&held + 7.0), (Array::from(4.0),)).to_string();
            x * program.matches('0').count() as f64
        }),
        ("captured by a staged function, as it was made", |x| {
            let held = x.clone();
            wengert::jit(move |y: Array| y * held.sin())(Array::from(4.0)) + x
        }),
        ("given to a run inside", |x| {
            let run = Recorder::new().live(|y: Array| y * 2.0, (x.clone(),));
            x + run.value()
        }),
        ("given to a run inside, after", |x| {
            let y = x.sin();
            let run = Recorder::new().live(|y: Array| y * 2.0, (x.clone(),));
            y + run.value() + x
        }),
        ("given to a run inside, as it was made", |x| {
            let run = Recorder::new().live(|y: Array| y * 2.0, (x.sin(),));
            x + run.value()
        }),
    ]
}

fn scalar(x: f64) -> Array {
    Array::from(x)
}

#[test]
fn c10_what_happens_to_arrays_from_outside_elsewhere() {
    for (name, f) in runs() {
        let (x, other) = (scalar(2.0), scalar(3.0).to_tensor());
        let (y, mut tape) = Recorder::new().capture(Capture::Values).record(|| f(&x));
        assert_eq!(y.to_f64(), f(&scalar(2.0)).to_f64(), "{name}");
        let expected = f(&scalar(3.0)).to_tensor();
        let is_x = |n: &Node<'_>| n.kind() == Kind::Constant && n.value(0).is_some_and(|v| v == x.to_tensor());
        // A body that was traced may have it as a constant of its own.
        let found = tape.root().children().find(is_x).or_else(|| tape.nodes().find(is_x));
        let input = found.unwrap_or_else(|| panic!("{name}: {tape}")).id();

        if let Ok(program) = tape.to_program() {
            let mut inputs = program.recorded_inputs(&tape).unwrap();
            let at = program.inputs().iter().position(|&(n, _)| n == input);
            at.into_iter().for_each(|i| inputs[i] = other.clone());
            let y = program.run_guarded(&Device::cpu(), inputs);
            if program.unchecked().next().is_none() {
                let is_right = match &y {
                    Ok(y) => *y == [expected.clone()],
                    Err(e) => e.kind() == ErrorKind::Flipped,
                };
                assert!(is_right, "{name}: an old program\n{tape}");
            }
        }

        tape.set(input, other).unwrap();
        if let Ok(changes) = tape.update(&Device::cpu())
            && changes.reads.is_empty()
        {
            assert_eq!(tape.root().value(0).unwrap(), expected, "{name}: an old value\n{tape}");
        }
    }
}

#[test]
fn c10_what_a_loader_does_beside_a_recording_marks_nothing() {
    let data = Array::arange(0.0, 8.0, 1.0);
    let (give, batches) = std::sync::mpsc::channel();
    let (_, tape) = record(|| {
        std::thread::scope(|s| {
            s.spawn(|| {
                for i in 0..4 {
                    let batch = &wengert::lax::slice(&data, &[2 * i], &[2 * i + 2], &[1]) / 8.0;
                    assert!(batch.sum(..).to_f64() < 2.0);
                    give.send(batch).unwrap();
                }
            });
            (0..4).map(|_| batches.recv().unwrap().sin()).fold(scalar(0.0), |x, y| x + y.sum(..))
        })
    });
    let program = tape.to_program().unwrap();
    assert_eq!(program.inputs().len(), 5, "{tape}");
}

#[test]
fn c10_what_happened_before_a_recording_is_no_part_of_it() {
    let x = scalar(2.0);
    let (_, outer) = record(|| {
        let (v, y) = on_a_thread(|| (x.to_f64(), x.sin()));
        let tape = on_a_thread(|| record(|| &x * &y * v).1);
        let program = tape.to_program().unwrap();
        assert_eq!((program.inputs().len(), program.unchecked().count()), (2, 0), "{tape}");
        program.run_guarded(&Device::cpu(), vec![scalar(5.0).to_tensor(); 2]).unwrap();
        scalar(1.0).sin()
    });
    outer.to_program().unwrap();
    // Neither is what a recording does on another thread with arrays of its own.
    let (_, outer) = record(|| &x * on_a_thread(|| record(|| scalar(4.0).sin()).0));
    assert_eq!(outer.to_program().unwrap().inputs().len(), 2, "{outer}");
}

#[test]
fn c10_a_run_inside_a_run_has_its_arguments() {
    let all: [Run; 4] = [
        ("given", |x| x + Recorder::new().live(|y: Array| y * 2.0, (x.clone(),)).value()),
        ("given what was made", |x| x + Recorder::new().live(|y: Array| y * 2.0, (x.sin(),)).value()),
        ("changed inside", |x| {
            let mut run = Recorder::new().live(|y: Array| y * 2.0, (x.clone(),));
            run.set(run.argument(0), x + 1.0).unwrap();
            run.update().unwrap();
            x + run.value()
        }),
        ("twice", |x| {
            let run = Recorder::new()
                .live(|y: Array| &y + Recorder::new().live(|z: Array| z * 3.0, (y.clone(),)).value(), (x.clone(),));
            x + run.value()
        }),
    ];
    for (name, f) in all {
        let mut found = super::borrows::Found::default();
        super::borrows::check_of(name, |x: Array| f(&x), &mut found);
        assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    }
}
