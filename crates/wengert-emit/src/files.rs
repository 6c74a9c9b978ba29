//! Texts, arrays, and programs with their inputs, in files: each is there whole or not at all. What is emitted has a mark with a
//! checksum, by which it is known from files of the user's, also from those that the user made of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use wengert_core::replace::replace_file;
use wengert_core::safetensors::Layout;
use wengert_core::{Builder, Program, Result, Tensor};

/// What a text begins with that was emitted, in a comment of its language.
pub const MARK: &str = "Written by `wengert emit`.";

/// What a text begins with that came of a reduction, in a comment, and what files of arrays say of themselves.
pub const RESULT_MARK: &str = "Written by `wengert`.";

/// What all marks begin with.
const ANY_MARK: &str = "Written by `wengert";

/// A mark stands in so many bytes.
const HEAD: u64 = 200;

/// What stands after a mark, and before the checksum of the file with [`NO_SUM`] in its place.
const CHECKSUM: &str = " Checksum: ";

/// As long as a checksum.
const NO_SUM: &str = "00000000";

/// Who wrote a file, as its mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It has no mark: it was not written here.
    Foreign,
    /// It was written here, and is another since.
    Edited,
    /// It is as it was written here.
    Unchanged,
}

/// Whether a file begins with the mark of one that was written here.
///
/// # Errors
/// If the file can't be read.
pub fn is_marked(path: &Path) -> io::Result<bool> {
    Ok(mark_in(&head_of(&mut File::open(path)?)?).is_some())
}

/// What a file that is there says of itself, by its mark.
///
/// # Errors
/// If the file can't be read.
pub fn file_state(path: &Path) -> io::Result<FileState> {
    let mut file = File::open(path)?;
    let head = head_of(&mut file)?;
    let Some(mark) = mark_in(&head) else { return Ok(FileState::Foreign) };
    let said = |at: usize| Some((head.get(at..at + NO_SUM.len())?, at));
    let Some((said, at)) = position(&head[mark..], CHECKSUM).and_then(|i| said(mark + i + CHECKSUM.len())) else {
        return Ok(FileState::Edited);
    };
    let mut sum = Checksum::default();
    sum.write_all(&head[..at])?;
    sum.write_all(NO_SUM.as_bytes())?;
    sum.write_all(&head[at + NO_SUM.len()..])?;
    io::copy(&mut file, &mut sum)?;
    Ok(if sum.text().as_bytes() == said { FileState::Unchanged } else { FileState::Edited })
}

