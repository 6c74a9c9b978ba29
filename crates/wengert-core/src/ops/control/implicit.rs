//! Solutions of equations, by solvers of the user's. What runs is the solver; derivatives come from the equation that is solved,
//! by the implicit function theorem, and know nothing of how the solver went.

use super::custom_jvp::check_signature;
use super::{known, present, with_zeros};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{Rules, no_rule};
use crate::ops::check;
use crate::program::{Program, Var};
use crate::transform::{self, Batched, Batcher, Dual, Mode, Operand};
use crate::types::Type;
use std::sync::Arc;

attributes! {
    /// The `x` with `A x = b`, for a linear `A`. Operands are what the programs share, then the arrays of `b`.
    "linear_solve" => pub struct LinearSolve {
        /// From what is shared and `b` to `x`.
        pub solve: Arc<Program>,
        /// From what is shared and `x` to `A x`.
        pub matvec: Arc<Program>,
        /// From what is shared and a `b` to the `x` with `Aᵀ x = b`; without it there is no transpose.
        pub transpose_solve: Option<Arc<Program>>,
        /// How many operands are shared.
        pub shared: usize,
    }
}

attributes! {
    /// An `x` with `f(x) = 0`. Operands are what the programs share, then a first guess.
    "root" => pub struct Root {
        /// From what is shared and a guess to `x`.
        pub solve: Arc<Program>,
        /// From what is shared and `x` to `f(x)`.
        pub f: Arc<Program>,
        /// From what is shared, `x` and a `b`, to the `v` with `J v = b`, for the Jacobian `J` of `f` at `x`.
        pub tangent_solve: Arc<Program>,
        /// How many operands are shared.
        pub shared: usize,
    }
}

/// The types of the unknowns, which all have derivatives.
fn unknowns<'a>(op: &str, shared: usize, x: &'a [Type]) -> Result<&'a [Type]> {
    check::that(shared <= x.len(), || format!("`{op}` shares {shared} operands, and has {}", x.len()))?;
    let unknowns = &x[shared..];
    for t in unknowns {
        check::that(t.dtype.is_differentiable(), || {
            format!("`{op}` solves for floats or complex numbers, and got {}", check::list(unknowns))
        })?;
    }
    Ok(unknowns)
}

/// What the derivative of `program` is along tangents of what is shared, at the solution.
fn residual_tangents(
    b: &mut Builder,
    mode: Mode,
    program: &Program,
    [shared, solution]: [&[Var]; 2],
    t: &[Option<Var>],
) -> Result<Vec<Option<Var>>> {
    if !present(t).contains(&true) {
        return Ok(vec![None; solution.len()]);
    }
    let tangents = [t, &vec![None; solution.len()]].concat();
    Ok(transform::differentiate(b, mode, program, &[shared, solution].concat(), &tangents)?.tangents)
}

fn zeros_like(b: &mut Builder, v: Var) -> Var {
    let ty = b.ty(v).clone();
    b.zeros(&ty)
}

/// Variables with zeros spelled out, if there is one at all.
fn spelled_out(b: &mut Builder, x: &[Option<Var>], like: &[Var]) -> Option<Vec<Var>> {
    let any = x.iter().any(Option::is_some);
    any.then(|| x.iter().zip(like).map(|(x, &like)| x.unwrap_or_else(|| zeros_like(b, like))).collect())
}

/// A program over a batch, whose last inputs and all outputs are batched, and which inputs that are shared are.
fn batched_program(b: &Batcher<'_>, p: &Program, shared: &[bool]) -> Result<Arc<Program>> {
    let mut takes = shared.to_vec();
    takes.resize(p.inputs().len(), true);
    let (program, _) = b.batch_program(p, &takes, &vec![true; p.outputs().len()])?;
    Ok(Arc::new(program))
}

/// The operands over a batch: all unknowns are batched. And which of those shared are.
fn batched_operands(b: &mut Batcher<'_>, shared: usize, x: &[Batched]) -> (Vec<Var>, Vec<bool>) {
    let (held, unknowns) = x.split_at(shared);
    let mut operands: Vec<Var> = held.iter().map(|x| x.var).collect();
    operands.extend(b.broadcast_together(unknowns));
    (operands, held.iter().map(|x| x.batched).collect())
}

impl LinearSolve {
    /// `A x = b` gives `A dx = db - dA x`: the same system with another right side.
    fn differentiate(&self, b: &mut Builder, mode: Mode, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let y = b.push(self.clone(), x).to_vec();
        let ((shared, _), (t_shared, t_b)) = (x.split_at(self.shared), t.split_at(self.shared));
        let moved = residual_tangents(b, mode, &self.matvec, [shared, &y], t_shared)?;
        let mut right = Vec::new();
        for (&t, &moved) in t_b.iter().zip(&moved) {
            right.push(match (t, moved) {
                (t, None) => t,
                (None, Some(m)) => Some(b.neg(m)),
                (Some(t), Some(m)) => Some(b.sub(t, m)),
            });
        }
        let tangents = match spelled_out(b, &right, &y) {
            Some(right) => b.push(self.clone(), &[shared, &right].concat()).iter().map(|&v| Some(v)).collect(),
            None => vec![None; y.len()],
        };
        Ok(Dual { primals: y, tangents })
    }
}

