//! The house rules that a machine can check, over the sources of all crates.

#[path = "style/features.rs"]
mod features;
#[path = "style/map.rs"]
mod map;
#[path = "style/promises.rs"]
mod promises;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// As long as a person reads in one sitting.
const LONGEST: usize = 900;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// Every Rust file under a folder of the workspace, by its path there.
fn sources(folder: &str) -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a file").path();
            if path.is_dir() && !path.ends_with("target") {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let (root, mut found) = (root(), Vec::new());
    walk(&root.join(folder), &mut found);
    assert!(!found.is_empty(), "no sources under {folder}");
    found.sort();
    let name = |p: &Path| p.strip_prefix(&root).expect("under the root").display().to_string();
    found.iter().map(|p| (name(p), fs::read_to_string(p).expect("text"))).collect()
}

fn all() -> Vec<(String, String)> {
    [sources("crates"), sources("bench"), sources("tests")].concat()
}

/// Fails with the list, if it is not empty.
#[track_caller]
fn none(found: Vec<String>, wrong: &str) {
    assert!(found.is_empty(), "{wrong}:\n  {}", found.join("\n  "));
}

#[test]
fn no_file_is_longer_than_a_sitting() {
    let long = all().into_iter().map(|(name, text)| (text.lines().count(), name)).filter(|(n, _)| *n > LONGEST);
    none(long.map(|(n, name)| format!("{name} has {n} lines")).collect(), "cut these in parts");
}

#[test]
fn every_module_says_what_lives_there() {
    let silent = all().into_iter().filter(|(_, text)| !text.starts_with("//!"));
    none(silent.map(|(name, _)| name).collect(), "these do not open with `//!`");
}

/// Folders with one file for a family of ops, and what else is there.
const FAMILIES: [(&str, &[&str]); 8] = [
    ("crates/wengert-core/src/ops", &["check", "mod", "series", "window"]),
    ("crates/wengert-eval/src/kernels", &["math", "mod", "number", "parallel", "product", "scratch", "team", "window"]),
    ("crates/wengert-eval/tests/ops", &["common", "in_place", "mod"]),
    ("crates/wengert-cpu/src/kernels", &["mod"]),
    ("crates/wengert-expand/src", &["fused", "lib", "normalize", "sparse", "special"]),
    (
        "crates/wengert-stablehlo/src/import",
        &[
            "body",
            "custom_call",
            "definitions",
            "einsum",
            "fields",
            "mod",
            "normalize",
            "place",
            "platform",
            "refused",
            "sizes",
        ],
    ),
    ("crates/wengert-stablehlo/src/export", &["function", "literal", "location", "mod", "ops", "text"]),
    (
        "crates/wengert/src/numpy",
        &["axes", "einsum", "index", "interop", "mask", "mod", "operators", "search", "stats"],
    ),
];

/// The names of the files and folders right under a folder.
fn names_under(folder: &str) -> BTreeSet<String> {
    let name = |path: String| {
        let rest = path.strip_prefix(&format!("{folder}/")).expect("under the folder");
        let first = rest.split('/').next().expect("a name");
        first.strip_suffix(".rs").unwrap_or(first).to_string()
    };
    sources(folder).into_iter().map(|(path, _)| name(path)).collect()
}

#[test]
fn a_family_of_ops_has_one_name() {
    let [(core, no_families), others @ ..] = FAMILIES;
    let mut families = names_under(core);
    families.retain(|name| !no_families.contains(&name.as_str()));
    for (folder, listed) in others {
        let found: Vec<String> = names_under(folder).difference(&families).cloned().collect();
        assert_eq!(found, listed, "what {folder} has beside families of {core}");
    }
}

#[test]
fn nothing_is_left_to_do() {
    // Written in halves, so that this file does not find itself.
    let words = [concat!("to", "do!("), concat!("unimpl", "emented!("), concat!("db", "g!(")];
    let mut found = Vec::new();
    for (name, text) in all() {
        for (i, line) in text.lines().enumerate() {
            if words.iter().any(|w| line.contains(w)) {
                found.push(format!("{name}:{}: {}", i + 1, line.trim()));
            }
        }
    }
    none(found, "finish these");
}

