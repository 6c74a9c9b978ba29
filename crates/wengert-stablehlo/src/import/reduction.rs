//! Reductions, over axes and under windows. A region of one op that is a combiner by itself becomes that combiner.

use super::body::{Body, Handler};
use super::elementwise::{direction, operand};
use crate::cumulative::cumulative;
use crate::names::Named;
use crate::syntax::{Operation, Region};
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Dims, Error, ErrorKind, Result, Scalar, Shape, Type, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "reduce" => reduce,
        "reduce_window" => reduce_window,
        "select_and_scatter" => select_and_scatter,
        "map" => map,
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
fn applied<'m, 'a>(region: &'m Region<'a>) -> Option<&'m Operation<'a>> {
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

fn operation_combiner<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, n: usize) -> Result<Combiner> {
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
fn started(
    c: &mut Body<'_, '_, '_>,
    combiner: Combiner,
    x: &[Var],
    n: usize,
    make: impl FnOnce(Combiner) -> wengert_core::Op,
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
fn arrays(op: &Operation<'_>, x: &[Var]) -> Result<usize> {
    match x.len() {
        n if n > 0 && n % 2 == 0 => Ok(n / 2),
        n => Err(Error::new(ErrorKind::Text, format!("`{}` takes arrays and as many starts, and got {n}", op.name))),
    }
}

fn reduce<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let n = arrays(op, x)?;
    let dims = c.fields(op).dims("dimensions")?;
    let combiner = operation_combiner(c, op, n)?;
    started(c, combiner, x, n, |combiner| Reduce { combiner, dims }.into())
}

fn window<'m, 'a>(c: &Body<'_, 'm, 'a>, op: &'m Operation<'a>, rank: usize) -> Result<Window> {
    let f = c.fields(op);
    Ok(Window {
        size: f.dims("window_dimensions")?,
        strides: f.each("window_strides", rank, 1)?,
        padding: f.padding("padding", rank)?,
        base_dilation: f.each("base_dilations", rank, 1)?,
        window_dilation: f.each("window_dilations", rank, 1)?,
    })
}

fn reduce_window<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let n = arrays(op, x)?;
    let window = window(c, op, c.b.shape(x[0]).rank())?;
    let combiner = operation_combiner(c, op, n)?;
    let op = ReduceWindow { combiner, window };
    let Some(running) = cumulative(&op, c.b.ty(x[0])) else {
        return started(c, op.combiner.clone(), x, n, |_| op.into());
    };
    if running.kind != CumulativeKind::LogSumExp {
        return started(c, op.combiner, x, n, |_| running.into());
    }
    let start = c.b.constant_splat(x[1]);
    if start != Some(Scalar::from_f64(c.b.dtype(x[0]), f64::NEG_INFINITY)) {
        return c.push(op, x);
    }
    c.absorbed.push(x[1]);
    c.push(running, &x[..1])
}

fn select_and_scatter<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let ([select, scatter], 3) = (&op.regions[..], x.len()) else {
        return Err(Error::new(ErrorKind::Text, "`select_and_scatter` takes three operands and has two regions"));
    };
    let window = window(c, op, c.b.shape(x[0]).rank())?;
    let named = |op: &&'m Operation<'a>| {
        op.name == "stablehlo.compare" && c.fields(op).word("compare_type").is_ok_and(|w| w != Some("TOTALORDER"))
    };
    let select = match applied(select).filter(named).map(|op| direction(&c.fields(op))).transpose()? {
        Some(direction) => Selector::Named(direction),
        None => Selector::Program(Arc::new(c.closed_region(op, select)?)),
    };
    let combiner = combiner(c, op, scatter, 1)?;
    started(c, combiner, x, 2, |combiner| SelectAndScatter { select, window, combiner }.into())
}

/// A program of scalars on every element.
fn map<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let [region] = &op.regions[..] else {
        return Err(Error::new(ErrorKind::Text, "`map` needs a region"));
    };
    let program = c.closed_region(op, region)?;
    let shape = c.b.shape(operand(x, 0)?).clone();
    if !c.fields(op).dims("dimensions")?.iter().copied().eq(0..shape.rank()) {
        return Err(Error::shape(format!("the attribute `dimensions` should be all axes of {shape}, in order")));
    }
    let flat: Shape = [shape.size()].into();
    let types: Vec<Type> = x.iter().map(|&v| Type::scalar(c.b.dtype(v))).collect();
    if x.iter().any(|&v| *c.b.shape(v) != shape) || program.input_types() != types {
        return Err(Error::shape("`map` takes operands of one shape, and a region of scalars of their types"));
    }
    let args: Vec<Var> = x.iter().map(|&v| c.b.reshape(v, &flat)).collect();
    let all = |n: usize| vec![true; n];
    let outputs = program.outputs().len();
    let (batched, _) = wengert_core::transform::batch(&program, flat[0], None, &all(x.len()), &all(outputs))?;
    let y = c.b.inline(&batched, &args);
    Ok(y.into_iter().map(|v| c.b.reshape(v, &shape)).collect())
}