fn head_of(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

fn mark_in(head: &[u8]) -> Option<usize> {
    position(head, ANY_MARK)
}

fn position(bytes: &[u8], of: &str) -> Option<usize> {
    bytes.windows(of.len()).position(|w| w == of.as_bytes())
}

/// The checksum of what is written to it.
#[derive(Default)]
struct Checksum(crc32fast::Hasher);

impl Checksum {
    fn text(self) -> String {
        format!("{:08x}", self.0.finalize())
    }
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many bytes there are to read, and their checksum.
///
/// # Errors
/// If they can't be read.
///
/// ```
/// assert_eq!(wengert_emit::files::checksum(&b"x\n"[..]).unwrap(), (2, "46ea081f".to_string()));
/// ```
pub fn checksum(mut from: impl Read) -> io::Result<(u64, String)> {
    let mut sum = Checksum::default();
    let count = io::copy(&mut from, &mut sum)?;
    Ok((count, sum.text()))
}

/// A text that has a mark, with its checksum at the end of the line of the mark; other texts as they are.
///
/// ```
/// use wengert_emit::files::{MARK, sealed};
/// assert_eq!(sealed(&format!("// {MARK}\nx\n")), format!("// {MARK} Checksum: bb4dcb4d\nx\n"));
/// assert_eq!(sealed("x\n"), "x\n");
/// ```
pub fn sealed(text: &str) -> String {
    let Some(mark) = text.find(ANY_MARK).filter(|at| *at < HEAD as usize / 2) else { return text.into() };
    let end = text[mark..].find('\n').map_or(text.len(), |i| mark + i);
    let (head, rest) = text.split_at(end);
    let mut sum = Checksum::default();
    [head, CHECKSUM, NO_SUM, rest].iter().for_each(|part| sum.0.update(part.as_bytes()));
    [head, CHECKSUM, &sum.text(), rest].concat()
}

/// Writes a text, [`sealed`].
///
/// # Errors
/// If the file can't be written.
pub fn save_text(path: &Path, text: &str) -> Result<()> {
    replace_file(path, |to| to.write_all(sealed(text).as_bytes())).map_err(|e| e.within(path.display()))
}

/// The file of arrays beside a text: `NAME.safetensors` for Wengert's own, and `NAME-END.safetensors` for `NAME.END`, so that forms of one
/// name have arrays of their own.
///
/// ```
/// use std::path::Path;
/// use wengert_emit::files::arrays_beside;
/// let name = |text: &str| arrays_beside(Path::new(text)).display().to_string();
/// assert_eq!(["a.b.wg", "a.rs", "a"].map(name), ["a.b.safetensors", "a-rs.safetensors", "a.safetensors"]);
/// ```
pub fn arrays_beside(text: &Path) -> PathBuf {
    let mut name = text.file_stem().unwrap_or_default().to_os_string();
    if let Some(end) = text.extension().filter(|end| *end != "wg") {
        name.push("-");
        name.push(end);
    }
    name.push(".safetensors");
    text.with_file_name(name)
}

/// The name of a file without its folder.
///
/// ```
/// assert_eq!(wengert_emit::files::name_of("out/a.rs".as_ref()), "a.rs");
/// ```
pub fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// Writes arrays by name, as safetensors with a mark.
///
/// # Errors
/// If the file can't be written, or can't hold them.
pub fn save_arrays(path: &Path, arrays: impl IntoIterator<Item = (String, Tensor)>) -> Result<()> {
    let arrays: BTreeMap<String, Tensor> = arrays.into_iter().collect();
    let layout = |sum: &str| {
        let about = format!("{RESULT_MARK}{CHECKSUM}{sum}");
        Layout::with_metadata(&arrays, &[("about", &about)])
    };
    let mut sum = Checksum::default();
    layout(NO_SUM)?.write(&mut sum).expect("a checksum takes all");
    let layout = layout(&sum.text())?;
    replace_file(path, |to| layout.write(to)).map_err(|e| e.within(path.display()))
}

/// Writes `NAME.wg`, which begins with `head`, and the inputs, `NAME.safetensors`, into a folder, and gives their paths.
///
/// # Errors
/// If they can't be written.
pub fn save_program(
    folder: &Path,
    name: &str,
    head: &str,
    program: &Program,
    inputs: &[Tensor],
) -> Result<[PathBuf; 2]> {
    let text = folder.join(format!("{name}.wg"));
    let arrays = arrays_beside(&text);
    let (program, names) = named_inputs(program);
    save_arrays(&arrays, names.into_iter().zip(inputs.iter().cloned()))?;
    save_text(&text, &format!("{head}{}", program.to_text()))?;
    Ok([text, arrays])
}

/// The program with a name of its own for each input, by which a file can hold their values, and these names.
pub fn named_inputs(p: &Program) -> (Program, Vec<String>) {
    let mut b = Builder::new();
    let x = b.inputs(&p.input_types());
    let mut names: Vec<String> = Vec::new();
    for (i, (&v, &own)) in x.iter().zip(p.inputs()).enumerate() {
        let wanted = p.var_name(own).filter(|n| !names.iter().any(|m| m == n));
        let mut name = wanted.map_or(format!("arg{i}"), String::from);
        while names.contains(&name) {
            name.push('_');
        }
        b.set_name(v, name.as_str());
        names.push(name);
    }
    let y = b.inline(p, &x);
    (b.finish(&y).with_name(p.name()), names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_one_name_have_two_in_files() {
        let p = Program::parse("program (y: f32[], %1: f32[]) { z: f32[] = add(y, %1) return z }").unwrap();
        let mut b = Builder::new();
        let x = b.inputs(&p.input_types());
        x.iter().for_each(|&v| b.set_name(v, "y"));
        let z = b.inline(&p, &x);
        let (named, names) = named_inputs(&b.finish(&z));
        assert_eq!(names, ["y", "arg1"]);
        assert_eq!(Program::parse(&named.to_text()).unwrap(), p);
    }
}
