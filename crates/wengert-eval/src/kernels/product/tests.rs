//! Products against the rule spelled out on numbers, for vectors of every width, and against sums in more digits.

use super::{CHAIN, Kernel, Part, Products, Real, Segment, Sums, SumsKernel, chain, chains, nothing};
use crate::kernels::product::lanes::{Lanes, Plain};
use wengert_core::Element;

/// What computes products on this machine, by every width it has.
fn kernels_f32() -> Vec<Kernel<f32>> {
    let mut all: Vec<Kernel<f32>> = vec![Plain::<f32>::product];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            all.push(super::lanes::Avx2::<f32>::product);
        }
        if is_x86_feature_detected!("avx512f") {
            all.push(super::lanes::Avx512::<f32>::product);
        }
    }
    all
}

fn kernels_f64() -> Vec<Kernel<f64>> {
    let mut all: Vec<Kernel<f64>> = vec![Plain::<f64>::product];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            all.push(super::lanes::Avx2::<f64>::product);
        }
        if is_x86_feature_detected!("avx512f") {
            all.push(super::lanes::Avx512::<f64>::product);
        }
    }
    all
}

/// Numbers of both signs and several sizes, some of them zeros.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % below
    }

    fn number<T: Real>(&mut self) -> T {
        let x = (self.next(20001) as f64 - 10000.0) / 3000.0;
        T::from_f64(if self.next(9) == 0 { 0.0 * x } else { x })
    }
}

fn wide<T: Real>(x: T) -> f64 {
    x.scalar().as_f64().expect("a float")
}

/// One result by the rule.
pub(crate) fn by_rule<T: Real>(pairs: &[(T, T)], chains: usize) -> T {
    if chains == 1 {
        let one = |chain: &[(T, T)]| chain.iter().fold(nothing::<T>(), |sum, &(x, y)| x.fused(y, sum));
        return pairs.chunks(chain(pairs.len())).map(one).reduce(|sum, chain| sum + chain).unwrap_or(nothing());
    }
    let mut sums = vec![nothing::<T>(); chains];
    for (p, &(x, y)) in pairs.iter().enumerate() {
        sums[p % chains] = x.fused(y, sums[p % chains]);
    }
    while sums.len() > 1 {
        let half = sums.split_off(sums.len() / 2);
        sums.iter_mut().zip(half).for_each(|(a, b)| *a = *a + b);
    }
    sums[0]
}

/// Steps for `a` by `b` numbers, one of six ways that arrays lie.
fn steps(way: usize, a: usize, b: usize) -> [isize; 2] {
    let (a, b) = (a as isize, b as isize);
    [[b, 1], [1, a], [b + 3, 1], [1, a + 5], [3 * b, 3], [2, 2 * a]][way]
}

fn check<T: Real>(kernels: &[Kernel<T>], [m, n, k]: [usize; 3], ways: [usize; 2], numbers: &mut Numbers) {
    let (xs, ys) = (steps(ways[0], m, k), steps(ways[1], n, k));
    let size = |s: [isize; 2], a: usize| (a - 1) * s[0] as usize + (k - 1) * s[1] as usize + 1;
    let x: Vec<T> = (0..size(xs, m)).map(|_| numbers.number()).collect();
    let y: Vec<T> = (0..size(ys, n)).map(|_| numbers.number()).collect();
    let pairs = |i: usize, j: usize| -> Vec<(T, T)> {
        let at = |s: [isize; 2], i: usize, p: usize| i * s[0] as usize + p * s[1] as usize;
        (0..k).map(|p| (x[at(xs, i, p)], y[at(ys, j, p)])).collect()
    };
    let chains = chains(m, n, k);
    let expected: Vec<T> = (0..m * n).map(|at| by_rule(&pairs(at / n, at % n), chains)).collect();
    // Close to the sum in more digits.
    for (at, y) in expected.iter().enumerate() {
        let pairs: Vec<f64> = pairs(at / n, at % n).iter().map(|(x, y)| wide(*x) * wide(*y)).collect();
        let (sum, sizes) = (pairs.iter().sum::<f64>(), pairs.iter().map(|p| p.abs()).sum::<f64>());
        let digits = if T::DTYPE == f32::DTYPE { f32::EPSILON as f64 } else { f64::EPSILON };
        let bound = (k as f64 + 2.0) * digits * sizes;
        assert!((wide(*y) - sum).abs() <= bound, "{m}x{n}x{k}: {y:?} for {sum}");
    }
    let part = Part { m, n, k, x: xs, y: ys, out: [n as isize, 1], chains, chain: chain(k), goes_on: false };
    let same = |a: &[T], b: &[T]| a.iter().zip(b).all(|(a, b)| a.scalar().bits() == b.scalar().bits());
    for (which, kernel) in kernels.iter().enumerate() {
        let mut out = vec![T::from_i64(7); m * n + 1];
        // SAFETY: sizes and steps are those of the operands, and there is room.
        unsafe { kernel(&part, x.as_ptr(), y.as_ptr(), out.as_mut_ptr()) };
        assert!(same(&out, &expected), "kernel {which}, {m}x{n}x{k}, {ways:?}:\n{out:?}\n{expected:?}");
        assert!(same(&out[m * n..], &[T::from_i64(7)]), "written behind the result");
    }
    let products = Products::<T>::new([m, n, k], xs, ys, vec![[0, 0]]);
    let mut out = vec![T::from_i64(7); m * n];
    // SAFETY: as above.
    unsafe { products.run(x.as_ptr(), y.as_ptr(), out.as_mut_ptr()) };
    assert!(same(&out, &expected), "{m}x{n}x{k}, {ways:?}");
}

