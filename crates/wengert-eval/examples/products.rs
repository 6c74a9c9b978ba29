//! How fast products of matrices are, in GFLOP/s: on one thread and on all, the shortest of many runs each. A form says which operands are transposed: `nt` is the product of `x` with `y` transposed.
//!
//! `cargo run --release -p wengert-eval --example products [-- [--far] WORDS]`: rows that hold one of the words alone. With `--far`,
//! each call has other operands than the last, which are in no near cache any more; and the times are medians.

use std::time::{Duration, Instant};
use wengert_core::{Shape, Tensor};
use wengert_eval::kernels::{Products, Real};

/// How many matrices, rows, columns and products of each result; and the form.
type Case = (usize, [usize; 3], &'static str);

const CASES: &[Case] = &[
    (1, [16, 512, 256], "nn"),
    (1, [16, 256, 512], "nt"),
    (1, [256, 512, 16], "tn"),
    (1, [32, 256, 256], "nn"),
    (1, [32, 32, 32], "nn"),
    (1, [64, 64, 64], "nn"),
    (1, [64, 64, 64], "tt"),
    (1, [128, 128, 128], "nn"),
    (1, [256, 256, 256], "nn"),
    (1, [256, 256, 256], "tn"),
    (1, [256, 256, 256], "nt"),
    (1, [512, 512, 512], "nn"),
    (1, [1024, 1024, 1024], "nn"),
    (1, [1024, 1024, 1024], "tt"),
    (1, [256, 512, 2048], "tn"),
    (1, [784, 512, 128], "tn"),
    (1, [128, 512, 784], "nn"),
    (1, [128, 512, 512], "nn"),
    (1, [128, 512, 512], "nt"),
    (1, [512, 512, 128], "tn"),
    (1, [256, 64, 784], "nn"),
    (1, [784, 64, 256], "tn"),
    (1, [2000, 16, 300], "nn"),
    (1, [2000, 10, 300], "nt"),
    (1, [4096, 64, 64], "nn"),
    (1, [64, 4096, 64], "nt"),
    (1, [1, 1024, 1024], "nn"),
    (1, [1, 1024, 1024], "nt"),
    (1, [1024, 1, 1024], "nn"),
    (1, [4096, 1, 1024], "nn"),
    (1, [1, 300, 300], "nn"),
    (12, [64, 64, 64], "nn"),
    (8, [128, 128, 64], "nt"),
    (8, [128, 64, 128], "nn"),
    (8, [128, 64, 128], "tn"),
    (64, [16, 16, 16], "nn"),
];

/// Bytes that no near cache holds.
const FAR: usize = 24 << 20;

/// The shortest of many calls of a function with their numbers, or the median.
fn time(is_median: bool, f: &dyn Fn(usize)) -> f64 {
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || start.elapsed() < Duration::from_millis(150) {
        let at = Instant::now();
        f(times.len());
        times.push(at.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[if is_median { times.len() / 2 } else { 0 }]
}

fn measure<T: Real + 'static>(&(count, [m, n, k], form): &Case, one: &rayon_core::ThreadPool, far: bool) -> [f64; 2] {
    // Arrays of the pool, which lie at the start of a line of the cache.
    let numbers = |n: usize| {
        let number = |i: usize| T::from_f64((i * 7 % 19) as f64 - 9.0);
        Tensor::write(Shape::from([n]), |v: &mut [T]| v.iter_mut().enumerate().for_each(|(i, v)| *v = number(i)))
    };
    let sizes = [count * m * k, count * n * k, count * m * n];
    let copies = if far { FAR.div_ceil(sizes.iter().sum::<usize>() * size_of::<T>()) } else { 1 };
    let [x, y, mut out] = sizes.map(|n| numbers(n * copies));
    let steps = |transposed: bool, rows: usize, columns: usize| match transposed {
        true => [1, rows as isize],
        false => [columns as isize, 1],
    };
    let xs = steps(form.starts_with('t'), m, k);
    let ys = steps(!form.ends_with('t'), n, k);
    let starts = (0..count).map(|i| [(i * m * k) as isize, (i * n * k) as isize]).collect();
    let products = Products::<T>::new([m, n, k], xs, ys, starts);
    let to = out.elements_mut::<T>().expect("nothing shares it").as_mut_ptr() as usize;
    let (from_x, from_y) = (x.elements::<T>().as_ptr() as usize, y.elements::<T>().as_ptr() as usize);
    // SAFETY: sizes and steps are those of the operands, and there is room.
    let ours = |call: usize| unsafe {
        let [x, y, out] = sizes.map(|n| n * (call % copies));
        products.run((from_x as *const T).add(x), (from_y as *const T).add(y), (to as *mut T).add(out));
    };
    let times = [one.install(|| time(far, &ours)), time(far, &ours)];
    let flops = 2.0 * (count * m * n * k) as f64;
    times.map(|t| flops / t / 1e9)
}

fn main() {
    let (far, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|w| w == "--far");
    let far = !far.is_empty();
    let one = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!("{:>31} {:>9} {:>9}", "", "1 thread", "all");
    for case in CASES {
        for dtype in ["f32", "f64"] {
            let (count, [m, n, k], form) = case;
            let name = format!("{dtype} {count:>3} of {} {form}", Shape::from([*m, *n, *k]));
            if !words.is_empty() && !words.iter().any(|w| name.contains(w)) {
                continue;
            }
            let [a, b] = match dtype {
                "f32" => measure::<f32>(case, &one, far),
                _ => measure::<f64>(case, &one, far),
            };
            println!("{name:>31} {a:>9.1} {b:>9.1}");
        }
    }
}
