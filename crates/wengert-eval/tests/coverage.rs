//! Every op has a test that holds it against itself under every transform, and values that JAX computed for it.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use wengert_core::Op;
use wengert_core::ops::{Binary, Unary};

/// The ops that no file of this ending in the folders writes in a program, of those files where `about` holds.
fn unused(folders: &[&str], ending: &str, about: fn(&str) -> bool) -> Vec<&'static str> {
    let folders = folders.iter().map(|f| Path::new(env!("CARGO_MANIFEST_DIR")).join(f));
    let texts: Vec<String> = folders
        .flat_map(|f| fs::read_dir(&f).unwrap_or_else(|e| panic!("{}: {e}", f.display())))
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .map(|path| fs::read_to_string(path).expect("text"))
        .filter(|text| about(text))
        .collect();
    // What stands before an attribute or a parenthesis, after an equals sign or a quote.
    let name = |after: &'_ str| -> Option<String> {
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        (after[end..].starts_with(['[', '('])).then(|| after[..end].to_string())
    };
    let written: HashSet<String> = texts
        .iter()
        .flat_map(|t| t.split(['=', '"']).filter_map(|after| name(after.trim_start_matches(' '))))
        .collect();
    Op::names().into_iter().filter(|op| !written.contains(*op)).collect()
}

#[test]
fn every_op_is_checked_under_every_transform() {
    let mut left = unused(&["tests/ops", "tests/ops/control"], "rs", |text| {
        text.contains("check_op(") || text.contains("check_program(")
    });
    // The families are checked member by member.
    left.retain(|op| Unary::from_name(op).is_none() && Binary::from_name(op).is_none());
    // A derivative that is still to be taken; no program that runs has one.
    assert_eq!(left, ["pullback"], "give these a line with `check_op`");
}

#[test]
fn every_op_has_values_from_jax() {
    let mut left = unused(&["../../tests/reference/data"], "txt", |_| true);
    // Random bits and collectives have their values beside their tests.
    left.retain(|op| !["threefry2x32", "rng_bit_generator"].contains(op));
    left.retain(|op| !op.starts_with("all_") && !["axis_index", "reduce_scatter", "collective_permute"].contains(op));
    // These have no value of their own, or only derivatives of others use them.
    let no_value = ["constant", "select_and_gather", "custom_jvp", "custom_vjp", "linear_solve", "root", "pullback"];
    assert_eq!(left, no_value, "give these cases in `tests/reference/cases`");
}
