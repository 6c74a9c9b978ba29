//! Small matrices as recipes: what the evaluator does on numbers and compiled code with instructions, to the same bits.
//! Numbers are computed in `f64`, one after the other, in the order of their indices.

use crate::ir::{Binary, Compare, Unary};
use crate::recipes::Machine;

/// Matrices of at most this many rows are solved and decomposed by these recipes.
pub const ROWS: usize = 8;

/// How a triangular matrix is read.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Whether the numbers are those below the diagonal.
    pub lower: bool,
    /// Whether rows and columns are exchanged.
    pub turned: bool,
    /// Whether the diagonal is ones, and not read.
    pub unit: bool,
}

/// Solves `a · x = b` for the columns of `x`, one number after the other: the products with those that are known are
/// taken off in the order of their columns. `a` has `n` by `n` numbers, row after row, and `b` is overwritten: its rows
/// and columns lie at these steps.
pub fn triangular_solve<M: Machine>(
    m: &M,
    triangle: Triangle,
    n: usize,
    a: &[M::Float],
    b: &mut [M::Float],
    (columns, steps): (usize, [usize; 2]),
) {
    let at = |i: usize, j: usize| if triangle.turned { a[j * n + i] } else { a[i * n + j] };
    for column in 0..columns {
        let place = |i: usize| i * steps[0] + column * steps[1];
        for step in 0..n {
            let i = if triangle.lower { step } else { n - 1 - step };
            let known = if triangle.lower { 0..i } else { i + 1..n };
            let mut rest = b[place(i)];
            for j in known {
                let product = m.mul(at(i, j), b[place(j)]);
                rest = m.binary(Binary::Sub, rest, product);
            }
            b[place(i)] = if triangle.unit { rest } else { m.binary(Binary::Div, rest, at(i, i)) };
        }
    }
}

/// The lower triangular matrix whose product with its transpose is `a`, of which the lower triangle is read; all numbers
/// are NaN if there is none.
pub fn cholesky<M: Machine>(m: &M, n: usize, a: &[M::Float]) -> Vec<M::Float> {
    let (zero, nan) = (m.float(0.0), m.float(f64::NAN));
    let mut l = vec![zero; n * n];
    // Not a number from the first pivot on that is not positive.
    let mut valid = zero;
    for j in 0..n {
        for i in j..n {
            let mut rest = a[i * n + j];
            for k in 0..j {
                let product = m.mul(l[i * n + k], l[j * n + k]);
                rest = m.binary(Binary::Sub, rest, product);
            }
            l[i * n + j] = if i == j {
                let positive = m.compare(Compare::Gt, rest, zero);
                valid = m.select(positive, valid, nan);
                m.unary(Unary::Sqrt, rest)
            } else {
                m.binary(Binary::Div, rest, l[j * n + j])
            };
        }
    }
    let exists = m.compare(Compare::Eq, valid, zero);
    l.into_iter().map(|x| m.select(exists, x, nan)).collect()
}
