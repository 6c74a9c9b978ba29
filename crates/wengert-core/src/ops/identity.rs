//! Ops that give their operands back unchanged, and mean something to a transform or a compiler.

use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::ops::check;
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::Type;

attributes! {
    /// Gives its operands back, all of them at once: no optimization looks through it or moves work across it.
    "barrier" => pub struct Barrier {}
}

impl Barrier {
    /// The values that are `Some`, behind a barrier of their own.
    fn behind(b: &mut Builder, x: impl Iterator<Item = Option<Var>>) -> Vec<Option<Var>> {
        let x: Vec<Option<Var>> = x.collect();
        let there: Vec<Var> = x.iter().copied().flatten().collect();
        let mut y = b.push(Barrier {}, &there).into_iter();
        x.iter().map(|x| x.and_then(|_| y.next())).collect()
    }
}

impl Rules for Barrier {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }

    fn opaque(&self) -> bool {
        true
    }

    fn tangents(&self, b: &mut Builder, _: &[Var], _: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(Barrier::behind(b, t.iter().copied()))
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(Barrier::behind(b, x.iter().zip(ct).map(|(x, ct)| ct.filter(|_| x.is_linear()))))
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let vars: Vec<Var> = x.iter().map(|x| x.var).collect();
        let y = b.push(Barrier {}, &vars);
        Ok(x.iter().zip(y).map(|(x, var)| Batched { var, batched: x.batched }).collect())
    }
}

attributes! {
    /// The operand, as if it did not depend on anything: its derivative is zero.
    "stop_gradient" => pub struct StopGradient {}
}

impl Rules for StopGradient {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("stop_gradient", x)?;
        Ok(vec![x.clone()])
    }

    fn elementwise(&self) -> bool {
        true
    }

    fn tangents(&self, _: &mut Builder, _: &[Var], _: &[Var], _: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        Ok(vec![None])
    }
}
