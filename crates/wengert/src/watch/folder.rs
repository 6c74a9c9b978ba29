//! Reproducers on disk: what is about to run is there before it does, and stays if it fails or the process ends.

use crate::fail::message_of;
use std::any::Any;
use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};
use wengert_core::{Error, Program, Result, Tensor};
use wengert_emit::files::{save_arrays, save_program, save_text};
use wengert_emit::{CallTree, Options, Outcome, RecordedTree, Run};
use wengert_tape::Tape;

static FOLDER: RwLock<Option<PathBuf>> = RwLock::new(None);

/// The file that is in a folder while its program runs; it holds the number of the process.
const RUNNING: &str = "running";

/// Says something to the user. Where nobody can hear it, nothing happens.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "wengert: {text}");
}

/// Whether there is a folder for reproducers.
pub(super) fn is_set() -> bool {
    FOLDER.read().unwrap_or_else(PoisonError::into_inner).is_some()
}

thread_local! {
    /// Whether the failure that is on its way has its reproducer.
    static HAS_LEFT: Cell<bool> = const { Cell::new(false) };
}

/// What fails from now on is another failure.
pub(super) fn forget_left() {
    HAS_LEFT.set(false);
}

/// A new name for a reproducer of a function of this name.
fn new_folder(name: &str) -> Option<(String, PathBuf)> {
    let all = FOLDER.read().unwrap_or_else(PoisonError::into_inner).clone()?;
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let last = name.rsplit("::").find(|s| !s.contains('{')).unwrap_or("program");
    let name: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = all.join(format!("{name}-{}-{number}", std::process::id()));
    Some((name, folder))
}

/// Writes a run as Rust, with the arrays it needs and the error it ended in, into a folder.
fn write_source(folder: &Path, run: &Run, message: &str) -> Result<()> {
    save_text(&folder.join("error.txt"), &format!("{message}\n"))?;
    let options = Options { data_file: "data.safetensors".into(), ..Options::default() };
    let rust = wengert_emit::rust(run, &options)?;
    if !rust.data.is_empty() {
        save_arrays(&folder.join("data.safetensors"), rust.data)?;
    }
    save_text(&folder.join("main.rs"), &rust.text)
}

/// What came of leaving a reproducer.
pub(super) enum Left {
    /// The failure has one already.
    Before,
    /// What is said of it.
    Here(String),
}

/// Leaves the tape of a run that failed, and the run as source.
pub(super) fn leave_tape(name: &str, tape: &Tape, message: &str) -> Left {
    if HAS_LEFT.replace(true) {
        return Left::Before;
    }
    let Some((_, folder)) = new_folder(name) else { return Left::Before };
    let saved = std::fs::create_dir(&folder).map_err(|e| file_error(&folder, &e)).and_then(|()| {
        tape.save(folder.join("run.tape"))?;
        let RecordedTree { tree, inputs, outcome } = CallTree::of_tape(tape)?;
        write_source(&folder, &Run { tree, inputs, outcome }, message)
    });
    let shown = folder.display();
    Left::Here(match saved {
        Ok(()) => format!(
            "a reproducer is in {shown}: `main.rs` runs it, and `wengert emit run.tape` writes it in other forms"
        ),
        Err(e) if folder.join("run.tape").is_file() => {
            format!("a reproducer is in {shown}, in part, with the tape `run.tape`: {}", e.message())
        }
        Err(e) => {
            let _ = std::fs::remove_dir_all(&folder);
            format!("a reproducer can't be written: {}", e.message())
        }
    })
}

/// Looks at the environment; whether it names a folder.
pub(super) fn ask() -> bool {
    if is_set() {
        return true;
    }
    match std::env::var_os(super::FOLDER).filter(|p| !p.is_empty()) {
        Some(path) => match on_failure(Path::new(&path)) {
            Ok(()) => true,
            Err(e) => {
                say(&format!("{}: no reproducers are left: {}", super::FOLDER, e.message()));
                false
            }
        },
        None => false,
    }
}

