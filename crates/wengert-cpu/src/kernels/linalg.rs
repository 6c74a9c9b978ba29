//! Linear algebra.

use super::convert;
use wengert_core::{DType, Op, Tensor};

/// Runs an op of the linear algebra family. Half precision goes through `f32`.
pub(crate) fn linalg(op: &Op, x: &[Tensor]) -> Vec<Tensor> {
    let half = x[0].dtype();
    if !matches!(half, DType::F16 | DType::BF16) {
        return wengert_linalg::run(op, x);
    }
    let x: Vec<Tensor> = x.iter().map(|x| convert(x, DType::F32)).collect();
    let back = |y: Tensor| if y.dtype() == DType::F32 { convert(&y, half) } else { y };
    wengert_linalg::run(op, &x).into_iter().map(back).collect()
}
