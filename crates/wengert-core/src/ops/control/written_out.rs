//! Ops of the user's own as the programs that they are short for.

use super::Custom;
use super::opaque::Opaque;
use crate::builder::Builder;
use crate::op::Op;
use crate::program::{Equation, Program};
use crate::types::Type;
use std::convert::Infallible;
use std::sync::Arc;

/// Whether an op, or one in a program that it holds, is one of the user's for which this holds.
pub fn holds(op: &Op, is: &dyn Fn(&Custom) -> bool) -> bool {
    let custom = |op: &Op| matches!(op, Op::Custom(op) if is(op));
    custom(op) || op.programs().iter().any(|p| p.any(|_, e| custom(&e.op)))
}

/// The program with these ops of the user's written out, if they are programs of others.
pub fn without(program: &Program, which: &dyn Fn(&Custom) -> bool) -> Program {
    with_others(program, which, false)
}

/// The same, and of these ops that are no programs of others the name and the types alone: any process can read it.
pub fn opaque(program: &Program, which: &dyn Fn(&Custom) -> bool) -> Program {
    with_others(program, which, true)
}

fn with_others(program: &Program, which: &dyn Fn(&Custom) -> bool, opaque: bool) -> Program {
    if !program.equations().iter().any(|e| holds(&e.op, which)) {
        return program.clone();
    }
    let Ok((b, y)) = Builder::rewritten(program, |b, e, x| {
        let y = match written_out(program, e, which) {
            Some(inside) => b.inline(&with_others(&inside, which, opaque), x),
            None => {
                let gives: Vec<Type> = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
                let op = match &e.op {
                    Op::Custom(op) if opaque && which(op) => Opaque::of(op, gives.clone()).into(),
                    op => op.map_programs(&mut |p| Arc::new(with_others(p, which, opaque))),
                };
                b.push_typed(op, x, gives).to_vec()
            }
        };
        e.outputs.iter().zip(&y).for_each(|(&v, &new)| b.copy_name(program, v, new));
        Ok::<_, Infallible>(y)
    });
    b.finish(&y).with_name(program.name())
}

/// The program that an op of the user's is short for.
fn written_out(program: &Program, e: &Equation, which: &dyn Fn(&Custom) -> bool) -> Option<Program> {
    let Op::Custom(op) = &e.op else { return None };
    if !which(op) {
        return None;
    }
    let types: Vec<Type> = e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
    op.program(&types)?.ok()
}
