//! Kernels run apart from what is open on their thread.
//!
//! While a kernel waits for other threads of a pool, its thread may take up a task that has nothing to do with it, the
//! user's own: what that does is no part of a function being traced here, of a recording, or of a named axis.

use crate::{device, named_axes, trace};
use wengert_core::Op;
use wengert_tape::record;

/// Runs an op by `f` with nothing open on this thread, unless a part of it is code of the user's.
pub(crate) fn apart<T>(op: &Op, f: impl FnOnce() -> T) -> T {
    let open = record::has_scope() || trace::tracing() || device::chosen_here() || named_axes::named_here();
    if !open || runs_code_of_users(op) {
        return f();
    }
    let _aside = (record::set_aside(), trace::set_aside(), device::set_aside(), named_axes::set_aside());
    f()
}

fn runs_code_of_users(op: &Op) -> bool {
    let custom = |op: &Op| matches!(op, Op::Custom(_));
    custom(op) || op.programs().iter().any(|p| p.any(|_, e| custom(&e.op)))
}
