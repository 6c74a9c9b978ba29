//! Inlining of calls, and of branches whose choice is known.

use super::rewrite::{Candidate, Rewrite, Rewriter};
use crate::op::Op;
use crate::ops::CallKind;
use crate::program::Vars;
use std::sync::Arc;

pub(super) const REWRITES: &[Rewrite] =
    &[Rewrite::any("call written out", call), Rewrite::any("branch that is known", branch)];

/// Programs with no more equations than this are inlined wherever they are called.
const SMALL: usize = 32;

fn call(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let Op::Call(call) = c.op else { return None };
    let alone = r.pass.holders_of(Arc::as_ptr(&call.program)) <= 1;
    let fits = alone || call.program.equations().len() <= SMALL;
    (call.kind == CallKind::Staged && fits).then(|| r.inline(&call.program, c.x).into())
}

fn branch(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let (Op::Cond(cond), [index, args @ ..]) = (c.op, c.x) else { return None };
    let last = cond.branches.len() - 1;
    let which = match r.constant_splat(*index) {
        // Taken into range.
        Some(index) => (index.as_i64()?.max(0) as usize).min(last),
        None if cond.branches[1..].iter().all(|b| *b == cond.branches[0]) => 0,
        None => return None,
    };
    Some(r.inline(&cond.branches[which], args).into())
}
