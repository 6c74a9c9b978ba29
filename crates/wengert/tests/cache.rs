//! What `jit` keeps: the key, hits that trace nothing, why a call missed, how much is kept, and many threads.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use wengert::*;
use wengert_testing::{Expect, expect};

#[derive(Tree, Clone)]
struct Params {
    w: Array,
    #[tree(static)]
    rate: i32,
}

fn zeros(shape: &[usize]) -> Array {
    Array::zeros(shape, DType::F32)
}

/// Why the last call missed, without the place.
#[track_caller]
fn check_miss(explained: String, expected: Expect) {
    let last = explained.lines().last().expect("a miss").to_string();
    let (head, why) = last.split_once("): ").expect("a place");
    let number = head.split_once(" of ").expect("a number").0;
    expected.assert_eq(&format!("{number}: {why}"));
}

#[test]
fn a2_explain_names_the_part_of_the_key_that_is_new() {
    let f = jit(|p: Params, x: Vec<Array>, scale: f32| (&p.w + &x[0]) * scale * p.rate);
    let p = |shape: &[usize], rate| Params { w: zeros(shape), rate };
    f(p(&[3], 1), vec![zeros(&[3])], 1.0);
    check_miss(f.explain(), expect!["miss 1: nothing is kept yet"]);
    f(p(&[2], 1), vec![zeros(&[2])], 1.0);
    check_miss(f.explain(), expect!["miss 2: `arg0.w` is f32[2], and was f32[3]; `arg1.0` is f32[2], and was f32[3]"]);
    f(p(&[3], 1), vec![zeros(&[2, 1])], 1.0);
    check_miss(f.explain(), expect!["miss 3: `arg1.0` is f32[2,1], and was f32[3]"]);
    f(p(&[3], 1), vec![zeros(&[3]).to(DType::F64)], 1.0);
    check_miss(f.explain(), expect!["miss 4: `arg1.0` is f64[3], and was f32[3]"]);
    f(p(&[3], 1), vec![zeros(&[3])], 2.0);
    check_miss(f.explain(), expect!["miss 5: `arg2` is 2.0, and was 1.0"]);
    f(p(&[3], 2), vec![zeros(&[3])], 1.0);
    check_miss(
        f.explain(),
        expect!["miss 6: `arg0` is Params { w: Array, rate: 2 }, and was Params { w: Array, rate: 1 }"],
    );
    f(p(&[3], 1), vec![zeros(&[3]), zeros(&[3])], 1.0);
    check_miss(f.explain(), expect!["miss 7: `arg1` is [Array, Array], and was [Array]"]);
    f(p(&[3], 1), vec![zeros(&[3])], 1.0);
    assert_eq!((f.misses(), f.hits()), (7, 1));
    assert!(f.explain().contains("crates/wengert/tests/cache.rs:"), "{}", f.explain());
}

/// The nearest of what is kept: plain values and types count alike.
#[test]
fn a2_explain_compares_with_the_nearest_call() {
    let f = jit(|x: Array, n: usize| x * n as f64);
    f(zeros(&[1]), 2);
    f(zeros(&[1]), 3);
    check_miss(f.explain(), expect!["miss 2: `arg1` is 3, and was 2"]);
    f(zeros(&[2]), 3);
    check_miss(f.explain(), expect!["miss 3: `arg0` is f32[2], and was f32[1]"]);
    f(zeros(&[3]), 4);
    check_miss(f.explain(), expect!["miss 4: `arg1` is 4, and was 2; `arg0` is f32[3], and was f32[1]"]);
    // Leaves go by their names where structures differ.
    let g = jit(|x: Vec<Array>, y: Array| &x[0] + y);
    g(vec![zeros(&[3])], zeros(&[3]));
    g(vec![zeros(&[3]), zeros(&[3])], zeros(&[1]));
    check_miss(
        g.explain(),
        expect!["miss 2: `arg0` is [Array, Array], and was [Array]; `arg1` is f32[1], and was f32[3]"],
    );
}

#[test]
fn a2_a_named_axis_is_part_of_the_key() {
    let f = jit(|x: Array| psum(x, "i"));
    vmap(f.clone()).axis_name("i")(zeros(&[2]));
    vmap(f.clone()).axis_name("i")(zeros(&[3]));
    check_miss(f.explain(), expect!["miss 2: what is around it is axis `i` of 3, and was axis `i` of 2"]);
    vmap(f.clone()).axis_name("i")(zeros(&[2]));
    assert_eq!((f.misses(), f.hits()), (2, 1));
}

#[test]
fn a2_what_uses_arrays_of_an_enclosing_trace_is_not_kept() {
    let x = zeros(&[2]);
    let y = jit(|x: Array| {
        let f = jit(|y: Array| &x + y);
        let y = f(f(zeros(&[2])));
        assert_eq!((f.misses(), f.programs().len()), (2, 0));
        assert!(f.explain().contains("uses arrays of an enclosing trace"), "{}", f.explain());
        y
    })(x);
    assert_eq!(y.shape()[..], [2]);
}

