//! Ops over named axes.

use super::{Body, layer, many, rows, square, w, x};
use wengert::*;

fn shared(x: Array) -> Array {
    &x / psum(x.exp(), "rows") + pmean(&x, "rows")
}

pub const NAMED: &[(&str, Body)] = runs! {
    axes: {
        let f = |r: Array| (pmax(&r, "i") - pmin(&r, "i"), all_gather(&r, "i"), ppermute(&r, "i", &[(0, 1), (1, 2)]), r.sum(..) + axis_index("i"));
        let (a, b, c, d) = vmap(f).axis_name("i")(rows());
        let (e, g) = vmap(|r: Array| (psum_scatter(&r, "i"), all_to_all(&r, "i"))).axis_name("i")(square());
        vec![a, b, c, d, e, g]
    };
    axis_in_transforms: vec![
        jit(vmap(shared).axis_name("rows"))(rows()),
        grad(|x: Array| vmap(shared).axis_name("rows")(x).sum(..))(rows()),
        vmap(grad(|x: Array| shared(x).sum(..))).axis_name("rows")(rows()),
        jvp(vmap(shared).axis_name("rows"), (rows(),), (rows(),)).1,
    ];
    axis_in_control: {
        let looped = |r: Array| fori_loop(0, 3, |_: Array, c: Array| layer(c, shared(r.clone())), r.clone());
        let chosen = |r: Array| cond(x().sum(..).gt(0.0), |r: Array| psum(r, "rows"), |r: Array| r * 2.0, r);
        vec![vmap(looped).axis_name("rows")(rows()), vmap(chosen).axis_name("rows")(rows())]
    };
    axes_in_axes: vec![
        vmap(|a: Array| vmap(|b: Array| psum(&b * &a, "inner") + psum(a.sum(..) + b, "outer")).axis_name("inner")(w())).axis_name("outer")(rows()),
        vmap(|a: Array| vmap(|b: Array| psum(b, "i")).axis_name("i")(many(3)) + psum(a, "i").sum(..)).axis_name("i")(rows()),
    ];
    axis_of_size: vec![vmap(|x: Array| x + axis_index("the \"i\"")).in_axes([None]).axis_name("the \"i\"").axis_size(3)(Array::from(10))];
};
