//! The evaluator as a device, and runs on tensors alone.

use crate::control;
use crate::memory;
use crate::plan::{Kernels, MaybeObserver, Plain, Plan, Plans, run_planned};
use std::sync::Arc;
use wengert_core::ops::Custom;
use wengert_core::run::{Block, Device, Executable, Run, Value};
use wengert_core::{Builder, Op, Program, Result, Tensor, Type};

/// The evaluator as a device: `eval`, or another name with kernels that are faster than its own.
#[derive(Clone, Copy)]
pub struct Eval {
    name: &'static str,
    kernels: &'static dyn Kernels,
}

impl Eval {
    /// The plain evaluator.
    pub const PLAIN: Eval = Eval { name: "eval", kernels: &Plain };

    /// A device of this name that runs programs as the evaluator does, with these kernels where there are some.
    pub const fn with(name: &'static str, kernels: &'static dyn Kernels) -> Eval {
        Eval { name, kernels }
    }
}

impl Device for Eval {
    fn name(&self) -> &str {
        self.name
    }

    fn compile(&self, program: Arc<Program>, _donated: &[bool]) -> Result<Arc<dyn Executable>> {
        memory::check(&program)?;
        Ok(Arc::new(Plan::with(program, self.kernels)))
    }

    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        let inputs = run.inputs.into_iter().map(Value::into_host).collect::<Result<_>>()?;
        let y = run_with(op, inputs, self.kernels, run.observer)?;
        Ok(Run::choose(run.wanted, y).into_iter().map(Value::Host).collect())
    }

    fn put(&self, value: &Value) -> Result<Value> {
        value.host().map(|t| Value::Host(t.clone()))
    }
}

/// Runs a program on these inputs, with the plain kernels.
pub fn run(program: &Program, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
    Plan::new(Arc::new(program.clone())).run(inputs)
}

/// Runs one op on operands of types it takes, with the plain kernels. Operands that nothing else holds may be overwritten.
pub fn run_op(op: &Op, x: Vec<Tensor>) -> Result<Vec<Tensor>> {
    run_with(op, x, &Plain, None)
}

/// Runs an op of the user's, by its own evaluation or else by this plan of its decomposition, which is asked for then.
pub fn run_custom(op: &Custom, x: Vec<Tensor>, decomposition: impl FnOnce() -> Option<Plan>) -> Result<Vec<Tensor>> {
    control::custom(op, x, decomposition, None)
}

fn run_with(
    op: &Op,
    x: Vec<Tensor>,
    kernels: &'static dyn Kernels,
    observer: MaybeObserver<'_, '_>,
) -> Result<Vec<Tensor>> {
    let types: Vec<Type> = x.iter().map(Tensor::ty).collect();
    let results = op.rules().infer(&types)?;
    let results: Vec<&Type> = results.iter().collect();
    memory::check_op(op, &x, &results)?;
    let nested = Plans::new(kernels).nested(op, || types.clone());
    let mut steps = observer.is_some().then(Vec::new);
    let Some(observer) = observer else { return run_planned(op, x, &results, &nested, kernels, None, &mut steps) };
    let y = run_planned(op, x, &results, &nested, kernels, Some(&mut *observer), &mut steps)?;
    if let Some(steps) = steps.filter(|s| !s.is_empty()) {
        // The op alone as a program, for those who want to know what its kernel ran.
        let mut b = Builder::new();
        let inputs = b.inputs(&types);
        let outputs = b.try_push(op.clone(), &inputs)?;
        let program = Arc::new(b.finish(&outputs));
        observer.ran(Block { program: &program, equations: &[0], outputs: &[], steps: &steps });
    }
    Ok(y)
}
