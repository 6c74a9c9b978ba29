//! Runs a program equation by equation, letting go of each value after its last use.

use crate::{control, kernels, results};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;
use wengert_core::ops::unbound_axis;
use wengert_core::run::{Block, Executable, Observer, Run, Step, Value, Visit};
use wengert_core::{Equation, Op, Program, Result, Tensor, Type, Var, View, ViewMut};

/// Kernels that are faster than the plain ones.
///
/// # Safety
/// A result may lie where an operand does ([`ViewMut::is`]), for the ops whose results go over operands: a kernel of such
/// an op never has the elements of both as slices at once.
pub unsafe trait Kernels: Send + Sync {
    /// Runs an op into the rooms of its results; `false` if there is no kernel for it here. What the kernel runs inside
    /// goes to `steps`, if somebody wants to know.
    fn run(&self, op: &Op, x: &[View<'_>], y: &mut [ViewMut<'_>], steps: &mut Option<Vec<Step>>) -> bool;
}

/// The plain kernels alone.
pub(crate) struct Plain;

// SAFETY: it has no kernels.
unsafe impl Kernels for Plain {
    fn run(&self, _: &Op, _: &[View<'_>], _: &mut [ViewMut<'_>], _: &mut Option<Vec<Step>>) -> bool {
        false
    }
}

/// A program with what the evaluator wants to know beforehand: when each value is used last, and the plans of the
/// programs its ops hold. A program that many equations hold is planned once.
#[derive(Clone)]
pub struct Plan(Arc<Planned>);

struct Planned {
    program: Arc<Program>,
    /// For each equation, for each operand, whether this is the last use of that variable.
    last: Vec<Vec<bool>>,
    /// For each equation, the variables it defines that nothing uses.
    unused: Vec<Vec<usize>>,
    /// For each input, whether anything uses it.
    used_inputs: Vec<bool>,
    /// For each result, whether this is the last mention of its variable among them.
    given: Vec<bool>,
    nested: Vec<Vec<Plan>>,
    kernels: &'static dyn Kernels,
}

impl Plan {
    /// Plans a program for the plain kernels.
    pub fn new(program: Arc<Program>) -> Plan {
        Plan::with(program, &Plain)
    }

    /// Plans a program for these kernels, and the plain ones where there are none.
    pub fn with(program: Arc<Program>, kernels: &'static dyn Kernels) -> Plan {
        Plans { made: FxHashMap::default(), kernels }.of(&program)
    }
}

/// The plans made so far, by the addresses of their programs, which they keep alive.
pub(crate) struct Plans {
    made: FxHashMap<*const Program, Plan>,
    kernels: &'static dyn Kernels,
}

impl Plans {
    pub(crate) fn new(kernels: &'static dyn Kernels) -> Plans {
        Plans { made: FxHashMap::default(), kernels }
    }

    fn of(&mut self, program: &Arc<Program>) -> Plan {
        if let Some(plan) = self.made.get(&Arc::as_ptr(program)) {
            return plan.clone();
        }
        let mut used = vec![false; program.var_count()];
        let mut given: Vec<bool> =
            program.outputs().iter().rev().map(|v| !std::mem::replace(&mut used[v.index()], true)).collect();
        given.reverse();
        let (mut last, mut unused) = (Vec::new(), Vec::new());
        for e in program.equations().iter().rev() {
            unused.push(e.outputs.iter().map(|v| v.index()).filter(|&i| !used[i]).collect());
            // From the right, so that the last of repeated operands takes the value.
            let mut flags = vec![false; e.inputs.len()];
            for (i, v) in e.inputs.iter().enumerate().rev() {
                flags[i] = !std::mem::replace(&mut used[v.index()], true);
            }
            last.push(flags);
        }
        last.reverse();
        unused.reverse();
        let used_inputs = program.inputs().iter().map(|v| used[v.index()]).collect();
        let types = |e: &Equation| e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
        let nested = program.equations().iter().map(|e| self.nested(&e.op, || types(e))).collect();
        let planned =
            Planned { program: program.clone(), last, unused, used_inputs, given, nested, kernels: self.kernels };
        let plan = Plan(Arc::new(planned));
        self.made.insert(Arc::as_ptr(program), plan.clone());
        plan
    }

