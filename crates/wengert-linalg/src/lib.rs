//! Decompositions of matrices, one matrix of a batch after the other: by the algorithms that LAPACK uses, with blocks of
//! reflections and of rotations where matrices are large.
//!
//! Eigenvectors, singular vectors and Schur forms are determined up to signs (or phases) and an order. Those of matrices up
//! to 25 rows (`SMALL`) come out as LAPACK gives them, step for step. The arithmetic is that of `f64`; `Limits` says what is
//! next to nothing in the type of the elements. With `f32` roundings decide on some signs (for 24 rows, on one of twelve):
//! LAPACK gives another then for a matrix that differs in the last bits alone, and so do we.
//!
//! Products of matrices, and threads, are those of the caller ([`Tools`]).

mod back;
mod balance;
mod bidiagonal;
mod bidiagonalize;
mod block;
mod bulges;
mod cholesky;
mod deflation;
mod francis;
mod general;
mod hessenberg;
mod lanes;
mod lu;
mod matrix;
mod number;
mod product;
mod qr;
mod reflection;
mod rotation;
mod schur;
mod single_shift;
mod svd;
mod symmetric;
#[cfg(test)]
mod tests;
mod triangular;
mod tridiagonal;
mod turns;
mod two;
mod vectors;

use matrix::Matrix;
use number::{Limits, Number};
pub use product::{Product, Spread, Tools};
use schur::Sweep;
use std::sync::OnceLock;
use wengert_core::{Complex, DType, Element, Op, Scalar, Tensor, View, ViewMut, with_word};

/// The most rows and columns that LAPACK decomposes without dividing the matrix in parts.
const SMALL: usize = 25;
/// The work above which the matrices of a batch are shared among threads.
const PARALLEL: usize = 1 << 15;

/// Runs an op of the linear algebra family on elements of `f64` or `c128`, to which those of a program with `dtype` were
/// converted. Results that do not exist are NaN.
///
/// # Panics
/// If the op or the element type is another.
pub fn run(op: &Op, dtype: DType, x: &[View<'_>], y: &mut [ViewMut<'_>], tools: Tools<'_>) {
    match x[0].dtype() {
        DType::F64 => run_in::<f64>(op, dtype, x, y, tools),
        DType::C128 => run_in::<Complex<f64>>(op, dtype, x, y, tools),
        d => panic!("no decomposition is computed in {d}"),
    }
}

fn run_in<T: Element + Sweep>(op: &Op, dtype: DType, x: &[View<'_>], y: &mut [ViewMut<'_>], tools: Tools<'_>) {
    if matches!(op, Op::Lu(_)) && lu::small::<T>(x[0], y, tools) {
        return;
    }
    let batch = x[0].shape().rank() - 2;
    let count: usize = x[0].shape()[..batch].iter().product();
    let dense: Vec<Tensor> = x.iter().map(|x| spelled_out(*x)).collect();
    let [m, n] = [0, 1].map(|axis| x[0].shape()[batch + axis]);
    // Those of shorter types are as exact where they are not held against LAPACK's.
    let limits = Limits::of(if m.min(n) <= SMALL { dtype } else { DType::F64 });
    let parts: Vec<OnceLock<Option<Vec<Tensor>>>> = (0..count).map(|_| OnceLock::new()).collect();
    let one = |i: usize| {
        let operands: Vec<(&[T], [usize; 2])> = (0..x.len())
            .map(|k| {
                let [m, n] = [0, 1].map(|axis| x[k].shape()[batch + axis]);
                (&dense[k].elements::<T>()[i * m * n..(i + 1) * m * n], [m, n])
            })
            .collect();
        let set = parts[i].set(decompose(op, limits, &operands, tools));
        assert!(set.is_ok(), "each is decomposed once");
    };
    match count > 1 && count * m * n * m.min(n) > PARALLEL {
        true => (tools.spread)(count, usize::MAX, &one),
        false => (0..count).for_each(one),
    }
    for (k, y) in y.iter_mut().enumerate() {
        let each = y.shape()[batch..].iter().product();
        let nan = Scalar::from_complex(y.dtype(), Complex::new(f64::NAN, f64::NAN));
        let nan = Tensor::splat([each], nan);
        // SAFETY: what is written are elements of the result's type.
        with_word!(y.dtype(), W => for (out, part) in unsafe { y.words::<W>() }.chunks_mut(each.max(1)).zip(&parts) {
            let part = part.get().expect("it was decomposed").as_ref().map_or(&nan, |part| &part[k]);
            assert_eq!(part.dtype(), nan.dtype(), "the type of a result");
            let v = part.view().words::<W>();
            if part.is_splat() { out.fill(v[0]) } else { out.copy_from_slice(v) }
        });
    }
}

