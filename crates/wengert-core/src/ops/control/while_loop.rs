//! A loop that runs as long as a condition holds.

use super::{fixpoint, present, spread, values_part};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{LoopOperands, Op, Rules};
use crate::ops::{Binary, Combiner, Direction, Select, check};
use crate::program::{Program, Var, Vars};
use crate::transform::{self, Batched, Batcher, Dual, Mode, Operand};
use crate::types::{DType, Type};
use std::sync::Arc;

attributes! {
    /// Runs `body` as long as `cond` gives `true`. Operands are the constants, then the first carries; both programs take
    /// constants and carries, and the body gives new carries. Results are the last carries.
    "while" => pub struct While {
        /// How many operands are constants.
        pub consts: usize,
        /// Whether to go on: one `bool` scalar.
        pub cond: Arc<Program>,
        /// One step.
        pub body: Arc<Program>,
    }
}

impl While {
    /// Adds a loop whose condition and body are written here, each on a builder of its own, from constants and carries.
    pub(super) fn emit(
        b: &mut Builder,
        consts: &[Var],
        carries: &[Var],
        cond: impl FnOnce(&mut Builder, &[Var], &[Var]) -> Result<Var>,
        body: impl FnOnce(&mut Builder, &[Var], &[Var]) -> Result<Vec<Var>>,
    ) -> Result<Vars> {
        let types = |vars: &[Var]| -> Vec<Type> { vars.iter().map(|&v| b.ty(v).clone()).collect() };
        let (consts_ty, carries_ty) = (types(consts), types(carries));
        let mut c = Builder::new();
        let (cc, ck) = (c.inputs(&consts_ty), c.inputs(&carries_ty));
        let go_on = cond(&mut c, &cc, &ck)?;
        let mut s = Builder::new();
        let (sc, sk) = (s.inputs(&consts_ty), s.inputs(&carries_ty));
        let next = body(&mut s, &sc, &sk)?;
        let op = While { consts: consts.len(), cond: Arc::new(c.finish(&[go_on])), body: Arc::new(s.finish(&next)) };
        Ok(b.push(op, &[consts, carries].concat()))
    }

    /// Adds a loop that counts its steps, and gives their number and the last carries. The condition gets the count too.
    pub(super) fn emit_counting(
        b: &mut Builder,
        consts: &[Var],
        carries: &[Var],
        cond: impl FnOnce(&mut Builder, Var, &[Var], &[Var]) -> Var,
        body: impl FnOnce(&mut Builder, &[Var], &[Var]) -> Vec<Var>,
    ) -> Result<(Var, Vec<Var>)> {
        let zero = b.zeros(&Type::scalar(DType::I64));
        let y = While::emit(
            b,
            consts,
            &[&[zero], carries].concat(),
            |b, c, k| Ok(cond(b, k[0], c, &k[1..])),
            |b, c, k| Ok([vec![b.offset(k[0], 1.0)], body(b, c, &k[1..])].concat()),
        )?;
        Ok((y[0], y[1..].to_vec()))
    }

    /// Which body inputs are marked; see [`fixpoint`].
    pub(super) fn fix<T>(
        &self,
        marked: Vec<bool>,
        step: impl FnMut(&[bool]) -> Result<(T, Vec<bool>)>,
    ) -> Result<(Vec<bool>, T)> {
        fixpoint(self.consts..marked.len(), marked, step).map(|(marked, made, _)| (marked, made))
    }

    /// Which body inputs move, and the body over values and tangents.
    fn moving(&self, mode: Mode, t: &[Option<Var>]) -> Result<(Vec<bool>, Program)> {
        self.fix(present(t), |active| transform::dual(&self.body, mode, active, &active[self.consts..]))
    }

    /// Adds one step over values and tangents; both lists are values, then tangents.
    fn step(&self, b: &mut Builder, dual: &Program, consts: &[Var], carries: &[Var]) -> Vec<Var> {
        let ((xc, tc), (xk, tk)) = (consts.split_at(self.consts), carries.split_at(self.body.outputs().len()));
        b.inline(dual, &[xc, xk, tc, tk].concat())
    }

