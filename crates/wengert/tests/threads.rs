//! Many threads: one executable run by all of them at once, inside pools of the user's own, and with any number of
//! threads for the kernels, gives the same bits.

use rayon::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use wengert::nn::Sliding;
use wengert::*;

/// Numbers of both signs in no order.
fn numbers(shape: &[usize], seed: usize) -> Array {
    let n = shape.iter().product();
    let number = |i: usize| ((i * 7919 + seed * 104_729) % 2003) as f32 / 500.0 - 2.0;
    Array::from_vec(shape.to_vec(), (0..n).map(number).collect())
}

/// Functions of one large array, of every kind that is split over threads.
type Step = Box<dyn Fn(Array) -> Array + Send + Sync>;

fn workload() -> Vec<(&'static str, Step)> {
    let square = |x: &Array| x.ravel().get(..90_000).reshape([300, 300]);
    vec![
        ("elementwise", Box::new(|x| (x.sin() * 0.5 + x.exp()).tanh())),
        ("select", Box::new(|x| where_(x.gt(0.0), &x * 2.0, x.clip(-1.0, 0.0)))),
        ("sum", Box::new(|x| x.sum(..))),
        ("sum of rows", Box::new(|x| x.sum(1))),
        ("sum of columns", Box::new(|x| x.sum(0))),
        ("sum of short floats", Box::new(|x| x.to(DType::F16).sum(..))),
        ("product", Box::new(|x| (x * 0.001 + 1.0).prod(..))),
        ("largest", Box::new(|x| x.argmax(1))),
        ("cumulative", Box::new(|x| x.cumsum(0))),
        ("cumulative along rows", Box::new(|x| x.cumsum(1))),
        ("sort", Box::new(|x| x.sort(1))),
        ("top", Box::new(|x| x.top_k(5).0)),
        ("matrix product", Box::new(move |x| square(&x).matmul(square(&x)))),
        (
            "products of a batch",
            Box::new(move |x| square(&x).reshape([100, 30, 30]).matmul(square(&x).reshape([100, 30, 30]))),
        ),
        (
            "convolution",
            Box::new(move |x| {
                let image = square(&x).reshape([2, 5, 90, 100]);
                nn::conv(&image, &numbers(&[7, 5, 3, 3], 3), Sliding::new())
            }),
        ),
        ("fft", Box::new(|x| x.fft(1).abs())),
        ("gather", Box::new(|x| x.take(Array::iota([5000], 0, DType::I64) % 300, 0))),
        ("scatter", Box::new(|x| x.at(&(Array::iota([200], 0, DType::I64) * 7 % 300)).add(1.5))),
        (
            "decompositions",
            Box::new(move |x| {
                let a = square(&x).reshape([100, 30, 30]);
                let spd = a.matmul(a.mt()) + Array::identity(30, DType::F32) * 30.0;
                spd.cholesky() + spd.inv()
            }),
        ),
        (
            "gradient",
            Box::new(move |x| grad(move |x: Array| (square(&x).matmul(square(&x)).tanh() * square(&x)).sum(..))(x)),
        ),
        ("loop", Box::new(|x| fori_loop(0, 4, |_, x: Array| x.sin() * 1.25 + x.sum(1).expand_dims(1) * 1e-3, x))),
    ]
}

fn input() -> Array {
    numbers(&[300, 401], 1)
}

fn digest(y: &Array) -> u64 {
    let mut h = DefaultHasher::new();
    let t = y.to_tensor().dense();
    (t.ty().to_string(), t.raw()).hash(&mut h);
    h.finish()
}

/// What each function gives, as a number.
fn digests() -> Vec<(&'static str, u64)> {
    workload().iter().map(|(name, f)| (*name, digest(&jit(|x: Array| f(x))(input())))).collect()
}

