//! Texts, arrays, and programs with their inputs, in files: each is there whole or not at all. What is emitted has a mark, by
//! which it is known from files of the user's.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use wengert_core::replace::replace_file;
use wengert_core::safetensors::Layout;
use wengert_core::{Builder, Program, Result, Tensor};

/// What a text begins with that was emitted, in a comment of its language.
pub const MARK: &str = "Written by `wengert emit`.";

/// What files of arrays say of themselves, and all marks begin with.
const ANY_MARK: &str = "Written by `wengert";

/// Whether a file begins with the mark of one that was written here.
///
/// # Errors
/// If the file can't be read.
pub fn is_marked(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(200).read_to_end(&mut head)?;
    Ok(head.windows(ANY_MARK.len()).any(|w| w == ANY_MARK.as_bytes()))
}

/// Writes a text.
///
/// # Errors
/// If the file can't be written.
pub fn save_text(path: &Path, text: &str) -> Result<()> {
    replace_file(path, |to| to.write_all(text.as_bytes())).map_err(|e| e.within(path.display()))
}

/// Writes arrays by name, as safetensors with a mark.
///
/// # Errors
/// If the file can't be written, or can't hold them.
pub fn save_arrays(path: &Path, arrays: impl IntoIterator<Item = (String, Tensor)>) -> Result<()> {
    let arrays: BTreeMap<String, Tensor> = arrays.into_iter().collect();
    let about = format!("{ANY_MARK}`.");
    let layout = Layout::with_metadata(&arrays, &[("about", &about)])?;
    replace_file(path, |to| layout.write(to)).map_err(|e| e.within(path.display()))
}

/// Writes `NAME.wg` and the inputs, `NAME.safetensors`, into a folder, and gives their paths.
///
/// # Errors
/// If they can't be written.
pub fn save_program(folder: &Path, name: &str, program: &Program, inputs: &[Tensor]) -> Result<[PathBuf; 2]> {
    let [text, arrays] = ["wg", "safetensors"].map(|end| folder.join(format!("{name}.{end}")));
    let (program, names) = named_inputs(program);
    save_arrays(&arrays, names.into_iter().zip(inputs.iter().cloned()))?;
    save_text(&text, &program.to_text())?;
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
