//! Programs with ops of the user's own, which run in this process alone, without them.

use super::nan::Compile;
use std::convert::Infallible;
use std::sync::Arc;
use wengert_core::ops::Custom;
use wengert_core::{Builder, Equation, Op, Place, Program, Result, Tensor, Type, Var};

fn holds(op: &Op, is: &dyn Fn(&Custom) -> bool) -> bool {
    let custom = |op: &Op| matches!(op, Op::Custom(op) if is(op));
    custom(op) || op.programs().iter().any(|p| p.any(|_, e| custom(&e.op)))
}

/// Whether a program, or one that it holds, has an op of the user's.
pub(super) fn is_in(program: &Program) -> bool {
    program.equations().iter().any(|e| holds(&e.op, &|_| true))
}

/// The program with the ops of the user's that are programs of others written out.
pub(super) fn without_user_code(program: &Program) -> Program {
    without(program, &|_| true)
}

/// The program with these ops of the user's written out, if they are programs of others.
pub(super) fn without(program: &Program, which: &dyn Fn(&Custom) -> bool) -> Program {
    if !program.equations().iter().any(|e| holds(&e.op, which)) {
        return program.clone();
    }
    let Ok((b, y)) = Builder::rewritten(program, |b, e, x| {
        let y = match written_out(program, e, which) {
            Some(inside) => b.inline(&inside, x),
            None => {
                let op = e.op.map_programs(&mut |p| Arc::new(without(p, which)));
                b.push_typed(op, x, e.outputs.iter().map(|&v| program.ty(v).clone()).collect()).to_vec()
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
    op.program(&types)?.ok().map(|p| without(&p, which))
}

/// The program with what ops of the user's give as inputs, and all inputs of that. These ops run once more for it.
pub(super) fn cut(program: &Program, inputs: &[Tensor], compile: Compile<'_>) -> Result<(Program, Vec<Tensor>)> {
    let mut known = vec![false; program.var_count()];
    let mut values: Vec<Option<Tensor>> = vec![None; program.var_count()];
    for (v, x) in program.inputs().iter().zip(inputs) {
        (known[v.index()], values[v.index()]) = (true, Some(x.clone()));
    }
    let given = |taken: &[Var], values: &[Option<Tensor>]| -> Vec<Tensor> {
        taken.iter().map(|v| values[v.index()].clone().expect("known")).collect()
    };
    for e in program.equations().iter().filter(|e| holds(&e.op, &|_| true)) {
        let (part, taken) = program.part(&known, &e.outputs);
        let y = compile(part)?.run_on_host(given(&taken, &values))?;
        for (v, y) in e.outputs.iter().zip(y) {
            (known[v.index()], values[v.index()]) = (true, Some(y));
        }
    }
    let (cut, taken) = program.part(&known, program.outputs());
    let inputs = given(&taken, &values);
    Ok((cut.with_name(program.name()), inputs))
}

/// What leads to an op.
pub(super) struct Before {
    /// The program that computes its operands.
    pub(super) program: Program,
    /// Which inputs of the whole program that takes.
    pub(super) inputs: Vec<usize>,
    /// Where the op is.
    pub(super) place: Place,
}

/// What leads to the first op of the user's that has this name, without what follows other ops of the user's.
pub(super) fn before(program: &Program, name: &str) -> Before {
    let is_it = |op: &Custom| op.get().name() == name;
    let mut known = vec![false; program.var_count()];
    program.inputs().iter().for_each(|v| known[v.index()] = true);
    let mut defined = known.clone();
    for e in program.equations() {
        if holds(&e.op, &is_it) {
            let wanted: Vec<Var> = e.inputs.iter().copied().filter(|v| defined[v.index()]).collect();
            let (part, taken) = program.part(&known, &wanted);
            let position = |v: &Var| program.inputs().iter().position(|i| i == v).expect("an input");
            let inputs = taken.iter().map(position).collect();
            return Before { program: part.with_name(program.name()), inputs, place: e.place.clone() };
        }
        // What depends on another op of the user's can't be computed elsewhere.
        if !holds(&e.op, &|_| true) && e.inputs.iter().all(|v| defined[v.index()]) {
            e.outputs.iter().for_each(|v| defined[v.index()] = true);
        }
    }
    let (part, _) = program.part(&known, &[]);
    Before { program: part, inputs: Vec::new(), place: Place::unknown() }
}
