//! Running the ops that hold programs: loops and branches.

use crate::kernels;
use crate::plan::{Environment, MaybeObserver, Plan, reborrow};
use wengert_core::ops::{Custom, Scan, While};
use wengert_core::run::Visit;
use wengert_core::{Result, Scalar, Tensor, Type};

pub(crate) fn scan(
    op: &Scan,
    mut x: Vec<Tensor>,
    body: &Plan,
    mut observer: MaybeObserver<'_, '_>,
) -> Result<Vec<Tensor>> {
    let xs = x.split_off(op.consts + op.carries);
    let mut carry = x.split_off(op.consts);
    let consts = x;
    let types = op.body.output_types();
    let mut ys: Vec<kernels::Stack> = types[op.carries..].iter().map(|t| kernels::Stack::new(t, op.length)).collect();
    let mut env = Environment::new();
    for step in 0..op.length {
        let i = if op.reverse { op.length - 1 - step } else { step };
        let mut args = consts.clone();
        args.append(&mut carry);
        args.extend(xs.iter().map(|x| x.leading_slice(i)));
        let mut out = body.run_in(&mut env, args, Visit::Step(i), reborrow(&mut observer))?;
        for (stack, y) in ys.iter_mut().zip(out.drain(op.carries..)) {
            stack.put(i, &y);
        }
        carry = out;
    }
    carry.extend(ys.into_iter().map(kernels::Stack::finish));
    Ok(carry)
}

pub(crate) fn while_loop(
    op: &While,
    mut x: Vec<Tensor>,
    cond: &Plan,
    body: &Plan,
    mut observer: MaybeObserver<'_, '_>,
) -> Result<Vec<Tensor>> {
    let mut carry = x.split_off(op.consts);
    let consts = x;
    let (mut cond_env, mut env) = (Environment::new(), Environment::new());
    for step in 0.. {
        let args = consts.iter().chain(&carry).cloned().collect();
        let go_on = cond.run_in(&mut cond_env, args, Visit::Condition(step), reborrow(&mut observer))?;
        if go_on[0].get(0) != Scalar::Bool(true) {
            break;
        }
        // The body owns the carries, and may write the next ones over them.
        let mut args = consts.clone();
        args.append(&mut carry);
        carry = body.run_in(&mut env, args, Visit::Step(step), reborrow(&mut observer))?;
    }
    Ok(carry)
}

pub(crate) fn cond(mut x: Vec<Tensor>, branches: &[Plan], observer: MaybeObserver<'_, '_>) -> Result<Vec<Tensor>> {
    let args = x.split_off(1);
    let index = x[0].get(0).as_i64().expect("a bool or an i32");
    let index = index.clamp(0, branches.len() as i64 - 1) as usize;
    branches[index].run_inside(args, Visit::Branch(index), observer)
}

/// A user's op, by its own evaluation or else by its decomposition, which is asked for then.
pub(crate) fn custom(
    op: &Custom,
    x: Vec<Tensor>,
    decomposition: impl FnOnce() -> Option<Plan>,
    observer: MaybeObserver<'_, '_>,
) -> Result<Vec<Tensor>> {
    let types: Vec<Type> = x.iter().map(Tensor::ty).collect();
    let evaluated = op.evaluate(&x);
    let plan = if evaluated.is_none() { decomposition() } else { None };
    match (evaluated, plan) {
        (Some(y), _) => y,
        (None, Some(plan)) => plan.run_inside(x, Visit::Whole, observer),
        (None, None) => match op.program(&types) {
            Some(Err(e)) => Err(e),
            _ => Err(op.missing("run", "evaluation")),
        },
    }
}
