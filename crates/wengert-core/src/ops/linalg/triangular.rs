//! Triangular systems, and the factor that makes one of a positive definite system.

use super::matrix::{
    Triangle, adjoint, batch_leading, conj, halve_diagonal, matmul, matrix, mirrored, square, transposed, triangle,
};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Rules, no_rule};
use crate::ops::check;
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{Dims, Shape, Type};
use crate::{attributes, named_attr, names};

names! {
    /// What is done to a matrix before it is used.
    #[allow(missing_docs)]
    pub enum MatrixTranspose {
        No = "no",
        Transpose = "transpose",
        /// Transposed and conjugated.
        Adjoint = "adjoint",
    }
}
named_attr!(MatrixTranspose);

attributes! {
    /// `triangular_solve(a, b)`: the `x` with `op(a)·x = b`, or `x·op(a) = b`, for triangular `a`.
    "triangular_solve" => pub struct TriangularSolve {
        /// Whether `a` stands on the left of `x`.
        pub left_side: bool,
        /// Which triangle of `a` is read.
        pub lower: bool,
        /// Whether the diagonal of `a` is taken as ones and not read.
        pub unit_diagonal: bool,
        /// What `op` is.
        pub transpose_a: MatrixTranspose,
    }
}

impl Rules for TriangularSolve {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [a, b] = check::operands("triangular_solve", x)?;
        check::that(a.dtype == b.dtype, || {
            format!("`triangular_solve` needs operands of one element type, and got {a} and {b}")
        })?;
        let n = square("triangular_solve", a)?;
        let rhs = matrix("triangular_solve", b)?;
        let batches = (&a.shape[..a.rank() - 2], &b.shape[..b.rank() - 2]);
        check::that(batches.0 == batches.1 && rhs[!self.left_side as usize] == n, || {
            let side = if self.left_side { "rows" } else { "columns" };
            format!(
                "`triangular_solve` of {a} needs as many {side} and the same batch axes on the other side, and got {b}"
            )
        })?;
        Ok(vec![b.clone()])
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        // a·y = b gives y' = a⁻¹·(b' - a'·y).
        let moved = t[0].map(|t| {
            let t = triangle(b, t, Triangle { lower: self.lower, strict: self.unit_diagonal });
            let t = match self.transpose_a {
                MatrixTranspose::No => t,
                MatrixTranspose::Transpose => transposed(b, t),
                MatrixTranspose::Adjoint => adjoint(b, t),
            };
            if self.left_side { matmul(b, t, y[0]) } else { matmul(b, y[0], t) }
        });
        let rhs = match (t[1], moved) {
            (Some(t), Some(m)) => b.sub(t, m),
            (None, Some(m)) => b.neg(m),
            (t, None) => t.expect("called with a tangent"),
        };
        Ok(vec![Some(b.one(self.clone(), &[x[0], rhs]))])
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        if x[0].is_linear() {
            return Err(no_rule("triangular_solve", "transposed", "it is not linear in its matrix"));
        }
        let Some(ct) = ct[0] else { return Ok(vec![None, None]) };
        let (a, transpose_a) = match self.transpose_a {
            MatrixTranspose::No => (x[0].known(), MatrixTranspose::Transpose),
            MatrixTranspose::Transpose => (x[0].known(), MatrixTranspose::No),
            MatrixTranspose::Adjoint => (conj(b, x[0].known()), MatrixTranspose::No),
        };
        Ok(vec![None, Some(b.one(TriangularSolve { transpose_a, ..self.clone() }, &[a, ct]))])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        if x[0].batched {
            return batch_leading(self, b, x);
        }
        // One matrix for all: the batch is more columns (or rows) of the other side.
        let rank = b.shape(x[1].var).rank();
        let at = if self.left_side { rank - 1 } else { rank - 3 };
        let rhs = b.move_axis(x[1].var, 0, at);
        let split = b.shape(rhs).clone();
        let first = if self.left_side { rank - 2 } else { rank - 3 };
        let mut joined: Dims = split.0.clone();
        joined[first] *= joined.remove(first + 1);
        let rhs = b.reshape(rhs, &Shape(joined));
        let y = b.one(self.clone(), &[x[0].var, rhs]);
        let y = b.reshape(y, &split);
        Ok(vec![Batched::yes(b.move_axis(y, at, 0))])
    }
}

attributes! {
    /// The triangular `l` with `l·lᴴ` the operand, or `u` with `uᴴ·u`: NaN where the operand is not positive definite.
    "cholesky" => pub struct Cholesky {
        /// Whether the lower triangle is read and a lower triangle is given, or the upper.
        pub lower: bool,
    }
}

impl Rules for Cholesky {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("cholesky", x)?;
        square("cholesky", x)?;
        Ok(vec![x.clone()])
    }

    fn tangents(&self, b: &mut Builder, _: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        // l' = l·Φ(l⁻¹·a'·l⁻ᴴ), where Φ takes the lower triangle and half of the diagonal.
        let t = mirrored(b, t[0].expect("called with a tangent"), self.lower);
        let l = if self.lower { y[0] } else { adjoint(b, y[0]) };
        let solve = |left_side: bool, transpose_a: MatrixTranspose| TriangularSolve {
            left_side,
            lower: true,
            unit_diagonal: false,
            transpose_a,
        };
        let inner = b.one(solve(true, MatrixTranspose::No), &[l, t]);
        let inner = b.one(solve(false, MatrixTranspose::Adjoint), &[l, inner]);
        let inner = triangle(b, inner, Triangle { lower: true, strict: false });
        let inner = halve_diagonal(b, inner);
        let moved = matmul(b, l, inner);
        Ok(vec![Some(if self.lower { moved } else { adjoint(b, moved) })])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        batch_leading(self, b, x)
    }
}
