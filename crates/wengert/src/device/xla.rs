//! The devices of PJRT plugins: programs go out as StableHLO text, arrays stay on the device.

use super::Device;
use super::prints::{self, Print};
use crate::host_calls::say_if_lost;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use wengert_core::run::{self, Executable, Run, Value};
use wengert_core::simplify::shrink_residuals;
use wengert_core::{Builder, DType, Error, ErrorKind, Op, Program, Result, Tensor, Type};
use wengert_pjrt::{self as pjrt, Buffer, Client, ClientOption, Compile, Plugin, discover};
use wengert_stablehlo::{Options, Platform, Precision, export_donating};

/// Switches of XLA's compiler for NVIDIA GPUs, for programs that run faster with them. `XLA_FLAGS` overrules them.
struct Tuning {
    suits: fn(&Program) -> bool,
    switches: &'static [(&'static str, &'static str)],
}

const TUNINGS: [Tuning; 2] = [
    // One launch of a whole loop. By default XLA starts every step from the host, and waits for the condition each time.
    // The first lists what XLA records by default, and loops.
    Tuning {
        suits: has_short_loops,
        switches: &[
            (
                "xla_gpu_enable_command_buffer",
                "CONDITIONAL,CUBLAS,CUBLASLT,CUDNN,CUSTOM_CALL,DYNAMIC_SLICE_FUSION,FUSION,WHILE",
            ),
            ("xla_gpu_graph_min_graph_size", "1"),
        ],
    },
    // Channels before the spatial axes. The kernels that convolve `f32` in full precision want them there, and move them
    // for themselves, in three launches more each, where XLA has put them last.
    Tuning { suits: convolves_wide_floats, switches: &[("xla_gpu_force_conv_nchw", "true")] },
];

/// One device of a plugin.
struct Xla {
    device: pjrt::Device,
    name: String,
    ops: Mutex<SingleOps>,
    me: Weak<Xla>,
}

/// How many single ops are kept compiled, at most.
const KEPT: usize = 4096;

/// Single ops that were compiled for operands of some types, and those that can't be.
type SingleOps = FxHashMap<(Op, Vec<Type>), Result<Arc<Compiled>>>;

/// The plugins that were opened, and their devices. They stay until the process ends: two clients of one plugin would take
/// the memory of a device from each other.
type OpenedPlugins = FxHashMap<PathBuf, (Client, FxHashMap<usize, Device>)>;
static OPENED: LazyLock<Mutex<OpenedPlugins>> = LazyLock::new(Mutex::default);

/// The kinds of devices that plugins are asked for. A plugin may have another, of its own name.
const KINDS: [&str; 5] = ["xla", "gpu", "cuda", "rocm", "tpu"];

fn unknown(name: &str) -> Error {
    if let Some((kind @ ("cpu" | "eval"), _)) = name.split_once(':') {
        return Error::new(ErrorKind::Device, format!("no device is called `{name}`: there is one `{kind}`"))
            .note("what to do: name it without a number");
    }
    Error::new(ErrorKind::Device, format!("no device is called `{name}`")).note(format!(
        "what to do: choose one of cpu, eval, {}; the last five with a number, as in `cuda:1`",
        KINDS.join(", ")
    ))
}

/// `cuda`, or `cuda:1`.
pub(super) fn named(name: &str) -> Result<Device> {
    let (kind, number) = match name.split_once(':') {
        None => (name, 0),
        Some((kind, number)) => match number.parse() {
            Ok(n) => (kind, n),
            Err(_) => {
                let m = format!("`{name}` names no device: `{number}` is no number of a device; they count from 0");
                let todo = match kind {
                    "cpu" | "eval" => format!("what to do: there is one `{kind}`; name it without a number"),
                    _ => format!("what to do: write `{kind}` for the first, `{kind}:1` for the second"),
                };
                return Err(Error::new(ErrorKind::Device, m).note(todo));
            }
        },
    };
    let found = discover::find(kind).map_err(|e| if KINDS.contains(&kind) { e } else { unknown(name) })?;
    let device = open(&found.path, number)?;
    let platform = device.name().split(':').next().unwrap_or_default();
    if matches!(kind, "xla" | "gpu") || platform == kind {
        return Ok(device);
    }
    Err(Error::new(
        ErrorKind::Plugin,
        format!("{}: the plugin is for `{platform}`, and `{kind}` was asked for", found.path.display()),
    )
    .note(format!("what to do: ask for `{platform}`, or let {} name another plugin", discover::PLUGIN_VARIABLE)))
}

