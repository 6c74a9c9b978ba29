//! What cannot be tracked is refused with a message at the right place, as the compiler shows it.

use std::path::PathBuf;
use std::process::Command;
use std::time::SystemTime;
use wengert_testing::expect_file;

/// The macros as they were built for this test: the latest beside it.
fn macros() -> PathBuf {
    let beside = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let name = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().into_owned();
    let ours = |p: &PathBuf| {
        let (stem, end) = (format!("{}wengert_macros-", std::env::consts::DLL_PREFIX), std::env::consts::DLL_SUFFIX);
        name(p).starts_with(&stem) && name(p).ends_with(end)
    };
    let age = |p: &PathBuf| p.metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let all = std::fs::read_dir(beside).unwrap().flatten().map(|e| e.path());
    all.filter(ours).max_by_key(age).expect("the macros are built before their tests")
}

#[test]
fn what_cannot_be_tracked_is_refused_where_it_stands() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/refusals");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let out = Command::new(rustc)
        .current_dir(folder)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--error-format", "short"])
        .args(["--out-dir".as_ref(), std::env::temp_dir().as_os_str()])
        .arg("--extern")
        .arg(format!("wengert_macros={}", macros().display()))
        .arg("refused.rs")
        .output()
        .unwrap();
    assert!(!out.status.success());
    let text = String::from_utf8(out.stderr).unwrap();
    let errors: String = text.lines().filter(|l| l.contains(": error")).map(|l| format!("{l}\n")).collect();
    expect_file(format!("{folder}/refused.txt"), &errors);
}
