//! Records runs of many kinds, each into a tape of a folder: `record_runs DIR [NAME]`, those with NAME in their names. `tests/emit/check.py` writes them as source,
//! runs that, and writes again what it recorded.

#![allow(clippy::needless_borrows_for_generic_args, clippy::let_and_return)]

/// Runs by their names.
macro_rules! runs {
    ($($name:ident: $body:expr;)*) => {
        &[$((stringify!($name), || $body),)*]
    };
}

mod bodies;
mod captures;
mod given;
mod going_on;
mod kinds;
mod linear;
mod named;
mod nested;
mod printed;
mod rules;
mod user_code;

use bodies::BODIES;
use captures::CAPTURES;
use given::GIVEN;
use going_on::{GOING_ON, THREADS_THAT_FAIL};
use kinds::{KINDS, KINDS_THAT_FAIL};
use linear::LINEAR;
use named::NAMED;
use nested::{NESTED, NESTED_THAT_FAIL};
use printed::{PRINTED, PRINTED_THAT_FAIL};
use rules::RULES;
use user_code::USER_CODE;
use wengert::*;

type Body = fn() -> Vec<Array>;

fn x() -> Array {
    Array::from([1.0f32, 2.0])
}

fn w() -> Array {
    Array::from([0.5f32, -0.25])
}

fn rows() -> Array {
    Array::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]])
}

fn square() -> Array {
    Array::from([[2.0f32, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]])
}

fn many(n: i64) -> Array {
    (Array::arange(0, n, 1).to(DType::F32) * 0.37).sin()
}

#[track]
fn layer(x: Array, w: Array) -> Array {
    let y = (x * w).tanh();
    y
}

fn loss(w: Array, x: Array) -> Array {
    layer(x, w).sum(..)
}

#[derive(Tree, Clone)]
struct Params {
    weight: Array,
    bias: Array,
}

#[track]
fn predict(p: &Params, x: &Array) -> Array {
    (x.matmul(&p.weight) + &p.bias).tanh()
}

/// The solution of a system, by a solver that knows it.
fn halved(b: Array) -> Array {
    let two = b.cos() * 0.0 + 2.0;
    let solve = |_: &TreeFn<Array>, b: Array| b / &two;
    custom_linear_solve(|x: Array| x * &two, b, solve, Some(&solve))
}

/// The cube root, by Newton's method, which no reverse derivative goes through.
fn root_of(a: Array) -> Array {
    let off = |x: &Array| x * x * x - &a;
    let newton =
        |x: Array| while_loop(|x: Array| off(&x).abs().max(..).gt(1e-5), |x| &x - off(&x) / (3.0 * &x * &x), x);
    lax::root(newton, |x| off(&x), |x, y| y / (3.0 * &x * x), a.ones_like())
}

/// What the host counts while it goes.
#[track]
fn counting(x: Array) -> Array {
    let (mut n, mut by, mut y) = (0, 0.5, x);
    while n < 3 {
        n += 1;
        by *= 3.0;
        y = y * by + f64::from(n);
    }
    y
}

/// A power by a number of the host, which counts down.
#[track]
fn power_by(x: Array, n: u32) -> Array {
    if n == 0 { x.ones_like() } else { power_by(x.clone(), n - 1) * x }
}

/// The same by halves.
#[track]
fn power_by_halves(x: Array, n: u32) -> Array {
    if n == 0 {
        return x.ones_like();
    }
    let half = power_by_halves(&x * &x, n / 2);
    if n % 2 == 1 { half * x } else { half }
}

/// The cube root, by a solver that is given the function.
fn root_by_given(a: Array) -> Array {
    let off = |x: Array| &x * &x * &x - &a;
    let bisect = |g: &TreeFn<Array>, x: Array| {
        let halve = |(low, high): (Array, Array)| {
            let middle = (&low + &high) / 2.0;
            let is_below = g(middle.clone()).lt(0.0);
            (where_(&is_below, &middle, &low), where_(is_below, high, middle))
        };
        let far = |(low, high): (Array, Array)| (high - low).max(..).gt(1e-4);
        while_loop(far, halve, (x.zeros_like(), x * 8.0)).1
    };
    custom_root(off, a.ones_like(), bisect, |g, y| &y / g(y.ones_like()))
}