    /// The plans of the programs an op holds; of a custom op, the plan of its decomposition.
    pub(crate) fn nested(&mut self, op: &Op, types: impl FnOnce() -> Vec<Type>) -> Vec<Plan> {
        match op {
            // A decomposition that fails is reported when it is needed.
            Op::Custom(op) => op.program(&types()).into_iter().flatten().map(|p| self.of(&Arc::new(p))).collect(),
            op => op.programs().into_iter().map(|p| self.of(p)).collect(),
        }
    }
}

/// The plans of the programs that an op on operands of these types holds.
pub fn nested_plans(op: &Op, types: &[Type], kernels: &'static dyn Kernels) -> Vec<Plan> {
    Plans::new(kernels).nested(op, || types.to_vec())
}

/// The observer of a run, if it has one.
pub(crate) type MaybeObserver<'a, 'o> = Option<&'a mut (dyn Observer + 'o)>;

/// Lends the observer for a while.
pub(crate) fn reborrow<'a, 'o>(o: &'a mut MaybeObserver<'_, 'o>) -> MaybeObserver<'a, 'o> {
    match o {
        Some(o) => Some(&mut **o),
        None => None,
    }
}

/// Tensors as an observer sees them.
fn values(x: &[Tensor]) -> Vec<Value> {
    x.iter().cloned().map(Value::Host).collect()
}

impl Executable for Plan {
    fn run(&self, run: Run<'_>) -> Result<Vec<Value>> {
        let inputs = run.inputs.into_iter().map(Value::into_host).collect::<Result<_>>()?;
        let y = self.run_inside(inputs, Visit::Whole, run.observer)?;
        Ok(Run::choose(run.wanted, y).into_iter().map(Value::Host).collect())
    }
}

impl Plan {
    /// Runs the program on tensors.
    pub fn run(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.run_inside(inputs, Visit::Whole, None)
    }

    pub(crate) fn run_inside(
        &self,
        inputs: Vec<Tensor>,
        visit: Visit,
        observer: MaybeObserver<'_, '_>,
    ) -> Result<Vec<Tensor>> {
        self.run_in(&mut Environment::new(), inputs, visit, observer)
    }

    /// Runs the program with an environment that an earlier run of it may have left.
    pub(crate) fn run_in(
        &self,
        env: &mut Environment,
        inputs: Vec<Tensor>,
        visit: Visit,
        mut observer: MaybeObserver<'_, '_>,
    ) -> Result<Vec<Tensor>> {
        let plan = &*self.0;
        if let Some(o) = &mut observer {
            o.enter(&plan.program, visit, &values(&inputs));
        }
        plan.set_inputs(env, inputs);
        for i in 0..plan.program.equations().len() {
            plan.run_equation(i, env, reborrow(&mut observer))?;
        }
        if let Some(o) = &mut observer {
            o.leave(&plan.program);
        }
        Ok(plan.results(env))
    }
}

/// The values of variables while they are needed.
pub(crate) type Environment = Vec<Option<Tensor>>;

impl Planned {
    fn set_inputs(&self, env: &mut Environment, inputs: Vec<Tensor>) {
        env.resize(self.program.var_count(), None);
        for ((v, x), &used) in self.program.inputs().iter().zip(inputs).zip(&self.used_inputs) {
            env[v.index()] = used.then_some(x);
        }
    }

    fn operands(&self, i: usize, env: &mut Environment) -> Vec<Tensor> {
        let e = &self.program.equations()[i];
        let take = |(v, &last): (&Var, &bool)| if last { env[v.index()].take() } else { env[v.index()].clone() };
        let x = e.inputs.iter().zip(&self.last[i]).map(take);
        x.map(|x| x.expect("a verified program defines before use")).collect()
    }

    // Programs hold programs: what is on the stack while one of them runs is kept small.
    fn run_equation(&self, i: usize, env: &mut Environment, mut observer: MaybeObserver<'_, '_>) -> Result<()> {
        if observer.is_none() && self.run_scalar(i, env)? {
            return Ok(());
        }
        let x = self.operands(i, env);
        let y = match self.nested[i].is_empty() {
            true => self.run_kernel(i, x, &mut observer),
            false => self.run_nested(i, x, observer),
        };
        let e = &self.program.equations()[i];
        for (v, y) in e.outputs.iter().zip(y.map_err(|err| err.at(e.place.clone()))?) {
            debug_assert_eq!(y.ty(), *self.program.ty(*v), "kernel of {}", e.op.name());
            env[v.index()] = Some(y);
        }
        self.unused[i].iter().for_each(|&v| env[v] = None);
        Ok(())
    }

