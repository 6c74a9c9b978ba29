//! Everything that meets compiled programs works with machine code of every kind and with none: recordings, updates,
//! guards, donated arguments, user's ops that fail, staged functions inside of each other, other threads, profiles.
//!
//! Which machine code there is, the environment says: the last test runs the others again in processes of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use wengert::custom::{CustomOp, apply};
use wengert::tape::UpdateOutcome;
use wengert::*;

fn line(n: usize) -> Array {
    Array::from_vec([n], (0..n).map(|i| (i as f32 * 0.7).sin() + 0.1).collect::<Vec<f32>>())
}

fn bits(y: &Array) -> Vec<u32> {
    y.to_vec::<f32>().iter().map(|x| x.to_bits()).collect()
}

/// What the evaluator, which is the oracle, gives for the program that is compiled.
fn plain(program: &Program, inputs: Vec<Array>) -> Array {
    let program = rewrite_watched(&std::sync::Arc::new(simplify(program)), |_, _, _| ()).unwrap();
    let inputs = inputs.iter().map(Array::to_tensor).collect();
    let y = device("eval").unwrap().compile(program).unwrap().run_on_host(inputs).unwrap();
    Array::from_tensor(y[0].clone())
}

#[track_caller]
fn agrees(f: impl Fn(Array) -> Array + Send + Sync + Copy + 'static) {
    for n in [3, 100] {
        let expected = plain(&make_program(f, (line(n),)), vec![line(n)]);
        assert_eq!(bits(&jit(f)(line(n))), bits(&expected));
        assert_eq!(bits(&jit(f).device(&Device::cpu_profiled())(line(n))), bits(&expected));
    }
}

fn steps(x: Array) -> Array {
    let (last, all) = scan(|c: Array, i: Array| (c.sin() * 0.5 + i, c.sum(..)), x, Array::from([0.1f32, 0.2, 0.3]));
    let found = while_loop(|x: Array| x.sum(..).lt(50.0), |x: Array| &x * 1.5 + 0.5, last);
    cond(found.get(0).gt(all.sum(..)), |x: Array| x.exp(), |x: Array| x.cos(), found)
}

#[test]
fn loops_and_branches_give_the_evaluators_bits() {
    agrees(steps);
    agrees(|x| grad(|x: Array| (x.sin() * x.exp()).sum(..))(x));
    agrees(|x| jit(|x: Array| x.sort(0))(&x + 1.0) * jit(|x: Array| x.cumsum(0))(x));
}

#[test]
fn recordings_are_of_the_same_values() {
    let f = jit(|x: Array| steps(x).sum(..));
    for n in [3, 100] {
        let plain = f(line(n));
        let (y, tape) = Recorder::new().capture(Capture::Values).every_step().record(|| f(line(n)));
        assert_eq!(bits(&y), bits(&plain));
        assert!(tape.nodes().count() > 5, "{tape}");
    }
}

#[test]
fn updates_and_guards() {
    let f = jit(|x: Array, y: Array| x.sin() * y);
    let g = |x: Array, y: Array| if x.sum(..) > 0.0 { f(x, y).exp() } else { x };
    let mut live = Recorder::new().live(g, (line(100), line(100)));
    live.set(live.argument(1), line(100) * 2.0).unwrap();
    assert!(!live.update().unwrap().changed.is_empty());
    assert_eq!(bits(&live.value()), bits(&g(line(100), line(100) * 2.0)));
    // What the host decided was another.
    live.set(live.argument(0), -line(100) - 5.0).unwrap();
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
    assert_eq!(bits(&live.value()), bits(&(-line(100) - 5.0)));
    let (y, tape) = Recorder::new().capture(Capture::Values).record(|| g(line(100), line(100)));
    let p = tape.to_program().unwrap();
    let again = p.run_guarded(&Device::cpu(), p.recorded_inputs(&tape).unwrap()).unwrap();
    assert_eq!(again, [y.to_tensor()]);
}

#[test]
fn donated_arguments_and_arrays_that_others_hold() {
    let step = jit(|s: Array, x: Array| s * 0.9 + x).donate(0);
    let mut state = line(1000);
    let held = state.clone();
    let before = bits(&held);
    for _ in 0..5 {
        state = step(state, line(1000));
    }
    assert_eq!(bits(&held), before);
    let program = make_program(|s: Array, x: Array| s * 0.9 + x, (line(1000), line(1000)));
    let plain = (0..5).fold(line(1000), |s, _| plain(&program, vec![s, line(1000)]));
    assert_eq!(bits(&state), bits(&plain));
}

/// An op that panics, gives an error, or calls a staged function.
#[derive(Debug)]
struct Own(&'static str);

impl CustomOp for Own {
    fn name(&self) -> &str {
        "native.own"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        Some(match self.0 {
            "panics" => panic!("an op panics"),
            "fails" => Err(Error::new(ErrorKind::Run, "an op fails")),
            _ => Ok(vec![jit(|x: Array| x.exp())(Array::from_tensor(x[0].clone())).to_tensor()]),
        })
    }
}

#[test]
fn panics_and_errors_of_users_ops_reach_the_caller() {
    for n in [3, 100] {
        for device in [Device::cpu(), Device::cpu_profiled()] {
            let inside = |what: &'static str| {
                let f =
                    move |x: Array| fori_loop(0, 3, move |_, x: Array| apply(Own(what), &[&(x * 0.5)]).remove(0), x);
                jit(f).device(&device)
            };
            let panics = inside("panics");
            for _ in 0..2 {
                let p = catch_unwind(AssertUnwindSafe(|| panics(line(n)))).expect_err("it panics");
                assert_eq!(p.downcast_ref::<&str>(), Some(&"an op panics"));
            }
            let fails = inside("fails");
            for _ in 0..2 {
                let e = try_run(|| fails(line(n))).unwrap_err().to_string();
                // The error says where in the source the op is.
                assert!(e.contains("an op fails") && e.contains("native.rs"), "{e}");
            }
            let calls = inside("calls");
            let expected = (0..3).fold(line(n), |x, _| (x * 0.5).exp());
            assert_eq!(bits(&calls(line(n))), bits(&expected));
            assert_eq!(bits(&calls(line(n))), bits(&expected));
        }
    }
}

#[test]
fn one_program_runs_on_many_threads() {
    for device in [Device::cpu(), Device::cpu_profiled()] {
        let f = jit(steps).device(&device);
        let expected = bits(&f(line(100)));
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| (0..20).for_each(|_| assert_eq!(bits(&f(line(100))), expected)));
            }
        });
    }
}

#[test]
fn stages_are_there_to_be_seen() {
    let f = jit(steps);
    f(line(100));
    for stage in stages() {
        assert!(f.after(stage).unwrap().iter().all(|text| !text.is_empty()), "{stage}");
    }
    let e = f.after("fusion").unwrap_err().to_string();
    assert!(e.contains("the stages are simplify, rewrite, fuse, schedule, memory, kernel, machine"), "{e}");
    assert_eq!((f.memory().len(), f.profiles().len()), (1, 0));
}

/// All tests above once more, with less machine code or none.
#[test]
fn with_machine_code_of_every_kind() {
    if std::env::var_os("WENGERT_NATIVE").is_some() {
        return;
    }
    for native in ["off", "sse2", "avx2"] {
        let done = Command::new(std::env::current_exe().unwrap())
            .arg("native::")
            .env("WENGERT_NATIVE", native)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && !said.contains("running 0 tests"), "{native}:\n{said}");
    }
}
