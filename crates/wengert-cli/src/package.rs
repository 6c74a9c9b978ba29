//! The files of a package as they were written, by their checksums: what the user changed since is not written over.

use std::path::{Path, PathBuf};
use wengert_core::{Error, ErrorKind, Result};
use wengert_emit::files::{MARK, save_text};

/// The file that has the checksums.
const LIST: &str = ".emitted";

/// The checksum of a file; none if it is not there.
fn checksum(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    Some(format!("{:08x}-{}", crc32fast::hash(&bytes), bytes.len()))
}

/// Notes these files of a package, which were just written.
pub fn note(folder: &Path, files: &[&Path]) -> Result<()> {
    let mut text = format!("# {MARK}\n");
    for path in files {
        let sum = checksum(path).ok_or_else(|| {
            Error::new(ErrorKind::File, format!("`{}` was written, and can't be read", path.display()))
        })?;
        text.push_str(&format!("{sum} {}\n", path.strip_prefix(folder).unwrap_or(path).display()));
    }
    save_text(&folder.join(LIST), &text)
}

/// The first file of a package that is another than what was written.
pub fn changed(folder: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(folder.join(LIST)).ok()?;
    let noted = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    let mut paths = noted.map(|(sum, name)| (sum, folder.join(name)));
    paths.find(|(sum, path)| checksum(path).is_some_and(|now| now != *sum)).map(|(_, path)| path)
}
