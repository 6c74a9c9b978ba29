//! A run as a program (C8, D4), and run again after a change (C10): what a staged call really ran, and what need not be
//! computed twice.

use super::{run_again, values};
use std::sync::atomic::{AtomicUsize, Ordering};
use wengert::custom::{CustomOp, apply};
use wengert::tape::{LiveRun, UpdateOutcome};
use wengert::{
    Array, Capture, DType, Device, ErrorKind, Recorder, Result, Tape, Tensor, Type, cond, grad, jit, nn, scan,
    stop_gradient, track, vmap, while_loop,
};

/// The third power: a program of one op, which simplification makes two products, rounded once more.
fn cube(x: Array) -> Array {
    x.pow(3.0) + x * 0.0
}

fn thirds() -> Array {
    Array::from((1..200).map(|i| i as f32 / 3.0).collect::<Vec<_>>())
}

#[test]
fn c8_a_staged_call_is_what_ran_and_not_what_was_traced() {
    let (f, x) = (jit(cube), thirds());
    for recorder in [values(), values().every_step()] {
        let (y, tape) = recorder.record(|| f(x.clone()));
        // The bits differ between the program that was traced and the one that ran.
        assert_ne!(y.to_tensor(), cube(x.clone()).to_tensor());
        assert_eq!(y.to_tensor(), f(x.clone()).to_tensor());
        assert_eq!(run_again(&tape), [y.to_tensor()]);
        let call = tape.nodes().find(|n| n.function().starts_with("jit ")).unwrap();
        let part = call.to_program().unwrap();
        assert_eq!(
            part.run(&wengert::Device::cpu(), part.recorded_inputs(&tape).unwrap()).unwrap(),
            [call.value(0).unwrap()]
        );
        assert!(!call.op().unwrap().to_string().contains("pow"));
        // Changed and computed again, it gives what the function gives.
        let other = Array::from(vec![0.7f32; 199]);
        let mut tape = tape;
        tape.set(1, other.to_tensor()).unwrap();
        tape.update(&wengert::Device::cpu()).unwrap();
        assert_eq!(tape.root().value(0).unwrap(), f(other).to_tensor());
    }
    // The tape shows what the user wrote.
    let (_, tape) = values().record(|| f(x.clone()));
    assert!(tape.nodes().any(|n| n.function() == "pow" && n.parent().is_some_and(|p| p.is_abstract())));
}

#[test]
fn c8_under_derivatives_and_batches_too() {
    let f = jit(cube);
    let run = || (vmap(f.clone())(thirds()), grad(|x: Array| f(x).sum(..))(thirds()));
    let (y, tape) = values().record(run);
    assert_eq!(run_again(&tape), [y.0.to_tensor(), y.1.to_tensor()]);
}

static EVALUATED: AtomicUsize = AtomicUsize::new(0);

/// `x²`, which counts how often it is computed.
#[derive(Debug)]
struct Counted;

impl CustomOp for Counted {
    fn name(&self) -> &str {
        "tests.counted"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        EVALUATED.fetch_add(1, Ordering::Relaxed);
        Some(Ok(vec![(Array::from_tensor(x[0].clone()).square()).to_tensor()]))
    }
}

/// Something of everything, then a decision that depends on `y` alone.
fn everything(x: Array, y: Array) -> Array {
    let step = jit(|x: Array| (x.sin() * 3.0).tanh());
    let a = step(step(x.clone()));
    let b = scan(|c: Array, x: Array| (&c + &x, c * x), a.sum(..), a.clone()).1;
    let c = while_loop(|c: Array| c.sum(..).lt(10.0), |c: Array| c * 2.0, b.abs() + 0.1);
    let d = cond(c.sum(..).gt(1.0), |x: Array| x.exp(), |x: Array| -x, c);
    let e = apply(Counted, &[&d]).remove(0).softmax(-1);
    let f = grad(|x: Array| if x.sum(..) > 0.0 { step(x).sum(..) } else { x.sum(..) })(e.clone());
    let g = nn::conv(&f.reshape([1, 1, 4]), &e.reshape([1, 1, 4]), nn::Sliding::new().same());
    let h = vmap(|x: Array| x.cos())(g.reshape([4]));
    if y.sum(..) > 0.0 { h * y } else { h - y }
}

