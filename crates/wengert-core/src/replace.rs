//! Files that are there whole or not at all: written beside their place, and moved there when they are complete.

use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A failure of the operating system.
fn io_error(e: io::Error) -> Error {
    Error::file(e.to_string())
}

/// Writes a file that takes the place of the one at `path` when it is whole; if it never is, what was there stays. Where
/// `path` is a link, that is what it leads to. The permissions of before are kept. What is not a file, such as a pipe, is
/// written to as it is.
///
/// # Errors
/// If the file can't be written; then nothing of it is left.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let write = |file: &File| {
        let mut out = BufWriter::new(file);
        write(&mut out).and_then(|()| out.flush()).map_err(io_error)
    };
    let before = fs::metadata(path).ok();
    if before.as_ref().is_some_and(|m| !m.is_file()) {
        return write(&File::create(path).map_err(io_error)?);
    }
    let mut place = path.to_path_buf();
    if before.is_some() {
        // What may not be written may not be replaced.
        File::options().write(true).open(path).map_err(io_error)?;
        place = fs::canonicalize(path).map_err(io_error)?;
    }
    let temporary = TemporaryFile::beside(&place)?;
    if let Some(before) = before {
        temporary.file.set_permissions(before.permissions()).map_err(io_error)?;
    }
    write(&temporary.file)?;
    temporary.move_to(&place)
}

/// A file being written in the folder of its place; removed unless it is moved there.
pub struct TemporaryFile {
    /// To be written.
    pub file: File,
    path: PathBuf,
    moved: bool,
}

impl TemporaryFile {
    /// A new file beside `path`.
    pub fn beside(path: &Path) -> Result<TemporaryFile> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or(OsStr::new("file")));
        name.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = path.with_file_name(name);
        let file = File::options().read(true).write(true).create_new(true).open(&temporary).map_err(io_error)?;
        Ok(TemporaryFile { file, path: temporary, moved: false })
    }

    /// Waits until all of it is on the disk.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(io_error)
    }

    /// Moves the file to its place once all of it is on the disk.
    pub fn move_to(mut self, path: &Path) -> Result<()> {
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

    /// An empty folder of its own for a test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("wengert-replace-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_is_not_finished_leaves_no_trace() {
        let folder = folder("temporary");
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

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = folder("whole");
        let path = folder.join("a");
        let fails = |to: &mut dyn Write| to.write_all(b"half").and(Err(io::Error::other("no more")));
        let e = replace_file(&path, fails).unwrap_err();
        assert_eq!((e.message(), fs::read_dir(&folder).unwrap().count()), ("no more", 0));
        replace_file(&path, |to| to.write_all(b"old")).unwrap();
        replace_file(&path, fails).unwrap_err();
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(&folder).unwrap().count()), (b"old".to_vec(), 1));
        replace_file(&path, |to| to.write_all(b"new")).unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(&folder).unwrap().count()), (b"new".to_vec(), 1));
        // A folder can't be replaced, nor is there a place in one that is not there.
        replace_file(&folder, |to| to.write_all(b"x")).unwrap_err();
        replace_file(&folder.join("no/such/folder"), |to| to.write_all(b"x")).unwrap_err();
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_file_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder("links");
        let (path, link) = (folder.join("a"), folder.join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        replace_file(&link, |to| to.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        replace_file(Path::new("/dev/null"), |to| to.write_all(b"x")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::remove_dir_all(&folder).unwrap();
    }
}
