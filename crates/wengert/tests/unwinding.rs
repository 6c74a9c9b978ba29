//! Code of the user's that panics, or gives an error, in the middle of anything: what was open is closed, memory comes
//! back, and the next call works. Alone in its process, because usage of the pool is of the whole process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use wengert::custom::{Builder, CustomOp, Var, apply};
use wengert::*;
use wengert_core::ErrorKind;
use wengert_core::host::pool;
use wengert_core::ops::Custom;

/// Enough for memory of the pool.
const N: usize = 1 << 12;

/// What happens when the fuse is at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Panic,
    Error,
    OtherType,
}

/// How many runs of the op are left until its end comes.
static FUSE: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: Mutex<End> = Mutex::new(End::Panic);

/// Twice its operand, until the fuse is at its end.
#[derive(Debug)]
struct Fused;

impl CustomOp for Fused {
    fn name(&self) -> &str {
        "unwinding.fused"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        if FUSE.fetch_sub(1, Ordering::Relaxed) == 0 {
            FUSE.store(usize::MAX, Ordering::Relaxed);
            let end = *END.lock().unwrap();
            match end {
                End::Panic => panic!("the fuse is at its end"),
                End::Error => return Some(Err(Error::new(ErrorKind::Run, "the fuse is at its end"))),
                End::OtherType => return Some(Ok(vec![Tensor::scalar(true)])),
            }
        }
        let y = x[0].to_vec::<f32>().map(|v| v.iter().map(|x| 2.0 * x).collect());
        Some(y.and_then(|v| Tensor::new(x[0].shape().clone(), v)).map(|t| vec![t]))
    }
    fn elementwise(&self) -> bool {
        true
    }
    fn tangents(&self, b: &mut Builder, _: &[Var], _: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        Some(Ok(vec![t[0].map(|t| b.one(Custom::new(Fused), &[t]))]))
    }
    fn transpose(
        &self,
        _: &mut Builder,
        _: &[wengert::custom::Operand],
        ct: &[Option<Var>],
    ) -> Option<Result<Vec<Option<Var>>>> {
        Some(Ok(ct.to_vec()))
    }
    fn linearity(&self) -> custom::Linearity {
        custom::Linearity::Jointly(|_| true)
    }
}

fn fused(x: &Array) -> Array {
    apply(Fused, &[x]).remove(0)
}

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn line(value: f32) -> Array {
    Array::from_vec([N], vec![value; N])
}

type Case<'a> = (&'a str, Box<dyn Fn() -> Array + 'a>);

