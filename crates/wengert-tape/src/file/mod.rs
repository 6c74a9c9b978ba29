//! Tapes in files: a FlatBuffers file (`schema/tape.fbs`), and beside it the arrays as safetensors.
//!
//! A damaged or hostile file is an error. Once the checksum is right and [`check`] has passed, nothing that is asked of
//! the tape can fail, but for reading arrays: those have checksums of their own, looked at when they are read.

mod arrays;
mod buffer;
mod check;
mod format;
mod read;
mod upgrade;
mod write;

pub(crate) use arrays::StoredValues;

use crate::tape::Tape;
use read::CheckedFile;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Result};

/// The bytes of a file.
type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

impl Tape {
    /// Writes the tape to a file, and the values it keeps to a safetensors file beside it, which has the name of the
    /// first and a checksum. What was there before is replaced at once, when all is written, or not at all.
    ///
    /// # Errors
    /// If a file can't be written; if the nodes take more than 2 GiB, which is all that FlatBuffers can hold; if there are
    /// so many arrays, about 1.3 million, that the header of the safetensors file takes more than 100 MB, which is all that
    /// it may; or if the tape was opened from a file whose arrays are damaged.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        within(path.as_ref(), write::save(self, path.as_ref()))
    }

    /// Opens a tape that [`Tape::save`] wrote. Nodes and values are used where they lie in the file, which must not be
    /// written to meanwhile; to replace it is fine. Ops of users are there if they were registered
    /// ([`wengert_core::ops::Custom::register`]), otherwise just their names.
    ///
    /// Nothing is read of the arrays but their header. Whether an array is what was written is looked at when it is first
    /// read ([`crate::Node::read`]), or by [`Tape::verify`].
    ///
    /// # Errors
    /// If the file can't be read, is not a tape, or is damaged; no file can do more harm.
    pub fn open(path: impl AsRef<Path>) -> Result<Tape> {
        let path = path.as_ref();
        let file = within(path, unsupported_host().and_then(|()| open_file(path)))?;
        let sound = within(path, CheckedFile::new(&file))?;
        let arrays: Bytes = match sound.arrays {
            None => Arc::new([]),
            Some((name, ..)) => {
                // A name, and not a way to somewhere else.
                if Path::new(name).file_name() != Some(name.as_ref()) {
                    return within(path, Err(damaged("the name of its arrays is not that of a file")));
                }
                let beside = path.with_file_name(name);
                if !beside.exists() {
                    let e =
                        Error::new(ErrorKind::File, format!("the arrays that belong to it, {name}, are not beside it"));
                    return within(path, Err(e.note("a tape with values is two files: move and copy both")));
                }
                within(path, within(&beside, open_file(&beside)))?
            }
        };
        within(path, sound.tape(arrays))
    }

    /// Reads all of a tape that was opened, its arrays too, and looks whether it is what was written.
    ///
    /// # Errors
    /// If it is not; which of the arrays is damaged, if it is one.
    pub fn verify(&self) -> Result<()> {
        check::check(self)?;
        self.values.verify()
    }

    /// A tape from the bytes of its file and of its arrays, which are empty where it has none.
    ///
    /// # Errors
    /// As [`Tape::open`].
    pub fn from_bytes(tape: &[u8], arrays: &[u8]) -> Result<Tape> {
        unsupported_host()?;
        let file: Bytes = Arc::new(Aligned::new(tape));
        let sound = CheckedFile::new(&file)?;
        sound.tape(Arc::new(arrays.to_vec()))
    }
}

/// Bytes that lie as those of a mapped file do.
struct Aligned(Vec<u64>, usize);

impl Aligned {
    fn new(bytes: &[u8]) -> Aligned {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Aligned(words, bytes.len())
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

/// An error about a file's content.
fn damaged(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::File, message)
}

/// A failure of the operating system.
fn io_error(e: std::io::Error) -> Error {
    Error::new(ErrorKind::File, e.to_string())
}

/// Says which file it was about.
fn within<T>(path: &Path, result: Result<T>) -> Result<T> {
    result.map_err(|e| e.within(path.display()))
}

/// Rows lie in files as they lie in the memory of little-endian machines.
fn unsupported_host() -> Result<()> {
    match cfg!(target_endian = "big") {
        true => Err(Error::new(ErrorKind::Unsupported, "tapes in files need a little-endian machine")),
        false => Ok(()),
    }
}

fn open_file(path: &Path) -> Result<Bytes> {
    // Asked first: to open a pipe would wait.
    if !std::fs::metadata(path).map_err(io_error)?.is_file() {
        return Err(damaged("this is not a file"));
    }
    map(&File::open(path).map_err(io_error)?)
}

fn map(file: &File) -> Result<Bytes> {
    if file.metadata().map_err(io_error)?.len() == 0 {
        return Ok(Arc::new([]));
    }
    // SAFETY: the map is read-only. That nobody writes to the file meanwhile is asked of the caller of `open`, as with
    // every mapped file; we never write to a file in its place. Bytes are read as types without invalid values.
    let map = unsafe { memmap2::Mmap::map(file) };
    Ok(Arc::new(map.map_err(io_error)?))
}

/// The name of the arrays file of a tape: that of the tape, and the checksum of the arrays.
fn arrays_name(path: &Path, checksum: u32) -> Result<String> {
    let name = path.file_name().and_then(|n| n.to_str());
    let name = name.ok_or_else(|| damaged("the name of a tape with values has to be Unicode"))?;
    Ok(format!("{name}.{checksum:08x}.safetensors"))
}

/// Whether a file is named as the arrays of this tape are.
fn is_arrays_name(path: &Path, name: &str) -> bool {
    let middle = path.file_name().and_then(|n| n.to_str()).and_then(|tape| name.strip_prefix(tape));
    let digits = middle.and_then(|m| m.strip_prefix('.')?.strip_suffix(".safetensors"));
    digits.is_some_and(|d| d.len() == 8 && d.bytes().all(|c| c.is_ascii_hexdigit()))
}
