//! Native control flow under `jit`, with decisions as guards.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use wengert::tape::{Recorder, UpdateOutcome};
use wengert::{Array, DType, grad, jit, jvp, try_run, vmap};
use wengert_testing::expect;

fn x(v: f32) -> Array {
    Array::from(v)
}

fn divide(x: Array, y: Array) -> Array {
    if y >= 1.0 { x / y } else { Array::from(0.0f32) }
}

/// The places of a text without what is before the file's name.
fn here(text: &str) -> String {
    text.replace("crates/wengert/tests/", "")
}

#[test]
fn divide_of_the_guide_has_two_paths() {
    let f = jit(divide).with_guards();
    let call = |a, b| f(x(a), x(b)).item::<f32>();
    assert_eq!((call(3.0, 2.0), call(3.0, 4.0), call(3.0, 0.5), call(1.0, 0.0)), (1.5, 0.75, 0.0, 0.0));
    assert_eq!((f.misses(), f.hits()), (2, 2));
    expect![[r#"
        part 1: program divide(arg1: f32[]) {
          %2: bool[] = compare[direction=ge](arg1, 1.0:f32[])
          return %2
        }
        part 2: program divide(arg0: f32[], arg1: f32[]) {
          %2: f32[] = div(arg0, arg1)
          return %2
        }
        part 3: program divide() {
          %0: f32[] = 0.0:f32[]
          return %0
        }
        2 paths:
          part 1, read as a bool at guards.rs:14:8
          true:
            part 2, return
          false:
            part 3, return
    "#]]
    .assert_eq(&here(&f.paths()[0]));
    let explained = here(&f.explain());
    assert!(explained.contains("at guards.rs:14:8 the host read false, and so far true"), "{explained}");
}

/// An adaptive step of Heun's method, in a native loop.
fn ode(y: Array, rate: Array, tolerance: Array) -> (Array, Array) {
    let (mut t, mut h, mut y) = (Array::from(0.0f64), Array::from(0.5f64), y);
    let slope = |y: &Array, t: &Array| -(y * &rate) + t.sin();
    let mut steps = 0.0;
    while t < 2.0 {
        let h_now = h.minimum(2.0 - &t);
        let k = slope(&y, &t);
        let euler = &y + &k * &h_now;
        let t_next = &t + &h_now;
        let heun = &y + (&k + slope(&euler, &t_next)) * &h_now * 0.5;
        let error = (&heun - &euler).abs().max(..);
        steps += 1.0;
        if error <= tolerance.clone() {
            (t, y) = (t_next, heun);
            if error < &tolerance * 0.25 {
                h = &h * 2.0;
            }
        } else {
            h = &h * 0.5;
        }
    }
    (y, Array::from(steps))
}

#[test]
fn an_adaptive_solver_is_compiled_for_one_turn() {
    let f = jit(ode).with_guards();
    let start = || Array::from([1.0f64, -2.0, 0.5]);
    for (rate, tolerance) in [(1.0, 1e-3), (1.0, 1e-3), (3.0, 1e-3), (1.3, 1e-4), (10.0, 1e-2)] {
        let args = || (start(), Array::from(rate), Array::from(tolerance));
        let (a, b, c) = args();
        let (y, steps) = f(a, b, c);
        let (a, b, c) = args();
        let (expected, expected_steps) = ode(a, b, c);
        assert_eq!(steps.item::<f64>(), expected_steps.item::<f64>());
        let apart = (y - expected).abs().max(..).item::<f64>();
        assert!(apart < 1e-12, "{apart}");
    }
    assert_eq!(f.misses(), 4);
    // Hundreds of decisions, and a few programs.
    let (decisions, parts) = (f.paths()[0].matches("read as a bool").count(), f.programs().len());
    assert!(decisions > 100 && parts < 24, "{decisions} decisions, {parts} parts\n{}", f.paths()[0]);
}

/// A tree of decisions on three numbers.
fn classify(v: Array) -> Array {
    let part = |i: usize| v.get(i);
    if part(0) < 0.0 {
        if part(1) < 0.0 { v.sum(..) } else { v.prod(..) }
    } else if part(2) > 1.0 {
        match part(1).to(DType::I32).to_i64() {
            0 => v.max(..),
            1 => v.min(..),
            n => &v.mean(..) * n as f64,
        }
    } else {
        v.sin().sum(..)
    }
}

#[test]
fn a_tree_of_decisions_takes_each_path_once() {
    let f = jit(classify).with_guards();
    let mut found = Vec::new();
    for round in 0..3 {
        for a in [-1.0f32, 1.0] {
            for b in [-1.5f32, 0.5, 1.5, 2.5] {
                for c in [0.0f32, 2.0] {
                    let v = || Array::from([a + round as f32 * 0.01, b, c]);
                    let (got, want) = (f(v()).item::<f32>(), classify(v()).item::<f32>());
                    assert!((got - want).abs() <= 1e-6 * want.abs(), "{got} and {want}");
                    found.push(got);
                }
            }
        }
    }
    // Two below zero, one of the sine, and four numbers that were read.
    assert_eq!((f.misses(), f.hits()), (7, 48 - 7));
    assert!(f.paths()[0].contains("7 paths"), "{}", f.paths()[0]);
}

#[test]
fn transforms_go_through_guards_and_guards_through_transforms() {
    let f = |v: Array| {
        let mut y = v.sin();
        while y.abs() < 2.0 {
            y = &y * 1.5 + &v;
        }
        if y > 0.0 { &y * &y } else { -y }
    };
    for v in [0.7f32, 0.9, -0.4, 2.0, -3.0] {
        let want = grad(f)(x(v)).item::<f32>();
        let outside = grad(jit(f).with_guards())(x(v)).item::<f32>();
        let inside = jit(grad(f)).with_guards();
        let second = jit(grad(grad(f))).with_guards();
        let (got, wanted) = (second(x(v)).item::<f32>(), grad(grad(f))(x(v)).item::<f32>());
        assert!((got - wanted).abs() <= 1e-5 * wanted.abs().max(1.0), "{got} and {wanted}");
        for got in [outside, inside(x(v)).item::<f32>(), inside(x(v)).item::<f32>()] {
            assert!((got - want).abs() <= 1e-5 * want.abs(), "{got} and {want}");
        }
        assert_eq!((inside.misses(), inside.hits()), (1, 1));
    }
    let forward = jit(move |a: Array, d: Array| jvp(f, (a,), (d,))).with_guards();
    for v in [0.7f32, -3.0, 0.8] {
        let (got, want) = (forward(x(v), x(1.0)).1.item::<f32>(), grad(f)(x(v)).item::<f32>());
        assert!((got - want).abs() <= 1e-5 * want.abs(), "{got} and {want}");
    }
    // A staged function inside of a staged function, both with guards.
    let inner = jit(divide).with_guards();
    let outer = jit(move |a: Array, b: Array| if a > 2.0 { inner(a, b) } else { a }).with_guards();
    let call = |a, b| outer(x(a), x(b)).item::<f32>();
    assert_eq!((call(3.0, 2.0), call(1.0, 2.0), call(3.0, 0.5), call(4.0, 2.0)), (1.5, 1.0, 0.0, 2.0));
    assert_eq!((outer.misses(), outer.hits()), (3, 1));
    // `vmap` inside: what it maps has no single value, what is around it has.
    let mapped = jit(|a: Array| if a.sum(..) > 0.0 { vmap(|e: Array| e.sin())(a) } else { a }).with_guards();
    assert_eq!(mapped(Array::from([-1.0f32, -2.0])).to_vec::<f32>(), [-1.0, -2.0]);
    assert_eq!(mapped(Array::from([0.0f32, 2.0])).to_vec::<f32>()[1], 2f32.sin());
}

#[test]
fn without_values_the_usual_error_names_the_transform_around() {
    let inner = jit(divide).with_guards();
    let outer = jit(move |a: Array, b: Array| inner(a, b));
    let e = try_run(|| outer(x(3.0), x(2.0))).unwrap_err().to_string();
    assert!(e.contains("while `jit` traces it has no value"), "{e}");
}

#[test]
fn what_cannot_be_guarded_is_said_at_once() {
    let f = jit(|v: Array| if v.to_vec::<f32>()[0] > 0.0 { v.sin() } else { v }).with_guards();
    let e = try_run(|| f(Array::from([1.0f32, 2.0]))).unwrap_err().to_string();
    assert!(e.contains("an array was read as a vector, and `jit` with guards can only guard numbers"), "{e}");
    let f = jit(|v: Array| v.get(v.gt(0.0))).with_guards();
    let e = try_run(|| f(Array::from([1.0f32, 2.0]))).unwrap_err().to_string();
    assert!(e.contains("a mask that decides a shape"), "{e}");
    // Nor is anything written: other calls would not write it, and what is there is kept.
    let path = std::env::temp_dir().join(format!("wengert-guards-{}.npy", std::process::id()));
    std::fs::write(&path, "kept").unwrap();
    let to = path.clone();
    let f = jit(move |v: Array| v.save_npy(&to).map_or_else(|e| panic!("{e}"), |()| v)).with_guards();
    assert!(catch_unwind(AssertUnwindSafe(|| f(x(1.0)))).is_err());
    let to = path.clone();
    let f = jit(move |v: Array| wengert::save_safetensors(&to, [("v", &v)]).map_or_else(|e| panic!("{e}"), |()| v))
        .with_guards();
    assert!(catch_unwind(AssertUnwindSafe(|| f(x(1.0)))).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"kept");
    std::fs::remove_file(path).unwrap();
    // Texts show no value, so that nothing hangs on it.
    let f = jit(|v: Array| Array::from(format!("{v} {v:?}").len() as f64)).with_guards();
    assert_eq!(f(x(1.0)).item::<f64>(), "Traced<f32[]> Traced<f32[]>".len() as f64);
}

#[test]
fn a_function_that_is_not_pure_is_refused() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let f = jit(|v: Array| {
        let v = if CALLS.fetch_add(1, Ordering::Relaxed) == 0 { v.sin() } else { v.cos() };
        if v > 0.5 { v } else { -v }
    })
    .with_guards();
    f(x(1.0));
    let e = try_run(|| f(x(0.1))).unwrap_err().to_string();
    assert!(e.contains("did something else here than in an earlier call"), "{e}");
}

#[test]
fn paths_are_bounded_and_numbers_that_were_read_are_named() {
    let f = jit(|v: Array| &v * v.sum(..).to_f64()).with_guards().cache_capacity(3);
    for n in 0..20 {
        assert_eq!(f(x(n as f32)).item::<f32>(), (n * n) as f32);
    }
    assert!(f.paths()[0].contains("3 paths"), "{}", f.paths()[0]);
    assert_eq!(f.misses(), 20);
    f(x(19.0));
    f(x(18.0));
    assert_eq!(f.hits(), 2);
    assert!(f.explain().contains("compare arrays"), "{}", f.explain());
}

/// A call that goes on while others make the tree forget the path it is on.
#[test]
fn forgotten_paths_end_no_call() {
    use std::sync::OnceLock;
    static F: OnceLock<wengert::Jit<'static, (Array,), Array>> = OnceLock::new();
    fn f(v: Array) -> Array {
        if v > 0.0 {
            if v > 5.0 {
                let y = F.get().unwrap()(x(-1.0));
                v + y
            } else {
                v
            }
        } else {
            -v
        }
    }
    F.get_or_init(|| jit(f).with_guards().cache_capacity(1));
    let call = |v| F.get().unwrap()(x(v)).item::<f32>();
    assert_eq!((call(1.0), call(6.0), call(-2.0), call(7.0)), (1.0, 7.0, 2.0, 8.0));
    for capacity in [1, 2, 7] {
        let g = jit(|n: Array, v: Array| {
            let y = &v * n.to_i64() as f64;
            if y > 0.0 { y } else { -y }
        });
        let g = g.with_guards().cache_capacity(capacity);
        std::thread::scope(|s| {
            for t in 0..4 {
                let g = g.clone();
                s.spawn(move || {
                    for i in 0..60 {
                        let (n, v) = ((i * 7 + t) % 20, if i % 2 == 0 { 1.5f32 } else { -1.5 });
                        assert_eq!(g(Array::from(n), x(v)).item::<f32>(), n as f32 * 1.5);
                    }
                });
            }
        });
    }
}

#[test]
fn long_paths_take_time_and_memory_in_proportion() {
    let f = jit(|v: Array, n: Array| {
        let (mut y, mut i) = (v, Array::from(0.0f32));
        while i < n.clone() {
            (y, i) = (y.sin() + 0.1, i + 1.0);
        }
        y
    });
    let f = f.with_guards();
    // A stack of 400 KB, and 6,000 decisions.
    let run = move || {
        let y = f(x(0.3), x(6_000.0));
        assert!(y.item::<f32>().is_finite());
        assert!(f.programs().len() < 6, "{}", f.programs().len());
        f(x(0.3), x(5_999.0));
        assert_eq!(f.misses(), 2);
    };
    std::thread::Builder::new().stack_size(400 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn elements_of_any_type_are_guarded() {
    use wengert::{Complex, f16};
    let f = jit(|v: Array| if v.to(DType::F16).item::<f16>().to_f32() > 1.0 { v.sin() } else { v }).with_guards();
    assert_eq!(f(x(0.5)).item::<f32>(), 0.5);
    assert_eq!(f(x(0.25)).item::<f32>(), 0.25);
    let f = jit(|v: Array| if v.item::<Complex<f32>>().im > 1.0 { v.real() } else { v.imag() }).with_guards();
    let call = |re, im| f(Array::from(Complex::new(re, im))).item::<f32>();
    assert_eq!((call(1.0f32, 2.0f32), call(3.0, 0.5), call(1.0, 2.0)), (1.0, 0.5, 1.0));
    assert_eq!((f.misses(), f.hits()), (2, 1));
    let f = jit(|v: Array| if v.to_vec::<f32>()[0] > 1.0 { -v } else { v }).with_guards();
    assert_eq!(f(Array::from([2.0f32])).to_vec::<f32>(), [-2.0]);
}

#[test]
fn threads_share_paths() {
    let f = jit(classify).with_guards();
    std::thread::scope(|s| {
        for t in 0..4 {
            let f = f.clone();
            s.spawn(move || {
                for i in 0..50 {
                    let v = || Array::from([(i % 5) as f32 - 2.0, (i % 3) as f32, ((i + t) % 2) as f32 * 2.0]);
                    let (got, want) = (f(v()).item::<f32>(), classify(v()).item::<f32>());
                    assert!((got - want).abs() <= 1e-6 * want.abs(), "{got} and {want}");
                }
            });
        }
    });
}

#[test]
fn a_tape_shows_the_parts_and_what_was_read_between_them() {
    let f = jit(divide).with_guards();
    f(x(3.0), x(2.0));
    let g = f.clone();
    let mut live = Recorder::new().live(move |a: Array, b: Array| g(a, b) * 2.0, (x(8.0), x(2.0)));
    let text = here(&live.tape().to_string());
    assert!(text.contains("part 1") && text.contains("part 2"), "{text}");
    // What is changed goes through the guard: the run is made again where it decides otherwise.
    live.set(live.argument(1), x(4.0)).unwrap();
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Updated(_)));
    assert_eq!(live.value().item::<f32>(), 4.0);
    live.set(live.argument(1), x(0.5)).unwrap();
    assert!(!matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Updated(_)));
    assert_eq!(live.value().item::<f32>(), 0.0);
    assert_eq!(f.misses(), 2);
}

