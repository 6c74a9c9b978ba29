//! What the first users met of transforms: Jacobians of trees, axes of single arrays, solvers of one's own.

use crate::first_users::{message, v};
use wengert::{
    All, Arg, Array, DType, TreeFn, custom_linear_solve, custom_root, fori_loop, grad, hessian, jacfwd, jacrev, jit,
    while_loop,
};

/// The values are those of JAX.
#[test]
fn jacobians_of_trees_in_trees() {
    #[derive(wengert::Tree)]
    struct Layer {
        bias: Array,
        weight: Array,
    }
    #[derive(wengert::Tree)]
    struct Out {
        y: Array,
        norm: Array,
    }
    let layer = || Layer { bias: Array::from(0.5), weight: Array::from([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]) };
    let x = || Array::from([1.0, -2.0]);
    let pair = |p: Layer, x: Array| (p.weight.sin().matmul(x) * &p.bias, (&p.weight * &p.weight).sum(..) * p.bias);
    let close = |x: &Array, shape: &[usize], wanted: &[f64]| {
        assert_eq!(x.shape()[..], *shape);
        let differs = (x.ravel() - Array::from(wanted)).abs();
        assert!(differs.max(..).item::<f64>() < 1e-12, "{x}");
    };
    let weight = [
        [0.4975020826390129, -0.9800665778412416, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.477668244562803, -0.9210609940028851, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.4387912809451864, -0.8253356149096783],
    ];
    for jacobian in [jacfwd(pair), jacrev(pair)] {
        let ((y, _), (norm, norm_by_x)) = jacobian.wrt(All)(layer(), x());
        close(&y.bias, &[3], &[-0.2975052449432943, -0.4833164779559615, -0.6498594081858677]);
        close(&y.weight, &[3, 3, 2], weight.as_flattened());
        close(&norm.bias, &[], &[0.91]);
        close(&norm.weight, &[3, 2], &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        close(&norm_by_x, &[2], &[0.0, 0.0]);
    }
    let by_x = jit(jacrev(pair).wrt(Arg::<1>))(layer(), x()).0;
    let wanted = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]].map(|row| row.map(|w: f64| w.sin() / 2.0));
    close(&by_x, &[3, 2], wanted.as_flattened());
    // A result that is a struct, by the paths of its arrays; transformed again.
    let f = |p: Layer, x: Array| {
        let (y, norm) = pair(p, x);
        Out { y, norm }
    };
    let j = jit(jacfwd(f))(layer(), x());
    close(&j.get("y").weight, &[3, 3, 2], weight.as_flattened());
    assert!(message(|| j.get("z").bias.clone()).contains("it has `y`, `norm`"));
    let h = hessian(f)(layer(), x());
    close(&h.get("norm").get("bias").weight, &[3, 2], &[0.2, 0.4, 0.6, 0.8, 1.0, 1.2]);
    close(
        &h.get("y").get("bias").weight,
        &[3, 3, 2],
        &weight.as_flattened().iter().map(|w| 2.0 * w).collect::<Vec<_>>(),
    );
    let both = |xs: Array| wengert::vmap(|x: Array| jacrev(|x: Array| (&x * &x, [x.sum(..)]))(x))(xs);
    let (square, [sum]) = both(Array::from([[1.0, 2.0], [3.0, 4.0]]));
    close(&square, &[2, 2, 2], &[2.0, 0.0, 0.0, 4.0, 6.0, 0.0, 0.0, 8.0]);
    close(&sum, &[2, 2], &[1.0; 4]);
    // Without arrays there is nothing to differentiate.
    assert_eq!(jacfwd(|x: Array, ()| x.sum(..)).wrt(Arg::<1>)(x(), ()), ());
}

