//! Scatter.

use super::body::{Body, Handler};
use super::gather::indexing;
use super::reduce::{combiner, returned_argument};
use crate::names::SCATTER;
use crate::syntax::Operation;
use wengert_core::ops::{Scatter, Update};
use wengert_core::{Error, ErrorKind, Result, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.scatter" => scatter,
        _ => return None,
    })
}

fn scatter<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    let [region] = &op.regions[..] else {
        return Err(Error::new(ErrorKind::Text, "`scatter` needs a region that combines"));
    };
    let one = x.len() == 3;
    let update = match returned_argument(region) {
        Some(1) if one => Update::Set,
        _ => Update::Combine(combiner(c, op, region, x.len() / 2)?),
    };
    let scatter = Scatter {
        indexing: indexing(f.part("scatter_dimension_numbers")?, SCATTER)?,
        update,
        indices_are_sorted: f.flag_or("indices_are_sorted", false)?,
        unique_indices: f.flag_or("unique_indices", false)?,
    };
    c.push(scatter, x)
}