fn run_twice(recorder: Recorder) -> (Tape, Tape, Tape) {
    let x = Array::from([0.1f32, 0.7, -0.3, 0.5]);
    let start = |y: f32| -> LiveRun<'_, _, _> { recorder.clone().live(everything, (x.clone(), Array::from([y]))) };
    let mut live = start(1.0);
    let before = live.tape().clone();
    live.set(live.argument(1), Array::from([-2.0f32])).unwrap();
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
    let evaluated = EVALUATED.load(Ordering::Relaxed);
    let fresh = start(-2.0);
    assert_eq!(EVALUATED.load(Ordering::Relaxed), evaluated + 1);
    (before, live.tape().clone(), fresh.tape().clone())
}

/// The nodes that ran and have values.
fn ran(tape: &Tape) -> Vec<(wengert::tape::NodeId, Tensor)> {
    let inside = |n: &wengert::Node<'_>| n.ancestors().any(|a| a.is_abstract());
    tape.nodes().filter(|n| n.op().is_some() && !inside(n)).filter_map(|n| Some((n.id(), n.value(0)?))).collect()
}

#[test]
fn c10_what_ran_before_the_flip_is_not_computed_again() {
    for recorder in [Recorder::new(), Recorder::new().every_step()] {
        let evaluated = EVALUATED.load(Ordering::Relaxed);
        let (before, again, fresh) = run_twice(recorder);
        // Once at first, not when run again, and once for the comparison.
        assert_eq!(EVALUATED.load(Ordering::Relaxed), evaluated + 2);
        assert_eq!(again.to_string(), fresh.to_string());
        let decision = again.nodes().rfind(|n| n.kind() == wengert::tape::Kind::Branch).unwrap().id();
        let (old, new) = (ran(&before), ran(&again));
        let mut same = 0;
        for ((id, old), (new_id, new)) in old.iter().zip(&new).filter(|((id, _), _)| *id < decision) {
            assert_eq!(id, new_id);
            // The very same elements: nothing ran.
            let depends_on_y = again.node(*new_id).backward().any(|n| n.id() == 2.into());
            assert!(depends_on_y || old.same_storage(new), "{}", again.node(*new_id));
            same += usize::from(!depends_on_y);
        }
        assert!(same > 20, "{same}");
    }
}

#[test]
fn c10_a_loop_that_goes_on_for_longer_says_so() {
    let f = |x: Array| while_loop(|c: Array| c.lt(100.0), |c: Array| c * 2.0, x);
    let mut live = Recorder::new().live(f, (Array::from(3.0f32),));
    assert!(live.tape().to_string().contains("while(@1) × 6"), "{}", live.tape());
    live.set(live.argument(0), Array::from(30.0f32)).unwrap();
    live.update().unwrap();
    assert!(live.tape().to_string().contains("while(@1) × 2"), "{}", live.tape());
}

#[test]
fn c10_after_a_change_in_a_loop_that_was_watched_the_run_is_a_true_one() {
    // The loop depends on what changed, and then a decision flips: its steps are those of the new run.
    let f = |x: Array| {
        let y = while_loop(|c: Array| c.lt(100.0), |c: Array| c * 2.0, x.clone());
        let z = y.sin();
        if x > 10.0 { z + 1.0 } else { z }
    };
    let start = |x: f32| Recorder::new().every_step().live(f, (Array::from(x),));
    let (mut live, fresh) = (start(3.0), start(30.0));
    live.set(live.argument(0), Array::from(30.0f32)).unwrap();
    live.update_or_rerun().unwrap();
    assert_eq!(live.tape().to_string(), fresh.tape().to_string());
    assert_eq!(live.value().item::<f32>(), f(Array::from(30.0f32)).item::<f32>());
}

#[test]
fn c10_a_number_that_the_host_read_may_have_gone_anywhere() {
    // What the host does with a number is not on the tape.
    let f = |x: Array| {
        let n = x.sum(..).item::<f32>();
        if n > 0.0 { x * n } else { -x }
    };
    let mut live = Recorder::new().live(f, (Array::from([1.0f32, 2.0]),));
    for x in [[3.0f32, 4.0], [-3.0, 1.0], [1.0, 1.0]] {
        live.set(live.argument(0), Array::from(x)).unwrap();
        assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
        assert_eq!(live.value().to_tensor(), f(Array::from(x)).to_tensor());
    }
    // Asked for an update alone, it says which read is not what it was.
    live.set(live.argument(0), Array::from([5.0f32, 6.0])).unwrap();
    assert!(live.update().unwrap_err().message().contains("the host read a value here (`item`, "));
    assert_eq!(live.tape().stale_reads().count(), 1);
    live.update_or_rerun().unwrap();
    assert_eq!(live.value().to_tensor(), f(Array::from([5.0f32, 6.0])).to_tensor());
    assert_eq!(live.tape().stale_reads().count(), 0);
}

