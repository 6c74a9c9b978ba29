//! Operations that give their operands back: barriers, tuples, and shardings, which say where arrays are kept and nothing
//! of their values.

use super::body::{Body, Handler};
use crate::syntax::Operation;
use wengert_core::ops::Barrier;
use wengert_core::{Error, ErrorKind, Result, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.tuple" => |c, op, x| match op.signature.tuple() {
            Some(_) => identity(c, op, x),
            None => Err(Error::new(ErrorKind::Text, "`tuple` gives a tuple")),
        },
        "stablehlo.optimization_barrier" => |c, _, x| c.push(Barrier {}, x),
        "sdy.sharding_constraint" | "sdy.reshard" | "sdy.propagation_barrier" => identity,
        _ => return None,
    })
}

/// The operands as they are.
pub(super) fn identity<'m, 'a>(_: &mut Body<'_, 'm, 'a>, _: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    Ok(x.into())
}
