//! The command `wengert`. One file a subcommand; each returns what failed, and `main` makes that a message and a code:
//! 1 for a mistake in a program or its run, or nothing found; 2 for a command that makes no sense, 3 for what is not supported.

mod backend;
mod condition;
mod convert;
mod devices;
mod failure;
mod overview;
mod run;
mod screen;
mod show;
mod source;
mod values;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Run, convert and look at array programs.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Run(run::Run),
    Convert(convert::Convert),
    Devices(devices::Devices),
    Show(show::Show),
}

/// The error, and a hint where a program stands among the inputs.
fn hinted(mut error: clap::Error) -> clap::Error {
    let is_program = |name: &String| name.ends_with(".mlir") || name.ends_with(".wg");
    if error.kind() == ErrorKind::MissingRequiredArgument
        && let Some(name) = std::env::args().skip(1).find(is_program)
    {
        let hint = format!("`{name}` was taken for an input: write it before `--input`, or after `--`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

fn main() -> ExitCode {
    let command = Command::try_parse().unwrap_or_else(|e| hinted(e).exit());
    let done: Result<(), Failure> = match command.task {
        Task::Run(task) => task.perform(),
        Task::Convert(task) => task.perform(),
        Task::Devices(task) => task.perform(),
        Task::Show(task) => task.perform(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
