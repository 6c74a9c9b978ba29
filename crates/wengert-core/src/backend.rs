//! What turns a program into something that runs, and the values it runs on.

use crate::error::Result;
use crate::program::Program;
use crate::tensor::Tensor;
use crate::types::{DType, Shape, Type};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Turns programs into executables.
pub trait Backend: Send + Sync {
    /// The name users choose it by.
    fn name(&self) -> &str;
    /// Makes a program ready to run.
    fn compile(&self, program: Arc<Program>) -> Result<Arc<dyn Executable>>;
    /// The same for a program that may overwrite those of its inputs that are marked: nobody uses them afterwards.
    fn compile_donating(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>> {
        let _ = donated;
        self.compile(program)
    }
    /// Puts a value where the programs of this backend run.
    fn put(&self, value: &Value) -> Result<Value> {
        value.host().map(|t| Value::Host(t.clone()))
    }
}

/// A program ready to run.
pub trait Executable: Send + Sync {
    /// Runs it. The inputs must have the program's input types.
    fn run(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>>;

    /// Runs it on values wherever they are; the results stay where they are made. Where that is not the host, this may
    /// return before they are there.
    fn run_values(&self, inputs: Vec<Value>) -> Result<Vec<Value>> {
        let inputs = inputs.into_iter().map(Value::into_host).collect::<Result<_>>()?;
        Ok(self.run(inputs)?.into_iter().map(Value::Host).collect())
    }
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
    /// Itself, for the backend it belongs to.
    fn as_any(&self) -> &dyn Any;
}

/// An array on a device, with a copy on the host once somebody asked for it.
pub struct OnDevice {
    buffer: Box<dyn Buffer>,
    host: OnceLock<Tensor>,
}

impl OnDevice {
    /// An array in this memory.
    pub fn new(buffer: impl Buffer) -> OnDevice {
        OnDevice { buffer: Box::new(buffer), host: OnceLock::new() }
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
