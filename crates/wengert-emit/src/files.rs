//! Texts, arrays, and programs with their inputs, in files: each is there whole or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wengert_core::replace::replace_file;
use wengert_core::safetensors::Layout;
use wengert_core::{Builder, Program, Result, Tensor};

/// Writes a text.
///
/// # Errors
/// If the file can't be written.
pub fn save_text(path: &Path, text: &str) -> Result<()> {
    replace_file(path, |to| to.write_all(text.as_bytes())).map_err(|e| e.within(path.display()))
}

/// Writes arrays by name, as safetensors.
///
/// # Errors
/// If the file can't be written, or can't hold them.
pub fn save_arrays(path: &Path, arrays: impl IntoIterator<Item = (String, Tensor)>) -> Result<()> {
    let arrays: BTreeMap<String, Tensor> = arrays.into_iter().collect();
    let layout = Layout::new(&arrays)?;
    replace_file(path, |to| layout.write(to)).map_err(|e| e.within(path.display()))
}

/// Writes `NAME.wg` and the inputs, `NAME.safetensors`, into a folder, and gives their paths.
///
/// # Errors
/// If they can't be written.
pub fn save_program(folder: &Path, name: &str, program: &Program, inputs: &[Tensor]) -> Result<[PathBuf; 2]> {
    let [text, arrays] = ["wg", "safetensors"].map(|end| folder.join(format!("{name}.{end}")));
    let (program, names) = named_inputs(program, false);
    save_arrays(&arrays, names.into_iter().zip(inputs.iter().cloned()))?;
    save_text(&text, &program.to_text())?;
    Ok([text, arrays])
}

/// The program with a name of its own for each input, by which a file can hold their values, and these names. Without the
/// user's names, if it is to be `anonymous`.
pub fn named_inputs(p: &Program, anonymous: bool) -> (Program, Vec<String>) {
    let mut b = Builder::new();
    let x = b.inputs(&p.input_types());
    let mut names: Vec<String> = Vec::new();
    for (i, (&v, &own)) in x.iter().zip(p.inputs()).enumerate() {
        let wanted = p.var_name(own).filter(|n| !anonymous && !names.iter().any(|m| m == n));
        let mut name = wanted.map_or(format!("arg{i}"), String::from);
        while names.contains(&name) {
            name.push('_');
        }
        b.set_name(v, name.as_str());
        names.push(name);
    }
    let y = b.inline(p, &x);
    (b.finish(&y).with_name(if anonymous { "program" } else { p.name() }), names)
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
        let (named, names) = named_inputs(&b.finish(&z), false);
        assert_eq!(names, ["y", "arg1"]);
        assert_eq!(Program::parse(&named.to_text()).unwrap(), p);
        assert_eq!(named_inputs(&p, true).1, ["arg0", "arg1"]);
    }
}