#[test]
fn a_panic_anywhere_leaves_nothing_open_and_nothing_behind() {
    let _alone = alone();
    std::panic::set_hook(Box::new(|_| ()));
    let deep = |x: Array| fused(&(fused(&(x + 1.0)).sin() * 0.5));
    let loss = move |x: Array| deep(x).sum(..);
    let staged = jit(deep);
    let staged_loss = jit(grad(loss));
    let steps = || Array::from([0, 0, 0, 0]);
    let scanned = jit(move |x: Array| scan(|c: Array, _: Array| (fused(&c) * 0.5, c), x, steps()));
    let looped = jit(|x: Array| fori_loop(0, 4, |_, c: Array| fused(&c) * 0.5 + 1.0, x));
    let branched = jit(|x: Array| cond(x.get(0).gt(0.0), |x: Array| fused(&fused(&x)), |x: Array| x, x));
    let cases: Vec<Case<'_>> = vec![
        ("eager", Box::new(move || deep(line(1.0)))),
        ("jit", Box::new(|| staged(line(1.0)))),
        ("grad", Box::new(move || grad(loss)(line(1.0)))),
        ("jit of grad", Box::new(|| staged_loss(line(1.0)))),
        ("grad of grad", Box::new(move || grad(move |x: Array| (grad(loss)(x) * line(0.5)).sum(..))(line(1.0)))),
        ("jvp", Box::new(move || jvp(loss, (line(1.0),), (line(1.0),)).1)),
        ("vjp", Box::new(move || vjp(deep, (line(1.0),)).1.pull(line(1.0)).0)),
        ("vmap", Box::new(move || vmap(deep)(line(1.0).reshape([2, N / 2])))),
        ("scan", Box::new(|| scanned(line(1.0)).1.sum(0))),
        ("scan, not staged", Box::new(move || scan(|c: Array, _: Array| (fused(&c), ()), line(1.0), steps()).0)),
        ("loop", Box::new(|| looped(line(1.0)))),
        ("cond", Box::new(|| branched(line(1.0)))),
        ("checkpoint", Box::new(move || grad(checkpoint(loss))(line(1.0)))),
        ("record", Box::new(move || record(|| deep(line(1.0))).0)),
        ("record of jit", Box::new(|| record(|| staged(line(1.0))).0)),
        ("record of grad", Box::new(move || record(|| grad(loss)(line(1.0))).0)),
        ("record inside", Box::new(|| Recorder::new().every_step().record(|| scanned(line(1.0)).0).0)),
        ("backend", Box::new(|| with_device(&device("eval").unwrap(), || staged(line(1.0))))),
    ];
    for (name, f) in &cases {
        let expected = f().to_vec::<f32>();
        let before = pool::usage();
        for end in [End::Panic, End::Error, End::OtherType] {
            *END.lock().unwrap() = end;
            let mut failures = 0;
            for at in 0..8 {
                FUSE.store(at, Ordering::Relaxed);
                let outcome = catch_unwind(AssertUnwindSafe(f)).map(|y| y.to_vec::<f32>());
                FUSE.store(usize::MAX, Ordering::Relaxed);
                failures += outcome.is_err() as usize;
                assert!(outcome.is_err() || outcome.unwrap() == expected, "{name}");
                // Nothing is traced or recorded any more, and no backend is chosen.
                assert!(!tape::is_recording(), "{name} still records");
                assert!(!(Array::from([1.0f32, 2.0]) * 2.0).is_traced());
                assert!(current_device().unwrap().is_none(), "{name}");
                assert_eq!(f().to_vec::<f32>(), expected, "{name} after {end:?} at {at}");
            }
            assert!(failures > 0, "{name}: the fuse never came to its end");
            // What a failed call took has come back; only what jit keeps may stay.
            let now = pool::usage();
            assert!(now.in_use <= before.in_use, "{name} keeps {} bytes", now.in_use - before.in_use);
        }
    }
    drop(std::panic::take_hook());
}

#[test]
fn an_error_is_an_error_where_errors_are_asked_for() {
    let _alone = alone();
    let f = jit(|x: Array| fused(&x));
    let x = line(1.0);
    for end in [End::Error, End::OtherType] {
        *END.lock().unwrap() = end;
        FUSE.store(0, Ordering::Relaxed);
        let e = try_run(|| f(x.clone())).unwrap_err().to_string();
        assert!(e.contains(if end == End::Error { "fuse" } else { "bool[]" }), "{e}");
        assert_eq!(try_run(|| f(x.clone())).unwrap().get(0).item::<f32>(), 2.0);
    }
}

/// A tape of a run that was left by unwinding says so, and the next recording is its own.
#[test]
fn what_unwound_is_on_the_tape_and_closed() {
    let _alone = alone();
    *END.lock().unwrap() = End::Error;
    let scanned = jit(|x: Array| scan(|c: Array, _: Array| (fused(&c), ()), x, Array::from([0, 0, 0])).0);
    for recorder in [Recorder::new, || Recorder::new().every_step()] {
        FUSE.store(1, Ordering::Relaxed);
        let (y, tape) = recorder().try_record(|| {
            let x = line(1.0);
            let failed = try_run(|| scanned(x.clone())).is_err();
            assert!(failed);
            x.sin().sum(..)
        });
        assert!(y.is_ok());
        // What came after the failure is not inside of it.
        let sine = tape.nodes().find(|n| n.function() == "sin").unwrap();
        assert_eq!(sine.parent(), Some(tape.root()), "{tape}");
        assert_eq!(sine.depth(), 1);
    }
    let (_, tape) = record(|| line(1.0).cos());
    assert!(tape.nodes().all(|n| n.function() != "scan"));
}
