//! Runs the files of `programs/`, as [`Golden`] says. A step that fails gives its error. After every step the program must
//! verify, and its text must read back to itself. `BLESS=1` writes what came out into the files; look at the difference
//! before you keep it.

use wengert_core::{Program, Result};
use wengert_testing::Golden;

fn run(golden: &Golden) -> Result<String> {
    let mut text = String::new();
    for stage in golden.stages() {
        let programs = stage?.programs;
        for p in &programs {
            p.verify()?;
            assert_eq!(Program::parse(&p.to_text())?.to_text(), p.to_text(), "the text reads back to itself");
        }
        text = programs.iter().map(Program::to_text).collect();
    }
    Ok(text)
}

#[test]
fn programs() {
    let mut failures = Vec::new();
    for golden in Golden::all() {
        let found = run(&golden).unwrap_or_else(|e| format!("error: {e}\n"));
        if std::env::var_os("BLESS").is_some() {
            golden.bless(&found);
        } else if found != golden.expected {
            failures.push(format!("{}\n--- expected\n{}--- found\n{found}\n", golden.name(), golden.expected));
        }
    }
    assert!(failures.is_empty(), "BLESS=1 writes what is found into the files.\n\n{}", failures.join("\n"));
}
