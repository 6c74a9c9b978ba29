//! Ops that the kernel language has no instructions for, as programs of those it has: they are computed in the loops
//! around them, where a kernel would be called. Products of bytes as those of floats, for which there are fast kernels;
//! remainders by powers of two without a division; and the derivative of order zero, which is the function itself.

use super::walk::{Budget, rebuilt};
use std::collections::HashMap;
use wengert_core::ops::{Binary, Bitcast, Convert, Direction, DotGeneral, Unary};
use wengert_core::{Builder, DType, Equation, Op, Program, Type, Var, Vars};

/// Expands ops of one program.
pub(super) fn expand(program: &Program, budget: &mut Budget) -> Option<Program> {
    let mut bytes: HashMap<Var, Var> = HashMap::new();
    let mut constants: HashMap<Var, f64> = HashMap::new();
    let mut forms: Vec<Option<Program>> = Vec::with_capacity(program.equations().len());
    for e in program.equations() {
        if let Op::Constant(c) = &e.op
            && let Some(x) = c.value.is_splat().then(|| c.value.get(0).as_f64()).flatten()
        {
            constants.insert(e.outputs[0], x);
        }
        if let Op::Convert(_) = e.op
            && matches!(program.ty(e.inputs[0]).dtype, DType::I8 | DType::U8)
        {
            bytes.insert(e.outputs[0], e.inputs[0]);
        }
        let types: Vec<Type> = e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
        let form = product_of_bytes(program, e, &bytes)
            .or_else(|| remainder(e, &types, &constants))
            .or_else(|| digamma(e, &types, &constants))
            .or_else(|| wengert_expand::fused(&e.op, &types));
        forms.push(form.filter(|_| budget.take()));
    }
    if forms.iter().all(Option::is_none) {
        return None;
    }
    let mut forms = forms.into_iter();
    Some(rebuilt(program, |b, env, e| {
        let form = forms.next().flatten()?;
        let of_bytes = matches!(e.op, Op::DotGeneral(_));
        let x = e.inputs.iter().map(|v| env[if of_bytes { bytes[v] } else { *v }.index()]);
        Some(b.inline(&form, &x.collect::<Vars>()).into_iter().collect())
    }))
}

/// Integers up to this are floats of 32 bits.
const EXACT: usize = 1 << 24;

/// A product of integers that were bytes as one of floats of those, if all sums are floats: nothing is rounded.
fn product_of_bytes(program: &Program, e: &Equation, bytes: &HashMap<Var, Var>) -> Option<Program> {
    let Op::DotGeneral(op @ DotGeneral { contract, .. }) = &e.op else { return None };
    let dtype = program.ty(e.outputs[0]).dtype;
    let types = [program.ty(*bytes.get(&e.inputs[0])?).clone(), program.ty(*bytes.get(&e.inputs[1])?).clone()];
    let largest = |ty: &Type| if ty.dtype == DType::I8 { 128 } else { 255 };
    let count: usize = contract.0.iter().map(|&d| types[0].shape[d]).product();
    if !dtype.is_integer() || dtype.bits() < 32 || count.saturating_mul(largest(&types[0]) * largest(&types[1])) > EXACT
    {
        return None;
    }
    let mut b = Builder::new();
    let x: Vec<Var> = types.iter().map(|ty| b.input(ty.clone())).collect();
    let x: Vec<Var> = x.into_iter().map(|x| b.one(Convert { dtype: DType::F32 }, &[x])).collect();
    let sums = b.one(op.clone(), &x);
    let y = b.one(Convert { dtype }, &[sums]);
    Some(b.finish(&[y]))
}

/// A remainder of floats by a power of two that is at least one: what is cut off is exact, and so is what is left.
fn remainder(e: &Equation, types: &[Type], constants: &HashMap<Var, f64>) -> Option<Program> {
    let Op::Binary(Binary::Rem) = e.op else { return None };
    let by = constants.get(&e.inputs[1])?.abs();
    let is_power = by.is_normal() && by.to_bits() << 12 == 0;
    if !matches!(types[0].dtype, DType::F32 | DType::F64) || !is_power || by < 1.0 {
        return None;
    }
    let mut b = Builder::new();
    let x: Vec<Var> = types.iter().map(|ty| b.input(ty.clone())).collect();
    let size = b.unary(Unary::Abs, x[0]);
    let times = b.scale(size, by.recip());
    let times = b.unary(Unary::Floor, times);
    let whole = b.scale(times, by);
    let rest = b.sub(size, whole);
    // The sign is that of the first operand, of zeros too.
    let negative = b.neg(rest);
    let word = if types[0].dtype == DType::F32 { DType::I32 } else { DType::I64 };
    let bits = b.one(Bitcast { dtype: word }, &[x[0]]);
    let zero = b.full_like(bits, 0.0);
    let is_negative = b.compare(Direction::Lt, bits, zero);
    let y = b.select(is_negative, negative, rest);
    Some(b.finish(&[y]))
}

/// The derivative of order zero of `digamma`, which is called for each element otherwise.
fn digamma(e: &Equation, types: &[Type], constants: &HashMap<Var, f64>) -> Option<Program> {
    let Op::Binary(Binary::Polygamma) = e.op else { return None };
    if *constants.get(&e.inputs[0])? != 0.0 {
        return None;
    }
    let mut b = Builder::new();
    let x: Vec<Var> = types.iter().map(|ty| b.input(ty.clone())).collect();
    let y = b.unary(Unary::Digamma, x[1]);
    Some(b.finish(&[y]))
}
