//! Staged functions on a device give what they give on the CPU. The device is that of the plugin that
//! `WENGERT_XLA_PLUGIN` names; without one it is the mock plugin's, which reads the StableHLO text that it is given.

use proptest::prelude::*;
use std::sync::{Arc, LazyLock};
use wengert::{
    Array, DType, Device, Tensor, concatenate, cond, debug_print, device, einsum, fori_loop, grad, hessian, jit,
    random, scan, stack, value_and_grad, vmap, where_, while_loop, with_device,
};
use wengert_core::compare::Tolerance;
use wengert_testing::{Choices, MockPlugin, Recipe, random_program, random_values};

static DEVICE: LazyLock<Device> = LazyLock::new(|| match std::env::var_os("WENGERT_XLA_PLUGIN") {
    Some(_) => device("xla").unwrap(),
    None => Device::plugin(MockPlugin::new("").path(), 0).unwrap(),
});

fn tolerance(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F16 | DType::BF16 => 2e-2,
        DType::F32 => 2e-5,
        DType::F64 => 1e-11,
        _ => 0.0,
    }
}

type Many = fn(Vec<Array>) -> Vec<Array>;

/// Runs a function on the CPU and on the device, staged.
fn same(name: &str, f: Many, x: Vec<Array>) {
    let device = &*DEVICE;
    let staged = jit(f);
    let host = with_device(&Device::cpu(), || staged(x.clone()));
    let there = with_device(device, || staged(x));
    for (i, (h, d)) in host.iter().zip(&there).enumerate() {
        assert_eq!(d.device(), Some(device.name()), "{name}");
        agree(&format!("{name}, result {i}"), &d.to_tensor(), &h.to_tensor());
    }
}

fn agree(name: &str, found: &Tensor, expected: &Tensor) {
    if let Err(e) = Tolerance::near(tolerance(expected.dtype())).check(found, expected) {
        panic!("{name}: {e}");
    }
}

/// Values between -2 and 2 that are not round.
fn values<const N: usize>(shape: [usize; N], dtype: DType) -> Array {
    let n = shape.iter().product::<usize>();
    let v: Vec<f64> = (0..n).map(|i| ((i * 37 + 11) % 101) as f64 / 25.3 - 1.97).collect();
    Array::from(v).reshape(shape).to(dtype)
}

fn floats<const N: usize>(shape: [usize; N]) -> Array {
    values(shape, DType::F32)
}

#[test]
fn elementwise_ops_of_every_type() {
    for dtype in DType::ALL {
        let (x, y) = (values([3, 5], dtype), values([3, 5], dtype).flip(0));
        same(
            "comparisons",
            |x| vec![x[0].eq(&x[1]), x[0].ne(&x[1]), where_(x[0].eq(&x[1]), &x[0], &x[1])],
            vec![x.clone(), y.clone()],
        );
        if dtype == DType::Bool {
            same("logic", |x| vec![&x[0] & &x[1], &x[0] | &x[1], &x[0] ^ &x[1], x[0].logical_not()], vec![x, y]);
            continue;
        }
        same(
            "arithmetic",
            |x| vec![&x[0] + &x[1], &x[0] - &x[1], &x[0] * &x[1], -&x[0], x[0].abs()],
            vec![x.clone(), y.clone()],
        );
        if dtype.is_integer() {
            same(
                "bits",
                |x| vec![&x[0] & &x[1], &x[0] | &x[1], x[0].count_ones(), x[0].leading_zeros()],
                vec![x.clone(), y.clone()],
            );
        } else {
            same(
                "division",
                |x| vec![&x[0] / &x[1], x[0].exp(), x[0].sin(), x[0].cos(), x[0].tanh()],
                vec![x.clone(), y.clone()],
            );
        }
        if !dtype.is_complex() {
            same("order", |x| vec![x[0].lt(&x[1]), x[0].maximum(&x[1]), x[0].minimum(&x[1]), x[0].sign()], vec![x, y]);
        }
    }
}

