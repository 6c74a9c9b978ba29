//! `gathers_last`: what is computed of each gathered element by itself is computed of the elements before they are
//! gathered, where those are fewer: each is computed once, and the windows are written once.

use super::walk::{Budget, rebuilt};
use wengert_core::ops::OutOfBounds;
use wengert_core::{Op, Program, Tensor, Var, Vars};

/// So many times as many elements are gathered as there are, or more.
const TIMES: usize = 2;

/// Makes the rewrite in the equations of a program.
pub(super) fn gathers_last(program: &Program, budget: &mut Budget) -> Option<Program> {
    let mut uses = vec![0; program.var_count()];
    let used = program.equations().iter().flat_map(|e| &e.inputs).chain(program.outputs());
    used.for_each(|v| uses[v.index()] += 1);
    let before = budget.made();
    let new = rebuilt(program, |b, env, e| {
        if !matches!(e.op, Op::Unary(_) | Op::Binary(_)) {
            return None;
        }
        let x: Vec<Var> = e.inputs.iter().map(|v| env[v.index()]).collect();
        // The gathered operand, as it was written anew; the others are one number each.
        let (i, gather) = x.iter().enumerate().find_map(|(i, &v)| match b.definition(v) {
            Some(of) if matches!(of.op, Op::Gather(_)) => Some((i, of.clone())),
            _ => None,
        })?;
        let Op::Gather(op) = &gather.op else { return None };
        let (from, to) = (b.ty(gather.inputs[0]).clone(), program.ty(e.outputs[0]).clone());
        let few = from.shape.size().saturating_mul(TIMES) <= to.shape.size();
        let same = from.dtype == to.dtype && matches!(op.out_of_bounds, OutOfBounds::Clip);
        if !few || !same || uses[e.inputs[i].index()] != 1 {
            return None;
        }
        let mut operands = Vars::new();
        let numbers: Vec<_> = x.iter().map(|&v| b.constant_splat(v)).collect();
        if !numbers.iter().enumerate().all(|(k, n)| k == i || n.is_some()) || !budget.take() {
            return None;
        }
        for (k, number) in numbers.into_iter().enumerate() {
            operands.push(match number {
                Some(number) if k != i => b.constant(Tensor::splat(from.shape.clone(), number)),
                _ => gather.inputs[0],
            });
        }
        let computed = b.push_typed(e.op.clone(), &operands, vec![from])[0];
        Some(b.push_typed(gather.op.clone(), &[computed, gather.inputs[1]], vec![to]))
    });
    (budget.made() > before).then_some(new)
}
