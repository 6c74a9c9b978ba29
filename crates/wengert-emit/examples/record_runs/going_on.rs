//! Runs that go on after something failed, and failures in threads.

use super::{Body, checked, mismatch, rows, w, x};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use wengert::*;

/// What is left of a computation that may fail: what it gives, or what is given for it.
fn or_else(f: impl Fn() -> Array, other: impl FnOnce() -> Array) -> Array {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| other())
}

/// On another thread, which panics where this does.
pub fn on_a_thread(f: impl FnOnce() -> Array + Send) -> Array {
    let f = tape::attach(f);
    std::thread::scope(|s| s.spawn(f).join()).unwrap_or_else(|panic| resume_unwind(panic))
}

pub const GOING_ON: &[(&str, Body)] = runs! {
    caught_operands: { let y = x().sin(); let z = try_run(|| mismatch(y.clone())).unwrap_or_else(|_| y.cos()); vec![z, y] };
    caught_op: vec![try_run(|| lax::reshape(&(x() * 2.0), &[3])).unwrap_or_else(|_| w())];
    caught_in_tracked: vec![or_else(|| checked(x()), || x() * 2.0)];
    caught_twice: { let y = x().sin(); for _ in 0..2 { let _ = or_else(|| checked(y.clone()), w); } vec![y] };
    caught_in_gradient: vec![or_else(|| grad(|x: Array| mismatch(x).sum(..))(x()), w)];
    caught_inside_gradient: vec![grad(|x: Array| try_run(|| mismatch(x.clone())).unwrap_or_else(|_| x.sin()).sum(..))(x())];
    caught_in_staged: vec![or_else(|| jit(|x: Array| mismatch(x))(x()), w)];
    caught_inside_staged: vec![jit(|x: Array| try_run(|| mismatch(x.clone())).unwrap_or_else(|_| x.sin()))(x())];
    caught_in_scan: vec![or_else(|| scan(|c: Array, x: Array| (mismatch(c * x), ()), x(), rows()).0, w)];
    caught_last: { let y = x().sin(); let _ = try_run(|| mismatch(y.clone())); vec![y] };
    thread: vec![on_a_thread(|| x().sin()) + w()];
};

/// Something that computes when it is dropped.
struct Flushed(Array);

impl Drop for Flushed {
    fn drop(&mut self) {
        let _ = self.0.cosh();
    }
}

pub const THREADS_THAT_FAIL: &[(&str, Body)] = runs! {
    panic_that_drops_compute_after: { let f = Flushed(x().cos()); let y = checked(f.0.clone()); vec![y] };
    failed_op_that_drops_compute_after: { let f = Flushed(x().cos()); let y = mismatch(f.0.clone()); vec![y] };
    failed_in_thread: vec![on_a_thread(|| mismatch(x()))];
    panic_in_thread: { let y = x().cos(); vec![on_a_thread(|| checked(y))] };
    failed_otherwise_after_caught: { let y = or_else(|| checked(x()), w); assert!(y.rank() > 1, "another matrix"); vec![y] };
    failed_after_caught: { let y = x().sin(); let _ = try_run(|| mismatch(y.clone())); vec![checked(y)] };
};
