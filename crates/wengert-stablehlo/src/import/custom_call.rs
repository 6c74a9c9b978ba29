//! Custom calls: operations of other dialects written as calls, and calls of libraries that JAX makes for the CPU.

use super::body::{Body, operand};
use super::identity::identity;
use super::linalg::lapack;
use super::refused::refused;
use crate::names;
use crate::syntax::{Attr, Operation};
use wengert_core::ops::{Order, Slice, Sort, Threefry, TopK};
use wengert_core::{Dims, Error, ErrorKind, Result, Var, Vars};
use wengert_expand::sparse;

/// Calls that say where values are kept, and nothing of the values.
const PLACEMENTS: [&str; 7] = [
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "LayoutConstraint",
    "annotate_device_placement",
    "MoveToHost",
    "MoveToDevice",
];

pub(super) fn custom_call<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    let target = f.text("callee").or_else(|_| f.text("call_target_name"))?;
    if PLACEMENTS.contains(&target) || target.starts_with("xla.sdy.") {
        return identity(c, op, x);
    }
    if let Some(routine) = target.strip_prefix("lapack_") {
        let routine = routine.strip_suffix("_ffi").unwrap_or(routine);
        if let Some(handle) = lapack::handler(routine) {
            return handle(c, op, x);
        }
    }
    if op.result_count() == 0 {
        c.importer.note(op.at, &format!("the call of `{target}` gives nothing, and is left out"));
        return Ok(Vars::new());
    }
    match target {
        "mhlo.topk" | "stablehlo.topk" | "chlo.top_k" => top_k(c, op, x),
        "ApproxTopK" => approximate_top_k(c, op, x),
        "cpu_csr_sparse_dense_ffi" => {
            let [data, begins, columns, dense] = [0, 1, 2, 3].map(|i| operand(x, i));
            let y = sparse::rows_times_dense(&mut c.b, data?, begins?, columns?, dense?)?;
            Ok([y].as_slice().into())
        }
        "tridiagonal_solve_perturbed_ffi" | "cu_tridiagonal_solve_perturbed" => lapack::perturbed(c, op, x),
        "threefry2x32" | "cu_threefry2x32" | "cu_threefry2x32_ffi" => c.push(Threefry {}, x),
        _ => match names::called(target) {
            Some(op) => c.push(op, x),
            None if target.contains("python") => of_python(c, op, x, target),
            None => Err(Error::new(ErrorKind::Unsupported, format!("the custom call `{target}` is not supported"))),
        },
    }
}

/// A call that asks Python for values. It often stands where only errors lead to, so it fails when a run comes there.
fn of_python<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var], target: &str) -> Result<Vars> {
    let types = (0..op.result_count()).map(|i| c.result_type(op, i)).collect::<Result<Vec<_>>>()?;
    c.importer.note(op.at, &format!("the call of `{target}` asks Python for values: a run that comes there fails"));
    let why = format!("the run came to a call of `{target}`, which asks Python for values");
    let why = c.importer.refused(op.at, why);
    refused(c, x, &types, why.message())
}

fn top_k<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    let f = ["mhlo.attributes", "mhlo.backend_config"].iter().find_map(|n| f.part(n).ok()).unwrap_or(f);
    if !f.flag_or("largest", true)? {
        return Err(Error::new(ErrorKind::Unsupported, "the smallest elements by `topk` are not supported"));
    }
    c.push(TopK { k: f.size("k")? }, x)
}

/// The first `k` along an axis in the order of a function: exactly, which is close enough. Where the call leaves it to
/// others to choose `k` of the results, there are more of them.
fn approximate_top_k<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let config = c.fields(op).part("mhlo.backend_config")?;
    let (dim, k) = (config.size("reduction_dim")?, config.size("top_k")?);
    let name = match c.fields(op).get("called_computations") {
        Some(Attr::List(list)) => list.iter().find_map(|a| if let Attr::Symbol(s) = a { Some(s) } else { None }),
        _ => None,
    };
    let missing = || Error::new(ErrorKind::Text, "`ApproxTopK` needs a function that compares");
    let function = name.and_then(|n| c.importer.functions.get(&**n).copied()).ok_or_else(missing)?;
    let order = Order::Program(c.importer.function(function)?);
    let arrays = &x[..x.len() / 2];
    let shape = c.b.shape(operand(arrays, 0)?).clone();
    let k = match config.flag_or("aggregate_to_topk", true)? {
        true => k,
        false => c.result_shape(op)?.get(dim).copied().unwrap_or(k).max(k),
    };
    if dim >= shape.rank() || k > shape[dim] {
        return Err(Error::shape(format!("there are no {k} elements along axis {dim} of {shape}")));
    }
    let sorted = c.push(Sort { dim, stable: true, order }, arrays)?;
    let mut limit = Dims::from_slice(&shape);
    limit[dim] = k;
    let slice = Slice { start: Dims::from_elem(0, shape.rank()), limit, strides: Dims::from_elem(1, shape.rank()) };
    sorted.iter().map(|&v| c.one(slice.clone(), &[v])).collect()
}
