//! pip's JAX as a backend: XLA's compiler for the CPU, in a Python process that takes one program after another.

use crate::group::is_from_outside;
use crate::memory;
use crate::wire::{read_tensors, read_text, write_bytes, write_tensors};
use std::io::{BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
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

/// How the message of an error begins that says nothing of the program: there is no JAX, or its process was ended from outside.
const NOT_ASKED: &str = "JAX can't be asked: ";

/// Why JAX has not run a program, if this error of [`run`] tells that and nothing of the program.
pub(crate) fn not_asked(e: &Error) -> Option<&str> {
    e.message().starts_with(NOT_ASKED).then_some(e.message())
}

/// What is said of a process that was ended from outside.
const ENDED: &str = "ended from outside";

/// Who may have ended it.
const BY_WHOM: &str =
    "somebody did so, or the system, which ends processes where memory is short; what to do: try again";

/// Whether a process of JAX's was ended from outside: another one may do what it did not.
pub(crate) fn was_ended(e: &Error) -> bool {
    not_asked(e).is_some_and(|m| m.contains(ENDED))
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

/// Whether there was such a process.
static WAS_STARTED: AtomicBool = AtomicBool::new(false);

fn failed(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Device, what.into())
}

fn start() -> Result<JaxProcess> {
    let python = std::env::var(PYTHON_VARIABLE).unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]).env("JAX_PLATFORMS", "cpu").stdin(Stdio::piped()).stdout(Stdio::piped());
    let no = |e: std::io::Error| failed(format!("{NOT_ASKED}`{python}` can't be started: {e}"));
    // It reserves much more than it uses: whoever started this process watches what it uses.
    let mut child = memory::unbounded(&mut command).spawn().map_err(no)?;
    let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
    let mut process = JaxProcess { child, to: BufWriter::new(to), from: BufReader::new(from) };
    match read_text(&mut process.from).as_deref() {
        Ok("ready") => Ok(process),
        Ok(why) => Err(failed(format!("{NOT_ASKED}`{python}` has no JAX that runs: {why}"))
            .note("what to do: install it with pip, or say which interpreter has it (`--python`)")),
        Err(_) => {
            let status = ended(&mut process.child);
            let how = status.map_or(String::new(), |status| format!(": {status}"));
            match status {
                Some(status) if is_from_outside(status) => {
                    Err(failed(format!("{NOT_ASKED}`{python}` was {ENDED} before it was ready{how}")).note(BY_WHOM))
                }
                _ => Err(failed(format!("{NOT_ASKED}`{python}` ended before it was ready{how}"))
                    .note("what to do: say which interpreter has JAX (`--python`)")),
            }
        }
    }
}

/// How a process ended that answers no more: one that has not ended yet is ended.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    for _ in 0..100 {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            found => return found.ok().flatten(),
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// Starts JAX again where it died, so that this is not the time of the next program.
pub(crate) fn start_again() {
    let mut kept = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_none() && WAS_STARTED.load(Ordering::Relaxed) {
        *kept = start().ok();
    }
}

/// Runs a program in JAX. A process that dies is started again with the next program.
pub(crate) fn run(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let module = wengert_stablehlo::export(program)?;
    let mut kept = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_none() {
        *kept = Some(start()?);
        WAS_STARTED.store(true, Ordering::Relaxed);
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
            let status = kept.take().and_then(|mut p| ended(&mut p.child));
            let how = status.map_or(String::new(), |s| format!(": {s}"));
            Err(match status {
                Some(status) if is_from_outside(status) => {
                    failed(format!("{NOT_ASKED}its process was {ENDED}{how}")).note(BY_WHOM)
                }
                _ => failed(format!("{DIED}{how}")),
            })
        }
    }
}
