//! How Jacobians are computed: the linear part of a function, along every direction of its arguments or its result.

use super::{JacobianIn, ReplaceLeaves};
use crate::array::{Array, StagingInfo};
use crate::autodiff::{chosen_leaves, linear_part, selected};
use crate::fail::ok;
use crate::function::{Args, Select};
use crate::stage::FlatArgs;
use crate::tape;
use crate::tree::{Tree, leaves, tree_paths};
use crate::vmap::vmap;
use wengert_core::{Error, Result, Scalar, Shape, Tensor, Type};
use wengert_tape::api::{HOLOMORPHIC, WRT};

/// Arrays of these types along a new leading axis: along it, each element of each array is one where all others are zero.
fn basis(types: &[Type]) -> Vec<Array> {
    let all: usize = types.iter().map(|t| t.shape.size()).sum();
    let mut first = 0;
    let mut of = |ty: &Type| {
        let n = ty.shape.size();
        let (one, at) = (Scalar::from_i64(ty.dtype, 1).bits(), first);
        first += n;
        let ty = ty.with_shape(ty.shape.with_axis(0, all));
        Array::from_tensor(Tensor::from_bits(&ty, |i| if i / n == at + i % n { one } else { 0 }))
    };
    types.iter().map(&mut of).collect()
}

/// For each of these types, the part of an array along an axis that [`basis`] of them has.
fn parts(x: &Array, axis: usize, types: &[Type]) -> Vec<Array> {
    let mut first = 0;
    let mut next = |ty: &Type| {
        let from = first;
        first += ty.shape.size();
        if types.len() == 1 { x.clone() } else { x.slice_axis(axis, from, first) }
    };
    types.iter().map(&mut next).collect()
}

fn joined(a: &Shape, b: &Shape) -> Shape {
    a.iter().chain(b.iter()).copied().collect()
}

/// How a Jacobian was asked for.
#[derive(Clone)]
pub(super) struct JacobianOptions {
    pub(super) info: StagingInfo,
    pub(super) holomorphic: bool,
}

impl JacobianOptions {
    /// An error if an array is not of numbers that this derivative has to do with. Reverse mode takes complex arguments of real
    /// functions, and forward mode complex results of real arguments; all else that is complex has to be holomorphic.
    fn check(&self, what: &str, ty: &Type, may_be_complex: bool) -> Result<()> {
        let by = self.info.by;
        let (fits, wanted) = match self.holomorphic {
            true => (ty.dtype.is_complex(), "complex numbers"),
            false => (ty.dtype.is_float() || may_be_complex && ty.dtype.is_complex(), "floats"),
        };
        if fits {
            return Ok(());
        }
        let e = Error::dtype(format!("`{by}` needs {wanted}, and {what} has type {ty}")).at(self.info.place.clone());
        Err(match (self.holomorphic, ty.dtype.is_complex()) {
            (true, _) => e.note("a holomorphic function is one of complex numbers: leave `.holomorphic()` out"),
            (false, true) => e.note("say `.holomorphic()` if the function is"),
            (false, false) => e.note("convert it, or leave it out of what the derivative is of or in (`.wrt(..)`)"),
        })
    }

    /// The types of the arrays that the derivative is in, and whether it is in each of the arguments' arrays.
    fn arguments<A: Args, W: Select<A>>(&self, args: &A, may_be_complex: bool) -> Result<(Vec<Type>, Vec<bool>)> {
        let on = selected::<A, W>(args);
        tape::say_numbers(WRT, chosen_leaves::<A, W>(args));
        if self.holomorphic {
            tape::say(HOLOMORPHIC, true);
        }
        let flat = FlatArgs::new(args);
        let mut types = Vec::new();
        for ((x, name), _) in flat.leaves.iter().zip(flat.names()).zip(&on).filter(|(_, on)| **on) {
            self.check(&format!("`{name}`"), &x.ty(), may_be_complex)?;
            types.push(x.ty());
        }
        Ok((types, on))
    }

