//! Programs compiled for devices.

use crate::api::list;
use crate::buffer::{Buffer, OwnedHandle};
use crate::client::{Client, Device, non_null};
use crate::ffi::{self, Call};
use crate::proto::CompileOptions;
use smallvec::SmallVec;
use std::fmt;
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;
use wengert_core::{Error, ErrorKind, Result, Type};

/// What a program is compiled for.
#[derive(Clone, Debug)]
pub struct Compile {
    devices: Vec<Device>,
    partitions: usize,
    switches: Vec<(String, String)>,
}

impl Compile {
    /// For one device.
    pub fn on(device: &Device) -> Compile {
        Compile::replicated(std::slice::from_ref(device))
    }

    /// The same program on each of these devices, each with inputs of its own.
    pub fn replicated(devices: &[Device]) -> Compile {
        Compile { devices: devices.to_vec(), partitions: 1, switches: Vec::new() }
    }

    /// One program cut into a part for each of these devices, as the shardings in its text say.
    pub fn partitioned(devices: &[Device]) -> Compile {
        Compile { partitions: devices.len().max(1), ..Compile::replicated(devices) }
    }

    /// Sets a switch of the compiler, such as `xla_gpu_autotune_level`, for this program alone. Lists are written with
    /// commas. A switch that the compiler does not know is an error.
    pub fn switch(mut self, name: &str, value: &str) -> Compile {
        self.switches.push((name.into(), value.into()));
        self
    }
}

/// A program ready to run on its devices.
pub struct Executable {
    client: Client,
    executable: NonNull<ffi::LoadedExecutable>,
    /// Positions of the devices in the client's list, in the order of execution.
    devices: Vec<usize>,
    outputs: usize,
    /// The types of the results on one device; taken from the first results.
    types: OnceLock<Vec<Type>>,
    /// Whether the text lets any input be overwritten by results.
    donates: bool,
}

// SAFETY: PJRT executables may be used from any thread.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Drop for Executable {
    fn drop(&mut self) {
        let mut args = ffi::LoadedDestroy { executable: self.executable.as_ptr(), ..Call::new() };
        // SAFETY: the executable is ours alone. The plugin keeps what running work needs.
        unsafe { self.client.0.api.free(&mut args) };
    }
}

/// An input of one execution.
#[derive(Debug)]
pub enum Input<'a> {
    /// A buffer that stays as it is.
    Kept(&'a Buffer),
    /// A buffer whose memory results may take, where the program's text allows it.
    Donated(Buffer),
}

/// The attributes by which a program's text lets results take the memory of an input.
const DONORS: [&str; 2] = ["tf.aliasing_output", "jax.buffer_donor"];

impl Client {
    /// Compiles the text of a StableHLO module, whose `main` is what runs.
    pub fn compile(&self, stablehlo: &str, how: &Compile) -> Result<Executable> {
        let api = self.0.api;
        if how.devices.is_empty() || how.devices.iter().any(|d| d.client != *self) {
            return Err(Error::new(ErrorKind::Device, "a program must be compiled for devices of the same client"));
        }
        let devices = how.devices.iter().map(Device::id).collect();
        let options = CompileOptions { devices, partitions: how.partitions, switches: how.switches.clone() }.encode();
        let format = "mlir";
        let program = ffi::Program {
            code: stablehlo.as_ptr().cast_mut().cast(),
            code_size: stablehlo.len(),
            format: format.as_ptr().cast(),
            format_size: format.len(),
            ..ffi::Program::zeroed()
        };
        let mut args = ffi::ClientCompile {
            client: self.0.client.as_ptr(),
            program: &program,
            compile_options: options.as_ptr().cast(),
            compile_options_size: options.len(),
            ..Call::new()
        };
        // SAFETY: text and options live through the call, and the plugin writes to neither.
        unsafe { api.attempt(&mut args) }?.map_err(|failure| match failure.code {
            ffi::RESOURCE_EXHAUSTED => failure.error("compiling the program fails"),
            code => Error::new(
                if code == ffi::UNIMPLEMENTED { ErrorKind::Unsupported } else { ErrorKind::Compile },
                format!("the compiler of `{}` refuses the program: {}", self.platform(), failure.message.trim_end()),
            )
            .note("what to do: look at the text it was given, as `wengert convert` writes it; an op may not be")
            .note("supported on this platform"),
        })?;
        let mut made = Executable {
            client: self.clone(),
            executable: non_null(args.executable, "an executable")?,
            devices: Vec::new(),
            outputs: 0,
            types: OnceLock::new(),
            donates: DONORS.iter().any(|d| stablehlo.contains(d)),
        };
        made.describe()?;
        Ok(made)
    }
}

