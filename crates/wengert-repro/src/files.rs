//! Cases in files: the program in our text, its inputs beside it.

use crate::case::Case;
use std::path::{Path, PathBuf};
use wengert_core::Result;
use wengert_emit::files::save_program;

/// Writes `NAME.wg` and `NAME.safetensors` into a folder, each whole or not at all, and gives their paths.
///
/// # Errors
/// If they can't be written.
pub fn save(case: &Case, folder: &Path, name: &str) -> Result<[PathBuf; 2]> {
    save_program(folder, name, case.program(), case.inputs())
}
