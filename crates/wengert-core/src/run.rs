//! The seam for running: devices, which run programs; the values that programs run on; observers of runs.
//!
//! Everything that runs a program is a [`Device`]: the evaluator, the CPU, a device of XLA. It is given inputs where they
//! live, and results stay where they were made.

use crate::error::{Error, ErrorKind, Result};
use crate::host::{Id, Tensor};
use crate::op::Op;
use crate::program::{Program, Var};
use crate::report::{MemoryUse, Profile};
use crate::types::{DType, Shape, Type};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Runs programs and single operations.
pub trait Device: Send + Sync {
    /// The name users choose it by.
    fn name(&self) -> &str;
    /// Makes a program ready to run. Runs may overwrite the inputs that are marked in `donated` (none, where it is empty)
    /// even if somebody else holds them: nobody reads them afterwards.
    fn compile(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>>;
    /// As [`Device::compile`], for a program whose operations were run one by one and shall give the same values again: no
    /// rewrite changes them, where the device has a say in that.
    fn compile_as_written(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>> {
        self.compile(program, &[])
    }
    /// Runs one op on operands of types it takes, by a kernel: nothing is compiled for it but where the device has no
    /// other way.
    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>>;
    /// Puts a value where the programs of this device run.
    fn put(&self, value: &Value) -> Result<Value>;
}

/// A program ready to run, on many threads at once: each run has memory of its own.
pub trait Executable: Send + Sync {
    /// Runs it and gives the results that are wanted, in order. They stay where they are made; where that is not the host,
    /// this may return before they are there.
    fn run(&self, run: Run<'_>) -> Result<Vec<Value>>;

    /// The stages of compiling that it can show, in their order.
    fn stages(&self) -> &'static [&'static str] {
        &[]
    }

    /// What the program became after one of the [`stages`](Executable::stages), as text for people to read; none for any
    /// other name.
    fn stage(&self, _name: &str) -> Option<String> {
        None
    }

    /// The memory that a run takes, where that is known.
    fn memory(&self) -> Option<MemoryUse> {
        None
    }

    /// Where the time of all runs so far went, if it was compiled to count that.
    fn profile(&self) -> Option<Profile> {
        None
    }
}

impl dyn Executable + '_ {
    /// Runs it on values of the host, and gives all results there.
    pub fn run_on_host(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let run = Run::new(inputs.into_iter().map(Value::Host).collect());
        self.run(run)?.into_iter().map(Value::into_host).collect()
    }

    /// What the program became after a stage; an error that lists the stages there are, if it is none of them.
    pub fn after(&self, stage: &str) -> Result<String> {
        self.stage(stage).ok_or_else(|| {
            let m = match self.stages() {
                [] => format!("there is no stage `{stage}`: the program runs equation by equation, or elsewhere"),
                stages => format!("there is no stage `{stage}`: the stages are {}", stages.join(", ")),
            };
            Error::new(ErrorKind::Run, m)
        })
    }
}

/// One run: its inputs, which results are wanted, and its observer.
pub struct Run<'a> {
    /// The inputs, where they live. One that nobody else holds may be overwritten.
    pub inputs: Vec<Value>,
    /// Which results are wanted; all, where this is empty.
    pub wanted: &'a [bool],
    /// The observer, if the run has one.
    pub observer: Option<&'a mut dyn Observer>,
}

impl<'a> Run<'a> {
    /// A run on these inputs that gives all results, without an observer.
    pub fn new(inputs: Vec<Value>) -> Run<'a> {
        Run { inputs, wanted: &[], observer: None }
    }

    /// The same run with an observer.
    pub fn observed_by(self, observer: &'a mut dyn Observer) -> Run<'a> {
        Run { observer: Some(observer), ..self }
    }

    /// The results that are wanted.
    pub fn choose<T>(wanted: &[bool], results: Vec<T>) -> Vec<T> {
        if wanted.is_empty() {
            return results;
        }
        results.into_iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(y, _)| y).collect()
    }
}

/// For which part of an op a program runs that the op holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// For all of it.
    Whole,
    /// The body of a loop, for this step.
    Step(usize),
    /// The condition of a loop, before this step.
    Condition(usize),
    /// This branch.
    Branch(usize),
}

/// Equations of a program that ran as one: as a single kernel, or fused by a compiler.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// The program.
    pub program: &'a Arc<Program>,
    /// The numbers of the equations, ascending.
    pub equations: &'a [usize],
    /// The values that the block left in memory: all results of its last equations, and others that are used outside of it.
    pub outputs: &'a [(Var, Value)],
    /// The steps of the block's kernel, where it reports them.
    pub steps: &'a [Step],
}

