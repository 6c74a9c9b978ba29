//! The folder that `wengert reduce` writes to: whose it is, and what lies in it while candidates run.

use crate::failure::Failure;
use crate::outputs::Outputs;
use std::fs::{DirEntry, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind};
use wengert_emit::files::is_marked;
use wengert_repro::files::file_names;

/// The file by which a reduction has the folder for itself.
const LOCK: &str = ".lock";

/// How long a folder is waited for.
const LONGEST_END: Duration = Duration::from_secs(1);

/// The folder of the results, and those in it that scripts run in, one for each candidate at a time.
pub struct ResultFolder {
    folder: PathBuf,
    scratch: Vec<PathBuf>,
}

/// Whether a folder holds a candidate of ours, or nothing but the beginning of one: what wrote it may have been killed.
fn is_scratch(path: &Path) -> bool {
    let is_begun = || path.is_dir() && entries(path).iter().all(|entry| is_begun(entry, "candidate"));
    is_marked(&path.join("candidate.safetensors")).unwrap_or(false) || is_begun()
}

/// Whether it is a file of this name that was not whole when what wrote it was killed.
fn is_begun(entry: &DirEntry, name: &str) -> bool {
    let file = entry.file_name().to_string_lossy().into_owned();
    file.starts_with(&format!(".{name}.")) && file.ends_with(".tmp")
}

fn entries(folder: &Path) -> Vec<DirEntry> {
    std::fs::read_dir(folder).map_or(Vec::new(), |all| all.flatten().collect())
}

impl ResultFolder {
    /// The folder of a reduction that runs so many candidates at once.
    pub fn new(folder: &Path, jobs: usize) -> ResultFolder {
        let name = |i: usize| if i == 0 { "candidate".to_string() } else { format!("candidate-{i}") };
        ResultFolder { folder: folder.into(), scratch: (0..jobs).map(|i| folder.join(name(i))).collect() }
    }

    /// An error if results may not be written there.
    pub fn check(&self, outputs: &Outputs) -> Result<(), Failure> {
        let folder = &self.folder;
        let names = file_names("reduced").into_iter().chain(["report.txt".into()]);
        let results: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
        results.iter().try_for_each(|path| outputs.check_is_not_read(path))?;
        outputs.check_folder(folder, || {
            ["reduced.safetensors", "reduced.rs", "reduced.py", "report.txt"]
                .iter()
                .any(|name| is_marked(&folder.join(name)).unwrap_or(false))
                || entries(folder)
                    .iter()
                    .all(|entry| entry.file_name() == LOCK || is_scratch(&entry.path()) || is_begun(entry, "reduced"))
        })?;
        // What somebody changed since is kept.
        results.iter().filter(|path| path.exists()).try_for_each(|path| outputs.check(path))?;
        match self.scratch.iter().find(|path| path.exists() && !is_scratch(path)) {
            None => Ok(()),
            Some(path) => {
                let m = format!("`{}` is where candidates are put, and would be removed", path.display());
                let e = Error::new(ErrorKind::File, m);
                Err(Failure::of_usage(e.note("what to do: move it away, or name another folder with `--out-dir`")))
            }
        }
    }

    /// The folder, made if it is not there, and for this process alone.
    pub fn lock(self) -> Result<LockedFolder, Failure> {
        let path = self.folder.join(LOCK);
        let no = |path: &Path, e: std::io::Error| Error::new(ErrorKind::File, format!("{}: {e}", path.display()));
        std::fs::create_dir_all(&self.folder).map_err(|e| no(&self.folder, e))?;
        let lock = File::options().create(true).append(true).open(&path).map_err(|e| no(&path, e))?;
        let is_locked = || matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
        let start = Instant::now();
        // What was killed a moment ago may still be ending. Where there are no locks, nobody is kept out.
        while is_locked() {
            if start.elapsed() < LONGEST_END {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
            let m = format!("another `wengert reduce` is at work in `{}`", self.folder.display());
            let e = Error::new(ErrorKind::File, m);
            return Err(Failure::of_usage(e.note("what to do: name another folder with `--out-dir`, or wait for it")));
        }
        Ok(LockedFolder { folder: self, _lock: lock })
    }
}

/// A folder that this process writes results to. What candidates left is removed at the end, and so is the folder if nothing is in it.
pub struct LockedFolder {
    folder: ResultFolder,
    /// Locked as long as this process lives.
    _lock: File,
}

impl LockedFolder {
    /// The folders that scripts run in.
    pub fn scratch(&self) -> &[PathBuf] {
        &self.folder.scratch
    }
}

impl Drop for LockedFolder {
    fn drop(&mut self) {
        self.folder.scratch.iter().for_each(|folder| _ = std::fs::remove_dir_all(folder));
        let _ = std::fs::remove_file(self.folder.folder.join(LOCK));
        // Only an empty folder goes.
        let _ = std::fs::remove_dir(&self.folder.folder);
    }
}
