//! Triangular solves, and Cholesky's, LU and QR factors.

use super::matrices::{KINDS, Random, matrix};
use super::{TOOLS, difference, is_close, is_unitary, times};
use crate::{Matrix, Number, cholesky, lu, qr, triangular};
use wengert_core::Complex;
use wengert_core::ops::{MatrixTranspose, TriangularSolve};

fn check_solve<T: Number>(n: usize, sides: usize) {
    let mut random = Random((n * 100 + sides) as u64);
    let mut a = random.matrix::<T>(n, n).map(|x| x.times(1.0 / n as f64));
    (0..n).for_each(|i| a[(i, i)] += T::real(2.0));
    for (left_side, lower, unit_diagonal) in (0..8).map(|bits| (bits & 1 == 0, bits & 2 == 0, bits & 4 == 0)) {
        for transpose_a in [MatrixTranspose::No, MatrixTranspose::Transpose, MatrixTranspose::Adjoint] {
            let op = TriangularSolve { left_side, lower, unit_diagonal, transpose_a };
            let of = |i: usize, j: usize| match () {
                _ if i == j && unit_diagonal => T::one(),
                _ if i == j || (i > j) == lower => a[(i, j)],
                _ => T::zero(),
            };
            let read = Matrix::new(n, n, |i, j| match transpose_a {
                MatrixTranspose::No => of(i, j),
                MatrixTranspose::Transpose => of(j, i),
                MatrixTranspose::Adjoint => of(j, i).conj(),
            });
            let [m, k] = if left_side { [n, sides] } else { [sides, n] };
            let b = random.matrix::<T>(m, k);
            let x = triangular::solve(&op, (&a.by_rows(), n), (&b.by_rows(), [m, k]), TOOLS);
            let x = Matrix::of_rows(m, k, &x);
            let again = if left_side { times(&read, &x) } else { times(&x, &read) };
            is_close(difference(&again, &b), n, 4.0, &format!("{op:?} of {n} rows, {sides} sides"));
        }
    }
}

#[test]
fn triangular_solve() {
    for n in [1, 2, 9, 31, 32, 33, 64, 65, 100] {
        for sides in [0, 1, 3, 4, 40] {
            check_solve::<f64>(n, sides);
            check_solve::<Complex<f64>>(n, sides);
        }
    }
}

#[test]
fn a_real_matrix_with_a_zero_on_its_diagonal_gives_infinity() {
    let op = TriangularSolve { left_side: true, lower: true, unit_diagonal: false, transpose_a: MatrixTranspose::No };
    for sides in [1, 5] {
        let x = triangular::solve(&op, (&[0.0], 1), (&vec![2.0; sides], [1, sides]), TOOLS);
        assert_eq!(x, vec![f64::INFINITY; sides]);
    }
}

fn check_cholesky<T: Number>(n: usize) {
    let x = Random(n as u64).matrix::<T>(n, n);
    let mut a = times(&x, &x.adjoint());
    (0..n).for_each(|i| a[(i, i)] += T::one());
    // Nothing above the diagonal is read.
    let read = Matrix::new(n, n, |i, j| if i < j { T::new(f64::NAN, f64::NAN) } else { a[(i, j)] });
    let l = cholesky::cholesky(read, TOOLS).expect("it is positive definite");
    assert!((0..n).all(|j| (0..j).all(|i| l[(i, j)] == T::zero())), "nothing above the diagonal");
    is_close(difference(&times(&l, &l.adjoint()), &a), n, n as f64, "cholesky");
    for wrong in [-1.0, f64::NAN] {
        let mut none = a.clone();
        none[(n - 1, n - 1)] = T::real(wrong);
        assert!(cholesky::cholesky(none, TOOLS).is_none());
    }
}

#[test]
fn cholesky() {
    for n in [1, 2, 8, 31, 32, 33, 64, 70, 128, 130, 200] {
        check_cholesky::<f64>(n);
        check_cholesky::<Complex<f64>>(n);
    }
}

/// LU one column after the other, by its definition.
fn plain_lu<T: Number>(a: &Matrix<T>) -> Vec<i32> {
    let mut a = a.clone();
    let mut pivots = Vec::new();
    for k in 0..a.rows.min(a.columns) {
        let p = (k..a.rows).fold(k, |p, i| if a[(i, k)].parts() > a[(p, k)].parts() { i } else { p });
        pivots.push(p as i32);
        a.swap_rows(k, p);
        let top = a[(k, k)];
        for i in k + 1..a.rows {
            let by = if top == T::zero() { T::zero() } else { a[(i, k)] / top };
            (k + 1..a.columns).for_each(|j| {
                let u = a[(k, j)];
                a[(i, j)] -= by * u;
            });
        }
    }
    pivots
}

fn check_lu<T: Number>(kind: &str, m: usize, n: usize) {
    let (a, _) = matrix::<T>(kind, m, n);
    let (factors, pivots, permutation) = lu::lu(&a.by_rows(), [m, n], TOOLS);
    let f = Matrix::of_rows(m, n, &factors);
    let k = m.min(n);
    let l = Matrix::new(m, k, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => T::zero(),
        std::cmp::Ordering::Equal => T::one(),
        std::cmp::Ordering::Greater => f[(i, j)],
    });
    let u = Matrix::new(k, n, |i, j| if i <= j { f[(i, j)] } else { T::zero() });
    let moved = Matrix::new(m, n, |i, j| a[(permutation[i] as usize, j)]);
    is_close(difference(&times(&l, &u), &moved), m.max(n), a.largest(), &format!("lu of {kind}, {m} by {n}"));
    assert!(pivots.iter().enumerate().all(|(i, &p)| p as usize >= i && (p as usize) < m));
    if kind == "random" || kind == "zero" {
        assert_eq!(pivots, plain_lu(&a), "{kind}, {m} by {n}");
    }
}

#[test]
fn lu() {
    for kind in KINDS {
        for (m, n) in [(1, 1), (5, 3), (17, 17), (32, 40), (40, 32), (33, 33), (20, 70), (70, 20), (100, 101)] {
            check_lu::<f64>(kind, m, n);
            check_lu::<Complex<f64>>(kind, m, n);
        }
    }
    check_lu::<f64>("random", 250, 240);
}

fn check_qr<T: Number>(kind: &str, m: usize, n: usize) {
    let (a, _) = matrix::<T>(kind, m, n);
    for k in [m, m.min(n)] {
        let what = format!("qr of {kind}, {m} by {n}");
        let (q, r) = qr::qr(a.clone(), k, TOOLS);
        assert_eq!((q.rows, q.columns, r.rows, r.columns), (m, k, k, n), "{what}");
        is_unitary(&q, &what);
        is_close(difference(&times(&q, &r), &a), m.max(n), crate::reflection::length(a.elements()), &what);
        assert!((0..k.min(n)).all(|i| r[(i, i)].im() == 0.0), "{what}: a real diagonal");
        assert!((0..n).all(|j| (j + 1..k).all(|i| r[(i, j)] == T::zero())), "{what}: triangular");
    }
}

#[test]
fn qr() {
    for kind in KINDS {
        for (m, n) in [(1, 1), (3, 1), (5, 8), (31, 31), (33, 33), (64, 40), (40, 64), (100, 33), (130, 130)] {
            check_qr::<f64>(kind, m, n);
            check_qr::<Complex<f64>>(kind, m, n);
        }
    }
    for (m, n) in [(0, 0), (0, 4), (4, 0)] {
        check_qr::<f64>("zero", m, n);
    }
}