/// Leaves reproducers in a folder from now on.
pub(crate) fn on_failure(folder: &Path) -> Result<()> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    std::fs::create_dir_all(&folder).map_err(|e| file_error(&folder, &e))?;
    name_the_dead(&folder);
    *FOLDER.write().unwrap_or_else(PoisonError::into_inner) = Some(folder);
    super::WATCHING.store(2, Ordering::Relaxed);
    Ok(())
}

fn file_error(path: &Path, e: &dyn std::fmt::Display) -> Error {
    Error::new(wengert_core::ErrorKind::File, format!("{}: {e}", path.display()))
}

/// Says which programs were running when an earlier process ended.
fn name_the_dead(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        let marker = path.join(RUNNING);
        let Ok(process) = std::fs::read_to_string(&marker) else { continue };
        if is_alive(process.trim()) {
            continue;
        }
        say(&format!("process {} ended while it ran this program: {}", process.trim(), path.display()));
        let _ = std::fs::remove_file(marker);
    }
}

#[cfg(unix)]
fn is_alive(process: &str) -> bool {
    // SAFETY: signal 0 is not sent.
    process.parse().is_ok_and(|pid: i32| pid > 0 && unsafe { libc::kill(pid, 0) } == 0)
}

#[cfg(not(unix))]
fn is_alive(process: &str) -> bool {
    process == std::process::id().to_string()
}

/// A program that is on disk while it runs.
pub(super) struct Pending {
    name: String,
    folder: PathBuf,
}

impl Pending {
    /// Writes a program with its inputs, if reproducers are asked for. Where that fails, it is said once, and the program runs.
    pub(super) fn write(name: &str, program: &Program, inputs: &[Tensor]) -> Option<Pending> {
        let (name, folder) = new_folder(name)?;
        let pending = Pending { name, folder };
        match pending.save(program, inputs) {
            Ok(()) => Some(pending),
            Err(e) => {
                static SAID: std::sync::Once = std::sync::Once::new();
                SAID.call_once(|| say(&format!("a reproducer can't be written: {}", e.message())));
                pending.remove();
                None
            }
        }
    }

    fn put(&self, file: &str, text: &str) -> Result<()> {
        save_text(&self.folder.join(file), text)
    }

    fn save(&self, program: &Program, inputs: &[Tensor]) -> Result<()> {
        std::fs::create_dir(&self.folder).map_err(|e| file_error(&self.folder, &e))?;
        save_program(&self.folder, "program", program, inputs)?;
        self.put(RUNNING, &std::process::id().to_string())
    }

    pub(super) fn remove(self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    /// The error with a word on where the reproducer is.
    pub(super) fn keep(self, program: &Program, inputs: &[Tensor], e: Error) -> Error {
        let note = self.finish(program, inputs, e.message());
        e.note(note)
    }

    pub(super) fn keep_panic(self, program: &Program, inputs: &[Tensor], panic: &(dyn Any + Send)) {
        say(&self.finish(program, inputs, message_of(panic)));
    }

    /// Writes the program as source too, and says where all of it is.
    fn finish(self, program: &Program, inputs: &[Tensor], message: &str) -> String {
        let _ = std::fs::remove_file(self.folder.join(RUNNING));
        let run = Run {
            tree: CallTree::of_program(program),
            inputs: inputs.to_vec(),
            outcome: Some(Outcome::Error(message.into())),
        };
        let written = write_source(&self.folder, &run, message);
        HAS_LEFT.set(true);
        if let Err(e) = written {
            say(&format!("the reproducer of `{}` is there in part: {}", self.name, e.message()));
        }
        let folder = self.folder.display();
        format!(
            "a reproducer is in {folder}: `wengert run program.wg --input program.safetensors` there runs it, `wengert reduce` \
             makes it small"
        )
    }
}
