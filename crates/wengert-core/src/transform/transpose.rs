//! Reverse mode: the linear part of a program, run backward.

use super::jvp::{KnownVars, Mode, WithKnown, differentiate_all, finish_known};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Linearity, Op, no_rule};
use crate::ops::Binary;
use crate::program::{Program, Var};
use crate::types::Type;

/// An operand as a transpose rule sees it.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A value that can be used.
    Known(Var),
    /// A tangent of this type, whose cotangent is wanted.
    Linear(Type),
}

impl Operand {
    /// Whether this is a tangent.
    pub fn is_linear(&self) -> bool {
        matches!(self, Operand::Linear(_))
    }

    /// The type.
    pub fn ty<'a>(&'a self, b: &'a Builder) -> &'a Type {
        match self {
            Operand::Known(v) => b.ty(*v),
            Operand::Linear(ty) => ty,
        }
    }

    /// The value.
    ///
    /// # Panics
    /// If this is a tangent: a rule asked for the value of an operand the op is not linear in.
    #[track_caller]
    pub fn known(&self) -> Var {
        match self {
            Operand::Known(v) => *v,
            Operand::Linear(t) => panic!("a transpose rule asked for the value of a tangent of type {t}"),
        }
    }
}

/// An error if an op is not linear in its tangents taken together.
fn is_linear(op: &Op, x: &[Operand]) -> Result<()> {
    let count = x.iter().filter(|x| x.is_linear()).count();
    let why = match (op.rules().linearity(), op) {
        (Linearity::Each(_), _) if count > 1 => "it multiplies two arrays that both depend on the arguments",
        (_, Op::Binary(Binary::Div)) if x[1].is_linear() => "it divides by an array that depends on the arguments",
        (_, Op::TriangularSolve(_)) if x[0].is_linear() => "its matrix depends on the arguments",
        (Linearity::Jointly(is), _) if x.iter().enumerate().any(|(i, x)| x.is_linear() && !is(i)) => {
            "it is not linear in each operand that depends on the arguments"
        }
        _ => return Ok(()),
    };
    Err(no_rule(op.name(), "transposed", why))
}

/// Walks the linear equations of `b` backward, from the cotangents of some linear variables to those of `wrt`.
pub fn backward(b: &mut Builder, seeds: &[(Var, Var)], wrt: &[Var]) -> Result<Vec<Option<Var>>> {
    let mut ct: Vec<Option<Var>> = vec![None; b.vars.len()];
    for &(v, seed) in seeds {
        ct[v.index()] = b.add_some(ct[v.index()], Some(seed));
    }
    let end = b.equations.len();
    for i in (0..end).rev() {
        let e = &b.equations[i];
        if !e.outputs.iter().any(|&v| b.is_linear(v) && ct.get(v.index()).is_some_and(|c| c.is_some())) {
            continue;
        }
        let e = e.clone();
        b.set_place(e.place.clone());
        let x: Vec<Operand> = e
            .inputs
            .iter()
            .map(|&v| if b.is_linear(v) { Operand::Linear(b.ty(v).clone()) } else { Operand::Known(v) })
            .collect();
        let cts: Vec<Option<Var>> = e.outputs.iter().map(|v| ct[v.index()].take()).collect();
        let back = is_linear(&e.op, &x).and_then(|()| e.op.rules().transpose(b, &x, &cts));
        let back = back.map_err(|err| err.at(e.place.clone()))?;
        debug_assert_eq!(back.len(), x.len(), "transpose rule of {}", e.op.name());
        for ((v, x), c) in e.inputs.iter().zip(&x).zip(back) {
            if let (Operand::Linear(ty), Some(c)) = (x, c) {
                debug_assert_eq!(b.ty(c), ty, "cotangent type in the transpose rule of {}", e.op.name());
                ct[v.index()] = b.add_some(ct[v.index()], Some(c));
            }
        }
    }
    Ok(wrt.iter().map(|v| ct[v.index()]).collect())
}

/// Transposes a program that is linear in its inputs with `linear`. The result takes the other inputs, then a cotangent
/// for each output with `given`; it gives the cotangents of the linear inputs that have one, and the list says which.
pub fn transpose(program: &Program, linear: &[bool], given: &[bool]) -> Result<(Program, Vec<bool>)> {
    let mut b = Builder::new();
    let args: Vec<Var> = program
        .inputs()
        .iter()
        .zip(linear)
        .map(|(&v, &lin)| {
            let ty = program.ty(v).clone();
            let new = if lin { b.phantom(ty) } else { b.input(ty) };
            b.copy_name(program, v, new);
            new
        })
        .collect();
    let outs = b.inline(program, &args);
    let mut seeds = Vec::new();
    for (&v, &on) in outs.iter().zip(given) {
        if on {
            let ct = b.input_like(v, ".ct");
            if b.is_linear(v) {
                seeds.push((v, ct));
            }
        }
    }
    let wrt: Vec<Var> = args.iter().copied().filter(|&v| b.is_linear(v)).collect();
    let cts = backward(&mut b, &seeds, &wrt)?;
    let present = cts.iter().map(Option::is_some).collect();
    let outputs: Vec<Var> = cts.into_iter().flatten().collect();
    Ok((b.finish(&outputs).with_name(program.name.clone()), present))
}

/// The program that computes a program's outputs, and the cotangents of its inputs with `wrt`, from its inputs and the
/// cotangents of its differentiable outputs.
pub fn vjp(program: &Program, wrt: &[bool]) -> Result<Program> {
    vjp_known(program, wrt, &KnownVars::NONE).map(|handed| handed.derivative)
}

/// [`vjp`] of a program with known variables: the result takes these after the cotangents.
pub fn vjp_known(program: &Program, wrt: &[bool], known: &KnownVars<'_>) -> Result<WithKnown<Program>> {
    let mut b = Builder::new();
    let args = b.inputs_of(program);
    let tangents: Vec<Option<Var>> =
        args.iter().zip(wrt).map(|(&v, &on)| on.then(|| b.phantom_like(v, ".t"))).collect();
    let (dual, primal) = differentiate_all(&mut b, Mode::Linearize, program, &args, &tangents)?;
    let mut seeds = Vec::new();
    for (&y, &t) in dual.primals.iter().zip(&dual.tangents) {
        if b.dtype(y).is_differentiable() {
            let ct = b.input_like(y, ".ct");
            seeds.extend(t.map(|t| (t, ct)));
        }
    }
    let phantoms: Vec<Var> = tangents.iter().copied().flatten().collect();
    let cts = backward(&mut b, &seeds, &phantoms)?;
    let mut outputs = dual.primals;
    for (c, p) in cts.into_iter().zip(phantoms) {
        let ty = b.ty(p).clone();
        outputs.push(b.or_zeros(c, &ty));
    }
    Ok(finish_known(b, program, &outputs, known, &primal))
}