fn params() -> Params {
    Params { weight: many(6).reshape([2, 3]), bias: Array::from([0.1f32, 0.2, 0.3]) }
}

#[track]
fn power(x: Array, n: i64) -> Array {
    let mut y = Array::from(1.0f32);
    for _ in 0..n {
        y = y * &x;
    }
    y
}

#[track]
fn collatz(x: Array) -> Array {
    let mut x = x;
    while x != 1.0 {
        x = if (&x % 2.0) == 0.0 { x / 2.0 } else { x * 3.0 + 1.0 };
    }
    x
}

struct Model {
    scale: Array,
}

#[track]
impl Model {
    fn apply(&self, x: Array) -> Array {
        x * &self.scale
    }
}

fn clipped() -> Func<'static, (Array,), Array> {
    custom_vjp(|x: Array| x, |(x,): (Array,)| (x, ()), |(): (), ct: Array| (ct.clip(-1.0, 1.0),))
}

fn slow_sine() -> Func<'static, (Array,), Array> {
    custom_jvp(|x: Array| x.sin(), |(x,): (Array,), (t,): (Array,)| (x.sin(), x.cos() * t))
}

fn step(p: Params, x: Array) -> Params {
    let g = grad(|p: Params, x: Array| (predict(&p, &x) * 2.0).sum(..))(p.clone(), x);
    Params { weight: p.weight - g.weight * 0.1, bias: p.bias - g.bias * 0.1 }
}

