//! Python with JAX as tests find it, and emitted files run in one process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wengert_core::safetensors::Layout;
use wengert_emit::Emitted;

const DRIVER: &str = include_str!("driver.py");

/// The interpreter: `WENGERT_PYTHON`, or `python3`.
fn python() -> String {
    std::env::var("WENGERT_PYTHON").unwrap_or_else(|_| "python3".into())
}

/// Whether the interpreter has a module; says so if not.
pub fn has_module(name: &str) -> bool {
    let found = Command::new(python()).args(["-c", &format!("import {name}")]).output();
    let found = found.is_ok_and(|out| out.status.success());
    if !found {
        println!("skipped: `{}` has no `{name}` (WENGERT_PYTHON says which interpreter has it)", python());
    }
    found
}

/// A folder of a test, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Writes a file and its arrays to a folder; gives the path of the file.
pub fn write(folder: &Path, emitted: &Emitted) -> PathBuf {
    std::fs::create_dir_all(folder).expect("a folder");
    let path = folder.join("run.py");
    std::fs::write(&path, &emitted.text).expect("a writable file");
    if !emitted.data.is_empty() {
        let arrays: BTreeMap<String, _> = emitted.data.iter().cloned().collect();
        let mut bytes = Vec::new();
        Layout::new(&arrays).expect("arrays").write(&mut bytes).expect("memory");
        std::fs::write(folder.join("data.safetensors"), bytes).expect("a writable file");
    }
    path
}

/// Runs files in one process; gives what each printed, or the same as an error if it failed.
pub fn run(test: &str, files: &[(String, Emitted)]) -> BTreeMap<String, Result<String, String>> {
    let root = folder(test);
    let paths: Vec<String> =
        files.iter().map(|(name, e)| write(&root.join(name), e).to_string_lossy().into_owned()).collect();
    let (driver, list) = (root.join("driver.py"), root.join("list.txt"));
    std::fs::write(&driver, DRIVER).expect("a writable file");
    std::fs::write(&list, paths.join("\n")).expect("a writable file");
    let out = Command::new(python()).arg(&driver).arg(&list).env("JAX_PLATFORMS", "cpu").output().expect("python");
    let mut results = BTreeMap::new();
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        let mut parts = line.splitn(3, '\t');
        let (name, ended, said) = (parts.next(), parts.next(), parts.next());
        if let (Some(name), Some(ended), Some(said)) = (name, ended, said) {
            results.insert(name.into(), if ended == "ok" { Ok(said.into()) } else { Err(said.into()) });
        }
    }
    let missing = files.iter().find(|(name, _)| !results.contains_key(name));
    if let Some((name, _)) = missing {
        panic!("`{name}` did not run: {}", String::from_utf8_lossy(&out.stderr));
    }
    results
}

/// Runs `black` on a text; gives what it makes of it, or nothing if there is no `black`.
pub fn black(test: &str, texts: &[(String, String)]) -> Option<Vec<String>> {
    let root = folder(test);
    for (name, text) in texts {
        std::fs::write(root.join(format!("{name}.py")), text).expect("a writable file");
    }
    let module = Command::new(python()).args(["-m", "black", "-q"]).arg(&root).stderr(Stdio::null()).status();
    let ran = module.is_ok_and(|s| s.success())
        || Command::new("black").arg("-q").arg(&root).status().is_ok_and(|s| s.success());
    if !ran {
        println!("skipped: there is no `black`");
        return None;
    }
    Some(texts.iter().map(|(name, _)| std::fs::read_to_string(root.join(format!("{name}.py"))).expect("it")).collect())
}
