//! A staged function that replaces its argument writes over it: `x = step(x)` takes no second block of memory. Alone in
//! its process, because usage of the pool is of the whole process.

use std::sync::{Mutex, MutexGuard, PoisonError};
use wengert::*;
use wengert_core::host::pool;

/// About 100 MB of `f32`, for steps that touch little of it: development builds are slow.
const LARGE: usize = 25 << 20;
/// Enough for threads, and for blocks that are mapped.
const SOME: usize = 1 << 18;

/// One test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    pool::clear();
    guard
}

/// Where the elements lie. The handle on them is gone when this returns.
fn address(x: &Array) -> usize {
    x.to_tensor().view().start() as usize
}

fn first(x: &Array) -> f32 {
    x.to_tensor().elements::<f32>()[0]
}

fn line(n: usize, value: f32) -> Array {
    Array::from_vec([n], vec![value; n])
}

/// Checks that calls write over what they are given, and that the pool neither grows nor is asked for a second block.
fn check_in_place(n: usize, turns: usize, step: impl Fn(Array) -> Array) -> Array {
    let mut x = step(line(n, 0.0));
    let place = address(&x);
    let before = pool::usage();
    for turn in 0..turns {
        x = step(x);
        assert_eq!(address(&x), place, "turn {turn} lies elsewhere");
        let now = pool::usage();
        // Small arrays come and go; all together are not as large as this one.
        assert!(now.taken - before.taken < n, "turn {turn} took {} bytes", now.taken - before.taken);
        assert!(now.in_use < before.in_use + n, "turn {turn} uses {} bytes", now.in_use);
    }
    x
}

#[test]
fn a_step_writes_over_what_it_is_given() {
    let _alone = alone();
    let step = jit(|x: Array| x * 0.5 + 1.0);
    let x = check_in_place(SOME, 100, &*step);
    assert!((first(&x) - 2.0).abs() < 1e-6);
    check_in_place(LARGE, 2, &*step);
}

#[test]
fn a_donated_argument_is_written_over() {
    let _alone = alone();
    let step = jit(|x: Array| x * 0.5 + 1.0).donate(0);
    let x = check_in_place(SOME, 20, &*step);
    assert!((first(&x) - 2.0).abs() < 1e-4);
}

#[test]
fn a_few_elements_are_updated_where_they_lie() {
    let _alone = alone();
    let step = jit(|x: Array| x.at(3..7).add(1.0));
    let x = check_in_place(LARGE, 100, &*step);
    assert_eq!(x.to_tensor().elements::<f32>()[2..8], [0.0, 101.0, 101.0, 101.0, 101.0, 0.0]);
    let rows = Array::from(vec![1i64, 5, 5]);
    let step = jit(move |x: Array| x.at(&rows).add(1.0));
    let x = check_in_place(LARGE, 20, &*step);
    assert_eq!(x.to_tensor().elements::<f32>()[..6], [0.0, 21.0, 0.0, 0.0, 0.0, 42.0]);
}

#[test]
fn a_slice_at_a_place_that_is_computed_is_written_where_it_lies() {
    let _alone = alone();
    let update = |x: Array, i: Array| x.at(&i).set(7.0);
    let step = jit(|x: Array, i: Array| update(x, i));
    let i = std::cell::Cell::new(0i64);
    let x = check_in_place(LARGE, 30, |x| {
        i.set(i.get() + 1);
        step(x, Array::from(i.get()))
    });
    assert_eq!(x.to_tensor().elements::<f32>()[..33].iter().sum::<f32>(), 7.0 * 31.0);
}

#[test]
fn loops_write_over_what_they_carry() {
    let _alone = alone();
    let step = jit(|x: Array| fori_loop(0, 5, |_, x: Array| x * 0.5 + 1.0, x));
    check_in_place(SOME, 5, &*step);
    let step = jit(|x: Array| scan(|x: Array, _: Array| (x * 0.5 + 1.0, ()), x, Array::from(vec![0i32; 4])).0);
    check_in_place(SOME, 5, &*step);
    let step = jit(|x: Array| cond(x.get(0).lt(100.0), |x: Array| x + 1.0, |x: Array| x - 1.0, x));
    check_in_place(SOME, 5, &*step);
}

