//! Files that are there whole or not at all: written beside their place, and moved there when they are complete.

use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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

/// A file being written in the folder of its place; removed unless it is moved there. It is locked as long as its process
/// writes it: where that was killed, the next that writes to the same place finds the file without a lock, and removes it.
struct TemporaryFile {
    /// To be written.
    file: File,
    path: PathBuf,
    moved: bool,
}

/// The end of the names of temporary files, after that of the file they will be and a number.
const EXTENSION: &str = ".tmp";

/// The beginning of the names of the temporary files of a place.
fn temporary_prefix(place: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or(OsStr::new("file")));
    name.push(".");
    name
}

impl TemporaryFile {
    /// A new file beside `place`, with a name that no other process gives to one.
    fn beside(place: &Path) -> Result<TemporaryFile> {
        remove_abandoned(place);
        loop {
            // No process number: containers that share a folder have the same ones.
            let mut name = temporary_prefix(place);
            name.push(format!("{:016x}{EXTENSION}", RandomState::new().build_hasher().finish()));
            let path = place.with_file_name(name);
            let file = match File::options().read(true).write(true).create_new(true).open(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file.map_err(io_error)?,
            };
            // Between the two steps it has no lock, and may be taken for abandoned. Where there are no locks, nothing is.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && path.exists() {
                return Ok(TemporaryFile { file, path, moved: false });
            }
        }
    }

    /// Moves the file to its place once all of it is on the disk.
    fn move_to(mut self, place: &Path) -> Result<()> {
        self.file.sync_all().map_err(io_error)?;
        fs::rename(&self.path, place).map_err(io_error)?;
        self.moved = true;
        // The name too. Where folders can't be opened as files, the system sees to it.
        if let Ok(folder) = File::open(folder_of(place)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes the temporary files of a place whose processes ended before they were moved.
fn remove_abandoned(place: &Path) {
    let prefix = temporary_prefix(place);
    let is_number = |middle: &[u8]| middle.len() == 16 && middle.iter().all(u8::is_ascii_hexdigit);
    for entry in fs::read_dir(folder_of(place)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let middle = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let middle = middle.and_then(|m| m.strip_suffix(EXTENSION.as_bytes()));
        // What is not a file is not opened: a pipe would wait.
        if middle.is_some_and(is_number)
            && entry.file_type().is_ok_and(|t| t.is_file())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // If it was moved to its place meanwhile, the name is gone.
            let _ = fs::remove_file(entry.path());
        }
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
    fn files_of_processes_that_ended_are_removed_and_no_others() {
        let folder = folder("abandoned");
        let path = folder.join("a");
        let others = [".a.0123456789abcdef", ".b.0123456789abcdef.tmp", "a.0123456789abcdef.tmp", ".a.1-0.tmp"];
        others.iter().for_each(|name| fs::write(folder.join(name), "x").unwrap());
        fs::write(folder.join(".a.0123456789abcdef.tmp"), "half of a fi").unwrap();
        fs::create_dir(folder.join(".a.aaaaaaaaaaaaaaaa.tmp")).unwrap();
        let live = TemporaryFile::beside(&path).unwrap();
        assert!(!folder.join(".a.0123456789abcdef.tmp").exists());
        replace_file(&path, |to| to.write_all(b"new")).unwrap();
        assert!(live.path.exists(), "it is still written");
        live.move_to(&path).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), others.len() + 2);
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
