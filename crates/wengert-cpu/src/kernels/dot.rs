//! Contractions.

use super::shape::transpose;
use wengert_core::ops::DotGeneral;
use wengert_core::{Rules, Tensor};

pub(crate) fn dot_general(op: &DotGeneral, x: &Tensor, y: &Tensor) -> Tensor {
    let out = op.infer(&[x.ty(), y.ty()]).expect("operands the op takes").remove(0);
    let (lf, rf) = (op.lhs_free(x.shape().rank()), op.rhs_free(y.shape().rank()));
    let l: Vec<usize> = op.batch.0.iter().chain(&lf).chain(&op.contract.0).copied().collect();
    let r: Vec<usize> = op.batch.1.iter().chain(&rf).chain(&op.contract.1).copied().collect();
    let size = |t: &Tensor, d: &[usize]| d.iter().map(|&d| t.shape()[d]).product::<usize>();
    let (b, m, n, k) = (size(x, &op.batch.0), size(x, &lf), size(y, &rf), size(x, &op.contract.0));
    let (xs, ys) = (transpose(x, &l).to_vec::<f32>().expect("slice"), transpose(y, &r).to_vec::<f32>().expect("slice"));
    let mut v = vec![0f32; b * m * n];
    for bi in 0..b {
        for i in 0..m {
            for j in 0..n {
                v[(bi * m + i) * n + j] = (0..k).map(|p| xs[(bi * m + i) * k + p] * ys[(bi * n + j) * k + p]).sum();
            }
        }
    }
    Tensor::new(out.shape, v).expect("its size")
}
