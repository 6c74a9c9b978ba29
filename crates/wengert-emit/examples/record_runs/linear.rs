//! Linear parts of functions, and functions that pull back: of loops and branches, called twice, batched, staged.

use super::{Body, rows, w, x};
use wengert::*;

/// A scan over rows.
fn scanned(x: Array) -> Array {
    scan(|c: Array, r: Array| ((c * r).sin(), ()), x, rows()).0
}

/// A loop whose steps are not known before.
fn repeated(x: Array) -> Array {
    while_loop(|c: Array| c.sum(..).lt(9.0), |c: Array| c * 1.5 + 0.5, x)
}

fn chosen(x: Array) -> Array {
    cond(x.sum(..).gt(0.0), |x: Array| x.sin(), |x: Array| x.cos(), x)
}

fn linear(f: fn(Array) -> Array) -> Vec<Array> {
    let (y, l) = linearize(f, (x(),));
    vec![y, l.apply((w(),)), l.apply((x(),))]
}

fn pulled(f: fn(Array) -> Array) -> Vec<Array> {
    let (y, back) = vjp(f, (x(),));
    vec![y, back.pull(w()).0, back.pull(x()).0]
}

fn batched(f: fn(Array) -> Array) -> Vec<Array> {
    let (_, l) = linearize(f, (x(),));
    let (_, back) = vjp(f, (x(),));
    vec![vmap(|t: Array| l.apply((t,)))(rows()), vmap(|t: Array| back.pull(t).0)(rows())]
}

fn staged(f: fn(Array) -> Array) -> Vec<Array> {
    let (_, l) = linearize(f, (x(),));
    let (_, back) = vjp(f, (x(),));
    vec![jit(|t: Array| l.apply((t,)))(w()), jit(|t: Array| back.pull(t).0)(w())]
}

fn inside(f: fn(Array) -> Array) -> Vec<Array> {
    let at = move |x: Array| linearize(f, (x,)).1.apply((w(),));
    let back = move |x: Array| vjp(f, (x,)).1.pull(w()).0;
    vec![
        jit(at)(x()),
        vmap(at)(rows()),
        jit(back)(x()),
        vmap(back)(rows()),
        jvp(at, (x(),), (w(),)).1,
        grad(move |x: Array| back(x).sum(..))(x()),
    ]
}

pub const LINEAR: &[(&str, Body)] = runs! {
    linear_scan: linear(scanned);
    linear_branch: linear(chosen);
    pulled_loop: pulled(repeated);
    pulled_branch: pulled(chosen);
    linear_batched_scan: batched(scanned);
    linear_batched_loop: batched(repeated);
    linear_staged_scan: staged(scanned);
    linear_staged_loop: staged(repeated);
    linear_inside_scan: inside(scanned);
    linear_inside_loop: inside(repeated);
    linear_in_scan: { let (_, l) = linearize(scanned, (x(),)); vec![scan(|c: Array, r: Array| (l.apply((c * r,)), ()), w(), rows()).0] };
    linear_in_loop: { let (_, l) = linearize(|x: Array| x.sin(), (x(),)); vec![while_loop(|c: Array| c.sum(..).gt(0.01), |c: Array| l.apply((c,)), x())] };
    linear_in_branch: { let (_, l) = linearize(scanned, (x(),)); vec![cond(x().sum(..).gt(0.0), |t: Array| l.apply((t,)), |t: Array| t * 2.0, w())] };
    linear_in_gradient: { let (_, l) = linearize(scanned, (x(),)); vec![grad(|t: Array| (l.apply((t,)) * w()).sum(..))(w())] };
    linear_of_held_in_gradient: vec![grad(|x: Array| { let (y, l) = linearize(|z: Array| (z * &x).sin(), (w(),)); (y + l.apply((x.clone(),))).sum(..) })(x())];
    transposed_scan: { let f = |x: Array| scan(|c: Array, r: Array| (&c * &r, c * r), x, rows()); let back = linear_transpose(f, (x(),)); vec![back((w(), rows())).0] };
};
