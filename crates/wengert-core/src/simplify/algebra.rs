//! Arithmetic that changes nothing, and arithmetic that a cheaper op does. Each says why it is exact.
//!
//! Complex products and quotients are left alone: they mix the parts, and `∞·0` in one makes the other NaN.

use super::fold::lossless;
use super::rewrite::{Candidate, Rewrite, Rewriter, one};
use crate::host::Scalar;
use crate::op::Op;
use crate::ops::{Binary, Combiner, Compare, Convert, Direction, Select, Unary};
use crate::program::{Var, Vars};
use crate::types::DType;
use Binary::*;
use Unary::*;
use num_complex::Complex as C;

pub(super) const REWRITES: &[Rewrite] = &[
    Rewrite::binary("neutral operand", |r, op, x, y| {
        let value = neutral(op, r.dtype(x))?;
        match () {
            _ if r.is_splat(y, value) => Some(x),
            _ if commutes(op) && r.is_splat(x, value) => Some(y),
            _ => None,
        }
    }),
    Rewrite::binary("absorbing operand", |r, op, x, y| {
        let value = absorbing(op, r.dtype(x))?;
        [x, y].into_iter().find(|&v| r.is_splat(v, value))
    }),
    Rewrite::binary("equal operands", |r, op, x, y| match op {
        _ if x != y => None,
        And | Or | Max | Min => Some(x),
        // In floating point, ∞ - ∞ is NaN.
        Sub | Xor if !r.dtype(x).is_differentiable() => Some(r.full_like(x, 0.0)),
        _ => None,
    }),
    // The sign of a sum's term, or of a product, is exact wherever it is put.
    Rewrite::binary("sum with a negated term", |r, op, x, y| match (op, r.operand_of(Neg, x), r.operand_of(Neg, y)) {
        (Add, _, Some(y)) => Some(r.add_one(Sub, &[x, y])),
        (Add, Some(x), _) => Some(r.add_one(Sub, &[y, x])),
        (Sub, _, Some(y)) => Some(r.add_one(Add, &[x, y])),
        _ => None,
    }),
    Rewrite::binary("product of negated factors", |r, op, x, y| {
        let exact = op == Mul || op == Div && r.dtype(x).is_float();
        let (x, y) = (r.operand_of(Neg, x)?, r.operand_of(Neg, y)?);
        exact.then(|| r.add_one(op, &[x, y]))
    }),
    Rewrite::binary("times minus one", |r, op, x, y| {
        let d = r.dtype(x);
        let minus_one = Scalar::from_f64(d, -1.0);
        let ok = op == Mul && (d.is_signed() || d.is_float()) || op == Div && d.is_float();
        match ok {
            true if r.is_splat(y, minus_one) => Some(r.add_one(Neg, &[x])),
            true if op == Mul && r.is_splat(x, minus_one) => Some(r.add_one(Neg, &[y])),
            _ => None,
        }
    }),
    // -0 - x is -x also where x is a zero; 0 - x is not.
    Rewrite::binary("subtracted from zero", |r, op, x, y| {
        let zero = neutral(Add, r.dtype(x))?;
        (op == Sub && r.is_splat(x, zero)).then(|| r.add_one(Neg, &[y]))
    }),
    // Both are the same real number, rounded once.
    Rewrite::binary("division by a power of two", |r, op, x, y| {
        let d = r.dtype(x);
        let by = r.constant_splat(y).filter(|_| op == Div && d.is_float())?.as_f64()?;
        let power = by.is_normal() && by.to_bits() << 12 == 0;
        let inverse = Scalar::from_f64(d, 1.0 / by);
        // The inverse must be there, and not among the subnormal numbers, which some devices take for zero.
        let exact = power && inverse.as_f64() == Some(1.0 / by) && by.abs() <= smallest_normal(d).recip();
        exact.then(|| {
            let ty = r.ty(y).clone();
            let inverse = r.splat(&ty, inverse);
            r.add_one(Mul, &[x, inverse])
        })
    }),
    // As products these are rounded once for each factor; infinities, zeros and signs come out the same.
    Rewrite::binary("small power", |r, op, x, y| {
        let n = r.constant_splat(y).filter(|_| op == Pow && !r.dtype(x).is_complex())?.as_f64()?;
        let square = |r: &mut Rewriter<'_, '_>| r.add_one(Mul, &[x, x]);
        match n {
            0.0 => Some(r.full_like(x, 1.0)),
            2.0 => Some(square(r)),
            3.0 => {
                let s = square(r);
                Some(r.add_one(Mul, &[s, x]))
            }
            4.0 => {
                let s = square(r);
                Some(r.add_one(Mul, &[s, s]))
            }
            _ => None,
        }
    }),
    Rewrite::unary("undone at once", |r, op, x| match op {
        Neg | Not | Conj => r.operand_of(op, x),
        // Done already.
        Abs | Floor | Ceil | Round | RoundEven if !r.dtype(x).is_complex() => r.operand_of(op, x).map(|_| x),
        _ => None,
    }),
    Rewrite::unary("size of a negated number", |r, op, x| {
        let x = r.operand_of(Neg, x).filter(|_| op == Abs)?;
        Some(r.add_one(Abs, &[x]))
    }),
    Rewrite::unary("part of a number", |r, op, x| match (op, r.defined(x)) {
        (Real, Some((Op::Binary(Complex), &[re, _]))) => Some(re),
        (Imag, Some((Op::Binary(Complex), &[_, im]))) => Some(im),
        (Real, _) if !r.dtype(x).is_complex() => Some(x),
        (Imag, _) if !r.dtype(x).is_complex() => Some(r.full_like(x, 0.0)),
        _ => None,
    }),
    Rewrite::binary("number from its parts", |r, op, x, y| {
        let (re, im) = (r.operand_of(Real, x)?, r.operand_of(Imag, y)?);
        (op == Complex && re == im && r.dtype(re).is_complex()).then_some(re)
    }),
    Rewrite::any("negated comparison", negated_comparison),
    Rewrite::any("comparison with itself", self_comparison),
    Rewrite::any("known choice", known_choice),
    Rewrite::any("choice by a negated condition", negated_choice),
    Rewrite::any("choice of a choice", nested_choice),
    Rewrite::any("conversion to the same type", |r, c| match c.op {
        Op::Convert(convert) if r.dtype(c.x[0]) == convert.dtype => Some(one(c.x[0])),
        _ => None,
    }),
    Rewrite::any("conversion of a conversion", conversions),
];