const RUNS: &[(&str, Body)] = runs! {
    // One op after another.
    plain: vec![(x() * 2.0).sin().reshape([2, 1]), x().sum(..)];
    integers: vec![Array::from([7, -3, 12]) % 5, Array::from([7, -3, 12]) / 2, Array::from([1u8, 250]) + 10];
    bools: vec![x().gt(1.5), !x().gt(1.5), where_(x().gt(1.5), &x(), 0.0)];
    halves: vec![(x().to(DType::BF16) * 3.0).exp(), x().to(DType::F16).sqrt()];
    doubles: vec![x().to(DType::F64).exp().log1p(), Array::from(1e300f64) * 1e10];
    complexes: vec![complex(x(), w()) * complex(w(), x()), complex(x(), w()).abs()];
    special_values: vec![Array::from([0.0f32, -0.0, f32::NAN, f32::INFINITY]) * 1.0, (x() - x()) / (x() - x())];
    shapes: vec![rows().t(), rows().flatten(0, -1), rows().expand_dims(0), rows().broadcast_to([2, 3, 2])];
    slices: vec![rows().get((1.., 0)), rows().get((.., 1)), rows().roll(1, 0), rows().flip(0)];
    joins: vec![concatenate([&rows(), &rows()], 1), stack([&x(), &w()], 0)];
    reductions: vec![rows().sum(0), rows().mean(..), rows().max(1), rows().argmax(1), rows().prod(0), rows().std(..)];
    cumulative: vec![rows().cumsum(0), many(70).cummax(0)];
    products: vec![rows().matmul(&rows().t()), einsum("ij,kj->ik", [&rows(), &rows()]), x().dot(&w())];
    gathers: vec![rows().take(&Array::from([2, 0]), 0), many(40).take(&Array::from([[3, 1], [0, 39]]), 0)];
    scatters: vec![rows().at(1).set(9.0), rows().at((.., 0)).add(&Array::from([1.0f32, 2.0, 3.0]))];
    sorts: vec![many(20).sort(0), many(20).argsort(0), rows().flip(0).sort(0)];
    random_bits: lax::rng_bit_generator(&Array::from([1u64, 2]), lax::RngAlgorithm::Philox, &[5], DType::U32).into();
    op_of_the_users: vec![square_op(&x()), grad(|x: Array| square_op(&x).sum(..))(x())];
    linear_algebra: vec![square().cholesky(), square().inv(), square().det(), square().solve(&square().get((.., 0)))];
    decompositions: vec![square().eigvalsh(), square().svdvals()];
    decompositions_not_determined: {
        let one = x().reshape([x().shape()[0], 1]);
        let f = |x: Array| { let (q, r) = x.qr(false); let (w, v) = x.eigh(); vec![q.matmul(&r), q, w, v] };
        let [eager, staged] = [f(one.matmul(&one.t())), jit(f)(one.matmul(&one.t()) * 0.0 + 1.0)];
        let batched = vmap(|x: Array| x.svd(true))(rows().reshape([1, 3, 2]));
        [eager, staged, vec![batched.0, batched.1]].concat()
    };
    transforms_of_fourier: vec![many(16).fft(-1).abs(), many(16).rfft(-1).abs()];
    softmax: vec![rows().softmax(1), rows().log_softmax(0), rows().logsumexp(1)];
    activations: vec![rows().relu(), rows().gelu(true), rows().silu(), rows().softplus()];
    random: vec![random::normal(&random::key(7), [3], DType::F32), random::uniform(&random::key(7), [4], DType::F32)];
    random_of_gamma: {
        let (key, f32) = (random::key(7), DType::F32);
        let drawn = vec![random::gamma(&key, &x(), [2], f32), random::loggamma(&key, 0.5, (), f32)];
        let more = [random::beta(&key, 2.0, 3.0, [3], f32), random::dirichlet(&key, &x(), ()), random::t(&key, 4.0, (), f32)];
        [drawn, more.to_vec()].concat()
    };
    random_counts: {
        let (key, i32) = (random::key(7), DType::I32);
        vec![random::poisson(&key, 3.5, [4], i32), random::poisson(&key, 30.0, [4], i32), random::permutation(&key, 6)]
    };
    random_choices: {
        let key = random::key(7);
        let of_rows = random::categorical(&key, &rows(), 1, ());
        vec![of_rows, random::choice(&key, 9, [4], false), random::truncated_normal(&key, -1.0, 1.0, [3], DType::F32)]
    };
    special_functions: vec![x().erf(), x().lgamma(), x().digamma(), (x() * 0.3).erf_inv()];
    large_arrays: vec![many(1000) * 2.0, many(1000).sum(..)];
    convolution: vec![nn::conv(&many(32).reshape([1, 2, 4, 4]), &many(18).reshape([1, 2, 3, 3]), nn::Sliding::new())];
    pooled: {
        let (x, by) = (many(24).reshape([1, 1, 4, 6]), nn::Sliding::new);
        let of = |d: DType| {
            let x = x.to(d);
            let most = jit(grad(|x: Array| nn::max_pool(&x, [2, 2], by()).square().sum(..)))(x.clone());
            let mean = jit(grad(|x: Array| nn::avg_pool(&x, [2, 2], by()).square().sum(..)))(x.clone());
            vec![most, mean, jit(|x: Array| -nn::max_pool(&-x, [2, 3], by()))(x)]
        };
        [of(DType::F32), of(DType::BF16), of(DType::F16), of(DType::F64)].concat()
    };
    pooled_integers: vec![jit(|x: Array| nn::max_pool(&x, 2, nn::Sliding::new()))(Array::arange(0, 8, 1).reshape([1, 1, 8]))];
    indexed_by_rounded: {
        let (x, at) = (many(9), Array::from(2.5f32));
        let between = jit(|x: Array, at: Array| x.take(&at.floor().to(DType::I32), 0) + x.take(&at.ceil().to(DType::I32), 0));
        vec![between(x.clone(), at), x.median(..), x.quantile(0.9, ..)]
    };
    // Functions of the user's.
    tracked: vec![layer(w(), x())];
    tracked_twice: vec![layer(w(), x()) + layer(x(), w())];
    tracked_nested: { let p = params(); vec![predict(&p, &rows())] };
    tracked_loop: vec![power(x(), 3), power(x(), 2)];
    tracked_recursion: vec![power_by(x(), 3), grad(|x: Array| power_by(x, 2).sum(..))(x())];
    tracked_recursion_by_halves: vec![power_by_halves(x(), 5), jit(|x: Array| power_by_halves(x, 3))(x())];
    tracked_decisions: vec![collatz(Array::from(6.0f32))];
    tracked_method: vec![Model { scale: w() }.apply(x())];
    recorded_inside: { let live = Recorder::new().live(|x: Array| layer(x, w()), (x(),)); vec![live.value() * 2.0] };
    untracked_part: { let y = x().sin(); vec![layer(y.cos(), w())] };
    // Transforms.
    gradient: vec![grad(loss)(w(), x())];
    gradient_in_second: vec![grad(loss).wrt(Arg::<1>)(w(), x())];
    gradient_in_all: { let (a, b) = grad(loss).wrt(All)(w(), x()); vec![a, b] };
    gradient_of_tree: { let g = grad(|p: Params, x: Array| predict(&p, &x).sum(..))(params(), rows()); vec![g.weight, g.bias] };
    gradient_of_closure: { let y = x().sin(); vec![grad(|w: Array| (w * &y).sum(..))(w())] };
    value_and_gradient: { let (v, g) = value_and_grad(loss)(w(), x()); vec![v, g] };
    value_with_more: { let ((v, a), g) = value_and_grad(|x: Array| ((&x * &x).sum(..), x.sin()))(x()); vec![v, a, g] };
    second_derivative: vec![grad(|x: Array| grad(|y: Array| y.sin().sum(..))(x).sum(..))(x())];
    third_derivative: {
        let third = grad(|x: Array| grad(|x: Array| grad(|x: Array| x.exp().sin())(x))(x));
        vec![third(Array::from(0.3f32))]
    };
    forward: { let (y, dy) = jvp(|x: Array| x.sin() * 2.0, (x(),), (w(),)); vec![y, dy] };
    forward_of_integers: {
        let ((y, n), (dy, dn)) = jvp(|x: Array| (x.sin(), x.argmax(0)), (x(),), (w(),));
        let (z, dz) = jvp(|x: Array, n: Array| x * n, (x(), Array::from([2, 3])), (w(), Array::from([0, 0])));
        vec![y, n, dy, dn, z, dz, jvp(|x: Array| x.gt(1.5), (x(),), (w(),)).1]
    };
    only_a_constant: vec![Array::from([0.3f32, 0.33333334, 16777216.0])];
    constant_beside_more: vec![x().sin(), Array::from([0.3f32, 0.33333334, 16777216.0]), rows().sum(0)];
    straight_ops: { let mut y = x(); for _ in 0..1500 { y = (y * 1.5).sin(); } vec![y] };
    pulled_back: { let (y, back) = vjp(|x: Array| x.sin(), (x(),)); let (g,) = back.pull(w()); vec![y, g] };
    linearized: { let (y, f) = linearize(|x: Array| x.exp(), (x(),)); vec![y, f.apply((w(),))] };
    pulled_back_twice: {
        let (y, back) = vjp(|x: Array, w: Array| layer(x, w), (x(), w()));
        let (a, b) = back.pull(w());
        let (c, d) = back.pull(y.cos());
        vec![y, a, b, c, d]
    };
    pulled_back_elsewhere: {
        let (_, back) = vjp(|x: Array| x.sin(), (x(),));
        vec![vmap(move |ct: Array| back.pull(ct).0)(rows())]
    };
    pulled_back_with_held: { let y = x().sin(); let (z, back) = vjp(|x: Array| (x * &y).tanh(), (w(),)); vec![back.pull(z).0] };
    linearized_of_two: {
        let ((a, b), f) = linearize(|x: Array| (x.exp(), x.sin()), (x(),));
        let (c, d) = f.apply((w(),));
        vec![a, b, c, d]
    };
    staged_pullback: vec![jit(|x: Array| { let (y, back) = vjp(|x: Array| x.sin(), (x,)); back.pull(y).0 })(x())];
    jacobian_of_two: vec![jacrev(|x: Array, w: Array| layer(x, w))(x(), w()), jacfwd(|x: Array, w: Array| layer(x, w))(x(), w())];
    jacobian_with_held: { let y = x().sin(); vec![jacfwd(|x: Array| (x * &y).sin())(w())] };
    hessian_of_tracked: vec![hessian(loss)(w(), x())];
    hessian: vec![hessian(|x: Array| x.sin().sum(..))(x())];
    hessian_product: vec![hvp(|x: Array| x.tanh().sum(..), x(), x()), hvp(|x: Array| (&x * &x * &x).sum(..), x(), w())];
    hessian_product_of_tree: {
        let h = hvp(|p: Params| predict(&p, &rows()).sin().sum(..), params(), params());
        vec![h.weight, h.bias]
    };
    hessian_product_with_held: { let y = x().sin(); vec![hvp(|w: Array| loss(w, y.clone()), w(), x())] };
    hessian_product_in_transforms: {
        let product = |x: Array, v: Array| hvp(|x: Array| layer(x, w()).sum(..), x, v);
        let other = || hvp(|x: Array| jit(loss)(w(), x), x(), w());
        vec![jit(product)(x(), w()), vmap(product).in_axes([None, Some(0)])(x(), rows()), other(), jacfwd(|v: Array| product(x(), v))(w())]
    };
    jacobian_in_second: vec![jacfwd(layer).wrt(Arg::<1>)(x(), w())];
    jacobian_of_two_in_all: {
        let f = |x: Array, w: Array| (layer(x.clone(), w.clone()), (x * w).sum(..));
        let ((a, b), (c, d)) = jacrev(f).wrt(All)(x(), w());
        vec![a, b, c, d]
    };
    jacobian_of_tree: {
        let j = jacfwd(|x: Array, p: Params| predict(&p, &x)).wrt(Arg::<1>)(rows(), params());
        vec![j.weight, j.bias]
    };
    hessian_of_tree: {
        let h = hessian(|p: Params, x: Array| predict(&p, &x).sin().sum(..))(params(), rows());
        ["weight", "bias"].into_iter().flat_map(|of| wengert::leaves(h.get(of))).collect()
    };
    hessian_in_all: wengert::leaves(&hessian(loss).wrt(All)(w(), x()));
    hessian_of_two: wengert::leaves(&hessian(|x: Array| (x.sin(), x.exp()))(x()));
    jacobian_of_complex: {
        let z = || wengert::complex(x(), w());
        let square = |z: Array| &z * &z;
        vec![jacfwd(square).holomorphic()(z()), jacrev(square).holomorphic()(z()), hessian(square).holomorphic()(z())]
    };
    jacobians: vec![jacfwd(|x: Array| x.sin())(x()), jacrev(|x: Array| x.cos())(x())];
    batched: vec![vmap(loss).in_axes([None, Some(0)])(w(), rows())];
    batched_out: vec![vmap(|x: Array| x * 2.0).out_axis(1)(rows())];
    batched_by_leaf: {
        let f = |p: Params, x: Array| (predict(&p, &x), x.sum(..), p.bias);
        let f = vmap(f).in_axes_at([("0.weight", None), ("0.bias", None)]).out_axes_at([("0", Some(1)), ("2", None)]);
        let (a, b, c) = f(params(), rows().reshape([3, 1, 2]));
        vec![a, b, c]
    };
    batched_over_columns: vec![vmap(|x: Array| x.sum(..)).in_axes([Some(1)])(rows())];
    batched_closure: { let y = x().sin(); vec![vmap(|w: Array| (w * &y).sum(..))(rows())] };
    batched_gradient: vec![vmap(grad(loss)).in_axes([None, Some(0)])(w(), rows())];
    gradient_of_batched: vec![grad(|w: Array| vmap(|x: Array| x.sin().sum(..))(w.reshape([2, 1])).sum(..))(w())];
    batched_of_nothing: vec![vmap(|()| x().sin()).axis_size(2)(()), jit(vmap(|()| w().cos()).axis_size(3).out_axis(1))(())];
    batched_closure_of_nothing: { let y = x().sin(); vec![vmap(|()| &y * 2.0).axis_size(2)(()), jit(|()| y.cos())(())] };
    derivatives_of_nothing: {
        let (y, dy) = jvp(|()| x().sin(), ((),), ((),));
        let (z, back) = vjp(|()| x().cos(), ((),));
        let (a, along) = linearize(|()| x().exp(), ((),));
        back.pull(w());
        vec![y, dy, z, a, along.apply(((),))]
    };
    staged: vec![jit(loss)(w(), x())];
    staged_again: { let f = jit(loss); f(w(), x()); vec![f(w(), x()) + f(x(), w())] };
    staged_batched_gradient: vec![jit(vmap(grad(loss)).in_axes([None, Some(0)]))(w(), rows())];
    staged_closure: { let y = x().sin(); vec![jit(|w: Array| (w * &y).sum(..))(w())] };
    staged_in_staged: vec![jit(|x: Array| jit(|y: Array| y.sin())(x.cos()))(x())];
    staged_training: { let p = jit(step)(params(), rows()); vec![p.weight, p.bias] };
    training: { let mut p = params(); for _ in 0..3 { p = step(p, rows()); } vec![p.weight, p.bias] };
    remembered_less: vec![grad(checkpoint(|x: Array| x.sin().exp().sum(..)))(x())];
    rule_forward: vec![grad(|x: Array| slow_sine()(x).sum(..))(x())];
    rule_backward: vec![grad(|x: Array| (clipped()(x) * 10.0).sum(..))(x())];
    linear_system: vec![halved(x()), grad(|x: Array| halved(x).sin().sum(..))(x())];
    root: vec![root_of(x()), grad(|x: Array| root_of(x).sum(..))(x()), jit(jacfwd(root_of))(x())];
    root_by_given: vec![root_by_given(x()), grad(|x: Array| root_by_given(x).sum(..))(x())];
    root_by_given_of_many: vec![vmap(root_by_given)(rows()), jit(vmap(root_by_given))(rows())];
    systems: vec![vmap(halved)(rows()), jit(vmap(halved))(rows()), jit(vmap(grad(|x: Array| halved(x).sum(..))))(rows())];
    roots: vec![vmap(root_of)(rows()), jit(vmap(root_of))(rows()), jit(vmap(grad(|x: Array| root_of(x).sum(..))))(rows())];
    no_leaves: vec![jit(|_: Vec<Array>| Array::from([1.5f32, 2.0]).sin())(vec![])];
    counting_of_the_host: vec![counting(x())];
    // Control flow.
    chosen: vec![cond(x().sum(..).gt(2.0), |x: Array| x.sin(), |x: Array| x.cos(), x())];
    chosen_by_number: vec![switch(1, &[&|x: Array| x.sin(), &|x: Array| &x * 2.0, &|x: Array| -x], x())];
    repeated: vec![while_loop(|x: Array| x.lt(100.0), |x: Array| x * 2.0, Array::from(3.0f32))];
    repeated_with_more: {
        let y = x();
        let (n, z) = while_loop(|(n, _): (Array, Array)| n.lt(5), |(n, z): (Array, Array)| (n + 1, z * &y), (Array::from(0), w()));
        vec![n, z]
    };
    counted: vec![fori_loop(0, 4, |i: Array, c: Array| c + i.to(DType::F32), Array::from(1.0f32))];
    scanned: { let (c, y) = scan(|c: Array, x: Array| { let y = c * x; (y.clone(), y) }, Array::from(1.0f32), x()); vec![c, y] };
    scanned_backwards: {
        let options = ScanOptions { reverse: true, ..Default::default() };
        let (c, y) = scan_with(&options, |c: Array, x: Array| (&c + &x, c * x), Array::from(0.5f32), x());
        vec![c, y]
    };
    gradient_of_scan: vec![grad(|x: Array| scan(|c: Array, x: Array| (c * x.sin(), ()), Array::from(1.0f32), x).0)(x())];
    branch_in_loop: vec![while_loop(
        |x: Array| x.lt(100.0),
        |x: Array| cond(x.gt(10.0), |x: Array| x * 3.0, |x: Array| x * 2.0, x),
        Array::from(3.0f32),
    )];
    loop_in_loop: vec![fori_loop(0, 3, |_: Array, c: Array| fori_loop(0, 2, |_: Array, d: Array| d * 1.5, c), Array::from(1.0f32))];
    batched_loop: vec![vmap(|x: Array| while_loop(|x: Array| x.lt(10.0), |x: Array| x * 2.0, x))(x())];
    scan_of_tracked: vec![scan(|c: Array, x: Array| (layer(c, x), ()), w(), rows()).0];
    scan_of_tracked_with_held: {
        let y = x().sin();
        let (c, ys) = scan(|c: Array, x: Array| { let z = layer(c * &y, x); (z.clone(), z.sum(..)) }, w(), rows());
        vec![c, ys]
    };
    loop_of_transforms: vec![fori_loop(0, 3, |_: Array, w: Array| &w - grad(loss)(w.clone(), x()) * 0.1, w())];
    loop_of_staged: vec![while_loop(|x: Array| jit(|x: Array| x.sum(..))(x).lt(50.0), |x: Array| vmap(|x: Array| x * 2.0)(x), x())];
    branch_of_tracked: vec![cond(x().sum(..).gt(2.0), |x: Array| layer(x, w()), |x: Array| x.cos(), x())];
    branch_of_tracked_with_held: {
        let y = x().sin();
        vec![cond(y.sum(..).gt(0.0), |x: Array| layer(x, y.clone()), |x: Array| x.cos() * w(), x())]
    };
    tracked_in_nested_loops: vec![fori_loop(0, 2, |_: Array, c: Array| scan(|c: Array, x: Array| (layer(c, x), ()), c, rows()).0, w())];
    staged_loop_of_tracked: vec![jit(|w: Array, x: Array| fori_loop(0, 3, |_: Array, c: Array| layer(c, x.clone()) + &w, x.cos()))(w(), x())];
    gradient_of_loop_of_tracked: vec![grad(|w: Array| fori_loop(0, 3, |_: Array, c: Array| layer(c, w.clone()), x()).sum(..))(w())];
    mapped: vec![map(|x: Array| x.sin() * 2.0, rows())];
    associative: vec![associative_scan(|a: Array, b: Array| a * b, many(9), false)];
};

