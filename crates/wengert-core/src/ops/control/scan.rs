//! A loop of known length over slices of arrays.

use super::{fixpoint, masked, present, spread};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::{LoopOperands, Op, Rules, no_rule};
use crate::ops::check;
use crate::program::{Program, Var};
use crate::transform::{self, Batched, Batcher, Dual, Linearized, Mode, Operand, Residual};
use crate::types::Type;
use std::sync::Arc;

attributes! {
    /// Runs `body` `length` times. Operands are the constants, the first carries, then arrays whose leading axis is
    /// walked along; the body takes constants, carries and one slice of each array, and gives new carries and one slice
    /// of each result. Results are the last carries, then the slices stacked.
    "scan" => pub struct Scan {
        /// The number of steps.
        pub length: usize,
        /// How many operands are constants.
        pub consts: usize,
        /// How many operands are carries.
        pub carries: usize,
        /// Whether the last slice comes first.
        pub reverse: bool,
        /// One step.
        pub body: Arc<Program>,
    }
}

/// A list cut in constants, carries and the rest.
struct ScanParts<'a, T>(&'a [T], &'a [T], &'a [T]);

impl Scan {
    fn parts<'a, T>(&self, x: &'a [T]) -> ScanParts<'a, T> {
        let (consts, rest) = x.split_at(self.consts);
        let (carries, xs) = rest.split_at(self.carries);
        ScanParts(consts, carries, xs)
    }

    fn stacked(&self, t: &Type) -> Type {
        t.with_shape(t.shape.with_axis(0, self.length))
    }

    /// Which body inputs are marked; see [`fixpoint`].
    fn fix<T>(
        &self,
        marked: Vec<bool>,
        step: impl FnMut(&[bool]) -> Result<(T, Vec<bool>)>,
    ) -> Result<(Vec<bool>, T, Vec<bool>)> {
        fixpoint(self.consts..self.consts + self.carries, marked, step)
    }

    /// Which body outputs must move because the carry they feed does.
    fn demand(&self, moving: &[bool]) -> Vec<bool> {
        let mut demand = vec![false; self.body.outputs().len()];
        demand[..self.carries].copy_from_slice(self.parts(moving).1);
        demand
    }
}

impl Rules for Scan {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        check::that(x.len() >= self.consts.saturating_add(self.carries), || {
            format!("`scan` takes {} constants and {} carries, and got {} operands", self.consts, self.carries, x.len())
        })?;
        let ScanParts(consts, carries, xs) = self.parts(x);
        let mut slices = Vec::new();
        for t in xs {
            check::that(t.rank() > 0 && t.shape[0] == self.length, || {
                format!("`scan` of length {} can't walk along the leading axis of {t}", self.length)
            })?;
            slices.push(t.with_shape(t.shape.without_axes(&[0])));
        }
        let wants = self.body.input_types();
        let gets = [consts, carries, &slices].concat();
        check::that(wants == gets, || {
            format!("`scan`: the body takes {}, and would get {}", check::list(&wants), check::list(&gets))
        })?;
        let out = self.body.output_types();
        check::that(out.len() >= self.carries && out[..self.carries] == *carries, || {
            format!(
                "`scan`: the carry must keep its type from step to step; it starts as {} and the body gives {}",
                check::list(carries),
                check::list(&out[..self.carries.min(out.len())])
            )
        })?;
        Ok(carries.iter().cloned().chain(out[self.carries..].iter().map(|t| self.stacked(t))).collect())
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let (active, dual, moving) =
            self.fix(present(t), |a| transform::dual(&self.body, Mode::Jvp, a, &self.demand(a)))?;
        // The body over values and tangents, its inputs and outputs sorted by part again.
        let mut inner = Builder::new();
        let types = self.body.input_types();
        let mut args = Vec::new();
        let mut tangents = Vec::new();
        let ScanParts(c, k, s) = self.parts(&types);
        let ScanParts(ac, ak, a_s) = self.parts(&active);
        for (types, active) in [(c, ac), (k, ak), (s, a_s)] {
            args.extend(inner.inputs(types));
            tangents.extend(inner.inputs(&masked(types, active).collect::<Vec<_>>()));
        }
        let y = inner.inline(&dual, &[args, tangents].concat());
        let on = |m: &[bool]| m.iter().filter(|m| **m).count();
        let (values, moved) = y.split_at(moving.len());
        let (kc, ys) = values.split_at(self.carries);
        let (tk, tys) = moved.split_at(on(ak));
        let outputs = [kc, tk, ys, tys].concat();
        let body = inner.finish(&outputs).with_name(self.body.name());