fn commutes(op: Binary) -> bool {
    matches!(op, Add | Mul | Max | Min | And | Or | Xor)
}

/// The right operand that leaves the left as it is, to the sign of zero; the left one too where the op commutes.
fn neutral(op: Binary, d: DType) -> Option<Scalar> {
    match op {
        // 0.0 + -0.0 is 0.0: only the zero with a minus sign changes nothing.
        Add => Some(Scalar::from_complex(d, C::new(-0.0, -0.0))),
        Sub | Or | Xor | Shl | ShrArithmetic | ShrLogical => Some(Scalar::from_i64(d, 0)),
        Mul | Div | Pow if !d.is_complex() => Some(Scalar::from_i64(d, 1)),
        And => Combiner::And.identity(d),
        Max if !d.is_complex() => Combiner::Max.identity(d),
        Min if !d.is_complex() => Combiner::Min.identity(d),
        _ => None,
    }
}

/// The operand that is the result, whatever the other one is. None in floating point: the other may be NaN.
fn absorbing(op: Binary, d: DType) -> Option<Scalar> {
    match op {
        Mul if !d.is_differentiable() => Some(Scalar::from_i64(d, 0)),
        And => Some(Scalar::from_i64(d, 0)),
        Or => Combiner::And.identity(d),
        Max if !d.is_differentiable() => Combiner::Min.identity(d),
        Min if !d.is_differentiable() => Combiner::Max.identity(d),
        _ => None,
    }
}

