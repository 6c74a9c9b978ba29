//! `wengert convert`: from one text form to the other.

use crate::failure::Failure;
use crate::source::Source;
use clap::Args;
use std::path::PathBuf;
use wengert_core::{Error, ErrorKind};

/// Write a program in Wengert's text form.
#[derive(Debug, Args)]
pub struct Convert {
    /// The program; `-` reads it from the standard input.
    file: PathBuf,
    /// Write here instead of to the standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Convert {
    /// Converts the program.
    pub fn perform(&self) -> Result<(), Failure> {
        let text = Source::read(&self.file)?.program.to_text();
        match &self.output {
            None => print!("{text}"),
            Some(path) => std::fs::write(path, text)
                .map_err(|e| Error::new(ErrorKind::File, format!("{}: {e}", path.display())))?,
        }
        Ok(())
    }
}
