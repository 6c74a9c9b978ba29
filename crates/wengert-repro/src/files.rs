//! Cases in files: the program in our text, its inputs beside it.

use crate::case::Case;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wengert_core::replace::replace_file;
use wengert_core::safetensors::Layout;
use wengert_core::{Error, Result, Tensor};

/// The names of a program's inputs in files.
fn names(case: &Case) -> Vec<String> {
    let p = case.program();
    let name = |(i, v): (usize, &wengert_core::Var)| p.var_name(*v).map_or_else(|| format!("%{i}"), String::from);
    p.inputs().iter().enumerate().map(name).collect()
}

/// Writes `NAME.wg` and `NAME.safetensors` into a folder, each whole or not at all, and gives their paths.
///
/// # Errors
/// If they can't be written.
pub fn save(case: &Case, folder: &Path, name: &str) -> Result<[PathBuf; 2]> {
    let [program, inputs] = ["wg", "safetensors"].map(|end| folder.join(format!("{name}.{end}")));
    let arrays: BTreeMap<String, Tensor> = names(case).into_iter().zip(case.inputs().iter().cloned()).collect();
    let layout = Layout::new(&arrays)?;
    let within = |path: &Path| {
        let path = path.display().to_string();
        move |e: Error| e.within(path)
    };
    replace_file(&inputs, |to| layout.write(to)).map_err(within(&inputs))?;
    replace_file(&program, |to| to.write_all(case.program().to_text().as_bytes())).map_err(within(&program))?;
    Ok([program, inputs])
}
