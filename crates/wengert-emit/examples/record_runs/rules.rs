//! Calls inside of functions that are remembered less, have rules of their own, or solve equations: they are calls there too.

use super::{Body, layer, loss, rows, w, x};
use wengert::*;

/// A tracked function with two transforms inside.
#[track]
fn twisted(x: Array, w: Array) -> Array {
    let g = grad(|y: Array| layer(y, w.clone()).sum(..))(x.clone());
    jit(layer)(g, x)
}

/// The sine, with a rule whose two parts call staged functions.
fn staged_sine() -> Func<'static, (Array,), Array> {
    custom_jvp(
        |x: Array| jit(|y: Array| y.sin())(x),
        |(x,): (Array,), (t,): (Array,)| (jit(|y: Array| y.sin())(x.clone()), jit(|y: Array| y.cos())(x) * t),
    )
}

/// The same backward.
fn staged_sine_back() -> Func<'static, (Array,), Array> {
    custom_vjp(
        |x: Array| jit(|y: Array| y.sin())(x),
        |(x,): (Array,)| (jit(|y: Array| y.sin())(x.clone()), x),
        |x: Array, ct: Array| (layer(x.cos(), w()) * ct,),
    )
}

/// A batch that holds what is computed of an array inside of it.
#[track]
fn batched_sine(w: Array) -> Array {
    vmap(|s: Array| {
        let k = w.sin();
        s * k
    })(rows())
    .sum(0)
}

#[jit]
fn scaled(x: Array, by: usize) -> Array {
    (0..by).fold(x, |x, i| x.sin() * (i as f64))
}

/// Rules of a function that holds so many arrays.
fn of_arrays<const N: usize>() -> Vec<Array> {
    let held: Vec<Array> = (0..N).map(|i| (x() * (i as f64)).sin()).collect();
    let product = |x: &Array| held.iter().fold(x.clone(), |y, k| y * k);
    let f = custom_jvp(|x: Array| product(&x), |(x,): (Array,), (t,): (Array,)| (product(&x), product(&t)));
    let g = custom_vjp(|x: Array| product(&x), |(x,): (Array,)| (product(&x), ()), |(): (), ct: Array| (product(&ct),));
    vec![grad(|x: Array| total(f(x)))(x()), grad(|x: Array| total(g(x)))(x())]
}

fn total(x: Array) -> Array {
    x.sum(..)
}

