//! A program whose derivative the user gives, forward.

use super::{masked, spread, union};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::ops::check;
use crate::program::{Program, Var};
use crate::transform::{self, Batched, Batcher, Dual, Mode};
use crate::types::Type;
use std::sync::Arc;

attributes! {
    /// Runs `program`; derivatives come from `rule`.
    "custom_jvp" => pub struct CustomJvp {
        /// What is computed.
        pub program: Arc<Program>,
        /// From the inputs, then a tangent of each differentiable one, to the outputs, then a tangent of each
        /// differentiable one. The values it gives are those of `program`, and not used.
        pub rule: Arc<Program>,
    }
}

/// Which types have derivatives.
pub(super) fn differentiable(types: &[Type]) -> Vec<bool> {
    types.iter().map(|t| t.dtype.is_differentiable()).collect()
}

/// The types that have derivatives.
pub(super) fn differentiable_types(types: &[Type]) -> Vec<Type> {
    masked(types, &differentiable(types)).collect()
}

/// A tangent for each operand that can have one, zeros spelled out.
pub(super) fn all_tangents(b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Vec<Var> {
    let mut tangents = Vec::new();
    for (&x, &t) in x.iter().zip(t) {
        let ty = b.ty(x).clone();
        if ty.dtype.is_differentiable() {
            tangents.push(b.or_zeros(t, &ty));
        }
    }
    tangents
}

/// Checks that a program takes and gives these types.
pub(super) fn check_signature(op: &str, what: &str, p: &Program, takes: &[Type], gives: &[Type]) -> Result<()> {
    let (wants, has) = (p.input_types(), p.output_types());
    check::that(wants == takes, || {
        format!("`{op}`: the {what} must take {}, and takes {}", check::list(takes), check::list(&wants))
    })?;
    check::that(has == gives, || {
        format!("`{op}`: the {what} must give {}, and gives {}", check::list(gives), check::list(&has))
    })
}

impl Rules for CustomJvp {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let y = self.program.output_types();
        check_signature("custom_jvp", "program", &self.program, x, &y)?;
        let (takes, gives) = ([x, &differentiable_types(x)].concat(), [&y[..], &differentiable_types(&y)].concat());
        check_signature("custom_jvp", "rule", &self.rule, &takes, &gives)?;
        Ok(y)
    }

    /// The values come from this op again, so that their derivatives are the user's to any order.
    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let y = b.push(self.clone(), x);
        let t = all_tangents(b, x, t);
        let moved = b.inline(&self.rule, &[x, &t].concat()).split_off(y.len());
        Ok(Dual { primals: y.to_vec(), tangents: spread(&differentiable(&self.program.output_types()), &moved) })
    }

    /// The rule is linear in the tangents, so it is its own derivative in them; taken at zero, that keeps what the
    /// tangents do apart from the rest, whatever the rule is made of.
    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let y = b.push(self.clone(), x);
        let at = all_tangents(b, x, &vec![None; x.len()]);
        let on = differentiable(&self.program.input_types());
        let tangents = [vec![None; x.len()], masked(t, &on).collect()].concat();
        let dual = transform::differentiate(b, Mode::Linearize, &self.rule, &[x, &at].concat(), &tangents)?;
        let mut moved = dual.tangents[y.len()..].iter();
        let on = differentiable(&self.program.output_types());
        let tangents = on.iter().map(|&on| if on { *moved.next().expect("a tangent each") } else { None }).collect();
        Ok(Dual { primals: y.to_vec(), tangents })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let batched: Vec<bool> = x.iter().map(|x| x.batched).collect();
        let both = |m: &[bool], types: &[Type]| [m, &masked(m, &differentiable(types)).collect::<Vec<_>>()].concat();
        let (takes, gives) = (self.program.input_types(), self.program.output_types());
        let twice = both(&batched, &takes);
        // An output is batched if it is for the program or the rule, or its tangent is.
        let (_, which) = b.batch_program(&self.program, &batched, &vec![false; gives.len()])?;
        let (_, mut by_rule) = b.batch_program(&self.rule, &twice, &vec![false; self.rule.outputs().len()])?;
        let moved = by_rule.split_off(gives.len());
        let mut moved = moved.into_iter();
        let moved = differentiable(&gives).iter().map(|&on| on && moved.next().expect("a tangent each")).collect();
        let which = union([which, by_rule, moved].iter());
        let (program, _) = b.batch_program(&self.program, &batched, &which)?;
        let (rule, _) = b.batch_program(&self.rule, &twice, &both(&which, &gives))?;
        let operands: Vec<Var> = x.iter().map(|x| x.var).collect();
        let y = b.push(CustomJvp { program: Arc::new(program), rule: Arc::new(rule) }, &operands);
        Ok(y.iter().zip(which).map(|(&var, batched)| Batched { var, batched }).collect())
    }
}
