//! Matrices that decompositions are tried on.

use crate::{Matrix, Number};

/// Numbers that look random, and are the same in each run.
pub(super) struct Random(pub u64);

impl Random {
    /// Between -1 and 1.
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xBF58476D1CE4E5B9);
        ((x >> 11) as f64) / (1u64 << 52) as f64 - 1.0
    }

    pub(super) fn matrix<T: Number>(&mut self, m: usize, n: usize) -> Matrix<T> {
        let elements = (0..m * n).map(|_| T::new(self.next(), self.next())).collect();
        Matrix::of_columns(m, n, elements)
    }
}

pub(super) const KINDS: [&str; 11] =
    ["random", "graded", "deficient", "clustered", "wilkinson", "hilbert", "tiny", "huge", "zero", "one", "shifted"];

/// A matrix of a kind. Its elements are multiplied by the number that comes with it, to which the results are scaled.
pub(super) fn matrix<T: Number>(kind: &str, m: usize, n: usize) -> (Matrix<T>, f64) {
    let mut random = Random((m * 1000 + n) as u64);
    let x = random.matrix::<T>(m, n);
    let real = |f: &dyn Fn(usize, usize) -> f64| Matrix::new(m, n, |i, j| T::real(f(i, j)));
    let part = |i: usize, of: usize| i as f64 / (of - 1).max(1) as f64;
    match kind {
        "random" => (x, 1.0),
        "graded" => (Matrix::new(m, n, |i, j| x[(i, j)].times(10f64.powf(8.0 - 8.0 * (part(i, m) + part(j, n))))), 1.0),
        "deficient" => {
            let k = (m.min(n) / 3).max(1);
            (super::times(&x.part(0..m, 0..k), &random.matrix(k, n)), 1.0)
        }
        // Two eigenvalues, and a few that are near one of them.
        "clustered" => {
            let v = x.column(0);
            let size: f64 = v.iter().map(|v| v.re() * v.re() + v.im() * v.im()).sum();
            let near = |i: usize| if i.is_multiple_of(7) { 1e-13 * i as f64 } else { 0.0 };
            let one = |i: usize, j: usize| if i == j { 1.0 + near(i) } else { 0.0 };
            let reflected = |i: usize, j: usize| if j < m { (v[i] * v[j].conj()).times(2.0 / size) } else { T::zero() };
            (Matrix::new(m, n, |i, j| T::real(one(i, j)) - reflected(i, j)), 1.0)
        }
        "wilkinson" => {
            let middle = m as f64 / 2.0 - 0.5;
            (real(&|i, j| if i == j { (i as f64 - middle).abs() } else { (i.abs_diff(j) == 1) as u8 as f64 }), 1.0)
        }
        "hilbert" => (real(&|i, j| 1.0 / (i + j + 1) as f64), 1.0),
        "tiny" => (x, 1e-300),
        "huge" => (x, 1e300),
        "zero" => (Matrix::zero(m, n), 1.0),
        "one" => (Matrix::identity(m, n), 1.0),
        // Nilpotent but for one small element: all eigenvalues lie on a circle.
        _ => (
            real(&|i, j| {
                if i + 1 == j {
                    1.0
                } else if i + 1 == m && j == 0 {
                    1e-6
                } else {
                    0.0
                }
            }),
            1.0,
        ),
    }
}
