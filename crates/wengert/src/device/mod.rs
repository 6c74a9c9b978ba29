//! Where staged functions run: on this machine's CPU, or on a device of XLA's.
//!
//! A staged function runs on the device it was told, or else on the one of the innermost [`with_device`], the one set
//! by [`set_device`], the one that `WENGERT_BACKEND` names, that of the first argument on a device, or the CPU, in this
//! order. Its results stay where they were made. An operation outside of staged functions runs where its operands are; a
//! transform outside of them (`grad(f)(x)`) computes on the host, so stage it: `jit(grad(f))`.

mod prints;
mod stages;
mod xla;

pub use stages::{PRINT_VARIABLE, stages};
pub(crate) use stages::{after as after_stage, check as check_stage};

use crate::array::{Array, Repr};
use crate::lowering::{lowered, lowered_op};
use crate::set_aside::{OpenList, SetAsideList};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use wengert_core::run::{self, Device as _, Executable, Observer, Run, Value};
use wengert_core::{ErrorKind, Op, Place, Program, Result, Tensor};
use wengert_eval::Eval;
use wengert_eval::kernels::parallel;

/// A device that runs programs: this machine's CPU, its plain evaluator, or one device of a PJRT plugin. A cheap handle.
#[derive(Clone)]
pub struct Device(Arc<dyn run::Device>);

static CPU: LazyLock<Device> = LazyLock::new(|| {
    // Before anything runs: the environment may say how many threads there are.
    threads();
    Device(Arc::new(wengert_cpu::CPU))
});
/// How many threads this machine's CPU spreads work over: as many as [`set_threads`] said, or the environment variable
/// `WENGERT_THREADS`, or as there are cores.
///
/// ```
/// assert!(wengert::threads() >= 1);
/// ```
pub fn threads() -> usize {
    parallel::threads()
}

/// Says how many threads work is spread over. It must be said before anything ran: `false` if threads run already. It is the
/// number of `rayon`'s global pool, which all libraries of a process share; most work is done by the calling thread and
/// helpers of its own. Results do not depend on their number.
///
/// ```
/// let said = wengert::set_threads(2);
/// assert!(!said || wengert::threads() == 2);
/// assert!(!wengert::set_threads(3));
/// ```
pub fn set_threads(count: usize) -> bool {
    parallel::set_threads(count)
}

static PROFILED: LazyLock<Device> = LazyLock::new(|| Device(Arc::new(wengert_cpu::CPU.with_profile())));
static EVAL: LazyLock<Device> = LazyLock::new(|| Device(Arc::new(Eval::PLAIN)));
static SET: RwLock<Option<Device>> = RwLock::new(None);

thread_local! {
    static SCOPES: OpenList<Device> = const { OpenList::new() };
}

/// The variable that names the device to use where the program says nothing.
pub const BACKEND_VARIABLE: &str = "WENGERT_BACKEND";

/// The device of this name: `cpu` for this machine, `eval` for the plain evaluator, which is the oracle; `xla` for the
/// first device of the first PJRT plugin that is found, `cuda`, `rocm` or `tpu` for that of the plugin of that kind;
/// `cuda:1` for its second device. Plugins are found as `wengert_pjrt::discover` says.
///
/// ```
/// use wengert::{device, jit, with_device, Array};
/// let cpu = device("cpu")?;
/// let f = jit(|x: Array| x.sin());
/// let y = with_device(&cpu, || f(Array::from([0.0f32])));
/// assert_eq!(y.device(), Some("host"));
/// assert!(device("abacus").is_err());
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn device(name: &str) -> Result<Device> {
    match name {
        "cpu" => Ok(Device::cpu()),
        "eval" => Ok(EVAL.clone()),
        name => xla::named(name),
    }
}

impl Device {
    /// This machine's CPU.
    ///
    /// ```
    /// # use wengert::Device;
    /// assert_eq!(Device::cpu().name(), "cpu");
    /// ```
    pub fn cpu() -> Device {
        CPU.clone()
    }

    /// This machine's CPU, with programs that count where the time of their runs goes: see [`Jit::profiles`].
    /// They are a little slower. `WENGERT_PROFILE=1` in the environment asks for it everywhere, and prints what was counted
    /// when programs go and when the process ends.
    ///
    /// [`Jit::profiles`]: crate::Jit::profiles
    ///
    /// ```
    /// # use wengert::Device;
    /// assert_eq!(Device::cpu_profiled().name(), "cpu");
    /// ```
    pub fn cpu_profiled() -> Device {
        PROFILED.clone()
    }

    /// A device of the PJRT plugin in this file.
    ///
    /// ```
    /// # use wengert::Device;
    /// assert!(Device::plugin("no/such/plugin.so", 0).is_err());
    /// ```
    pub fn plugin(path: impl AsRef<Path>, device: usize) -> Result<Device> {
        xla::open(path.as_ref(), device)
    }

