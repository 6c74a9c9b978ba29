//! Linear algebra.

use super::function::Body;
use super::helpers::Helper;
use super::layout::Expr;
use super::ops::{flag, truth};
use crate::tree::{Step, VariableId};
use wengert_core::ops::{Cholesky, Eig, Eigenvectors, Eigh, MatrixTranspose, TriangularSolve};

impl Body<'_, '_> {
    pub(super) fn triangular_solve(&mut self, op: &TriangularSolve, step: &Step) -> Expr {
        let mut items = self.variables(&step.operands);
        items.extend([truth("left_side", op.left_side), truth("lower", op.lower)]);
        items.extend(flag("transpose_a", op.transpose_a != MatrixTranspose::No));
        items.extend(flag("conjugate_a", op.transpose_a == MatrixTranspose::Adjoint));
        items.extend(flag("unit_diagonal", op.unit_diagonal));
        Expr::call("lax.linalg.triangular_solve", items)
    }

    /// JAX reads the lower triangle and gives a lower one; the other way is that of the adjoint.
    pub(super) fn cholesky(&mut self, op: &Cholesky, step: &Step) -> Expr {
        let x = step.operands[0];
        self.file.helper(Helper::Cholesky);
        match op.lower {
            true => Expr::call("cholesky", [self.variable(x)]),
            false => self.adjoint(x, Expr::call("cholesky", [self.adjoint(x, self.variable(x))])),
        }
    }

    /// The adjoint of a value that has the type of a variable.
    fn adjoint(&self, like: VariableId, value: Expr) -> Expr {
        let (rank, complex) = (self.ty(like).rank(), self.ty(like).dtype.is_complex());
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(rank - 2, rank - 1);
        let turned = Expr::call("lax.transpose", [value, Expr::numbers(order)]);
        if complex { Expr::call("lax.conj", [turned]) } else { turned }
    }

    pub(super) fn eigh(&mut self, op: &Eigh, step: &Step) -> Expr {
        let x = self.variable(step.operands[0]);
        Expr::call("lax.linalg.eigh", [x, truth("lower", op.lower), truth("symmetrize_input", false)])
    }

    pub(super) fn eig(&mut self, op: &Eig, step: &Step) -> Expr {
        let x = self.variable(step.operands[0]);
        let left = truth("compute_left_eigenvectors", op.compute_v == Eigenvectors::Both);
        let right = truth("compute_right_eigenvectors", op.compute_v != Eigenvectors::None);
        Expr::call("lax.linalg.eig", [x, left, right])
    }
}
