//! `wengert convert`: from one text form to the other.

use crate::failure::Failure;
use crate::screen::say;
use crate::source::{Source, TextForm};
use clap::Args;
use std::path::PathBuf;
use wengert_core::{Error, ErrorKind, Program, Result};

/// Write a program in the other text form: StableHLO for Wengert's own, and the other way round.
#[derive(Debug, Args)]
pub struct Convert {
    /// The program; `-` reads it from the standard input.
    file: PathBuf,
    /// The form to write, whatever the program is in.
    #[arg(long, value_enum)]
    to: Option<TextForm>,
    /// Write here instead of to the standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Convert {
    /// Converts the program.
    pub fn perform(&self) -> Result<(), Failure> {
        let source = Source::read(&self.file)?;
        let text = match self.to.unwrap_or(source.form.other()) {
            TextForm::Wengert => written_out(&source.program)?,
            TextForm::Stablehlo => wengert_stablehlo::export(&source.program)?,
        };
        match &self.output {
            None => say(text)?,
            Some(path) => std::fs::write(path, text)
                .map_err(|e| Error::new(ErrorKind::File, format!("{}: {e}", path.display())))?,
        }
        Ok(())
    }
}

/// The most equations that are written. Our text form writes a program wherever it is called.
const WRITTEN: usize = 20_000_000;

fn written_out(program: &Program) -> Result<String> {
    let count = program.equation_count();
    if count <= WRITTEN {
        return Ok(program.to_text());
    }
    let m = format!("this form writes a function wherever it is called, and would take {count} equations for all");
    Err(Error::new(ErrorKind::Unsupported, m).note("what to do: `--to stablehlo` writes each function once"))
}
