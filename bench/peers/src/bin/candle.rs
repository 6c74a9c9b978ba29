//! Workloads with `candle`, as its users would write them: tensor operations on its CPU device.

use candle_core::{D, Device, Result, Tensor};
use wengert_peers::{Asked, check, fill};

fn sum(y: &Tensor) -> f64 {
    check(&y.flatten_all().and_then(|y| y.to_vec1::<f32>()).expect("floats"))
}

fn selu(x: &Tensor) -> Result<Tensor> {
    let negative = ((x.exp()? - 1.0)? * 1.6732632423543772)?;
    x.gt(0.0)?.where_cond(x, &negative)? * 1.0507009873554805
}

fn poly(x: &Tensor) -> Result<Tensor> {
    (0..24).try_fold(x.ones_like()?, |y, k| (y * x)? + 0.5 / (k + 1) as f64)
}

fn softmax_layernorm(x: &Tensor) -> Result<Tensor> {
    let e = x.broadcast_sub(&x.max_keepdim(D::Minus1)?)?.exp()?;
    let p = e.broadcast_div(&e.sum_keepdim(D::Minus1)?)?;
    let d = p.broadcast_sub(&p.mean_keepdim(D::Minus1)?)?;
    let v = d.sqr()?.mean_keepdim(D::Minus1)?;
    d.broadcast_div(&(v + 1e-5)?.sqrt()?)
}

fn gather_scatter(table: &Tensor, rows: &Tensor) -> Result<Tensor> {
    let taken = (table.index_select(rows, 0)? * 2.0)?;
    table.zeros_like()?.index_add(rows, &taken, 0)
}

fn main() -> Result<()> {
    let asked = Asked::read();
    let cpu = Device::Cpu;
    let line = |n: usize| Tensor::from_vec(fill(n, 1, 1.0), n, &cpu);
    let matrix = |m: usize, n: usize, seed, scale| Tensor::from_vec(fill(m * n, seed, scale), (m, n), &cpu);
    let done = |y: Result<Tensor>| y.expect("the operations fit");

    let x = line(10_000_000)?;
    asked.time("selu_10m", || done(selu(&x)), sum);
    let x = line(65_536)?;
    asked.time("poly_64k", || done(poly(&x)), sum);
    let x = matrix(4096, 1024, 1, 4.0)?;
    asked.time("softmax_layernorm", || done(softmax_layernorm(&x)), sum);
    let (a, b) = (matrix(1024, 1024, 1, 1.0)?, matrix(1024, 1024, 2, 1.0)?);
    asked.time("matmul_1024", || done(a.matmul(&b)), sum);
    let table = matrix(10_000, 64, 1, 1.0)?;
    let rows = Tensor::from_vec((0..65_536u32).map(|i| i * 7919 % 10_000).collect::<Vec<u32>>(), 65_536, &cpu)?;
    asked.time("gather_scatter", || done(gather_scatter(&table, &rows)), sum);
    let x = line(1_000_000)?;
    asked.time("sort_1m", || done(x.sort_last_dim(true).map(|(y, _)| y)), sum);
    Ok(())
}
