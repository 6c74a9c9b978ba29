//! Calls of programs.

use super::{cotangents, known, part, present, residual_vars, spread, values_part};
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::ops::check;
use crate::program::{Program, Var};
use crate::simplify::{NarrowedOp, Narrower};
use crate::transform::{self, Batched, Batcher, Dual, Mode, Operand};
use crate::types::Type;
use crate::{attributes, named_attr, names};
use std::ops::Range;
use std::sync::Arc;

names! {
    /// Why a program is called rather than written out.
    pub enum CallKind {
        /// A function staged by itself; may be inlined.
        Staged = "staged",
        /// A function whose intermediate values are computed again in the backward pass instead of kept. Never inlined,
        /// or the two computations would become one.
        Checkpoint = "checkpoint",
    }
}
named_attr!(CallKind);

attributes! {
    /// Runs a program.
    "call" => pub struct Call {
        /// The program.
        pub program: Arc<Program>,
        /// Why it is called.
        pub kind: CallKind,
    }
}

impl Call {
    fn of(&self, program: Program) -> Call {
        Call { program: Arc::new(program), kind: self.kind }
    }

    /// The linear part starts from the inputs again: it is a call of a program that computes what it needs and then the
    /// tangents. Transposing that program keeps the first part and runs the second backward.
    fn linearize_again(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let n = self.program.outputs().len();
        let (dual, moving) = transform::dual(&self.program, Mode::Linearize, &present(t), &vec![false; n])?;
        let forward = values_part(&dual, x.len(), n);
        let y = b.push(self.of(forward.with_name(self.program.name())), x);
        let gives: Vec<bool> = (0..dual.outputs().len()).map(|i| i >= n).collect();
        let program = part(&dual, &vec![true; dual.inputs().len()], &gives).with_name(self.program.name());
        let operands: Vec<Var> = x.iter().chain(t.iter().flatten()).copied().collect();
        let moved = b.push(self.of(program), &operands);
        Ok(Dual { primals: y.to_vec(), tangents: spread(&moving, &moved) })
    }
}

impl Rules for Call {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        check::that(self.program.input_types() == x, || {
            format!(
                "`call` of a program that takes {} got {}",
                check::list(&self.program.input_types()),
                check::list(x)
            )
        })?;
        Ok(self.program.output_types())
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let (program, moving) = transform::jvp(&self.program, &present(t))?;
        let operands: Vec<Var> = x.iter().chain(t.iter().flatten()).copied().collect();
        let y = b.push(self.of(program), &operands);
        let n = self.program.outputs().len();
        Ok(Dual { primals: y[..n].to_vec(), tangents: spread(&moving, &y[n..]) })
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        if self.kind == CallKind::Checkpoint {
            return self.linearize_again(b, x, t);
        }
        let n = self.program.outputs().len();
        let lin = transform::linearize(&self.program, &present(t), &vec![false; n])?;
        let y = b.push(self.of(lin.forward.with_name(self.program.name())), x);
        let mut operands = residual_vars(&lin.residuals, x, &y);
        operands.extend(t.iter().flatten());
        let moved = b.push(self.of(lin.linear.with_name(self.program.name())), &operands);
        Ok(Dual { primals: y[..n].to_vec(), tangents: spread(&lin.moving, &moved) })
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let linear: Vec<bool> = x.iter().map(Operand::is_linear).collect();
        let (program, have) = transform::transpose(&self.program, &linear, &present(ct))?;
        let operands: Vec<Var> = known(x).into_iter().chain(ct.iter().copied().flatten()).collect();
        let y = b.push(self.of(program), &operands);
        Ok(cotangents(&linear, &have, &y))
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let batched: Vec<bool> = x.iter().map(|x| x.batched).collect();
        let none = vec![false; self.program.outputs().len()];
        let (program, which) = b.batch_program(&self.program, &batched, &none)?;
        let operands: Vec<Var> = x.iter().map(|x| x.var).collect();
        let y = b.push(self.of(program), &operands);
        Ok(y.iter().zip(which).map(|(&var, batched)| Batched { var, batched }).collect())
    }

    fn passed(&self) -> Range<usize> {
        0..self.program.inputs().len()
    }

    fn narrow(&self, wanted: &[bool], n: &mut Narrower<'_>) -> Option<NarrowedOp> {
        let program = n.outputs(&self.program, wanted);
        let operands = program.used_inputs();
        let program = n.inputs(&program, &operands);
        let op = Call { program, kind: self.kind }.into();
        Some(NarrowedOp { op, operands, results: wanted.to_vec() })
    }
}