    /// The operands of a loop over values and tangents, as constants and carries.
    fn dual_operands(&self, b: &mut Builder, active: &[bool], x: &[Var], t: &[Option<Var>]) -> (Vec<Var>, Vec<Var>) {
        let ((xc, xk), (tc, tk)) = (x.split_at(self.consts), t.split_at(self.consts));
        let consts = xc.iter().chain(tc.iter().flatten()).copied().collect();
        let mut carries = xk.to_vec();
        for ((&x, &t), _) in xk.iter().zip(tk).zip(&active[self.consts..]).filter(|(_, on)| **on) {
            let ty = b.ty(x).clone();
            carries.push(b.or_zeros(t, &ty));
        }
        (consts, carries)
    }
}

impl Rules for While {
    fn as_loop(&self) -> Option<LoopOperands> {
        Some(LoopOperands { consts: self.consts, carries: self.body.outputs().len() })
    }

    fn with_loop(&self, parts: LoopOperands, programs: Vec<Arc<Program>>) -> Option<Op> {
        let [cond, body] = programs.try_into().ok()?;
        Some(While { consts: parts.consts, cond, body }.into())
    }

    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        check::that(x.len() >= self.consts, || {
            format!("`while` takes {} constants, and got {} operands", self.consts, x.len())
        })?;
        for (what, program) in [("condition", &self.cond), ("body", &self.body)] {
            let wants = program.input_types();
            check::that(wants == x, || {
                format!("`while`: the {what} takes {}, and would get {}", check::list(&wants), check::list(x))
            })?;
        }
        let go_on = self.cond.output_types();
        check::that(go_on == [Type::scalar(DType::Bool)], || {
            format!("`while`: the condition must give one bool scalar, and gives {}", check::list(&go_on))
        })?;
        let (carries, out) = (&x[self.consts..], self.body.output_types());
        check::that(out == carries, || {
            format!(
                "`while`: the carry must keep its type from step to step; it starts as {} and the body gives {}",
                check::list(carries),
                check::list(&out)
            )
        })?;
        Ok(out)
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let (active, dual) = self.moving(Mode::Jvp, t)?;
        let (consts, carries) = self.dual_operands(b, &active, x, t);
        let n = x.len() - self.consts;
        let y = While::emit(
            b,
            &consts,
            &carries,
            |b, c, k| Ok(b.inline(&self.cond, &[&c[..self.consts], &k[..n]].concat())[0]),
            |b, c, k| Ok(self.step(b, &dual, c, k)),
        )?;
        Ok(Dual { primals: y[..n].to_vec(), tangents: spread(&active[self.consts..], &y[n..]) })
    }

    /// The known part counts its steps. The linear part runs over values and tangents that many times; only its
    /// tangents are used. The checkpoints to run it backward are made by its transpose.
    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let (active, dual) = self.moving(Mode::Linearize, t)?;
        let n = x.len() - self.consts;
        let body = values_part(&dual, x.len(), n);
        let (trips, primals) = While::emit_counting(
            b,
            &x[..self.consts],
            &x[self.consts..],
            |b, _, c, k| b.inline(&self.cond, &[c, k].concat())[0],
            |b, c, k| b.inline(&body, &[c, k].concat()),
        )?;
        let (consts, carries) = self.dual_operands(b, &active, x, t);
        let (_, moved) = While::emit_counting(
            b,
            &[&[trips], &consts[..]].concat(),
            &carries,
            |b, i, c, _| b.compare(Direction::Lt, i, c[0]),
            |b, c, k| self.step(b, &dual, &c[1..], k),
        )?;
        Ok(Dual { primals, tangents: spread(&active[self.consts..], &moved[n..]) })
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        self.reverse(b, x, ct)
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        // Members that stop at different times have carries of their own, all of them.
        let start: Vec<bool> = x.iter().map(|x| x.batched).collect();
        let (batched, (cond, body, lanes)) = self.fix(start, |m| {
            let (cond, lanes) = b.batch_program(&self.cond, m, &[false])?;
            let (body, which) = b.batch_program(&self.body, m, &m[self.consts..])?;
            Ok(((cond, body, lanes[0]), which.iter().map(|w| w | lanes[0]).collect()))
        })?;
        let operands: Vec<Var> =
            x.iter().zip(&batched).map(|(&x, &on)| if on { b.materialize(x) } else { x.var }).collect();
        let carried = &batched[self.consts..];
        let y = match lanes {
            true if self.idles() => {
                let (consts, carries) = operands.split_at(self.consts);
                let step = |b: &mut Builder, c: &[Var], k: &[Var]| Ok(b.inline(&body, &[c, k].concat()));
                While::emit(b, consts, carries, |b, _, k| Ok(any(b, k[0])), step)?.to_vec()
            }
            true => self.run_lanes(b, &operands, &cond, &body)?,
            false => {
                b.push(While { consts: self.consts, cond: Arc::new(cond), body: Arc::new(body) }, &operands).to_vec()
            }
        };
        Ok(y.iter().zip(carried).map(|(&var, &batched)| Batched { var, batched }).collect())
    }
}

