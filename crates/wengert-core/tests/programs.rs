//! Runs the files of `programs/`: each is a header of steps, a program, and after `====` what the steps make of it.
//!
//! Steps are written one a line and work on what the one before gave:
//!
//! - `test text`: parse and print;
//! - `test simplify`, `test simplify fold algebra`: all passes, or these once;
//! - `test jvp 1 0`, `test vjp 1 0`: derivative for the inputs marked 1;
//! - `test linearize 1 0`: both halves;
//! - `test transpose 0 1`: linear in the inputs marked 1;
//! - `test batch 5 1 0`: over a batch of 5 for the inputs marked 1.
//!
//! A step that fails gives its error. After every step the program must verify, and its text must read back to itself.
//! `BLESS=1` writes what came out into the files; look at the difference before you keep it.

use std::fmt::Write;
use std::path::Path;
use wengert_core::simplify::{Pass, Simplifier};
use wengert_core::{Program, Result, transform};

const BAR: &str = "====\n";

fn flags(words: &[&str]) -> Vec<bool> {
    words.iter().map(|w| *w == "1").collect()
}

fn step(program: &Program, words: &[&str]) -> Result<Vec<Program>> {
    let (&command, args) = words.split_first().expect("a header line names a step");
    let outputs = program.outputs().len();
    Ok(vec![match command {
        "text" => program.clone(),
        "simplify" if args.is_empty() => Simplifier::default().run(program),
        "simplify" => {
            let passes: Vec<Pass> = args.iter().map(|a| Pass::from_name(a).expect("a pass")).collect();
            Simplifier::new(&passes).run(program)
        }
        "jvp" => transform::jvp(program, &flags(args))?.0,
        "vjp" => transform::vjp(program, &flags(args))?,
        "linearize" => {
            let halves = transform::linearize(program, &flags(args), &vec![false; outputs])?;
            return Ok(vec![halves.forward.with_name("forward"), halves.linear.with_name("linear")]);
        }
        "transpose" => transform::transpose(program, &flags(args), &vec![true; outputs])?.0,
        "batch" => {
            let size = args[0].parse().expect("the size of the batch");
            transform::batch(program, size, None, &flags(&args[1..]), &vec![false; outputs])?.0
        }
        _ => panic!("there is no step `{command}`"),
    }])
}

fn run(input: &str) -> Result<String> {
    let (header, text) = input.split_at(input.find("\nprogram").map_or(input.len(), |i| i + 1));
    let steps = header.lines().filter_map(|l| l.strip_prefix("test "));
    let mut programs = vec![Program::parse(text)?];
    for line in steps {
        let words: Vec<&str> = line.split_whitespace().collect();
        programs = step(&programs[0], &words)?;
        for p in &programs {
            p.verify()?;
            assert_eq!(Program::parse(&p.to_text())?.to_text(), p.to_text(), "the text reads back to itself");
        }
    }
    Ok(programs.iter().map(Program::to_text).collect())
}

fn check(path: &Path) -> Option<String> {
    let file = std::fs::read_to_string(path).expect("a readable file");
    let (input, expected) = file.split_once(BAR).unwrap_or((&file, ""));
    let found = run(input).unwrap_or_else(|e| format!("error: {e}\n"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, format!("{}{BAR}{found}", input.trim_end().to_string() + "\n")).expect("a writable file");
        return None;
    }
    (found != expected).then(|| format!("{}\n--- expected\n{expected}--- found\n{found}\n", path.display()))
}

#[test]
fn programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "wg"));
    paths.sort();
    assert!(!paths.is_empty());
    let mut failures = String::new();
    for path in &paths {
        if let Some(f) = check(path) {
            writeln!(failures, "{f}").expect("a string");
        }
    }
    assert!(failures.is_empty(), "BLESS=1 writes what is found into the files.\n\n{failures}");
}
