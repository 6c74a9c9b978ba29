//! Ops of the user's on tapes that are opened where their code is not: they are the programs that they are short for.

use super::values;
use wengert::custom::{CustomOp, apply};
use wengert::tape::DepthLimit;
use wengert::{Array, Device, Program, Recorder, Result, Tape, Tensor, Type, fori_loop, make_program};

fn like(x: &[Type]) -> Array {
    Array::from_tensor(Tensor::zeros(&x[0]))
}

/// Each number as a part of the sum of all, with a table of weights that depends on how many there are.
#[derive(Debug)]
struct Share;

impl CustomOp for Share {
    fn name(&self) -> &str {
        "tests.share"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let weights = Array::from((0..x[0].shape.size()).map(|i| 1.0 / (i + 3) as f32).collect::<Vec<_>>());
        Some(Ok(make_program(|x: Array| &x * &weights / x.sum(..), (like(x),))))
    }
}

/// An op that is made of another one, twice, and of a loop.
#[derive(Debug)]
struct Shares;

impl CustomOp for Shares {
    fn name(&self) -> &str {
        "tests.shares"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x[..1].to_vec())
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let f = |x: Array, by: Array| {
            let y = apply(Share, &[&x]).remove(0);
            fori_loop(0, 3, |_, y: Array| apply(Share, &[&y]).remove(0) + &by, y)
        };
        Some(Ok(make_program(f, (like(x), like(&x[1..])))))
    }
}

fn shared(x: Array) -> Array {
    let y = apply(Share, &[&x.sin()]).remove(0);
    // The same op, of another shape.
    let z = apply(Share, &[&x.get(..2)]).remove(0);
    apply(Shares, &[&y, &z.sum(..)]).remove(0) * apply(Share, &[&y]).remove(0)
}

/// An op that holds an array, which is in no text.
#[derive(Debug)]
struct Shifted(Array);

impl CustomOp for Shifted {
    fn name(&self) -> &str {
        "tests.shifted_by"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        Some(Ok(make_program(|x: Array| x + &self.0, (like(x),))))
    }
}

fn shifted(x: Array) -> Array {
    let (by, y) = (x.cos(), Array::from([1.0f32, 2.0, 3.0]));
    let y = apply(Shifted(by.clone()), &[&y]).remove(0);
    apply(Shifted(by), &[&y]).remove(0)
}

/// The tape of a run, as a process finds it that has not these ops.
fn opened(recorder: Recorder, name: &str, f: fn(Array) -> Array) -> Tape {
    let (_, tape) = recorder.record(|| f(Array::from([0.3f32, 0.7, 1.1])));
    let path = std::env::temp_dir().join(format!("wengert-written-out-{}-{name}.tape", std::process::id()));
    tape.save(&path).unwrap();
    let opened = Tape::open(&path).unwrap();
    opened.verify().unwrap();
    std::fs::remove_file(path).unwrap();
    opened
}

#[test]
fn c8_d4_an_op_that_is_not_known_here_is_the_program_it_is_short_for() {
    let tape = opened(values(), "values", shared);
    let p = tape.to_program().unwrap();
    assert!(!p.program().any(|_, e| e.op.name().starts_with("tests.")), "{}", p.program());
    assert!(p.program().to_string().contains("program tests_share("), "{}", p.program());
    assert_eq!(p.unchecked().count(), 0);
    for x in [Array::from([0.3f32, 0.7, 1.1]), Array::from([-2.0f32, 0.1, 5.0])] {
        let y = p.run_guarded(&Device::cpu(), vec![x.to_tensor()]).unwrap();
        assert_eq!(y, [shared(x).to_tensor()]);
    }
    // The text is one that this process reads, without these ops.
    assert_eq!(Program::parse(&p.program().to_text()).unwrap(), p.program());
}

#[test]
fn c10_d4_an_update_computes_such_an_op_again() {
    let (mut tape, x) = (opened(values(), "update", shared), Array::from([-2.0f32, 0.1, 5.0]));
    tape.set(1, x.to_tensor()).unwrap();
    tape.update(&Device::cpu()).unwrap();
    assert_eq!(tape.root().value(0).unwrap(), shared(x).to_tensor());
}

#[test]
fn c8_d4_an_op_of_which_a_part_was_left_out_is_an_error() {
    let tapes = [
        // The table in it has no value.
        (opened(Recorder::new(), "shapes", shared), "what to do: record with `Capture::Values`"),
        // Nothing is inside of it.
        (opened(values().context(DepthLimit(1)), "shallow", shared), "knows only its name"),
    ];
    for (mut tape, says) in tapes {
        let e = tape.to_program().unwrap_err();
        assert!(e.to_string().contains(says), "{e}");
        let set = tape.set(1, Array::from([-2.0f32, 0.1, 5.0]).to_tensor());
        assert!(set.is_err() || tape.update(&Device::cpu()).is_err());
    }
}

#[test]
fn c10_d4_what_such_an_op_holds_is_never_old() {
    let x = Array::from([-2.0f32, 0.1, 5.0]);
    let mut tape = opened(values(), "holds", shifted);
    if let Ok(p) = tape.to_program() {
        let y = p.run_guarded(&Device::cpu(), vec![x.to_tensor()]);
        assert!(y.is_err() || p.unchecked().next().is_some(), "{}", p.program());
    }
    tape.set(1, x.to_tensor()).unwrap();
    if tape.update(&Device::cpu()).is_ok() && tape.stale_reads().next().is_none() {
        panic!("the update says nothing\n{tape}");
    }
}