#[test]
fn one_executable_runs_on_many_threads_at_once() {
    for (name, f) in workload() {
        let f = jit(move |x: Array| f(x));
        let expected = digest(&f(input()));
        let x = input();
        thread::scope(|s| {
            for me in 0..4 {
                let (f, x) = (&f, &x);
                s.spawn(move || {
                    for turn in 0..3 {
                        // Some arguments are shared by all threads, others are given away.
                        let x = if (me + turn) % 2 == 0 { x.clone() } else { input() };
                        assert_eq!(digest(&f(x)), expected, "{name}");
                    }
                });
            }
        });
        assert_eq!(digest(&x), digest(&input()), "{name} wrote over what others hold");
    }
}

#[test]
fn inside_a_pool_of_the_users_own() {
    let expected = digests();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(digests), expected, "{threads} threads");
        // Calls from all its threads at once, each splitting its own work among them.
        let found: Vec<(&str, u64)> = pool.install(|| {
            workload().par_iter().map(|(name, f)| (*name, digest(&jit(|x: Array| f(x))(input())))).collect()
        });
        assert_eq!(found, expected, "{threads} threads");
    }
}

#[test]
fn nested_joins_that_share_one_staged_function() {
    let f = jit(|x: Array| (x.sin().matmul(x.t()) * 0.01).tanh().cumsum(0));
    let expected = digest(&f(input()));
    fn down(depth: usize, f: &(dyn Fn() -> u64 + Sync)) -> Vec<u64> {
        match depth {
            0 => vec![f()],
            _ => {
                let (mut a, b) = rayon::join(|| down(depth - 1, f), || down(depth - 1, f));
                a.extend(b);
                a
            }
        }
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let all = pool.install(|| down(4, &|| digest(&f(input()))));
        assert_eq!(all, vec![expected; 16]);
    }
}

/// While one thread of a pool waits for a kernel it may take another task, which traces, stages or records on its own.
#[test]
fn tasks_taken_meanwhile_do_not_meet_what_is_open() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let shared = numbers(&[300, 401], 9);
    let task = |i: usize| {
        let x = numbers(&[300, 401], i);
        let w = &shared * (i as f32);
        // Traced with values: kernels run while the trace is open.
        let slope = grad(|x: Array| ((x * &w).tanh().sum(1) * i as f32).sum(..))(x.clone());
        let staged = jit(|x: Array| {
            let c = numbers(&[401], i).sin();
            (x * c).sum(..) + w.sum(..)
        })(x.clone());
        (digest(&slope), digest(&staged))
    };
    let expected: Vec<(u64, u64)> = (0..24).map(task).collect();
    let found: Vec<(u64, u64)> = pool.install(|| (0..24usize).into_par_iter().map(task).collect());
    assert_eq!(found, expected);
}

/// The same for recordings: what a task does that was taken meanwhile is no part of them.
#[test]
fn recordings_of_tasks_taken_meanwhile_are_their_own() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(6).build().unwrap();
    let task = |i: usize| {
        let x = numbers(&[300, 401], i);
        if i.is_multiple_of(2) {
            return x.sin().exp().sum(..).cos().to_tensor().size();
        }
        let (_, tape) = record(|| x.sin().cos().tanh().sum(..));
        tape.len()
    };
    let expected: Vec<usize> = (0..120).map(task).collect();
    let found: Vec<usize> = pool.install(|| (0..120usize).into_par_iter().with_max_len(1).map(task).collect());
    assert_eq!(found, expected);
}

#[test]
fn tracing_by_many_threads_keeps_one_program() {
    let f = jit(|x: Array| x.sin().sum(1));
    let expected = digest(&input().sin().sum(1));
    thread::scope(|s| {
        for _ in 0..8 {
            s.spawn(|| assert_eq!(digest(&f(input())), expected));
        }
    });
    assert_eq!(f.programs().len(), 1);
}

