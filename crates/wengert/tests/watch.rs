//! What a failing run leaves behind (E4), in a process of its own: what the environment asks for is asked once.

use std::path::{Path, PathBuf};
use wengert::{Array, grad, jit, repro, try_run};

fn folders(all: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(all).unwrap().map(|e| e.unwrap().path()).collect()
}

#[test]
fn e4_a_staged_run_that_fails_leaves_a_reproducer() {
    // SAFETY: no other thread of this process runs.
    unsafe { std::env::set_var("WENGERT_CHECK", "nan") };
    let all = std::env::temp_dir().join(format!("wengert-watch-{}", std::process::id()));
    // What an earlier process ran when it ended is named, once.
    let earlier = all.join("earlier-999999999-0");
    std::fs::create_dir_all(&earlier).unwrap();
    std::fs::write(earlier.join("running"), "999999999").unwrap();
    repro::on_failure(&all).unwrap();
    assert!(!earlier.join("running").exists());
    std::fs::remove_dir_all(&earlier).unwrap();

    let f = jit(|x: Array| {
        let y = (x - 3.0) * 2.0;
        (y.log() + 1.0).sum(..)
    });
    assert_eq!(f(Array::from([4.0f32])).shape().len(), 0);
    assert!(folders(&all).is_empty(), "a run that ends well leaves nothing");

    let e = try_run(|| f(Array::from([4.0f32, 1.0]))).unwrap_err();
    assert!(e.message().contains("`log` gives NaN of finite numbers: f32[2]"), "{e}");
    let text = e.to_string();
    assert!(text.contains("tests/watch.rs:25:"), "the place of the op: {text}");
    assert!(text.contains("given the result of `mul`") && text.contains("a reproducer is in"), "{text}");
    let [folder] = &folders(&all)[..] else { panic!("one folder") };
    for file in ["program.wg", "program.safetensors", "main.rs", "error.txt"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    assert!(!folder.join("running").exists());
    let rust = std::fs::read_to_string(folder.join("main.rs")).unwrap();
    assert!(rust.contains(".log();") && rust.contains("repro::fails(message, || {"), "{rust}");

    // Ops by themselves, and derivatives.
    let e = try_run(|| Array::from([-1.0f32]).sqrt()).unwrap_err();
    assert!(e.message().contains("`sqrt` gives NaN"), "{e}");
    let e = try_run(|| grad(|x: Array| x.sqrt().sum(..))(Array::from([0.0f32]))).unwrap_err();
    assert!(e.message().contains("of finite numbers"), "{e}");
    std::fs::remove_dir_all(&all).unwrap();
}