#[test]
fn every_width_gives_the_bits_of_the_rule() {
    let mut numbers = Numbers(5);
    let (singles, doubles) = (kernels_f32(), kernels_f64());
    for case in 0..240 {
        let most = [
            [4, 70, 70],
            [40, 40, 40],
            [1, 1, 500],
            [3, 100, 20],
            [70, 1, 90],
            [20, 3, 700],
            [90, 100, 9],
            [30, 40, 150],
        ][case % 8];
        let sizes = most.map(|most| 1 + numbers.next(most));
        let ways = [numbers.next(6), numbers.next(6)];
        check(&singles, sizes, ways, &mut numbers);
        check(&doubles, sizes, ways, &mut numbers);
    }
}

#[test]
fn sums_longer_than_a_chain_are_added_one_after_the_other() {
    let mut numbers = Numbers(6);
    let edges = [1, CHAIN - 1, CHAIN, CHAIN + 1, 2 * CHAIN, 2 * CHAIN + 1].map(|k| [9, 21, k]);
    for sizes in edges.into_iter().chain([[30, 33, 1000], [2, 6, 3000], [1, 1, 20000], [1, 40, 2000]]) {
        for ways in [[0, 0], [0, 1], [1, 0], [1, 1], [5, 4]] {
            check(&kernels_f32(), sizes, ways, &mut numbers);
            check(&kernels_f64(), sizes, ways, &mut numbers);
        }
    }
}

/// More rows than columns stay near for, and more columns than are laid out at a time.
#[test]
fn columns_and_rows_that_are_laid_out_give_the_bits_of_the_rule() {
    let mut numbers = Numbers(8);
    for (sizes, ways) in [
        ([98, 170, 70], [0, 0]),
        ([97, 100, 300], [1, 1]),
        ([110, 60, 257], [1, 0]),
        ([100, 401, 20], [5, 3]),
        ([49, 203, 258], [1, 4]),
        ([99, 41, 520], [0, 2]),
    ] {
        check(&kernels_f32(), sizes, ways, &mut numbers);
        check(&kernels_f64(), sizes, ways, &mut numbers);
    }
}

#[test]
fn a_sum_of_no_products_is_zero() {
    for [m, n] in [[1, 1], [1, 5], [7, 40], [300, 300]] {
        let mut out = vec![7.0f32; m * n];
        let products = Products::<f32>::new([m, n, 0], [0, 1], [0, 1], vec![[0, 0]]);
        // SAFETY: no number is named, and there is room.
        unsafe { products.run(std::ptr::null(), std::ptr::null(), out.as_mut_ptr()) };
        assert!(out.iter().all(|x| x.to_bits() == 0));
    }
}

