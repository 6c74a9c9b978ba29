//! pip's JAX as a backend: XLA's compiler for the CPU, in a Python process that takes one program after another.

use crate::memory;
use crate::wire::{read_tensors, read_text, write_bytes, write_tensors};
use std::io::{BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::PoisonError;
use wengert_core::{Error, ErrorKind, Program, Result, Tensor};

/// Where the interpreter is, if the usual one is not meant.
pub const PYTHON_VARIABLE: &str = "WENGERT_PYTHON";

const SCRIPT: &str = include_str!("jax_worker.py");

/// How the message of an error begins that tells of the death of the process.
const DIED: &str = "JAX's process died";

/// How the process died, if that is what this error of [`run`] tells of.
pub(crate) fn death(e: &Error) -> Option<&str> {
    e.message().starts_with(DIED).then_some(e.message())
}

struct JaxProcess {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Drop for JaxProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

static PROCESS: Mutex<Option<JaxProcess>> = Mutex::new(None);

fn failed(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Device, what.into())
}

fn start() -> Result<JaxProcess> {
    let python = std::env::var(PYTHON_VARIABLE).unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]).env("JAX_PLATFORMS", "cpu").stdin(Stdio::piped()).stdout(Stdio::piped());
    let no = |e: std::io::Error| failed(format!("`{python}` can't be started: {e}"));
    // It reserves much more than it uses: whoever started this process watches what it uses.
    let mut child = memory::unbounded(&mut command).spawn().map_err(no)?;
    let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
    let mut process = JaxProcess { child, to: BufWriter::new(to), from: BufReader::new(from) };
    match read_text(&mut process.from).as_deref() {
        Ok("ready") => Ok(process),
        Ok(why) => Err(failed(format!("`{python}` has no JAX that runs: {why}"))
            .note("what to do: install it with pip, or say which interpreter has it (`--python`)")),
        Err(_) => {
            let _ = process.child.kill();
            let how = process.child.wait().map_or(String::new(), |status| format!(": {status}"));
            let e = failed(format!("`{python}` ended before it was ready{how}"));
            Err(e.note("what to do: say which interpreter has JAX (`--python`)"))
        }
    }
}

/// Runs a program in JAX.
pub(crate) fn run(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let module = wengert_stablehlo::export(program)?;
    let mut kept = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_none() {
        *kept = Some(start()?);
    }
    let process = kept.as_mut().expect("just started");
    let mut ask = || -> std::io::Result<std::result::Result<Vec<Tensor>, String>> {
        write_bytes(&mut process.to, module.as_bytes())?;
        let dense: Vec<Tensor> = inputs.iter().map(Tensor::dense).collect();
        write_tensors(&mut process.to, &dense)?;
        process.to.flush()?;
        match read_text(&mut process.from)?.as_str() {
            "results" => Ok(Ok(read_tensors(&mut process.from)?)),
            why => Ok(Err(why.to_string())),
        }
    };
    match ask() {
        Ok(Ok(y)) => Ok(y),
        Ok(Err(why)) => Err(failed(format!("JAX: {why}"))),
        Err(_) => {
            let status = kept.take().and_then(|mut p| p.child.wait().ok());
            Err(failed(format!("{DIED}{}", status.map_or(String::new(), |s| format!(": {s}")))))
        }
    }
}
