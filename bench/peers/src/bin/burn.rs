//! Workloads with `burn`, as its users would write them: tensor operations on its `ndarray` backend.

use burn::tensor::activation::softmax;
use burn::tensor::{Device, IndexingUpdateOp, Int, Tensor, TensorData};
use wengert_peers::{Asked, check, fill};

type Floats<const D: usize> = Tensor<D>;

fn sum<const D: usize>(y: &Floats<D>) -> f64 {
    check(&y.to_data().to_vec::<f32>().expect("floats"))
}

fn selu(x: &Floats<1>) -> Floats<1> {
    let negative = (x.clone().exp() - 1.0) * 1.6732632423543772;
    negative.mask_where(x.clone().greater_elem(0.0), x.clone()) * 1.0507009873554805
}

fn poly(x: &Floats<1>) -> Floats<1> {
    (0..24).fold(x.ones_like(), |y, k| y * x.clone() + 0.5 / (k + 1) as f64)
}

fn softmax_layernorm(x: &Floats<2>) -> Floats<2> {
    let p = softmax(x.clone(), 1);
    let d = p.clone() - p.mean_dim(1);
    let v = (d.clone() * d.clone()).mean_dim(1);
    d / (v + 1e-5).sqrt()
}

fn gather_scatter(table: &Floats<2>, rows: &Tensor<1, Int>) -> Floats<2> {
    let taken = table.clone().select(0, rows.clone()) * 2.0;
    table.zeros_like().select_assign(0, rows.clone(), taken, IndexingUpdateOp::Add)
}

fn main() {
    let asked = Asked::read();
    let cpu = Device::default();
    let line = |n: usize| Floats::<1>::from_data(TensorData::new(fill(n, 1, 1.0), [n]), &cpu);
    let matrix = |m: usize, n: usize, seed, scale| {
        Floats::<2>::from_data(TensorData::new(fill(m * n, seed, scale), [m, n]), &cpu)
    };
    let x = line(10_000_000);
    asked.time("selu_10m", || selu(&x), sum);
    let x = line(65_536);
    asked.time("poly_64k", || poly(&x), sum);
    let x = matrix(4096, 1024, 1, 4.0);
    asked.time("softmax_layernorm", || softmax_layernorm(&x), sum);
    let (a, b) = (matrix(1024, 1024, 1, 1.0), matrix(1024, 1024, 2, 1.0));
    asked.time("matmul_1024", || a.clone().matmul(b.clone()), sum);
    let table = matrix(10_000, 64, 1, 1.0);
    let rows: Vec<i64> = (0..65_536).map(|i| i * 7919 % 10_000).collect();
    let rows = Tensor::from_data(TensorData::new(rows, [65_536]), &cpu);
    asked.time("gather_scatter", || gather_scatter(&table, &rows), sum);
    let x = line(1_000_000);
    asked.time("sort_1m", || x.clone().sort(0), sum);
}