#[test]
fn trees_are_written_over_leaf_by_leaf() {
    let _alone = alone();
    let step = jit(|(x, v): (Array, Array)| (&x + &v * 0.1, v * 0.9));
    let mut state = step((line(SOME, 0.0), line(SOME, 1.0)));
    let places = [address(&state.0), address(&state.1)];
    let before = pool::usage();
    for _ in 0..10 {
        state = step(state);
        // `v` is used by both results, so one block more goes around.
        assert!(pool::usage().taken - before.taken <= 4 * SOME);
    }
    let now = [address(&state.0), address(&state.1)];
    assert!(now.iter().any(|a| places.contains(a)), "{now:?} {places:?}");
    let taken = pool::usage().taken;
    (0..10).for_each(|_| state = step(std::mem::replace(&mut state, (Array::from(0.0f32), Array::from(0.0f32)))));
    assert_eq!(pool::usage().taken, taken, "blocks go around and none is taken");
}

#[test]
fn what_somebody_else_holds_stays() {
    let _alone = alone();
    for donate in [false, true] {
        let step = jit(|x: Array| x * 0.5 + 1.0);
        let step = if donate { step.donate(0) } else { step };
        let x = line(SOME, 4.0);
        let held = x.clone();
        let y = step(x);
        assert_ne!(address(&y), address(&held));
        assert!(held.to_vec::<f32>().iter().all(|v| *v == 4.0) && first(&y) == 3.0);
        // A tensor is a handle too, and so is a clone inside of a closure or a tree.
        let tensor = held.to_tensor();
        let y = step(held);
        assert!(tensor.elements::<f32>().iter().all(|v| *v == 4.0) && first(&y) == 3.0);
        let x = Array::from_tensor(tensor);
        let f = jit({
            let x = x.clone();
            move |y: Array| x.clone() + y
        });
        let z = f(x.clone());
        assert_eq!((first(&x), first(&z)), (4.0, 8.0));
        assert_eq!((first(&step(x.clone())), first(&x)), (3.0, 4.0));
        assert_eq!((first(&f(x.clone())), first(&x)), (8.0, 4.0));
    }
}

#[test]
fn one_array_given_twice_is_read_twice() {
    let _alone = alone();
    let f = jit(|x: Array, y: Array| (&x * 2.0 + 1.0, y * 3.0));
    let x = line(SOME, 1.0);
    let (a, b) = f(x.clone(), x);
    assert_eq!((first(&a), first(&b)), (3.0, 3.0));
    // And given back twice, it is not written over by a later call.
    let g = jit(|x: Array| (x.clone(), x));
    let (a, b) = g(a);
    let c = jit(|x: Array| x + 1.0)(a);
    assert_eq!((first(&b), first(&c)), (3.0, 4.0));
}

#[test]
fn constants_of_a_program_stay() {
    let _alone = alone();
    let w = line(SOME, 2.0);
    let f = {
        let w = w.clone();
        jit(move |x: Array| &w * x)
    };
    let id = jit(move |_: Array| w.clone());
    for _ in 0..3 {
        let y = f(Array::from(3.0f32));
        assert_eq!((first(&y), first(&jit(|y: Array| y * 0.0)(y))), (6.0, 0.0));
        // The constant itself comes back, and is given away to what would overwrite it.
        let w = id(Array::from(0.0f32));
        assert_eq!(first(&jit(|w: Array| w + 40.0)(w)), 42.0);
        assert_eq!(first(&id(Array::from(0.0f32))), 2.0);
    }
}

#[test]
fn what_a_recording_holds_stays() {
    let _alone = alone();
    let step = jit(|x: Array| x * 0.5 + 1.0);
    let ((x, y), tape) = record(|| {
        let x = line(SOME, 4.0) + 0.0;
        let y = step(x.clone());
        let y = step(y);
        (x, y)
    });
    assert_eq!((first(&x), first(&y)), (4.0, 2.5));
    assert!(tape.len() > 2);
}

#[test]
fn what_a_derivative_needs_stays() {
    let _alone = alone();
    let x = line(SOME, 0.5);
    let f = |x: Array| {
        let y = jit(|x: Array| x.exp() * 2.0)(x);
        jit(|y: Array| y.sin())(y).sum(..)
    };
    let expected = 2.0 * 0.5f32.exp() * (2.0 * 0.5f32.exp()).cos();
    let slope = grad(f)(x.clone());
    assert!((first(&slope) - expected).abs() < 1e-5, "{} {expected}", first(&slope));
    assert_eq!(first(&x), 0.5);
}

#[test]
fn a_recording_on_another_thread_changes_nothing_here() {
    let _alone = alone();
    let step = jit(|x: Array| x * 0.5 + 1.0);
    record(|| {
        // The recording is of the thread that opened it.
        std::thread::scope(|s| {
            s.spawn(|| check_in_place(SOME, 3, &*step)).join().unwrap();
        });
    });
}
