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

/// `--name <VALUE>`, a number: one below zero is a number that does not fit, and no other option.
pub fn number(name: &'static str, value: &'static str, parser: impl Into<ValueParser>) -> Arg {
    option(name, value, parser).allow_negative_numbers(true)
}

/// `--name`.
pub fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// Reads a number of at least one that is not so large that it must be a mistake.
pub fn count(text: &str, most: usize) -> Result<usize, String> {
    let is_count = |n: &usize| (1..=most).contains(n);
    text.parse().ok().filter(is_count).ok_or_else(|| format!("a whole number from 1 to {most} is needed"))
}

/// Reads seconds, more than none.
pub fn seconds(text: &str) -> Result<f64, String> {
    let is_time = |t: &f64| *t > 0.0 && t.is_finite();
    text.parse().ok().filter(is_time).ok_or_else(|| "a number of seconds above 0 is needed, as in 0.5".into())
}

/// The path of [`file`].
pub fn given_file(given: &mut ArgMatches) -> PathBuf {
    given.remove_one("file").expect("clap refuses a command without it")
}

/// All values of an option that may stand more than once.
pub fn given_list<T: Any + Clone + Send + Sync>(given: &mut ArgMatches, name: &str) -> Vec<T> {
    given.remove_many(name).into_iter().flatten().collect()
}
