//! Triangular systems and Cholesky's factor, the only decompositions that StableHLO has; [`lapack`] has those that JAX
//! calls a library for.

pub(super) mod lapack;

use super::body::Handler;
use wengert_core::ops::{Cholesky, TriangularSolve};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.cholesky" => |c, op, x| c.push(Cholesky { lower: c.fields(op).flag_or("lower", false)? }, x),
        "stablehlo.triangular_solve" => |c, op, x| {
            let f = c.fields(op);
            let transpose_a = f.choice("transpose_a", "a way to transpose")?;
            let solve = TriangularSolve {
                left_side: f.flag("left_side")?,
                lower: f.flag("lower")?,
                unit_diagonal: f.flag("unit_diagonal")?,
                transpose_a,
            };
            c.push(solve, x)
        },
        _ => return None,
    })
}
