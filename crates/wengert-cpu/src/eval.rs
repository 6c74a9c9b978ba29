//! The plain evaluator: runs a program equation by equation, letting go of each value after its last use.

use crate::{control, kernels, memory};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::backend::{Backend, Executable};
use wengert_core::ops::unbound_axis;
use wengert_core::{Equation, Op, Program, Result, Tensor, Type};

/// The CPU backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> &str {
        "cpu"
    }
    fn compile(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>> {
        memory::check(&program)?;
        Ok(Arc::new(Plan::new(program)))
    }
}

/// A program with what the evaluator wants to know beforehand: when each value is used last, and the plans of the
/// programs its ops hold. A program that many equations hold is planned once.
#[derive(Clone, Debug)]
pub struct Plan(Arc<Planned>);

#[derive(Debug)]
struct Planned {
    program: Arc<Program>,
    /// For each equation, for each operand, whether this is the last use of that variable.
    last: Vec<Vec<bool>>,
    /// For each equation, the variables it defines that nothing uses.
    unused: Vec<Vec<usize>>,
    nested: Vec<Vec<Plan>>,
}

impl Plan {
    /// Plans a program.
    pub fn new(program: Arc<Program>) -> Plan {
        Plans::default().of(&program)
    }
}

/// The plans made so far, by the addresses of their programs, which they keep alive.
#[derive(Default)]
struct Plans(FxHashMap<*const Program, Plan>);

impl Plans {
    fn of(&mut self, program: &Arc<Program>) -> Plan {
        if let Some(plan) = self.0.get(&Arc::as_ptr(program)) {
            return plan.clone();
        }
        let mut used = vec![false; program.var_count()];
        program.outputs().iter().for_each(|v| used[v.index()] = true);
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
        let types = |e: &Equation| e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
        let nested = program.equations().iter().map(|e| self.nested(&e.op, || types(e))).collect();
        let plan = Plan(Arc::new(Planned { program: program.clone(), last, unused, nested }));
        self.0.insert(Arc::as_ptr(program), plan.clone());
        plan
    }

    /// The plans of the programs an op holds; of a custom op, the plan of its decomposition.
    fn nested(&mut self, op: &Op, types: impl FnOnce() -> Vec<Type>) -> Vec<Plan> {
        match op {
            // A decomposition that fails is reported when it is needed.
            Op::Custom(op) => op.program(&types()).into_iter().flatten().map(|p| self.of(&Arc::new(p))).collect(),
            op => op.programs().into_iter().map(|p| self.of(p)).collect(),
        }
    }
}

/// Which run of a program that an op holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// The only one.
    Whole,
    /// The body of a loop, for this step.
    Step(usize),
    /// The condition of a loop, before this step.
    Condition(usize),
    /// This branch.
    Branch(usize),
}

/// Sees a program run, equation by equation, at every depth.
pub trait Observer {
    /// A program begins.
    fn enter(&mut self, program: &Arc<Program>, inside: Inside, inputs: &[Tensor]);
    /// An equation whose op holds programs begins; they run between this and [`Observer::end`].
    fn begin(&mut self, program: &Arc<Program>, e: &Equation);
    /// It ended.
    fn end(&mut self, program: &Arc<Program>, e: &Equation, outputs: &[Tensor]);
    /// Any other equation ran.
    fn ran(&mut self, program: &Arc<Program>, e: &Equation, outputs: &[Tensor]);
    /// The program is done.
    fn leave(&mut self, program: &Arc<Program>);
}

/// Who watches, if anyone does.
pub(crate) type Watcher<'a, 'o> = Option<&'a mut (dyn Observer + 'o)>;

/// The same watcher, for a while.
pub(crate) fn again<'a, 'o>(o: &'a mut Watcher<'_, 'o>) -> Watcher<'a, 'o> {
    match o {
        Some(o) => Some(&mut **o),
        None => None,
    }
}

impl Executable for Plan {
    fn run(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.run_inside(inputs, Inside::Whole, None)
    }
}

impl Plan {
    /// Runs the program and lets an observer see it.
    pub fn run_watched(&self, inputs: Vec<Tensor>, observer: &mut dyn Observer) -> Result<Vec<Tensor>> {
        self.run_inside(inputs, Inside::Whole, Some(observer))
    }

