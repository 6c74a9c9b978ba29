//! Tracing the functions that control flow is made of.

use crate::array::Array;
use crate::array::{Stager, StagingInfo};
use crate::call_values::short;
use crate::stage::call_flat;
use crate::stage::{TracedFunction, trace};
use crate::trace::TraceArgument;
use crate::tree::Tree;
use std::any::type_name;
use std::sync::Arc;
use wengert_core::{Builder, Error, Place, Program, Result, Type};

/// A tree as its leaves and its structure.
pub(crate) struct FlatTree<T: Tree> {
    pub(crate) leaves: Vec<Array>,
    pub(crate) structure: T::Structure,
}

impl<T: Tree> FlatTree<T> {
    pub(crate) fn new(tree: &T) -> FlatTree<T> {
        let mut leaves = Vec::new();
        let structure = tree.flatten(&mut leaves);
        FlatTree { leaves, structure }
    }

    pub(crate) fn types(&self) -> Vec<Type> {
        self.leaves.iter().map(Array::ty).collect()
    }
}

/// A part of an op: a function, and the name that the user gave it.
pub(crate) struct Part<'f, A, R> {
    pub(crate) f: &'f dyn Fn(A) -> R,
    pub(crate) name: &'f str,
}

impl<A, R> Clone for Part<'_, A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for Part<'_, A, R> {}

/// The name of a function of the user's; nothing of a closure, or of what stands for a function.
pub(crate) fn function_name<F>(_: &F) -> &'static str {
    let name = type_name::<F>().trim_start_matches('&');
    let ours = ["alloc::", "core::", "std::", "wengert::", "dyn ", "fn("];
    if name.ends_with('}') || ours.iter().any(|p| name.starts_with(p)) { "" } else { short(name) }
}

/// Traces a function of one tree whose leaves have these types; `argument` is what that is called.
pub(crate) fn trace_body<A: Tree, R: Tree>(
    info: &StagingInfo,
    argument: &str,
    types: &[Type],
    structure: &A::Structure,
    part: Part<'_, A, R>,
) -> Result<TracedFunction<R::Structure>> {
    let mut names = Vec::new();
    A::paths(structure, argument, &mut names);
    let info = StagingInfo { function: part.name.into(), ..info.clone() };
    let arguments = types.iter().zip(names).map(|(ty, name)| TraceArgument::unknown(ty.clone(), name)).collect();
    trace(info, arguments, |x| call_flat(part.f, structure, x))
}

/// Gives the programs of one op the same captures: all that any of them uses, before their own arguments.
pub(crate) fn share_captures<S>(bodies: Vec<TracedFunction<S>>) -> (Vec<Array>, Vec<(Arc<Program>, S)>) {
    let mut all: Vec<Array> = Vec::new();
    for body in &bodies {
        let used = used_captures(body);
        for (c, _) in body.captures.iter().zip(used).filter(|(_, used)| *used) {
            if !all.iter().any(|a| a.is_same(c)) {
                all.push(c.clone());
            }
        }
    }
    let types: Vec<Type> = all.iter().map(Array::ty).collect();
    let widen = |body: TracedFunction<S>| {
        let mut b = Builder::new();
        let shared = b.inputs(&types);
        let (inputs, own) = (body.program.inputs(), body.program.inputs().len() - body.captures.len());
        let mut args = Vec::new();
        for &v in &inputs[..own] {
            let new = b.input(body.program.ty(v).clone());
            if let Some(n) = body.program.var_name(v) {
                b.set_name(new, n);
            }
            args.push(new);
        }
        for c in &body.captures {
            // One that the program has no use for is none.
            args.push(match all.iter().position(|a| a.is_same(c)) {
                Some(at) => shared[at],
                None => b.zeros(&c.ty()),
            });
        }
        let outputs = b.inline(&body.program, &args);
        (Arc::new(b.finish(&outputs).with_name(body.program.name())), body.out)
    };
    let programs = bodies.into_iter().map(widen).collect();
    (all, programs)
}

/// Which captures a traced function really uses: of some, all that came of them was used for nothing.
fn used_captures<S>(body: &TracedFunction<S>) -> Vec<bool> {
    let program = &body.program;
    let mut used = vec![false; program.var_count()];
    let inputs = program.equations().iter().flat_map(|e| &e.inputs);
    inputs.chain(program.outputs()).for_each(|v| used[v.index()] = true);
    let own = program.inputs().len() - body.captures.len();
    program.inputs()[own..].iter().map(|v| used[v.index()]).collect()
}

/// A carry must come out of a step as it went in.
pub(crate) fn same_carry<T: Tree>(
    by: Stager,
    structure: &T::Structure,
    types: &[Type],
    out: &T::Structure,
    out_types: &[Type],
    place: &Place,
) -> Result<()> {
    if *out != *structure {
        return Err(crate::tree::mismatch::<T>(
            &format!("the carry of `{by}` and what its body gives"),
            structure,
            out,
        )
        .at(place.clone()));
    }
    let mut names = Vec::new();
    T::paths(structure, "carry", &mut names);
    for ((a, b), name) in types.iter().zip(out_types).zip(names) {
        if a != b {
            // The counter of a counted loop is no part of what the user carries.
            let name = if by == Stager::Op("fori_loop") { name.replacen("carry.1", "carry", 1) } else { name };
            let make = if a.shape == b.shape { Error::dtype } else { Error::shape };
            return Err(make(format!(
                "`{by}`: the carry must keep its type from step to step; `{name}` starts as {a}, and the body gives {b}"
            ))
            .at(place.clone())
            .note("convert with `.to(..)` or broadcast it, in the body or before the loop"));
        }
    }
    Ok(())
}