#[test]
fn what_others_read_meanwhile_stays() {
    let step = jit(|x: Array| fori_loop(0, 20, |_, x: Array| x * 0.5 + 1.0, x));
    let x = numbers(&[1 << 17], 4);
    let before = x.to_vec::<f32>();
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let (x, before, done) = (x.clone(), &before, &done);
                s.spawn(move || {
                    let mut turns = 0;
                    while !done.load(Ordering::Relaxed) || turns == 0 {
                        assert!(x.to_vec::<f32>() == *before, "what is held was overwritten");
                        turns += 1;
                    }
                })
            })
            .collect();
        let mut y = step(x.clone());
        for _ in 0..10 {
            let held = y.clone();
            let seen = held.to_vec::<f32>();
            y = step(y);
            assert!(held.to_vec::<f32>() == seen);
        }
        done.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|r| r.join().unwrap());
    });
    // Handles that are dropped on other threads while calls decide whether they are alone.
    for turn in 0..200 {
        let x = numbers(&[1000], turn);
        let expected = (&x * 0.5 + 1.0).to_vec::<f32>();
        let other = x.clone();
        let f = jit(|x: Array| x * 0.5 + 1.0);
        let first = other.get(0).item::<f32>();
        let reader = thread::spawn(move || other.get(0).item::<f32>());
        assert_eq!(f(x).to_vec::<f32>(), expected);
        assert_eq!(reader.join().unwrap(), first);
    }
}

/// The variable that says that this process is one of those whose results are compared.
const CHILD: &str = "WENGERT_TEST_DIGESTS";

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    if std::env::var_os(CHILD).is_some() {
        digests().iter().for_each(|(name, d)| println!("digest of {name}: {d:x}"));
        return;
    }
    let run = |threads: &str| -> Vec<String> {
        let out = Command::new(std::env::current_exe().unwrap())
            .args(["the_number_of_threads_does_not_change_a_bit", "--exact", "--nocapture"])
            .env("WENGERT_THREADS", threads)
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8_lossy(&out.stdout);
        let lines = text.lines().filter_map(|l| l.find("digest of").map(|at| l[at..].to_string()));
        lines.collect()
    };
    let one = run("1");
    assert_eq!(one.len(), workload().len());
    for threads in ["2", "3"] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

/// What a thread drops when it ends may still compute, stage and fail: a panic there would end the process.
#[test]
fn arrays_in_destructors_of_thread_locals() {
    static GAVE: Mutex<Vec<f64>> = Mutex::new(Vec::new());
    fn compute() -> Vec<f64> {
        let x = Array::from(2.0);
        let f = |x: Array| (x + 1.0).sin() * 2.0;
        let steps = |x: Array| wengert::fori_loop(0, 3, |_, x: Array| x * 1.5, x);
        let failed = wengert::try_run(|| Array::from([1.0, 2.0]) + Array::from([1.0, 2.0, 3.0]));
        let mapped = wengert::vmap(f)(Array::from([1.0, 2.0]));
        let moved = mapped.fft(0).real().sum(..);
        let here = wengert::with_device(&wengert::Device::cpu(), || wengert::jit(f)(x.clone()));
        let guarded = wengert::jit(|x: Array| if x > 1.0 { x.sin() } else { x }).with_guards();
        let (recorded, _) = wengert::record(|| wengert::grad(f)(x.clone()));
        let all = [
            f(x.clone()),
            wengert::jit(steps)(x.clone()),
            wengert::grad(f)(x.clone()),
            moved,
            here,
            guarded(x),
            recorded,
        ];
        assert!(failed.is_err());
        all.map(|x| x.to_f64()).to_vec()
    }
    struct Last;
    impl Drop for Last {
        fn drop(&mut self) {
            *GAVE.lock().unwrap() = compute();
        }
    }
    thread_local! {
        static LAST: Last = const { Last };
    }
    // Made before the first array, it is dropped after all that arrays have on this thread.
    let run = || {
        LAST.with(|_| ());
        compute()
    };
    assert_eq!(std::thread::spawn(run).join().unwrap(), *GAVE.lock().unwrap());
}
