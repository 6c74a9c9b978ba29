//! Kinds of values: the same array twice, numbers of the host beside arrays, arrays of other threads, static arguments, no
//! elements, scalars of every type.

use super::going_on::on_a_thread;
use super::{Body, Params, layer, mismatch, params, predict, rows, w, x};
use wengert::*;

/// An op of the user's with two operands.
#[derive(Debug)]
struct Product;

impl custom::CustomOp for Product {
    fn name(&self) -> &str {
        "test.product"
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let like = |i: usize| Array::from_tensor(Tensor::zeros(&x[i]));
        Some(Ok(make_program(|x: Array, y: Array| x.sin() * y, (like(0), like(1)))))
    }
}

fn product_op(x: &Array, y: &Array) -> Array {
    custom::apply(Product, &[x, y]).remove(0)
}

fn two(a: Array, b: Array) -> Array {
    (a * 2.0).sin() + b
}

fn no_rows() -> Array {
    Array::from_vec([0, 2], Vec::<f32>::new())
}

/// An array, and a number of the host that is made of what it was given.
#[track]
fn with_size(x: Array) -> (Array, f64) {
    let v: f64 = x.sum(..).to(DType::F64).item();
    (x.cos(), v * 2.0)
}

#[track]
fn size(x: Array) -> f64 {
    f64::from(x.sum(..).item::<f32>()) * 2.0
}

/// The number that it was given comes between arrays, with one that it counted.
#[track]
fn with_given(x: Array, n: f64) -> (Array, f64, Array, i64) {
    let mut count = 0;
    for i in 0..3 {
        count += i;
    }
    let y = x.sin() * n;
    (y, n, x.cos(), count)
}

/// What it gives besides an array leaves it.
#[track]
fn pulled_later(x: Array, k: Array) -> (Array, Pullback<(Array,), Array>) {
    let scaled = x * k.cos();
    vjp(|x: Array| (x.sin() * &k).sum(..), (scaled,))
}

#[track]
fn pulled_even_later(x: Array) -> (Array, Pullback<(Array,), Array>) {
    let (y, back) = pulled_later(x.exp(), x);
    (y * 2.0, back)
}

#[track]
fn pulls(back: &Pullback<(Array,), Array>, ct: Array) -> Array {
    back.pull(ct * 3.0).0
}

#[track]
fn along_later(x: Array) -> impl Fn(Array) -> Array {
    let (_, along) = linearize(|x: Array| x.sin() * x.cumsum(0), (x,));
    move |t| along.apply((t,))
}

/// The host makes the array that the sum begins with.
#[track]
fn sum_from_zero(x: Array) -> Array {
    let mut s = Array::from(0.0f32);
    s = s + x.sum(..);
    s
}

#[track]
fn with_own_matrix(x: Array) -> Array {
    let turned = Array::from([[0.5f32, -1.5], [2.0, 1.0]]);
    let weights = Array::from([0.25f32, 3.0]);
    ((x * turned).sum(1) * weights).sum(..)
}

#[track]
fn with_own_count(x: Array) -> Array {
    let n = x.shape()[0] as f32 * 1.5;
    let scale = Array::from(n);
    (x.sin() * scale).sum(..)
}

/// The gradient and more of a function, with one transform around the other.
fn under_two(f: impl Fn(Array) -> Array + Copy + Send + Sync + 'static) -> Vec<Array> {
    vec![jit(grad(f))(x()), jit(vmap(f))(rows()), jit(move |x: Array| grad(f)(x))(w()), vmap(grad(f))(rows())]
}