#[test]
fn c11_the_steps_of_an_op_are_no_inputs() {
    let (x, k) = (Array::from([[[1.0f32, 2.0, 3.0, 4.0]]]), Array::from([[[1.0f32, 10.0]]]));
    let (y, tape) = Recorder::new().capture(Capture::Values).record(|| nn::conv(&x, &k, nn::Sliding::new()));
    let program = tape.to_program().unwrap();
    assert_eq!(program.inputs().len(), 2);
    let again = program.run_guarded(&Device::cpu(), program.recorded_inputs(&tape).unwrap()).unwrap();
    assert!(again[0].same_bits(&y.to_tensor()));
}

/// An op of the user's that never gives anything.
#[derive(Clone, Debug)]
struct Fails;

impl CustomOp for Fails {
    fn name(&self) -> &str {
        "test.fails"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, _: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        Some(Err(wengert::Error::new(ErrorKind::Run, "it never works")))
    }
}

#[test]
fn e5_the_program_of_a_run_that_failed_ends_with_the_op_that_failed() {
    let x = Array::from([1.0f32, 2.0]);
    let staged = jit(|x: Array| apply(Fails, &[&x.cos()]).remove(0));
    let runs: [(&str, &dyn Fn() -> Array); 4] = [
        ("test.fails", &|| apply(Fails, &[&x.sin()]).remove(0) * 2.0),
        ("call", &|| staged(x.sin()) * 2.0),
        ("scan", &|| scan(|c: Array, y: Array| (apply(Fails, &[&c]).remove(0) + y, ()), x.sin(), x.clone()).0),
        ("test.fails", &|| grad(|x: Array| apply(Fails, &[&x.sin()]).remove(0).sum(..))(x.clone())),
    ];
    for (name, run) in runs {
        let (result, tape) = Recorder::new().capture(Capture::Values).try_record(run);
        assert!(result.is_err());
        let p = tape.to_program().unwrap();
        assert!(matches!(p.failure(), Some(Ok(_))), "{:?}\n{tape}", p.failure());
        let program = p.program();
        assert_eq!(program.equations().last().unwrap().op.name(), name, "{program}");
        let e = p.run(&wengert::Device::cpu(), p.recorded_inputs(&tape).unwrap()).unwrap_err();
        assert!(e.to_string().contains("it never works"), "{e}");
    }
    // Code of the host, and an op that was never made, are not in it, and it says so.
    let others: [(&dyn Fn() -> Array, &str); 2] = [
        (&|| panic!("enough of {}", x.sin().shape()), "no op that failed"),
        (&|| x.sin() * Array::from([1.0f32; 3]), "failed before it came to an op"),
    ];
    for (run, says) in others {
        let (_, tape) = Recorder::new().capture(Capture::Values).try_record(run);
        let p = tape.to_program().unwrap();
        assert!(p.failure().unwrap().unwrap_err().contains(says), "{:?}\n{tape}", p.failure());
        assert_eq!(p.program().equations().last().unwrap().op.name(), "sin", "{tape}");
    }
    // A run that did not fail has no failure.
    assert!(Recorder::new().record(|| x.sin()).1.to_program().unwrap().failure().is_none());
}

/// Sizes, what is computed of them and counters of loops are in a program as they were; what was drawn is given to it.
#[test]
fn c8_what_types_settle_is_no_input() {
    fn drawn(n: usize) -> usize {
        n - 1
    }
    #[track]
    fn scaled(x: Array) -> Array {
        let (n, shape) = (x.size(), x.shape());
        let mean = x.sum(..).to_f64() / x.shape()[0] as f64 + shape.len() as f64;
        let mut y = &x / n as f64;
        for i in 0..shape[0] {
            y = y * (i as f64 + x.rank() as f64) + mean;
        }
        for (i, w) in [0.5, 0.25].iter().enumerate() {
            y = y * *w + i as f64;
        }
        let mut k = 0;
        while k < n {
            y = y.sin();
            k += 1;
        }
        y
    }
    #[track]
    fn with_a_draw(x: Array) -> Array {
        let k = drawn(x.size());
        &x * k as f64
    }
    let (x, other) = (Array::from([1.0, 2.0]), Array::from([3.0, -1.0]));
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| scaled(x.clone()));
    let program = tape.to_program().unwrap();
    assert_eq!(program.inputs().len(), 1, "{}\n{tape}", program.program());
    let y = program.run_guarded(&Device::cpu(), vec![other.to_tensor()]).unwrap();
    assert_eq!(y, [scaled(other).to_tensor()], "{}", program.program());
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| with_a_draw(x.clone()));
    assert!(tape.to_program().unwrap().inputs().len() > 1, "{tape}");
}

