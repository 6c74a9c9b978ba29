//! A program that fails in as many ways as there are. `tests/failures.rs` runs it with `WENGERT_REPRO_DIR`, and says how.

use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert::custom::{self, CustomOp};
use wengert::{
    Array, DType, Program, Result, Tensor, Type, associative_scan, cond, custom_vjp, debug_print, einsum, grad, jit,
    linear_transpose, make_program, pure_callback, record, scan, tape, try_run, vjp, vmap, where_, while_loop,
};

fn x() -> Array {
    Array::from([1.0f32, 2.0])
}

fn three() -> Array {
    Array::from([1.0f32, 2.0, 3.0])
}

/// An op whose kernel ends in some way.
#[derive(Debug)]
struct Ends(fn());

impl CustomOp for Ends {
    fn name(&self) -> &str {
        "fails.ends"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        (self.0)();
        Some(Ok(x.to_vec()))
    }
}

/// An op that gives more than it says.
#[derive(Debug)]
struct Doubles;

impl CustomOp for Doubles {
    fn name(&self) -> &str {
        "fails.doubles"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        Some(Ok([x, x].concat()))
    }
}

/// A staged function that ends in some way when it runs.
fn staged(ends: fn()) {
    jit(move |x: Array| custom::apply(Ends(ends), &[&(x * 2.0)]).remove(0).sin())(x());
}

/// Recursion without end.
#[inline(never)]
#[allow(unconditional_recursion)]
fn deep(n: u64) -> u64 {
    std::hint::black_box(deep(std::hint::black_box(n) + 1)) + 1
}

/// A function that calls itself while it is traced.
#[allow(unconditional_recursion)]
fn endless(x: Array) -> Array {
    endless(x * 2.0) + 1.0
}

/// Fails when it is dropped.
struct Dropped;

impl Drop for Dropped {
    fn drop(&mut self) {
        x().matmul(three());
    }
}

fn non_finite(x: Array) -> Array {
    let y = scan(
        |c: Array, x: Array| {
            let c = (c - x).log();
            (c.clone(), c)
        },
        Array::from(10.0f32),
        x,
    );
    y.1.sum(..)
}

fn wrong_backward(x: Array) -> Array {
    let forward = |(x,): (Array,)| (x.sin(), x);
    custom_vjp(|x: Array| x.sin(), forward, |x: Array, ct: Array| (x + three() * ct.sum(..),))(x)
}

