//! Workloads with `ndarray`, as its users would write them: whole-array expressions, and its threads where it has them.

use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, Axis, Zip};
use wengert_peers::{Asked, check, fill};

fn selu(x: f32) -> f32 {
    1.050_701 * if x > 0.0 { x } else { 1.673_263_2 * (x.exp() - 1.0) }
}

fn main() {
    let asked = Asked::read();
    let line = |n, scale| Array1::from(fill(n, 1, scale));
    let sum = |y: &Array1<f32>| check(y);
    let sum2 = |y: &Array2<f32>| check(y);

    let x = line(10_000_000, 1.0);
    asked.time("selu_10m", || Zip::from(&x).par_map_collect(|&x| selu(x)), sum);

    let x = line(65_536, 1.0);
    let poly = |x: f32| (0..24).fold(1.0, |y, k| y * x + 0.5 / (k + 1) as f32);
    asked.time("poly_64k", || x.mapv(poly), sum);

    let x = Array2::from_shape_vec((4096, 1024), fill(4096 * 1024, 1, 4.0)).expect("as many as there are");
    let softmax_layernorm = || {
        let mut y = x.clone();
        y.axis_iter_mut(Axis(0)).into_par_iter().for_each(|mut row| {
            let most = row.fold(f32::NEG_INFINITY, |m, &x| m.max(x));
            row.mapv_inplace(|x| (x - most).exp());
            let sum = row.sum();
            row.mapv_inplace(|x| x / sum);
            let mean = row.mean().expect("not empty");
            row.mapv_inplace(|x| x - mean);
            let variance = row.iter().map(|x| x * x).sum::<f32>() / row.len() as f32;
            row.mapv_inplace(|x| x / (variance + 1e-5).sqrt());
        });
        y
    };
    asked.time("softmax_layernorm", softmax_layernorm, sum2);

    let matrix = |seed| Array2::from_shape_vec((1024, 1024), fill(1 << 20, seed, 1.0)).expect("as many as there are");
    let (a, b) = (matrix(1), matrix(2));
    asked.time("matmul_1024", || a.dot(&b), sum2);

    let table = Array2::from_shape_vec((10_000, 64), fill(640_000, 1, 1.0)).expect("as many as there are");
    let rows: Vec<usize> = (0..65_536).map(|i| i * 7919 % 10_000).collect();
    let gather_scatter = || {
        let taken = table.select(Axis(0), &rows) * 2.0;
        let mut sums = Array2::<f32>::zeros(table.dim());
        rows.iter().zip(taken.rows()).for_each(|(&i, row)| sums.row_mut(i).scaled_add(1.0, &row));
        sums
    };
    asked.time("gather_scatter", gather_scatter, sum2);

    let x = line(1_000_000, 1.0);
    let sort = || {
        let mut y = x.to_vec();
        y.sort_unstable_by(f32::total_cmp);
        Array1::from(y)
    };
    asked.time("sort_1m", sort, sum);

    let x = line(4_000_000, 1.0);
    let cumsum = || {
        let mut y = x.clone();
        y.accumulate_axis_inplace(Axis(0), |&before, here| *here += before);
        y
    };
    asked.time("cumsum_4m", cumsum, sum);
}
