//! Words for what subcommands take: arguments that look alike, and how their values are read.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::any::Any;
use std::path::PathBuf;

/// The file that a subcommand is about.
pub fn file() -> Arg {
    Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf))
}

/// `--name <VALUE>`.
pub fn option(name: &'static str, value: &'static str, parser: impl Into<ValueParser>) -> Arg {
    Arg::new(name).long(name).value_name(value).value_parser(parser.into())
}

/// `--name`.
pub fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// The path of [`file`].
pub fn given_file(given: &mut ArgMatches) -> PathBuf {
    given.remove_one("file").expect("clap refuses a command without it")
}

/// All values of an option that may stand more than once.
pub fn given_list<T: Any + Clone + Send + Sync>(given: &mut ArgMatches, name: &str) -> Vec<T> {
    given.remove_many(name).into_iter().flatten().collect()
}
