//! Programs from files: StableHLO text, or our own.

use crate::failure::Failure;
use clap::ValueEnum;
use std::io::Read;
use std::path::Path;
use wengert_core::text::error_at;
use wengert_core::{Error, ErrorKind, Program};

/// The two text forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    Stablehlo,
    Wengert,
}

impl Form {
    /// The one that this is not.
    pub fn other(self) -> Form {
        match self {
            Form::Stablehlo => Form::Wengert,
            Form::Wengert => Form::Stablehlo,
        }
    }
}

/// A program with the text it was read from.
pub struct Source {
    pub program: Program,
    pub form: Form,
    pub name: String,
    pub text: String,
}

impl Source {
    /// Reads a file, or the standard input for `-`.
    pub fn read(path: &Path) -> Result<Source, Failure> {
        let (name, bytes) = match path.to_str() {
            Some("-") => {
                let mut bytes = Vec::new();
                ("<stdin>".into(), std::io::stdin().read_to_end(&mut bytes).map(|_| bytes))
            }
            _ => (path.display().to_string(), std::fs::read(path)),
        };
        let bytes = bytes.map_err(|e| Error::new(ErrorKind::File, format!("{name}: {e}")))?;
        let mut text = String::from_utf8(bytes).map_err(|e| {
            let (valid, text) = (e.utf8_error().valid_up_to(), String::from_utf8_lossy(e.as_bytes()));
            let error = error_at(ErrorKind::Text, &text, valid, "this is not UTF-8");
            Failure::within(error, &name, &text)
        })?;
        if text.starts_with('\u{feff}') {
            // A byte order mark, as some editors write it.
            text.remove(0);
        }
        let form = if is_ours(&text) { Form::Wengert } else { Form::Stablehlo };
        let program = match form {
            Form::Wengert => {
                wengert_stablehlo::import::register();
                Program::parse(&text)
            }
            Form::Stablehlo => wengert_stablehlo::read(&text).map(|read| {
                read.notes.iter().for_each(|note| eprintln!("{name}: {note}"));
                read.program
            }),
        };
        let program = program.and_then(|p| p.verify().map(|()| p));
        match program {
            Ok(program) => Ok(Source { program, form, name, text }),
            Err(error) => Err(Failure::within(error, &name, &text)),
        }
    }
}

/// Whether a text is in our form: it begins with a program.
fn is_ours(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|l| !l.is_empty() && !l.starts_with("//"));
    first.is_some_and(|l| l.starts_with("program"))
}
