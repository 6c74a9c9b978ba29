//! A program compiled for this CPU, ready to run.

use crate::Native;
use crate::kernels::Fast;
use crate::lower::{Context, Lowered, Returned, lower, repeats_too_much, unfolds_too_much};
use std::sync::{Arc, Mutex, OnceLock};
use wengert_core::run::{Executable, Run, Value};
use wengert_core::{DType, Program, Result, Tensor, Type};
use wengert_eval::Plan;
use wengert_kernel::{Function, Interpreter};
use wengert_x86::{Code, compile};

/// A program as a function, with what runs it.
pub(crate) struct Compiled {
    program: Arc<Program>,
    lowered: Lowered,
    outputs: Vec<Type>,
    runner: Runner,
    /// Memory for temporaries of runs that are over.
    workspaces: Mutex<Vec<Tensor>>,
    /// What runs it equation by equation, for observers.
    plan: OnceLock<Plan>,
}

/// What runs a function: machine code, or the interpreter where there is none.
enum Runner {
    Native(Code),
    Interpreted(Interpreter),
}

impl Runner {
    fn new(function: &Function, native: Native) -> Runner {
        match native.features().and_then(|features| compile(function, features)) {
            Some(code) => Runner::Native(code),
            None => Runner::Interpreted(Interpreter::new(function).expect("a function that is well formed")),
        }
    }

    /// # Safety
    /// As many pointers as the function takes, to what it takes.
    unsafe fn run(&self, args: &[*mut u8]) -> bool {
        // SAFETY: the caller's word.
        unsafe {
            match self {
                Runner::Native(code) => code.run(args),
                Runner::Interpreted(interpreter) => interpreter.run(args),
            }
        }
    }
}

/// Workspaces that are kept for the next runs.
const KEPT: usize = 4;
/// One value repeated is spelled out up to this many bytes.
const LARGE: usize = 1 << 26;

impl Compiled {
    /// Compiles a program; none if it is one for the evaluator: what would have to be spelled out here need not be there.
    pub(crate) fn new(program: Arc<Program>, native: Native, small: usize) -> Option<Compiled> {
        if repeats_too_much(&program) || unfolds_too_much(&program) {
            return None;
        }
        let lowered = lower(&program, small);
        if !wengert_eval::has_room(lowered.workspace) {
            return None;
        }
        let runner = Runner::new(&lowered.function, native);
        let outputs = program.output_types();
        Some(Compiled { program, lowered, outputs, runner, workspaces: Mutex::default(), plan: OnceLock::new() })
    }

    /// What runs the program equation by equation.
    fn plan(&self) -> &Plan {
        self.plan.get_or_init(|| Plan::with(self.program.clone(), &Fast))
    }

    fn workspace(&self) -> Tensor {
        let kept = self.workspaces.lock().map(|mut w| w.pop()).unwrap_or_default();
        kept.unwrap_or_else(|| Tensor::room(&Type::new(DType::U8, [self.lowered.workspace.max(2)])))
    }

    fn run_function(&self, mut inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        for x in inputs.iter_mut().filter(|x| x.is_splat() && x.size() != 1) {
            *x = x.dense();
        }
        for (x, _) in inputs.iter_mut().zip(&self.lowered.overwritten).filter(|(_, over)| **over) {
            own(x);
        }
        let from: Vec<*mut u8> = inputs.iter().map(|x| x.view().start().cast_mut()).collect();
        // Results that are inputs need no room, and so do those that go over one that nobody else holds.
        let mut returned = self.lowered.results.clone();
        for (r, over) in returned.iter_mut().zip(&self.lowered.over) {
            if let (Returned::Own, Some(i)) = (*r, *over)
                && inputs[i].view_mut().is_some()
            {
                *r = Returned::Input(i);
            }
        }
        let room = |(r, ty): (&Returned, &Type)| match r {
            Returned::Own => Some(Tensor::room(ty)),
            Returned::Splat => Some(Tensor::room(&Type::scalar(ty.dtype))),
            Returned::Input(_) => None,
        };
        let mut outputs: Vec<Option<Tensor>> = returned.iter().zip(&self.outputs).map(room).collect();
        let start = |(y, r): (&mut Option<Tensor>, &Returned)| match (y, r) {
            (Some(y), _) => y.view_mut().expect("nothing shares it").start(),
            (None, Returned::Input(i)) => from[*i],
            (None, _) => unreachable!("it has a room"),
        };
        let to: Vec<*mut u8> = outputs.iter_mut().zip(&returned).map(start).collect();
        let mut workspace = self.workspace();
        let memory = workspace.view_mut().expect("nothing shares it").start();
        let mut context = Context::default();
        let args = [
            memory,
            from.as_ptr().cast_mut().cast(),
            to.as_ptr().cast_mut().cast(),
            std::ptr::from_mut(&mut context).cast(),
        ];
        // SAFETY: the function was made for inputs and results of these types, and a workspace of this size.
        let done = unsafe { self.runner.run(&args) };
        if let Ok(mut kept) = self.workspaces.lock()
            && kept.len() < KEPT
        {
            kept.push(workspace);
        }
        if !done {
            return Err(context.failed());
        }
        let result = |((y, r), ty): ((Option<Tensor>, &Returned), &Type)| match (y, r) {
            (Some(y), Returned::Splat) => Tensor::splat(ty.shape.clone(), y.get(0)),
            (Some(y), _) => y,
            (None, Returned::Input(i)) => inputs[*i].clone(),
            (None, _) => unreachable!("it has a room"),
        };
        Ok(outputs.into_iter().zip(&returned).zip(&self.outputs).map(result).collect())
    }
}

/// Makes a tensor one that nothing else shares, with another identity: it will be overwritten.
fn own(x: &mut Tensor) {
    if x.view_mut().is_none() {
        let mut copy = Tensor::room(&x.ty());
        copy.view_mut().expect("nothing shares it").copy_from(x.view());
        *x = copy;
    }
}

impl Executable for Compiled {
    fn run(&self, run: Run<'_>) -> Result<Vec<Value>> {
        if run.observer.is_some() {
            return (self.plan() as &dyn Executable).run(run);
        }
        let inputs = run.inputs.into_iter().map(Value::into_host).collect::<Result<Vec<Tensor>>>()?;
        // The function reads arrays that are spelled out; the evaluator need not.
        if inputs.iter().any(|x| x.is_splat() && x.ty().bytes().is_none_or(|n| n > LARGE)) {
            return Ok(Run::choose(run.wanted, self.plan().run(inputs)?).into_iter().map(Value::Host).collect());
        }
        let y = self.run_function(inputs)?;
        Ok(Run::choose(run.wanted, y).into_iter().map(Value::Host).collect())
    }

    /// The function, what runs it, and how much memory its temporaries take.
    fn listing(&self) -> Option<String> {
        let by = match &self.runner {
            Runner::Native(code) => format!("{} bytes of machine code", code.bytes().len()),
            Runner::Interpreted(_) => "the interpreter".to_string(),
        };
        let (function, bytes) = (&self.lowered.function, self.lowered.workspace);
        Some(format!("// run by {by}, with {bytes} bytes for temporaries\n{function}"))
    }
}
