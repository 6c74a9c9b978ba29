//! Elementwise operations of one operand: by their names in the table of [`names`](crate::names), and those of CHLO that
//! no op of ours is.

use super::body::{Body, Handler, operand};
use crate::names::Named;
use crate::syntax::Operation;
use wengert_core::ops::{Binary, Compare, Direction, Unary};
use wengert_core::{Result, Var, Vars};
use wengert_expand::special;

pub(super) fn handler(name: &str) -> Option<Handler> {
    if name == "stablehlo.cbrt" {
        return Some(cbrt);
    }
    if Unary::spelled(name).is_some() {
        return Some(|c, op, x| c.push(Unary::spelled(op.name).expect("a name of the table"), x));
    }
    Some(match name {
        "chlo.square" => |c, _, x| Ok([special::square(&mut c.b, operand(x, 0)?)].as_slice().into()),
        "chlo.is_inf" => |c, _, x| {
            let size = c.one(Unary::Abs, x)?;
            equals(c, size, f64::INFINITY)
        },
        "chlo.is_pos_inf" => |c, _, x| equals(c, operand(x, 0)?, f64::INFINITY),
        "chlo.is_neg_inf" => |c, _, x| equals(c, operand(x, 0)?, f64::NEG_INFINITY),
        _ => return None,
    })
}

/// The cube root; of a complex number the one nearest to the positive reals.
fn cbrt<'m, 'a>(c: &mut Body<'_, 'm, 'a>, _: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let v = operand(x, 0)?;
    if !c.b.dtype(v).is_complex() {
        return c.push(Unary::Cbrt, x);
    }
    let third = c.b.full_like(v, 1.0 / 3.0);
    c.push(Binary::Pow, &[v, third])
}

fn equals(c: &mut Body<'_, '_, '_>, x: Var, value: f64) -> Result<Vars> {
    let ty = c.b.ty(x).clone();
    let value = c.b.full(&ty, value);
    c.push(Compare { direction: Direction::Eq }, &[x, value])
}
