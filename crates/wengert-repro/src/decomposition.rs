//! Whether what a side has for a decomposition is one: where a matrix does not determine it, that is all that can be asked.

use crate::determined::{epsilon, undetermined_results};
use crate::reduce::edit::TypeChange;
use crate::reduce::types::ElementTypes;
use wengert::{Array, device, with_device};
use wengert_core::{DType, Op, Program, Tensor};
use wengert_emit::free_results;

/// Whether an op may have other results that are as right as those of the evaluator.
pub(crate) fn has_others(op: &Op) -> bool {
    matches!(op, Op::Lu(_) | Op::Eig(_)) || !free_results(op).is_empty()
}

/// Whether what another side has for an op, which is the only one of a program and is given matrices, is as right as what the reference has;
/// `agree` says of which results the numbers are the same, and the roundings are those of an element type.
///
/// Nothing determines the signs of singular vectors and of eigenvectors, the order of eigenvalues, or which of the largest elements of a column
/// is the pivot; where values repeat, or columns depend on each other, rounding chooses the vectors.
pub(crate) fn is_as_right(
    (op, alone): (&Op, &Program),
    matrices: &Tensor,
    [want, got]: [&[Tensor]; 2],
    agree: &dyn Fn(usize) -> bool,
    (tolerance, dtype): (f64, DType),
) -> bool {
    let undetermined = || match matrices.dtype().real() == dtype.real() {
        true => undetermined_results(alone, std::slice::from_ref(matrices)),
        false => {
            let types = [(matrices.dtype(), in_width_of(dtype, matrices.dtype()))];
            let narrow = ElementTypes(&types).program(alone).zip(ElementTypes(&types).tensor(matrices));
            narrow.map_or(Vec::new(), |(alone, matrices)| undetermined_results(&alone, &[matrices]))
        }
    };
    let all_but = |free: &[usize]| !free.is_empty() && (0..got.len()).all(|i| free.contains(&i) || agree(i));
    is_decomposition(op, matrices, got, (tolerance, dtype))
        && match op {
            Op::Lu(_) => true,
            Op::Eigh(_) | Op::Svd(_) => all_but(free_results(op)),
            Op::Eig(_) => {
                let values = agree(0) || are_in_another_order(matrices, &want[0], &got[0], tolerance);
                (values || undetermined().contains(&0)) && are_as_independent(dtype, &want[1..], &got[1..])
            }
            _ => all_but(&undetermined()),
        }
}

/// Whether the eigenvalues of each matrix are those of the reference, within a part of its largest number, in whatever order.
fn are_in_another_order(matrices: &Tensor, want: &Tensor, got: &Tensor, tolerance: f64) -> bool {
    let Some(&n) = want.shape().last().filter(|n| **n > 0) else { return false };
    let [want, got, matrices] = [want, got, matrices].map(|x| x.dense().as_complex());
    let values = want.chunks(n).zip(got.chunks(n));
    values.zip(matrices.chunks(n * n)).all(|((want, got), matrix)| {
        let size = matrix.iter().map(|x| x.norm()).fold(0.0, f64::max);
        let mut left = got.to_vec();
        want.iter().all(|w| {
            let nearest = (0..left.len()).min_by(|&i, &j| (left[i] - w).norm().total_cmp(&(left[j] - w).norm()));
            nearest.is_some_and(|i| (left.swap_remove(i) - w).norm() <= tolerance * size)
        })
    })
}

/// Whether the eigenvectors of each matrix depend on each other no more than those of the reference do.
fn are_as_independent(dtype: DType, want: &[Tensor], got: &[Tensor]) -> bool {
    let rank = |v: &Tensor| {
        let columns = v.shape()[v.shape().rank() - 1];
        wide(v).svdvals().gt(roundings(columns, dtype)).to(DType::I32).sum(-1)
    };
    let one = |(want, got): (&Tensor, &Tensor)| is_true(&rank(got).ge(rank(want)));
    device("eval").is_ok_and(|eval| with_device(&eval, || want.iter().zip(got).all(one)))
}

/// The type of this width that is complex where another one is.
fn in_width_of(real: DType, like: DType) -> DType {
    let complex = DType::ALL.into_iter().find(|d| d.is_complex() && d.real() == real);
    if like.is_complex() { complex.unwrap_or(like) } else { real }
}