impl Executable {
    fn describe(&mut self) -> Result<()> {
        let api = self.client.0.api;
        let what = "a compiled program can't be described";
        let executable = self.executable.as_ptr();
        let mut devices = ffi::LoadedAddressableDevices { executable, ..Call::new() };
        let mut unloaded = ffi::LoadedGetExecutable { loaded_executable: executable, ..Call::new() };
        // SAFETY: the executable is valid; the list of devices lives as long. What `GetExecutable` gives is freed here.
        unsafe {
            api.call(what, &mut devices)?;
            let devices = list(devices.addressable_devices, devices.num_addressable_devices);
            self.devices = devices.iter().filter_map(|&d| self.client.position(d)).collect();
            api.call(what, &mut unloaded)?;
            let mut outputs = ffi::ExecutableNumOutputs { executable: unloaded.executable, ..Call::new() };
            let counted = api.call(what, &mut outputs);
            api.free(&mut ffi::ExecutableDestroy { executable: unloaded.executable, ..Call::new() });
            counted?;
            self.outputs = outputs.num_outputs;
        }
        match self.devices.is_empty() {
            true => Err(Error::new(ErrorKind::Device, "a compiled program runs on no device of this process")),
            false => Ok(()),
        }
    }

    /// The devices it runs on, in the order of inputs and results.
    pub fn devices(&self) -> Vec<Device> {
        self.devices.iter().map(|&i| self.client.device(i).expect("positions are in the list")).collect()
    }

    /// How many results it has on each device.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Starts the program on its one device, and gives the results without waiting for them.
    #[inline]
    pub fn execute(&self, inputs: &[&Buffer]) -> Result<Vec<Buffer>> {
        self.execute_donating(inputs, |_| false)
    }

    /// [`Executable::execute`], where the inputs at these positions are donated: results may take their memory, if the
    /// program's text allows it. A donated buffer is gone, and using it is an error.
    #[inline]
    pub fn execute_donating(&self, inputs: &[&Buffer], donated: impl Fn(usize) -> bool) -> Result<Vec<Buffer>> {
        self.check_owners(inputs.iter().copied())?;
        let raw: SmallVec<[*mut ffi::Buffer; 16]> = inputs.iter().map(|b| b.raw()).collect();
        let kept: SmallVec<[i64; 16]> = match self.donates {
            true => (0..inputs.len()).filter(|&i| !donated(i)).map(|i| i as i64).collect(),
            false => SmallVec::new(),
        };
        // SAFETY: the buffers are borrowed, so they live through the call.
        let results = unsafe { self.launch(&[raw.as_ptr()], raw.len(), &kept) }?;
        Ok(results.into_iter().next().expect("one device"))
    }

