//! Where staged functions run: on this machine's CPU, or on a device of XLA's.
//!
//! A staged function runs on the backend it was told, or else on the one of the innermost [`with_backend`], the one set
//! by [`set_backend`], the one that `WENGERT_BACKEND` names, that of the first argument on a device, or the CPU, in this
//! order. Its results stay where they were made. An operation outside of staged functions runs where its operands are; a
//! transform outside of them (`grad(f)(x)`) computes on the host, so stage it: `jit(grad(f))`.

mod xla;

use crate::apart::Away;
use crate::array::{Array, Repr};
use std::cell::RefCell;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use wengert_core::run::{Device, Executable, Observer, Run, Value};
use wengert_core::{ErrorKind, Op, Program, Result, Tensor};
use wengert_eval::Eval;

/// Something that runs programs. A cheap handle.
#[derive(Clone)]
pub struct Backend(Arc<dyn Device>);

static CPU: LazyLock<Backend> = LazyLock::new(|| Backend(Arc::new(Here(&wengert_cpu::CPU))));
static EVAL: LazyLock<Backend> = LazyLock::new(|| Backend(Arc::new(Here(&Eval::PLAIN))));
static SET: RwLock<Option<Backend>> = RwLock::new(None);

thread_local! {
    static SCOPES: RefCell<Vec<Backend>> = const { RefCell::new(Vec::new()) };
}

/// The variable that names the backend to use where the program says nothing.
pub const BACKEND_VARIABLE: &str = "WENGERT_BACKEND";

/// The backend of this name: `cpu` for this machine, `eval` for the plain evaluator, which is the oracle; `xla` for the first PJRT plugin that is found, `cuda`, `rocm` or
/// `tpu` for the one of that kind; `cuda:1` for its second device. Plugins are found as `wengert_pjrt::discover` says.
///
/// ```
/// use wengert::{backend, jit, with_backend, Array};
/// let cpu = backend("cpu")?;
/// let f = jit(|x: Array| x.sin());
/// let y = with_backend(&cpu, || f(Array::from([0.0f32])));
/// assert_eq!(y.device(), Some("host"));
/// assert!(backend("abacus").is_err());
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn backend(name: &str) -> Result<Backend> {
    match name {
        "cpu" => Ok(Backend::cpu()),
        "eval" => Ok(EVAL.clone()),
        name => xla::named(name),
    }
}

/// What `WENGERT_XLA_OPTIONS` tells plugins when they are opened: `preallocate=false,memory_fraction=0.5`.
///
/// ```
/// for (name, value) in wengert::plugin_options()? {
///     println!("{name} is {value:?}");
/// }
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn plugin_options() -> Result<Vec<(String, wengert_pjrt::ClientOption)>> {
    xla::options()
}

impl Backend {
    /// This machine's CPU.
    ///
    /// ```
    /// # use wengert::Backend;
    /// assert_eq!(Backend::cpu().name(), "cpu");
    /// ```
    pub fn cpu() -> Backend {
        CPU.clone()
    }

    /// A device of the PJRT plugin in this file.
    ///
    /// ```
    /// # use wengert::Backend;
    /// assert!(Backend::plugin("no/such/plugin.so", 0).is_err());
    /// ```
    pub fn plugin(path: impl AsRef<Path>, device: usize) -> Result<Backend> {
        xla::open(path.as_ref(), device)
    }

