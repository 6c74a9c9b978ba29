//! Writes modules with inputs, and what our evaluator makes of them, for `tests/export/check.py` to run in JAX:
//!
//!     cargo run --release -p wengert-stablehlo --example export_cases -- DIR [--every N] [--only WORD]
//!         [--platform cuda|portable] [--modules FOLDER]
//!
//! All cases, or those whose names contain `WORD`; of the reference values and of random programs, of which there are
//! thousands, one of `N`. What JAX exported into a folder must come in and go out, all of it.

mod cases;
#[allow(dead_code)] // How values are compared is up to the script.
#[path = "../../../../tests/reference/reader.rs"]
mod reader;
mod write;

use cases::Case;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wengert_stablehlo::{Options, Platform, Precision};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let Some(folder) = args.first().map(PathBuf::from) else {
        eprintln!("usage: export_cases DIR [--every N] [--only WORD] [--platform cuda|portable] [--modules FOLDER]");
        return ExitCode::from(2);
    };
    let every: usize = option("--every").map_or(1, |n| n.parse().expect("a number"));
    let word = option("--only").cloned().unwrap_or_default();
    let options = match option("--platform").map(String::as_str) {
        // With as many bits as the evaluator has.
        Some("cuda") => Options { platform: Platform::Cuda, precision: Precision::Highest, ..Options::default() },
        Some("portable") => Options { platform: Platform::Portable, ..Options::default() },
        _ => Options::default(),
    };
    // The signs of vectors are LAPACK's where LAPACK computes them.
    let is_cpu = matches!(options.platform, Platform::Cpu);
    let mut all: Vec<Case> = Vec::new();
    let modules = option("--modules").map_or(Ok(Vec::new()), |folder| cases::modules(Path::new(folder)));
    let modules = match modules {
        Ok(modules) => modules,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    let (many, few) = ([cases::reference(), cases::random()], [cases::programs(), cases::custom(), modules]);
    for (mut some, every) in many.into_iter().map(|c| (c, every)).chain(few.into_iter().map(|c| (c, 1))) {
        // Of each source, so that none is left out.
        some.retain(|c| c.name.contains(&word) && (is_cpu || !c.is_lapacks()));
        all.extend(some.into_iter().step_by(every));
    }
    match write::write(&folder, all, &options) {
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
