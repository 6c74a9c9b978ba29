//! Calls written out.

use super::rewrite::{Candidate, Rewrite, Rewriter};
use crate::op::Op;
use crate::ops::CallKind;
use crate::program::Vars;
use std::sync::Arc;

pub(super) const REWRITES: &[Rewrite] = &[Rewrite::any("call written out", call)];

/// Programs with no more equations than this are written out wherever they are called.
const SMALL: usize = 32;

fn call(r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
    let Op::Call(call) = c.op else { return None };
    let alone = r.pass.holders_of(Arc::as_ptr(&call.program)) <= 1;
    let fits = alone || call.program.equations().len() <= SMALL;
    (call.kind == CallKind::Staged && fits).then(|| r.inline(&call.program, c.x).into())
}
