//! Modules that JAX wrote, changed by their structure: lists with one element more or less, numbers at the edges, lines and
//! types exchanged. What is read is sound, runs or fails with an error, and gives the same bits compiled; nothing panics.
//!
//! `MUTATIONS` says how many of each module, `MUTATED` a folder whose modules are taken instead, `MUTATIONS_SEED` other changes.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wengert_core::run::Device;
use wengert_core::{Op, Program};
use wengert_stablehlo::parse;
use wengert_testing::{Choices, random_values, same_bits};

/// Numbers that do not depend on the run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }
}

/// Numbers where something may turn over.
const EDGES: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "5",
    "7",
    "8",
    "15",
    "16",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "-2",
    "-128",
    "1000000",
    "2147483647",
    "-2147483648",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
];
const ELEMENTS: &[&str] =
    &["f32", "f64", "f16", "bf16", "i1", "i8", "i32", "i64", "ui8", "ui32", "ui64", "complex<f32>"];

/// The integers of a text.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_digit() {
            i += 1;
            continue;
        }
        let end = (i..bytes.len()).find(|&j| !bytes[j].is_ascii_digit()).unwrap_or(bytes.len());
        // A number, and not the end of a name such as `%12` or `f32`.
        if i == 0 || !(bytes[i - 1].is_ascii_alphabetic() && bytes[i - 1] != b'x' || b"%#_@.".contains(&bytes[i - 1])) {
            found.push(if i > 0 && bytes[i - 1] == b'-' { i - 1..end } else { i..end });
        }
        i = end;
    }
    found
}

/// The lists of a text that have no others in them, without their brackets.
fn lists(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    for (i, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => open = Some(i + 1),
            ':' if text[..i].ends_with("array<i64") || text[..i].ends_with("array<i1") => open = Some(i + 1),
            ']' | ')' | '}' | '>' => found.extend(open.take().map(|from| from..i)),
            _ => {}
        }
    }
    found
}

/// The types of arrays of a text.
fn types(text: &str) -> Vec<Range<usize>> {
    let starts = text.match_indices("tensor<");
    starts.filter_map(|(i, _)| Some(i..i + text[i..].find('>')? + 1)).collect()
}

/// A list with one element more or less, or with two exchanged.
fn change_list(list: &str, dice: &mut Dice) -> String {
    let mut items: Vec<&str> = list.split(',').collect();
    let i = dice.below(items.len());
    match dice.below(3) {
        0 => drop(items.remove(i)),
        1 => items.insert(i, items[i]),
        _ => items.swap(i, 0),
    }
    items.join(",")
}

/// The text with one thing changed.
fn mutate(text: &str, dice: &mut Dice) -> String {
    let replaced = |at: &Range<usize>, by: &str| format!("{}{by}{}", &text[..at.start], &text[at.end..]);
    match dice.below(8) {
        0 | 1 => dice.of(&lists(text)).cloned().map(|at| replaced(&at, &change_list(&text[at.clone()], dice))),
        2 | 3 => dice.of(&numbers(text)).cloned().map(|at| replaced(&at, EDGES[dice.below(EDGES.len())])),
        4 => {
            let all = types(text);
            dice.of(&all).cloned().map(|at| replaced(&at, &text[all[dice.below(all.len())].clone()]))
        }
        5 => dice.of(&types(text)).cloned().map(|at| {
            let ty = &text[at.clone()];
            let (sizes, _) = ty[7..ty.len() - 1].rsplit_once('x').unwrap_or(("", ""));
            let x = if sizes.is_empty() { "" } else { "x" };
            replaced(&at, &format!("tensor<{sizes}{x}{}>", ELEMENTS[dice.below(ELEMENTS.len())]))
        }),
        6 => {
            // All of one type: what depends on it goes along.
            let all = types(text);
            dice.of(&all).cloned().map(|at| text.replace(&text[at], &text[all[dice.below(all.len())].clone()]))
        }
        _ => {
            let mut lines: Vec<&str> = text.lines().collect();
            let (i, j) = (dice.below(lines.len()), dice.below(lines.len()));
            match dice.below(3) {
                0 => lines.swap(i, j),
                1 => lines.insert(i, lines[j]),
                _ => drop(lines.remove(i)),
            }
            Some(lines.join("\n"))
        }
    }
    .unwrap_or_else(|| text.to_string())
}

