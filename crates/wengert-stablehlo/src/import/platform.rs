//! Modules for several platforms: what they take says by a number which platform they run on, and they branch by it.
//! A branch may hold what can't be read, as long as it is not the one that runs.

use super::body::{Body, Captured};
use super::refused::refused;
use crate::syntax::{Attr, Operation};
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Program, Result, Type};

/// What JAX calls the number of the platform.
const INDEX: &str = "_platform_index";

/// Whether a function takes the number of the platform.
pub(super) fn several(function: &Operation<'_>) -> bool {
    let is_index = |name: &str, value: &Attr<'_>| {
        name == "jax.global_constant" && matches!(value, Attr::Text(text) if text == INDEX)
    };
    // The quoted form has the attributes of all arguments in one list.
    let listed = match function.attribute("arg_attrs") {
        Some(Attr::List(list)) => &list[..],
        _ => &[],
    };
    let listed = listed.iter().filter_map(|a| if let Attr::Dict(d) = a { Some(d) } else { None });
    let written = function.regions.iter().flat_map(|r| &r.arguments).map(|a| &a.attributes);
    listed.chain(written).flatten().any(|(name, value)| is_index(name, value))
}

/// The programs of branches, and what they capture, which they share. A branch that is not supported fails when it runs.
pub(super) fn branches<'m, 'a>(
    c: &mut Body<'_, 'm, 'a>,
    op: &'m Operation<'a>,
) -> Result<(Vec<Arc<Program>>, Vec<Captured<'a>>)> {
    let captured = c.captured(&op.regions)?;
    let read: Vec<Result<Program>> = op.regions.iter().map(|r| c.region(op, r, &captured)).collect();
    let some = read.iter().any(Result::is_ok);
    let types = (0..op.result_count()).map(|i| c.result_type(op, i)).collect::<Result<Vec<_>>>()?;
    let one = |program: Result<Program>| match program {
        Err(e) if some && e.kind() == ErrorKind::Unsupported => refusing(c, &captured, &types, &e),
        program => program,
    };
    let programs = read.into_iter().map(one).map(|p| p.map(Arc::new)).collect::<Result<_>>()?;
    Ok((programs, captured))
}

/// A program that takes what is captured, and fails.
fn refusing<'a>(c: &mut Body<'_, '_, 'a>, captured: &[Captured<'a>], types: &[Type], e: &Error) -> Result<Program> {
    let mut body = Body::new(c.importer);
    for c in captured {
        body.capture(c)?;
    }
    let y = refused(&mut body, &[], types, e.message())?;
    Ok(body.b.finish(&y))
}
