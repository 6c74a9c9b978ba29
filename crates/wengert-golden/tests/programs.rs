//! Runs the files of `programs/`: the last step must give the text that the file expects. `BLESS=1` writes the text that
//! was found into the files; look at the difference before you keep it.

use wengert_golden::{Failure, Golden};

/// What is wrong with a file, if something is.
fn failure(golden: &Golden) -> Option<String> {
    let found = match golden.run(|_, _| ()) {
        Ok(stage) => stage.to_text(),
        Err(e @ Failure::Refused(_)) => format!("{e}\n"),
        Err(e @ Failure::Broken(_)) => return Some(format!("{e}\n")),
    };
    if found == golden.expected {
        return None;
    }
    if std::env::var_os("BLESS").is_some() {
        golden.bless(&found);
        return None;
    }
    Some(format!("{}\n--- expected\n{}--- found\n{found}", golden.name(), golden.expected))
}

#[test]
fn programs() {
    let failures: Vec<String> = Golden::all().iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "BLESS=1 writes what is found into the files.\n\n{}", failures.join("\n"));
}
