//! Reductions over axes. A region of one op that is a combiner by itself becomes that combiner.

use super::argreduce::arg_reduce;
use super::body::{Body, Handler, operand};
use crate::names::Named;
use crate::syntax::{Operation, Region};
use std::sync::Arc;
use wengert_core::ops::{Binary, Broadcast, Combiner, Reduce};
use wengert_core::{Dims, Error, ErrorKind, Op, Result, Type, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.reduce" => reduce,
        _ => return None,
    })
}

/// The argument that a region returns as it is.
pub(super) fn returned_argument(region: &Region<'_>) -> Option<usize> {
    let [returned] = &region.operations[..] else { return None };
    let [u] = &returned.operands[..] else { return None };
    region.arguments.iter().position(|a| a.name == u.name)
}

/// The op that a region of two arguments applies to them, and returns.
pub(super) fn applied<'m, 'a>(region: &'m Region<'a>) -> Option<&'m Operation<'a>> {
    let ([op, returned], [a, b]) = (&region.operations[..], &region.arguments[..]) else { return None };
    let ([y], [x0, x1], [r]) = (&returned.operands[..], &op.operands[..], &op.results[..]) else { return None };
    let in_order = x0.name == a.name && x1.name == b.name;
    let turned = x0.name == b.name && x1.name == a.name;
    (y.name == r.name && (in_order || turned && op.name != "stablehlo.compare")).then_some(op)
}

fn named(op_name: &str) -> Option<Combiner> {
    Combiner::from_binary(Binary::spelled(op_name)?)
}

/// What a region combines `2n` scalars with.
pub(super) fn combiner<'m, 'a>(
    c: &mut Body<'_, 'm, 'a>,
    op: &'m Operation<'a>,
    region: &'m Region<'a>,
    n: usize,
) -> Result<Combiner> {
    if n == 1
        && let Some(combiner) = applied(region).and_then(|op| named(op.name))
    {
        return Ok(combiner);
    }
    Ok(Combiner::Program(Arc::new(c.closed_region(op, region)?)))
}

pub(super) fn operation_combiner<'m, 'a>(
    c: &mut Body<'_, 'm, 'a>,
    op: &'m Operation<'a>,
    n: usize,
) -> Result<Combiner> {
    if let Some(name) = c.fields(op).word("applies")? {
        let unknown = || Error::new(ErrorKind::Unsupported, format!("a reduction by `{name}` is not supported"));
        return named(name).filter(|_| n == 1).ok_or_else(unknown);
    }
    match op.regions.last() {
        Some(region) => combiner(c, op, region, n),
        None => Err(Error::new(ErrorKind::Text, format!("`{}` needs a region that combines", op.name))),
    }
}

/// Runs a reduction: `n` operands, then what each starts from. A named combiner starts from its identity by itself, and
/// another start is combined with the result.
pub(super) fn started(
    c: &mut Body<'_, '_, '_>,
    combiner: Combiner,
    x: &[Var],
    n: usize,
    make: impl FnOnce(Combiner) -> Op,
) -> Result<Vars> {
    let Some(binary) = combiner.binary() else { return c.push(make(combiner), x) };
    let start = operand(x, n)?;
    let dtype = c.b.dtype(start);
    if *c.b.ty(start) != Type::scalar(c.b.dtype(x[0])) {
        return Err(Error::shape(format!("a reduction of {} can't start from {}", c.b.ty(x[0]), c.b.ty(start))));
    }
    let known = c.b.constant_splat(start);
    let identity = combiner.identity(dtype);
    let negative_zero = binary == Binary::Add && known.and_then(|s| s.as_f64()) == Some(0.0);
    let y = c.push(make(combiner), &x[..n])?;
    if known.is_some() && known == identity || negative_zero {
        c.absorbed.push(start);
        return Ok(y);
    }
    let shape = c.b.shape(y[0]).clone();
    let start = c.one(Broadcast { shape, dims: Dims::new() }, &[start])?;
    c.push(binary, &[start, y[0]])
}

/// How many arrays are reduced: half of the operands, the others being what each starts from.
pub(super) fn arrays(op: &Operation<'_>, x: &[Var]) -> Result<usize> {
    match x.len() {
        n if n > 0 && n % 2 == 0 => Ok(n / 2),
        n => Err(Error::new(ErrorKind::Text, format!("`{}` takes arrays and as many starts, and got {n}", op.name))),
    }
}

fn reduce<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let n = arrays(op, x)?;
    let dims = c.fields(op).dims("dimensions")?;
    let combiner = operation_combiner(c, op, n)?;
    let arg_reduce = arg_reduce(c, &combiner, x, &dims);
    let mut y = started(c, combiner, x, n, |combiner| Reduce { combiner, dims }.into())?;
    // The reduction stays only where its values are used too.
    if let Some(op) = arg_reduce {
        c.absorbed.extend(y.iter().chain(&x[1..]));
        y[1] = c.one(op, &x[..1])?;
    }
    Ok(y)
}
