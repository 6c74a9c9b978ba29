//! What a kernel runs inside, for those who record it.

use std::cell::RefCell;
use wengert_core::Type;

/// One thing that a kernel ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it is called: `im2col`, `gemm`.
    pub name: &'static str,
    /// The types of what it took.
    pub inputs: Vec<Type>,
    /// The type of what it gave.
    pub output: Type,
}

thread_local! {
    static STEPS: RefCell<Option<Vec<Step>>> = const { RefCell::new(None) };
}

/// Runs something, and gives the steps of the kernels it ran on this thread.
pub fn with_steps<T>(f: impl FnOnce() -> T) -> (T, Vec<Step>) {
    let before = STEPS.replace(Some(Vec::new()));
    let out = f();
    (out, STEPS.replace(before).unwrap_or_default())
}

/// Says what a kernel runs, if someone wants to know.
pub(crate) fn step(name: &'static str, types: impl FnOnce() -> (Vec<Type>, Type)) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            let (inputs, output) = types();
            steps.push(Step { name, inputs, output });
        }
    });
}