/// The values are those of JAX.
#[test]
fn jacobians_of_complex_functions() {
    use wengert::{Complex, complex, stack};
    let z = || Array::from([Complex::new(1.0, 2.0), Complex::new(0.5, -1.0)]);
    let at = |z: &Array, i: usize| z.get(i);
    let f = move |z: Array| {
        let (a, b) = (at(&z, 0), at(&z, 1));
        stack(&[a.sin() * &b, &a * &a + b.exp(), a * b], 0)
    };
    let close = |x: &Array, wanted: &[(f64, f64)]| {
        let (re, im): (Vec<f64>, Vec<f64>) = wanted.iter().copied().unzip();
        let differs = (x.ravel() - complex(Array::from(re), Array::from(im))).abs();
        assert!(differs.max(..).item::<f64>() < 1e-12, "{x}");
    };
    let wanted = [
        (-2.0355362956419674, -3.5586719065955656),
        (3.165778513216168, 1.9596010414216063),
        (2.0, 4.0),
        (0.8908079042931287, -1.3873511113297634),
        (0.5, -1.0),
        (1.0, 2.0),
    ];
    close(&jacfwd(f).holomorphic()(z()), &wanted);
    close(&jit(jacrev(f).holomorphic())(z()), &wanted);
    let g = move |z: Array| at(&z, 0).sin() * at(&z, 1);
    let mixed = (2.0327230070196656, -3.0518977991518);
    close(&hessian(g).holomorphic()(z()), &[(-3.5424902980296906, 2.1859779925053653), mixed, mixed, (0.0, 0.0)]);
    // Real functions of complex numbers and the other way round.
    let slopes = [(2.447213595499958, 3.1055728090000843), (1.4472135954999579, -1.1055728090000843)];
    let none = (0.0, 0.0);
    close(&jacrev(|z: Array| (&z * &z).real() + z.abs())(z()), &[slopes[0], none, none, slopes[1]]);
    let turned = [(-0.8414709848078965, 0.5403023058681398), none, none, (0.9092974268256817, -0.4161468365471424)];
    close(&jacfwd(|x: Array| complex(x.cos(), x.sin()))(Array::from([1.0, -2.0])), &turned);
    let said = message(|| jacfwd(f)(z()));
    assert!(
        said.contains("`jacfwd` needs floats, and `arg0` has type c128[2]") && said.contains(".holomorphic()"),
        "{said}"
    );
    let said = message(|| jacrev(f)(z()));
    assert!(said.contains("the result has type c128[3]") && said.contains(".holomorphic()"), "{said}");
    let said = message(|| jacrev(|x: Array| x).holomorphic()(v()));
    assert!(said.contains("`jacrev` needs complex numbers, and `arg0` has type f32[2]"), "{said}");
    let said = message(|| jacfwd(|x: Array| (x.clone(), x.to(DType::I32)))(v()));
    assert!(said.contains("the result's `1` has type i32[2]"), "{said}");
}

/// The values are those of JAX.
#[test]
fn every_leaf_has_its_axis_under_vmap() {
    use std::collections::BTreeMap;
    use wengert::{psum, vmap};
    type Named = BTreeMap<&'static str, Array>;
    let f = |p: Named, x: Array| {
        let more = Named::from([("s", p["w"].sum(..)), ("y", &x * p["b"].sum(..))]);
        (p["w"].matmul(&x) + &p["b"], more)
    };
    let p = || {
        let w = Array::arange(0.0, 12.0, 1.0).reshape([2, 3, 2]);
        Named::from([("w", w), ("b", Array::from([1.0, 2.0]))])
    };
    let x = || Array::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let mapped = vmap(f).in_axes([Some(1), Some(1)]).in_axes_at([("0.b", None)]);
    let mapped = mapped.out_axis(1).out_axes_at([("1.s", Some(0)), ("1.y", Some(-1))]);
    for (y, more) in [mapped(p(), x()), jit(mapped)(p(), x())] {
        assert_eq!((&y.shape()[..], y.to_vec::<f64>()), (&[2, 3][..], vec![5.0, 20.0, 43.0, 36.0, 63.0, 98.0]));
        assert_eq!(more["s"].to_vec::<f64>(), [14.0, 22.0, 30.0]);
        let y = &more["y"];
        assert_eq!((&y.shape()[..], y.to_vec::<f64>()), (&[2, 3][..], vec![3.0, 6.0, 9.0, 12.0, 15.0, 18.0]));
    }
    // What is the same for all examples is given once.
    let shares = vmap(|x: Array| (&x / psum(&x, "i"), psum(x, "i"))).axis_name("i").out_axes_at([("1", None)]);
    let (share, sum) = shares(Array::from([1.0, 3.0]));
    assert_eq!((share.to_vec::<f64>(), sum.item::<f64>()), (vec![0.25, 0.75], 4.0));
    let said = message(|| vmap(|x: Array| (x.clone(), x)).out_axes_at([("1", None)])(v()));
    assert!(said.contains("`1` of the result once, and it depends on the example"), "{said}");
    let said = message(|| vmap(f).in_axes_at([("0.v", None)])(p(), x()));
    assert!(said.contains("an axis for `0.v`") && said.contains("`0.b`, `0.w`, `1`"), "{said}");
    let said = message(|| vmap(|x: Array| (x.clone(), x)).out_axes_at([("0", Some(1))])(v()));
    assert!(said.contains("axis 1 of a result of type f32[2]"), "{said}");
}

