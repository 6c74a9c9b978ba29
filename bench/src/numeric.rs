//! Elementwise loops, control flow, gathers, sorts and random numbers.

use crate::{Workload, fill, sized, workload};
use wengert::{Array, DType, fori_loop, grad, hessian, random, s, stack, vmap, where_, while_loop};

fn selu(x: Array) -> Array {
    1.0507009873554805 * where_(x.gt(0.0), &x, 1.6732632423543772 * (x.exp() - 1.0))
}

fn polynomial(x: Array) -> Array {
    let mut y = Array::ones_like(&x);
    for k in 0..24 {
        y = y * &x + 0.5 / (k + 1) as f64;
    }
    y
}

fn softmax_layernorm(x: Array) -> Array {
    use wengert::keep;
    let p = x.softmax(-1);
    let d = &p - p.mean(keep(-1));
    let v = (&d * &d).mean(keep(-1));
    d / (v + 1e-5).sqrt()
}

fn while_scalar(x: Array) -> Array {
    let go = |(i, y): (Array, Array)| i.lt(sized(100_000) as i32) & y.lt(1e6);
    let step = |(i, y): (Array, Array)| (i + 1, &y - (&y * &y - &x) / (2.0 * &y + 1.0) * 0.001);
    while_loop(go, step, (Array::from(0i32), Array::from(1.5f32))).1
}

fn lorenz(y: Array) -> Array {
    let d = |y: &Array| {
        let [a, b, c] = [0, 1, 2].map(|i| y.get(i));
        stack(&[10.0 * (&b - &a), &a * (28.0 - &c) - &b, a * b - 8.0 / 3.0 * c], 0)
    };
    let body = |_: Array, y: Array| {
        let h = 1e-3;
        let k1 = d(&y);
        let k2 = d(&(&y + 0.5 * h * &k1));
        let k3 = d(&(&y + 0.5 * h * &k2));
        let k4 = d(&(&y + h * &k3));
        y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    };
    fori_loop(0, sized(10_000), body, y)
}

fn mandelbrot(ys: Array) -> Array {
    fn one(cx: &Array, cy: &Array) -> Array {
        let go = |(i, x, y): (Array, Array, Array)| i.lt(100) & (&x * &x + &y * &y).lt(4.0);
        let step = |(i, x, y): (Array, Array, Array)| (i + 1, &x * &x - &y * &y + cx, 2.0 * x * y + cy);
        while_loop(go, step, (Array::from(0i32), Array::from(0f32), Array::from(0f32))).0
    }
    let xs = Array::linspace(-2.0, 0.5, 512, DType::F32);
    vmap(|y: Array| vmap(|x: Array| one(&x, &y))(xs.clone()))(ys)
}

fn rosenbrock(x: Array) -> Array {
    let (head, tail) = (x.get(s![..-1]), x.get(s![1..]));
    let a = tail - &head * &head;
    let b = 1.0 - head;
    (100.0 * &a * &a + &b * &b).sum(..)
}

fn gather_scatter((table, index): (Array, Array)) -> Array {
    Array::zeros_like(&table).at(&index).add(table.get(&index) * 2.0)
}

fn indices() -> Array {
    Array::from((0..sized(65_536) as i64).map(|i| (i * 7919 % 10_000) as i32).collect::<Vec<_>>())
}

pub(crate) fn workloads() -> Vec<Workload> {
    vec![
        workload("dispatch", |x: Array| x + 1.0, || Array::from(1f32)),
        workload("selu_10m", selu, || fill([sized(10_000_000)], 1, 1.0)),
        workload("selu_grad_10m", |x| grad(|x: Array| selu(x).sum(..))(x), || fill([sized(10_000_000)], 1, 1.0)),
        workload("poly_64k", polynomial, || fill([sized(65_536)], 1, 1.0)),
        workload("softmax_layernorm", softmax_layernorm, || fill([sized(4096), 1024], 1, 4.0)),
        workload(
            "matmul_1024",
            |(a, b): (Array, Array)| a.matmul(&b),
            || (fill([sized(1024), 1024], 1, 1.0), fill([1024, 1024], 2, 1.0)),
        ),
        workload("while_scalar", while_scalar, || Array::from(2f32)),
        workload("rk4_lorenz", lorenz, || Array::from([1f32, 1.0, 1.0])),
        workload("mandelbrot_vmap", mandelbrot, || Array::linspace(-1.25, 1.25, sized(512), DType::F32)),
        workload("hessian_64", |x| hessian(rosenbrock)(x), || fill([sized(64)], 1, 1.0)),
        workload("gather_scatter", gather_scatter, || (fill([10_000, 64], 1, 1.0), indices())),
        workload("sort_1m", |x: Array| x.sort(-1), || fill([sized(1_000_000)], 1, 1.0)),
        workload("cumsum_4m", |x: Array| x.cumsum(0), || fill([sized(4_000_000)], 1, 1.0)),
        workload(
            "threefry_normal_1m",
            |k: Array| random::normal(&random::Key::from_data(k), [sized(1_000_000)], DType::F32),
            || Array::from([0u32, 42]),
        ),
    ]
}
