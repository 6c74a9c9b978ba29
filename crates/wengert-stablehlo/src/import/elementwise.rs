//! Ops that work element by element, StableHLO's and those of the dialect `chlo`. Those without attributes are in the
//! table of [`names`].

use super::body::{Body, Handler};
use super::fields::Fields;
use crate::names;
use crate::syntax::Operation;
use wengert_core::ops::{Bitcast, Clamp, Compare, Convert, Direction, ReducePrecision, Select, Unary};
use wengert_core::{DType, Error, ErrorKind, Result, Type, Var, Vars};
use wengert_expand::{sort, special};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "compare" => compare,
        "select" => |c, _, x| c.push(Select {}, x),
        "clamp" => |c, _, x| c.push(Clamp {}, x),
        "convert" => |c, op, x| c.push(Convert { dtype: c.result_type(op, 0)?.dtype }, x),
        "bitcast_convert" => |c, op, x| c.push(Bitcast { dtype: c.result_type(op, 0)?.dtype }, x),
        "reduce_precision" => |c, op, x| {
            let f = c.fields(op);
            let (exponent, mantissa) = (f.size("exponent_bits")?, f.size("mantissa_bits")?);
            c.push(ReducePrecision { exponent, mantissa }, x)
        },
        _ => return None,
    })
}

/// What reads an op of the table.
pub(super) fn table_handler(name: &str) -> Option<Handler> {
    names::elementwise(name)?;
    Some(|c, op, x| c.push(names::elementwise(op.name).expect("a name of the table"), x))
}

pub(super) fn chlo_handler(name: &str) -> Option<Handler> {
    Some(match name {
        "square" => |c, _, x| Ok([special::square(&mut c.b, operand(x, 0)?)].as_slice().into()),
        "is_inf" => |c, _, x| {
            let size = c.one(Unary::Abs, x)?;
            equals(c, size, f64::INFINITY)
        },
        "is_pos_inf" => |c, _, x| equals(c, operand(x, 0)?, f64::INFINITY),
        "is_neg_inf" => |c, _, x| equals(c, operand(x, 0)?, f64::NEG_INFINITY),
        "zeta" | "broadcast_zeta" => |c, _, x| {
            let y = special::zeta(&mut c.b, operand(x, 0)?, operand(x, 1)?)?;
            Ok([y].as_slice().into())
        },
        "mulhi" => |c, _, x| {
            let y = special::mulhi(&mut c.b, operand(x, 0)?, operand(x, 1)?)?;
            Ok([y].as_slice().into())
        },
        "constant" => super::shape::constant,
        "broadcast_compare" => compare,
        "broadcast_select" => |c, _, x| c.push(Select {}, x),
        "top_k" => |c, op, x| {
            let k = c.fields(op).size("k")?;
            c.push(wengert_core::ops::TopK { k }, x)
        },
        _ => return None,
    })
}

/// An operand that must be there.
pub(super) fn operand(x: &[Var], i: usize) -> Result<Var> {
    x.get(i).copied().ok_or_else(|| Error::new(ErrorKind::Text, "an operand is missing"))
}

fn equals(c: &mut Body<'_, '_, '_>, x: Var, value: f64) -> Result<Vars> {
    let ty = c.b.ty(x).clone();
    let value = c.b.full(&ty, value);
    c.push(Compare { direction: Direction::Eq }, &[x, value])
}

/// How a comparison compares.
pub(super) fn direction(f: &Fields<'_, '_>) -> Result<Direction> {
    f.choice("comparison_direction", "a comparison")
}

fn compare<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    let direction = direction(&f)?;
    let mut x: Vars = x.into();
    let (dtype, word) = (c.b.dtype(operand(&x, 0)?), f.word("compare_type")?.unwrap_or("NOTYPE"));
    let fits = match word {
        "NOTYPE" => true,
        "FLOAT" => dtype.is_float() || dtype.is_complex(),
        "TOTALORDER" => dtype.is_float(),
        "SIGNED" => dtype.is_integer() && dtype.is_signed(),
        "UNSIGNED" => dtype == DType::Bool || dtype.is_integer() && !dtype.is_signed(),
        _ => return Err(Error::new(ErrorKind::Text, format!("`{word}` is not a type of comparison"))),
    };
    if !fits {
        return Err(Error::dtype(format!("elements of type {dtype} have no order `{word}`")));
    }
    if word == "TOTALORDER" {
        for v in &mut x {
            *v = sort::total_order(&mut c.b, *v);
        }
    }
    c.push(Compare { direction }, &x)
}

/// A scalar constant.
pub(super) fn scalar(c: &mut Body<'_, '_, '_>, dtype: DType, value: f64) -> Var {
    c.b.full(&Type::scalar(dtype), value)
}