/// Whether a run ends soon and takes little memory.
fn is_small(program: &Program) -> bool {
    program.input_types().iter().all(|t| t.shape.size() < 200_000) && work(program).is_some_and(|n| n < 2_000_000)
}

/// About how many elements a run goes through; none where nobody knows.
fn work(program: &Program) -> Option<usize> {
    program.equations().iter().try_fold(0usize, |sum, e| {
        let turns = match &e.op {
            Op::While(_) => return None,
            Op::Scan(s) => s.length,
            _ => 1,
        };
        let inside = e.op.programs().iter().try_fold(0usize, |sum, p| work(p)?.checked_add(sum))?;
        let own: usize = e.inputs.iter().chain(&e.outputs).map(|v| program.ty(*v).shape.size()).sum();
        inside.checked_mul(turns)?.checked_add(own)?.checked_add(sum)
    })
}

/// What became of a changed module.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    Read,
    Ran,
}

fn check(text: &str, dice: &mut Dice) -> Outcome {
    let program = match parse(text) {
        Ok(program) => Arc::new(program),
        Err(e) => {
            assert!(e.offset().is_some(), "no place: {e}");
            return Outcome::Refused;
        }
    };
    program.verify().expect("what is read is sound");
    if !is_small(&program) {
        return Outcome::Read;
    }
    let numbers: Vec<u16> = (0..64).map(|_| dice.below(1 << 16) as u16).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), true);
    let cpu = wengert_cpu::CPU;
    let rewritten = cpu.rewrite(&program, |_, _, _| ()).expect("the rewrites are known");
    let plain = wengert_eval::run(&rewritten, x.clone());
    let compiled = cpu.compile(program, &[]).and_then(|c| c.run_on_host(x));
    match (plain, compiled) {
        (Ok(plain), Ok(compiled)) => {
            for (a, b) in plain.iter().zip(&compiled) {
                assert!(same_bits(a, b), "compiled it differs:\n{rewritten}");
            }
            Outcome::Ran
        }
        (Err(_), Err(_)) => Outcome::Read,
        (a, b) => panic!("one fails alone: {:?} {:?}", a.err(), b.err()),
    }
}

fn modules() -> Vec<PathBuf> {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/cases");
    let folder = std::env::var_os("MUTATED").map_or_else(ours, PathBuf::from);
    let mut found = Vec::new();
    let mut open = vec![folder];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").path()) {
            match entry.is_dir() {
                true => open.push(entry),
                false if entry.extension().is_some_and(|e| e == "mlir") => found.push(entry),
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn number_from(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn modules_changed_by_structure_never_panic() {
    let mutations = number_from("MUTATIONS", 6);
    let mut dice = Dice(88172645463325252 ^ number_from("MUTATIONS_SEED", 0).wrapping_mul(0x9e3779b97f4a7c15));
    let (mut counts, mut failures) = ([0; 3], BTreeSet::new());
    for path in modules() {
        let text = fs::read_to_string(&path).expect("a module");
        if text.len() > 200_000 {
            continue;
        }
        for _ in 0..mutations {
            let mut changed = mutate(&text, &mut dice);
            for _ in 0..dice.below(2) {
                changed = mutate(&changed, &mut dice);
            }
            match catch_unwind(AssertUnwindSafe(|| check(&changed, &mut dice))) {
                Ok(outcome) => counts[outcome as usize] += 1,
                Err(payload) => {
                    let said = payload.downcast_ref::<String>().cloned();
                    let said = said.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string()));
                    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutated-{}.mlir", failures.len()));
                    fs::write(&kept, &changed).expect("a file");
                    let said: String = said.unwrap_or_default().chars().take(600).collect();
                    failures.insert(format!("{} of {}: {said}", kept.display(), path.display()));
                }
            }
        }
    }
    println!("{} refused, {} read, {} ran", counts[0], counts[1], counts[2]);
    assert!(failures.is_empty(), "{}", failures.into_iter().collect::<Vec<_>>().join("\n"));
    assert!(counts.iter().all(|&n| n > 0), "{counts:?}");
}
