//! Files that are there whole or not at all: written beside their place, and moved there when they are complete.

use super::io_error;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use wengert_core::Result;

/// A file being written in the folder of its place; removed unless it is moved there.
pub(super) struct TemporaryFile {
    pub(super) file: File,
    path: PathBuf,
    moved: bool,
}

impl TemporaryFile {
    /// A new file beside `path`.
    pub(super) fn beside(path: &Path) -> Result<TemporaryFile> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or(OsStr::new("tape")));
        name.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = path.with_file_name(name);
        let file = File::options().read(true).write(true).create_new(true).open(&temporary).map_err(io_error)?;
        Ok(TemporaryFile { file, path: temporary, moved: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file again, after a library put another in its place, and gives it the permissions of the first.
    pub(super) fn reopen(&mut self) -> std::io::Result<()> {
        let permissions = self.file.metadata()?.permissions();
        self.file = File::options().read(true).write(true).open(&self.path)?;
        self.file.set_permissions(permissions)
    }

    /// Waits until all of it is on the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(io_error)
    }

    /// Moves the file to its place once all of it is on the disk.
    pub(super) fn move_to(mut self, path: &Path) -> Result<()> {
        self.sync()?;
        fs::rename(&self.path, path).map_err(io_error)?;
        self.moved = true;
        // The name too. Where folders can't be opened as files, the system sees to it.
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.moved {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_not_finished_leaves_no_trace() {
        let folder = std::env::temp_dir().join(format!("wengert-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a");
        fs::write(&path, "old").unwrap();
        let mut t = TemporaryFile::beside(&path).unwrap();
        t.file.write_all(b"half of the ne").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(t);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let mut t = TemporaryFile::beside(&path).unwrap();
        t.file.write_all(b"new").unwrap();
        t.move_to(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