/// The elements of an operand, one by one.
fn spelled_out(x: View<'_>) -> Tensor {
    let mut t = Tensor::room(&x.ty());
    t.view_mut().expect("nothing shares it").copy_from(x);
    t
}

/// These elements.
fn line<T: Element>(v: Vec<T>) -> Tensor {
    Tensor::new([v.len()], v).expect("as many as there are")
}

/// The results for one matrix, whose elements lie row after row; none if they do not exist.
fn decompose<T: Element + Sweep>(
    op: &Op,
    limits: Limits,
    x: &[(&[T], [usize; 2])],
    tools: Tools<'_>,
) -> Option<Vec<Tensor>> {
    let (elements, [m, n]) = x[0];
    let a = || Matrix::of_rows(m, n, elements);
    match op {
        Op::TriangularSolve(op) => Some(vec![line(triangular::solve(op, (elements, n), x[1], tools))]),
        Op::Cholesky(op) => {
            if op.lower {
                return Some(vec![line(cholesky::cholesky(a(), tools)?.by_rows())]);
            }
            // Rows are columns of what is transposed.
            let turned = Matrix::of_columns(n, n, elements.to_vec()).map(T::conj);
            Some(vec![line(cholesky::cholesky(turned, tools)?.map(T::conj).into_elements())])
        }
        Op::Lu(_) => {
            let (factors, pivots, permutation) = lu::lu(elements, [m, n], tools);
            Some(vec![line(factors), line(pivots), line(permutation)])
        }
        Op::Qr(op) => {
            let (q, r) = qr::qr(a(), if op.full_matrices { m } else { m.min(n) }, tools);
            Some(vec![line(q.by_rows()), line(r.by_rows())])
        }
        Op::Svd(op) if op.compute_uv => {
            let (u, s, v) = svd::svd(a(), op.full_matrices, limits, tools)?;
            Some(vec![line(u.by_rows()), line(s), line(v.by_rows())])
        }
        Op::Svd(_) => Some(vec![line(svd::values(a(), limits, tools)?)]),
        Op::Eigh(op) => {
            let (w, v) = symmetric::eigh(a(), op.lower, limits, tools)?;
            Some(vec![line(w), line(v.by_rows())])
        }
        Op::Eig(op) => {
            let (w, vectors) = general::eig(a(), op.compute_v, limits, tools)?;
            Some([line(w)].into_iter().chain(vectors.iter().map(|v| line(v.by_rows()))).collect())
        }
        op => unreachable!("`{}` is not linear algebra", op.name()),
    }
}

/// Turns each column, which is determined up to a sign or a phase only, so that its largest element is positive: then
/// columns move little when the operand does. Of elements about as large the first counts. Gives the turns.
fn turn<T: Number>(v: &mut Matrix<T>) -> Vec<T> {
    let one = |column: &mut [T]| {
        let most = column.iter().fold(0f64, |m, x| m.max(x.size())) * 0.99;
        let Some(x) = column.iter().find(|x| x.size() >= most && x.size() > 0.0) else { return T::one() };
        let turn = x.conj().times(1.0 / x.size());
        column.iter_mut().for_each(|x| *x *= turn);
        turn
    };
    (0..v.columns).map(|j| one(v.column_mut(j))).collect()
}
