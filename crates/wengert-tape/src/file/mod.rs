//! Tapes in files: a FlatBuffers buffer (`schema/tape.fbs`), and after it the arrays.
//!
//! A damaged or hostile file is an error. Once the checksum is right and [`check`] has passed, nothing that is asked of
//! the tape can fail, but for reading arrays: those have checksums of their own, looked at when they are read.

mod arrays;
mod buffer;
mod check;
mod format;
mod read;
mod source;
mod upgrade;
mod write;

pub(crate) use arrays::StoredValues;
pub(crate) use source::AlignedBytes;

use crate::tape::Tape;
use read::CheckedFile;
use source::Source;
use std::path::Path;
use wengert_core::{Error, ErrorKind, Result};

impl Tape {
    /// Writes the tape, with the values it keeps, to a file. A file that was there before is replaced at once, when all is
    /// written, or not at all: of several processes that save to one path, each leaves a whole tape there. Tapes that were
    /// opened from the file that was replaced, copies and hard links of it stay as they were.
    ///
    /// # Errors
    /// If the file can't be written; if the nodes, without their arrays, take more than 2 GiB, which is all that FlatBuffers
    /// can hold; or if the tape was opened from a file whose arrays are damaged.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.looked_at();
        within(path.as_ref(), write::save(self, path.as_ref()))
    }

    /// Opens a tape that [`Tape::save`] wrote. Nodes are read at once; arrays when they are asked for, from the file that was
    /// opened, also when another took its place. If that file is cut or written to meanwhile, to read an array is an error.
    /// Ops of users are there if they were registered ([`wengert_core::ops::Custom::register`]), otherwise just their names.
    ///
    /// Whether an array is what was written is looked at whenever it is read ([`crate::Node::read`]), or by
    /// [`Tape::verify`].
    ///
    /// # Errors
    /// If the file can't be read, is not a tape, or is damaged; no file can do more harm.
    pub fn open(path: impl AsRef<Path>) -> Result<Tape> {
        let path = path.as_ref();
        within(path, unsupported_host().and_then(|()| open(path)))
    }

    /// Reads all of a tape that was opened, its arrays too, and looks whether it is what was written.
    ///
    /// # Errors
    /// If it is not; which of the arrays is damaged, if it is one.
    pub fn verify(&self) -> Result<()> {
        check::check(self)?;
        self.values.verify()
    }

    /// A tape from the bytes of its file.
    ///
    /// # Errors
    /// As [`Tape::open`]; and if its arrays are in another file, as by the first version of the format.
    pub fn from_bytes(file: &[u8]) -> Result<Tape> {
        unsupported_host()?;
        let source = Source::Memory(file.to_vec());
        let buffer = read::read_buffer(&source)?;
        let sound = CheckedFile::new(&buffer)?;
        match sound.arrays_file {
            Some((name, ..)) => Err(damaged(format!("its arrays are in another file, {name}: open it by its path"))),
            None => sound.tape(source),
        }
    }
}

fn open(path: &Path) -> Result<Tape> {
    let source = Source::open(path)?;
    let buffer = read::read_buffer(&source)?;
    let sound = CheckedFile::new(&buffer)?;
    let Some((name, ..)) = sound.arrays_file else { return sound.tape(source) };
    // A name, and not a way to somewhere else.
    if Path::new(name).file_name() != Some(name.as_ref()) {
        return Err(damaged("the name of its arrays is not that of a file"));
    }
    let mut beside = path.with_file_name(name);
    if !beside.exists() {
        // They are beside the file itself, and the path may be a link to it.
        beside = path.canonicalize().map_err(io_error)?.with_file_name(name);
    }
    if !beside.exists() {
        let e = Error::new(ErrorKind::File, format!("the arrays that belong to it, {name}, are not beside it"));
        return Err(e.note("a tape of the first version with values is two files: move and copy both"));
    }
    let arrays = within(&beside, Source::open(&beside))?;
    sound.tape(arrays)
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