#[track]
fn sizes_of(x: &Array) -> (usize, usize) {
    (x.shape()[0], x.shape()[1])
}

#[track]
fn pushed(v: &mut Vec<Array>, x: Array) -> usize {
    v.push(x.sin());
    v.len()
}

/// Sizes that patterns take apart, and counts of what was added one by one, are no more inputs than sizes by themselves.
#[test]
fn c8_sizes_that_a_pattern_takes_apart_and_counts_are_no_inputs() {
    #[track]
    fn tuple(x: Array) -> Array {
        let (n, d) = (x.shape()[0], x.shape()[1]);
        x.reshape([d, n])
    }
    #[track]
    fn list(x: Array) -> Array {
        let [n, d] = [x.shape()[0], x.rank()];
        x.reshape([d + 1, n])
    }
    #[track]
    fn nested(x: Array) -> Array {
        let ((n, one), d) = ((x.shape()[0], 1), x.shape()[1] + x.rank() - 2);
        x.reshape([d, n * one])
    }
    #[track]
    fn assigned(x: Array) -> Array {
        let (mut n, mut d) = (0, 0);
        (n, d) = (x.shape()[0] + n, x.shape()[1] + d);
        x.reshape([d, n])
    }
    #[track]
    fn slice(x: Array) -> Array {
        let [n, d] = x.shape()[..] else { panic!("no matrix") };
        x.reshape([d, n])
    }
    #[track]
    fn given(x: Array) -> Array {
        let (n, d) = sizes_of(&x);
        x.reshape([d, n])
    }
    #[track]
    fn counted(x: Array) -> Array {
        let mut v = Vec::new();
        let first = pushed(&mut v, x.get(0));
        let second = pushed(&mut v, x.get(1));
        x * first + second
    }
    #[track]
    fn counted_at_once(x: Array) -> Array {
        let mut v = Vec::new();
        v.push(x.get(0));
        v.push(x.get(1));
        let n = v.len();
        v[n - 1].clone() * n
    }
    let x = || Array::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let other = || x() * 0.5 - 7.0;
    for f in [tuple, list, nested, assigned, slice, given, counted, counted_at_once] {
        let (_, tape) = Recorder::new().record(|| f(x()));
        let program = tape.to_program().unwrap();
        assert_eq!(program.inputs().len(), 1, "{}\n{tape}", program.program());
        let y = program.run_guarded(&Device::cpu(), vec![other().to_tensor()]).unwrap();
        assert_eq!(y, [f(other()).to_tensor()], "{}", program.program());
    }
}

/// What a function that is not tracked adds, or takes away, is known to nobody.
#[test]
fn c8_counts_that_nobody_saw_are_inputs() {
    fn drawn(v: &mut Vec<Array>, n: usize) {
        (0..n).for_each(|_| drop(v.pop()));
    }
    #[track]
    fn shortened(x: Array, by: usize) -> Array {
        let mut v = Vec::new();
        v.push(x.get(0));
        v.push(x.get(1));
        drawn(&mut v, by);
        v.push(x.get(0));
        let n = v.len();
        x * n
    }
    let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let (_, tape) = Recorder::new().record(|| shortened(x.clone(), 1));
    assert!(tape.to_program().unwrap().inputs().len() > 1, "{tape}");
}

