//! Runs the files of `programs/`: a program of one op, and after `====` what it expands to (`test expand`), or the form that
//! a compiler fuses (`test fused`). `BLESS=1` writes what came
//! out into the files. Both programs must give the same values.

use crate::common::{check, check_fused};
use std::fs;
use std::path::{Path, PathBuf};

const BAR: &str = "====\n";

#[test]
fn programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in paths {
        let file = fs::read_to_string(&path).unwrap();
        let (input, expected) = file.split_once(BAR).unwrap_or((&file, ""));
        let (step, program) = input.split_once('\n').expect("a file begins with its step");
        let found = match step {
            "test expand" => check(program),
            "test fused" => check_fused(program),
            _ => panic!("`{step}` is no step"),
        };
        let found = found.to_text();
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, format!("{}\n{BAR}{found}", input.trim_end())).unwrap();
        } else if found != expected {
            let name = path.file_stem().unwrap().display();
            failures.push(format!("{name}\n--- expected\n{expected}--- found\n{found}"));
        }
    }
    assert!(failures.is_empty(), "BLESS=1 writes what is found into the files.\n\n{}", failures.join("\n"));
}
