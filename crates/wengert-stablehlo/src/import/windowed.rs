//! Reductions and selections under windows. JAX writes what is accumulated along an axis as such a reduction.

use super::body::{Body, Handler};
use super::elementwise::direction;
use super::reduce::{applied, arrays, combiner, operation_combiner, started};
use crate::cumulative::cumulative;
use crate::syntax::Operation;
use std::sync::Arc;
use wengert_core::ops::{CumulativeKind, ReduceWindow, SelectAndScatter, Selector, Window};
use wengert_core::{Error, ErrorKind, Result, Scalar, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.reduce_window" => reduce_window,
        "stablehlo.select_and_scatter" => select_and_scatter,
        _ => return None,
    })
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
