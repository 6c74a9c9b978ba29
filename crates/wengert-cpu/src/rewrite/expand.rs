//! Ops that the kernel language has no instructions for, as programs of those it has: they are computed in the loops
//! around them, where a kernel would be called.

use super::walk::{Budget, rebuilt};
use wengert_core::{Program, Type, Vars};

/// Expands ops of one program.
pub(super) fn expand(program: &Program, budget: &mut Budget) -> Option<Program> {
    let form = |i: usize| {
        let e = &program.equations()[i];
        let types: Vec<Type> = e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
        wengert_expand::fused(&e.op, &types)
    };
    let forms: Vec<Option<Program>> =
        (0..program.equations().len()).map(|i| form(i).filter(|_| budget.take())).collect();
    if forms.iter().all(Option::is_none) {
        return None;
    }
    let mut forms = forms.into_iter();
    Some(rebuilt(program, |b, env, e| {
        let form = forms.next().flatten()?;
        let x: Vars = e.inputs.iter().map(|v| env[v.index()]).collect();
        Some(b.inline(&form, &x).into_iter().collect())
    }))
}
