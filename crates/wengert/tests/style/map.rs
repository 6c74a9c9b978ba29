//! The code map of `ARCHITECTURE.md` and the crates agree: every file right under a `src` is named there, and what is named
//! is there.

use super::{none, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files and folders that the map names, by crate. A crate begins with a row ``| **`crates/…`** |``, and goes on with
/// rows that begin with `| …`.
fn mapped() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("| **`") {
            current = rest.split('`').next().map(String::from);
        } else if !line.starts_with("| … ") {
            current = None;
        }
        let Some(name) = &current else { continue };
        let words = line.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
        let files = words.filter(|w| [".rs", ".py", "/"].iter().any(|end| w.ends_with(end)));
        found.entry(name.clone()).or_default().extend(files.map(String::from));
    }
    found
}

/// What is right under a folder: `name.rs` and `folder/`.
fn under(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("a name");
        if entry.path().is_dir() { format!("{name}/") } else { name }
    };
    entries.map(|e| name(e.expect("a file"))).collect()
}

#[test]
fn every_file_is_on_the_map() {
    let mapped = mapped();
    let mut missing = Vec::new();
    for name in under(&root().join("crates")) {
        let name = format!("crates/{}", name.trim_end_matches('/'));
        let Some(there) = mapped.get(&name) else {
            missing.push(name);
            continue;
        };
        let files = under(&root().join(&name).join("src"));
        let entry = |f: &String| f != "lib.rs" && f != "main.rs";
        missing.extend(files.into_iter().filter(entry).filter(|f| !there.contains(f)).map(|f| format!("{name}: {f}")));
    }
    missing.sort();
    none(missing, "the code map of ARCHITECTURE.md does not name these");
}

#[test]
fn what_is_on_the_map_is_there() {
    let mut lost = Vec::new();
    for (name, files) in mapped() {
        let folder = root().join(&name);
        // A file may be named after the folder that its row is about.
        let folders: Vec<_> = [folder.join("src"), folder.clone()]
            .into_iter()
            .chain(
                under(&folder.join("src")).into_iter().filter(|f| f.ends_with('/')).map(|f| folder.join("src").join(f)),
            )
            .collect();
        let there = |f: &&String| folders.iter().any(|folder| folder.join(f).exists());
        lost.extend(files.iter().filter(|f| !there(f)).map(|f| format!("{name}: {f}")));
    }
    none(lost, "the code map of ARCHITECTURE.md names these, and they are not there");
}
