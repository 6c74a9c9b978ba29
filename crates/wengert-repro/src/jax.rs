//! pip's JAX as a backend: XLA's compiler for the CPU, in a Python process that takes one program after another.

use crate::group::{Group, is_from_outside};
use crate::memory;
use crate::wire::{read_tensors, read_text, write_bytes, write_tensors};
use crate::worker::START_LIMIT;
use std::io::{BufReader, BufWriter, Write};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind, Program, Result, Tensor, counted};

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

/// How long JAX is waited for.
#[derive(Clone, Copy, Debug)]
pub struct JaxLimits {
    /// Until it is ready, and has run a program that gives back what it is given.
    pub start: Duration,
    /// For any other program; none where whoever asks watches the time.
    pub program: Option<Duration>,
}

static LIMITS: Mutex<JaxLimits> = Mutex::new(JaxLimits { start: START_LIMIT, program: None });

/// From here on, JAX is waited for so long in this process.
pub fn limit_jax(limits: JaxLimits) {
    *LIMITS.lock().unwrap_or_else(PoisonError::into_inner) = limits;
}

fn limits() -> JaxLimits {
    *LIMITS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What JAX's process says.
enum Message {
    Results(Vec<Tensor>),
    Text(String),
}

struct JaxProcess {
    group: Group,
    to: BufWriter<ChildStdin>,
    messages: Receiver<Message>,
}

impl JaxProcess {
    fn new(mut group: Group) -> JaxProcess {
        let (to, from) = group.pipes();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            while let Ok(message) = read_message(&mut from) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        JaxProcess { group, to: BufWriter::new(to), messages }
    }

    /// What it says next, within a time.
    fn message(&mut self, limit: Option<Duration>) -> std::result::Result<Message, NoMessage> {
        /// How long its end may go unseen.
        const SLICE: Duration = Duration::from_millis(50);
        let start = Instant::now();
        loop {
            // What it started may hold the pipe when it has ended. What it said before is in the pipe then.
            let has_ended = self.group.has_ended().unwrap_or(true);
            let left = limit.map_or(SLICE, |limit| limit.saturating_sub(start.elapsed()).min(SLICE));
            match (self.messages.recv_timeout(left), limit) {
                (Ok(message), _) => return Ok(message),
                (Err(RecvTimeoutError::Disconnected), _) => return Err(NoMessage::Ended),
                (Err(RecvTimeoutError::Timeout), _) if has_ended => return Err(NoMessage::Ended),
                (Err(RecvTimeoutError::Timeout), Some(limit)) if start.elapsed() >= limit => {
                    return Err(NoMessage::Late(limit));
                }
                (Err(RecvTimeoutError::Timeout), _) => {}
            }
        }
    }
}

/// Why nothing comes of a process.
enum NoMessage {
    Ended,
    /// It took longer than this.
    Late(Duration),
}

fn read_message(from: &mut BufReader<ChildStdout>) -> std::io::Result<Message> {
    Ok(match read_text(from)? {
        text if text == "results" => Message::Results(read_tensors(from)?),
        text => Message::Text(text),
    })
}

static PROCESS: Mutex<Option<JaxProcess>> = Mutex::new(None);

/// Whether there was such a process.
static WAS_STARTED: AtomicBool = AtomicBool::new(false);

fn failed(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Device, what.into())
}

/// What is said where JAX was waited for too long: for what, and whose process it is.
fn late(limit: Duration, what: &str) -> Error {
    let m = format!("{NOT_ASKED}it took longer than {} s {what}", limit.as_secs_f64());
    failed(m).note(
        "what to do: give it more time (`--timeout`), or look whether the interpreter (`--python`) runs JAX alone",
    )
}

fn start() -> Result<JaxProcess> {
    let python = std::env::var(PYTHON_VARIABLE).unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]).env("JAX_PLATFORMS", "cpu").stdin(Stdio::piped()).stdout(Stdio::piped());
    let no = |e: std::io::Error| failed(format!("{NOT_ASKED}`{python}` can't be started: {e}"));
    // It reserves much more than it uses: whoever started this process watches what it uses.
    let mut process = JaxProcess::new(Group::start_within(memory::unbounded(&mut command)).map_err(no)?);
    match process.message(Some(limits().start)) {
        Ok(Message::Text(ready)) if ready == "ready" => Ok(process),
        Ok(said) => {
            let why = if let Message::Text(why) = said { why } else { "it gives results of nothing".into() };
            Err(failed(format!("{NOT_ASKED}`{python}` has no JAX that runs: {why}"))
                .note("what to do: install it with pip, or say which interpreter has it (`--python`)"))
        }
        Err(NoMessage::Late(limit)) => Err(late(limit, &format!("to start (`{python}`)"))),
        Err(NoMessage::Ended) => {
            let status = ended(&mut process.group);
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
fn ended(group: &mut Group) -> Option<ExitStatus> {
    for _ in 0..100 {
        match group.has_ended() {
            Ok(false) => std::thread::sleep(Duration::from_millis(10)),
            Ok(true) => return group.end().ok(),
            Err(_) => return None,
        }
    }
    let _ = group.end();
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
    run_within(program, inputs, limits().program)
}

/// Runs a program that takes no time: it is a part of the start.
pub(crate) fn run_at_start(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    run_within(program, inputs, Some(limits().start))
}

fn run_within(program: &Program, inputs: &[Tensor], limit: Option<Duration>) -> Result<Vec<Tensor>> {
    let module = wengert_stablehlo::export(program)?;
    let mut kept = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_none() {
        *kept = Some(start()?);
        WAS_STARTED.store(true, Ordering::Relaxed);
    }
    let process = kept.as_mut().expect("just started");
    let mut give = || -> std::io::Result<()> {
        write_bytes(&mut process.to, module.as_bytes())?;
        let dense: Vec<Tensor> = inputs.iter().map(Tensor::dense).collect();
        write_tensors(&mut process.to, &dense)?;
        process.to.flush()
    };
    match give().map_err(|_| NoMessage::Ended).and_then(|()| process.message(limit)) {
        Ok(Message::Results(y)) => Ok(y),
        Ok(Message::Text(why)) => Err(failed(format!("JAX: {why}"))),
        Err(NoMessage::Late(limit)) => {
            *kept = None;
            Err(late(limit, &format!("for a program of {}", counted(program.equation_count(), "equation"))))
        }
        Err(NoMessage::Ended) => {
            let status = kept.take().and_then(|mut p| ended(&mut p.group));
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
