//! Convolutions.

use super::body::{Body, Handler};
use super::dot::widened;
use super::fields::Fields;
use crate::syntax::{Attr, Operation};
use wengert_core::ops::Convolution;
use wengert_core::{Dims, Error, ErrorKind, Result, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.convolution" => |c, op, x| convolution(c, op, x, None),
        _ => return None,
    })
}

/// The axes of one side: those with these two names, then the spatial ones in order.
fn axes(f: &Fields<'_, '_>, side: usize, first: &str, second: &str) -> Result<Dims> {
    let malformed = || Error::new(ErrorKind::Text, "the attribute `dimension_numbers` names each axis once");
    let Some(Attr::List(sides)) = f.get("dimension_numbers") else { return Err(malformed()) };
    let Some(Attr::List(labels)) = sides.get(side) else { return Err(malformed()) };
    let find = |wanted: &dyn Fn(&Attr<'_>) -> bool| labels.iter().position(wanted).ok_or_else(malformed);
    let mut out = Dims::new();
    for name in [first, second] {
        out.push(find(&|a| matches!(a, Attr::Word(w) if *w == name))?);
    }
    for i in 0..labels.len() - 2 {
        out.push(find(&|a| matches!(a, Attr::Int(n) if *n == i as i128))?);
    }
    Ok(out)
}

/// A convolution, padded as its attribute says unless that is given.
pub(super) fn convolution<'m, 'a>(
    c: &mut Body<'_, 'm, 'a>,
    op: &'m Operation<'a>,
    x: &[Var],
    padding: Option<Vec<(i64, i64)>>,
) -> Result<Vars> {
    let f = c.fields(op);
    let lhs = axes(&f, 0, "b", "f")?;
    let n = lhs.len() - 2;
    let reversal = f.ints("window_reversal")?.map_or(vec![false; n], |r| r.iter().map(|&n| n != 0).collect());
    let convolution = Convolution {
        lhs,
        rhs: axes(&f, 1, "o", "i")?,
        out: axes(&f, 2, "b", "f")?,
        strides: f.each("window_strides", n, 1)?,
        padding: padding.map_or_else(|| f.padding("padding", n), Ok)?,
        lhs_dilation: f.each("lhs_dilation", n, 1)?,
        rhs_dilation: f.each("rhs_dilation", n, 1)?,
        reversal,
        feature_groups: f.size("feature_group_count")?,
        batch_groups: f.size("batch_group_count")?,
    };
    widened(c, op, x, convolution.into())
}