/// A step of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name: `pad`, `tiles`.
    pub name: &'static str,
    /// What it takes.
    pub inputs: Vec<StepInput>,
    /// The type of its output.
    pub output: Type,
}

/// What a step of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepInput {
    /// An operand of the op, by its position, or a part of it.
    Operand(usize),
    /// The output of an earlier step, by its position.
    Step(usize),
}

/// Observes the run of a program, block by block, at every depth.
pub trait Observer {
    /// A program begins.
    fn enter(&mut self, program: &Arc<Program>, visit: Visit, inputs: &[Value]);
    /// An equation whose op holds programs begins. Where these are observed too, they run between this and
    /// [`Observer::end`].
    fn begin(&mut self, program: &Arc<Program>, equation: usize);
    /// The equation ended, with these results.
    fn end(&mut self, program: &Arc<Program>, equation: usize, outputs: &[Value]);
    /// Equations whose ops hold no programs ran, as one block.
    fn ran(&mut self, block: Block<'_>);
    /// The program is done.
    fn leave(&mut self, program: &Arc<Program>);
}

/// A value on the host, or in the memory of a device. A cheap handle.
#[derive(Clone)]
pub enum Value {
    /// On the host.
    Host(Tensor),
    /// On a device.
    Device(Arc<OnDevice>),
}

/// The memory of a device that holds an array.
pub trait Buffer: Send + Sync + 'static {
    /// Element type and shape.
    fn ty(&self) -> &Type;
    /// The name of the device: `cuda:0`.
    fn device(&self) -> &str;
    /// Waits until the elements are there.
    fn wait(&self) -> Result<()>;
    /// Copies the elements to the host; waits for them.
    fn to_host(&self) -> Result<Tensor>;
    /// Itself, for the device it belongs to.
    fn as_any(&self) -> &dyn Any;
}

/// An array on a device, with a copy on the host once somebody asked for it.
pub struct OnDevice {
    buffer: Box<dyn Buffer>,
    id: Id,
    host: OnceLock<Tensor>,
}

impl OnDevice {
    /// An array in this memory.
    pub fn new(buffer: impl Buffer) -> OnDevice {
        OnDevice { buffer: Box::new(buffer), id: Id::new(), host: OnceLock::new() }
    }

    /// The memory.
    pub fn buffer(&self) -> &dyn Buffer {
        &*self.buffer
    }

    /// The copy on the host; made by the first call.
    pub fn host(&self) -> Result<&Tensor> {
        if let Some(t) = self.host.get() {
            return Ok(t);
        }
        let t = self.buffer.to_host()?;
        Ok(self.host.get_or_init(|| t))
    }
}

impl Value {
    /// A value in this memory.
    pub fn on_device(buffer: impl Buffer) -> Value {
        Value::Device(Arc::new(OnDevice::new(buffer)))
    }

    /// The sizes along each axis.
    pub fn shape(&self) -> &Shape {
        match self {
            Value::Host(t) => t.shape(),
            Value::Device(d) => &d.buffer.ty().shape,
        }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        match self {
            Value::Host(t) => t.dtype(),
            Value::Device(d) => d.buffer.ty().dtype,
        }
    }

    /// Element type and shape.
    pub fn ty(&self) -> Type {
        Type { dtype: self.dtype(), shape: self.shape().clone() }
    }

    /// The identity of the value: the same for all handles on it, and for no other value ever.
    pub fn id(&self) -> Id {
        match self {
            Value::Host(t) => t.id(),
            Value::Device(d) => d.id,
        }
    }

    /// The name of the device; `host` where it is on none.
    pub fn device(&self) -> &str {
        match self {
            Value::Host(_) => "host",
            Value::Device(d) => d.buffer.device(),
        }
    }

    /// The value on the host; copied there by the first call.
    pub fn host(&self) -> Result<&Tensor> {
        match self {
            Value::Host(t) => Ok(t),
            Value::Device(d) => d.host(),
        }
    }

    /// The value on the host.
    pub fn into_host(self) -> Result<Tensor> {
        match self {
            Value::Host(t) => Ok(t),
            Value::Device(d) => d.host().cloned(),
        }
    }

    /// Waits until the value is there.
    pub fn wait(&self) -> Result<()> {
        match self {
            Value::Host(_) => Ok(()),
            Value::Device(d) => d.buffer.wait(),
        }
    }
}

impl From<Tensor> for Value {
    fn from(t: Tensor) -> Value {
        Value::Host(t)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Host(t) => write!(f, "{t:?}"),
            Value::Device(d) => write!(f, "Array<{}> on {}", d.buffer.ty(), d.buffer.device()),
        }
    }
}