pub const KINDS: &[(&str, Body)] = runs! {
    scalar_made_in_transforms: under_two(sum_from_zero);
    matrix_made_in_transforms: under_two(with_own_matrix);
    array_of_number_made_in_transforms: under_two(with_own_count);
    arrays_made_in_transforms_three_deep: vec![
        jit(vmap(grad(sum_from_zero)))(rows()), jit(vmap(grad(with_own_matrix)))(rows()), vmap(jit(grad(with_own_count)))(rows()),
        jit(|x: Array| grad(|x: Array| vmap(|r: Array| with_own_matrix(r * &x))(rows()).sum(..))(x))(x()),
    ];
    pullback_leaves: { let (y, back) = pulled_later(x(), w()); vec![back.pull(y.cos()).0, y] };
    pullback_leaves_two: { let (y, back) = pulled_even_later(x()); vec![back.pull(y.cos()).0, pulls(&back, y)] };
    pullback_leaves_for_a_batch: {
        let (_, back) = pulled_even_later(x());
        vec![vmap(|ct: Array| pulls(&back, ct))(Array::from([1.0f32, 2.0])), jit(|ct: Array| back.pull(ct.sin()).0)(x().sum(..))]
    };
    pullbacks_leave: {
        let backs: Vec<_> = (1..3).map(|i| pulled_later(x() * i as f64, w())).collect();
        backs.iter().map(|(y, back)| pulls(back, y.sin())).collect()
    };
    linear_part_leaves: { let along = along_later(x()); vec![along(w()), vmap(&along)(rows())] };
    pullback_leaves_in_a_gradient: vec![grad(|x: Array| { let (y, back) = pulled_later(x, w()); pulls(&back, y).sum(..) })(x())];
    op_given_the_same_twice: {
        let a = x();
        let looped = scan(|c: Array, r: Array| (product_op(&c, &c) * r * 0.1, ()), a.clone(), rows()).0;
        vec![product_op(&a, &a), jit(|a: Array| product_op(&a, &a))(a.clone()), looped]
    };
    same_twice_in_transforms: {
        let a = x();
        let (y, back) = vjp(two, (a.clone(), a.clone()));
        let (p, q) = back.pull(y);
        vec![jit(two)(a.clone(), a.clone()), jvp(two, (a.clone(), a.clone()), (a.clone(), a.clone())).1, checkpoint(two)(a.clone(), a), p, q]
    };
    same_twice_in_loops: {
        let (a, r) = (x(), rows());
        let scanned = scan(|c: Array, (p, q): (Array, Array)| (c * p + q, ()), a.clone(), (r.clone(), r)).0;
        let repeated = while_loop(|(p, _): (Array, Array)| p.sum(..).lt(50.0), |(p, q): (Array, Array)| (p * 2.0, q + 1.0), (a.clone(), a)).1;
        vec![scanned, repeated]
    };
    thread_of_gradient: {
        let y = x().cos();
        vec![on_a_thread(|| grad(|x: Array| (x.sin() * &y).sum(..))(x())) + &y, on_a_thread(|| vmap(two)(rows(), rows()))]
    };
    rule_with_held: {
        let k = w().sin();
        let f = custom_jvp(|x: Array| x * &k, |(x,): (Array,), (t,): (Array,)| (x * &k, t * &k));
        vec![f(x()), grad(|x: Array| f(x).sum(..))(x()), vmap(|x: Array| f(x))(rows())]
    };
    vjp_of_integers: {
        let n = Array::from([1i32, 2]);
        let f = |x: Array, n: Array| (&x * n.to(DType::F32), &n + 1);
        let ((y, m), back) = vjp(f, (x(), n.clone()));
        let (dx, dn) = back.pull((y.cos(), m.clone()));
        let ((z, k), forward) = linearize(f, (x(), n.clone()));
        let (dz, dk) = forward.apply((w(), n));
        vec![dx, dn, m, z, k, dz, dk]
    };
    linear_part_of_integers_batched: {
        let (_, along) = linearize(|x: Array| (x.sin(), x.argmax(0)), (x(),));
        vec![vmap(move |t: Array| along.apply((t,)).0)(rows())]
    };
    vjp_of_integers_inside: {
        let pulled = |x: Array, n: Array| {
            let (y, back) = vjp(|x: Array, n: Array| (x * n.to(DType::F32)).sum(..), (x, n));
            back.pull(y)
        };
        let n = Array::from([1i32, 2]);
        let alone = |n: Array| { let (m, back) = vjp(|n: Array| &n * 2, (n,)); (m.clone(), back.pull(m).0) };
        let (a, b) = jit(pulled)(x(), n.clone());
        let (c, d) = vmap(pulled).in_axes([Some(0), None])(rows(), n.clone());
        let (e, g) = alone(n);
        vec![a, b, c, d, e, g]
    };
    rule_with_4_arrays: { rule_with(4) };
    rule_with_6_arrays: { rule_with(6) };
    rule_with_8_arrays: { rule_with(8) };
    rule_with_11_arrays: { rule_with(11) };
    rule_with_12_arrays: { rule_with(12) };
    rule_with_16_arrays: { rule_with(16) };
    static_arguments: {
        let f = |x: Array, n: Static<i64>| (0..n.0).fold(x, |x, _| x.sin());
        vec![jit(f)(x(), Static(3)), jit(f)(x(), Static(1)), grad(|x: Array, n: Static<i64>| f(x, n).sum(..))(x(), Static(2))]
    };
    number_beside_array: {
        let (a, n) = with_size(x());
        vec![&a * n]
    };
    number_beside_array_is_given_back: { let (a, n) = with_size(x()); vec![a, Array::from(n)] };
    number_by_itself: { let n = size(x()); vec![x() * n] };
    number_that_was_given: {
        let (a, n, b, count) = with_given(x(), 0.5);
        let (c, m, _, _) = with_given(&a * n, n * 3.0);
        vec![a * m + b * count, c]
    };
    number_is_not_used: vec![with_size(x()).0];
    trees_in_loops: {
        let step = |p: Params, x: Array| { let y = predict(&p, &x.reshape([1, 2])); (Params { weight: p.weight * 0.9, bias: &p.bias + y.sum(0) }, y) };
        let (p, ys) = scan(step, params(), rows());
        vec![p.weight, p.bias, ys]
    };
    no_elements: {
        let (c, y) = scan(|c: Array, r: Array| (&c + &r, c * r), x(), no_rows());
        vec![c, y, vmap(|r: Array| r.sin())(no_rows()), grad(|e: Array| e.sum(..))(no_rows())]
    };
    scalars: vec![
        Array::from(1i8) + Array::from(2i8), Array::from(200u8), Array::from(-3i16) * Array::from(7i16), Array::from(9u16), Array::from(5u32),
        Array::from(7u64), Array::from(-5i64), Array::from(true), Array::from(1.5f64).sin(),
    ];
    types_in_transforms: {
        let of = |dtype: DType| jit(move |x: Array| x.to(dtype))(x());
        let (c, y) = scan(|c: Array, x: Array| (&c + &x, c.gt(x)), Array::from(1i8), Array::from([1i8, 2, 3]));
        let z = vjp(|z: Array| z.exp(), (complex(x(), w()),));
        let pulled = z.1.pull(z.0).0;
        vec![of(DType::I8), of(DType::BF16), of(DType::F16), of(DType::C64), of(DType::C128), of(DType::Bool), c, y, pulled, vmap(|x: Array| !x)(Array::from([true, false])), grad(|x: Array| x.sin().sum(..))(x().to(DType::BF16))]
    };
    three_deep: {
        let f = custom_vjp(|x: Array| x.sin(), |(x,): (Array,)| (x.sin(), x), |x: Array, ct: Array| (x.cos() * ct,));
        let a = vmap(grad(|x: Array| scan(|c: Array, r: Array| (f(c * r), ()), x, rows()).0.sum(..)))(rows());
        let b = jit(grad(|x: Array| vmap(|r: Array| debug_print("r {}", &(r * &x)).sum(..))(rows()).sum(..)))(x());
        let c = grad(|x: Array| scan(|c: Array, r: Array| (checkpoint(layer)(c, r), ()), x, rows()).0.sum(..))(x());
        vec![a, b, c]
    };
};