/// Where a function is traced without values, what the host makes is known at any depth; what an op gives is not.
#[test]
fn c8_arrays_that_the_host_makes_are_kept_in_traces_at_any_depth() {
    #[track]
    fn scaled(x: Array) -> Array {
        let weights = Array::from([0.5f32, 3.0]);
        let n = x.size() as f32 * 0.5;
        let count = Array::from(n);
        let y = x.sin() * weights * count;
        y.sum(..)
    }
    let x = Array::from([[1.0f32, 2.0]]);
    let runs: [fn(Array) -> Array; 4] = [
        |x| jit(scaled)(x.get(0)),
        |x| jit(grad(scaled))(x.get(0)),
        |x| jit(vmap(grad(scaled)))(x),
        |x| jit(|x: Array| grad(|x: Array| vmap(jit(scaled))(x).sum(..))(x))(x),
    ];
    for f in runs {
        let (_, tape) = Recorder::new().capture(Capture::Values).record(|| f(x.clone()));
        let value = |name: &str| {
            let n = tape.nodes().find(|n| n.name() == Some(name) && n.ancestors().any(|a| a.is_abstract()));
            n.unwrap_or_else(|| panic!("no {name}\n{tape}")).value(0)
        };
        assert_eq!(value("weights"), Some(Array::from([0.5f32, 3.0]).to_tensor()), "{tape}");
        assert_eq!(value("count"), Some(Array::from(1.0f32).to_tensor()), "{tape}");
        assert_eq!(value("y"), None, "{tape}");
    }
}

/// What is known in a transform inside of a staged function is computed while that is traced, and changes with what it is made of.
#[test]
fn c8_a_transform_in_a_staged_function_computes_of_what_that_holds() {
    let rows = || Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let of_held = |k: Array| {
        let batched = jit(vmap(|r: Array| (k.sin() * r).sum(..)))(rows());
        let slope = jit(grad(|r: Array| (k.sin() * stop_gradient(k.cos()) * r).sum(..)))(k.clone());
        let (y, n) = jit(|x: Array| (&k + x, Array::iota([2], 0, DType::F32)))(slope);
        let deep = jit(|x: Array| vmap(|r: Array| grad(|r: Array| (r * k.exp()).sum(..))(r))(rows()) * x)(batched);
        deep.sum(0) + y + n
    };
    for recorder in [values(), values().every_step()] {
        let (y, tape) = recorder.record(|| of_held(Array::from([1.0f32, 2.0]).sin()));
        assert_eq!(run_again(&tape), [y.to_tensor()]);
    }
    let x = Array::from([1.0f32, 2.0]);
    let mut live = values().live(|k: Array| of_held(k.sin()), (x.clone(),));
    live.set(live.argument(0), &x * 3.0).unwrap();
    live.update_or_rerun().unwrap();
    assert_eq!(live.value().to_tensor(), of_held((x * 3.0).sin()).to_tensor());
}

/// What a staged function makes by itself is no array of the recording around it, whatever else the function holds.
#[test]
fn c8_a_staged_loop_may_make_arrays_beside_those_that_it_holds() {
    let x = || Array::from([1.0f32, 2.0]);
    let made = || Array::from(2.0f32).broadcast_to([2]);
    let held = |b: &Array| {
        let looped =
            jit(|c: Array| scan(|c: Array, r: Array| (c * made() * b + r, ()), c, Array::from([[1.0f32, 2.0]])).0);
        let whiled = jit(|c: Array| while_loop(|c: Array| c.sum(..).lt(9.0), |c: Array| c * made() + b, c));
        let chosen = jit(|c: Array| cond(c.sum(..).gt(0.0), |c: Array| c * made() + b, |c: Array| c, c));
        looped(x()) + whiled(x()) + chosen(x())
    };
    for recorder in [values(), values().every_step()] {
        let (y, tape) = recorder.record(|| held(&x().sin()));
        assert_eq!(run_again(&tape), [y.to_tensor()]);
    }
    // What it makes of an array that it holds is one of those, and changes with it.
    let of_held = |b: Array| {
        jit(|c: Array| scan(|c: Array, r: Array| (c * b.cos() + r, ()), c, Array::from([[1.0f32, 2.0]])).0)(x())
    };
    let mut live = values().live(|b: Array| of_held(b.sin()), (x(),));
    live.set(live.argument(0), x() * 3.0).unwrap();
    live.update_or_rerun().unwrap();
    assert_eq!(live.value().to_tensor(), of_held((x() * 3.0).sin()).to_tensor());
    // Of a recording inside, too.
    let (y, tape) = values().record(|| wengert::record(|| Array::from([3.0f32, 4.0]).sin()).0 * 2.0);
    assert_eq!(run_again(&tape), [y.to_tensor()]);
}