/// An op that is a program of others.
#[derive(Debug)]
struct Square;

impl custom::CustomOp for Square {
    fn name(&self) -> &str {
        "test.square"
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let like = Array::from_tensor(Tensor::zeros(&x[0]));
        Some(Ok(make_program(|x: Array| &x * &x, (like,))))
    }
}

fn square_op(x: &Array) -> Array {
    custom::apply(Square, &[x]).remove(0)
}

/// Its kernel fails.
#[derive(Debug)]
struct Broken;

impl custom::CustomOp for Broken {
    fn name(&self) -> &str {
        "test.broken"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, _: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        panic!("a kernel that is broken")
    }
}

fn broken(x: &Array) -> Array {
    custom::apply(Broken, &[x]).remove(0)
}

#[track]
fn checked(x: Array) -> Array {
    let y = x.sin();
    assert!(y.rank() > 1, "a matrix is \"needed\",\nand here is none");
    y
}

/// Adds arrays that do not broadcast together.
fn mismatch(x: Array) -> Array {
    x.sin() + rows().get((.., 0))
}

fn scalar() -> Array {
    Array::from(1.0f32)
}

fn bad_rule() -> Func<'static, (Array,), Array> {
    custom_jvp(|x: Array| x.sin(), |(x,): (Array,), (t,): (Array,)| (x.sin(), mismatch(t)))
}

