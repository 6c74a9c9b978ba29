//! Bodies of loops and branches that compute with arrays which are known outside of them.

use super::{Body, layer, rows, w, x};
use wengert::*;

/// Steps of a loop that carries an array.
fn steps(f: impl Fn(Array) -> Array, init: Array) -> Array {
    scan_with(&ScanOptions { length: Some(4), ..Default::default() }, |c: Array, (): ()| (f(c), ()), init, ()).0
}

pub const BODIES: &[(&str, Body)] = runs! {
    known_in_scan: { let k = x().sin(); vec![steps(|c| c * (&k * 3.0), w())] };
    known_in_scan_with_more: { let k = x().sin(); vec![steps(|c| c * (&k * 3.0) + Array::iota([2], 0, DType::F32) * k.cos(), w())] };
    known_in_scan_given_back: { let k = x().sin(); let (c, y) = scan(|c: Array, y: Array| (c + k.exp(), y * (&k * 3.0)), w(), rows()); vec![c, y] };
    known_in_unrolled_scan: { let k = x().sin(); let o = ScanOptions { unroll: 2, ..Default::default() }; vec![scan_with(&o, |c: Array, y: Array| (c * (&k * 3.0) + y, ()), w(), rows()).0] };
    known_in_counted_loop: { let k = x().sin(); vec![fori_loop(0, 4, |i, c: Array| c * (&k * 3.0).cos() + i.to(DType::F32), w())] };
    known_in_loop_and_condition: { let k = x().cos(); vec![while_loop(|c: Array| c.sum(..).lt((&k * &k).sum(..) + 9.0), |c: Array| c + (&k * 0.5).exp(), w())] };
    known_in_branches: { let k = x().sin(); vec![cond(k.sum(..).gt(0.0), |c: Array| c * (&k * 3.0), |c: Array| c - k.exp(), w())] };
    known_in_switch: { let k = x().sin(); vec![switch(k.sum(..).to(DType::I32), &[&|c: Array| c * k.cos(), &|c: Array| c + k.exp(), &|_| &k + 1.0], w())] };
    known_in_branch_in_scan: { let k = x().sin(); vec![steps(|c| cond(c.sum(..).gt(1.0), |c: Array| c * (&k * 0.5), |c: Array| c + k.exp(), c), w())] };
    known_two_loops_deep: { let k = x().sin(); vec![steps(|c| steps(|d| d * (&k * 0.5).cos() + &c, &c * (&k + 1.0)), w())] };
    known_loop_in_loop: { let k = x().sin(); vec![steps(|c| c * steps(|d| d * k.cos(), &k * 2.0), w())] };
    known_in_linear_solve: { let k = x().abs(); let solve = |f: &TreeFn<Array>, b: Array| steps(|y| &y + (&b - f(y.clone())) / (&k + 4.0), b.clone()); vec![custom_linear_solve(|y: Array| y * (&k + 4.0), w(), solve, Some(&solve))] };
    known_in_root: { let k = x().abs(); let newton = |f: &TreeFn<Array>, y: Array| steps(|y| &y - f(y.clone()) / (2.0 * &y), y); vec![custom_root(|y: Array| &y * &y - (&k + 1.0), x(), newton, |g, y| y / g(Array::ones([2], DType::F32)))] };
    known_in_scan_in_batched: { let k = x().sin(); vec![vmap(|y: Array| steps(|c| c * (&k * 3.0).sum(..), y))(rows())] };
    known_in_scan_in_gradient: { let k = x().sin(); vec![grad(|y: Array| steps(|c| c * (&k * 3.0), y).sum(..))(w())] };
    known_in_scan_in_staged: { let k = x().sin(); vec![jit(|y: Array| steps(|c| c * (&k * 3.0), y))(w())] };
    made_beside_known_in_staged: { let k = x().sin(); vec![jit(|y: Array| steps(|c| c * Array::from(2.0f32).broadcast_to([2]) * &k, y))(w())] };
    drawn_beside_known_in_staged: { let k = x().sin(); vec![jit(|y: Array| steps(|c| c + random::normal(&random::key(3), [2], DType::F32) * &k, y))(w())] };
    known_of_gradient_in_scan: vec![grad(|y: Array| { let k = y.sin(); steps(|c| c * (&k * 3.0), w()).sum(..) })(x())];
    known_in_scan_in_batched_gradient: { let k = x().sin(); vec![vmap(grad(|y: Array| steps(|c| c * k.cos().sum(..), y).sum(..)))(rows())] };
    known_with_function_in_scan: { let k = x().sin(); vec![steps(|c| layer(c, &k * 3.0), w())] };
    known_given_to_function_in_scan: { let k = x().sin(); vec![steps(|c| c * layer(k.clone(), w()), w())] };
    known_softmax_in_scan: { let k = x().sin(); vec![steps(|c| c * k.softmax(-1) + k.mean(..), w())] };
    known_staged_in_scan: { let (k, f) = (x().sin(), jit(|k: Array| k * 3.0)); vec![steps(|c| c * f(k.clone()), w())] };
    known_gradient_in_scan: { let k = x().sin(); vec![steps(|c| c * grad(|k: Array| (k.sin() * &k).sum(..))(k.clone()), w())] };
    known_batched_in_scan: { let k = x().sin(); vec![steps(|c| c * vmap(|k: Array| k.sin() * 3.0)(k.clone()), w())] };
    known_in_batched_in_scan: { let k = x().sin(); vec![steps(|c| vmap(|y: Array| y * (&k * 3.0).sum(..))(c), w())] };
    known_gradient_with_carry_in_scan: { let k = x().sin(); vec![steps(|c| grad(|k: Array| (k.sin() * &c).sum(..))(k.clone()), w())] };
    known_batched_with_carry_in_scan: { let k = x().sin(); vec![steps(|c| vmap(|k: Array| &k * &c * k.sin())(k.clone()).sum(0), w())] };
};
