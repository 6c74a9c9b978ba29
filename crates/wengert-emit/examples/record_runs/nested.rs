//! More functions in functions: trees, tracked functions, rules and solvers that use arrays of what is around them.

use super::{Body, Params, clipped, halved, layer, loss, params, predict, root_of, rows, slow_sine, w, x};
use wengert::*;

fn scale() -> Array {
    Array::from(1.3f32)
}

/// Uses what it is given in a batch of its own.
#[track]
fn batched_layer(x: Array, w: Array) -> Array {
    vmap(|r: Array| layer(r, w.clone()) * &x)(rows()).sum(0)
}

/// A gradient inside of a tracked function.
#[track]
fn slope(x: Array, w: Array) -> Array {
    grad(|y: Array| (&y * &x * y.sin() * &w).sum(..))(w.clone())
}

/// What the host gives decides what is done.
#[track]
fn chosen_by_host(x: Array, k: f64, name: &str) -> Array {
    let y = x * k;
    if name.len() > 2 { layer(y.clone(), y) } else { y }
}

/// A gradient in a gradient in a gradient, each in what the one around it was given.
fn deep(x: Array, n: u32) -> Array {
    if n == 0 { x.sum(..) } else { grad(|y: Array| deep(&y * &x, n - 1))(x.sin()).sum(..) }
}

pub const NESTED: &[(&str, Body)] = runs! {
    tree_in_batched_in_gradient: {
        let g = grad(|p: Params| vmap(|r: Array| predict(&p, &r.reshape([1, 2])).sum(..))(rows()).sum(..))(params());
        vec![g.weight, g.bias]
    };
    tree_in_staged_in_gradient: {
        let g = grad(|p: Params| jit(|r: Array| predict(&p, &r).sin().sum(..))(rows()))(params());
        vec![g.weight, g.bias]
    };
    tracked_with_batch_inside: vec![batched_layer(x(), w()), grad(|x: Array| batched_layer(x, w()).sum(..))(x())];
    tracked_with_gradient_inside: vec![slope(x(), w()), jvp(|x: Array| slope(x, w()), (x(),), (w(),)).1, jit(slope)(x(), w())];
    tracked_with_gradient_in_batched: vec![vmap(|r: Array| slope(r, w()))(rows())];
    tracked_same_twice: { let a = x(); vec![slope(a.clone(), a.clone()), batched_layer(a.clone(), a.clone()), layer(a.clone(), a)] };
    chosen_by_host: vec![chosen_by_host(x(), 2.5, "abc"), chosen_by_host(x(), 0.5, "a"), grad(|x: Array| chosen_by_host(x, 1.5, "xyz").sum(..))(x())];
    deep_gradient: vec![deep(x(), 3)];
    ones_twice: { let (a, b) = grad(|x: Array, y: Array| layer(x.sin(), y).sum(..)).wrt(All)(x().ones_like(), x().ones_like()); vec![a, b] };
    rule_in_batched_in_gradient: vec![grad(|x: Array| vmap(|y: Array| slow_sine()(&x * y))(rows()).sum(..))(x())];
    clipped_in_batched_in_gradient: vec![grad(|x: Array| vmap(|y: Array| clipped()(&x * y) * &x)(rows()).sum(..))(x())];
    system_in_batched_in_gradient: vec![grad(|x: Array| vmap(|y: Array| halved(&x * y))(rows()).sum(..))(x())];
    root_in_gradient_with_held: vec![grad(|x: Array| { let k = x.cos(); (root_of(x.clone()) * &k).sum(..) })(x())];
    switch_with_held: vec![grad(|x: Array| { let s = x.sin(); switch(1, &[&|y: Array| &y * &s, &|y: Array| &y * &x, &|y: Array| -y], w()).sum(..) })(x())];
    branch_in_batched_with_held: vec![grad(|x: Array| vmap(|y: Array| cond(y.sum(..).gt(4.0), |z: Array| layer(z, x.clone()), |z: Array| z * &y, y.clone()))(rows()).sum(..))(x())];
    loop_in_batched_with_held: vec![vmap(|y: Array| fori_loop(0, 3, |_: Array, c: Array| layer(c, y.clone()) + &y, w()))(rows())];
    while_in_staged_with_held: vec![jit(|x: Array| while_loop(|c: Array| (&c * &x).sum(..).lt(20.0), |c: Array| c * 2.0 + vmap(|z: Array| z * x.sum(..))(x.clone()), w()))(x())];
    scan_of_scan_with_held: vec![grad(|x: Array| scan(|c: Array, y: Array| (scan(|d: Array, z: Array| (layer(d * &c, &y * &x) + z, ()), w(), y.clone()).0, ()), w(), rows()).0.sum(..))(x())];
    batched_by_axis_with_held: vec![grad(|x: Array| vmap(|y: Array, k: Array| (&x * y.sum(..) * k).sum(..)).in_axes([Some(1), None])(rows(), x.sin()).sum(..))(x())];
    batched_with_number_of_host: { let n = 3; vec![grad(|x: Array| vmap(|y: Array| &x * y * f64::from(n))(rows()).sum(..))(x())] };
    linear_with_held: { let a = x().sin(); let (y, f) = linearize(|x: Array| vmap(|r: Array| (&x * r * &a).sum(..))(rows()), (x(),)); vec![y, f.apply((a.clone(),))] };
    pullback_with_held_twice: { let a = x().sin(); let (y, back) = vjp(|x: Array, w: Array| (&x * w * &a, &x * &a), (a.clone(), a.clone())); let (p, q) = back.pull(y); vec![p, q] };
    value_and_gradient_with_held: { let a = x().cos(); let (v, g) = value_and_grad(|x: Array| vmap(|r: Array| loss(r, &x * &a))(rows()).sum(..))(a.clone()); vec![v, g] };
    gradient_in_two_with_held: { let a = scale(); let (p, q) = grad(|x: Array, y: Array| (vmap(|r: Array| (&x * r * &y * &a).sum(..))(rows())).sum(..)).wrt(All)(x(), w()); vec![p, q] };
    jacobians_with_held_in_batched: vec![vmap(|y: Array| jacfwd(|x: Array| (&x * &y).sin())(x()))(rows()), vmap(|y: Array| jacrev(|x: Array| (&x * &y).sin())(y.clone()))(rows())];
    hessian_with_held_in_gradient: vec![grad(|x: Array| (hessian(|y: Array| (&y * &y * &x).sin().sum(..))(w()) * &x).sum(..))(x())];
    staged_in_staged_in_gradient: vec![grad(|x: Array| jit(|y: Array| jit(|z: Array| &z * &y * &x)(w()).sum(..))(x.sin()))(x())];
    staged_in_batched_in_staged: vec![jit(|x: Array| vmap(|y: Array| jit(|z: Array| z * &y * &x)(w()))(rows()))(x())];
    remembered_with_held: vec![grad(|x: Array| { let s = x.sin(); checkpoint(|y: Array| (y * &s * &x).sin().sum(..))(w()) })(x())];
    mapped_with_held: vec![grad(|x: Array| map(|r: Array| layer(r, x.clone()), rows()).sum(..))(x())];
    associative_with_held: vec![vmap(|y: Array| associative_scan(|a: Array, b: Array| a * b * 0.5, &y + 1.0, false))(rows())];
    integers_held: { let k = Array::from([1, 0]); vec![grad(|x: Array| vmap(|r: Array| r.take(&k, 0) * &x)(rows()).sum(..))(x())] };
    result_is_what_is_held: vec![grad(|x: Array| vmap(|_: Array| x.clone())(rows()).sum(..))(x())];
    nothing_mapped_used: vec![vmap(|_: Array| w().sin())(rows()), grad(|x: Array| vmap(|_: Array| &x * &x)(rows()).sum(..))(x())];
};

