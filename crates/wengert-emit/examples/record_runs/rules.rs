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