    pub(crate) fn run_inside(
        &self,
        inputs: Vec<Tensor>,
        inside: Inside,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<Vec<Tensor>> {
        let plan = &*self.0;
        if let Some(w) = &mut watcher {
            w.enter(&plan.program, inside, &inputs);
        }
        let mut env: Vec<Option<Tensor>> = vec![None; plan.program.var_count()];
        for (v, x) in plan.program.inputs().iter().zip(inputs) {
            env[v.index()] = Some(x);
        }
        for (i, e) in plan.program.equations().iter().enumerate() {
            let x = (e.inputs.iter().zip(&plan.last[i]))
                .map(|(v, &last)| if last { env[v.index()].take() } else { env[v.index()].clone() })
                .map(|x| x.expect("a verified program defines before use"))
                .collect();
            let holds = !plan.nested[i].is_empty();
            if let Some(w) = watcher.as_mut().filter(|_| holds) {
                w.begin(&plan.program, e);
            }
            let y = run_planned(&e.op, x, &plan.nested[i], again(&mut watcher));
            let y = y.map_err(|err| err.at(e.place.clone()))?;
            if let Some(w) = &mut watcher {
                match holds {
                    true => w.end(&plan.program, e, &y),
                    false => w.ran(&plan.program, e, &y),
                }
            }
            for (v, y) in e.outputs.iter().zip(y) {
                debug_assert_eq!(y.ty(), *plan.program.ty(*v), "kernel of {}", e.op.name());
                env[v.index()] = Some(y);
            }
            plan.unused[i].iter().for_each(|&v| env[v] = None);
        }
        if let Some(w) = &mut watcher {
            w.leave(&plan.program);
        }
        Ok(plan.program.outputs().iter().map(|v| env[v.index()].clone().expect("defined")).collect())
    }
}

/// Runs a program on these inputs.
pub fn run(program: &Program, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
    Plan::new(Arc::new(program.clone())).run(inputs)
}

/// Runs one op on operands of types it takes. Operands that nothing else holds may be overwritten.
pub fn run_op(op: &Op, x: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let nested = Plans::default().nested(op, || x.iter().map(Tensor::ty).collect());
    run_planned(op, x, &nested, None)
}

/// [`run_op`], and an observer sees the programs the op holds.
pub fn run_op_watched(op: &Op, x: Vec<Tensor>, observer: &mut dyn Observer) -> Result<Vec<Tensor>> {
    let nested = Plans::default().nested(op, || x.iter().map(Tensor::ty).collect());
    run_planned(op, x, &nested, Some(observer))
}

fn run_planned(op: &Op, mut x: Vec<Tensor>, nested: &[Plan], watcher: Watcher<'_, '_>) -> Result<Vec<Tensor>> {
    let one = |t: Tensor| Ok(vec![t]);
    // Hands the next operand over, so that the kernel may overwrite it.
    let mut next = || x.remove(0);
    match op {
        Op::Constant(op) => one(op.value.clone()),
        Op::Iota(op) => one(kernels::iota(op)),
        Op::Unary(op) => one(kernels::unary(*op, next())),
        Op::Binary(op) => one(kernels::binary(*op, next(), next())),
        Op::Compare(op) => one(kernels::compare(op.direction, &x[0], &x[1])),
        Op::Select(_) => one(kernels::select(&x[0], &x[1], &x[2])),
        Op::Clamp(_) => one(kernels::clamp(next(), next(), next())),
        Op::Bitcast(op) => one(kernels::bitcast(op, &x[0])),
        Op::ReducePrecision(op) => one(kernels::reduce_precision(op, &x[0])),
        Op::Convert(op) => one(kernels::convert(&x[0], op.dtype)),
        Op::Broadcast(op) => one(kernels::broadcast(op, &x[0])),
        Op::Reshape(op) => one(x[0].reshaped(op.shape.clone())),
        Op::Transpose(op) => one(kernels::transpose(&x[0], &op.perm)),
        Op::Reverse(op) => one(kernels::reverse(op, &x[0])),
        Op::Slice(op) => one(kernels::slice(op, &x[0])),
        Op::Pad(op) => one(kernels::pad(op, &x[0], &x[1])),
        Op::Concatenate(op) => one(kernels::concatenate(op, &x)),
        Op::DynamicSlice(op) => one(kernels::dynamic_slice(op, &x[0], &x[1..])),
        Op::DynamicUpdateSlice(_) => one(kernels::dynamic_update_slice(next(), &next(), &x)),
        Op::Gather(op) => one(kernels::gather(op, &x[0], &x[1])),
        Op::Scatter(op) => kernels::scatter(op, x, nested),
        Op::Reduce(op) => kernels::reduce(op, x, nested),
        Op::DotGeneral(op) => one(kernels::dot_general(op, &x[0], &x[1])),
        Op::TriangularSolve(_) | Op::Cholesky(_) | Op::Lu(_) | Op::Qr(_) | Op::Svd(_) | Op::Eigh(_) | Op::Eig(_) => {
            Ok(kernels::linalg(op, &x))
        }
        Op::Threefry(_) => Ok(kernels::threefry(&x)),
        Op::RngBitGenerator(op) => Ok(kernels::rng_bit_generator(op, &x[0])),
        Op::Scan(op) => control::scan(op, x, &nested[0], watcher),
        Op::While(op) => control::while_loop(op, x, &nested[0], &nested[1], watcher),
        Op::Cond(_) => control::cond(x, nested, watcher),
        Op::Call(_) | Op::CustomJvp(_) | Op::CustomVjp(_) => nested[0].run_inside(x, Inside::Whole, watcher),
        Op::Pullback(op) => Err(op.not_run()),
        Op::Barrier(_) | Op::StopGradient(_) => Ok(x),
        Op::AxisIndex(_)
        | Op::AllReduce(_)
        | Op::AllGather(_)
        | Op::ReduceScatter(_)
        | Op::AllToAll(_)
        | Op::CollectivePermute(_) => Err(unbound_axis(op.rules().axis_name().expect("they have one"))),
        Op::Custom(op) => control::custom(op, x, nested, watcher),
        Op::Cumulative(op) => one(kernels::cumulative(op, &x[0])),
        Op::Convolution(op) => one(kernels::convolution(op, &x[0], &x[1])),
        Op::ReduceWindow(op) => kernels::reduce_window(op, x),
        Op::SelectAndScatter(op) => one(kernels::select_and_scatter(op, x, nested)?),
        Op::ArgReduce(op) => one(kernels::arg_reduce(op, &x[0])),
        Op::Sort(op) => kernels::sort(op, &x, nested),
        Op::TopK(op) => Ok(kernels::top_k(op, &x[0])),
        Op::Fft(op) => one(kernels::fft(op, &x[0])),
        Op::SelectAndGather(op) => one(kernels::select_and_gather(op, &x[0], &x[1])?),
    }
}
