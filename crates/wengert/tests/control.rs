//! Structured control flow (A3) under every transform, nested in any order (A6), reverse mode through loops of unknown
//! length (A9), and derivatives of the user's own.

use wengert::*;

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * (1.0 + b.abs()), "{a} is not {b}");
}

/// A function of one f64: value under `jit`, first and second derivatives in each mode, all against finite differences,
/// and `vmap` against a loop.
fn check(f: impl Fn(Array) -> Array + Send + Sync + Copy, at: &[f64]) {
    let value = |x: f64| f(Array::from(x)).item::<f64>();
    for &x in at {
        let a = Array::from(x);
        close(jit(f)(a.clone()).item(), value(x));
        let h = 1e-5;
        let d1 = (value(x + h) - value(x - h)) / (2.0 * h);
        let g = grad(f)(a.clone()).item::<f64>();
        close(g, d1);
        close(jit(grad(f))(a.clone()).item(), g);
        close(jvp(f, (a.clone(),), (Array::from(1.0),)).1.item(), g);
        let first = |x: f64| grad(f)(Array::from(x)).item::<f64>();
        let d2 = (first(x + h) - first(x - h)) / (2.0 * h);
        close(jvp(grad(f), (a.clone(),), (Array::from(1.0),)).1.item(), d2);
        close(grad(grad(f))(a.clone()).item(), d2);
    }
    let batch = Array::from(at.to_vec());
    for (y, &x) in vmap(f)(batch.clone()).to_vec::<f64>().iter().zip(at) {
        close(*y, value(x));
    }
    for (y, &x) in jit(vmap(grad(f)))(batch.clone()).to_vec::<f64>().iter().zip(at) {
        close(*y, grad(f)(Array::from(x)).item());
    }
    let total = grad(|b: Array| vmap(f)(b).sum(..))(batch);
    for (y, &x) in total.to_vec::<f64>().iter().zip(at) {
        close(*y, grad(f)(Array::from(x)).item());
    }
}

#[test]
fn a3_cond() {
    check(|x| cond(x.gt(0.5), |x: Array| x.sin() * &x, |x: Array| x.exp(), x), &[0.1, 0.7, 1.3]);
}

#[test]
fn a3_cond_with_captures() {
    check(
        |x| {
            let k = x.cos();
            cond(x.gt(0.5), |(): ()| &k * &x, |(): ()| &k - &x, ())
        },
        &[0.1, 0.7, 1.3],
    );
}

#[test]
fn a3_switch() {
    check(
        |x| {
            let i = (&x * 2.0).to(DType::I32);
            switch(i, &[&|x: Array| x.sin(), &|x: Array| &x * &x, &|x: Array| x.exp()], x)
        },
        &[0.1, 0.7, 1.3, 9.1],
    );
}

#[test]
fn a3_scan() {
    check(
        |x| {
            let xs = Array::from([0.5, -0.25, 1.5]);
            let (c, ys) = scan(
                |c: Array, w: Array| {
                    let c = (c * w + &x).sin();
                    (c.clone(), c.exp())
                },
                x.clone(),
                xs,
            );
            c + ys.sum(..)
        },
        &[0.3, 0.9],
    );
}

#[test]
fn a3_scan_options_do_not_change_values() {
    let xs = Array::from((0..14).map(|i| (i as f64 * 0.3).sin()).collect::<Vec<f64>>()).reshape([7, 2]);
    let step = |c: Array, x: Array| {
        let c = (c * 0.5 + x).tanh();
        (c.clone(), &c * 2.0)
    };
    for reverse in [false, true] {
        let run = |unroll: usize| {
            let options = ScanOptions { reverse, unroll, length: None };
            scan_with(&options, step, Array::from([0.1, 0.2]), xs.clone())
        };
        let (c, ys) = run(1);
        for unroll in [2, 3, 7, 20] {
            let (d, zs) = run(unroll);
            assert_eq!(c.to_vec::<f64>(), d.to_vec::<f64>());
            assert_eq!(ys.to_vec::<f64>(), zs.to_vec::<f64>());
        }
    }
}

#[test]
fn a3_fori_loop_with_known_bounds() {
    check(|x| fori_loop(0, 4, |i: Array, c: Array| (c + i.to(DType::F64) * 0.1).sin() * &x, x.clone()), &[0.3, 0.9]);
}

#[test]
fn a9_while_loop_of_unknown_length() {
    check(|x| while_loop(|c: Array| c.lt(20.0), |c: Array| &c * &c * 0.5 + &x, &x + 1.0), &[1.1, 1.7, 2.6]);
}

