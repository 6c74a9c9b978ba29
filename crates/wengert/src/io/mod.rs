//! Arrays in files: NumPy's `.npy`, and `.safetensors`. A damaged file is an error, whatever it claims to hold.

mod npy;
mod safetensors;

pub(crate) use self::safetensors::array_of_safetensors;
pub use self::safetensors::{load_safetensors, save_safetensors};

use std::path::Path;
use wengert_core::bytes::from_bytes;
use wengert_core::{Error, ErrorKind, Result};

/// An error about a file's content.
fn damaged(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::File, message)
}

/// Says which file it was about.
fn in_file<T>(path: &Path, result: Result<T>) -> Result<T> {
    result.map_err(|e| e.within(path.display()))
}

/// A failure of the operating system.
fn io_error(e: std::io::Error) -> Error {
    Error::new(ErrorKind::File, e.to_string())
}