#[test]
fn special_functions() {
    for dtype in [DType::F32, DType::F64] {
        same(
            "unary",
            |x| {
                let x = &x[0];
                let a = x.abs() + 0.1;
                vec![
                    a.log(),
                    a.sqrt(),
                    a.rsqrt(),
                    a.log1p(),
                    x.expm1(),
                    x.sigmoid(),
                    x.floor(),
                    x.ceil(),
                    x.erf(),
                    a.cbrt(),
                ]
            },
            vec![values([37], dtype)],
        );
        same(
            "binary",
            |x| vec![x[0].atan2(&x[1]), x[0].abs().pow(&x[1])],
            vec![values([37], dtype), values([37], dtype).flip(0)],
        );
    }
}

#[test]
fn shapes_reductions_and_products() {
    same(
        "shapes",
        |x| {
            let x = &x[0];
            vec![
                x.transpose([2, 0, 1]),
                x.reshape([4, 6]),
                x.flip(1),
                x.pad(1, 0.5),
                concatenate([x, x], 1),
                x.roll(2, 2),
            ]
        },
        vec![floats([2, 3, 4])],
    );
    same(
        "reductions",
        |x| {
            vec![
                x[0].sum(..),
                x[0].sum(0),
                x[0].max(-1),
                x[0].min(1),
                x[0].mean(..),
                x[0].argmax(1),
                x[0].cumsum(1),
                x[0].prod(0),
            ]
        },
        vec![floats([4, 6])],
    );
    same(
        "products",
        |x| vec![x[0].matmul(&x[1]), einsum("ij,kj->ik", [&x[0], &x[1].t()]), x[0].dot(&x[1])],
        vec![floats([5, 7]), floats([7, 3])],
    );
    same(
        "convolution",
        |x| vec![wengert::nn::conv(&x[0], &x[1], wengert::nn::Sliding::new().same())],
        vec![floats([2, 3, 8, 8]), floats([4, 3, 3, 3])],
    );
    for dtype in [DType::I8, DType::U16, DType::I32, DType::U64, DType::C64] {
        // With products that overflow.
        let large = |shape: [usize; 3]| values(shape, dtype) * 97;
        same(
            "convolution of other numbers",
            |x| vec![wengert::nn::conv(&x[0], &x[1], wengert::nn::Sliding::new().same())],
            vec![large([2, 3, 9]), large([4, 3, 3])],
        );
    }
    same("nothing", |x| vec![x[0].sum(0), &x[0] + 1.0], vec![Array::zeros([0, 3], DType::F32)]);
}

#[test]
fn order_search_and_indexing() {
    same("order", |x| vec![x[0].sort(-1), x[0].argsort(-1), x[0].sort(0)], vec![floats([5, 9])]);
    same(
        "indexing",
        |x| vec![x[0].get(&x[1]), Array::zeros_like(&x[0]).at(&x[1]).add(x[0].get(&x[1]))],
        vec![floats([6, 3]), Array::from([1, 5, 1, 0])],
    );
    same(
        "random",
        |x| vec![random::normal(&random::Key::from_data(x[0].clone()), [100], DType::F32)],
        vec![Array::from([0u32, 42])],
    );
}

#[test]
fn control_flow_and_derivatives() {
    same(
        "while",
        |x| {
            let go = |(i, y): (Array, Array)| i.lt(20) & y.lt(1e3);
            vec![while_loop(go, |(i, y)| (i + 1, y * 1.5), (Array::from(0), x[0].clone())).1]
        },
        vec![Array::from(1.25f32)],
    );
    same("fori", |x| vec![fori_loop(0, 7, |_, y: Array| (&y * 0.5).sin() + 0.1, x[0].clone())], vec![floats([4])]);
    same(
        "scan",
        |x| {
            let (last, all) = scan(|c: Array, x: Array| (&c * 0.9 + &x, c.tanh()), x[0].get(0), x[0].clone());
            vec![last, all]
        },
        vec![floats([6, 3])],
    );
    same(
        "cond",
        |x| vec![cond(x[0].sum(..).gt(0.0), |x: Array| x.sin(), |x: Array| x.cos(), x[0].clone())],
        vec![floats([3])],
    );
    same("gradients", |x| vec![grad(|x: Array| (x.tanh() * &x).sum(..))(x[0].clone())], vec![floats([9])]);
    same("hessian", |x| vec![hessian(|x: Array| (&x * &x * &x).sum(..))(x[0].clone())], vec![floats([4])]);
    same("vmap", |x| vec![vmap(|x: Array| stack(&[x.sum(..), x.max(..)], 0))(x[0].clone())], vec![floats([5, 4])]);
    same(
        "a step of learning",
        |x| {
            let loss = |w: Array| {
                let y = x[1].matmul(&w).tanh();
                (&y * &y).mean(..)
            };
            let (l, g) = value_and_grad(loss)(x[0].clone());
            vec![l, &x[0] - 0.1 * g]
        },
        vec![floats([8, 4]), floats([6, 8])],
    );
}