        let ScanParts(xc, xk, xs) = self.parts(x);
        let ScanParts(tc, tk0, txs) = self.parts(t);
        let mut operands = xc.to_vec();
        operands.extend(tc.iter().flatten());
        operands.extend(xk);
        for ((&t, ty), &on) in tk0.iter().zip(k).zip(ak) {
            if on {
                operands.push(b.or_zeros(t, ty));
            }
        }
        operands.extend(xs);
        operands.extend(txs.iter().flatten());
        let scan =
            Scan { consts: self.consts + on(ac), carries: self.carries + on(ak), body: Arc::new(body), ..self.clone() };
        let carries = scan.carries;
        let out = b.push(scan, &operands);
        let mut primals = out[..self.carries].to_vec();
        primals.extend(&out[carries..carries + ys.len()]);
        let moved = [&out[self.carries..carries], &out[carries + ys.len()..]].concat();
        Ok(Dual { primals, tangents: spread(&moving, &moved) })
    }

    fn linearize(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        let (active, lin, _) = self.fix(present(t), |a| {
            let lin = transform::linearize(&self.body, a, &self.demand(a))?;
            let moving = lin.moving.clone();
            Ok((lin, moving))
        })?;
        let (forward, stacked) = self.forward_with_residuals(&lin);
        let results = b.push(forward, x);
        let n = self.body.outputs().len();

        // The linear loop takes constant residuals as constants, and the others slice by slice.
        let Linearized { linear, residuals, moving, .. } = lin;
        let is_const = |r: &Residual| matches!(r, Residual::Input(i) if *i < self.consts);
        let mut at = n;
        let held: Vec<Var> = residuals
            .iter()
            .zip(&stacked)
            .map(|(r, &stacked)| match *r {
                Residual::Input(i) if !stacked => x[i],
                _ => {
                    at += 1;
                    results[at - 1]
                }
            })
            .collect();
        let types = linear.input_types();
        let (rtypes, ttypes) = types.split_at(residuals.len());
        let mut inner = Builder::new();
        let mut args: Vec<Option<Var>> = vec![None; types.len()];
        let ScanParts(ac, ak, a_s) = self.parts(&active);
        let on = |m: &[bool]| m.iter().filter(|m| **m).count();
        let (nc, nk) = (on(ac), on(ak));
        let mut operands = Vec::new();
        let place = |range: std::ops::Range<usize>, args: &mut Vec<Option<Var>>, inner: &mut Builder| {
            for i in range {
                args[residuals.len() + i] = Some(inner.input(ttypes[i].clone()));
            }
        };
        let residual = |consts: bool, args: &mut Vec<Option<Var>>, inner: &mut Builder, operands: &mut Vec<Var>| {
            for (i, r) in residuals.iter().enumerate() {
                if is_const(r) == consts {
                    args[i] = Some(inner.input(rtypes[i].clone()));
                    operands.push(held[i]);
                }
            }
        };
        let ScanParts(tc, tk, txs) = self.parts(t);
        residual(true, &mut args, &mut inner, &mut operands);
        place(0..nc, &mut args, &mut inner);
        operands.extend(tc.iter().flatten());
        let consts = operands.len();
        place(nc..nc + nk, &mut args, &mut inner);
        for (&t, &v) in masked(tk, ak).collect::<Vec<_>>().iter().zip(&masked(self.parts(x).1, ak).collect::<Vec<_>>())
        {
            let ty = b.ty(v).clone();
            operands.push(b.or_zeros(t, &ty));
        }
        residual(false, &mut args, &mut inner, &mut operands);
        place(nc + nk..ttypes.len(), &mut args, &mut inner);
        operands.extend(txs.iter().flatten());
        debug_assert_eq!(on(a_s), txs.iter().flatten().count());
        let args: Vec<Var> = args.into_iter().map(|a| a.expect("placed")).collect();
        let touts = inner.inline(&linear, &args);
        let body = inner.finish(&touts).with_name(self.body.name());
        let scan = Scan { consts, carries: nk, body: Arc::new(body), ..self.clone() };
        let moved = b.push(scan, &operands);
        Ok(Dual { primals: results[..n].to_vec(), tangents: spread(&moving, &moved) })
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let ScanParts(xc, _, xs) = self.parts(x);
        // A carry that starts from a known zero is linear too, if a step makes it so.
        let start: Vec<bool> = x.iter().map(Operand::is_linear).collect();
        let (linear, ..) = self.fix(start, |m| Ok(((), self.body.dependent_outputs(m))))?;
        if self.parts(&linear).1.iter().any(|l| !l) {
            return Err(no_rule("scan", "transposed", "only some of its carries are linear"));
        }
        let (ct_carry, ct_ys) = ct.split_at(self.carries);
        let given: Vec<bool> = (0..self.carries).map(|_| true).chain(ct_ys.iter().map(Option::is_some)).collect();
        let (back, have) = transform::transpose(&self.body, &linear, &given)?;

        // One step backward: carries are the sums for the constants and the cotangents of the carries.
        let types = self.body.input_types();
        let out_types = self.body.output_types();
        let ScanParts(tc, tk, ts) = self.parts(&types);
        let known = |x: &[Operand], t: &[Type]| -> Vec<Type> {
            x.iter().zip(t).filter(|(x, _)| !x.is_linear()).map(|(_, t)| t.clone()).collect()
        };
        let lin = |x: &[Operand], t: &[Type]| -> Vec<Type> {
            x.iter().zip(t).filter(|(x, _)| x.is_linear()).map(|(_, t)| t.clone()).collect()
        };
        let sum_types = lin(xc, tc);
        let mut inner = Builder::new();
        let consts = inner.inputs(&known(xc, tc));
        let sums = inner.inputs(&sum_types);
        let carry = inner.inputs(tk);
        let slices = inner.inputs(&known(xs, ts));
        let ys: Vec<Type> = masked(&out_types[self.carries..], &given[self.carries..]).collect();
        let ys = inner.inputs(&ys);
        let args = [consts.clone(), slices, carry, ys].concat();
        let cts = inner.inline(&back, &args);
        let mut cts = spread(&have, &cts).into_iter();
        let mut outputs = Vec::new();
        for &s in &sums {
            let c = cts.next().expect("one for each linear input");
            outputs.push(inner.add_some(Some(s), c).expect("a sum"));
        }
        for t in tk.iter().chain(&lin(xs, ts)) {
            let c = cts.next().expect("one for each linear input");
            outputs.push(inner.or_zeros(c, t));
        }
        let body = inner.finish(&outputs).with_name(self.body.name());

        let mut operands: Vec<Var> = xc.iter().filter(|x| !x.is_linear()).map(Operand::known).collect();
        operands.extend(sum_types.iter().map(|t| b.zeros(t)).collect::<Vec<_>>());
        for (&c, t) in ct_carry.iter().zip(tk) {
            operands.push(b.or_zeros(c, t));
        }
        operands.extend(xs.iter().filter(|x| !x.is_linear()).map(Operand::known));
        operands.extend(ct_ys.iter().flatten());
        let scan = Scan {
            consts: consts.len(),
            carries: sum_types.len() + self.carries,
            reverse: !self.reverse,
            body: Arc::new(body),
            ..self.clone()
        };
        let out = b.push(scan, &operands);
        Ok(spread(&linear, &out))
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let start: Vec<bool> = x.iter().map(|x| x.batched).collect();
        let (batched, body, which) = self.fix(start, |m| b.batch_program(&self.body, m, &self.demand(m)))?;
        let mut operands = Vec::new();
        for (i, &x) in x.iter().enumerate() {
            operands.push(match batched[i] {
                false => x.var,
                true if i < self.consts + self.carries => b.materialize(x),
                // The steps come first, then the batch.
                true => {
                    let v = b.materialize(x);
                    b.move_axis(v, 1, 0)
                }
            });
        }
        let out = b.push(Scan { body: Arc::new(body), ..self.clone() }, &operands);
        Ok(out
            .iter()
            .zip(which)
            .enumerate()
            .map(|(i, (&var, batched))| {
                let var = if batched && i >= self.carries { b.move_axis(var, 1, 0) } else { var };
                Batched { var, batched }
            })
            .collect())
    }

    fn as_loop(&self) -> Option<LoopOperands> {
        Some(LoopOperands { consts: self.consts, carries: self.carries })
    }

    fn with_loop(&self, parts: LoopOperands, programs: Vec<Arc<Program>>) -> Option<Op> {
        let [body] = programs.try_into().ok()?;
        Some(Scan { consts: parts.consts, carries: parts.carries, body, ..self.clone() }.into())
    }
}

impl Scan {
    /// The forward loop that also stacks the residuals the linear loop can't get otherwise, and which those are.
    /// Constants and the arrays walked along are at hand already; carries and computed values are not.
    fn forward_with_residuals(&self, lin: &Linearized) -> (Scan, Vec<bool>) {
        let n = self.body.outputs().len();
        let carry = self.consts..self.consts + self.carries;
        let mut b = Builder::new();
        let args = b.inputs_of(&self.body);
        let y = b.inline(&lin.forward, &args);
        let mut outputs = y[..n].to_vec();
        let stacked: Vec<bool> = lin
            .residuals
            .iter()
            .map(|r| {
                let v = match *r {
                    Residual::Output(i) => y[i],
                    Residual::Input(i) if carry.contains(&i) => args[i],
                    Residual::Input(_) => return false,
                };
                outputs.push(v);
                true
            })
            .collect();
        let body: Program = b.finish(&outputs).with_name(self.body.name());
        (Scan { body: Arc::new(body), ..self.clone() }, stacked)
    }
}
