//! A program split in two: the forward half, and the linear map from input tangents to output tangents.

use super::jvp::{Dual, KnownVars, Mode, WithKnown, differentiate_all, finish_known};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Op;
use crate::program::{Program, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a residual of the linear part comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residual {
    /// It is this input of the program.
    Input(usize),
    /// It is this output of the forward program.
    Output(usize),
}

/// The two halves of a program.
#[derive(Clone, Debug)]
pub struct Linearized {
    /// From the program's inputs to its outputs, then the residuals that are not inputs already.
    pub forward: Program,
    /// From the residuals, then the tangents of the active inputs, to the tangents of the outputs that have one.
    pub linear: Program,
    /// The residuals, in the order `linear` takes them.
    pub residuals: Vec<Residual>,
    /// Which outputs have a tangent.
    pub moving: Vec<bool>,
}

/// Splits a program at its inputs with `active`. Outputs with `demand` get a tangent even if it is zero, as the carries
/// of loops need.
pub fn linearize(program: &Program, active: &[bool], demand: &[bool]) -> Result<Linearized> {
    linearize_known(program, active, demand, &KnownVars::NONE).map(|handed| handed.derivative)
}

/// [`linearize`] of a program with known variables: the forward program takes these after its inputs.
pub fn linearize_known(
    program: &Program,
    active: &[bool],
    demand: &[bool],
    known: &KnownVars<'_>,
) -> Result<WithKnown<Linearized>> {
    // Programs nest: this keeps the stack frame small while the inner ones are split.
    let mut b = Box::new(Builder::new());
    let (args, tangents) = inputs(&mut b, program, active);
    let made = differentiate_all(&mut b, Mode::Linearize, program, &args, &tangents)?;
    Ok(split(*b, program, args, &tangents, made, demand, known))
}

/// The inputs of a program, and stand-ins for the tangents of those with `active`.
fn inputs(b: &mut Builder, program: &Program, active: &[bool]) -> (Vec<Var>, Vec<Option<Var>>) {
    let args = b.inputs_of(program);
    let tangents = args.iter().zip(active).map(|(&v, &on)| on.then(|| b.phantom_like(v, ".t"))).collect();
    (args, tangents)
}

/// Splits a program that was differentiated.
fn split(
    mut b: Builder,
    program: &Program,
    args: Vec<Var>,
    tangents: &[Option<Var>],
    (dual, primal): (Dual, Vec<Var>),
    demand: &[bool],
    known: &KnownVars<'_>,
) -> WithKnown<Linearized> {
    let phantoms: Vec<Var> = tangents.iter().copied().flatten().collect();
    let touts: Vec<Var> = dual
        .tangents
        .iter()
        .zip(&dual.primals)
        .zip(demand)
        .filter_map(|((t, &y), &demand)| match t {
            None if demand => Some(b.full_like(y, 0.0)),
            t => *t,
        })
        .collect();
    let moving: Vec<bool> = dual.tangents.iter().zip(demand).map(|(t, &d)| t.is_some() || d).collect();

    // What the linear part reads from outside it. Constants are written again there rather than carried over.
    let in_linear = |e: &crate::Equation| {
        matches!(e.op, Op::Constant(_) | Op::Iota(_)) || e.outputs.iter().any(|&v| b.is_linear(v))
    };
    let live = b.live(&touts, in_linear);
    let linear_equations = || b.equations.iter().zip(&live).filter(|(_, live)| **live).map(|(e, _)| e);
    let mut read: FxHashSet<Var> = touts.iter().copied().collect();
    read.extend(linear_equations().flat_map(|e| &e.inputs));
    linear_equations().flat_map(|e| &e.outputs).chain(&phantoms).for_each(|v| {
        read.remove(v);
    });
    let mut read: Vec<Var> = read.into_iter().collect();
    read.sort();

    let input: FxHashMap<Var, usize> = args.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut outputs = dual.primals.clone();
    let residuals = read
        .iter()
        .map(|v| match input.get(v) {
            Some(&i) => Residual::Input(i),
            None => {
                outputs.push(*v);
                Residual::Output(outputs.len() - 1)
            }
        })
        .collect();
    let linear_inputs: Vec<Var> = read.iter().chain(&phantoms).copied().collect();
    let linear = b.extract(&linear_inputs, &touts, &live);
    let WithKnown { derivative: forward, known } = finish_known(b, program, &outputs, known, &primal);
    WithKnown { derivative: Linearized { forward, linear, residuals, moving }, known }
}