/// Conjugate gradients, in a loop that no reverse derivative goes through.
fn conjugate_gradients(product: &TreeFn<Array>, b: Array) -> Array {
    let dot = |x: &Array, y: &Array| (x * y).sum(..);
    let step = |(x, r, p): (Array, Array, Array)| {
        let ap = product(p.clone());
        let alpha = dot(&r, &r) / dot(&p, &ap);
        let next = &r - &alpha * ap;
        let beta = dot(&next, &next) / dot(&r, &r);
        (x + alpha * &p, next.clone(), next + beta * p)
    };
    let far = |(_, r, _): (Array, Array, Array)| dot(&r, &r).gt(1e-26);
    while_loop(far, step, (&b * 0.0, b.clone(), b)).0
}

fn close(x: &Array, y: &Array) {
    assert_eq!(x.shape(), y.shape());
    let scale = 1.0 + y.abs().max(..).item::<f64>();
    assert!((x - y).abs().max(..).item::<f64>() < 1e-9 * scale, "{x}\n{y}");
}

#[test]
fn linear_solvers_have_the_derivatives_of_their_equation() {
    let a = || Array::from([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]]);
    let b = || Array::from([1.0, -2.0, 3.0]);
    // Symmetric for every `a`, by what is solved.
    let symmetric = |a: &Array| (a + a.transpose(..)) * 0.5;
    let ours = move |a: Array, b: Array| {
        let m = symmetric(&a);
        custom_linear_solve(|x: Array| m.matmul(x), b, conjugate_gradients, Some(&conjugate_gradients))
    };
    let plain = move |a: Array, b: Array| symmetric(&a).solve(b);
    close(&ours(a(), b()), &plain(a(), b()));
    close(&jit(ours)(a(), b()), &plain(a(), b()));
    for (f, g) in [(jacfwd(ours), jacfwd(plain)), (jacrev(ours), jacrev(plain))] {
        let ((fa, fb), (ga, gb)) = (f.wrt(All)(a(), b()), g.wrt(All)(a(), b()));
        close(&fa, &ga);
        close(&fb, &gb);
    }
    let of = |f: &(dyn Fn(Array, Array) -> Array + Sync), a: Array, b: Array| (f(a, b.clone()) * b.sin()).sum(..);
    let (f, g) = (move |a, b| of(&ours, a, b), move |a, b| of(&plain, a, b));
    close(&jit(hessian(f))(a(), b()), &hessian(g)(a(), b()));
    let twice = |f: &(dyn Fn(Array, Array) -> Array + Sync)| {
        grad(|a: Array, b: Array| (grad(f)(a, b.clone()) * b.cos()).sum(..)).wrt(All)(a(), b())
    };
    close(&twice(&f).0, &twice(&g).0);
    close(&twice(&f).1, &twice(&g).1);
    // Over a batch of right sides, of matrices, and of both.
    let (many, matrices) = (Array::from([[1.0, 0.0, 2.0], [0.5, 1.0, -1.0]]), wengert::stack(&[a(), a() * 2.0], 0));
    for axes in [[None, Some(0)], [Some(0), None], [Some(0), Some(0)]] {
        let x = if axes[0].is_some() { matrices.clone() } else { a() };
        let y = if axes[1].is_some() { many.clone() } else { b() };
        let (f, g) = (jit(wengert::vmap(grad(f)).in_axes(axes)), wengert::vmap(grad(g)).in_axes(axes));
        close(&f(x.clone(), y.clone()), &g(x, y));
    }
    // A tree of unknowns, and a system that is not symmetric.
    let triangle = |c: Array| {
        let solve = |_: &TreeFn<(Array, Array)>, (p, q): (Array, Array)| (&p - &c * (&q / 3.0), q / 3.0);
        let back = |_: &TreeFn<(Array, Array)>, (p, q): (Array, Array)| (p.clone(), (q - &c * p) / 3.0);
        let rows = |(x, y): (Array, Array)| (x + &c * &y, y * 3.0);
        let (x, y) = custom_linear_solve(rows, (c.sin(), c.cos()), solve, Some(&back));
        x * 2.0 + y
    };
    let written = |c: Array| {
        let y = c.cos() / 3.0;
        (c.sin() - c * &y) * 2.0 + y
    };
    let c = || Array::from(0.7);
    close(&triangle(c()), &written(c()));
    close(&grad(triangle)(c()), &grad(written)(c()));
    close(&grad(grad(triangle))(c()), &grad(grad(written))(c()));
    close(&jit(hessian(triangle))(c()), &hessian(written)(c()));
    // Forward mode alone without a transposed solver.
    let forward = |b: Array| custom_linear_solve(|x: Array| x * 2.0, b, |_, b| b / 2.0, None).sum(..);
    close(&jacfwd(forward)(b()), &Array::from([0.5; 3]));
    let said = message(|| grad(forward)(b()));
    assert!(said.contains("`transpose_solve`"), "{said}");
    let said = message(|| custom_linear_solve(|x: Array| x.sum(..), b(), |_, b| b, None));
    assert!(
        said.contains("the linear function of `custom_linear_solve`") && said.contains("f64[] is no f64[3]"),
        "{said}"
    );
}