    /// The name: `cpu`, `cuda:0`.
    ///
    /// ```
    /// # use wengert::device;
    /// assert_eq!(device("cpu")?.name(), "cpu");
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Makes a program ready to run.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wengert::{Device, Program};
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = sin(x) return y }")?;
    /// assert!(Device::cpu().compile(Arc::new(p)).is_ok());
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn compile(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>> {
        run::Device::compile(self, program, &[])
    }

    /// Whether both are the same.
    pub(crate) fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl run::Device for Device {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn compile(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>> {
        let printed = stages::printed()?;
        let program = lowered(program)?;
        let made = self.0.compile(program.clone(), donated)?;
        stages::print(printed, &program, &*made);
        Ok(made)
    }
    fn compile_as_written(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>> {
        self.0.compile_as_written(program)
    }
    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        self.0.run_op(op, run)
    }
    fn put(&self, value: &Value) -> Result<Value> {
        self.0.put(value)
    }
}

impl fmt::Display for Device {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.name())
    }
}

/// Runs a function; what it runs of staged functions, on this thread, runs on this device.
///
/// ```
/// use wengert::{current_device, with_device, Device};
/// let here = with_device(&Device::cpu(), current_device)?;
/// assert_eq!(here.unwrap().name(), "cpu");
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn with_device<T>(device: &Device, f: impl FnOnce() -> T) -> T {
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            SCOPES.with(|s| s.change(Vec::pop));
        }
    }
    SCOPES.with(|s| s.change(|s| s.push(device.clone())));
    let _scope = Scope;
    f()
}

/// Whether a device was chosen around what this thread does.
pub(crate) fn chosen_here() -> bool {
    SCOPES.with(|s| s.see(|s| !s.is_empty()))
}

/// The devices chosen around what this thread does, set aside until this is dropped.
pub(crate) fn set_aside() -> SetAsideList<Device> {
    SetAsideList::new(&SCOPES)
}

/// Runs staged functions on this device from now on, in all threads, where nothing nearer says otherwise.
///
/// ```
/// use wengert::{current_device, set_device, Device};
/// set_device(&Device::cpu());
/// assert_eq!(current_device()?.unwrap().name(), "cpu");
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn set_device(device: &Device) {
    *SET.write().unwrap_or_else(PoisonError::into_inner) = Some(device.clone());
}

/// The device that was chosen here, if one was.
///
/// ```
/// use wengert::{current_device, with_device, Device};
/// with_device(&Device::cpu(), || assert!(current_device().unwrap().is_some()));
/// ```
pub fn current_device() -> Result<Option<Device>> {
    if let Some(b) = SCOPES.with(|s| s.see(|s| s.last().cloned())) {
        return Ok(Some(b));
    }
    if let Some(b) = &*SET.read().unwrap_or_else(PoisonError::into_inner) {
        return Ok(Some(b.clone()));
    }
    static ENVIRONMENT: LazyLock<Result<Option<Device>>> = LazyLock::new(|| match std::env::var(BACKEND_VARIABLE) {
        Ok(name) if !name.is_empty() => match device(&name) {
            Ok(b) => Ok(Some(b)),
            Err(e) => Err(e.note(format!("the variable {BACKEND_VARIABLE} asks for it"))),
        },
        _ => Ok(None),
    });
    ENVIRONMENT.clone()
}

/// The device that runs a staged function which was told none.
pub(crate) fn for_values(x: &[Value]) -> Result<Device> {
    Ok(current_device()?.or_else(|| x.iter().find_map(xla::device_of)).unwrap_or_else(Device::cpu))
}

impl Array {
    /// The array in the memory that this device's programs use. A traced array is itself.
    ///
    /// ```
    /// use wengert::{Array, Device};
    /// let x = Array::from([1.0f32, 2.0]).to_device(&Device::cpu())?;
    /// assert_eq!(x.device(), Some("host"));
    /// # Ok::<(), wengert::Error>(())
    /// ```
    #[track_caller]
    pub fn to_device(&self, device: &Device) -> Result<Array> {
        match &self.0 {
            Repr::Concrete(v) => device.0.put(v).map(|v| self.moved(Array::from_value(v), &Place::caller())),
            Repr::Traced(_) => Ok(self.clone()),
        }
    }
}

/// Runs an op on values: on the device of the first that is on one, else on the CPU. What that device has no way to run,
/// the CPU does.
pub(crate) fn run_op(op: &Op, x: Vec<Value>, observer: Option<&mut dyn Observer>) -> Result<Vec<Value>> {
    let lowered = lowered_op(op, || x.iter().map(Value::ty).collect())?;
    let op = lowered.as_ref().unwrap_or(op);
    let device = x.iter().find_map(xla::device_of);
    let Some(device) = device else {
        return wengert_cpu::CPU.run_op(op, Run { inputs: x, wanted: &[], observer });
    };
    match device.0.run_op(op, Run::new(x.clone())) {
        Err(e) if e.kind() == ErrorKind::Unsupported => {
            wengert_cpu::CPU.run_op(op, Run { inputs: x, wanted: &[], observer })
        }
        y => y,
    }
}

/// Compiles a part of a program for the device that is chosen here.
pub(crate) fn compile_part(program: Program) -> Result<Arc<dyn Executable>> {
    run::Device::compile(&for_values(&[])?, Arc::new(program), &[])
}

/// Runs an op on the CPU, on values of the host.
pub(crate) fn run_on_host(op: &Op, x: &[Tensor]) -> Result<Vec<Tensor>> {
    let inputs = x.iter().cloned().map(Value::Host).collect();
    wengert_cpu::CPU.run_op(op, Run::new(inputs))?.into_iter().map(Value::into_host).collect()
}