fn smallest_normal(d: DType) -> f64 {
    match d {
        DType::F16 => half::f16::MIN_POSITIVE.to_f64(),
        DType::BF16 => half::bf16::MIN_POSITIVE.to_f64(),
        DType::F32 => f32::MIN_POSITIVE as f64,
        _ => f64::MIN_POSITIVE,
    }
}

/// With NaN, `!(a < b)` is not `a >= b`; `!(a == b)` is `a != b`.
fn negated_comparison(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    use Direction::*;
    let (Op::Unary(Not), &[x]) = (c.op, c.x) else { return None };
    let (Op::Compare(compare), &[a, b]) = r.defined(x)? else { return None };
    let direction = match compare.direction {
        Eq => Ne,
        Ne => Eq,
        _ if r.dtype(a).is_differentiable() => return None,
        Lt => Ge,
        Le => Gt,
        Gt => Le,
        Ge => Lt,
    };
    Some(one(r.add_one(Compare { direction }, &[a, b])))
}

/// NaN is not equal to itself, but it is not less than itself either.
fn self_comparison(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    use Direction::*;
    let (Op::Compare(compare), &[a, b]) = (c.op, c.x) else { return None };
    let value = match compare.direction {
        _ if a != b => return None,
        Lt | Gt => false,
        _ if r.dtype(a).is_differentiable() => return None,
        Ne => false,
        Eq | Le | Ge => true,
    };
    Some(one(r.splat(&c.types[0], Scalar::Bool(value))))
}

/// The condition is known, or does not matter.
fn known_choice(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Select(_), &[p, a, b]) = (c.op, c.x) else { return None };
    let same_shape = r.shape(p) == r.shape(a);
    let is = |v: Var, value: bool| same_shape && r.is_splat(v, Scalar::Bool(value));
    match r.constant_splat(p) {
        Some(Scalar::Bool(p)) => Some(one(if p { a } else { b })),
        _ if a == b => Some(one(a)),
        _ if is(a, true) && is(b, false) => Some(one(p)),
        _ if is(a, false) && is(b, true) => Some(one(r.add_one(Not, &[p]))),
        _ => None,
    }
}

fn negated_choice(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Select(_), &[p, a, b]) = (c.op, c.x) else { return None };
    let p = r.operand_of(Not, p)?;
    Some(one(r.add_one(Select {}, &[p, b, a])))
}

/// What the same condition chose once, it chooses again.
fn nested_choice(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Select(_), &[p, a, b]) = (c.op, c.x) else { return None };
    let chosen = |v: Var, value: bool| match r.defined(v) {
        Some((Op::Select(_), &[q, a, b])) if p == q => Some(if value { a } else { b }),
        _ => None,
    };
    let (first, second) = (chosen(a, true), chosen(b, false));
    (first.is_some() || second.is_some())
        .then(|| one(r.add_one(Select {}, &[p, first.unwrap_or(a), second.unwrap_or(b)])))
}

/// A type in between that holds every value of the first changes nothing. But integers wrap when they are cut, and
/// floats stop at the limits: an integer that went through a float to be cut must keep doing so.
fn conversions(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Convert(convert), &[x]) = (c.op, c.x) else { return None };
    let (Op::Convert(_), &[y]) = r.defined(x)? else { return None };
    let (from, between, to) = (r.dtype(y), r.dtype(x), convert.dtype);
    let cut = to.is_integer() && !from.is_differentiable() && between.is_differentiable() && !lossless(from, to);
    (lossless(from, between) && !cut).then(|| match from == to {
        true => one(y),
        false => one(r.add_one(Convert { dtype: to }, &[y])),
    })
}
