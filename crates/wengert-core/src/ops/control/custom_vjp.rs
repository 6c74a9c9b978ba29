//! A program whose derivative the user gives, in reverse.

use super::custom_jvp::{all_tangents, check_signature, differentiable, differentiable_types};
use super::{masked, present, spread, union};
use crate::attributes;
use crate::builder::Builder;
use crate::error::{Error, Result};
use crate::op::{Rules, no_rule};
use crate::ops::check;
use crate::program::{Program, Var};
use crate::transform::{Batched, Batcher, Dual, Operand};
use crate::types::Type;
use std::sync::Arc;

attributes! {
    /// Runs `program`; reverse derivatives come from `forward` and `backward`. There is no forward derivative.
    "custom_vjp" => pub struct CustomVjp {
        /// What is computed.
        pub program: Arc<Program>,
        /// From the inputs to the outputs, then whatever `backward` needs.
        pub forward: Arc<Program>,
        /// From what `forward` left for it, then a cotangent of each differentiable output, to a cotangent of each
        /// differentiable input.
        pub backward: Arc<Program>,
    }
}

impl Rules for CustomVjp {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let y = self.program.output_types();
        check_signature("custom_vjp", "program", &self.program, x, &y)?;
        let mut residuals = self.forward.output_types();
        let rest = residuals.split_off(y.len().min(residuals.len()));
        check::that(self.forward.input_types() == x && residuals == y, || {
            format!(
                "`custom_vjp`: the forward program must take {} and give {} before what is for the backward program",
                check::list(x),
                check::list(&y)
            )
        })?;
        let takes = [rest, differentiable_types(&y)].concat();
        check_signature("custom_vjp", "backward program", &self.backward, &takes, &differentiable_types(x))?;
        Ok(y)
    }

    fn jvp(&self, _: &mut Builder, _: &[Var], _: &[Option<Var>]) -> Result<Dual> {
        Err(no_forward())
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let t = all_tangents(b, x, t);
        let mut y = b.inline(&self.forward, x);
        let residuals = y.split_off(self.program.outputs().len());
        let pullback = Pullback { residuals: residuals.len(), backward: self.backward.clone() };
        let moved = b.push(pullback, &[residuals, t].concat());
        Ok(Dual { primals: y, tangents: spread(&differentiable(&self.program.output_types()), &moved) })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let batched: Vec<bool> = x.iter().map(|x| x.batched).collect();
        let (takes, gives) = (self.program.input_types(), self.program.output_types());
        let n = gives.len();
        let (_, which) = b.batch_program(&self.program, &batched, &vec![false; n])?;
        let (_, mut left) = b.batch_program(&self.forward, &batched, &vec![false; self.forward.outputs().len()])?;
        let residuals = left.split_off(n);
        let which = union([which, left].iter());
        let (program, _) = b.batch_program(&self.program, &batched, &which)?;
        let (forward, _) = b.batch_program(&self.forward, &batched, &[&which[..], &residuals].concat())?;
        let cts: Vec<bool> = masked(&which, &differentiable(&gives)).collect();
        let wants: Vec<bool> = masked(&batched, &differentiable(&takes)).collect();
        let backward = batch_backward(b, &self.backward, &[residuals, cts].concat(), &wants)?;
        let op = CustomVjp { program: Arc::new(program), forward: Arc::new(forward), backward: Arc::new(backward) };
        let operands: Vec<Var> = x.iter().map(|x| x.var).collect();
        let y = b.push(op, &operands);
        Ok(y.iter().zip(which).map(|(&var, batched)| Batched { var, batched }).collect())
    }
}

fn no_forward() -> Error {
    no_rule("custom_vjp", "differentiated in forward mode", "it defines only the reverse derivative")
        .note("use reverse mode (`grad`, `vjp`, `jacrev`), or define the derivative with `custom_jvp`")
}

/// A backward program over a batch. The cotangent of what does not depend on the batch is the sum over it.
fn batch_backward(b: &Batcher<'_>, backward: &Program, takes: &[bool], wants: &[bool]) -> Result<Program> {
    let (program, gives) = b.batch_program(backward, takes, wants)?;
    let mut b = Builder::new();
    let args = b.inputs_of(&program);
    let y = b.inline(&program, &args);
    let mut outputs = Vec::new();
    for (i, &ct) in y.iter().enumerate() {
        outputs.push(if gives[i] && !wants[i] { b.sum(ct, &[0]) } else { ct });
    }
    Ok(b.finish(&outputs).with_name(program.name()))
}

attributes! {
    /// The linear map whose transpose is `backward`: from what `backward` needs, then tangents of inputs, to tangents of
    /// outputs. It stands in the linear part of a `custom_vjp`; it can be transposed, and not run.
    "pullback" => pub struct Pullback {
        /// How many operands are what `backward` needs.
        pub residuals: usize,
        /// From these, then cotangents of outputs, to cotangents of inputs.
        pub backward: Arc<Program>,
    }
}

impl Pullback {
    /// The error of a device that is to run this.
    pub fn not_run(&self) -> Error {
        no_forward()
    }
}

impl Rules for Pullback {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let mut takes = self.backward.input_types();
        check::that(takes.len() >= self.residuals, || {
            format!("`pullback`: the backward program takes {} inputs, fewer than {}", takes.len(), self.residuals)
        })?;
        let gives = takes.split_off(self.residuals);
        takes.extend(self.backward.output_types());
        check::that(takes == x, || format!("`pullback` takes {}, and got {}", check::list(&takes), check::list(x)))?;
        Ok(gives)
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (fixed, moving) = t.split_at(self.residuals);
        if present(fixed).contains(&true) {
            return Err(no_forward());
        }
        let (residuals, x) = x.split_at(self.residuals);
        let moving = all_tangents(b, x, moving);
        Ok(b.push(self.clone(), &[residuals, &moving].concat()).iter().map(|&v| Some(v)).collect())
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let (residuals, tangents) = x.split_at(self.residuals);
        let mut args: Vec<Var> = residuals.iter().map(Operand::known).collect();
        for (&ct, ty) in ct.iter().zip(&self.backward.input_types()[self.residuals..]) {
            args.push(b.or_zeros(ct, ty));
        }
        let back = b.inline(&self.backward, &args);
        let back = tangents.iter().zip(back).map(|(x, ct)| x.is_linear().then_some(ct));
        Ok(residuals.iter().map(|_| None).chain(back).collect())
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let (residuals, tangents) = x.split_at(self.residuals);
        let n = self.backward.inputs().len() - self.residuals;
        let takes: Vec<bool> = residuals.iter().map(|x| x.batched).chain(vec![true; n]).collect();
        let (backward, _) = b.batch_program(&self.backward, &takes, &vec![true; tangents.len()])?;
        let mut operands: Vec<Var> = residuals.iter().map(|x| x.var).collect();
        operands.extend(b.broadcast_together(tangents));
        let y = b.push(Pullback { residuals: self.residuals, backward: Arc::new(backward) }, &operands);
        Ok(y.iter().map(|&v| Batched::yes(v)).collect())
    }
}