pub const RULES: &[(&str, Body)] = runs! {
    staged_in_remembered: vec![checkpoint(|y: Array| jit(layer)(y, w()))(x()), grad(|x: Array| total(checkpoint(|y: Array| jit(layer)(y, w()))(x)))(x())];
    staged_in_remembered_with_held: { let k = x().sin(); vec![grad(|x: Array| { let s = x.cos(); total(checkpoint(|y: Array| jit(layer)(y * &k, s.clone()))(x)) })(x())] };
    tracked_in_remembered: vec![checkpoint(twisted)(x(), w()), grad(|x: Array| total(checkpoint(twisted)(x, w())))(x())];
    batched_in_remembered: vec![grad(|x: Array| total(checkpoint(|y: Array| vmap(|r: Array| layer(r, y.clone()))(rows()))(x)))(x())];
    gradient_in_remembered: vec![checkpoint(grad(loss))(x(), w()), jit(checkpoint(grad(loss)))(x(), w())];
    remembered_in_remembered: vec![grad(|x: Array| checkpoint(|y: Array| checkpoint(|z: Array| jit(loss)(z, w()))(y.sin()))(x))(x())];
    remembered_in_scan: vec![grad(|x: Array| total(scan(|c: Array, r: Array| (checkpoint(|y: Array| jit(layer)(y, r.clone()))(c), ()), x, rows()).0))(x())];
    scan_in_remembered: vec![grad(|x: Array| total(checkpoint(|y: Array| scan(|c: Array, r: Array| (jit(layer)(c, r), ()), y, rows()).0)(x)))(x())];
    branch_in_remembered: vec![grad(|x: Array| total(checkpoint(|y: Array| cond(y.sum(..).gt(0.0), |z: Array| jit(layer)(z, w()), |z: Array| z, y))(x)))(x())];
    remembered_in_batched: vec![vmap(|r: Array| checkpoint(|y: Array| twisted(y, x()))(r))(rows())];
    remembered_in_staged: vec![jit(|x: Array| checkpoint(|y: Array| twisted(y, x.cos()))(x.sin()))(x())];
    remembered_of_known: vec![grad(|x: Array| total(checkpoint(|y: Array| { let k = jit(layer)(w(), w()); jit(layer)(y, k) })(x)))(x())];
    remembered_twice: { let f = checkpoint(twisted); vec![f(x(), w()), f(w(), x()), grad(|x: Array| total(f(x, w())))(x())] };
    remembered_of_many: { let f = checkpoint(|x: Vec<Array>| x.into_iter().reduce(|a, b| jit(layer)(a, b)).expect("some")); vec![f((0..14).map(|i| x() * f64::from(i)).collect())] };
    remembered_gives_two: { let f = checkpoint(|x: Array, n: Array| (jit(layer)(x.clone(), w()), n, x)); let (a, n, b) = f(x(), Array::from(3)); vec![a, n, b] };
    remembered_gives_what_it_takes: vec![checkpoint(|x: Array| x)(x()), checkpoint(|x: Array| jit(|y: Array| y)(x))(x())];
    forward_of_remembered: { let (y, dy) = jvp(checkpoint(twisted), (x(), w()), (w(), x())); vec![y, dy] };
    pullback_in_remembered: vec![checkpoint(|y: Array| { let (v, back) = vjp(|z: Array| layer(z, w()), (y,)); back.pull(v).0 })(x())];
    staged_in_rule: vec![staged_sine()(x()), grad(|x: Array| total(staged_sine()(x)))(x())];
    staged_in_rule_of_batch: vec![vmap(|r: Array| staged_sine()(r))(rows()), grad(|x: Array| total(vmap(|r: Array| staged_sine()(r * &x))(rows())))(x())];
    staged_in_rule_of_staged: vec![jit(staged_sine())(x()), jit(grad(|x: Array| total(staged_sine()(x))))(x())];
    staged_in_backward_rule: vec![staged_sine_back()(x()), grad(|x: Array| total(staged_sine_back()(x)))(x())];
    staged_in_backward_rule_of_batch: vec![vmap(|r: Array| staged_sine_back()(r))(rows()), jit(grad(|x: Array| total(staged_sine_back()(x))))(x())];
    rule_with_held_calls: {
        let k = w().sin();
        let rule = |(x,): (Array,), (t,): (Array,)| (jit(layer)(x.clone(), k.clone()), jit(layer)(x, k.cos()) * t);
        let f = custom_jvp(|x: Array| jit(layer)(x, k.clone()), rule);
        vec![f(x()), grad(|x: Array| total(f(x)))(x())]
    };
    rule_with_held_of_gradient: vec![grad(|x: Array| {
        let s = x.sin();
        let rule = |(x,): (Array,), (t,): (Array,)| (jit(layer)(x.clone(), s.clone()), jit(layer)(x, s.clone()) * t);
        total(custom_jvp(|x: Array| jit(layer)(x, s.clone()), rule)(x.clone()))
    })(x())];
    backward_rule_with_held_calls: {
        let (k, m) = (w().sin(), w().cos());
        let f = custom_vjp(
            |x: Array| jit(layer)(x, m.clone()),
            |(x,): (Array,)| (jit(layer)(x.clone(), m.clone()), x),
            |x: Array, ct: Array| (jit(layer)(x, k.clone()) * ct,),
        );
        vec![f(x()), grad(|x: Array| total(f(x)))(x())]
    };
    rule_with_integers_calls: {
        let f = custom_jvp(
            |x: Array, n: Array| jit(|x: Array, n: Array| x * n)(x, n),
            |(x, n): (Array, Array), (t, _): (Array, Array)| (jit(|x: Array, n: Array| x * n)(x.clone(), n.clone()), t * n * 2.0),
        );
        vec![f(x(), Array::from(3)), grad(|x: Array| total(f(x, Array::from(3))))(x())]
    };
    rule_in_rule: {
        let f = custom_jvp(|x: Array| staged_sine()(x), |(x,): (Array,), (t,): (Array,)| (staged_sine()(x.clone()), t * jit(|y: Array| y.cos())(x)));
        vec![f(x()), grad(|x: Array| total(f(x)))(x())]
    };
    gradient_in_rule: {
        let f = custom_jvp(
            |x: Array| loss(x, w()),
            |(x,): (Array,), (t,): (Array,)| (loss(x.clone(), w()), total(grad(|y: Array| loss(y, w()))(x) * t)),
        );
        vec![f(x()), grad(|x: Array| f(x))(x()), vmap(|r: Array| f(r))(rows())]
    };
    batched_in_rule: {
        let f = custom_jvp(
            |x: Array| vmap(|r: Array| layer(r, x.clone()))(rows()),
            |(x,): (Array,), (t,): (Array,)| (vmap(|r: Array| layer(r, x.clone()))(rows()), vmap(|r: Array| r * &t)(rows())),
        );
        vec![f(x()), grad(|x: Array| total(f(x)))(x())]
    };
    // As many arrays as have another layout each.
    rules_of_five: of_arrays::<4>();
    rules_of_six: of_arrays::<5>();
    rules_of_seven: of_arrays::<6>();
    rules_of_eight: of_arrays::<7>();
    rules_of_nine: of_arrays::<8>();
    rules_of_ten: of_arrays::<9>();
    // Integers and booleans, held and given.
    rule_that_holds_an_integer: {
        let n = Array::from([1, 2]);
        let f = custom_jvp(|x: Array| x * &n, |(x,): (Array,), (t,): (Array,)| (x * &n, t * &n));
        vec![f(x()), grad(|x: Array| total(f(x)))(x()), jit(|x: Array| f(x))(x())]
    };
    backward_rule_that_holds_an_integer: {
        let n = Array::from([1, 2]);
        let f = custom_vjp(|x: Array| x * &n, |(x,): (Array,)| (x * &n, ()), |(): (), ct: Array| (ct * &n,));
        let g = custom_vjp(|x: Array| x.sin(), |(x,): (Array,)| (x.sin(), n.clone()), |n: Array, ct: Array| (ct * n,));
        let h = custom_vjp(|x: Array| x * &n, |(x,): (Array,)| (x * &n, ()), |(): (), ct: Array| (ct * 2.0,));
        vec![grad(|x: Array| total(f(x)))(x()), grad(|x: Array| total(g(x)))(x()), grad(|x: Array| total(h(x)))(x())]
    };
    backward_rule_given_an_integer: {
        let f = custom_vjp(|x: Array, n: Array| x * n, |(x, n): (Array, Array)| (x * n, ()), |(): (), ct: Array| (ct, Array::from(0)));
        vec![f(x(), Array::from(2)), grad(|x: Array| total(f(x, Array::from(2))))(x())]
    };
    backward_rule_given_a_bool: {
        let f = custom_vjp(
            |x: Array, on: Array| where_(on, x.clone(), -x),
            |(x, on): (Array, Array)| (where_(on.clone(), x.clone(), -x), on),
            |on: Array, ct: Array| (where_(on.clone(), ct.clone(), -ct), on),
        );
        vec![f(x(), Array::from([true, false])), grad(|x: Array| total(f(x, Array::from([true, false]))))(x())]
    };
    rule_that_uses_nothing_it_takes: {
        let (n, b) = (x().sin(), w());
        let y = custom_vjp(|_: Array| n.clone(), |(_,): (Array,)| (n.clone(), n.clone()), |_: Array, c: Array| (c * &b,))(n.clone());
        vec![y * 2.0]
    };
    // What loops hold that is known, with calls inside.
    known_gradient_in_loop: { let k = x(); vec![fori_loop(0, 3, |_: Array, c: Array| c * grad(|r: Array| total(layer(r, w())))(k.clone()), x())] };
    known_batch_in_loop: vec![fori_loop(0, 3, |_: Array, c: Array| c * vmap(layer)(rows(), rows()).sum(0), x())];
    known_remembered_in_loop: { let k = x(); vec![fori_loop(0, 3, |_: Array, c: Array| checkpoint(layer)(k.clone(), k.clone()) * c, x())] };
    known_rule_in_while: { let k = x(); vec![while_loop(|c: Array| c.sum(..).lt(9.0), |c: Array| c * 2.0 + staged_sine()(k.clone()), x())] };
    tracked_batch_of_known_in_scan: vec![scan(|c: Array, r: Array| (c * batched_sine(w()) + r, ()), x(), rows()).0];
    tracked_batch_of_known_in_branch: vec![cond(x().sum(..).gt(0.0), |c: Array| c * batched_sine(w()), |c: Array| c, x())];
    // Names of what is written where it is used, and loops whose derivative nothing needs.
    staged_with_number_in_batch: vec![scaled(x(), 1), vmap(|r: Array| scaled(r, 1))(rows()), scaled(rows(), 1)];
    loop_that_needs_no_derivative: {
        let count = |x: &Array| while_loop(|(n, _): (Array, Array)| n.lt(3), |(n, c): (Array, Array)| (n + 1, c * 2.0), (Array::from(0), x.clone()));
        let unused = grad(|x: Array| { count(&x); total(x) })(x());
        let stopped = grad(|x: Array| total(&x * stop_gradient(count(&x).1)))(x());
        vec![grad(|x: Array| total(count(&x).0 * &x))(x()), unused, stopped]
    };
    // What is computed of held arrays while something is traced.
    computed_of_held_in_staged_batch: { let k = x().sin(); vec![jit(vmap(|o: Array| k.sin() * o))(rows()), jit(grad(|o: Array| total(k.sin() * o)))(w())] };
    made_of_nothing_in_staged: { let k = x().sin(); let (y, n) = jit(|o: Array| (&k + o, Array::iota([2], 0, DType::I32)))(w()); vec![y, n] };
    calls_in_linear_solve: {
        let two = Array::from([2.0f32, 4.0]);
        let divide = jit(|b: Array, d: Array| b / d);
        let times = jit(|b: Array, d: Array| b * d);
        let solve = |b: Array| divide(b, two.clone());
        let f = |b: Array| lax::linear_solve(solve, |x: Array| times(x, two.clone()), Some(&solve), b);
        vec![f(x()), grad(|b: Array| total(f(b)))(x())]
    };
    calls_in_custom_linear_solve: {
        let (two, divide) = (Array::from([2.0f32, 4.0]), jit(|b: Array, d: Array| b / d));
        let solve = |_: &TreeFn<Array>, b: Array| divide(b, two.clone());
        let f = |b: Array| custom_linear_solve(|x: Array| jit(|y: Array, d: Array| y * d)(x, two.clone()), b, solve, Some(&solve));
        vec![f(x()), grad(|b: Array| total(f(b)))(x())]
    };
    calls_in_root: {
        let f = |a: Array| {
            let off = |x: Array| jit(|y: Array, a: Array| &y * &y - a)(x, a.clone());
            let newton = |f: &TreeFn<Array>, x: Array| fori_loop(0, 20, |_: Array, y: Array| &y - f(y.clone()) / (2.0 * &y), x);
            custom_root(off, a.ones_like(), newton, |g, y| &y / g(y.ones_like()))
        };
        vec![f(x()), grad(|a: Array| total(f(a)))(x()), vmap(f)(rows())]
    };
};