/// The functions that users call, without an example in their documentation.
fn without_example(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut example = false;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("#[cfg(test)]") {
            break;
        }
        match line {
            // What a macro passes on was written where it is used.
            _ if line.starts_with("$(#[$") || line.starts_with("#[doc(hidden)]") => example = true,
            _ if line.starts_with("///") || line.starts_with("#[") || line.starts_with("$(#[") => {
                // A fence with a word after it, such as `text`, is not run.
                example |= line.ends_with("```");
            }
            _ if line.starts_with("pub fn ") || line.starts_with("pub const fn ") => {
                if !example {
                    found.push((i + 1, line));
                }
                example = false;
            }
            _ => example = false,
        }
    }
    found
}

#[test]
fn every_function_has_an_example_that_runs() {
    let mut found = Vec::new();
    // Called by what `#[track]` writes, and by nobody else.
    let files = [
        "/track.rs",
        "wengert/src/spot.rs",
        "wengert/src/tie.rs",
        "wengert/src/shown.rs",
        "wengert/src/receiver.rs",
        "wengert/src/call_values.rs",
    ];
    let hidden = |name: &str| files.iter().any(|f| name.ends_with(f));
    for (name, text) in sources("crates/wengert/src").into_iter().filter(|(name, _)| !hidden(name)) {
        found.extend(without_example(&text).into_iter().map(|(i, line)| format!("{name}:{i}: {line}")));
    }
    none(found, "give these an example");
}

/// Names of tests, which say of which promise they are.
fn names_of_tests(text: &str) -> Vec<&str> {
    let promise = |w: &&str| {
        let mut letters = w.chars();
        matches!(letters.next(), Some('c' | 'd')) && letters.next().is_some_and(|c| c.is_ascii_digit())
            || w.starts_with("decision_")
    };
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| w.contains('_')).filter(promise).collect()
}

#[test]
fn the_tests_that_the_readme_names_are_there() {
    let readme = fs::read_to_string(root().join("README.md")).expect("text");
    let all: String = sources("crates").into_iter().map(|(_, text)| text).collect();
    let there = |name: &str| all.contains(&format!("fn {name}()"));
    let missing = names_of_tests(&readme).into_iter().filter(|n| !there(n)).map(String::from).collect();
    none(missing, "the README names these tests, and there are none");
}

#[test]
fn crates_are_compiled_for_the_tests_that_they_have() {
    let mut wrong = Vec::new();
    // Where building a crate for its unit tests takes longer than all the rest, they are a step of their own.
    let checks = fs::read_to_string(root().join(".ci/run")).expect("text");
    let step = checks.lines().find(|l| l.starts_with("step cargo test --lib ")).unwrap_or("");
    let apart = |name: &str| step.split_whitespace().collect::<Vec<_>>().windows(2).any(|w| w == ["-p", name]);
    for crate_name in fs::read_dir(root().join("crates")).expect("a folder").map(|e| e.expect("a folder").path()) {
        let name = crate_name.file_name().expect("a name").to_string_lossy().into_owned();
        let manifest = fs::read_to_string(crate_name.join("Cargo.toml")).expect("a manifest");
        // What is a link has its tests in the crate that it leads to.
        let own =
            sources(&format!("crates/{name}/src")).into_iter().filter(|(path, _)| !root().join(path).is_symlink());
        let source: String = own.map(|(_, text)| text).collect();
        let line = |l: &str, mark: &str| l.trim_start().starts_with(mark);
        let has_tests = source.lines().any(|l| line(l, "#[test]"));
        let has_examples = source.lines().any(|l| line(l, "/// ```") || line(l, "//! ```"));
        let lib = manifest.split("[lib]").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap_or("");
        let run_apart = apart(&name);
        if (has_tests && !run_apart) == lib.contains("\ntest = false") && crate_name.join("src/lib.rs").exists() {
            wrong.push(format!("{name}: `test = false` and its unit tests"));
        }
        if run_apart && !has_tests {
            wrong.push(format!("{name}: a step of `.ci/run` and no unit tests"));
        }
        if has_examples && lib.contains("\ndoctest = false") {
            wrong.push(format!("{name}: `doctest = false` and its examples"));
        }
    }
    none(wrong, "these don't go together: tests that are never run, or a crate that is compiled twice for none");
}