pub const NESTED_THAT_FAIL: &[(&str, Body)] = runs! {
    failed_in_batched_in_gradient: vec![grad(|x: Array| vmap(|y: Array| super::mismatch(&x * y))(rows()).sum(..))(x())];
    failed_in_staged_in_gradient: vec![grad(|x: Array| jit(|y: Array| super::mismatch(&x * y).sum(..))(w()))(x())];
    failed_in_scan_in_gradient: vec![grad(|x: Array| scan(|c: Array, y: Array| (super::mismatch(c * &x * y), ()), w(), rows()).0.sum(..))(x())];
    failed_in_gradient_of_passed: { let a = x().sin(); vec![grad(|x: Array| (super::mismatch(x * &a)).sum(..))(a.clone())] };
    // Nothing of the function ran.
    tangents_that_differ: vec![jvp(|x: Array| x.sin(), (x(),), (rows(),)).1];
    tangents_of_two_that_differ: vec![jvp(|x: Array, y: Array| x * y, (x(), w()), (w(), rows())).1];
    value_and_gradient_in_integer: vec![value_and_grad(|x: Array| x.sum(..))(Array::from([1, 2])).1];
    gradient_in_two_integers: vec![grad(|x: Array, y: Array| (x * y).sum(..)).wrt(All)(Array::from([1, 2]), w()).0];
    batch_of_two_sizes_in_gradient: vec![grad(|x: Array| vmap(|a: Array, b: Array| (a * b).sum(..))(rows(), x).sum(..))(x())];
    // An operator fails otherwise than the op.
    op_of_two_types: vec![jit(|x: Array| lax::add(&x, &x.to(DType::I32)))(x())];
    op_of_two_shapes: vec![lax::mul(&x(), &rows())];
    slice_that_ends_outside: vec![jit(|x: Array| lax::slice(&x, &[1], &[9], &[1]))(x())];
    failed_in_batched_in_batched: vec![vmap(|x: Array| vmap(|y: Array| super::mismatch(&x * y))(rows()))(rows())];
};
