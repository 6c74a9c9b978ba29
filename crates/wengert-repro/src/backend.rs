//! The backends a program can run on.

use std::str::FromStr;
use std::sync::Arc;
use wengert::{Device, rewrite_watched, simplify_watched};
use wengert_core::run::{Device as _, Executable, Run, Value};
use wengert_core::{Error, ErrorKind, Program, Result, Tensor, Var};

/// The name of a backend: `cpu` is this machine, where programs are simplified first; `eval` is the plain evaluator, which
/// runs them as written, equation by equation; `rewritten` is the evaluator on the programs that `cpu` compiles, simplified
/// and rewritten: it gives the same bits; `eager` is this machine op by op, as programs run that are not staged; `jax` is pip's
/// JAX; any other name is a device of XLA's, such as `xla` or `cuda:1`.
#[derive(Clone, Debug)]
pub struct BackendName(String);

/// What is wanted of a program that is made ready to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compiling {
    /// Rewrites of the program are shown.
    pub show_rewrites: bool,
    /// Runs count where their time goes.
    pub profiled: bool,
    /// The program is a run that was recorded, and gives the same bits again: it is not simplified, unless the backend is
    /// there to show what comes of that.
    pub as_written: bool,
}

impl FromStr for BackendName {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<BackendName, String> {
        let kind = name.split(':').next().unwrap_or_default();
        match kind {
            "cpu" | "eval" | "eager" | "rewritten" | "jax" if kind == name => Ok(BackendName(name.into())),
            "xla" | "gpu" | "cuda" | "rocm" | "tpu" => Ok(BackendName(name.into())),
            _ => Err(
                "backends are cpu, eval, eager, rewritten, jax, xla, gpu, cuda, rocm and tpu; the last five with a \
                      device, as in cuda:1"
                    .into(),
            ),
        }
    }
}

impl Default for BackendName {
    fn default() -> BackendName {
        BackendName("cpu".into())
    }
}

impl BackendName {
    /// The plain evaluator.
    pub fn plain() -> BackendName {
        BackendName("eval".into())
    }

    /// The name on the command line.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Whether programs run as they are written.
    pub fn is_plain(&self) -> bool {
        self.0 == "eval"
    }

    /// Whether it is pip's JAX.
    pub fn is_jax(&self) -> bool {
        self.0 == "jax"
    }

    /// Whether a run that was recorded runs as it was, operation by operation.
    pub fn keeps_runs(&self) -> bool {
        self.0 != "rewritten"
    }

    /// The device of this name; the CPU perhaps with programs that count where their time goes.
    fn device(&self, profiled: bool) -> Result<Device> {
        match (self.name(), profiled) {
            ("cpu", true) => Ok(Device::cpu_profiled()),
            (name, true) => {
                Err(Error::new(ErrorKind::Device, format!("`{name}` has no profile: the backend that has one is cpu")))
            }
            (name, false) => wengert::device(name),
        }
    }

    /// An error if nothing runs there: a plugin or an interpreter that is missing is no difference of results.
    ///
    /// # Errors
    /// What a program that gives back what it is given fails with.
    pub fn check(&self) -> Result<()> {
        let (same, x) = (Program::parse("program (x: f32[]) { return x }")?, [Tensor::scalar(1.0f32)]);
        let run = || if self.is_jax() { crate::jax::run_at_start(&same, &x) } else { self.run_once(&same, &x) };
        match run() {
            Err(e) if crate::jax::was_ended(&e) => run(),
            done => done,
        }
        .map(|_| ())
    }

    /// Runs a program: on the other side of a pipe, if the backend is JAX. A process that somebody ends there is started again, once.
    ///
    /// # Errors
    /// If it can't be compiled or run there.
    pub fn run(&self, program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        match self.run_once(program, inputs) {
            Err(e) if crate::jax::was_ended(&e) => self.run_once(program, inputs),
            done => done,
        }
    }

    /// The same, where whoever asks starts anew what was ended.
    pub(crate) fn run_once(&self, program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        match self.name() {
            "jax" => crate::jax::run(program, inputs),
            "eager" => run_eagerly(program, inputs),
            _ => self.compile(program, Compiling::default(), |_, _| Ok(()))?.run_on_host(inputs.to_vec()),
        }
    }

    /// Whether this machine has memory for a program, as far as that is known before it runs. Devices with memory of their own are not
    /// asked.
    pub(crate) fn has_room(&self, program: &Program) -> Option<bool> {
        match self.name() {
            "eager" => Some(wengert_eval::check(program).is_ok()),
            "cpu" | "eval" | "rewritten" => Some(self.compile(program, Compiling::default(), |_, _| Ok(())).is_ok()),
            _ => None,
        }
    }

    /// Makes a program ready to run; `watch` sees the program after each pass on the way, and after each rewrite if these
    /// are to be shown.
    pub fn compile(
        &self,
        program: &Program,
        Compiling { show_rewrites, profiled, as_written }: Compiling,
        mut watch: impl FnMut(&str, &Program) -> Result<()>,
    ) -> Result<Arc<dyn Executable>> {
        if matches!(self.name(), "jax" | "eager") {
            let m = format!("`{}` runs programs for `reduce` and `diff` alone", self.name());
            return Err(Error::new(ErrorKind::Unsupported, m));
        }
        if self.is_plain() {
            return self.device(profiled)?.compile(Arc::new(program.clone()));
        }
        if as_written && self.keeps_runs() {
            return self.device(profiled)?.compile_as_written(Arc::new(program.clone()));
        }
        let mut seen = Ok(());
        let program = simplify_watched(program, |pass, p| {
            if seen.is_ok() {
                seen = watch(pass.as_str(), p);
            }
        });
        seen?;
        watch("simplify", &program)?;
        let program = Arc::new(program);
        let mut rewritten = || {
            let mut seen = Ok(());
            let rewritten = rewrite_watched(&program, |rewrite, p, _| {
                if seen.is_ok() {
                    seen = watch(rewrite.as_str(), p);
                }
            })?;
            seen.map(|()| rewritten)
        };
        match &*self.0 {
            "rewritten" if !profiled => wengert::device("eval")?.compile(rewritten()?),
            // Compiling makes the rewrites again: a limit counts for each time.
            "cpu" if show_rewrites => rewritten().and_then(|_| self.device(profiled)?.compile(program.clone())),
            _ => self.device(profiled)?.compile(program.clone()),
        }
    }
}

/// Runs a program op by op, each as an operation that is not staged.
fn run_eagerly(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let cpu = Device::cpu();
    let mut values: Vec<Option<Value>> = vec![None; program.var_count()];
    program.inputs().iter().zip(inputs).for_each(|(v, x)| values[v.index()] = Some(x.clone().into()));
    let value = |values: &[Option<Value>], v: &Var| values[v.index()].clone().expect("defined before it is used");
    for e in program.equations() {
        let x = e.inputs.iter().map(|v| value(&values, v)).collect();
        let y = cpu.run_op(&e.op, Run::new(x)).map_err(|error| error.at(e.place.clone()))?;
        e.outputs.iter().zip(y).for_each(|(v, y)| values[v.index()] = Some(y));
    }
    program.outputs().iter().map(|v| value(&values, v).into_host()).collect()
}