fn bad_backward() -> Func<'static, (Array,), Array> {
    custom_vjp(|x: Array| x.sin(), |(x,): (Array,)| (x.sin(), x), |x: Array, ct: Array| (mismatch(x) * ct,))
}

/// Runs that fail.
const FAILURES: &[(&str, Body)] = runs! {
    panic_by_itself: { let y = x().sin(); assert!(y.rank() > 1, "no matrix"); vec![y] };
    panic_in_tracked: vec![checked(x() * 2.0)];
    panic_in_gradient: vec![grad(|x: Array| checked(x).sum(..))(x())];
    panic_in_staged: vec![jit(|x: Array| checked(x) * 2.0)(x())];
    panic_after_more: { let y = layer(x(), w()); vec![grad(|x: Array| { let z = layer(x, y.clone()); checked(z) })(w())] };
    operands_that_differ: vec![mismatch(x())];
    shape_in_op: vec![lax::reshape(&(x() * 2.0), &[3])];
    shape_in_method: vec![rows().matmul(&rows())];
    axis_in_method: vec![rows().sum(5)];
    product_in_op: vec![lax::dot_general(&rows(), &x(), (&[0], &[0]), (&[], &[]))];
    failed_in_staged: vec![jit(mismatch)(x())];
    failed_in_staged_gradient: vec![jit(grad(|x: Array| mismatch(x).sum(..)))(x())];
    failed_in_gradient: vec![grad(|x: Array| mismatch(x).sum(..))(x())];
    failed_in_batched: vec![vmap(|r: Array| mismatch(r))(rows())];
    failed_in_batched_closure: { let y = x().sin(); vec![vmap(|r: Array| mismatch(r * &y))(rows())] };
    failed_in_forward: vec![jvp(mismatch, (x(),), (w(),)).1];
    failed_in_pullback: vec![vjp(mismatch, (x(),)).0];
    failed_in_jacobian: vec![jacfwd(mismatch)(x())];
    failed_in_hessian_product: vec![hvp(|x: Array| mismatch(x).sum(..), x(), w())];
    failed_in_hessian: vec![hessian(|x: Array| mismatch(x).sum(..))(x())];
    cotangent_that_differs: vec![vjp(|x: Array| x.sin(), (x(),)).1.pull(rows()).0];
    failed_in_scan: vec![scan(|c: Array, x: Array| (mismatch(c * x), ()), x(), rows()).0];
    failed_in_scan_closure: { let y = x().sin(); vec![scan(|c: Array, x: Array| (mismatch(c * x * &y), ()), x(), rows()).0] };
    failed_in_counted: vec![fori_loop(0, 4, |_: Array, c: Array| mismatch(c), x())];
    failed_in_loop_condition: vec![while_loop(|x: Array| mismatch(x).sum(..).gt(1.0), |x: Array| x * 2.0, x())];
    failed_in_loop_body: vec![while_loop(|x: Array| x.sum(..).lt(9.0), |x: Array| mismatch(x), x())];
    failed_in_first_branch: vec![cond(x().sum(..).gt(2.0), |x: Array| x, |x: Array| mismatch(x), x())];
    failed_in_second_branch: vec![cond(x().sum(..).gt(2.0), |x: Array| mismatch(x), |x: Array| x, x())];
    failed_in_branch_of_staged: vec![jit(|x: Array| cond(x.sum(..).gt(2.0), |x: Array| mismatch(x), |x: Array| x, x))(x())];
    failed_in_rule: vec![grad(|x: Array| bad_rule()(x).sum(..))(x())];
    failed_in_backward_rule: vec![bad_backward()(x())];
    failed_in_rule_with_held: {
        let (k, n) = (w().sin(), Array::from(2));
        let rule = |(x,): (Array,), (t,): (Array,)| (x.sin() * &n, mismatch(t * &k));
        vec![grad(|x: Array| custom_jvp(|x: Array| x.sin() * &n, rule)(x).sum(..))(x())]
    };
    failed_in_backward_rule_with_held: {
        let (k, m) = (w().sin(), w().cos());
        let f = custom_vjp(|x: Array| x.sin() * &m, |(x,): (Array,)| (x.sin() * &m, x), |x: Array, ct: Array| (mismatch(x * &k) * ct,));
        vec![f(x())]
    };
    failed_in_kernel: vec![broken(&x().sin())];
    failed_in_kernel_of_staged: vec![jit(|x: Array| broken(&x) * 2.0)(x())];
    gradient_of_no_scalar: vec![grad(|x: Array| x.sin())(x())];
    gradient_in_integer: vec![grad(|x: Array| x.sum(..))(Array::from([1, 2]))];
    batch_of_two_sizes: vec![vmap(|x: Array, y: Array| x + y)(rows(), x())];
    carry_that_changes: vec![fori_loop(0, 3, |_: Array, c: Array| c.sum(..), x())];
    branches_that_differ: vec![cond(scalar().gt(0.0), |x: Array| x.sum(..), |x: Array| x, x())];
    condition_that_is_no_bool: vec![while_loop(|x: Array| x, |x: Array| x * 2.0, scalar())];
};

fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).expect("a folder"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let wanted = std::env::args().nth(2).unwrap_or_default();
    let wanted = |runs: &[&[(&'static str, Body)]]| -> Vec<(&str, Body)> {
        runs.concat().into_iter().filter(|(name, _)| name.contains(&wanted)).collect()
    };
    let runs =
        wanted(&[RUNS, CAPTURES, BODIES, GIVEN, NESTED, LINEAR, NAMED, PRINTED, GOING_ON, KINDS, RULES, USER_CODE]);
    let failures = wanted(&[FAILURES, NESTED_THAT_FAIL, PRINTED_THAT_FAIL, THREADS_THAT_FAIL, KINDS_THAT_FAIL]);
    for (name, run) in &runs {
        let (_, tape) = Recorder::new().capture(Capture::Values).record(run);
        tape.save(folder.join(format!("{name}.tape"))).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    for (name, run) in &failures {
        let (result, tape) = Recorder::new().capture(Capture::Values).try_record(run);
        assert!(result.is_err(), "{name} does not fail");
        tape.save(folder.join(format!("{name}.tape"))).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    println!("{} runs recorded, and {} that fail", runs.len(), failures.len());
}
