//! A build of one package has every dependency with the features that it has in a build of the whole workspace. Otherwise
//! the dependency, and all that depends on it, is built once more for each choice of packages.

use super::{none, root};
use std::collections::BTreeSet;
use std::process::Command;

/// What `cargo tree` says, a line for each package.
fn tree(arguments: &[&str]) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["tree", "--frozen", "--prefix", "none"]).args(arguments);
    let out = cargo.output().expect("cargo runs");
    assert!(out.status.success(), "{cargo:?}: {}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).expect("text");
    let marks = [" (*)", " (proc-macro)"];
    let unmarked = |line: &str| marks.iter().fold(line.to_string(), |line, mark| line.replace(mark, ""));
    text.lines().filter(|line| !line.is_empty()).map(unmarked).collect()
}

/// The packages that are built for a choice of packages, with their features; `edges` says whether for tests too.
fn features(chosen: &[&str], edges: &str) -> BTreeSet<String> {
    tree(&[chosen, &["--edges", edges, "--format", "{p} [{f}]"]].concat())
}

#[test]
fn features_do_not_depend_on_the_packages_that_are_chosen() {
    let all = features(&["--workspace"], "normal,build,dev");
    let mut other = Vec::new();
    for package in tree(&["--workspace", "--depth", "0", "--format", "{p}"]) {
        let name = package.split(' ').next().expect("a name");
        for edges in ["normal,build", "normal,build,dev"] {
            let alone = features(&["--package", name], edges);
            other.extend(alone.difference(&all).map(|line| format!("{line}, for `-p {name}`")));
        }
    }
    none(
        other,
        "these have other features than in a build of the workspace: see `[workspace.dependencies]` in Cargo.toml",
    );
}