#[test]
fn a2_hits_run_no_user_code() {
    let runs = AtomicUsize::new(0);
    let f = jit(|x: Array| {
        runs.fetch_add(1, Ordering::Relaxed);
        x.sin()
    });
    for _ in 0..10 {
        f(zeros(&[4]));
    }
    assert_eq!((runs.load(Ordering::Relaxed), f.misses(), f.hits()), (1, 1, 9));
    // Values that are not arrays count by value, not by identity.
    let g = jit(|x: Array, by: Static<String>| x * by.0.len() as f32);
    g(zeros(&[1]), Static("one".to_string()));
    g(zeros(&[1]), Static("one".to_string()));
    g(zeros(&[1]), Static("four".to_string()));
    assert_eq!((g.misses(), g.hits()), (2, 1));
}

#[test]
fn a2_the_least_recently_used_goes_first() {
    let f = jit(|x: Array| x.sin()).cache_capacity(2);
    let call = |n: usize| f(zeros(&[n]));
    call(1);
    call(2);
    call(1);
    call(3);
    assert_eq!(f.programs().len(), 2);
    call(1);
    assert_eq!((f.misses(), f.hits()), (3, 2), "[1] was used after [2], and stays");
    call(2);
    assert_eq!(f.misses(), 4, "[2] went");
}

#[test]
fn a2_clear_forgets_and_clones_share() {
    let f = jit(|x: Array| x.sin());
    let g = f.clone();
    f(zeros(&[1]));
    g(zeros(&[1]));
    assert_eq!((f.misses(), f.hits(), g.programs().len()), (1, 1, 1));
    g.clear_cache();
    assert_eq!(f.programs().len(), 0);
    f(zeros(&[1]));
    assert_eq!(f.misses(), 2);
}

#[test]
fn a2_many_threads_call_one_function() {
    const THREADS: usize = 8;
    const CALLS: usize = 50;
    let f = Arc::new(jit(|x: Array, n: i32| (&x * &x).sum(..) + n).cache_capacity(6));
    let start = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|t| {
            let (f, start) = (f.clone(), start.clone());
            std::thread::spawn(move || {
                start.wait();
                for i in 0..CALLS {
                    let (size, n) = (1 + (i + t) % 4, (i % 2) as i32);
                    let y = f(Array::full([size], t as f32, DType::F32), n);
                    assert_eq!(y.item::<f32>(), (size * t * t) as f32 + n as f32);
                    if i == CALLS / 2 && t == 0 {
                        f.clear_cache();
                    }
                    // Reading what is kept, while others write it.
                    assert!(f.programs().len() <= 6);
                    assert!(!f.explain().is_empty());
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().expect("no thread panics"));
    assert_eq!((f.hits() + f.misses()) as usize, THREADS * CALLS);
}

#[test]
fn a2_threads_that_stage_the_same_keep_it_once() {
    let f = Arc::new(jit(|x: Array| x.sin()));
    let start = Arc::new(Barrier::new(4));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (f, start) = (f.clone(), start.clone());
            std::thread::spawn(move || {
                start.wait();
                f(zeros(&[3]))
            })
        })
        .collect();
    threads.into_iter().for_each(|t| drop(t.join().expect("no thread panics")));
    assert_eq!(f.programs().len(), 1);
}

#[test]
fn a2_a_function_that_panics_leaves_the_cache_usable() {
    let f = jit(|x: Array| {
        assert!(x.shape()[0] > 1, "too short");
        x.sin()
    });
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(zeros(&[1]))));
    assert!(caught.is_err());
    assert_eq!(f(zeros(&[2])).shape()[..], [2]);
    assert_eq!((f.misses(), f.programs().len()), (2, 1));
}

/// Prints to standard error when told so by the environment: shown by running this test in a process of its own.
#[test]
fn a2_the_environment_asks_for_explanations() {
    const INSIDE: &str = "WENGERT_TEST_INSIDE";
    if std::env::var_os(INSIDE).is_some() {
        let f = jit(|x: Array| x.sin());
        f(zeros(&[1]));
        f(zeros(&[2]));
        return;
    }
    let run = |explain: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.args(["--exact", "cache::a2_the_environment_asks_for_explanations", "--nocapture"]).env(INSIDE, "1");
        match explain {
            Some(value) => command.env("WENGERT_EXPLAIN", value),
            None => command.env_remove("WENGERT_EXPLAIN"),
        };
        let output = command.output().expect("it runs");
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = run(Some("1"));
    assert!(told.contains("miss 2 of") && told.contains("`arg0` is f32[2], and was f32[1]"), "{told}");
    assert!(!run(None).contains("miss") && !run(Some("0")).contains("miss"));
}
