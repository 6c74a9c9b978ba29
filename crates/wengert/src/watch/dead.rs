//! Processes that died: what they did then is on disk with a marker, and the next process that uses the folder says so.

use super::folder::{new_folder, say};
use super::pending::{PROGRAM, RUN, WHOLE};
use std::path::{Path, PathBuf};
use wengert_core::Result;
use wengert_emit::files::save_text;

/// The file that is in a folder while what is in it runs; it holds the process.
const RUNNING: &str = "running";
/// The file that says in words what runs.
const ABOUT: &str = "about.txt";

/// A folder of what runs now. Dropped, it goes, unless it is kept.
pub(super) struct Marked {
    folder: Option<PathBuf>,
}

impl Marked {
    /// A folder with `about` in it, and what `write` writes there; none if no reproducers are asked for. Where it can't be written,
    /// that is said once: the program runs anyway.
    pub(super) fn new(name: &str, about: &str, write: impl FnOnce(&Path) -> Result<()>) -> Option<Marked> {
        let folder = new_folder(name)?;
        let marked = folder.and_then(|folder| {
            let marked = Marked { folder: Some(folder.clone()) };
            super::folder::guarded(|| {
                write(&folder)?;
                save_text(&folder.join(ABOUT), &format!("{about}\n"))?;
                save_text(&folder.join(RUNNING), &this_process())
            })?;
            Ok(marked)
        });
        match marked {
            Ok(marked) => Some(marked),
            Err(e) => {
                static SAID: std::sync::Once = std::sync::Once::new();
                SAID.call_once(|| say(&format!("a reproducer can't be written: {}", e.message())));
                None
            }
        }
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        self.folder.as_deref().expect("it is kept once")
    }

    /// The folder, which stays, and is that of nothing that runs.
    pub(super) fn keep(mut self) -> PathBuf {
        let folder = self.folder.take().expect("it is kept once");
        let _ = std::fs::remove_file(folder.join(RUNNING));
        let _ = std::fs::remove_file(folder.join(ABOUT));
        folder
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Says what earlier processes did when they died, each once.
pub(super) fn name_the_dead(all: &Path) {
    let Ok(entries) = std::fs::read_dir(all) else { return };
    for folder in entries.flatten().map(|e| e.path()) {
        let marker = folder.join(RUNNING);
        let Ok(process) = std::fs::read_to_string(&marker) else { continue };
        // Of several that start at once, the one that removes it says it.
        if is_alive(process.trim()) || std::fs::remove_file(&marker).is_err() {
            continue;
        }
        let about = std::fs::read_to_string(folder.join(ABOUT)).unwrap_or_default();
        let about = if about.trim().is_empty() { "it ran this program" } else { about.trim() };
        let number = process.split_whitespace().next().unwrap_or_default();
        let is_there = |name: &str| folder.join(format!("{name}.wg")).is_file();
        let program = match (is_there(PROGRAM), is_there(WHOLE)) {
            (true, _) => format!(": {RUN} there runs it"),
            (_, true) => format!(": `{WHOLE}.wg` shows it, with ops that are code of that process"),
            _ => String::new(),
        };
        say(&format!("process {number} ended while {about}, which is in {}{program}", folder.display()));
    }
}

/// This process by its number, and, where that is known, by when it started: numbers come again.
fn this_process() -> String {
    let number = std::process::id();
    match started(number) {
        Some((start, _)) => format!("{number} {start}"),
        None => number.to_string(),
    }
}

/// When a process started, in ticks since the machine did, and its state.
fn started(number: u32) -> Option<(String, String)> {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name, which stands in parentheses, may hold anything.
    let mut rest = stat.rsplit_once(')')?.1.split_whitespace();
    let state = rest.next()?.to_string();
    Some((rest.nth(18)?.to_string(), state))
}

/// Whether a process still runs.
fn is_alive(process: &str) -> bool {
    let mut words = process.split_whitespace();
    let Some(number) = words.next().and_then(|n| n.parse::<u32>().ok()) else { return false };
    match (started(number), words.next()) {
        (Some((start, state)), Some(then)) => start == then && state != "Z",
        (Some((_, state)), None) => state != "Z",
        (None, _) => !Path::new("/proc/self/stat").is_file() && answers(number),
    }
}

#[cfg(unix)]
fn answers(number: u32) -> bool {
    let Ok(number) = i32::try_from(number) else { return false };
    // SAFETY: signal 0 is not sent.
    let sent = unsafe { libc::kill(number, 0) } == 0;
    sent || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

#[cfg(not(unix))]
fn answers(number: u32) -> bool {
    number == std::process::id()
}