/// The bits that pools of one, two, three and seven threads give, and that the kernel gives where it computes all at once.
fn by_threads<T: Real>(
    [m, n, k]: [usize; 3],
    matrices: usize,
    ways: [usize; 2],
    numbers: &mut Numbers,
) -> [Vec<u128>; 5] {
    let (xs, ys) = (steps(ways[0], m, k), steps(ways[1], n, k));
    let x: Vec<T> = (0..3 * m * k * matrices).map(|_| numbers.number()).collect();
    let y: Vec<T> = (0..3 * n * k * matrices).map(|_| numbers.number()).collect();
    let starts: Vec<[isize; 2]> = (0..matrices).map(|i| [3 * m * k * i, 3 * n * k * i].map(|at| at as isize)).collect();
    let products = Products::<T>::new([m, n, k], xs, ys, starts);
    let bits = |compute: &dyn Fn(*mut T)| -> Vec<u128> {
        let mut out = vec![T::from_i64(7); matrices * m * n];
        compute(out.as_mut_ptr());
        out.iter().map(|x| x.scalar().bits()).collect()
    };
    let part = products.part;
    let whole = bits(&|out| {
        for i in 0..matrices {
            // SAFETY: steps are at most three times the sizes, and there is room.
            unsafe {
                (T::kernels().product)(
                    &part,
                    x.as_ptr().add(3 * m * k * i),
                    y.as_ptr().add(3 * n * k * i),
                    out.add(m * n * i),
                )
            };
        }
    });
    let [one, two, three, seven] = [1, 2, 3, 7].map(|threads| {
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        // SAFETY: as above.
        bits(&|out| unsafe {
            let out = super::Shared(out);
            pool.install(|| products.run(x.as_ptr(), y.as_ptr(), *out.get()));
        })
    });
    [whole, one, two, three, seven]
}

#[test]
fn a_product_that_threads_share_has_the_same_bits() {
    let mut numbers = Numbers(7);
    for sizes in [[160, 150, 140], [3, 700, 1600], [1700, 40, 50], [40, 2100, 40], [1, 1500, 400], [600, 1, 900]] {
        for ways in [[0, 0], [0, 1], [1, 0]] {
            let [whole, others @ ..] = by_threads::<f32>(sizes, 1, ways, &mut numbers);
            assert!(others.iter().all(|other| *other == whole), "{sizes:?}, {ways:?}");
        }
    }
    let tiny = [([4, 1, 4], 3000), ([1, 5, 3], 50), ([6, 1, 2], 40), ([1, 3, 1], 40)];
    let batches = tiny.into_iter().chain([([60, 70, 80], 20), ([130, 200, 50], 3)]);
    for ((sizes, matrices), ways) in batches.flat_map(|b| [(b, [0, 0]), (b, [1, 1])]) {
        let [whole, others @ ..] = by_threads::<f64>(sizes, matrices, ways, &mut numbers);
        assert!(others.iter().all(|other| *other == whole), "{matrices} of {sizes:?}, {ways:?}");
    }
    for (sizes, ways) in [([210, 410, 110], [0, 1]), ([140, 300, 700], [0, 0]), ([470, 100, 300], [1, 0])] {
        let [whole, others @ ..] = by_threads::<f32>(sizes, 1, ways, &mut numbers);
        assert!(others.iter().all(|other| *other == whole), "{sizes:?}, {ways:?}");
    }
}