    /// The name: `cpu`, `cuda:0`.
    ///
    /// ```
    /// # use wengert::backend;
    /// assert_eq!(backend("cpu")?.name(), "cpu");
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Makes a program ready to run.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wengert::{Backend, Program};
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = sin(x) return y }")?;
    /// assert!(Backend::cpu().compile(Arc::new(p)).is_ok());
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn compile(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>> {
        self.0.compile(program, &[])
    }

    /// Whether both are the same.
    pub(crate) fn is(&self, other: &Backend) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A device of this process, which is there for ever.
struct Here(&'static Eval);

impl Device for Here {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn compile(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>> {
        self.0.compile(program, donated)
    }
    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        self.0.run_op(op, run)
    }
    fn put(&self, value: &Value) -> Result<Value> {
        self.0.put(value)
    }
}

impl Device for Backend {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn compile(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>> {
        self.0.compile(program, donated)
    }
    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        self.0.run_op(op, run)
    }
    fn put(&self, value: &Value) -> Result<Value> {
        self.0.put(value)
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({})", self.name())
    }
}

/// Runs a function; what it runs of staged functions, on this thread, runs on this backend.
///
/// ```
/// use wengert::{current_backend, with_backend, Backend};
/// let here = with_backend(&Backend::cpu(), current_backend)?;
/// assert_eq!(here.unwrap().name(), "cpu");
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn with_backend<T>(backend: &Backend, f: impl FnOnce() -> T) -> T {
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            SCOPES.with_borrow_mut(|s| s.pop());
        }
    }
    SCOPES.with_borrow_mut(|s| s.push(backend.clone()));
    let _scope = Scope;
    f()
}

/// Whether a backend was chosen around what this thread does.
pub(crate) fn chosen_here() -> bool {
    SCOPES.with_borrow(|s| !s.is_empty())
}

/// The backends chosen around what this thread does, away until this is dropped.
pub(crate) fn away() -> Away<Backend> {
    Away::new(&SCOPES)
}

/// Runs staged functions on this backend from now on, in all threads, where nothing nearer says otherwise.
///
/// ```
/// use wengert::{current_backend, set_backend, Backend};
/// set_backend(&Backend::cpu());
/// assert_eq!(current_backend()?.unwrap().name(), "cpu");
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn set_backend(backend: &Backend) {
    *SET.write().unwrap_or_else(PoisonError::into_inner) = Some(backend.clone());
}

/// The backend that was chosen here, if one was.
///
/// ```
/// use wengert::{current_backend, with_backend, Backend};
/// with_backend(&Backend::cpu(), || assert!(current_backend().unwrap().is_some()));
/// ```
pub fn current_backend() -> Result<Option<Backend>> {
    if let Some(b) = SCOPES.with_borrow(|s| s.last().cloned()) {
        return Ok(Some(b));
    }
    if let Some(b) = &*SET.read().unwrap_or_else(PoisonError::into_inner) {
        return Ok(Some(b.clone()));
    }
    static ENVIRONMENT: LazyLock<Result<Option<Backend>>> = LazyLock::new(|| match std::env::var(BACKEND_VARIABLE) {
        Ok(name) if !name.is_empty() => match backend(&name) {
            Ok(b) => Ok(Some(b)),
            Err(e) => Err(e.note(format!("the variable {BACKEND_VARIABLE} asks for it"))),
        },
        _ => Ok(None),
    });
    ENVIRONMENT.clone()
}

/// The backend that runs a staged function which was told none.
pub(crate) fn for_values(x: &[Value]) -> Result<Backend> {
    Ok(current_backend()?.or_else(|| x.iter().find_map(xla::backend_of)).unwrap_or_else(Backend::cpu))
}

impl Array {
    /// The array in the memory that this backend's programs use. A traced array is itself.
    ///
    /// ```
    /// use wengert::{Array, Backend};
    /// let x = Array::from([1.0f32, 2.0]).to_device(&Backend::cpu())?;
    /// assert_eq!(x.device(), Some("host"));
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn to_device(&self, backend: &Backend) -> Result<Array> {
        match &self.0 {
            Repr::Concrete(v) => backend.0.put(v).map(Array::from_value),
            Repr::Traced(_) => Ok(self.clone()),
        }
    }
}

/// Runs an op on values: on the device of the first that is on one, else on the CPU. What that device has no way to run,
/// the CPU does.
pub(crate) fn run_op(op: &Op, x: Vec<Value>, observer: Option<&mut dyn Observer>) -> Result<Vec<Value>> {
    let device = x.iter().find_map(xla::backend_of);
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

/// Runs an op on the CPU, on values of the host.
pub(crate) fn run_on_host(op: &Op, x: &[Tensor]) -> Result<Vec<Tensor>> {
    let inputs = x.iter().cloned().map(Value::Host).collect();
    wengert_cpu::CPU.run_op(op, Run::new(inputs))?.into_iter().map(Value::into_host).collect()
}
