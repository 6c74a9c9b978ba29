//! Calls of programs.

use super::residual_vars;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::ops::check;
use crate::program::{Program, Var};
use crate::transform::{self, Batched, Batcher, Dual, Operand};
use crate::types::Type;
use crate::{attributes, named_attr, names};
use std::sync::Arc;

names! {
    /// Why a program is called rather than written out.
    pub enum CallKind {
        /// A function staged by itself; may be inlined.
        Staged = "staged",
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
        let active: Vec<bool> = t.iter().map(Option::is_some).collect();
        let (program, moving) = transform::jvp(&self.program, &active)?;
        let operands: Vec<Var> = x.iter().copied().chain(t.iter().copied().flatten()).collect();
        let y = b.push(self.of(program), &operands);
        let n = self.program.outputs().len();
        let mut rest = y[n..].iter();
        let tangents = moving.iter().map(|&m| m.then(|| *rest.next().expect("a tangent each"))).collect();
        Ok(Dual { primals: y[..n].to_vec(), tangents })
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let active: Vec<bool> = t.iter().map(Option::is_some).collect();
        let n = self.program.outputs().len();
        let lin = transform::linearize(&self.program, &active, &vec![false; n])?;
        let y = b.push(self.of(lin.forward.with_name(self.program.name())), x);
        let mut operands = residual_vars(&lin.residuals, x, &y);
        operands.extend(t.iter().copied().flatten());
        let ty = b.push(self.of(lin.linear.with_name(self.program.name())), &operands);
        let mut rest = ty.iter();
        let tangents = lin.moving.iter().map(|&m| m.then(|| *rest.next().expect("a tangent each"))).collect();
        Ok(Dual { primals: y[..n].to_vec(), tangents })
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let linear: Vec<bool> = x.iter().map(Operand::is_linear).collect();
        let given: Vec<bool> = ct.iter().map(Option::is_some).collect();
        let (program, present) = transform::transpose(&self.program, &linear, &given)?;
        let operands: Vec<Var> =
            x.iter().filter(|x| !x.is_linear()).map(Operand::known).chain(ct.iter().copied().flatten()).collect();
        let y = b.push(self.of(program), &operands);
        let mut cts = y.iter();
        let mut present = present.into_iter();
        Ok(linear
            .iter()
            .map(|&lin| {
                let there = lin && present.next().expect("one for each linear operand");
                there.then(|| *cts.next().expect("a cotangent each"))
            })
            .collect())
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let batched: Vec<bool> = x.iter().map(|x| x.batched).collect();
        let none = vec![false; self.program.outputs().len()];
        let (program, which) = b.batch_program(&self.program, &batched, &none)?;
        let operands: Vec<Var> = x.iter().map(|x| x.var).collect();
        let y = b.push(self.of(program), &operands);
        Ok(y.iter().zip(which).map(|(&var, batched)| Batched { var, batched }).collect())
    }
}
