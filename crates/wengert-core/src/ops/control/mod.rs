//! Ops that hold programs: calls, branches, loops and derivatives given by the user.

mod call;
mod cond;
mod custom;
mod custom_jvp;
mod custom_vjp;
mod implicit;
mod opaque;
mod reverse;
mod scan;
mod while_loop;
mod written_out;

pub use call::{Call, CallKind};
pub use cond::Cond;
pub use custom::{Custom, CustomOp, FailedOp, PRINT};
pub use custom_jvp::CustomJvp;
pub use custom_vjp::{CustomVjp, Pullback};
pub use implicit::{LinearSolve, Root};
pub use scan::Scan;
pub use while_loop::While;
pub use written_out::{holds, opaque, without};

use crate::builder::Builder;
use crate::error::Result;
use crate::program::{Program, Var};
use crate::transform::{Operand, Residual};
use crate::types::Type;
use std::ops::Range;

/// For each residual of a linearized program, the variable that holds it: an operand, or a result of the forward half.
fn residual_vars(residuals: &[Residual], x: &[Var], y: &[Var]) -> Vec<Var> {
    let pick = |r: &Residual| match *r {
        Residual::Input(i) => x[i],
        Residual::Output(i) => y[i],
    };
    residuals.iter().map(pick).collect()
}

/// Which are `Some`.
fn present<T>(items: &[Option<T>]) -> Vec<bool> {
    items.iter().map(Option::is_some).collect()
}

/// The items for which the mask is set.
fn masked<'a, T: Clone>(items: &'a [T], mask: &'a [bool]) -> impl Iterator<Item = T> + 'a {
    items.iter().zip(mask).filter(|(_, m)| **m).map(|(x, _)| x.clone())
}

/// The inverse of [`masked`]: the next variable where the mask is set, and none elsewhere.
fn spread(mask: &[bool], vars: &[Var]) -> Vec<Option<Var>> {
    let mut vars = vars.iter();
    mask.iter().map(|&m| m.then(|| *vars.next().expect("a variable for each mark"))).collect()
}

/// Marks that any of the lists has.
fn union<'a>(lists: impl Iterator<Item = &'a Vec<bool>>) -> Vec<bool> {
    lists.cloned().reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a | b).collect()).unwrap_or_default()
}

/// The values among the operands of an op that is transposed.
fn known(x: &[Operand]) -> Vec<Var> {
    x.iter().filter(|x| !x.is_linear()).map(Operand::known).collect()
}

/// The cotangents of the operands, from those of the linear ones that have one.
fn cotangents(linear: &[bool], have: &[bool], ct: &[Var]) -> Vec<Option<Var>> {
    let mut ct = spread(have, ct).into_iter();
    linear.iter().map(|&l| if l { ct.next().expect("one for each linear operand") } else { None }).collect()
}

/// A program that gives `fixed` results and then one for each mark in `have`, made to give one for each in `want`, of
/// these types: what it lacks is zero.
fn with_zeros(program: Program, fixed: usize, have: &[bool], want: &[bool], types: &[Type]) -> Program {
    if have == want {
        return program;
    }
    let mut b = Builder::new();
    let args = b.inputs_of(&program);
    let y = b.inline(&program, &args);
    let mut outputs = y[..fixed].to_vec();
    for (y, ty) in masked(&spread(have, &y[fixed..]), want).zip(masked(types, want)) {
        outputs.push(b.or_zeros(y, &ty));
    }
    b.finish(&outputs).with_name(program.name())
}

/// The part of a program that computes some of its outputs from some of its inputs, which must be enough.
fn part(program: &Program, takes: &[bool], gives: &[bool]) -> Program {
    let mut b = Builder::new();
    let args = b.inputs_of(program);
    let y = b.inline(program, &args);
    let inputs: Vec<Var> = masked(&args, takes).collect();
    let outputs: Vec<Var> = masked(&y, gives).collect();
    b.extract(&inputs, &outputs, &b.live(&outputs, |_| true))
}

/// The part of a program over values and tangents that is about values: the first `takes` inputs and `gives` outputs.
fn values_part(dual: &Program, takes: usize, gives: usize) -> Program {
    let first = |n: usize, of: &[Var]| (0..of.len()).map(|i| i < n).collect::<Vec<_>>();
    part(dual, &first(takes, dual.inputs()), &first(gives, dual.outputs()))
}

/// Which inputs of a loop's body are marked, given those marked at the start: a carry that any step marks, is marked
/// from the start. `step` transforms the body for given marks on its inputs, and tells which outputs are marked then, the
/// carries first. Its last result and the marks come back too.
fn fixpoint<T>(
    carries: Range<usize>,
    mut marked: Vec<bool>,
    mut step: impl FnMut(&[bool]) -> Result<(T, Vec<bool>)>,
) -> Result<(Vec<bool>, T, Vec<bool>)> {
    loop {
        let (made, out) = step(&marked)?;
        let mut stable = true;
        for (m, &o) in marked[carries.clone()].iter_mut().zip(&out) {
            stable &= *m || !o;
            *m |= o;
        }
        if stable {
            return Ok((marked, made, out));
        }
    }
}
