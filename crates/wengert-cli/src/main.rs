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

fn main() -> ExitCode {
    let done: Result<(), Failure> = match Command::parse().task {
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
