//! C10 of what reads lead to beside operators: literals that are equal to a number when it is read, derivatives of functions that read,
//! assertions, and blocks that run later.

#![allow(clippy::all, unused_assignments)] // Functions as users write them.

use super::borrows::{Found, check_of};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use wengert::*;

#[track]
fn two(a: f64, b: f64) -> f64 {
    a * 10.0 + b
}

#[track]
fn three(a: f64, b: f64, c: f64) -> f64 {
    a * 10.0 + b + c * 100.0
}

#[track]
fn of_integers(a: i64, b: i64) -> i64 {
    a * 10 + b
}

#[track]
fn of_bools(a: bool, b: bool) -> f64 {
    a as u8 as f64 * 10.0 + b as u8 as f64
}

#[track]
fn power(base: f64, exponent: f64) -> f64 {
    base.powf(exponent)
}

#[track]
fn with_array(a: f64, x: &Array, b: f64) -> Array {
    x * a + b
}

#[track]
fn of_a_pair((a, b): (f64, f64)) -> f64 {
    a * 10.0 + b
}

#[track]
fn of_a_list([a, b]: [f64; 2], c: f64) -> f64 {
    a * 10.0 + b + c * 100.0
}

struct Pair {
    a: f64,
    b: f64,
}

#[track]
fn of_a_record(Pair { a, b }: Pair) -> f64 {
    a * 10.0 + b
}

struct Scale(f64);

impl Scale {
    #[track]
    fn by_method(&self, a: f64, b: f64) -> f64 {
        (a * 10.0 + b) * self.0
    }
    #[track]
    fn by_type(a: f64, b: f64) -> f64 {
        a * 10.0 + b
    }
}

/// Runs what never waits.
fn block_on<F: Future>(f: F) -> F::Output {
    let (mut f, mut context) = (pin!(f), Context::from_waker(Waker::noop()));
    loop {
        if let Poll::Ready(y) = f.as_mut().poll(&mut context) {
            return y;
        }
    }
}

async fn plus_one(v: f64) -> f64 {
    v + 1.0
}

fn positive(v: f64) {
    assert!(v > 0.0);
}

#[track]
fn logarithm(v: f64) -> f64 {
    assert!(v > 0.0, "the logarithm of {v}");
    v.ln()
}

functions! {
    a_literal_first (x, v) { let w = two(2.0, v); &x * w }
    a_literal_last (x, v) { let w = two(v, 2.0); &x * w }
    zero_first (x, v) { &x * two(0.0, v) }
    two_literals (x, v) { let w = three(1.0, v, 3.0); &x * w }
    the_same_twice (x, v) { let w = three(v, 2.0, v); &x * w }
    a_constant_first (x, v) { const A: f64 = 2.0; let w = two(A, v); &x * w }
    an_integer_first (x, v) { let k = v as i64; let w = of_integers(2, k % 100); &x * w as f64 }
    a_bool_first (x, v) { let b = v > 1.5; let w = of_bools(true, b); &x * w }
    a_base_first (x, v) { let w = power(2.0, v); &x * w }
    an_array_between (x, v) { with_array(2.0, &x, v) }
    in_a_pair (x, v) { let w = of_a_pair((2.0, v)); &x * w }
    in_a_list (x, v) { let w = of_a_list([2.0, v], 0.0); &x * w }
    in_a_record (x, v) { let w = of_a_record(Pair { a: 2.0, b: v }); &x * w }
    in_a_record_the_other_way (x, v) { let w = of_a_record(Pair { b: v, a: 2.0 }); &x * w }
    in_a_record_of_both (x, v) { let w = of_a_record(Pair { b: v, a: v }); &x * w }
    by_a_method (x, v) { let w = Scale(1.0).by_method(2.0, v); &x * w }
    by_a_type (x, v) { let w = Scale::by_type(2.0, v); &x * w }
    by_a_closure (x, v) { let g = tracked!(|a: f64, b: f64| a * 10.0 + b); let w = g(2.0, v); &x * w }

    asserted (x, v) { assert!(v < 2.5); &x * v }
    asserted_and_said (x, v) { assert!(v < 2.5 && v > -1.0, "{v} is out of bounds"); &x * v }
    asserted_equal (x, v) { assert_eq!(v, v.abs()); &x * v }
    asserted_not_equal (x, v) { assert_ne!(v, 3.0, "three"); &x * v }
    asserted_of_the_library (x, v) { std::assert!(v < 2.5); &x * v }
    asserted_while_debugging (x, v) { debug_assert!(v >= 0.0); &x * v.abs().sqrt() }
    asserted_equal_while_debugging (x, v) { debug_assert_eq!(v.max(0.0), v); &x * v }
    asserted_by_a_name (x, v) { let is = v < 2.5; assert!(is); &x * v }
    asserted_not (x, v) { assert!(!(v > 2.5)); &x * v }
    asserted_by_a_method (x, v) { assert!(v.is_sign_positive()); &x * v }
    asserted_in_a_loop (x, v) { let mut s = 0.0; for i in 0..3 { s += v; assert!(s < 8.0, "turn {i}"); } &x * s }
    asserted_in_an_arm (x, v) { match x.rank() { 0 => assert!(v < 2.5), _ => {} } &x * v }
    asserted_last (x, v) { let y = &x * v; { assert!(v < 2.5) } y }
    asserted_in_a_call (x, v) { let w = logarithm(v + 1.5); &x * w }
    asserted_elsewhere (x, v) { positive(v + 1.0); &x * v }
    asserted_of_the_shape (x, v) { assert_eq!(x.shape().len(), 0); assert!(x.rank() == 0); &x * v }

    a_block_that_runs_later (x, v) { let w = block_on(async move { v + 1.0 }); &x * w }
    a_block_that_waits (x, v) { let w = block_on(async { plus_one(v).await }); &x * w }
    a_block_with_a_name (x, v) { let f = async move { v * 2.0 }; let w = block_on(f); &x * w }
    a_block_that_writes (x, v) { let mut s = 1.0; block_on(async { s += v; }); &x * s }
    a_block_that_writes_all (x, v) { let mut s = 1.0; block_on(async { s = v; }); &x * s }
    a_block_that_decides (x, v) { let w = block_on(async { if v > 2.5 { 1.0 } else { 2.0 } }); &x * w }
    a_future_of_a_function (x, v) { let w = block_on(plus_one(v)); &x * w }
}