#[test]
fn operations_outside_of_staged_functions_run_where_the_operands_are() {
    let device = &*DEVICE;
    let x = floats([3, 4]);
    let there = x.to_device(device).unwrap();
    let f = |x: &Array| ((x * 2.0).sin() + x).sum(0);
    let y = f(&there);
    assert_eq!(y.device(), Some(device.name()));
    agree("eager", &y.to_tensor(), &f(&x).to_tensor());
    assert!(there.max(..).to_f64() > 1.0);
}

#[test]
fn decompositions() {
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        // Nothing equal, nothing near zero: what is determined up to an order only comes out the same.
        let steps = Array::from([2.0f64, 3.5, 5.0, 7.0, 11.0]);
        let square = (values([5, 5], DType::F64) + Array::eye(5, 5, 0, DType::F64) * steps).to(dtype);
        let batch = stack(&[square.clone(), &square * 2.0], 0);
        for x in [square, batch] {
            same("lu", |x| vec![x[0].lu().factors, x[0].lu().pivots, x[0].lu().order], vec![x.clone()]);
            same("qr", |x| <[Array; 2]>::from(x[0].qr(true)).into(), vec![x.clone()]);
            // The CPU gives vectors the signs and phases that LAPACK does, which a device does not know.
            let svd = |x: Vec<Array>| {
                let [u, s, v] = x[0].svd(false).into();
                let whole = einsum("...ij,...j,...jk->...ik", [u.clone(), s.to(u.dtype()), v.clone()]);
                vec![u.abs(), s, v.abs(), whole]
            };
            same("svd", svd, vec![x.clone()]);
            let eigh = |x: Vec<Array>| {
                let [w, v] = x[0].eigh().into();
                let whole = einsum("...ij,...j,...kj->...ik", [v.clone(), w.to(v.dtype()), v.conj()]);
                vec![w, v.abs(), whole]
            };
            same("eigh", eigh, vec![x.clone()]);
            same("solve", |x| vec![x[0].solve(&x[0]), x[0].det()], vec![x.clone()]);
            // Conjugates have the same real part, but for rounding: each part by itself has an order.
            let parts = |x: Vec<Array>| {
                let w = x[0].eigvals();
                vec![w.real().sort(-1), w.imag().sort(-1)]
            };
            same("eigvals", parts, vec![x]);
        }
    }
}

#[test]
fn donated_arguments_are_gone() {
    let device = &*DEVICE;
    let step = jit(|state: Array, x: Array| (&state * 2.0 + x.sum(..), state.sum(..))).device(device).donate(0);
    let x = floats([3]).to_device(device).unwrap();
    let start = floats([4]).to_device(device).unwrap();
    let kept = start.clone();
    let (next, _) = step(start, x.clone());
    agree("donating", &next.to_tensor(), &(floats([4]) * 2.0 + floats([3]).sum(..)).to_tensor());
    assert_eq!(x.to_tensor().size(), 3);
    let e = kept.wait().unwrap_err().to_string();
    assert!(e.contains("f32[4]") && e.contains("donated") && e.contains("what to do"), "{e}");
    // What is on the host is sent, and stays.
    let host = floats([4]);
    let (again, _) = step(host.clone(), x.clone());
    agree("from the host", &again.to_tensor(), &next.to_tensor());
    assert_eq!(host.to_tensor().size(), 4);
    // Passed twice, it is lent.
    let twice = jit(|a: Array, b: Array| a + b).device(device).donate(0);
    let y = twice(next.clone(), next.clone());
    agree("twice", &y.to_tensor(), &(host * 0.0 + &next + &next).to_tensor());
}