impl While {
    /// The loop over a batch whose members stop at different times: it runs while any goes on, and a member that has
    /// stopped keeps its carries. Which members go on is a carry of its own.
    fn run_lanes(&self, b: &mut Batcher<'_>, x: &[Var], cond: &Program, body: &Program) -> Result<Vec<Var>> {
        let (consts, carries) = x.split_at(self.consts);
        let (size, axis) = (b.size, b.axis);
        let go_on = b.inline(cond, x)[0];
        let y = While::emit(
            b,
            consts,
            &[&[go_on], carries].concat(),
            |b, _, k| Ok(any(b, k[0])),
            |b, c, k| {
                let (go_on, old) = (k[0], &k[1..]);
                let new = b.inline(body, &[c, old].concat());
                let mut b = Batcher::new(b, size, axis);
                let mut next = Vec::new();
                for (&new, &old) in new.iter().zip(old) {
                    let x = [go_on, new, old].map(Batched::yes);
                    next.push(Select {}.batch(&mut b, &x)?[0].var);
                }
                // The condition of a member that has stopped stays false; the `and` says so where `idles` can see it.
                let still = b.inline(cond, &[c, &next].concat())[0];
                let still = b.binary(Binary::And, go_on, still);
                Ok([vec![still], next].concat())
            },
        )?;
        Ok(y[1..].to_vec())
    }

    /// Whether the loop runs as long as any element of its first carry is true, and a step changes nothing where that is
    /// false: the loop over a batch whose members stop at different times. One more batch is then more members, and
    /// takes no flags of its own.
    fn idles(&self) -> bool {
        let flags = |p: &Program| p.inputs().get(self.consts).copied();
        let (Some(any), Some(go_on)) = (flags(&self.cond), flags(&self.body)) else { return false };
        let runs_while_any = match self.cond.equations() {
            [e] => {
                let all = self.cond.ty(any).rank();
                matches!(&e.op, Op::Reduce(r) if r.combiner == Combiner::Or && r.dims.len() == all)
                    && (&e.inputs[..], &e.outputs[..]) == (&[any], self.cond.outputs())
            }
            _ => false,
        };
        let mut made = vec![None; self.body.var_count()];
        for e in self.body.equations() {
            e.outputs.iter().for_each(|v| made[v.index()] = Some(e));
        }
        let is_flags = |v: Var| {
            let spread = made[v.index()].is_some_and(|e| match &e.op {
                Op::Broadcast(op) => e.inputs[0] == go_on && op.dims.iter().enumerate().all(|(i, &d)| i == d),
                _ => false,
            });
            v == go_on || spread
        };
        let stays = |(&new, &old): (&Var, &Var)| match made[new.index()] {
            None => new == old,
            Some(e) => match e.op {
                Op::Binary(Binary::And) => old == go_on && e.inputs.contains(&go_on),
                Op::Select(_) => is_flags(e.inputs[0]) && e.inputs[2] == old,
                _ => false,
            },
        };
        runs_while_any && self.body.outputs().iter().zip(&self.body.inputs()[self.consts..]).all(stays)
    }
}

/// Whether any element of an array of flags is true.
fn any(b: &mut Builder, flags: Var) -> Var {
    let all: Vec<usize> = (0..b.shape(flags).rank()).collect();
    b.reduce(Combiner::Or, flags, &all)
}
