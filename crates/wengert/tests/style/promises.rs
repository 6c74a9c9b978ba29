//! `PROMISES.md` and the tests agree: each promise is there once, each test named there exists, and each test named for a
//! promise is named there.

use super::{all, none, root};
use std::collections::BTreeMap;
use std::fs;

/// How many promises there are under each letter.
const COUNTS: [(char, usize); 6] = [('A', 13), ('B', 6), ('C', 11), ('D', 7), ('E', 8), ('F', 4)];

/// One promise of the file: its number, its state and text, and its tests as pairs of file and function.
struct Promise {
    number: String,
    state: String,
    text: String,
    tests: Vec<(String, String)>,
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(String::from)
}

/// `- **A2** (shown) What is promised.`, then lines such as ``- `crates/…/cache.rs`: `a2_one`, `a2_two` ``.
fn promises() -> Vec<Promise> {
    let text = fs::read_to_string(root().join("PROMISES.md")).expect("PROMISES.md");
    let body = |entry: &str| entry.split("\n## ").next().expect("the first part").replace("\n    ", " ");
    let read = |entry: &str| {
        let entry = body(entry);
        let mut lines = entry.split("\n  - ");
        let what = lines.next().expect("the promise itself").replace("\n  ", " ");
        let (number, rest) = what.split_once("** (").unwrap_or_else(|| panic!("`{what}` has no state"));
        let (state, text) = rest.split_once(") ").expect("a state in parentheses");
        let tests = lines.flat_map(|line| {
            let mut words = quoted(line);
            let file = words.next().unwrap_or_else(|| panic!("{number}: `{line}` names no file"));
            words.map(move |test| (file.clone(), test))
        });
        Promise { number: number.into(), state: state.into(), text: text.into(), tests: tests.collect() }
    };
    text.split("\n- **").skip(1).map(read).collect()
}

/// The numbers that a test is named for: `c8_d4_a_tape_is_a_program` is of C8 and D4.
fn numbers_of(test: &str) -> Vec<String> {
    let number = |w: &&str| {
        let (letter, digits) = w.split_at(w.len().min(1));
        matches!(letter, "a" | "b" | "c" | "d" | "e" | "f")
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_ascii_digit())
    };
    test.split('_').take_while(number).map(str::to_uppercase).collect()
}

/// The tests in a source, by name.
fn tests_in(text: &str) -> Vec<&str> {
    let mut lines = text.lines().map(str::trim);
    let mut found = Vec::new();
    while lines.any(|l| l.starts_with("#[test]")) {
        found.extend(lines.find_map(|l| l.strip_prefix("fn ")?.split('(').next()));
    }
    found
}

#[test]
fn every_promise_is_there_once_and_in_order() {
    let expected: Vec<String> =
        COUNTS.iter().flat_map(|(letter, n)| (1..=*n).map(move |i| format!("{letter}{i}"))).collect();
    let found: Vec<String> = promises().into_iter().map(|p| p.number).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_promise_has_the_tests_of_its_state() {
    let wrong = promises().into_iter().filter(|p| match p.state.as_str() {
        "shown" => p.tests.is_empty() || p.text.contains("Missing: "),
        "in part" => p.tests.is_empty() || !p.text.contains("Missing: "),
        "not yet" => !p.tests.is_empty(),
        _ => true,
    });
    none(
        wrong.map(|p| format!("{} ({}), with {} tests", p.number, p.state, p.tests.len())).collect(),
        "`shown` and `in part` name tests, `in part` says what is missing after `Missing: `, `not yet` names none",
    );
}

#[test]
fn every_test_that_is_named_is_there() {
    let sources: BTreeMap<String, String> = all().into_iter().collect();
    let there = |file: &str, test: &str| sources.get(file).is_some_and(|text| tests_in(text).contains(&test));
    let mut missing = Vec::new();
    for p in promises() {
        let lost = p.tests.iter().filter(|(file, test)| !there(file, test));
        missing.extend(lost.map(|(file, test)| format!("{}: {file} has no test `{test}`", p.number)));
    }
    none(missing, "PROMISES.md names tests that are not there");
}

#[test]
fn every_test_of_a_promise_is_named() {
    let promises: BTreeMap<String, Promise> = promises().into_iter().map(|p| (p.number.clone(), p)).collect();
    let mut wrong = Vec::new();
    for (file, text) in all() {
        for test in tests_in(&text) {
            for number in numbers_of(test) {
                match promises.get(&number) {
                    None => wrong.push(format!("{file}: `{test}`, and there is no promise {number}")),
                    Some(p) if p.tests.iter().any(|(f, t)| *f == file && t == test) => {}
                    Some(_) => wrong.push(format!("{file}: `{test}` is not listed at {number}")),
                }
            }
        }
    }
    none(wrong, "these tests are named for promises that do not name them");
}
