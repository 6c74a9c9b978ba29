//! Constant folding. Moving one value about needs no arithmetic; anything else asks the evaluator, if there is one.

use super::rewrite::{Candidate, Rewrite, Rewriter, one};
use crate::host::{Element, Scalar, Tensor};
use crate::op::Op;
use crate::ops::Iota;
use crate::program::{Var, Vars};
use crate::types::DType;
use crate::with_elements;

pub(super) const REWRITES: &[Rewrite] = &[
    Rewrite::any("results without elements", empty),
    Rewrite::any("array of one value", one_value),
    Rewrite::any("one value moved", moved),
    Rewrite::any("one value converted", converted),
    Rewrite::any("count moved or converted", count),
    Rewrite::any("one value computed", computed),
    Rewrite::any("constants computed", evaluated),
];

/// Nothing is computed where there is nothing to compute.
fn empty(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let nothing = !c.types.is_empty() && c.types.iter().all(|t| t.shape.contains(&0));
    (nothing && !matches!(c.op, Op::Constant(_)))
        .then(|| c.types.iter().map(|t| r.constant(Tensor::zeros(t))).collect())
}

/// An array that holds one value everywhere is kept as that value.
fn one_value(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    fn all_same<T: Element>(v: &[T]) -> bool {
        v.split_first().is_some_and(|(first, rest)| rest.iter().all(|x| x.bits() == first.bits()))
    }
    let Op::Constant(constant) = c.op else { return None };
    let value = &constant.value;
    let same = value.splat_value().is_none() && with_elements!(*value, v => all_same(v));
    same.then(|| one(r.splat(&c.types[0], value.get(0))))
}

/// Wherever the elements of an array of one value go, it is the same value.
fn moved(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let all_same = |r: &Rewriter<'_, '_>, x: &[Var]| {
        let value = r.constant_splat(*x.first()?)?;
        x.iter().all(|&v| r.is_splat(v, value)).then_some(value)
    };
    let value = match c.op {
        Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_) => all_same(r, c.x)?,
        // The operands after the first only say where.
        Op::DynamicSlice(_) => all_same(r, &c.x[..1])?,
        // The parts together; what is put around is a part too.
        Op::Concatenate(_) | Op::Pad(_) => all_same(r, c.x)?,
        Op::DynamicUpdateSlice(_) => all_same(r, &c.x[..2])?,
        _ => return None,
    };
    Some(one(r.splat(&c.types[0], value)))
}

/// How many bits the integers may have that a type holds without gaps.
fn digits(d: DType) -> usize {
    match d {
        DType::F16 => 11,
        DType::BF16 => 8,
        DType::F32 | DType::C64 => 24,
        DType::F64 | DType::C128 => 53,
        d => d.bits() - d.is_signed() as usize,
    }
}

/// Whether every value of one type is a value of the other, so that converting there and on is converting at once.
pub(super) fn lossless(from: DType, to: DType) -> bool {
    let signed = |d: DType| d.is_signed() || d.is_differentiable();
    match (from, to) {
        _ if from == to => true,
        (_, DType::Bool) => false,
        (DType::F16 | DType::BF16, DType::F16 | DType::BF16) => false,
        _ if from.is_complex() => to.is_complex() && digits(from) <= digits(to),
        _ if from.is_float() => to.is_differentiable() && digits(from) <= digits(to),
        _ => digits(from) <= digits(to) && (signed(to) || !signed(from)),
    }
}

/// A value that the other type has too.
fn converted(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let Op::Convert(convert) = c.op else { return None };
    let value = r.constant_splat(c.x[0]).filter(|v| lossless(v.dtype(), convert.dtype))?;
    let value = match value.as_i64() {
        Some(i) => Scalar::from_i64(convert.dtype, i),
        // No type but itself holds every u64.
        None => Scalar::from_complex(convert.dtype, value.as_complex()),
    };
    Some(one(r.splat(&c.types[0], value)))
}

/// Counting along an axis, then repeated along others, moved, or in another type that holds the numbers.
fn count(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Iota(iota), _) = r.defined(*c.x.first()?)? else { return None };
    let dim = match c.op {
        Op::Convert(convert) => {
            let last = iota.ty.shape[iota.dim].saturating_sub(1) as u128;
            let exact = |d: DType| d != DType::Bool && last >> digits(d) == 0;
            (exact(iota.ty.dtype) && exact(convert.dtype)).then_some(iota.dim)
        }
        Op::Broadcast(b) if iota.ty.shape[iota.dim] == b.shape[b.dims[iota.dim]] => Some(b.dims[iota.dim]),
        Op::Transpose(t) => t.perm.iter().position(|&p| p == iota.dim),
        _ => None,
    }?;
    Some(one(r.one(Iota { ty: c.types[0].clone(), dim }, &[])))
}

/// Elementwise, one value everywhere gives one value everywhere: computed once, whatever the size.
fn computed(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let evaluate = r.pass.settings.evaluate?;
    if c.x.is_empty() || !c.op.rules().elementwise() || c.op.rules().axis_name().is_some() {
        return None;
    }
    let scalar = |&v: &Var| Some(Tensor::splat([], r.constant_splat(v)?));
    let x: Vec<Tensor> = c.x.iter().map(scalar).collect::<Option<_>>()?;
    let y = evaluate(c.op, &x).ok()?;
    Some(y.iter().zip(c.types).map(|(y, ty)| r.splat(ty, y.get(0))).collect())
}

/// Small arrays that are known. Ops that hold programs may run for long, so they are left for when the program runs.
fn evaluated(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let evaluate = r.pass.settings.evaluate?;
    let limit = r.pass.settings.limit;
    let known = |&v: &Var| match r.defined(v)? {
        _ if r.shape(v).size() > limit => None,
        (Op::Constant(constant), _) => Some(constant.value.clone()),
        (op @ Op::Iota(_), _) => evaluate(op, &[]).ok()?.pop(),
        _ => None,
    };
    let small = c.types.iter().all(|t| t.shape.size() <= limit);
    let alone = !c.op.is_opaque() && c.op.programs().is_empty() && c.op.rules().axis_name().is_none();
    if c.x.is_empty() || !small || !alone {
        return None;
    }
    let x: Vec<Tensor> = c.x.iter().map(known).collect::<Option<_>>()?;
    let y = evaluate(c.op, &x).ok()?;
    Some(y.into_iter().map(|y| r.constant(y)).collect())
}
