//! Programs that two runs of are compared, and numbers for them.

use wengert::{Array, DType, grad, hessian, make_program, s, scan, stack, vmap, while_loop};
use wengert_core::{Program, Scalar, Tensor, Type};

/// Numbers that look drawn: floats around 0, small integers.
pub fn drawn(types: &[Type]) -> Vec<Tensor> {
    let number = |k: usize, i: usize, d: DType| match d {
        d if d.is_float() => Scalar::from_f64(d, (((i * 37 + k * 11) as f64) * 0.7).sin() * 1.3),
        d => Scalar::from_i64(d, ((i * 7 + k * 3) % if d == DType::Bool { 2 } else { 5 }) as i64),
    };
    let one = |(k, t): (usize, &Type)| {
        let all: Vec<Scalar> = (0..t.shape.size()).map(|i| number(k, i, t.dtype)).collect();
        let mut numbers = all.iter();
        wengert_testing::from_scalars(t, |_| *numbers.next().unwrap())
    };
    types.iter().enumerate().map(one).collect()
}

fn fill(shape: &[usize], seed: usize) -> Array {
    let ty = Type::new(DType::F32, shape.to_vec());
    let n = ty.shape.size();
    let all: Vec<f32> = (0..n).map(|i| (((i * 31 + seed * 17) as f32) * 0.61).sin()).collect();
    Array::from(all).reshape(shape)
}

fn program_of(f: impl Fn(Array) -> Array, x: &Array) -> (Program, Vec<Tensor>) {
    (make_program(f, (x.clone(),)), vec![x.to_tensor()])
}

/// Programs like those of the benchmarks: learning, numerics, loops.
pub fn workloads() -> Vec<(&'static str, Program, Vec<Tensor>)> {
    let mlp = |w: Array| {
        let x = fill(&[32, 24], 1);
        let h = x.matmul(&w).tanh().matmul(fill(&[24, 10], 2));
        -(h.log_softmax(-1) * fill(&[32, 10], 3)).sum(..) / 32.0
    };
    let attention = |x: Array| {
        let (q, k, v) = (x.matmul(fill(&[16, 16], 4)), x.matmul(fill(&[16, 16], 5)), x.matmul(fill(&[16, 16], 6)));
        let a = (q.matmul(k.t()) / 4.0).softmax(-1);
        let y = a.matmul(&v) + &x;
        let m = y.mean(1).reshape([12, 1]);
        let d = &y - &m;
        let s = (&d * &d).mean(1).reshape([12, 1]);
        (d / (s + 1e-5).sqrt()).sin().sum(..)
    };
    let lstm = |w: Array| {
        let step = move |c: Array, x: Array| {
            let h = (c.matmul(&w) + x).tanh();
            (h.clone(), h)
        };
        scan(step, fill(&[4, 8], 7), fill(&[20, 4, 8], 8)).1.sum(..)
    };
    let lorenz = |s: Array| {
        let step = |s: Array, _: Array| {
            let [x, y, z] = [0, 1, 2].map(|i| s.get(i));
            let d = stack(&[10.0 * (&y - &x), &x * (28.0 - &z) - &y, &x * &y - 8.0 / 3.0 * &z], 0);
            let next = s + d * 0.01;
            (next.clone(), next)
        };
        // Long enough that every rounding has grown to all of the numbers.
        scan(step, s, fill(&[600], 9)).1
    };
    let newton = |x: Array| {
        let go_on = |v: Array| (&v * &v - 2.0).abs().max(..).gt(1e-5);
        while_loop(go_on, |v: Array| (&v + 2.0 / &v) * 0.5, x.abs() + 0.5)
    };
    let mandelbrot = |ys: Array| {
        let one = |cx: &Array, cy: &Array| {
            let go = |(i, x, y): (Array, Array, Array)| i.lt(60) & (&x * &x + &y * &y).lt(4.0);
            let (cx, cy) = (cx.clone(), cy.clone());
            let step = move |(i, x, y): (Array, Array, Array)| (i + 1, &x * &x - &y * &y + &cx, 2.0 * x * y + &cy);
            while_loop(go, step, (Array::from(0i32), Array::from(0f32), Array::from(0f32))).0
        };
        let xs = Array::linspace(-2.0, 0.5, 24, DType::F32);
        vmap(move |y: Array| vmap(|x: Array| one(&x, &y))(xs.clone()))(ys)
    };
    let rosenbrock = |x: Array| {
        let (a, b) = (x.get(s![..-1]), x.get(s![1..]));
        let (u, v) = (&b - &a * &a, 1.0 - &a);
        (&u * &u * 100.0 + &v * &v).sum(..)
    };
    let mut all = Vec::new();
    let mut add = |name, (p, x): (Program, Vec<Tensor>)| all.push((name, p, x));
    add("mlp", program_of(|x| grad(mlp)(x), &fill(&[24, 24], 20)));
    add("attention", program_of(|x| grad(attention)(x), &fill(&[12, 16], 21)));
    add("lstm", program_of(|x| grad(lstm)(x), &fill(&[8, 8], 22)));
    add("lorenz", program_of(lorenz, &Array::from([1.0f32, 1.0, 1.0])));
    add("newton", program_of(newton, &fill(&[9], 23)));
    add("mandelbrot", program_of(mandelbrot, &Array::linspace(-1.25, 1.25, 24, DType::F32)));
    add("hessian", program_of(|x| hessian(rosenbrock)(x), &fill(&[8], 24)));
    add("cumsum", program_of(|x: Array| x.cumsum(0), &fill(&[5000], 25)));
    add("sort", program_of(|x: Array| (x.sort(0) * 3.0).round(), &fill(&[999], 26)));
    all
}
