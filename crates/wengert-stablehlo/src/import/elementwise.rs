//! Elementwise operations of two and three operands: by their names in the table of [`names`](crate::names), those with
//! attributes, and those of CHLO that no op of ours is.

use super::body::{Body, Handler, operand};
use super::fields::Fields;
use crate::names::Named;
use crate::syntax::Operation;
use wengert_core::ops::{Binary, Clamp, Compare, Convert, Direction, Select, Unary};
use wengert_core::{DType, Error, ErrorKind, Result, Shape, Type, Var, Vars};
use wengert_expand::{sort, special};

pub(super) fn handler(name: &str) -> Option<Handler> {
    if Binary::spelled(name).is_some() {
        return Some(|c, op, x| c.push(Binary::spelled(op.name).expect("a name of the table"), x));
    }
    Some(match name {
        "stablehlo.compare" | "chlo.broadcast_compare" => compare,
        "stablehlo.select" | "chlo.broadcast_select" => |c, _, x| c.push(Select {}, x),
        "stablehlo.clamp" => |c, _, x| c.push(Clamp {}, x),
        "stablehlo.convert" => |c, op, x| {
            let dtype = c.result_type(op, 0)?.dtype;
            // Ours is true of all but zero; here, the real part counts.
            match dtype == DType::Bool && c.b.dtype(operand(x, 0)?).is_complex() {
                true => {
                    let part = c.one(Unary::Real, x)?;
                    c.push(Convert { dtype }, &[part])
                }
                false => c.push(Convert { dtype }, x),
            }
        },
        "stablehlo.map" => map,
        "chlo.zeta" | "chlo.broadcast_zeta" => |c, _, x| {
            let y = special::zeta(&mut c.b, operand(x, 0)?, operand(x, 1)?)?;
            Ok([y].as_slice().into())
        },
        "chlo.mulhi" => |c, _, x| {
            let y = special::mulhi(&mut c.b, operand(x, 0)?, operand(x, 1)?)?;
            Ok([y].as_slice().into())
        },
        _ => return None,
    })
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

/// A program of scalars on every element.
fn map<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let [region] = &op.regions[..] else {
        return Err(Error::new(ErrorKind::Text, "`map` needs a region"));
    };
    let program = c.closed_region(op, region)?;
    let shape = c.b.shape(operand(x, 0)?).clone();
    if !c.fields(op).dims("dimensions")?.iter().copied().eq(0..shape.rank()) {
        return Err(Error::shape(format!("the attribute `dimensions` should be all axes of {shape}, in order")));
    }
    let flat: Shape = [shape.size()].into();
    let types: Vec<Type> = x.iter().map(|&v| Type::scalar(c.b.dtype(v))).collect();
    if x.iter().any(|&v| *c.b.shape(v) != shape) || program.input_types() != types {
        return Err(Error::shape("`map` takes operands of one shape, and a region of scalars of their types"));
    }
    let args: Vec<Var> = x.iter().map(|&v| c.b.reshape(v, &flat)).collect();
    let all = |n: usize| vec![true; n];
    let outputs = program.outputs().len();
    let (batched, _) = wengert_core::transform::batch(&program, flat[0], None, &all(x.len()), &all(outputs))?;
    let y = c.b.inline(&batched, &args);
    Ok(y.into_iter().map(|v| c.b.reshape(v, &shape)).collect())
}