    /// Runs an elementwise equation on scalars, without lists of operands and results; `false` if it is none.
    fn run_scalar(&self, i: usize, env: &mut Environment) -> Result<bool> {
        let e = &self.program.equations()[i];
        if !matches!(e.op, Op::Unary(_) | Op::Binary(_) | Op::Compare(_)) {
            return Ok(false);
        }
        let ty = self.program.ty(e.outputs[0]);
        if ty.rank() > 0 {
            return Ok(false);
        }
        let mut y = Tensor::room(ty);
        let x: SmallVec<[View<'_>; 2]> = e
            .inputs
            .iter()
            .map(|v| env[v.index()].as_ref().expect("a verified program defines before use").view())
            .collect();
        kernels::run(&e.op, &x, &mut [y.view_mut().expect("nothing shares it")], &[])?;
        drop(x);
        for (v, _) in e.inputs.iter().zip(&self.last[i]).filter(|(_, last)| **last) {
            env[v.index()] = None;
        }
        env[e.outputs[0].index()] = Some(y);
        self.unused[i].iter().for_each(|&v| env[v] = None);
        Ok(true)
    }

    fn run_nested(&self, i: usize, x: Vec<Tensor>, mut observer: MaybeObserver<'_, '_>) -> Result<Vec<Tensor>> {
        if let Some(o) = &mut observer {
            o.begin(&self.program, i);
        }
        let e = &self.program.equations()[i];
        let types: SmallVec<[&Type; 4]> = e.outputs.iter().map(|&v| self.program.ty(v)).collect();
        let y = run_planned(&e.op, x, &types, &self.nested[i], self.kernels, reborrow(&mut observer), &mut None)?;
        if let Some(o) = &mut observer {
            o.end(&self.program, i, &values(&y));
        }
        Ok(y)
    }

    fn run_kernel(&self, i: usize, x: Vec<Tensor>, observer: &mut MaybeObserver<'_, '_>) -> Result<Vec<Tensor>> {
        let e = &self.program.equations()[i];
        let types: SmallVec<[&Type; 4]> = e.outputs.iter().map(|&v| self.program.ty(v)).collect();
        let mut steps = observer.is_some().then(Vec::new);
        let y = run_planned(&e.op, x, &types, &[], self.kernels, None, &mut steps)?;
        if let Some(o) = observer {
            let outputs: Vec<_> = e.outputs.iter().copied().zip(values(&y)).collect();
            let steps = steps.unwrap_or_default();
            o.ran(Block { program: &self.program, equations: &[i], outputs: &outputs, steps: &steps });
        }
        Ok(y)
    }

    /// The results. The last mention of a variable among them takes it, so that the caller alone holds it.
    fn results(&self, env: &mut Environment) -> Vec<Tensor> {
        let give = |(v, &last): (&Var, &bool)| if last { env[v.index()].take() } else { env[v.index()].clone() };
        self.program.outputs().iter().zip(&self.given).map(give).map(|y| y.expect("defined")).collect()
    }
}

/// Runs one op on operands of types it takes. Operands that nothing else holds may be overwritten.
pub(crate) fn run_planned(
    op: &Op,
    x: Vec<Tensor>,
    types: &[&Type],
    nested: &[Plan],
    kernels: &'static dyn Kernels,
    observer: MaybeObserver<'_, '_>,
    steps: &mut Option<Vec<Step>>,
) -> Result<Vec<Tensor>> {
    match op {
        Op::Scan(op) => control::scan(op, x, &nested[0], observer),
        Op::While(op) => control::while_loop(op, x, &nested[0], &nested[1], observer),
        Op::Cond(_) => control::cond(x, nested, observer),
        Op::Call(_) | Op::CustomJvp(_) | Op::CustomVjp(_) | Op::LinearSolve(_) | Op::Root(_) => {
            nested[0].run_inside(x, Visit::Whole, observer)
        }
        Op::Pullback(op) => Err(op.not_run()),
        Op::AxisIndex(_)
        | Op::AllReduce(_)
        | Op::AllGather(_)
        | Op::ReduceScatter(_)
        | Op::AllToAll(_)
        | Op::CollectivePermute(_) => Err(unbound_axis(op.rules().axis_name().expect("they have one"))),
        Op::Custom(op) => control::custom(op, x, || nested.first().cloned(), observer),
        op => results::of_kernel(op, x, types, nested, kernels, steps),
    }
}