proptest! {
    #![proptest_config(wengert_testing::cases(12))]
    #[test]
    fn random_programs_give_the_same(numbers in prop::collection::vec(any::<u16>(), 8..60)) {
        let device = &*DEVICE;
        let mut choices = Choices::new(&numbers);
        let program = random_program(&Recipe::smooth(), &mut choices);
        let inputs = random_values(&program.input_types(), &mut choices, true);
        let host = Device::cpu().compile(Arc::new(program.clone())).unwrap().run_on_host(inputs.clone()).unwrap();
        let there = device.compile(Arc::new(program.clone())).unwrap().run_on_host(inputs).unwrap();
        for (d, h) in there.iter().zip(&host) {
            if let Err(e) = Tolerance::near(10.0 * tolerance(h.dtype())).check(d, h) {
                return Err(TestCaseError::fail(format!("{e}\n{program}")));
            }
        }
    }
}

/// What this test prints when it runs in a process of its own, where that can be read.
fn printed(test: &str, f: impl FnOnce()) -> Option<(String, String)> {
    const CHILD: &str = "WENGERT_TEST_PRINTS_ON_A_DEVICE";
    if std::env::var_os(CHILD).is_some() {
        f();
        return None;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.env(CHILD, "1").args([test, "--exact", "--nocapture"]);
    let output = child.output().unwrap();
    let [out, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{errors}");
    Some((out, errors))
}

/// Everywhere that printing can be, a device prints what the CPU does, in the same order.
#[test]
fn a_device_prints_what_the_cpu_does() {
    let plain = |x: Array| debug_print("x = {}", &x) * 2.0;
    let walk = |x: Array| {
        let step = |c: Array, y: Array| {
            let c = debug_print("step {:.2}", &(c + &y));
            let c =
                cond(c.gt(3.0), |c: Array| debug_print("more {}", &c) * 0.5, |c: Array| debug_print("less {}", &c), c);
            (c.clone(), c)
        };
        let (c, ys) = scan(step, Array::from(0.5f32), x);
        let until = |(i, c): (Array, Array)| (i + 1, debug_print("again {}", &(c * 1.5)));
        let (i, c) = while_loop(|(i, _): (Array, Array)| i.lt(4), until, (Array::from(0i32), c));
        let inner = jit(|c: Array| debug_print("inside {}", &c) + 1.0);
        debug_print("end {}", &(inner(c) + ys.sum(..))) + i.to(DType::F32)
    };
    let long = |x: Array| while_loop(|x: Array| x.lt(130.0), |x: Array| debug_print("n {}", &(x + 1.0)), x);
    let run = |on: &Device| {
        println!("begin");
        let x = || Array::from([1.0f32, 2.0, 3.0]);
        let f = |x: Array| (plain(x.clone()), walk(x));
        let (a, b) = with_device(on, || jit(f)(x()));
        let g = with_device(on, || jit(grad(|x: Array| walk(x).sum(..)))(x()));
        let v = with_device(on, || jit(vmap(plain))(Array::from([[1.0f32], [2.0]])));
        [a, b, g, v].map(|y| y.to_vec::<f32>())
    };
    let test = "a_device_prints_what_the_cpu_does";
    let found = printed(test, || {
        assert_eq!(run(&Device::cpu()), run(&DEVICE));
        println!("begin");
        with_device(&DEVICE, || jit(long)(Array::from(0.0f32)).item::<f32>());
        println!("begin");
    });
    let Some((out, errors)) = found else { return };
    let parts: Vec<&str> = out.split("begin\n").collect();
    assert!(parts[1].contains("more ") && parts[1].contains("less ") && parts[1].lines().count() > 20, "{out}");
    assert_eq!(parts[1], parts[2], "{errors}");
    assert!(parts[3].starts_with("n 1.0\n") && parts[3].ends_with("n 100.0\n… and 30 more steps\n"), "{}", parts[3]);
}

#[test]
fn what_a_device_does_not_print_is_said_once() {
    let test = "what_a_device_does_not_print_is_said_once";
    let found = printed(test, || {
        let rule = |(x,): (Array,), (t,): (Array,)| (x.sin(), t * x.cos());
        let f = wengert::custom_jvp(|x: Array| debug_print("x = {}", &x).sin(), rule);
        for i in 0..2 {
            with_device(&DEVICE, || jit(|x: Array| f(x))(Array::from(vec![1.0f32; 2 + i])));
        }
    });
    let Some((_, errors)) = found else { return };
    assert_eq!(errors.matches("prints nothing on").count(), 1, "{errors}");
}
