//! The command `wengert`. One file a subcommand; each returns what failed, and `main` makes that a message and an exit code
//! (`failure.rs`).

mod arguments;
mod condition;
mod convert;
mod devices;
mod diff;
mod diff_program;
mod diff_text;
mod emit;
mod excerpt;
mod failure;
mod full;
mod json;
mod listing;
mod outputs;
mod overview;
mod progress;
mod question;
mod recorded;
mod reduce;
mod results;
mod run;
mod screen;
mod show;
mod source;
mod values;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use convert::Convert;
use devices::Devices;
use diff::Diff;
use emit::Emit;
use failure::Failure;
use reduce::{Reduce, Worker};
use run::Run;
use show::Show;
use std::process::ExitCode;
use wengert_repro::supervised;

/// The command with its subcommands.
fn command() -> Command {
    Command::new("wengert")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Run, convert, reduce and look at array programs")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([
            Run::command(),
            Convert::command(),
            Devices::command(),
            Show::command(),
            Reduce::command(),
            Diff::command(),
            Emit::command(),
            Worker::command(),
        ])
}

/// The error, and a hint where a program stands among the inputs.
fn hinted(mut error: clap::Error) -> clap::Error {
    let is_program = |name: &String| name.ends_with(".mlir") || name.ends_with(".wg");
    let lacks_file = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(all)) => all.iter().any(|name| name == "<FILE>"),
        _ => false,
    };
    if error.kind() == ErrorKind::MissingRequiredArgument
        && lacks_file
        && let Some(name) = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).find(is_program)
    {
        let hint = format!("`{name}` was taken for an input: write it before `--input`, or after `--`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

/// What is said of a failure, and how the command ends.
fn code(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn main() -> ExitCode {
    let mut given = command().try_get_matches().unwrap_or_else(|e| hinted(e).exit());
    let (task, mut given) = given.remove_subcommand().expect("clap refuses a command without one");
    // What searches for failures, or compares, runs a program many times.
    wengert::custom::register_print(!matches!(task.as_str(), "reduce" | "reduce-worker" | "diff" | "emit"));
    let done: Result<(), Failure> = match task.as_str() {
        "run" => Run::read(&mut given).perform(),
        "convert" => Convert::read(&mut given).perform(),
        "devices" => Devices::read(&mut given).perform(),
        "show" => Show::read(&mut given).perform(),
        "reduce" => return supervised(|| code(Reduce::read(&mut given).perform())),
        "emit" => Emit::read(&mut given).perform(),
        "diff" => return supervised(|| Diff::read(&mut given).end()),
        "reduce-worker" => Worker::read(&mut given).perform(),
        _ => unreachable!("clap refuses what is no subcommand"),
    };
    code(done)
}