#[test]
fn a9_fori_loop_with_a_traced_bound() {
    check(
        |x| {
            let n = (&x * 3.0).to(DType::I32) + 2;
            fori_loop(0, n, |_: Array, c: Array| (c * &x).sin() + 0.5, x.clone())
        },
        &[0.3, 0.9, 1.7],
    );
}

#[test]
fn a3_nested_loops() {
    check(
        |x| {
            scan(
                |c: Array, w: Array| {
                    let c = fori_loop(0, 3, |_: Array, c: Array| (c * &w + &x).tanh(), c);
                    (cond(c.gt(0.6), |c: Array| c.sin(), |c: Array| c.exp(), c.clone()), ())
                },
                x.clone(),
                Array::from([0.5, 0.8]),
            )
            .0
        },
        &[0.3, 0.9],
    );
}

#[test]
fn a3_map_and_associative_scan() {
    check(
        |x| {
            let xs = stack(&[x.clone(), x.sin(), x.cos(), &x * 2.0, x.exp()], 0);
            let a = map(|x: Array| &x * &x, xs.clone());
            let b = associative_scan(|a: Array, b: Array| a * b, xs.clone(), false);
            let c = associative_scan(|a: Array, b: Array| a + b, xs, true);
            (a * b * c).sum(..)
        },
        &[0.3, 0.9],
    );
}

#[test]
fn a6_checkpoint_changes_no_derivative() {
    let f = |x: Array| (x.sin() * x.exp()).tanh();
    let g = checkpoint(f);
    let x = Array::from(0.4f64);
    close(grad(|x: Array| g(x))(x.clone()).item(), grad(f)(x.clone()).item());
    check(|x| checkpoint(|x: Array| (x.sin() * x.exp()).tanh())(x.clone()) * x, &[0.3, 0.9]);
    check(
        |x| {
            let body = |c: Array, w: Array| ((c * w).sin(), ());
            checkpoint(move |x: Array| scan(body, x, Array::from([0.5, 0.8, 1.1])).0)(x)
        },
        &[0.3, 0.9],
    );
}

#[test]
fn a6_custom_jvp_is_used_in_both_modes_and_to_any_order() {
    check(
        |x| {
            let cube =
                custom_jvp(|x: Array| &x * &x * x, |(x,): (Array,), (t,): (Array,)| (&x * &x * &x, &x * &x * 3.0 * t));
            cube(x.sin())
        },
        &[0.3, 0.9],
    );
    // The rule is what counts, not the function.
    let wrong = custom_jvp(|x: Array| x.sin(), |(x,): (Array,), (t,): (Array,)| (x.sin(), t * 7.0));
    assert_eq!(grad(wrong)(Array::from(0.3)).item::<f64>(), 7.0);
}

#[test]
fn a6_custom_vjp() {
    let f = custom_vjp(
        |x: Array, y: Array| x * y,
        |(x, y): (Array, Array)| (&x * &y, (x, y)),
        |(x, y): (Array, Array), ct: Array| (y * &ct * 2.0, x * ct * 3.0),
    );
    let (dx, dy) = grad(|x: Array, y: Array| f(x, y)).wrt(All)(Array::from(2.0), Array::from(5.0));
    assert_eq!((dx.item::<f64>(), dy.item::<f64>()), (10.0, 6.0));
    let xs = Array::from([1.0, 2.0]);
    let g = jit(vmap(grad(|x: Array, y: Array| f(x, y))))(xs.clone(), xs);
    assert_eq!(g.to_vec::<f64>(), [2.0, 4.0]);
    let e = try_run(|| jvp(|x: Array| f(x.clone(), x), (Array::from(1.0),), (Array::from(1.0),))).unwrap_err();
    assert!(e.to_string().contains("custom_vjp"), "{e}");
}

#[test]
fn a6_stop_gradient() {
    let g = grad(|x: Array| stop_gradient(x.sin()) * &x)(Array::from(0.5f64));
    close(g.item(), 0.5f64.sin());
}

#[test]
fn c2_fori_loop_is_at_the_users_place_on_a_tape() {
    let count = Array::from(3);
    let add = |i: Array, c: Array| c + i;
    let known = || fori_loop(0, 3, add, Array::from(0));
    let traced = || jit(|n: Array| fori_loop(0, n, add, Array::from(0)))(count.clone());
    for (_, tape) in [record(known), record(traced), Recorder::new().every_step().record(known)] {
        assert!(tape.nodes().any(|n| n.function() == "add"), "{tape}");
        for n in tape.nodes().filter(|n| !n.place().is_unknown()) {
            assert!(n.place().to_string().starts_with("crates/wengert/tests/control.rs:"), "{n}");
        }
    }
}