pub const KINDS_THAT_FAIL: &[(&str, Body)] = runs! {
    tangent_that_differs: vec![linearize(|x: Array| x.sin(), (x(),)).1.apply((rows(),))];
    tangent_that_differs_in_staged: { let (_, l) = linearize(|x: Array| x.sin(), (x(),)); vec![jit(|t: Array| l.apply((t.reshape([1, 2]),)))(x())] };
    axis_that_is_not_there: vec![vmap(|x: Array| psum(x, "j")).axis_name("i")(rows())];
    failed_over_axis: vec![vmap(|x: Array| mismatch(psum(x, "i"))).axis_name("i")(rows())];
    failed_three_deep: vec![jit(vmap(grad(|x: Array| scan(|c: Array, r: Array| (mismatch(c * r), ()), x, rows()).0.sum(..))))(rows())];
};

/// Functions with a rule of their own that take one array, and hold so many others that they are as many.
fn rule_with(arrays: usize) -> Vec<Array> {
    let held: Vec<Array> = (1..arrays).map(|i| (w() * i as f64).sin()).collect();
    let all = |x: &Array| held.iter().fold(x.clone(), |x, k| x * k);
    let f = custom_jvp(|x: Array| all(&x), |(x,): (Array,), (t,): (Array,)| (all(&x), all(&t) * 2.0));
    let keep = |(x,): (Array,)| (all(&x), x);
    let g = custom_vjp(|x: Array| all(&x), keep, |x: Array, ct: Array| (all(&ct) + x,));
    vec![grad(|x: Array| f(x).sum(..))(x()), grad(|x: Array| g(x).sum(..))(x())]
}