/// How far what is made of a matrix with so many rows is away from it by roundings, as a part of its largest number.
fn roundings(rows: usize, dtype: DType) -> f64 {
    64.0 * rows as f64 * epsilon(dtype)
}

/// Whether results of an op are a decomposition of its matrices, within a part of the largest number of each and the roundings of an element
/// type; none of an op that takes no matrix apart.
///
/// Eigenvectors are of length 1 and belong to their values, whose sum is that of the diagonal. A factor below the diagonal has no number that
/// is larger than its pivot.
pub(crate) fn is_decomposition(
    op: &Op,
    matrices: &Tensor,
    results: &[Tensor],
    (tolerance, dtype): (f64, DType),
) -> bool {
    let is_one = |op: &Op| {
        let a = wide(matrices);
        let y: Vec<Array> = results.iter().map(wide).collect();
        let rows = a.shape()[a.rank() - 2].max(a.shape()[a.rank() - 1]);
        // What is made of a matrix by roundings is near it by these, whatever else may part.
        let tolerance = tolerance.min(roundings(rows, dtype));
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
            (Op::Lu(_), [lu, ..]) => {
                let (m, n) = (a.shape()[a.rank() - 2], a.shape()[a.rank() - 1]);
                let k = m.min(n);
                let Some(rows) = rows_by_pivots(&results[1], &results[2], m) else { return false };
                let l = lu.tril(-1).matmul(Array::eye(n, k, 0, DType::C128)) + Array::eye(m, k, 0, DType::C128);
                let u = Array::eye(k, m, 0, DType::C128).matmul(lu.triu(0));
                let permuted = a.take_along_axis(Array::from_tensor(rows).expand_dims(-1).broadcast_to(a.shape()), -2);
                // Of complex numbers, the largest is that by the sum of its parts.
                let most = if matrices.dtype().is_complex() { 2f64.sqrt() } else { 1.0 };
                let is_pivoted = is_true(&largest(&l).le(most + tolerance));
                is_pivoted && near(&l.matmul(&u), &permuted, &largest(&l.abs().matmul(u.abs())))
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

/// The rows of matrices with so many of them as exchanges put them, if that is the permutation of each.
fn rows_by_pivots(pivots: &Tensor, permutation: &Tensor, m: usize) -> Option<Tensor> {
    let k = *pivots.shape().last()?;
    let (pivots, dense) = (pivots.dense(), permutation.dense());
    for batch in 0..permutation.size() / m.max(1) {
        let mut rows: Vec<i64> = (0..m as i64).collect();
        for i in 0..k {
            let pivot = usize::try_from(pivots.get(batch * k + i).as_i64()?).ok().filter(|p| *p < m)?;
            rows.swap(i, pivot);
        }
        if !(0..m).all(|i| dense.get(batch * m + i).as_i64() == Some(rows[i])) {
            return None;
        }
    }
    Some(permutation.clone())
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
    use wengert_core::ops::{Eig, Eigenvectors, Eigh, Lu, Qr, Svd};

    /// Whether what the evaluator has is a decomposition, and whether it still is where one number of a result is another.
    fn check(op: impl Into<Op>, matrix: [f64; 6], rows: usize) {
        let op = op.into();
        let x = Tensor::from_slice([rows, 6 / rows], &matrix).unwrap();
        let x = if rows == 3 { x } else { Tensor::from_slice([2, 2], &matrix[..4]).unwrap() };
        let y = wengert_eval::run_op(&op, vec![x.clone()]).unwrap();
        assert!(is_decomposition(&op, &x, &y, (1e-9, DType::F64)), "{op:?}");
        for i in 0..y.len() {
            let mut wrong = y.clone();
            let other = wide(&y[i]) + 0.01;
            wrong[i] = other.to_tensor();
            assert!(!is_decomposition(&op, &x, &wrong, (1e-9, DType::F64)), "{op:?}, result {i}");
        }
        assert!(!is_decomposition(&op, &Tensor::from_slice([1, 1], &[1.0]).unwrap(), &[], (1e-9, DType::F64)));
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
        check(Lu {}, tall, 3);
        check(Lu {}, tall, 2);
        for compute_v in [Eigenvectors::Right, Eigenvectors::Both] {
            check(Eig { compute_v }, tall, 2);
        }
    }
}