/// A device of the plugin in this file.
pub(super) fn open(path: &Path, number: usize) -> Result<Device> {
    let key = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if !opened.contains_key(&key) {
        let options = ClientOption::from_environment()?;
        let options: Vec<_> = options.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let client = Client::open(&Plugin::load(path)?, &options)?;
        opened.insert(key.clone(), (client, FxHashMap::default()));
    }
    let (client, devices) = opened.get_mut(&key).expect("just made");
    if let Some(device) = devices.get(&number) {
        return Ok(device.clone());
    }
    let device = client.device(number)?;
    let (index, name) = (device.index(), device.to_string());
    let made = Device(Arc::new_cyclic(|me| Xla { device, name, ops: Mutex::default(), me: me.clone() }));
    devices.insert(index, made.clone());
    Ok(made)
}

impl run::Device for Xla {
    fn name(&self) -> &str {
        &self.name
    }

    fn compile(&self, program: Arc<Program>, donated: &[bool]) -> Result<Arc<dyn Executable>> {
        Ok(Arc::new(self.compiled(&program, donated)?))
    }

    /// There are no kernels to call: a single op is compiled once, and kept.
    fn run_op(&self, op: &Op, run: Run<'_>) -> Result<Vec<Value>> {
        let key = (op.clone(), run.inputs.iter().map(Value::ty).collect::<Vec<Type>>());
        let known = self.ops.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let compiled = match known {
            Some(compiled) => compiled,
            None => {
                let mut b = Builder::default();
                let vars: Vec<_> = key.1.iter().map(|t| b.input(t.clone())).collect();
                let results = b.try_push(op.clone(), &vars)?;
                let made = match self.compiled(&b.finish(&results), &[]) {
                    Ok(compiled) => Ok(Arc::new(compiled)),
                    Err(e) if e.kind() == ErrorKind::Unsupported => Err(e),
                    Err(e) => return Err(e),
                };
                let mut ops = self.ops.lock().unwrap_or_else(PoisonError::into_inner);
                if ops.len() >= KEPT {
                    ops.clear();
                }
                ops.insert(key, made.clone());
                made
            }
        };
        compiled?.run(run)
    }

    fn put(&self, value: &Value) -> Result<Value> {
        match self.buffer(value) {
            Some(_) => Ok(value.clone()),
            None => Ok(self.keep(self.send(value)?)),
        }
    }
}

/// The memory of a value that is on a device.
fn remote(value: &Value) -> Option<&RemoteBuffer> {
    let Value::Device(d) = value else { return None };
    d.buffer().as_any().downcast_ref()
}

/// The device that a value is on.
fn home(value: &Value) -> Option<&Arc<Xla>> {
    remote(value).map(|r| &r.home)
}

/// [`home`] as users hold it.
pub(super) fn device_of(value: &Value) -> Option<Device> {
    home(value).map(|home| Device(home.clone()))
}

impl Xla {
    fn me(&self) -> Arc<Xla> {
        self.me.upgrade().expect("opened devices stay")
    }

    fn compiled(&self, program: &Program, donated: &[bool]) -> Result<Compiled> {
        // Calls of libraries, which other platforms export, are known to JAX's process only.
        let how = Options { platform: Platform::Portable, precision: Precision::Highest, locations: false };
        let program = shrink_residuals(program);
        let results = program.outputs().len();
        let (program, prints) = prints::lifted(&program).unwrap_or((program, Vec::new()));
        say_if_lost(&program, &self.name);
        let text = export_donating(&program, &how, donated)?;
        let executable = self.compile_text(&text, &program)?;
        Ok(Compiled { executable, donated: donated.into(), home: self.me(), results, prints })
    }