/// A function made of a seed: exact arithmetic, and decisions by arrays in branches and loops.
fn made_of(seed: u64, v: &Array) -> Array {
    let mut state = seed;
    let mut draw = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut y = v.clone();
    for _ in 0..8 {
        let number = draw(9) as f64 - 4.0;
        match draw(6) {
            0 => y = &y + number,
            1 => y = y.abs() - number,
            2 if y.sum(..) > number => y = -y,
            2 => y = v - &y,
            3 => {
                let mut turns = 0.0;
                while y.max(..) > number && turns < 5.0 {
                    turns += 1.0;
                    y = &y * 0.5 - turns;
                }
            }
            4 => {
                y = match y.get(0).floor().maximum(-2.0).minimum(2.0).to(DType::I32).to_i64() {
                    0 => y.maximum(v),
                    n => &y + n as f64,
                }
            }
            _ => y = y.minimum(v + number),
        }
    }
    y
}

#[test]
fn random_functions_with_guards_give_what_they_give_without() {
    for seed in 0..40 {
        let f = jit(move |v: Array| made_of(seed, &v)).with_guards();
        let slope = jit(move |v: Array| grad(|v: Array| made_of(seed, &v).sum(..))(v)).with_guards();
        for i in 0..12 {
            let v = || Array::from([(i % 7) as f64 - 3.0, (i % 5) as f64 * 2.0 - 4.0]);
            assert_eq!(
                f(v()).to_vec::<f64>(),
                made_of(seed, &v()).to_vec::<f64>(),
                "seed {seed}, {i}\n{}",
                f.paths()[0]
            );
            let want = grad(|v: Array| made_of(seed, &v).sum(..))(v());
            assert_eq!(slope(v()).to_vec::<f64>(), want.to_vec::<f64>(), "seed {seed}, {i}\n{}", slope.paths()[0]);
        }
    }
}
