//! Other ways to reduce the same programs: deletion with a script for each candidate, and shrinkray on the text.

use crate::measure::{VARIABLE, worker};
use crate::noise::with_inputs;
use crate::table::{start, symptom};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind, Program, Result};
use wengert_repro::files::load;
use wengert_repro::{BackendName, Case, Outcome, ScriptTest, Sign, Size, WorkerTest, reduce_by};
use wengert_x86::faults::Fault;

/// What a way to reduce came to.
pub struct Way {
    /// How large what came out is.
    pub size: Size,
    /// How many candidates were looked at.
    pub candidates: usize,
    /// How long it took.
    pub seconds: f64,
    /// Whether it came to its end.
    pub ended: bool,
}

/// Deletes ranges of equations, one candidate after the other, each tried by a script that starts a process: what
/// `mlir-reduce` does.
pub fn deletion(own: &Path, fault: Fault, limit: Duration) -> Result<Way> {
    let time = Instant::now();
    let (case, folder) = (start(fault), scratch(fault)?);
    let signature = signature(own, fault, &case)?;
    let command = format!(
        "{VARIABLE}={} {SIGNATURE}='{signature}' exec '{}' interesting {}",
        fault.name(),
        own.display(),
        fault.name()
    );
    let mut test = ScriptTest::new(&command, folder.clone(), limit);
    let found = reduce_by(|pass| pass == "ranges", case, &mut test, &mut |_| time.elapsed() < limit)?;
    let _ = fs::remove_dir_all(&folder);
    let ended = matches!(found.outcome, Outcome::Minimal);
    let (size, seconds) = (found.best.size(), time.elapsed().as_secs_f64());
    Ok(Way { size, candidates: found.candidates, seconds, ended })
}

/// What the program fails with.
fn signature(own: &Path, fault: Fault, case: &Case) -> Result<String> {
    let mut test = WorkerTest::new(worker(own, fault, true), Sign::Answer, Duration::from_secs(60));
    Ok(test.learn(case, Some(1))?.signature)
}

/// A folder for the files of a way to reduce.
fn scratch(fault: Fault) -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("wengert-faults-{}-{}", std::process::id(), fault.name()));
    fs::create_dir_all(&folder).map_err(file_error)?;
    Ok(folder)
}

/// Where a script finds what the program failed with at first, and the file that has a byte for each candidate.
const SIGNATURE: &str = "FAULTS_SIGNATURE";
const COUNT: &str = "FAULTS_COUNT";

/// Whether a program fails as the first one did, in this process, which has the fault: on the inputs in a file, or on those
/// that all programs here have.
pub fn is_interesting(fault: Fault, file: &Path, inputs: Option<&Path>) -> Result<bool> {
    if let Ok(count) = std::env::var(COUNT) {
        let all = OpenOptions::new().append(true).create(true).open(count);
        all.and_then(|mut f| f.write_all(b".")).map_err(file_error)?;
    }
    let case = match inputs {
        Some(inputs) => load(&[file.into(), inputs.into()])?,
        None => best(file)?,
    };
    let seen = symptom(fault).seen(&BackendName::default(), &case);
    Ok(seen.is_some() && seen == std::env::var(SIGNATURE).ok())
}

/// Whether a fault shows in what a process says, always, so that a script can ask for it.
pub fn has_script(fault: Fault) -> bool {
    symptom(fault).sign() == Sign::Answer && fault != Fault::FlakyProduct
}

/// Lets shrinkray reduce the text, with two tests at once. `command` is how it is started.
pub fn shrinkray(own: &Path, fault: Fault, command: &[String], limit: Duration) -> Result<Way> {
    let case = start(fault);
    let (signature, folder) = (signature(own, fault, &case)?, scratch(fault)?);
    let [script, file, count] = ["test.sh", "program.wg", "count"].map(|name| folder.join(name));
    fs::write(&file, case.program().to_text()).map_err(file_error)?;
    let text = format!("#!/bin/sh\nexec '{}' interesting {} \"$1\"\n", own.display(), fault.name());
    fs::write(&script, text).map_err(file_error)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).map_err(file_error)?;
    let time = Instant::now();
    let [program, arguments @ ..] = command else { return Err(Error::new(ErrorKind::Run, "no command is given")) };
    let mut child = Command::new(program)
        .args(arguments)
        .args(["--ui", "basic", "--parallelism", "2", "--formatter", "none", "--input-type", "arg"])
        .args([&script, &file])
        .current_dir(&folder)
        .envs([(VARIABLE, fault.name()), (SIGNATURE, &signature)])
        .env(COUNT, &count)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|e| Error::new(ErrorKind::Run, format!("{program} can't be started: {e}")))?;
    let mut ended = None;
    while ended.is_none() && time.elapsed() < limit {
        std::thread::sleep(Duration::from_millis(20));
        ended = child.try_wait().map_err(file_error)?;
    }
    let seconds = time.elapsed().as_secs_f64();
    // With all that it started.
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    let _ = child.wait();
    let found = best(&file)?;
    let candidates = fs::metadata(&count).map_or(0, |m| m.len() as usize);
    let _ = fs::remove_dir_all(&folder);
    match ended {
        Some(status) if !status.success() => Err(Error::new(ErrorKind::Run, format!("{program}: {status}"))),
        _ => Ok(Way { size: found.size(), candidates, seconds, ended: ended.is_some() }),
    }
}

/// The program in a file, with the inputs that all have.
fn best(file: &Path) -> Result<Case> {
    with_inputs(Program::parse(&fs::read_to_string(file).map_err(file_error)?)?)
}

fn file_error(e: std::io::Error) -> Error {
    Error::new(ErrorKind::File, e.to_string())
}