    /// Starts the program on all its devices with a list of inputs for each, and gives the results for each without waiting for
    /// them. An input is donated only if it is on every device.
    pub fn execute_on_all(&self, inputs: Vec<Vec<Input<'_>>>) -> Result<Vec<Vec<Buffer>>> {
        let count = inputs.first().map_or(0, Vec::len);
        if inputs.len() != self.devices.len() || inputs.iter().any(|list| list.len() != count) {
            return Err(Error::new(
                ErrorKind::Device,
                format!(
                    "a program for {} devices was given {} lists of inputs, of lengths {:?}",
                    self.devices.len(),
                    inputs.len(),
                    inputs.iter().map(Vec::len).collect::<Vec<_>>()
                ),
            ));
        }
        fn buffer<'a>(input: &'a Input<'_>) -> &'a Buffer {
            match input {
                Input::Kept(b) => b,
                Input::Donated(b) => b,
            }
        }
        self.check_owners(inputs.iter().flatten().map(buffer))?;
        let raw = |list: &Vec<Input<'_>>| list.iter().map(|b| buffer(b).raw()).collect();
        let lists: Vec<Vec<*mut ffi::Buffer>> = inputs.iter().map(raw).collect();
        let pointers: Vec<*const *mut ffi::Buffer> = lists.iter().map(|l| l.as_ptr()).collect();
        let kept = |i: &usize| inputs.iter().any(|list| matches!(list[*i], Input::Kept(_)));
        let kept: Vec<i64> = match self.donates {
            true => (0..count).filter(kept).map(|i| i as i64).collect(),
            false => Vec::new(),
        };
        // SAFETY: `inputs` holds the buffers or borrows of them until the call has returned; donated ones are freed
        // after it, which PJRT allows.
        unsafe { self.launch(&pointers, count, &kept) }
    }

    /// Checks what a plugin does not: it takes any pointer for one of its own.
    fn check_owners<'a>(&self, mut inputs: impl Iterator<Item = &'a Buffer>) -> Result<()> {
        match inputs.all(|b| *b.client() == self.client) {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::Device, "a program must be given arrays of its own client")),
        }
    }

    /// # Safety
    /// `inputs` has `count` valid buffers for each device; those not in `kept` are not used again.
    unsafe fn launch(
        &self,
        inputs: &[*const *mut ffi::Buffer],
        count: usize,
        kept: &[i64],
    ) -> Result<Vec<Vec<Buffer>>> {
        let n = self.devices.len();
        if inputs.len() != n {
            return Err(Error::new(
                ErrorKind::Device,
                format!("a program for {n} devices was given inputs for {}", inputs.len()),
            ));
        }
        let mut results: SmallVec<[*mut ffi::Buffer; 16]> = SmallVec::from_elem(null_mut(), n * self.outputs);
        let start = results.as_mut_ptr();
        // SAFETY: the list has room for the results of each device.
        let outputs: SmallVec<[_; 4]> = (0..n).map(|i| unsafe { start.add(i * self.outputs) }).collect();
        let mut options = ffi::ExecuteOptions {
            non_donatable_input_indices: kept.as_ptr(),
            num_non_donatable_input_indices: kept.len(),
            ..ffi::ExecuteOptions::zeroed()
        };
        let mut args = ffi::LoadedExecute {
            executable: self.executable.as_ptr(),
            options: &mut options,
            argument_lists: inputs.as_ptr(),
            num_devices: n,
            num_args: count,
            output_lists: outputs.as_ptr(),
            ..Call::new()
        };
        // SAFETY: the caller's for the inputs; the lists of results have the right lengths; all live through the call.
        unsafe { self.client.0.api.call("running the program fails", &mut args) }?;
        // Every result has an owner before any error ends this.
        let owned: SmallVec<[Result<OwnedHandle>; 16]> =
            results.iter().map(|&b| OwnedHandle::new(&self.client, b)).collect();
        let owned = owned.into_iter().collect::<Result<SmallVec<[OwnedHandle; 16]>>>()?;
        let types = match self.types.get() {
            Some(types) => types,
            None => {
                let types = owned[..self.outputs].iter().map(OwnedHandle::query_type).collect::<Result<_>>()?;
                self.types.get_or_init(|| types)
            }
        };
        let mut owned = owned.into_iter();
        let of_device = |&device: &usize| -> Vec<Buffer> {
            types.iter().zip(owned.by_ref()).map(|(ty, b)| Buffer::new(b, ty.clone(), device)).collect()
        };
        Ok(self.devices.iter().map(of_device).collect())
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Executable({} results on {:?})", self.outputs, self.devices())
    }
}
