//! Batching: the same program over a new leading axis.

use crate::builder::Builder;
use crate::error::Result;
use crate::op::Op;
use crate::ops::Scan;
use crate::program::{Program, Var, Vars};
use crate::types::Type;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A variable that has the batch as axis 0, or does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batched {
    /// The variable.
    pub var: Var,
    /// Whether axis 0 is the batch.
    pub batched: bool,
}

impl Batched {
    /// A variable with the batch as axis 0.
    pub fn yes(var: Var) -> Batched {
        Batched { var, batched: true }
    }

    /// A variable that does not depend on the batch.
    pub fn no(var: Var) -> Batched {
        Batched { var, batched: false }
    }
}

/// A builder for batching rules: it also knows the size of the batch and the name of its axis.
#[derive(Debug)]
pub struct Batcher<'a> {
    builder: &'a mut Builder,
    /// The size of the batch.
    pub size: usize,
    /// The name of the axis, for ops that communicate over it.
    pub axis: Option<&'a str>,
}

impl Deref for Batcher<'_> {
    type Target = Builder;
    fn deref(&self) -> &Builder {
        self.builder
    }
}
impl DerefMut for Batcher<'_> {
    fn deref_mut(&mut self) -> &mut Builder {
        self.builder
    }
}

impl<'a> Batcher<'a> {
    /// Rules run with this builder.
    pub fn new(builder: &'a mut Builder, size: usize, axis: Option<&'a str>) -> Batcher<'a> {
        Batcher { builder, size, axis }
    }

    /// The variable with the batch as axis 0, repeated if it does not depend on it.
    pub fn materialize(&mut self, x: Batched) -> Var {
        if x.batched {
            return x.var;
        }
        let size = self.size;
        self.broadcast_leading(x.var, size)
    }

    /// The type of one slice of the batch.
    pub fn inner_type(&self, x: Batched) -> Type {
        let ty = self.ty(x.var);
        if x.batched { ty.with_shape(ty.shape.without_axes(&[0])) } else { ty.clone() }
    }

    /// All variables with the batch as axis 0.
    pub fn broadcast_together(&mut self, x: &[Batched]) -> Vars {
        x.iter().map(|&x| self.materialize(x)).collect()
    }

    /// An op whose result elements depend on the operands' elements at the same position alone.
    pub fn elementwise(&mut self, op: Op, x: &[Batched]) -> Vec<Batched> {
        let x = self.broadcast_together(x);
        self.push(op, &x).iter().map(|&v| Batched::yes(v)).collect()
    }

    /// Batches a nested program for operands batched as said. Outputs with `demand` are batched in any case; the list
    /// says which are.
    pub fn batch_program(&self, program: &Program, batched: &[bool], demand: &[bool]) -> Result<(Program, Vec<bool>)> {
        batch(program, self.size, self.axis, batched, demand)
    }

    /// The op in a loop over the batch: for the rare choices of batched operands that no single op covers.
    pub fn in_loop(&mut self, op: impl Into<Op>, x: &[Batched]) -> Result<Vec<Batched>> {
        let mut body = Builder::new();
        let mut args: Vec<Option<Var>> = vec![None; x.len()];
        let mut operands = Vec::new();
        // Constants come before the arrays walked along.
        for batched in [false, true] {
            for (arg, x) in args.iter_mut().zip(x).filter(|(_, x)| x.batched == batched) {
                let ty = self.ty(x.var);
                let ty = if batched { ty.with_shape(ty.shape.without_axes(&[0])) } else { ty.clone() };
                *arg = Some(body.input(ty));
                operands.push(x.var);
            }
        }
        let args: Vars = args.into_iter().flatten().collect();
        let y = body.try_push(op, &args)?;
        let consts = x.iter().filter(|x| !x.batched).count();
        let body = Arc::new(body.finish(&y));
        let scan = Scan { length: self.size, consts, carries: 0, reverse: false, body };
        Ok(self.push(scan, &operands).iter().map(|&v| Batched::yes(v)).collect())
    }

    /// Adds the equations of a program over the batch.
    pub fn batch_inline(&mut self, program: &Program, args: &[Batched]) -> Result<Vec<Batched>> {
        let mut env: Vec<Option<Batched>> = vec![None; program.var_count()];
        for (v, &a) in program.inputs().iter().zip(args) {
            env[v.index()] = Some(a);
        }
        let size = self.size;
        let over_batch = |v: Var| program.ty(v).with_shape(program.ty(v).shape.with_axis(0, size));
        for e in program.equations() {
            let x: Vec<Batched> = e.inputs.iter().map(|v| env[v.index()].expect("defined before use")).collect();
            self.set_place(e.place.clone());
            let y = if x.iter().any(|x| x.batched) || self.axis.is_some_and(|a| e.op.mentions_axis(a)) {
                // One more axis may be one too many.
                let fits = e.outputs.iter().try_for_each(|&v| over_batch(v).check());
                fits.and_then(|()| e.op.rules().batch(self, &x)).map_err(|err| err.at(e.place.clone()))?
            } else {
                let x: Vars = x.iter().map(|x| x.var).collect();
                let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
                self.push_typed(e.op.clone(), &x, types).iter().map(|&v| Batched::no(v)).collect()
            };
            for (v, y) in e.outputs.iter().zip(y) {
                debug_assert_eq!(
                    *self.ty(y.var),
                    if y.batched { over_batch(*v) } else { program.ty(*v).clone() },
                    "batching rule of {}",
                    e.op.name()
                );
                env[v.index()] = Some(y);
                self.copy_name(program, *v, y.var);
            }
        }
        Ok(program.outputs().iter().map(|v| env[v.index()].expect("defined before use")).collect())
    }
}

/// The program over a batch of `size`: inputs with `batched` get a leading axis. So do outputs that depend on one, and
/// those with `demand`; the list says which.
pub fn batch(
    program: &Program,
    size: usize,
    axis: Option<&str>,
    batched: &[bool],
    demand: &[bool],
) -> Result<(Program, Vec<bool>)> {
    let mut b = Builder::new();
    let args: Vec<Batched> = program
        .input_types()
        .into_iter()
        .zip(batched)
        .map(|(t, &batched)| {
            let t = if batched { t.with_shape(t.shape.with_axis(0, size)) } else { t };
            Batched { var: b.input(t), batched }
        })
        .collect();
    for (v, a) in program.inputs().iter().zip(&args) {
        b.copy_name(program, *v, a.var);
    }
    let mut batcher = Batcher::new(&mut b, size, axis);
    let outs = batcher.batch_inline(program, &args)?;
    let outputs: Vec<Var> =
        outs.iter().zip(demand).map(|(&y, &demand)| if demand { batcher.materialize(y) } else { y.var }).collect();
    let which = outs.iter().zip(demand).map(|(y, &d)| y.batched || d).collect();
    Ok((b.finish(&outputs).with_name(program.name.clone()), which))
}
