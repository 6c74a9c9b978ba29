//! The rules of the tracing guide (PROMISES.md, B1–B6), each with a test that shows it.

use std::sync::Mutex;
use wengert::*;
use wengert_testing::{Expect, expect};

fn f32s(x: &Array) -> Vec<f32> {
    x.to_vec()
}

/// The message of the error, with the line numbers of this file left out.
fn check_error<T>(f: impl FnOnce() -> T, expected: Expect) {
    let text = match try_run(f) {
        Ok(_) => panic!("no error"),
        Err(e) => e.to_string(),
    };
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(i) = rest.find("guide.rs:") {
        let end = i + "guide.rs".len();
        out.push_str(&rest[..end]);
        rest = rest[end..].trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    }
    out.push_str(rest);
    expected.assert_eq(&format!("{out}\n"));
}

fn divide(x: Array, y: Array) -> Array {
    if y >= 1.0 { x / y } else { Array::from(0.0f32) }
}

#[test]
fn b1_grad_introduces_concrete_tracers() {
    let seen = Mutex::new(String::new());
    grad(|x: Array| {
        *seen.lock().unwrap() = format!("{x:?}");
        x.sin()
    })(Array::from(2.0f32));
    assert_eq!(*seen.lock().unwrap(), "Traced<f32[]>(2.0)");
}

#[test]
fn b1_jit_vmap_and_make_program_introduce_abstract_tracers() {
    let seen = Mutex::new(Vec::new());
    let f = |x: Array| {
        seen.lock().unwrap().push(format!("{x:?}"));
        x.sin()
    };
    jit(f)(Array::from([2.0f32]));
    vmap(f)(Array::from([2.0f32]));
    make_program(f, (Array::from([2.0f32]),));
    assert_eq!(*seen.lock().unwrap(), ["Traced<f32[1]>", "Traced<f32[]>", "Traced<f32[1]>"]);
}

#[test]
fn b1_grad_under_jit_introduces_abstract_tracers() {
    let seen = Mutex::new(String::new());
    let g = grad(|x: Array| {
        *seen.lock().unwrap() = format!("{x:?}");
        x.sin()
    });
    jit(g)(Array::from(2.0f32));
    assert_eq!(*seen.lock().unwrap(), "Traced<f32[]>");
}

#[test]
fn b2_regular_values_stay_regular() {
    jit(|x: Array| {
        let table = Array::from([1.0f32, 2.0]) * 2.0;
        assert!(!table.is_traced());
        assert_eq!(f32s(&table), [2.0, 4.0]);
        let n = x.shape()[0];
        assert_eq!(n, 3);
        x.sum(..) * (n as f64)
    })(Array::from([1.0f32, 2.0, 3.0]));
}

#[test]
fn b5_divide_works_under_grad() {
    let (x, y) = (Array::from(3.0f32), Array::from(2.0f32));
    assert_eq!(grad(divide)(x.clone(), y).item::<f32>(), 0.5);
    assert_eq!(grad(divide)(x, Array::from(0.5f32)).item::<f32>(), 0.0);
}