fn fail(how: &str) {
    match how {
        "shape" => drop(x().matmul(three())),
        "operator" => drop(x() + three()),
        "axis" => drop(x().sum(7)),
        "axes" => drop(x().mean(wengert::keep([0, 3]))),
        "softmax" => drop(x().softmax(5)),
        "compare" => drop(x().gt(three())),
        "where" => drop(where_(x().gt(0.0), x(), three())),
        "index in a loop" => drop(scan(|c: Array, x: Array| (c + x.get(4), ()), Array::from(0.0f32), x())),
        "index" => drop(x().get(5)),
        "op" => drop(wengert::lax::atan2(&x(), &three())),
        "record" => drop(record(|| (x().sin() * 2.0).matmul(three()))),
        "record and panic" => drop(record(|| {
            let y = x().sin();
            assert!(y.rank() > 1, "no matrix");
            y
        })),
        "try_record" => {
            let (y, _) = wengert::Recorder::new().try_record(|| x().sin().matmul(three()));
            eprintln!("{}", y.unwrap_err());
        }
        "make_program" => drop(make_program(|x: Array| x.sin().matmul(three()), (x(),))),
        "eval_shape" => drop(wengert::eval_shape(|x: Array| x.sin() + three(), (x(),))),
        "nested" => {
            let body = |c: Array, x: Array| {
                assert!(c.rank() > 1, "no matrix in the body");
                (c * x, ())
            };
            let f = move |x: Array| scan(body, Array::from(1.0f32), x).0;
            jit(vmap(f))(Array::from([[1.0f32, 2.0], [3.0, 4.0]]));
        }
        "backward" => drop(grad(|x: Array| wrong_backward(x).sum(..))(x())),
        "branches" => drop(cond(x().sum(..).gt(0.0), |x: Array| x.sum(..), |x: Array| x, x())),
        "carry" => drop(while_loop(|c: Array| c.sum(..).lt(9.0), |c: Array| c.sum(..), x())),
        "associative" => drop(associative_scan(|a: Array, b: Array| (a * b).sum(..), three(), false)),
        "thread" => {
            let run = || grad(|x: Array| x.sin().matmul(three()))(x());
            assert!(std::thread::spawn(run).join().is_err());
        }
        "drop" => drop(Dropped),
        "double panic" => {
            let _dropped = Dropped;
            panic!("the first");
        }
        "callback" => {
            let f = |x: Array| {
                let call = |_: &[Array]| -> Vec<Array> { panic!("a callback that is broken") };
                pure_callback(call, &[Type::new(DType::F32, [2])], &[&x.sin()]).remove(0) * 2.0
            };
            jit(f)(x());
        }
        "custom" => staged(|| panic!("a kernel that is broken")),
        "custom of a wrong type" => drop(jit(|x: Array| custom::apply(Doubles, &[&x.cos()]).remove(0).sin())(x())),
        "custom in a loop" => {
            let step =
                |c: Array, x: Array| (custom::apply(Ends(|| panic!("a step is broken")), &[&(c + x)]).remove(0), ());
            jit(move |x: Array| scan(step, Array::from(0.0f32), x).0)(x());
        }
        "caught" => {
            for _ in 0..3 {
                assert!(try_run(|| grad(|x: Array| x.sin())(x())).is_err());
            }
            println!("went on: {:?}", x().to_vec::<f32>());
        }
        "many" => {
            for i in 0..500usize {
                let y = Array::zeros([i + 3], DType::F32);
                assert!(catch_unwind(AssertUnwindSafe(|| x() + &y)).is_err());
                assert!(try_run(|| jit(move |x: Array| x + &y)(x())).is_err());
            }
        }
        "leak" => {
            let kept = std::sync::Mutex::new(None);
            let f = jit(|x: Array| {
                *kept.lock().unwrap() = Some(x.clone());
                x * 2.0
            });
            f(x());
            let leaked = kept.lock().unwrap().take().unwrap();
            let _ = leaked + 1.0;
        }
        "nan" => drop(jit(non_finite)(Array::from([1.0f32, 2.0, 20.0]))),
        "nan outside" => drop(non_finite(Array::from([1.0f32, 2.0, 20.0]))),
        "nan masked" => {
            // The derivative of a masked logarithm, in a batch, in staged code.
            let loss = |x: Array| where_(x.gt(0.0), x.log(), 0.0).sum(..);
            jit(vmap(grad(loss)))(Array::from([[1.0f32, 0.0], [2.0, 3.0]]));
        }
        "jit in record" => drop(record(|| jit(|x: Array| x.sin().get(7))(x()))),
        "record in jit" => drop(jit(|x: Array| record(|| x.sin().matmul(three())).0)(x())),
        "depth" => {
            let recorder = wengert::Recorder::new().context(tape::DepthLimit(1));
            recorder.record(|| grad(|x: Array| x.sin())(x()));
        }
        "after callback" => {
            let f = |x: Array| {
                let y = pure_callback(|x: &[Array]| vec![&x[0] * 0.0], &[Type::new(DType::F32, [2])], &[&x]).remove(0);
                (1.0 / y).sum(..)
            };
            jit(f)(x());
        }
        "printed" => drop(jit(|x: Array| (1.0 / (debug_print("x = {}", &x) * 0.0)).sum(..))(x())),
        "caught, then another" => {
            let f = |x: Array| {
                let inner = try_run(|| jit(|x: Array| x.sin().get(9))(x.clone()));
                assert!(inner.is_ok(), "the inner one failed");
                x.sum(..)
            };
            grad(f)(x());
        }
        "linear" => drop(linear_transpose(|x: Array| x.sin(), (x(),))),
        "pull" => drop(vjp(|x: Array| x.sin(), (x(),)).1.pull(three())),
        "guards" => drop(jit(|x: Array| if x.sum(..) > 0.0 { x.matmul(three()) } else { x }).with_guards()(x())),
        "unwrap" => {
            let _: Program = Program::parse("program (x: f32[]) { y: f32[] = sinn(x) return y }").unwrap();
        }
        "other type" => drop(grad(|_: Array| -> Array { std::panic::panic_any(7) })(x())),
        "long name" => {
            let text = "a message of many lines\n  left: 1\n right: 2\n".repeat(50);
            grad(move |_: Array| -> Array { panic!("{text}") })(x());
        }
        "large" => drop(Array::zeros([3000, 3], DType::F32).named("w").matmul(Array::ones([4, 4], DType::F32))),
        "pool" => {
            let threads: Vec<_> =
                (0..8).map(|i| std::thread::spawn(move || jit(move |x: Array| x.get(i + 5))(x()))).collect();
            assert!(threads.into_iter().all(|t| t.join().is_err()));
        }
        "pool alike" => {
            let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| jit(|x: Array| x.get(7))(x()))).collect();
            assert!(threads.into_iter().all(|t| t.join().is_err()));
        }
        "op under a switch" => {
            tape::enable();
            let _ = x().sin() * three();
        }
        "call under a switch" => {
            tape::enable();
            x().sin().take(Array::from([0, 1]), 5);
        }
        "take" => drop(x().take(Array::from([0, 1]), 5)),
        "einsum" => drop(einsum("ij,jk->ik", [&x(), &three()])),
        "record under a switch" => {
            tape::enable();
            record(|| x().sin().matmul(three()));
        }
        "switch" => {
            tape::enable();
            grad(|x: Array| x.sin())(x());
        }
        "abort" => staged(|| std::process::abort()),
        "overflow" => staged(|| {
            deep(0);
        }),
        "endless" => drop(jit(endless)(x())),
        "kill" => staged(|| {
            std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status().unwrap();
        }),
        "memory" => staged(|| {
            let mut all: Vec<Vec<u8>> = Vec::new();
            loop {
                all.push(vec![1; 1 << 26]);
            }
        }),
        "eager abort" => drop(custom::apply(Ends(|| std::process::abort()), &[&x()])),
        "compiled" => {
            // Killed while it compiles or runs what has no code of its own.
            std::thread::spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(300));
                std::process::abort()
            });
            jit(|x: Array| while_loop(|c: Array| c.sum(..).ge(0.0), |c: Array| c * 0.5 + 1.0, x))(x());
        }
        "folder goes" | "folder becomes a file" => {
            let folder = std::env::var("WENGERT_REPRO_DIR").unwrap();
            x().sin();
            std::fs::remove_dir_all(&folder).unwrap();
            if how == "folder becomes a file" {
                std::fs::write(&folder, "").unwrap();
            }
            x().matmul(three());
        }
        "wait" => staged(|| {
            println!("ready");
            std::thread::sleep(std::time::Duration::from_secs(60));
        }),
        "nothing, of transforms of transforms" => {
            let shared = x().exp();
            let slope = |x: Array| grad(|x: Array| (x.sin() * &shared).sum(..))(x);
            let y = slope(x()) + slope(shared.clone());
            let sizes = vjp(|x: Array| (x.clone(), x.cos()), (jit(|x: Array| x * 2.0)(y.clone()),)).0;
            std::thread::spawn(move || println!("{:?}", vmap(|x: Array| x.tan())(sizes.1 * y).to_vec::<f32>()))
                .join()
                .unwrap();
        }
        "nothing" => drop(jit(|x: Array| x.sin())(x())),
        other => panic!("nobody fails by {other}"),
    }
}

fn main() {
    fail(&std::env::var("FAILS").expect("how it fails"));
    println!("it came to its end");
}
