//! `WENGERT_CHECK=nan` (E4), in a process of its own: what the environment asks for is asked once.

use wengert::{
    Array, Complex, DType, associative_scan, checkpoint, cond, grad, jit, scan, try_run, vmap, where_, while_loop,
};

/// The error of a function, which must be the same however it runs: eagerly, and staged.
#[track_caller]
fn fault(f: fn(Array) -> Array, x: Array) -> String {
    let [eager, staged] = [try_run(|| f(x.clone())), try_run(|| jit(f)(x.clone()))];
    let (eager, staged) = (eager.unwrap_err(), staged.unwrap_err());
    assert_eq!((eager.message(), eager.place()), (staged.message(), staged.place()), "{eager}\n{staged}");
    staged.to_string()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part}\n{text}"));
}

/// A loop that takes more than there is, in step 2.
fn takes(x: Array) -> Array {
    let step = |c: Array, x: Array| {
        let left = (c - x).log();
        (left.clone(), left)
    };
    scan(step, Array::from(10.0f32), x).1.sum(..)
}

fn numbers() -> Array {
    Array::from([1.0f32, 2.0, 20.0])
}

fn an_op_and_what_leads_to_it() {
    let e = fault(|x| ((x * 2.0 - 6.0).log() + 1.0).sum(..), Array::from([4.0f32, 1.0]));
    has(
        &e,
        &[
            "`log` gives NaN of finite numbers: f32[2]\n  at crates/wengert/tests/nan.rs:",
            "the first is at [1], where it is given -4.0",
        ],
    );
    let e = fault(|x| 1.0 / x, Array::from(0.0f32));
    has(&e, &["`div` gives an infinity of finite numbers: f32[]", "it is given 1.0 and 0.0"]);
    let e = fault(|x| x.to(DType::C64).log().abs(), Array::from([0.0f32]));
    has(&e, &["`log` gives"]);
    let e = try_run(|| Array::from([Complex::new(0.0f64, 0.0)]).log()).unwrap_err();
    has(&e.to_string(), &["`log` gives"]);
}

fn an_op_inside_of_loops_and_branches() {
    let e = fault(takes, numbers());
    has(
        &e,
        &[
            "`log` gives NaN",
            "it is given the result of `sub`",
            "inside of step 2 of `scan` at crates/wengert/tests/nan.rs:",
        ],
    );
    let e = fault(
        |x| while_loop(|c: Array| c.sum(..).gt(-9.0), |c: Array| (c - 1.0).sqrt() - 1.0, x),
        Array::from([9.0f32]),
    );
    has(&e, &["`sqrt` gives NaN", "inside of step 2 of `while`"]);
    let root = |x: Array| cond(x.sum(..).gt(0.0), |x: Array| x.sin(), |x: Array| x.sqrt(), x);
    let e = fault(root, Array::from([-1.0f32]));
    has(&e, &["`sqrt` gives NaN", "inside of branch 0 of `cond`"]);
    // In a loop in a batch in a loop.
    let nested = |x: Array| scan(|c: Array, x: Array| (c + vmap(takes)(x).sum(..), ()), Array::from(0.0f32), x).0;
    let rows = Array::from([[[0.1f32, 0.1, 0.1], [0.1, 0.1, 0.1]], [[0.1, 0.1, 0.1], [1.0, 2.0, 20.0]]]);
    let e = fault(nested, rows);
    has(&e, &["`log` gives NaN of finite numbers: f32[2]", "inside of step 2 of `scan`", "inside of step 1 of `scan`"]);
    let e = fault(|x| checkpoint(|x: Array| x.log().sum(..))(x), Array::from([-1.0f32]));
    has(&e, &["`log` gives NaN"]);
    let e = fault(|x| associative_scan(|a: Array, b: Array| (a - b).sqrt(), x, false), numbers());
    has(&e, &["`sqrt` gives NaN"]);
}

fn what_a_mask_hides_is_found() {
    let masked = |x: Array| where_(x.gt(0.0), x.log(), 0.0);
    let x = Array::from([1.0f32, 0.0]);
    has(&fault(masked, x.clone()), &["`log` gives an infinity", "the first is at [1], where it is given 0.0"]);
    // In a loop, too, whose results are finite.
    let inside =
        |x: Array| scan(|c: Array, x: Array| (c + where_(x.gt(0.0), x.log(), 0.0), ()), Array::from(0.0f32), x).0;
    has(&fault(inside, x.clone()), &["`log` gives an infinity", "inside of step 1 of `scan`"]);
    // The way out, which also keeps the derivative finite.
    let safe = |x: Array| where_(x.gt(0.0), where_(x.gt(0.0), &x, 1.0).log(), 0.0).sum(..);
    assert_eq!((safe(x.clone()).item::<f32>(), jit(safe)(x.clone()).item::<f32>()), (0.0, 0.0));
    assert_eq!(jit(grad(safe))(x).to_vec::<f32>(), [1.0, 0.0]);
}

fn what_is_meant_is_no_fault() {
    let x = Array::from([1.0f32, 2.0]);
    // An infinity that the program says, and what is made of one that it was given.
    let largest = |x: Array| where_(x.gt(1.5), x, f32::NEG_INFINITY).max(..);
    assert_eq!((largest(x.clone()).item::<f32>(), jit(largest)(x.clone()).item::<f32>()), (2.0, 2.0));
    let masked = |x: Array| where_(x.gt(1.5), x, f32::NEG_INFINITY);
    assert_eq!(jit(masked)(x.clone()).to_vec::<f32>(), masked(x).to_vec::<f32>());
    let infinite = Array::from(f32::INFINITY);
    assert!(jit(|x: Array| x * 0.0)(infinite).item::<f32>().is_nan());
    let counted = |x: Array| while_loop(|c: Array| c.sum(..).lt(9), |c: Array| c * 2, x);
    assert_eq!(jit(counted)(Array::from([1, 2])).to_vec::<i32>(), [4, 8]);
}

fn derivatives_and_batches() {
    let e = try_run(|| jit(grad(|x: Array| x.sqrt().sum(..)))(Array::from([0.0f32]))).unwrap_err();
    has(e.message(), &["gives an infinity of finite numbers"]);
    let e = try_run(|| grad(|x: Array| x.sqrt().sum(..))(Array::from([0.0f32]))).unwrap_err();
    has(e.message(), &["gives an infinity of finite numbers"]);
    let e = try_run(|| jit(vmap(|x: Array| x.log()))(Array::from([1.0f32, -1.0]))).unwrap_err();
    has(&e.to_string(), &["`log` gives NaN", "the first is at [1]"]);
}

#[test]
fn e4_the_first_number_that_is_not_finite_is_named_wherever_it_comes_up() {
    // SAFETY: no other thread of this process runs.
    unsafe { std::env::set_var("WENGERT_CHECK", "nan") };
    an_op_and_what_leads_to_it();
    an_op_inside_of_loops_and_branches();
    what_a_mask_hides_is_found();
    what_is_meant_is_no_fault();
    derivatives_and_batches();
}