#[test]
fn b5_divide_fails_under_jit_with_an_error_that_teaches() {
    check_error(
        || jit(divide)(Array::from(3.0f32), Array::from(2.0f32)),
        expect![[r#"
            a traced array was read as a bool, and while `jit` traces it has no value
              at crates/wengert/tests/guide.rs
              it is Traced<bool[]>, made at crates/wengert/tests/guide.rs, and depends on argument `arg1` of `all::guide::divide`
              the function was staged by `jit` at crates/wengert/tests/guide.rs
              what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged; or pass the argument as a plain value (`f64`, `usize`, `bool`) or in `Static(..)`, and it is staged once for each value
              or say `jit(..).with_guards()`, which stages each path that calls take
        "#]],
    );
}

#[test]
fn b4_b5_divide_works_under_jit_with_y_static() {
    let f = jit(|x: Array, y: f32| if y >= 1.0 { x / y } else { Array::from(0.0f32) });
    assert_eq!(f(Array::from(3.0f32), 2.0).item::<f32>(), 1.5);
    assert_eq!(f(Array::from(5.0f32), 2.0).item::<f32>(), 2.5);
    assert_eq!((f.misses(), f.hits()), (1, 1));
    f(Array::from(3.0f32), 0.5);
    assert_eq!(f.misses(), 2);
    println!("{}", f.explain());
}

#[test]
fn b6_a_leaked_tracer_is_caught_where_it_is_used() {
    let kept = Mutex::new(None);
    jit(|x: Array| {
        let y = x.sin();
        *kept.lock().unwrap() = Some(y.clone());
        y
    })(Array::from([1.0f32]));
    let leaked = kept.lock().unwrap().clone().unwrap();
    check_error(
        || leaked + 1.0,
        expect![[r#"
            a traced array of type f32[1] is used after the trace it belongs to has ended
              at crates/wengert/tests/guide.rs
              it was made at crates/wengert/tests/guide.rs
              while the closure given to `jit` at crates/wengert/tests/guide.rs was traced
              what to do: return the array from the function instead of keeping it elsewhere
        "#]],
    );
}

#[test]
fn shapes() {
    check_error(
        || Array::from([1.0f32, 2.0]) + Array::from([1.0f32, 2.0, 3.0]),
        expect![[r#"
        `add`: arrays of shapes [2] and [3] do not broadcast together
          at crates/wengert/tests/guide.rs
          sizes are compared from the last axis; each pair must be equal, or one of them 1
    "#]],
    );
    check_error(
        || grad(|x: Array| x.sin())(Array::from([1.0f32])),
        expect![[r#"
            `grad` needs a function that gives a real scalar, and this one gives f32[1]
              at crates/wengert/tests/guide.rs
              it is the closure given to `grad` at crates/wengert/tests/guide.rs
              reduce the result, for example with `.sum(..)` or `.mean(..)`; `vjp` and `jacrev` take any result
        "#]],
    );
    check_error(
        || grad(|x: Array| x.sum(..))(Array::from([1])),
        expect![[r#"
        `grad` can't differentiate in `arg0`, which has type i32[1]
          at crates/wengert/tests/guide.rs
          only floats and complex numbers have derivatives: convert it, or leave it out with `.wrt(..)`
    "#]],
    );
}

/// How a transform shows its tracers to this function.
fn seen<T>(run: impl FnOnce(&(dyn Fn(&Array) + Sync)) -> T) -> Vec<String> {
    let seen = Mutex::new(Vec::new());
    run(&|x: &Array| seen.lock().unwrap().push(format!("{x:?}")));
    seen.into_inner().unwrap()
}

#[test]
fn b1_jvp_introduces_concrete_tracers() {
    let x = Array::from(2.0f32);
    let got = seen(|see| {
        let (y, dy) = jvp(
            |x: Array| {
                see(&x);
                if x > 1.0 { &x * &x } else { x }
            },
            (x.clone(),),
            (Array::from(1.0f32),),
        );
        // `jax.jvp(f, (2.,), (1.,))`.
        assert_eq!((y.item::<f32>(), dy.item::<f32>()), (4.0, 4.0));
    });
    assert_eq!(got, ["Traced<f32[]>(2.0)"]);
    // Within an outer transformation whose arguments are abstract, these are abstract too.
    let got = seen(|see| {
        let inner = |x: Array| {
            see(&x);
            &x * &x
        };
        jit(|x: Array| jvp(inner, (x.clone(),), (x,)).1)(x.clone())
    });
    assert_eq!(got, ["Traced<f32[]>"]);
}

#[test]
fn b1_bodies_of_control_flow_get_abstract_tracers_also_outside_of_transforms() {
    let x = Array::from(2.0f32);
    let got = seen(|see| {
        let branch = |by: f32| {
            move |x: Array| {
                see(&x);
                x * by
            }
        };
        // `lax.cond(x > 1, lambda x: x * 3, lambda x: x * 5, x)`.
        assert_eq!(cond(x.gt(1.0), branch(3.0), branch(5.0), x.clone()).item::<f32>(), 6.0);
    });
    assert_eq!(got, ["Traced<f32[]>"; 2]);
    let got = seen(|see| {
        let test = |c: Array| {
            see(&c);
            c.lt(100.0)
        };
        let body = |c: Array| {
            see(&c);
            &c * &c
        };
        // `lax.while_loop(lambda c: c < 100, lambda c: c * c, 2.)`.
        assert_eq!(while_loop(test, body, x.clone()).item::<f32>(), 256.0);
    });
    assert_eq!(got, ["Traced<f32[]>"; 2]);
    let got = seen(|see| {
        let body = |i: Array, c: Array| {
            see(&i);
            see(&c);
            c + i
        };
        // `lax.fori_loop(0, 4, lambda i, c: c + i, 2.)`.
        assert_eq!(fori_loop(0, 4, body, x.clone()).item::<f32>(), 8.0);
    });
    assert_eq!(got, ["Traced<i32[]>", "Traced<f32[]>"]);
}

#[test]
fn b1_b5_an_if_in_a_body_of_control_flow_is_an_error_under_grad_too() {
    let loops = |x: Array| fori_loop(0, 2, |_: Array, c: Array| if c > 1.0 { c * 2.0 } else { c }, x);
    let e = try_run(|| grad(loops)(Array::from(2.0f32))).unwrap_err().to_string();
    assert!(e.contains("while `fori_loop` traces it has no value") && e.contains("guide.rs"), "{e}");
}

/// As JAX 0.10 has it: an argument that is not mapped has its value, outside of other transforms.
#[test]
fn b1_in_axes_none_introduces_a_tracer_with_its_value_and_without_the_batch() {
    let (x, y) = (Array::from(2.0f32), Array::from([1.0f32, 2.0, 3.0]));
    let got = seen(|see| {
        let f = |x: Array, y: Array| {
            see(&x);
            see(&y);
            x * y
        };
        // `jax.vmap(f, in_axes=(None, 0))(2., y)`.
        assert_eq!(f32s(&vmap(f).in_axes([None, Some(0)])(x.clone(), y.clone())), [2.0, 4.0, 6.0]);
        jit(vmap(f).in_axes([None, Some(0)]))(x.clone(), y.clone());
    });
    assert_eq!(got[1..], ["Traced<f32[]>"; 3]);
    assert!(got[0].starts_with("Traced<f32[]>("), "{}", got[0]);
    let f = |x: Array, y: Array| if x > 1.0 { x * y } else { y };
    assert_eq!(f32s(&vmap(f).in_axes([None, Some(0)])(x, y)), [2.0, 4.0, 6.0]);
}