#[test]
fn roots_have_the_derivatives_of_their_equation() {
    // x³ + a x = b, which grows with x for a positive a.
    let root = |a: Array, b: Array| {
        let newton = |f: &TreeFn<Array>, x: Array| {
            let step = |x: Array| {
                let (y, dy) = wengert::jvp(|x: Array| f(x), (x.clone(),), (Array::from(1.0),));
                x - y / dy
            };
            fori_loop(0, 40, |_, x: Array| step(x), x)
        };
        custom_root(|x: Array| &x * &x * &x + &a * x - &b, Array::from(1.0), newton, |g, y| y / g(Array::from(1.0)))
    };
    // By Cardano's formula.
    let written = |a: Array, b: Array| {
        let d = (&b * &b / 4.0 + &a * &a * &a / 27.0).sqrt();
        (&b / 2.0 + &d).cbrt() + (b / 2.0 - d).cbrt()
    };
    let (a, b) = (|| Array::from(1.5), || Array::from(2.0));
    close(&root(a(), b()), &written(a(), b()));
    let ((fa, fb), (ga, gb)) = (grad(root).wrt(All)(a(), b()), grad(written).wrt(All)(a(), b()));
    close(&fa, &ga);
    close(&fb, &gb);
    let (h, w) = (hessian(root).wrt(All)(a(), b()), hessian(written).wrt(All)(a(), b()));
    wengert::zip_leaves(&h, &w, |h, w| {
        close(h, w);
        h.clone()
    });
    close(&jit(grad(grad(grad(root))))(a(), b()), &grad(grad(grad(written)))(a(), b()));
    close(&jacfwd(jacfwd(root))(a(), b()), &jacfwd(jacfwd(written))(a(), b()));
    let many = Array::from([0.5, 1.0, 2.0, 7.0]);
    let (f, g) =
        (wengert::vmap(grad(root)).in_axes([None, Some(0)]), wengert::vmap(grad(written)).in_axes([None, Some(0)]));
    close(&jit(f)(a(), many.clone()), &g(a(), many));
    // Two unknowns, whose tangents a matrix gives: x exp(y) = a, x - y = 1.
    let both = |a: Array| {
        let f = |x: Array| wengert::stack(&[x.get(0) * x.get(1).exp() - &a, x.get(0) - x.get(1) - 1.0], 0);
        let newton = |f: &TreeFn<Array>, x: Array| {
            let step = |x: Array| {
                let y = f(x.clone());
                &x - jacfwd(|x: Array| f(x))(x.clone()).solve(y)
            };
            fori_loop(0, 30, |_, x: Array| step(x), x)
        };
        let along = |g: &TreeFn<Array>, y: Array| jacfwd(|v: Array| g(v))(y.clone()).solve(y);
        custom_root(f, Array::from([1.0, 0.0]), newton, along)
    };
    let a = || Array::from(2.0);
    let x = both(a());
    close(&(x.get(0) * x.get(1).exp()), &a());
    // dx (1 + x) exp(y) = da, and dy is the same.
    let slope = 1.0 / ((x.get(0) + 1.0) * x.get(1).exp());
    close(&jacrev(both)(a()), &wengert::stack(&[slope.clone(), slope.clone()], 0));
    close(&jit(jacfwd(both))(a()), &wengert::stack(&[slope.clone(), slope], 0));
    let e = Array::from(1e-4);
    let near = |d: &Array| jacrev(both)(a() + d).get(0);
    let by_differences = (near(&e) - near(&-&e)) / (2.0 * &e);
    let second = jacrev(jacrev(both))(a()).get(0);
    assert!((second - by_differences).abs().item::<f64>() < 1e-6);
    let said = message(|| custom_root(|x: Array| x.to(DType::F32), a(), |_, x| x, |_, y| y));
    assert!(said.contains("the function of `custom_root`") && said.contains("f32[] is no f64[]"), "{said}");
}

