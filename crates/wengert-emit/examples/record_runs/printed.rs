//! What prints, and ops of the user's own, in transforms, loops and branches.

use super::{Body, layer, mismatch, rows, square_op, w, x};
use wengert::*;

fn shown(x: Array) -> Array {
    debug_print("x = {:.2}, \"so\" {{and}}", &x).sin()
}

pub const PRINTED: &[(&str, Body)] = runs! {
    printed: { let y = debug_print("", &x()); let z = debug_print("{} of {{it}}", &y.sum(..)); vec![debug_print("at the end", &(y * z))] };
    printed_in_gradient: vec![grad(|x: Array| shown(x).sum(..))(x()), jvp(shown, (x(),), (w(),)).1];
    printed_in_staged: vec![jit(shown)(x()), jit(|x: Array| layer(shown(x), w()))(x())];
    printed_in_batched: vec![vmap(shown)(rows()), jit(vmap(grad(|x: Array| shown(x).sum(..))))(rows())];
    printed_in_scan: vec![scan(|c: Array, r: Array| (shown(c * r), ()), x(), rows()).0, scan(|c: Array, r: Array| (layer(shown(c), r), ()), x(), rows()).0];
    printed_in_branch: vec![cond(x().sum(..).gt(0.0), shown, |x: Array| x.cos(), x()), cond(x().sum(..).gt(0.0), |x: Array| layer(shown(x), w()), |x: Array| x.cos(), x())];
    printed_in_loop: vec![while_loop(|c: Array| debug_print("sum {}", &c.sum(..)).lt(5.0), |c: Array| shown(c) + 2.0, x())];
    printed_in_rule: vec![grad(|x: Array| custom_jvp(shown, |(x,): (Array,), (t,): (Array,)| (shown(x.clone()), debug_print("t {}", &t) * x.cos()))(x).sum(..))(x())];
    printed_in_pullback: { let (y, back) = vjp(shown, (x(),)); vec![back.pull(y).0] };
    op_of_the_users_in_staged: vec![jit(|x: Array| square_op(&x) * 2.0)(x()), jit(grad(|x: Array| square_op(&x).sum(..)))(x())];
    op_of_the_users_in_batched: vec![vmap(|x: Array| square_op(&x).sum(..))(rows()), jit(vmap(|x: Array| square_op(&x).sum(..)))(rows())];
    op_of_the_users_in_scan: vec![scan(|c: Array, r: Array| (square_op(&c) * r * 0.1, ()), x(), rows()).0];
};

pub const PRINTED_THAT_FAIL: &[(&str, Body)] = runs! {
    failed_after_printed: vec![mismatch(shown(x()))];
    failed_after_printed_in_gradient: vec![grad(|x: Array| mismatch(shown(x)).sum(..))(x())];
    failed_after_printed_in_staged: vec![jit(grad(|x: Array| mismatch(shown(x)).sum(..)))(x())];
    failed_after_printed_in_scan: vec![scan(|c: Array, x: Array| (mismatch(shown(c * x)), ()), x(), rows()).0];
};
