//! Where a command writes: never over what it reads, and over what others wrote only where `--force` says so.

use crate::arguments::flag;
use crate::failure::Failure;
use clap::Arg;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use wengert_core::{Error, ErrorKind};
use wengert_emit::files::{FileState, file_state};

/// `--force`.
pub fn force() -> Arg {
    flag("force").help(
        "Replace files that are there already, whoever wrote them. Without it, only those are replaced that this command wrote \
         and nobody changed since, which it knows by the checksum in their first line. What the command reads is never replaced",
    )
}

/// What a command reads, and whether it may replace what others wrote.
pub struct Outputs {
    reads: Vec<PathBuf>,
    force: bool,
}

impl Outputs {
    /// Outputs of a command that reads these files.
    pub fn new<'a>(reads: impl IntoIterator<Item = &'a PathBuf>, force: bool) -> Outputs {
        Outputs { reads: reads.into_iter().filter_map(|p| p.canonicalize().ok()).collect(), force }
    }

    /// An error if a file may not be written here.
    pub fn check(&self, path: &Path) -> Result<(), Failure> {
        self.check_is_not_read(path)?;
        let Ok(there) = path.metadata() else { return check_folder_of(path) };
        if there.is_dir() {
            let e = Error::new(ErrorKind::File, format!("`{}` is a folder", path.display()));
            return Err(Failure::of_usage(e.note("what to do: name a file in it")));
        }
        // What is no file, such as a pipe or `/dev/null`, loses nothing.
        if self.force || !there.is_file() {
            return Ok(());
        }
        let why = match file_state(path) {
            Ok(FileState::Unchanged) => return Ok(()),
            Ok(FileState::Edited) => "was changed since this command wrote it".to_string(),
            Ok(FileState::Foreign) => "is there already, and was not written by this command".to_string(),
            Err(e) => format!("is there already, and can't be looked at: {e}"),
        };
        let e = Error::new(ErrorKind::File, format!("`{}` {why}", path.display()));
        Err(Failure::of_usage(e.note("what to do: name another file, or replace this one with `--force`")))
    }

    /// An error if this file is one that the command reads.
    pub fn check_is_not_read(&self, path: &Path) -> Result<(), Failure> {
        if !path.canonicalize().is_ok_and(|p| self.reads.contains(&p)) {
            return Ok(());
        }
        let m = format!("`{}` is what the command reads, and would be written over", path.display());
        Err(Failure::of_usage(Error::new(ErrorKind::File, m).note("what to do: name another place to write to")))
    }

    /// An error if a folder is there with a file in it, unless an earlier run of the command left it, as `is_own` says.
    pub fn check_folder(&self, folder: &Path, is_own: impl FnOnce() -> bool) -> Result<(), Failure> {
        let Ok(there) = folder.metadata() else { return Ok(()) };
        if !there.is_dir() {
            let e = Error::new(ErrorKind::File, format!("`{}` is there already, and is no folder", folder.display()));
            return Err(Failure::of_usage(e.note("what to do: name a folder, which is made if it is not there")));
        }
        if self.force || has_no_file(folder) || is_own() {
            return Ok(());
        }
        let m = format!("the folder `{}` has files in it that this command did not write", folder.display());
        let way = "what to do: name another folder, which is made if it is not there, or write there with `--force`";
        Err(Failure::of_usage(Error::new(ErrorKind::File, m).note(way)))
    }
}

/// Whether there is nothing in a folder but folders with nothing in them, as a run leaves them that could write no file.
fn has_no_file(folder: &Path) -> bool {
    let is_empty_folder = |entry: DirEntry| entry.file_type().is_ok_and(|t| t.is_dir()) && has_no_file(&entry.path());
    std::fs::read_dir(folder).is_ok_and(|mut all| all.all(|entry| entry.is_ok_and(is_empty_folder)))
}

/// An error if there is no folder for a file.
fn check_folder_of(path: &Path) -> Result<(), Failure> {
    let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty() && !p.is_dir()) else { return Ok(()) };
    let m = format!("`{}` can't be written: there is no folder `{}`", path.display(), folder.display());
    Err(Failure::of_usage(Error::new(ErrorKind::File, m)))
}