#[test]
fn c10_what_reads_lead_to_is_never_old() {
    let found = Found::of(ALL);
    let is_refused = |name: &str| found.refused.iter().find(|m| m.starts_with(&format!("{name}:")));
    let followed =
        ["a_literal_first", "a_literal_last", "two_literals", "a_constant_first", "by_a_type", "an_array_between"];
    for name in followed.iter().chain(&["asserted_of_the_shape"]) {
        assert!(is_refused(name).is_none(), "{}", is_refused(name).unwrap());
    }
}

#[track]
fn scaled(x: Array) -> Array {
    let v = x.to_f64();
    &x * v
}

#[track]
fn scaled_by_more(x: Array) -> Array {
    let v = x.to_f64();
    let w = v * 2.0;
    &x * &x * w
}

#[track]
fn clipped(x: Array) -> Array {
    let c = x.to_f64().abs().min(2.0);
    &x * c
}

#[track]
fn by_another(w: Array, d: Array) -> Array {
    let s = d.to_f64();
    &w * &w * s
}

#[track]
fn inner(x: &Array, by: f64) -> Array {
    x * by
}

#[track]
fn outer(x: Array) -> Array {
    let v = x.to_f64();
    inner(&x, v + 1.0).sin()
}

#[track]
fn by_an_array(x: Array) -> Array {
    let k = Array::from(x.to_f64());
    &x * k
}

#[track]
fn powered(x: Array) -> Array {
    let v = x.to_f64();
    x.pow(v.abs()) + x.maximum(v) + where_(x.gt(v - 1.0), &x, v)
}

#[track]
fn descended(mut x: Array) -> Array {
    for _ in 0..3 {
        x = &x - grad(scaled)(x.clone()) * 0.1;
    }
    x
}

