//! `WENGERT_CHECK=pure`, in a process of its own: what the environment asks for is asked once.

use std::sync::atomic::{AtomicU32, Ordering};
use wengert::{Array, DType, Type, jit, pure_callback, random, try_run};

#[test]
fn staged_functions_that_are_not_the_same_twice_are_told() {
    // SAFETY: no other thread of this process runs.
    unsafe { std::env::set_var("WENGERT_CHECK", "pure") };
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let x = || Array::from([1.0f32, 2.0]);
    let counts = jit(|x: Array| (x * 2.0 + f64::from(CALLS.fetch_add(1, Ordering::Relaxed))).sin());
    let e = try_run(|| counts(x())).unwrap_err().to_string();
    assert!(e.contains("the closure given to `jit` at ") && e.contains("does not do the same"), "{e}");
    assert!(
        e.contains("first it did `%3: f32[2] = 0.0:f32[2]`") && e.contains("then `%3: f32[2] = 1.0:f32[2]`"),
        "{e}"
    );
    // More, or fewer, things done.
    let grows = jit(|x: Array| (0..CALLS.fetch_add(1, Ordering::Relaxed)).fold(x, |x, _| x.sin()));
    let e = try_run(|| grows(x())).unwrap_err().to_string();
    assert!(e.contains("first it did nothing more") && e.contains("= sin("), "{e}");
    // What is the same is not told: random numbers by keys, loops, calls of Rust, staged functions in staged functions.
    let fine = jit(|x: Array| {
        let noise = random::normal(&random::key(0), [2], DType::F32);
        let y = jit(|x: Array| x.sin())(x + noise);
        pure_callback(|x| x.to_vec(), &[Type::new(DType::F32, [2])], &[&y]).remove(0)
    });
    assert_eq!(fine(x()).shape()[..], [2]);
}