    fn compile_text(&self, text: &str, program: &Program) -> Result<pjrt::Executable> {
        let (client, plain) = (self.device.client(), Compile::on(&self.device));
        let flags = std::env::var("XLA_FLAGS").unwrap_or_default();
        let wanted = |t: &&Tuning| (t.suits)(program) && t.switches.iter().all(|(name, _)| !flags.contains(name));
        if client.platform() == "cuda" && TUNINGS.iter().any(|t| wanted(&t)) {
            let switches = TUNINGS.iter().filter(wanted).flat_map(|t| t.switches);
            let how = switches.fold(plain.clone(), |how, (name, value)| how.switch(name, value));
            match client.compile(text, &how) {
                // A plugin that does not know the switches compiles without.
                Err(e) if e.message().contains("option") => (),
                made => return made,
            }
        }
        client.compile(text, &plain)
    }

    /// The memory of a value that is here.
    fn buffer<'a>(&self, value: &'a Value) -> Option<&'a RemoteBuffer> {
        remote(value).filter(|remote| std::ptr::eq(&*remote.home, self))
    }

    /// A copy here of a value from elsewhere.
    fn send(&self, value: &Value) -> Result<Buffer> {
        if let Some(remote) = remote(value)
            && remote.home.device.client() == self.device.client()
        {
            return remote.there()?.copy_to(&self.device);
        }
        Buffer::from_tensor(&self.device, value.host()?)
    }

    /// A value in memory that is here.
    fn keep(&self, buffer: Buffer) -> Value {
        Value::on_device(RemoteBuffer { buffer, home: self.me(), donated: AtomicBool::new(false) })
    }
}

/// Whether a loop is better started whole than step by step: the host would have to wait for the condition after each
/// step, or takes longer to start a step than the device to do it. Steps with products in them are long enough, and
/// started one after another faster than the device gets to them.
fn has_short_loops(program: &Program) -> bool {
    program.any(|_, e| match &e.op {
        Op::While(_) => true,
        Op::Scan(scan) => !scan.body.any(|_, e| matches!(e.op, Op::DotGeneral(_) | Op::Convolution(_))),
        _ => false,
    })
}

/// Whether there are convolutions, and none of floats that tensor cores multiply.
fn convolves_wide_floats(program: &Program) -> bool {
    let convolves = |narrow: bool| {
        program.any(|p, e| {
            let is_narrow = || matches!(p.ty(e.inputs[0]).dtype, DType::F16 | DType::BF16);
            matches!(e.op, Op::Convolution(_)) && is_narrow() == narrow
        })
    };
    convolves(false) && !convolves(true)
}

/// The memory of an array on a device, with the device it belongs to.
struct RemoteBuffer {
    buffer: Buffer,
    home: Arc<Xla>,
    /// Whether it was given to a program to write over.
    donated: AtomicBool,
}

impl RemoteBuffer {
    /// The memory, if it was not donated.
    fn there(&self) -> Result<&Buffer> {
        match self.donated.load(Ordering::Acquire) {
            false => Ok(&self.buffer),
            true => Err(Error::new(
                ErrorKind::Device,
                format!("an array of type {} on {} was donated, and is gone", self.buffer.ty(), self.home.name),
            )
            .note("`jit(…).donate(…)` lets results take the memory of an argument")
            .note("what to do: use the result instead, pass a copy, or do not donate the argument")),
        }
    }
}

