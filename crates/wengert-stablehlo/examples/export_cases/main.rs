//! Writes modules with inputs, and what our evaluator makes of them, for `tests/export/check.py` to run in JAX:
//!
//!     cargo run --release -p wengert-stablehlo --example export_cases -- DIR [EVERY [WORD]]
//!
//! All cases, or one of `EVERY` (a number), or those whose names contain `WORD`.

mod cases;
#[allow(dead_code)] // How values are compared is up to the script.
#[path = "../../../../tests/reference/reader.rs"]
mod reader;
mod write;

use cases::Case;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(folder) = args.next().map(PathBuf::from) else {
        eprintln!("usage: export_cases DIR [EVERY [WORD]]");
        return ExitCode::from(2);
    };
    let every: usize = args.next().map_or(1, |n| n.parse().expect("a number"));
    let word = args.next().unwrap_or_default();
    let mut all: Vec<Case> = Vec::new();
    for source in [cases::reference, cases::programs, cases::random, cases::custom] {
        // Of each source, so that none is left out.
        let mut some = source();
        some.retain(|c| c.name.contains(&word));
        all.extend(some.into_iter().step_by(every));
    }
    match write::write(&folder, all) {
        Ok(count) => {
            println!("{count}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("{}: {e}", folder.display());
            ExitCode::FAILURE
        }
    }
}
