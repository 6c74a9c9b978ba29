//! Programs with ops of the user's own, which run in this process alone, without them.

use super::nan::Compile;
use wengert_core::ops::{Custom, holds, without};
use wengert_core::{Place, Program, Result, Tensor, Var};

/// Whether a program, or one that it holds, has an op of the user's.
pub(super) fn is_in(program: &Program) -> bool {
    program.equations().iter().any(|e| holds(&e.op, &|_| true))
}

/// The program with the ops of the user's that are programs of others written out.
pub(super) fn without_user_code(program: &Program) -> Program {
    without(program, &|_| true)
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