    /// The leaves of a result, and its structure.
    fn results<R: Tree>(&self, y: &R, may_be_complex: bool) -> Result<(Vec<Type>, R::Structure)> {
        let mut flat = Vec::new();
        let structure = y.flatten(&mut flat);
        for (x, path) in flat.iter().zip(&tree_paths::<R>(&structure)) {
            let what = if path.is_empty() { "the result".into() } else { format!("the result's `{path}`") };
            self.check(&what, &x.ty(), may_be_complex)?;
        }
        Ok((flat.iter().map(Array::ty).collect(), structure))
    }
}

/// By forward mode: one pass for each element of the arguments.
pub(super) fn forward<A: Args, R: ReplaceLeaves, W: JacobianIn<A>>(
    options: &JacobianOptions,
    args: &A,
    f: &dyn Fn(A) -> R,
) -> Result<R::By<W::Picked>> {
    let (types, on) = options.arguments::<A, W>(args, false)?;
    let (y, linear) = linear_part(&options.info, f, args, &on)?;
    let (out, structure) = options.results(&y, true)?;
    let flat = FlatArgs::new(args);
    let along = |v: Vec<Array>| {
        let mut v = v.into_iter();
        let tangents = flat.leaves.iter().zip(&on);
        let tangents = tangents.map(|(x, on)| if *on { v.next().expect("one each") } else { x.clone() });
        let tangents = A::unflatten(&flat.structure, &mut tangents.collect::<Vec<_>>().into_iter());
        leaves(&ok(linear.push(&tangents, &options.info.place)))
    };
    let columns = match types.len() {
        0 => Vec::new(),
        _ => vmap(along).out_axis(-1)(basis(&types)),
    };
    let of = |(out, columns): (&Type, &Array)| {
        let columns = parts(columns, out.rank(), &types).into_iter().zip(&types);
        columns.map(|(c, ty)| c.reshape(joined(&out.shape, &ty.shape))).collect()
    };
    Ok(assembled::<A, R, W>(args, &structure, out.iter().zip(&columns).map(of).collect()))
}

/// By reverse mode: one pass for each element of the result.
pub(super) fn reverse<A: Args, R: ReplaceLeaves, W: JacobianIn<A>>(
    options: &JacobianOptions,
    args: &A,
    f: &dyn Fn(A) -> R,
) -> Result<R::By<W::Picked>> {
    let (types, on) = options.arguments::<A, W>(args, true)?;
    let (y, linear) = linear_part(&options.info, f, args, &on)?;
    let (out, structure) = options.results(&y, false)?;
    let pull = |ct: Vec<Array>| {
        let ct = R::unflatten(&structure, &mut ct.into_iter());
        leaves(&W::pick(&ok(linear.pull(&ct, options.info.place.clone()))))
    };
    let rows = match &out[..] {
        [] => Vec::new(),
        [one] if one.rank() == 0 => {
            pull(vec![Array::literal(Tensor::splat(one.shape.clone(), Scalar::from_i64(one.dtype, 1)))])
        }
        _ => vmap(pull)(basis(&out)),
    };
    let rows: Vec<Vec<Array>> = rows.iter().map(|x| parts(x, 0, &out)).collect();
    let of = |(i, out): (usize, &Type)| {
        let rows = rows.iter().zip(&types);
        rows.map(|(r, ty)| r[i].reshape(joined(&out.shape, &ty.shape))).collect()
    };
    Ok(assembled::<A, R, W>(args, &structure, out.iter().enumerate().map(of).collect()))
}

/// The result's tree, with trees like the chosen arguments in place of its arrays: for each of these, the leaves of one.
fn assembled<A: Args, R: ReplaceLeaves, W: JacobianIn<A>>(
    args: &A,
    structure: &R::Structure,
    leaves: Vec<Vec<Array>>,
) -> R::By<W::Picked> {
    let argument = W::pick(args).flatten(&mut Vec::new());
    let mut leaves = leaves.into_iter();
    // Without leaves in the arguments there are none in their trees.
    R::replace(structure, &mut || W::Picked::unflatten(&argument, &mut leaves.next().unwrap_or_default().into_iter()))
}