impl run::Buffer for RemoteBuffer {
    fn ty(&self) -> &Type {
        self.buffer.ty()
    }
    fn device(&self) -> &str {
        &self.home.name
    }
    fn wait(&self) -> Result<()> {
        self.there()?.wait()
    }
    fn to_host(&self) -> Result<Tensor> {
        self.there()?.to_tensor()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A program compiled for a device.
struct Compiled {
    executable: pjrt::Executable,
    /// For each input whether it is donated; empty if none is.
    donated: Box<[bool]>,
    home: Arc<Xla>,
    /// How many results it has; those after them are printed.
    results: usize,
    prints: Vec<Print>,
}

impl Compiled {
    /// The results of a run that were asked for, once what it prints is printed.
    fn given(&self, wanted: &[bool], mut all: Vec<Buffer>) -> Result<Vec<Value>> {
        let printed = all.split_off(self.results);
        if !self.prints.is_empty() {
            prints::show(&self.prints, &printed.iter().map(Buffer::to_tensor).collect::<Result<Vec<_>>>()?);
        }
        Ok(Run::choose(wanted, all).into_iter().map(|b| self.home.keep(b)).collect())
    }
}

impl Executable for Compiled {
    /// Sends what is elsewhere, starts the program, and does not wait for it, unless it prints. What runs on the device is not watched.
    fn run(&self, run: Run<'_>) -> Result<Vec<Value>> {
        let inputs = run.inputs;
        let sent = (inputs.iter())
            .map(|v| if self.home.buffer(v).is_some() { Ok(None) } else { self.home.send(v).map(Some) })
            .collect::<Result<SmallVec<[Option<Buffer>; 8]>>>()?;
        let buffers = (inputs.iter().zip(&sent))
            .map(|(v, sent)| match sent {
                Some(buffer) => Ok(buffer),
                None => self.home.buffer(v).expect("here or sent").there(),
            })
            .collect::<Result<SmallVec<[&Buffer; 16]>>>()?;
        if self.donated.is_empty() {
            return self.given(run.wanted, self.executable.execute(&buffers)?);
        }
        // An array that is passed twice is lent once at least, so it stays.
        let same = |i: usize| buffers.iter().filter(|b| std::ptr::eq(**b, buffers[i])).count() > 1;
        let results = self.executable.execute_donating(&buffers, |i| self.donated[i] && !same(i))?;
        for (i, v) in inputs.iter().enumerate().filter(|(i, _)| self.donated[*i] && !same(*i)) {
            if sent[i].is_none() {
                self.home.buffer(v).expect("here").donated.store(true, Ordering::Release);
            }
        }
        self.given(run.wanted, results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The switches that programs with these equations over `x: f32[4,4]`, `h: f16[4,4]` and `c: f32[]` get.
    fn switches(equations: &str) -> Vec<&'static str> {
        let text = format!("program (x: f32[1,1,4,4], h: f16[1,1,4,4], c: f32[]) {{\n{equations}\n  return c\n}}");
        let p = Program::parse(&text).unwrap();
        let suits = TUNINGS.iter().filter(|t| (t.suits)(&p));
        suits.flat_map(|t| t.switches).map(|(name, _)| *name).collect()
    }

    fn convolution(name: &str, dtype: &str) -> String {
        format!(
            "  {name}c: {dtype}[1,1,1,1] = convolution[lhs=[0, 1, 2, 3], rhs=[0, 1, 2, 3], out=[0, 1, 2, 3], \
             strides=[1, 1], padding=[(0, 0), (0, 0)], lhs_dilation=[1, 1], rhs_dilation=[1, 1], \
             reversal=[false, false], feature_groups=1, batch_groups=1]({name}, {name})"
        )
    }

    fn scan(step: &str) -> String {
        format!(
            "  y: f32[] = scan[length=9, consts=0, carries=1, reverse=false,\n    \
             body=program (c: f32[]) {{\n{step}\n      return d\n    }}](c)"
        )
    }

    #[test]
    fn switches_are_for_the_programs_they_help() {
        let whole = ["xla_gpu_enable_command_buffer", "xla_gpu_graph_min_graph_size"];
        let product = "d: f32[] = dot_general[contract=([], []), batch=([], [])](c, c)";
        assert_eq!(switches("  y: f32[] = sin(c)"), [""; 0]);
        assert_eq!(switches(&scan("d: f32[] = sin(c)")), whole);
        assert_eq!(switches(&scan(product)), [""; 0]);
        // A loop of unknown length waits for its condition, whatever its steps do.
        let until = "  y: f32[] = while[consts=0, cond=program (c: f32[]) {\n    b: bool[] = compare[direction=lt](c, 9.0:f32[])\n    return b\n  },\n  body=program (c: f32[]) {\n    ";
        assert_eq!(switches(&format!("{until}{product}\n    return d\n  }}](c)")), whole);
        assert_eq!(switches(&convolution("x", "f32")), ["xla_gpu_force_conv_nchw"]);
        assert_eq!(switches(&convolution("h", "f16")), [""; 0]);
        assert_eq!(switches(&[convolution("x", "f32"), convolution("h", "f16")].join("\n")), [""; 0]);
    }
}
