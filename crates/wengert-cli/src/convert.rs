//! `wengert convert`: from one text form to the other, and from tapes to both.

use crate::arguments::{file, given_file, option};
use crate::failure::{EXIT_CODES, Failure};
use crate::outputs::{Outputs, force};
use crate::screen::say;
use crate::source::{Source, TextForm};
use clap::{ArgMatches, Command, value_parser};
use std::path::PathBuf;
use wengert_core::{Error, ErrorKind, Program, Result};
use wengert_emit::files::save_text;

/// What `wengert convert` was asked for.
#[derive(Debug)]
pub struct Convert {
    file: PathBuf,
    to: Option<TextForm>,
    output: Option<PathBuf>,
    force: bool,
}

impl Convert {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Write a program in the other text form: StableHLO for Wengert's own, and the other way round. A tape is \
                     written as the program that its run was, in Wengert's own form unless `--to` says otherwise";
        let (form, path) = (value_parser!(TextForm), value_parser!(PathBuf));
        Command::new("convert").about(about).after_help(EXIT_CODES).args([
            file().help("The program, or the tape of a run; `-` reads it from the standard input"),
            option("to", "FORM", form).help("The form to write, whatever the program is in"),
            option("output", "FILE", path).short('o').help(
                "Write to this file instead of to the standard output. Its first line says that it was written so",
            ),
            force(),
        ])
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Convert {
        Convert {
            file: given_file(given),
            to: given.remove_one("to"),
            output: given.remove_one("output").filter(|path: &PathBuf| path.as_os_str() != "-"),
            force: given.get_flag("force"),
        }
    }

    /// Converts the program.
    pub fn perform(&self) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            Outputs::new([&self.file], self.force).check(path)?;
        }
        let source = Source::read(&self.file)?;
        let text = match self.to.unwrap_or(source.form.map_or(TextForm::Wengert, TextForm::other)) {
            TextForm::Wengert => written_out(&source.program)?,
            TextForm::Stablehlo => wengert_stablehlo::export(&source.program)?,
        };
        match &self.output {
            None => say(text)?,
            Some(path) => save_text(path, &format!("// Written by `wengert convert`.\n{text}"))?,
        }
        source.recorded.as_ref().map_or(Ok(()), |run| run.check_ended(&self.file))
    }
}

/// The most equations that are written. Our text form writes a program wherever it is called.
const WRITTEN: usize = 20_000_000;

/// A program in our text form, unless that would be too long.
pub fn written_out(program: &Program) -> Result<String> {
    let count = program.equation_count();
    if count <= WRITTEN {
        return Ok(program.to_text());
    }
    let m = format!("this form writes a function wherever it is called, and would take {count} equations for all");
    Err(Error::new(ErrorKind::Unsupported, m).note("what to do: `--to stablehlo` writes each function once"))
}