/// Derivatives where functions have a corner or an end, at 0, -0 and 1: those of JAX 0.10.2.
#[test]
fn derivatives_at_corners_are_jaxs() {
    type F = fn(Array) -> Array;
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let cases: [(&str, F, [f32; 3]); 28] = [
        ("abs", |x| x.abs(), [1.0, 1.0, 1.0]),
        ("sign", |x| x.sign(), [0.0; 3]),
        ("floor", |x| x.floor(), [0.0; 3]),
        ("relu", |x| x.relu(), [0.0, 0.0, 1.0]),
        ("sqrt", |x| x.sqrt(), [inf, -inf, 0.5]),
        ("cbrt", |x| x.cbrt(), [inf, inf, 1.0 / 3.0]),
        ("rsqrt", |x| x.rsqrt(), [-inf, -inf, -0.5]),
        ("log", |x| x.log(), [inf, -inf, 1.0]),
        ("acos", |x| x.acos(), [-1.0, -1.0, -inf]),
        ("sinc", |x| x.sinc(), [0.0, 0.0, -1.0]),
        ("leaky_relu", |x| x.leaky_relu(0.01), [1.0; 3]),
        ("elu", |x| x.elu(1.0), [1.0; 3]),
        ("relu6", |x| x.relu6(), [0.0, 0.0, 1.0]),
        ("hard_tanh", |x| x.hard_tanh(), [1.0; 3]),
        ("selu", |x| x.selu(), [1.758_099_3, 1.758_099_3, 1.050_701]),
        ("celu", |x| x.celu(1.0), [1.0; 3]),
        ("soft_sign", |x| x.soft_sign(), [1.0, 1.0, 0.25]),
        ("hard_sigmoid", |x| x.hard_sigmoid(), [1.0 / 6.0; 3]),
        ("power", |x| x.pow(1.5), [0.0, 0.0, 1.5]),
        ("square", |x| x.square(), [0.0, -0.0, 2.0]),
        ("maximum", |x| x.maximum(0.0), [0.5, 0.5, 1.0]),
        ("minimum", |x| x.minimum(0.0), [0.5, 0.5, 0.0]),
        ("atan2", |x| x.atan2(&x), [nan, nan, 0.0]),
        ("hypot", |x| x.hypot(&x), [1.0, 1.0, std::f32::consts::SQRT_2]),
        ("logaddexp", |x| x.logaddexp(&x), [1.0; 3]),
        ("softplus", |x| x.softplus(), [0.5, 0.5, 0.731_058_54]),
        ("gelu", |x| x.gelu(true), [0.5, 0.5, 1.082_964]),
        ("silu", |x| x.silu(), [0.5, 0.5, 0.927_670_54]),
    ];
    let mut wrong = Vec::new();
    for (name, f, wanted) in cases {
        for (x, wanted) in [0.0f32, -0.0, 1.0].into_iter().zip(wanted) {
            for got in [grad(f)(Array::from(x)), jit(grad(f))(Array::from(x)), jacfwd(f)(Array::from(x))] {
                let got = got.item::<f32>();
                let same = got == wanted || got.is_nan() && wanted.is_nan() || (got - wanted).abs() < 1e-6;
                if !same {
                    wrong.push(format!("{name}'({x}) is {got}, and {wanted} in JAX"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