/// The functions that a transform is given are traced, and the programs that are made of them have the numbers that were read then.
#[test]
fn c10_derivatives_of_functions_that_read_are_never_old() {
    type Named<'a> = (&'a str, &'a (dyn Fn(Array) -> Array + Send + Sync));
    let transformed: &[Named<'_>] = &[
        ("grad", &|x| grad(scaled)(x)),
        ("grad of more", &|x| grad(scaled_by_more)(x)),
        ("grad of grad", &|x| grad(grad(scaled_by_more))(x)),
        ("value and grad", &|x| value_and_grad(scaled)(x).1),
        ("jvp", &|x| jvp(scaled, (x.clone(),), (x.ones_like(),)).1),
        ("vjp", &|x| vjp(scaled, (x.clone(),)).1.pull(x.ones_like()).0),
        ("linearize", &|x| linearize(scaled, (x.clone(),)).1.apply((x.ones_like(),))),
        ("jacfwd", &|x| jacfwd(scaled)(x)),
        ("jacrev", &|x| jacrev(scaled)(x)),
        ("hessian", &|x| hessian(scaled_by_more)(x)),
        ("checkpoint", &|x| checkpoint(scaled)(x)),
        ("grad of checkpoint", &|x| grad(checkpoint(scaled))(x)),
        ("clipped", &|x| grad(clipped)(x)),
        ("by another", &|x| grad(by_another)(x.clone(), x)),
        ("called inside", &|x| grad(outer)(x)),
        ("by an array", &|x| grad(by_an_array)(x)),
        ("powers", &|x| grad(powered)(x)),
        ("descended", &|x| descended(x)),
        ("of a closure", &|x| {
            grad(tracked!(|x: Array| {
                let v = x.to_f64();
                &x * v
            }))(x)
        }),
        ("of a closure with a number", &|x| {
            let v = x.to_f64();
            grad(tracked!(|y: Array| &y * v))(x)
        }),
        ("staged with a number", &|x| {
            let v = x.to_f64();
            jit(tracked!(|y: Array| &y * v))(x)
        }),
        ("batched with a number", &|x| {
            let v = x.to_f64();
            vmap(tracked!(|y: Array| &y * v))(x.reshape([1])).sum(..)
        }),
        ("looped with a number", &|x| {
            let v = x.to_f64();
            fori_loop(0, 2, tracked!(|_: Array, y: Array| &y * v), x)
        }),
        ("a rule", &|x| {
            grad(custom_jvp(scaled, |(x,): (Array,), (t,): (Array,)| {
                let y = scaled(x.clone());
                (y, t * x)
            }))(x)
        }),
    ];
    let mut found = Found::default();
    transformed.iter().for_each(|(name, f)| check_of(name, f, &mut found));
    assert!(found.wrong.is_empty(), "{} are wrong:\n{}", found.wrong.len(), found.wrong.join("\n"));
    let is_refused = |name: &str| found.refused.iter().any(|m| m.starts_with(&format!("{name}:")));
    assert!(is_refused("grad") && is_refused("by an array"), "{:?}", found.refused);
}

/// What assertions say is what the compiler says of them.
#[test]
fn c9_assertions_say_what_they_said() {
    macro_rules! same {
        (($v:ident, $list:ident, $pair:ident) $([$($condition:tt)*])*) => {$({
            #[track]
            #[allow(unused_variables)]
            fn tracked($v: f64, $list: &[f64], $pair: (bool, f64)) { assert!($($condition)*); }
            #[allow(unused_variables)]
            fn plain($v: f64, $list: &[f64], $pair: (bool, f64)) { assert!($($condition)*); }
            let said = |f: fn(f64, &[f64], (bool, f64))| {
                let panic = std::panic::catch_unwind(|| f(2.0, &[1.0, 2.0], (false, 1.0))).unwrap_err();
                panic.downcast_ref::<&'static str>().map(|s| s.to_string()).expect("a text that stands in the program")
            };
            assert_eq!(said(tracked), said(plain));
        })*};
    }
    same! { (v, list, pair)
        [v < 1.0] [v<1.0] [v == 3.0 && v != 4.0] [(v > 2.5) || v < -1.0] [!(v > 1.0) && pair.0] [list[1] > v] [list.len() == 3]
        [v.abs().max(1.0) < f64::EPSILON] [f64::max(v, 1.0) <= 1e-3] [v as i64 == 3] [list.iter().all(|x| *x > v)]
        [(v, 1.0) == (1.0, v)]
        [v * 1_000.0 + 2.0 < 3.0 && !pair.0 && list.first().copied().unwrap_or(0.0) == 99.0] [pair.0]
        [*list.first().unwrap() > 2.0f64] [{ v } > 3.0] [Some(v) == None] [-v > 0.0] [&v == &3.0] [v.powi(2) /* squared */ > 9.0,]
    }
    #[track]
    fn with_text(v: f64) {
        assert!(v < 1.0, "{v} and {}", 2 + 2);
    }
    let panic = std::panic::catch_unwind(|| with_text(2.0)).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), "2 and 4");
}
