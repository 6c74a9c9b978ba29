//! A program compiled for this CPU, ready to run.

use crate::Native;
use crate::kernels::Fast;
use crate::lower::{Context, Lowered, PIECE, Returned, lower, repeats_too_much, unfolds_too_much};
use crate::stages::profile::{self, Profiler};
use crate::stages::{Refusal, STAGES, Shown, Stages, memory_use, perf_map, refuse};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use wengert_core::run::{Executable, Run, Value};
use wengert_core::{DType, MemoryUse, Profile, Program, Result, Tensor, Type};
use wengert_eval::Plan;
use wengert_kernel::profile::Counter;
use wengert_kernel::{Function, Interpreter};
use wengert_x86::{Code, compile, compile_profiled};

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
    memory: MemoryUse,
    /// What its runs counted, if it is compiled to count.
    profiler: Option<Profiler>,
}

/// What runs a function: machine code, or the interpreter where there is none.
pub(crate) enum Runner {
    Native(Code),
    Interpreted(Interpreter),
}

impl Runner {
    fn new(function: &Function, options: Options) -> Runner {
        let Options { native, profile, .. } = options;
        let compile = if profile { compile_profiled } else { compile };
        match native.features().and_then(|features| compile(function, features)) {
            Some(code) => Runner::Native(code),
            None => {
                let made = if profile { Interpreter::profiled(function) } else { Interpreter::new(function) };
                Runner::Interpreted(made.expect("a function that is well formed"))
            }
        }
    }

    pub(crate) fn code(&self) -> Option<&Code> {
        match self {
            Runner::Native(code) => Some(code),
            Runner::Interpreted(_) => None,
        }
    }

    /// # Safety
    /// As many pointers as the function takes, to what it takes.
    pub(crate) unsafe fn run(&self, args: &[*mut u8]) -> bool {
        // SAFETY: the caller's word.
        unsafe {
            match self {
                Runner::Native(code) => code.run(args),
                Runner::Interpreted(interpreter) => interpreter.run(args),
            }
        }
    }

    /// Runs a function that counts.
    ///
    /// # Safety
    /// As [`Runner::run`].
    unsafe fn run_profiled(&self, args: &[*mut u8], counters: &mut [Counter]) -> bool {
        // SAFETY: the caller's word.
        unsafe {
            match self {
                Runner::Native(code) => code.run_profiled(args, counters),
                Runner::Interpreted(interpreter) => interpreter.run_profiled(args, counters),
            }
        }
    }
}

/// How programs are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub(crate) native: Native,
    /// Arrays of at most this many elements are scalars.
    pub(crate) small: usize,
    /// Whether runs count where their time goes.
    pub(crate) profile: bool,
    /// How many threads loops are shared by; none if as many as there are.
    pub(crate) threads: Option<usize>,
    /// About how many nanoseconds of work a thread takes at a time.
    pub(crate) piece: usize,
}

impl Options {
    pub(crate) const fn new(native: Native) -> Options {
        Options { native, small: usize::MAX, profile: false, threads: None, piece: PIECE }
    }
}

/// Workspaces that are kept for the next runs.
const KEPT: usize = 4;
/// One value repeated is spelled out up to this many bytes.
const LARGE: usize = 1 << 26;

impl Compiled {
    /// Compiles a program; none if it is one for the evaluator: what would have to be spelled out here need not be there.
    /// An error if this machine has not the memory for a run.
    pub(crate) fn new(program: Arc<Program>, options: Options) -> Result<Option<Compiled>> {
        if repeats_too_much(&program) || unfolds_too_much(&program) {
            return Ok(None);
        }
        #[cfg(feature = "faults")]
        let program = crate::rewrite::planted::planted(&program);
        let lowered = lower(&program, options);
        let memory = memory_use(&program, &lowered, 0);
        match refuse(&program, &lowered, &memory) {
            None => {}
            Some(Refusal::Evaluate) => return Ok(None),
            Some(Refusal::Error(e)) => return Err(e),
        }
        let mapped = perf_map::is_wanted();
        let runner = Runner::new(&lowered.function, options);
        let mut code = runner.code().map_or(0, |c| c.bytes().len());
        for parallel in &lowered.parallel {
            let piece = parallel.set_runner(|f| Runner::new(f, Options { profile: false, ..options }));
            code += piece.code().map_or(0, |c| c.bytes().len());
        }
        if let Some(code) = runner.code()
            && mapped
        {
            perf_map::add(code, &Shown::new(&program, &lowered));
        }
        Ok(Some(Compiled {
            outputs: program.output_types(),
            program,
            lowered,
            runner,
            workspaces: Mutex::default(),
            plan: OnceLock::new(),
            memory: MemoryUse { code, ..memory },
            profiler: options.profile.then(Profiler::default),
        }))
    }

    /// Prints the profile, if there were runs.
    pub(crate) fn tell_profile(&self) {
        if let Some(profile) = self.profile().filter(|p| p.runs > 0) {
            eprint!("{profile}");
        }
    }

    /// What runs the program equation by equation.
    fn plan(&self) -> &Plan {
        self.plan.get_or_init(|| Plan::with(self.program.clone(), &Fast))
    }

    fn workspace(&self) -> Tensor {
        let kept = self.workspaces.lock().map(|mut w| w.pop()).unwrap_or_default();
        kept.unwrap_or_else(|| Tensor::room(&Type::new(DType::U8, [self.lowered.workspace.max(2)])))
    }

    /// Calls the function, and counts if it was compiled for that.
    ///
    /// # Safety
    /// As many pointers as the function takes, to what it takes.
    unsafe fn call(&self, args: &[*mut u8]) -> bool {
        let Some(profiler) = &self.profiler else {
            // SAFETY: the caller's word.
            return unsafe { self.runner.run(args) };
        };
        let mut counters = vec![Counter::default(); self.lowered.plan.blocks.len()];
        let start = Instant::now();
        // SAFETY: the caller's word.
        let done = unsafe { self.runner.run_profiled(args, &mut counters) };
        profiler.add(&counters, start.elapsed());
        done
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
        let done = unsafe { self.call(&args) };
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

    fn stages(&self) -> &'static [&'static str] {
        STAGES
    }

    fn stage(&self, name: &str) -> Option<String> {
        let Compiled { program, lowered, runner, .. } = self;
        // Memory is planned before there is code.
        let memory = MemoryUse { code: 0, ..self.memory()? };
        Stages { program, lowered, code: runner.code(), memory }.text(name)
    }

    fn memory(&self) -> Option<MemoryUse> {
        let shown = Shown::new(&self.program, &self.lowered);
        Some(MemoryUse { kernels: shown.kernels_own(), moved: Some(shown.moved()), ..self.memory })
    }

    fn profile(&self) -> Option<Profile> {
        self.profiler.as_ref().map(|p| p.profile(&Shown::new(&self.program, &self.lowered)))
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if self.profiler.is_some() && profile::asked() {
            self.tell_profile();
        }
    }
}
