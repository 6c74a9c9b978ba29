//! What devices exchange. A program runs on one device here, which is alone in its group.

use super::body::{Body, Handler, operand};
use super::identity::identity;
use crate::syntax::Operation;
use wengert_core::ops::Constant;
use wengert_core::{Error, ErrorKind, Result, Tensor, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.all_reduce"
        | "stablehlo.all_gather"
        | "stablehlo.reduce_scatter"
        | "stablehlo.all_to_all"
        | "stablehlo.collective_broadcast" => alone,
        "stablehlo.collective_permute" => permute,
        "stablehlo.replica_id" | "stablehlo.partition_id" => |c, op, _| {
            let ty = c.result_type(op, 0)?;
            c.push(Constant { value: Tensor::zeros(&ty) }, &[])
        },
        _ => return None,
    })
}

/// What devices give each other, where each is alone in its group: what they have.
fn alone<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    match c.fields(op).ints("replica_groups")?.as_deref() {
        Some([_]) => identity(c, op, x),
        _ => Err(several(op)),
    }
}

/// What a device gets from itself; zeros if from nobody.
fn permute<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    match c.fields(op).ints("source_target_pairs")?.as_deref() {
        Some([0, 0]) => identity(c, op, x),
        Some([]) => Ok([c.b.full_like(operand(x, 0)?, 0.0)].as_slice().into()),
        _ => Err(several(op)),
    }
}

fn several(op: &Operation<'_>) -> Error {
    Error::new(ErrorKind::Unsupported, format!("`{}` among several devices is not supported", op.name))
}