/// Some rows of the result at a time, and some of the products of all results.
fn check_pieces<T: Real>([m, n, k]: [usize; 3], ways: [usize; 2], numbers: &mut Numbers) {
    let (xs, ys) = (steps(ways[0], m, k), steps(ways[1], n, k));
    let x: Vec<T> = (0..10 * m * k + 9).map(|_| numbers.number()).collect();
    let y: Vec<T> = (0..10 * n * k + 9).map(|_| numbers.number()).collect();
    let starts = vec![[3, 5], [(5 * m * k) as isize, (5 * n * k) as isize]];
    let products = Products::<T>::new([m, n, k], xs, ys, starts.clone());
    let mut whole = vec![T::from_i64(7); 2 * m * n];
    // SAFETY: each matrix takes less than four times as many numbers as it has, and the operands have ten times as many.
    unsafe { products.run(x.as_ptr(), y.as_ptr(), whole.as_mut_ptr()) };
    let (mut by_rows, mut by_products) = (vec![T::from_i64(7); 2 * m * n], vec![T::from_i64(7); 2 * m * n]);
    let mut kept = vec![T::from_i64(7); products.kept_beside()];
    for (matrix, [_, right]) in starts.into_iter().enumerate() {
        let mut at = 0;
        while at < m {
            let rows = (1 + numbers.next(m)).min(m - at);
            let x = x[products.row(matrix, at) as usize..].as_ptr();
            // SAFETY: as above.
            unsafe { products.run_rows(matrix, rows, x, y.as_ptr(), by_rows[(matrix * m + at) * n..].as_mut_ptr()) };
            at += rows;
        }
        let mut at = 0;
        while at < k {
            let count = (1 + numbers.next(k)).min(k - at);
            let from = products.from_product(matrix, at);
            assert_eq!(from[1], right + at as isize * ys[1]);
            let operands = [x[from[0] as usize..].as_ptr(), y[from[1] as usize..].as_ptr()];
            let out = by_products[matrix * m * n..].as_mut_ptr();
            // SAFETY: as above.
            unsafe { products.add_products([at, count], operands, out, kept.as_mut_ptr()) };
            at += count;
        }
    }
    let bits = |v: &[T]| v.iter().map(|x| x.scalar().bits()).collect::<Vec<_>>();
    assert_eq!(bits(&by_rows), bits(&whole), "rows of {m}x{n}x{k}, {ways:?}");
    assert_eq!(bits(&by_products), bits(&whole), "products of {m}x{n}x{k}, {ways:?}");
}

#[test]
fn pieces_have_the_bits_of_the_whole() {
    let mut numbers = Numbers(9);
    for sizes in [[9, 21, 30], [40, 17, 400], [110, 33, 1000], [5, 130, 800], [100, 60, 385], [20, 20, 1]] {
        for ways in [[0, 1], [1, 1], [1, 0], [2, 3], [5, 4]] {
            check_pieces::<f32>(sizes, ways, &mut numbers);
            check_pieces::<f64>(sizes, ways, &mut numbers);
        }
    }
}

/// What computes sums over segments on this machine, by every width it has.
fn sums_kernels() -> Vec<SumsKernel<f32>> {
    let mut all: Vec<SumsKernel<f32>> = vec![Plain::<f32>::sums];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            all.push(super::lanes::Avx2::<f32>::sums);
        }
        if is_x86_feature_detected!("avx512f") {
            all.push(super::lanes::Avx512::<f32>::sums);
        }
    }
    all
}

#[test]
fn sums_over_segments_follow_the_rule() {
    let mut numbers = Numbers(11);
    for (rows, columns) in [(1, 1), (1, 70), (5, 16), (13, 33), (30, 3), (9, 49)] {
        for (spread, add) in [(false, false), (false, true), (true, false), (true, true)] {
            let segments: Vec<Segment> = (0..numbers.next(4))
                .map(|_| Segment { x: numbers.next(50) as isize, y: numbers.next(50) as isize, k: numbers.next(9) })
                .collect();
            let (x_steps, y_step, out_step) = ([7, 3], columns as isize + 1, columns as isize + 2);
            let [x, y, before] = [0; 3].map(|_| (0..4000).map(|_| numbers.number()).collect::<Vec<f32>>());
            let p = Sums { rows, columns, segments: &segments, x: x_steps, spread, y: y_step, out: out_step, add };
            for kernel in sums_kernels() {
                let mut out = before.clone();
                // SAFETY: everything lies in the first 4000 numbers.
                unsafe { kernel(&p, x.as_ptr(), y.as_ptr(), out.as_mut_ptr()) };
                let mut expected = before.clone();
                for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                    let products = segments.iter().flat_map(|s| (0..s.k as isize).map(move |p| (s, p)));
                    let pairs: Vec<(f32, f32)> = products
                        .map(|(s, p)| {
                            let own = if spread { j as isize } else { 0 };
                            let x_at = s.x + i as isize * x_steps[0] + p * x_steps[1] + own;
                            (x[x_at as usize], y[(s.y + p * y_step) as usize + j])
                        })
                        .collect();
                    let (sum, at) = (by_rule(&pairs, 1), i * out_step as usize + j);
                    expected[at] = if add { before[at] + sum } else { sum };
                }
                let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&out), bits(&expected), "{p:?}");
            }
        }
    }
}
