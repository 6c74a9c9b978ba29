//! Functions that use arrays of the functions around them, in transforms, loops and branches that lie in each other.

use super::{Body, layer, loss, many, rows, w, x};
use wengert::*;

fn one() -> Array {
    Array::from(0.7f32)
}

pub const CAPTURES: &[(&str, Body)] = runs! {
    // Two deep: what the inner function uses is a variable of the outer one.
    batched_in_gradient: vec![grad(|x: Array| vmap(|y: Array| &x * y)(rows()).sum(..))(x())];
    batched_in_gradient_of_sine: vec![grad(|x: Array| { let s = x.sin(); vmap(|y: Array| &s * y)(rows()).sum(..) })(x())];
    batched_in_forward: { let (y, dy) = jvp(|x: Array| vmap(|y: Array| (&x * y).sum(..))(rows()), (x(),), (w(),)); vec![y, dy] };
    batched_in_pullback: { let (y, back) = vjp(|x: Array| vmap(|y: Array| &x * y)(rows()), (x(),)); vec![back.pull(y).0] };
    batched_in_batched: vec![vmap(|x: Array| vmap(|y: Array| &x * y)(rows()))(rows())];
    batched_in_staged: vec![jit(|x: Array| vmap(|y: Array| &x * y)(rows()))(x())];
    batched_in_staged_gradient: vec![jit(grad(|x: Array| vmap(|y: Array| &x * y)(rows()).sum(..)))(x())];
    gradient_in_batched: vec![vmap(|y: Array| grad(|x: Array| (&x * &x * &y).sum(..))(x()))(rows())];
    gradient_in_gradient: vec![grad(|x: Array| { let g = grad(|z: Array| (&z * &z * &x).sum(..))(w()); (g * &x).sum(..) })(x())];
    staged_in_gradient: vec![grad(|x: Array| jit(|y: Array| (&x * y).sum(..))(w()))(x())];
    staged_in_gradient_of_sine: vec![grad(|x: Array| { let s = x.sin(); jit(|y: Array| (&s * y * &x).sum(..))(w()) })(x())];
    staged_in_forward: { let (y, dy) = jvp(|x: Array| jit(|y: Array| &x * y)(w()), (x(),), (w(),)); vec![y, dy] };
    staged_in_batched: vec![vmap(|x: Array| jit(|y: Array| &x * y)(w()))(rows())];
    staged_with_more_in_gradient: { let k = w().cos(); vec![grad(|x: Array| jit(|y: Array| (&x * y * &k).sum(..))(w()))(x())] };
    staged_twice_in_gradient: vec![grad(|x: Array| { let f = jit(|y: Array| (&x * y).sum(..)); f(w()) + f(x.cos()) })(x())];
    forward_in_batched: vec![vmap(|y: Array| jvp(|x: Array| (&x * &y).sin(), (x(),), (w(),)).1)(rows())];
    scan_in_gradient: vec![grad(|x: Array| scan(|c: Array, y: Array| (layer(c * &x, y), ()), w(), rows()).0.sum(..))(x())];
    scan_in_batched: vec![vmap(|x: Array| scan(|c: Array, y: Array| (c * &x + y, ()), w(), rows()).0)(rows())];
    branch_in_gradient: vec![grad(|x: Array| cond(x.sum(..).gt(0.0), |y: Array| layer(y, x.clone()), |y: Array| y * &x, w()).sum(..))(x())];
    loop_in_gradient: { let f = |x: Array| while_loop(|c: Array| c.sum(..).lt(5.0), |c: Array| layer(c, x.clone()) + 2.0, w()); vec![jvp(f, (x(),), (w(),)).1] };
    gradient_in_scan: vec![scan(|c: Array, y: Array| (grad(|z: Array| (&z * &z * &y).sum(..))(c), ()), w(), rows()).0];
    batched_in_scan: vec![scan(|c: Array, y: Array| (vmap(|z: Array| (&c * z + &y).sum(..))(w().reshape([2, 1])), ()), w(), rows()).0];
    staged_in_scan: vec![scan(|c: Array, y: Array| (jit(|z: Array| &c * z + &y)(w()), ()), w(), rows()).0];
    batched_in_branch: vec![cond(x().sum(..).gt(0.0), |y: Array| vmap(|z: Array| (&y * z).sum(..))(rows()), |y: Array| rows().sum(1) * y.sum(..), x())];
    // Captured and passed, captured twice, passed twice.
    passed_and_captured: { let a = x(); vec![grad(|x: Array| (x * &a).sum(..))(a.clone())] };
    passed_and_captured_of_run: { let a = x().sin(); vec![grad(|x: Array| (x * &a).sum(..))(a.clone())] };
    passed_and_captured_in_batched: { let a = x(); vec![grad(|x: Array| vmap(|y: Array| (&x * y * &a).sum(..))(rows()).sum(..))(a.clone())] };
    passed_and_captured_in_forward: { let a = x().cos(); let (y, dy) = jvp(|x: Array| x * &a, (a.clone(),), (a.clone(),)); vec![y, dy] };
    passed_and_captured_in_scan: { let a = x().sin(); vec![scan(|c: Array, y: Array| (layer(c, y) * &a, ()), a.clone(), rows()).0] };
    passed_and_captured_in_loop: { let a = x().sin(); vec![while_loop(|c: Array| c.sum(..).lt(9.0), |c: Array| c * 2.0 + &a, a.clone())] };
    passed_and_captured_in_staged: vec![grad(|x: Array| { let a = x.sin(); jit(|y: Array| (y * &a).sum(..))(a.clone()) })(x())];
    passed_twice: { let a = x(); let (p, q) = grad(|x: Array, y: Array| (&x * &x * y).sum(..)).wrt(All)(a.clone(), a.clone()); vec![p, q] };
    passed_twice_of_run: { let a = x().sin(); vec![grad(|x: Array, y: Array| (x.sin() * y).sum(..))(a.clone(), a)] };
    captured_at_two_levels: vec![grad(|x: Array| { let s = x.sin(); vmap(|y: Array| &x * (&s + vmap(|z: Array| z * &x)(y.reshape([2, 1])).sum(0)))(rows()).sum(..) })(x())];
    captured_and_given_back: { let a = x().sin(); let f = |y: Array| (a.clone(), y * &a); let (p, q) = vmap(f).out_axes_at([("0", None)])(rows()); vec![p, q] };
    // Three deep.
    gradient_of_batched_gradient: vec![grad(|x: Array| vmap(|y: Array| grad(|z: Array| (&z * &z * &x * &y).sum(..))(w()))(rows()).sum(..))(x())];
    gradient_of_batched_staged: vec![grad(|x: Array| vmap(|y: Array| jit(|z: Array| (&x * &y * z).sum(..))(w()))(rows()).sum(..))(x())];
    gradient_of_staged_batched: vec![grad(|x: Array| jit(|k: Array| vmap(|y: Array| &x * y * &k)(rows()).sum(..))(w()))(x())];
    batched_gradient_of_batched: vec![vmap(|a: Array| grad(|x: Array| vmap(|y: Array| &x * y * &a)(rows()).sum(..))(x()))(rows())];
    gradient_of_scan_of_batched: vec![grad(|x: Array| scan(|c: Array, y: Array| (vmap(|z: Array| (&c * z * &x + &y).sum(..))(y.reshape([2, 1])), ()), w(), rows()).0.sum(..))(x())];
    batched_scan_of_gradient: vec![vmap(|a: Array| scan(|c: Array, y: Array| (grad(|z: Array| (&z * &z * &y * &a).sum(..))(c), ()), w(), rows()).0)(rows())];
    third_gradient_with_held: { let f = |x: Array| grad(|y: Array| grad(|z: Array| (&x * &y * &z).sin() * &x)(one()) * &y)(one()); vec![grad(f)(one())] };
    hessian_of_batched: vec![hessian(|x: Array| vmap(|y: Array| (&x * y).sin().sum(..))(rows()).sum(..))(x())];
    jacobian_of_batched: vec![jacfwd(|x: Array| vmap(|y: Array| (&x * y).sum(..))(rows()))(x()), jacrev(|x: Array| vmap(|y: Array| (&x * y).sum(..))(rows()))(x())];
    staged_of_everything: vec![jit(|x: Array| grad(|w: Array| vmap(|y: Array| cond(y.sum(..).gt(4.0), |z: Array| &z * &x * &w, |z: Array| z * &w, y))(rows()).sum(..))(w()))(x())];
    tracked_in_batched_gradient: vec![grad(|x: Array| vmap(|y: Array| loss(y, x.clone()))(rows()).sum(..))(x())];
    known_in_scan_in_remembered: { let k = w().sin(); vec![grad(|x: Array| checkpoint(|y: Array| scan(|c: Array, r: Array| (c * &k * r, ()), y, rows()).0)(x).sum(..))(x())] };
    known_inside_remembered: vec![grad(|x: Array| checkpoint(|y: Array| { let k = w().sin(); scan(|c: Array, r: Array| (c * &k * r, ()), y, rows()).0 })(x).sum(..))(x())];
    known_in_step_in_remembered: { let k = w().sin(); vec![grad(|x: Array| checkpoint(|y: Array| scan(|c: Array, r: Array| { let s = &k * 2.0; (c * s * r, ()) }, y, rows()).0)(x).sum(..))(x())] };
    remembered_in_gradient: vec![grad(|x: Array| vmap(|y: Array| checkpoint(|z: Array| (z * &x).sin().sum(..))(y))(rows()).sum(..))(x())];
    // More arrays than a function of Rust takes one by one.
    many_leaves: {
        let parts = |n: usize| -> Vec<Array> { (0..n).map(|i| many(3) * (i as f64)).collect() };
        let sum = |x: Vec<Array>| x.into_iter().reduce(|a, b| a.sin() + b).expect("some");
        let all = parts(15);
        let y = jit(sum)(all.clone());
        let (z, dz) = jvp(sum, (all[..13].to_vec(),), (parts(13),));
        vec![y, z, dz, all[0].cos()]
    };
    given_away_after_batched: { let a = x().sin(); let y = vmap(|r: Array| r * &a)(rows()); vec![y, layer(a, w())] };
    given_back_after_batched: { let a = x().sin(); let y = vmap(|r: Array| r * &a)(rows()); vec![y, a] };
    known_in_gradient_after_batched: { let a = x().sin(); let y = vmap(|r: Array| r * &a)(rows()); vec![y, grad(|a: Array| a.sin().sum(..))(a)] };
    recording_inside: { let (y, _) = record(|| Array::from([3.0f32, 4.0]).sin()); vec![y * 2.0] };
};
