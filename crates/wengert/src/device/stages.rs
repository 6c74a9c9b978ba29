//! What programs become on the way to machine code: the names of the stages, and `WENGERT_PRINT_AFTER`, which prints them
//! for every program that is compiled.

use std::sync::LazyLock;
use wengert_core::run::Executable;
use wengert_core::{Error, ErrorKind, Program, Result};

/// The variable that names the stages, with commas between them, that are printed on the standard error for every program
/// that is compiled.
pub const PRINT_VARIABLE: &str = "WENGERT_PRINT_AFTER";

/// The program as a device is given it.
const SIMPLIFY: &str = "simplify";

/// The stages that a staged function goes through on the CPU, in their order: `simplify`, the program as a device is given
/// it; `rewrite`, the program as it is compiled, to which the evaluator gives the same bits; `fuse`, which equations run as one block; `schedule`, the blocks in the order they run; `memory`, who has which piece of
/// the memory of temporaries; `kernel`, the function that the program becomes; `machine`, machine code beside the
/// instructions and equations that it came from.
///
/// ```
/// assert_eq!(wengert::stages(), ["simplify", "rewrite", "fuse", "schedule", "memory", "kernel", "machine"]);
/// ```
pub fn stages() -> Vec<&'static str> {
    [SIMPLIFY].into_iter().chain(wengert_cpu::STAGES.iter().copied()).collect()
}

/// An error that lists the stages, if there is none of this name.
pub(crate) fn check(name: &str) -> Result<()> {
    let all = stages();
    match all.contains(&name) {
        true => Ok(()),
        false => {
            let m = format!("there is no stage `{name}`: the stages are {}", all.join(", "));
            Err(Error::new(ErrorKind::Run, m))
        }
    }
}

/// A program after a stage; none where the device that it was compiled for has no such stage.
pub(crate) fn after(stage: &str, program: &Program, executable: &dyn Executable) -> Option<String> {
    if stage == SIMPLIFY { Some(format!("{program}\n")) } else { executable.stage(stage) }
}

/// The stages that the environment asks for.
pub(super) fn printed() -> Result<&'static [String]> {
    static ASKED: LazyLock<Result<Vec<String>>> = LazyLock::new(|| {
        let asked = std::env::var(PRINT_VARIABLE).unwrap_or_default();
        let names: Vec<String> = asked.split(',').map(str::trim).filter(|s| !s.is_empty()).map(String::from).collect();
        let noted = |e: Error| e.note(format!("the variable {PRINT_VARIABLE} asks for it"));
        names.iter().try_for_each(|name| check(name)).map_err(noted).map(|()| names)
    });
    match &*ASKED {
        Ok(names) => Ok(names),
        Err(e) => Err(e.clone()),
    }
}

/// Prints stages of a program.
pub(super) fn print(stages: &[String], program: &Program, executable: &dyn Executable) {
    let name = if program.name().is_empty() { "program" } else { program.name() };
    for stage in stages {
        if let Some(text) = after(stage, program, executable) {
            eprintln!("// {name} after {stage}\n{text}");
        }
    }
}
