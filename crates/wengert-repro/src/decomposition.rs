//! Whether what a side has for a decomposition is one: where a matrix does not determine it, that is all that can be asked.

use crate::determined::epsilon;
use wengert::{Array, device, with_device};
use wengert_core::{DType, Op, Tensor};

/// Whether results of an op are a decomposition of its matrices, within a part of the largest number of each; none of an op that
/// takes no matrix apart.
///
/// Eigenvectors are of length 1 and belong to their values, whose sum is that of the diagonal.
pub(crate) fn is_decomposition(op: &Op, matrices: &Tensor, results: &[Tensor], tolerance: f64) -> bool {
    let is_one = |op: &Op| {
        let a = wide(matrices);
        let y: Vec<Array> = results.iter().map(wide).collect();
        let rows = a.shape()[a.rank() - 2].max(a.shape()[a.rank() - 1]);
        // What is made of a matrix by roundings is near it by these, whatever else may part.
        let tolerance = tolerance.min(64.0 * rows as f64 * epsilon(matrices.dtype()));
        let near = |x: &Array, y: &Array, size: &Array| is_true(&largest(&(x - y)).le(size * tolerance));
        let (size, one, adjoint) = (largest(&a), Array::from(1.0f64), |x: &Array| x.mt().conj());
        let product = |x: &Array| adjoint(x).matmul(x);
        let are_orthonormal = |x: &Array| {
            let columns = x.shape()[x.rank() - 1];
            near(&product(x), &Array::eye(columns, columns, 0, DType::C128), &one)
        };
        let along_columns = |x: &Array| x.expand_dims(-2);
        match (op, &y[..]) {
            (Op::Qr(_), [q, r]) => {
                near(&q.matmul(r), &a, &size) && are_orthonormal(q) && near(&r.tril(-1), &r.zeros_like(), &size)
            }
            (Op::Svd(_), [u, s, vh]) => {
                // Of square factors, some vectors belong to no value.
                let (count, columns, rows) =
                    (s.shape()[s.rank() - 1], u.shape()[u.rank() - 1], vh.shape()[vh.rank() - 2]);
                let us = u.matmul(Array::eye(columns, count, 0, DType::C128)) * along_columns(s);
                let product = us.matmul(Array::eye(count, rows, 0, DType::C128).matmul(vh));
                near(&product, &a, &size) && are_orthonormal(u) && are_orthonormal(&adjoint(vh))
            }
            (Op::Eigh(o), [w, v]) => {
                let (half, rest) = if o.lower { (a.tril(0), a.tril(-1)) } else { (a.triu(0), a.triu(1)) };
                let a = half + adjoint(&rest);
                near(&a.matmul(v), &(v * along_columns(w)), &size) && are_orthonormal(v)
            }
            (Op::Eig(_), [w, vectors @ ..]) => {
                let right = vectors.last().is_none_or(|v| near(&a.matmul(v), &(v * along_columns(w)), &size));
                let left = |u: &Array| near(&adjoint(&a).matmul(u), &(u * along_columns(&w.conj())), &size);
                let are_of_length_1 = |v: &Array| {
                    let lengths = (v * v.conj()).sum(-2);
                    near(&lengths.expand_dims(-1), &lengths.ones_like().expand_dims(-1), &one)
                };
                let diagonal = (&a * Array::eye(rows, rows, 0, DType::C128)).sum([-2, -1]);
                let numbers = |x: &Array| x.expand_dims([-2, -1]);
                let sum = near(&numbers(&w.sum(-1)), &numbers(&diagonal), &(&size * rows as f64));
                right && sum && vectors.iter().all(are_of_length_1) && (vectors.len() < 2 || left(&vectors[0]))
            }
            _ => false,
        }
    };
    // Of no numbers, there is nothing to say.
    device("eval").is_ok_and(|eval| matrices.size() > 0 && with_device(&eval, || is_one(op)))
}

fn wide(x: &Tensor) -> Array {
    Array::from_tensor(x.clone()).to(DType::C128)
}

/// The size of the largest number of each matrix; NaN if there is one.
fn largest(x: &Array) -> Array {
    x.abs().max([-2, -1])
}

/// Whether all are true.
fn is_true(x: &Array) -> bool {
    x.all(..).item()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wengert_core::ops::{Eig, Eigenvectors, Eigh, Qr, Svd};

    /// Whether what the evaluator has is a decomposition, and whether it still is where one number of a result is another.
    fn check(op: impl Into<Op>, matrix: [f64; 6], rows: usize) {
        let op = op.into();
        let x = Tensor::from_slice([rows, 6 / rows], &matrix).unwrap();
        let x = if rows == 3 { x } else { Tensor::from_slice([2, 2], &matrix[..4]).unwrap() };
        let y = wengert_eval::run_op(&op, vec![x.clone()]).unwrap();
        assert!(is_decomposition(&op, &x, &y, 1e-9), "{op:?}");
        for i in 0..y.len() {
            let mut wrong = y.clone();
            let other = wide(&y[i]) + 0.01;
            wrong[i] = other.to_tensor();
            assert!(!is_decomposition(&op, &x, &wrong, 1e-9), "{op:?}, result {i}");
        }
        assert!(!is_decomposition(&op, &Tensor::from_slice([1, 1], &[1.0]).unwrap(), &[], 1e-9));
    }

    #[test]
    fn d5_a_decomposition_is_told_from_other_numbers() {
        let tall = [1.0, 2.0, -1.0, 0.5, 3.0, 1.0];
        for full_matrices in [false, true] {
            check(Qr { full_matrices }, tall, 3);
            check(Svd { full_matrices, compute_uv: true }, tall, 3);
        }
        for lower in [false, true] {
            check(Eigh { lower }, tall, 2);
        }
        for compute_v in [Eigenvectors::Right, Eigenvectors::Both] {
            check(Eig { compute_v }, tall, 2);
        }
    }
}
