//! Calls, loops, branches, and operations that mean nothing on one device.

use super::body::{Body, Captured, Handler};
use super::elementwise::{operand, scalar};
use crate::syntax::{Attr, Operation, Region};
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{DType, Equation, Error, ErrorKind, Op, Program, Result, Rules, Scalar, Type, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "while" => while_loop,
        "case" => case,
        "if" => if_else,
        "tuple" => |c, op, x| match op.signature.tuple() {
            Some(_) => identity(c, op, x),
            None => Err(Error::new(ErrorKind::Text, "`tuple` gives a tuple")),
        },
        "optimization_barrier" => |c, _, x| c.push(Barrier {}, x),
        "custom_call" => super::custom_call::custom_call,
        "composite" => composite,
        "all_reduce" | "all_gather" | "reduce_scatter" | "all_to_all" | "collective_broadcast" => alone,
        "collective_permute" => permute,
        _ => return None,
    })
}

pub(super) fn func_handler(name: &str) -> Option<Handler> {
    match name {
        "call" => Some(|c, op, x| call(c, c.fields(op).text("callee")?, x)),
        _ => None,
    }
}

/// Shardings say where arrays are kept, and nothing of their values.
pub(super) fn sdy_handler(name: &str) -> Option<Handler> {
    match name {
        "sharding_constraint" | "reshard" | "propagation_barrier" => Some(identity),
        _ => None,
    }
}

/// The operands as they are.
pub(super) fn identity<'m, 'a>(_: &mut Body<'_, 'm, 'a>, _: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    Ok(x.into())
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

fn call(c: &mut Body<'_, '_, '_>, name: &str, x: &[Var]) -> Result<Vars> {
    let unknown = || Error::new(ErrorKind::Text, format!("there is no function `@{name}`"));
    let function = c.importer.functions.get(name).copied().ok_or_else(unknown)?;
    let program = c.importer.function(function)?;
    // All operands held by a barrier of their own, so that nothing before and after is found to be the same.
    if let Some(Equation { op: Op::Barrier(_), inputs, outputs, .. }) = x.first().and_then(|&v| c.b.definition(v))
        && outputs[..] == *x
    {
        let held = inputs.clone();
        c.absorbed.extend(x);
        return c.push(Call { program, kind: CallKind::Checkpoint }, &held);
    }
    c.push(Call { program, kind: CallKind::Staged }, x)
}

/// Whether a composite stands for an op of ours.
pub(super) fn is_ours(op: &Operation<'_>) -> bool {
    op.name == "stablehlo.composite"
        && matches!(op.attribute("name"), Some(Attr::Text(name)) if name.starts_with("wengert."))
}

/// An op of ours that StableHLO lacks, by its text; any other composite is the function it stands for.
fn composite<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    if is_ours(op)
        && let Ok(ours) = f.part("composite_attributes").and_then(|f| Op::parse(f.text("op")?))
    {
        return c.push(ours, x);
    }
    call(c, f.text("decomposition")?, x)
}

/// The programs of regions, and what they capture, which they share.
fn sharing<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>) -> Result<(Vec<Arc<Program>>, Vec<Captured<'a>>)> {
    let captured = c.captured(&op.regions)?;
    let one = |region: &'m Region<'a>| Ok(Arc::new(c.region(op, region, &captured)?));
    let programs = op.regions.iter().map(one).collect::<Result<_>>()?;
    Ok((programs, captured))
}

/// The operands for what regions capture.
fn operands<'c>(captured: &'c [Captured<'_>]) -> impl Iterator<Item = Var> + 'c {
    captured.iter().filter(|c| c.is_operand()).map(|c| c.var)
}

fn while_loop<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let (programs, captured) = sharing(c, op)?;
    let Ok([cond, body]) = <[_; 2]>::try_from(programs) else {
        return Err(Error::new(ErrorKind::Text, "`while` needs two regions: whether to go on, and one step"));
    };
    let consts = operands(&captured).count();
    let operands: Vec<Var> = operands(&captured).chain(x.iter().copied()).collect();
    let op = While { consts, cond, body };
    op.infer(&operands.iter().map(|&v| c.b.ty(v).clone()).collect::<Vec<_>>())?;
    match super::scan::scan(c, &op, &operands, &captured)? {
        Some(y) => Ok(y),
        None => c.push(op, &operands),
    }
}

/// Runs one of the programs on what they capture.
fn branch<'a>(
    c: &mut Body<'_, '_, 'a>,
    chooser: Var,
    branches: Vec<Arc<Program>>,
    captured: &[Captured<'a>],
) -> Result<Vars> {
    let operands: Vec<Var> = std::iter::once(chooser).chain(operands(captured)).collect();
    c.push(Cond { branches }, &operands)
}

fn case<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let mut index = operand(x, 0)?;
    if *c.b.ty(index) != Type::scalar(DType::I32) {
        return Err(Error::shape(format!("`case` chooses by an i32 scalar, and got {}", c.b.ty(index))));
    }
    let several = c.importer.several_platforms;
    let (branches, captured) = if several { super::platform::branches(c, op)? } else { sharing(c, op)? };
    // An index that is out of range means the last branch. Ours is taken into range, so only a negative one differs; and
    // one that is taken into range here need not be.
    let last = branches.len() as i64 - 1;
    let number = |v: Var| c.b.constant_splat(v).and_then(Scalar::as_i64);
    let (clamped, is_bool) = match c.b.definition(index) {
        Some(Equation { op: Op::Clamp(_), inputs, .. }) => {
            let whole = number(inputs[0]) == Some(0) && number(inputs[2]) == Some(last);
            (Some(inputs.clone()).filter(|_| whole), false)
        }
        Some(Equation { op: Op::Convert(_), inputs, .. }) => (None, c.b.dtype(inputs[0]) == DType::Bool),
        _ => (None, false),
    };
    if let Some(clamp) = clamped {
        c.absorbed.extend([index, clamp[0], clamp[2]]);
        index = clamp[1];
    } else if !is_bool && last > 0 {
        let [zero, last] = [0.0, last as f64].map(|n| scalar(c, DType::I32, n));
        let negative = c.one(Compare { direction: Direction::Lt }, &[index, zero])?;
        index = c.one(Select {}, &[negative, last, index])?;
    }
    branch(c, index, branches, &captured)
}

fn if_else<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let (mut branches, captured) = sharing(c, op)?;
    branches.reverse();
    branch(c, operand(x, 0)?, branches, &captured)
}
