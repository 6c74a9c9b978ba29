//! Systems of equations with three diagonals, as LAPACK's `gtsv` solves them.

use wengert_core::ops::*;
use wengert_core::{Builder, DType, Program, Type, Var};

/// Solves for the right sides of type `b`, given the diagonals below, on and above the main one, all of type `d`; the
/// first element of the one below and the last of the one above do not count.
pub(super) fn solve(d: &Type, b: &Type) -> Program {
    let mut p = Builder::new();
    let diagonals = p.inputs(&[d.clone(), d.clone(), d.clone()]);
    let right = p.input(b.clone());
    let n = d.shape[0];
    let square = d.with_shape([n, n]);
    let index = square.with_dtype(DType::I32);
    let (row, column) = (p.one(Iota { ty: index.clone(), dim: 0 }, &[]), p.one(Iota { ty: index, dim: 1 }, &[]));
    let offset = p.sub(column, row);
    let mut a = p.zeros(&square);
    for (diagonal, at) in diagonals.into_iter().zip([-1.0, 0.0, 1.0]) {
        let at = p.full_like(offset, at);
        let here = p.compare(Direction::Eq, offset, at);
        let values = p.broadcast(diagonal, &square.shape, &[0]);
        a = p.select(here, values, a);
    }
    let lu = p.push(Lu {}, &[a]);
    let mut x = p.gather_rows(right, lu[2]);
    for lower in [true, false] {
        x = triangular(&mut p, lower, lu[0], x);
    }
    p.finish(&[x]).with_name("gtsv")
}

fn triangular(p: &mut Builder, lower: bool, a: Var, b: Var) -> Var {
    let transpose_a = MatrixTranspose::No;
    p.one(TriangularSolve { left_side: true, lower, unit_diagonal: lower, transpose_a }, &[a, b])
}