impl Rules for LinearSolve {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let unknowns = unknowns("linear_solve", self.shared, x)?;
        check_signature("linear_solve", "solver", &self.solve, x, unknowns)?;
        check_signature("linear_solve", "linear function", &self.matvec, x, unknowns)?;
        if let Some(p) = &self.transpose_solve {
            check_signature("linear_solve", "transposed solver", p, x, unknowns)?;
        }
        Ok(unknowns.to_vec())
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Jvp, x, t)
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Linearize, x, t)
    }

    /// The transpose of a solution is the solution of the transpose.
    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (shared, unknowns) = x.split_at(self.shared);
        if shared.iter().any(Operand::is_linear) {
            return Err(no_rule(
                "linear_solve",
                "transposed",
                "it is not linear in what its linear function is made of",
            ));
        }
        let Some(transpose_solve) = &self.transpose_solve else {
            return Err(no_rule("linear_solve", "transposed", "it has no solver for the transposed system")
                .note("give `custom_linear_solve` a `transpose_solve`; for a symmetric system, the solver again"));
        };
        let types: Vec<Type> = unknowns.iter().map(|x| x.ty(b).clone()).collect();
        let n = types.len();
        let linear: Vec<bool> = (0..x.len()).map(|i| i >= self.shared).collect();
        let (matvec, have) = transform::transpose(&self.matvec, &linear, &vec![true; n])?;
        let matvec = with_zeros(matvec, 0, &have, &vec![true; n], &types);
        let op = LinearSolve {
            solve: transpose_solve.clone(),
            matvec: Arc::new(matvec),
            transpose_solve: Some(self.solve.clone()),
            shared: self.shared,
        };
        let mut operands = known(shared);
        for (&ct, ty) in ct.iter().zip(&types) {
            operands.push(b.or_zeros(ct, ty));
        }
        let back = b.push(op, &operands);
        let back = unknowns.iter().zip(&back).map(|(x, &ct)| x.is_linear().then_some(ct));
        Ok(shared.iter().map(|_| None).chain(back).collect())
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (operands, held) = batched_operands(b, self.shared, x);
        let op = LinearSolve {
            solve: batched_program(b, &self.solve, &held)?,
            matvec: batched_program(b, &self.matvec, &held)?,
            transpose_solve: self.transpose_solve.as_ref().map(|p| batched_program(b, p, &held)).transpose()?,
            shared: self.shared,
        };
        Ok(b.push(op, &operands).iter().map(|&v| Batched::yes(v)).collect())
    }
}

impl Root {
    /// `f(x, m) = 0` gives `J dx = -∂f/∂m dm`. The guess does not count.
    fn differentiate(&self, b: &mut Builder, mode: Mode, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let y = b.push(self.clone(), x).to_vec();
        let shared = &x[..self.shared];
        let moved = residual_tangents(b, mode, &self.f, [shared, &y], &t[..self.shared])?;
        let Some(right) = spelled_out(b, &moved, &y) else {
            return Ok(Dual { tangents: vec![None; y.len()], primals: y });
        };
        let right: Vec<Var> = right.into_iter().map(|v| b.neg(v)).collect();
        let tangents = match mode {
            Mode::Jvp => b.inline(&self.tangent_solve, &[shared, &y, &right].concat()).into_iter().map(Some).collect(),
            // It is linear in the right side, so it is its own derivative there; taken at zero, that keeps what tangents do
            // apart from the rest.
            Mode::Linearize => {
                let at: Vec<Var> = y.iter().map(|&v| zeros_like(b, v)).collect();
                let tangents = [vec![None; x.len()], right.into_iter().map(Some).collect()].concat();
                let args = [shared, &y, &at].concat();
                transform::differentiate(b, mode, &self.tangent_solve, &args, &tangents)?.tangents
            }
        };
        Ok(Dual { primals: y, tangents })
    }
}

impl Rules for Root {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let unknowns = unknowns("root", self.shared, x)?;
        check_signature("root", "solver", &self.solve, x, unknowns)?;
        check_signature("root", "function", &self.f, x, unknowns)?;
        check_signature("root", "solver of tangents", &self.tangent_solve, &[x, unknowns].concat(), unknowns)?;
        Ok(unknowns.to_vec())
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Jvp, x, t)
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        self.differentiate(b, Mode::Linearize, x, t)
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (operands, held) = batched_operands(b, self.shared, x);
        let op = Root {
            solve: batched_program(b, &self.solve, &held)?,
            f: batched_program(b, &self.f, &held)?,
            tangent_solve: batched_program(b, &self.tangent_solve, &held)?,
            shared: self.shared,
        };
        Ok(b.push(op, &operands).iter().map(|&v| Batched::yes(v)).collect())
    }
}
