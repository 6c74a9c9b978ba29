//! Calls, branches and loops. A loop that counts may be a scan ([`scan`]).

mod count;
mod scan;

use super::body::{Body, Captured, Handler, operand};
use crate::syntax::{Attr, Operation, Region};
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{DType, Equation, Error, ErrorKind, Op, Program, Result, Rules, Scalar, Type, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.while" => while_loop,
        "stablehlo.case" => case,
        "stablehlo.if" => if_else,
        "stablehlo.custom_call" => super::custom_call::custom_call,
        "stablehlo.composite" => composite,
        "func.call" => |c, op, x| call(c, c.fields(op).text("callee")?, x),
        _ => return None,
    })
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
    match scan::scan(c, &op, &operands, &captured)? {
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
        let [zero, last] = [0.0, last as f64].map(|n| c.b.full(&Type::scalar(DType::I32), n));
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
