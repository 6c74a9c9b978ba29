//! Programs from files: StableHLO text, our own, or tapes of runs.

use crate::failure::Failure;
use crate::recorded::{RecordedRun, is_tape};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::io::Read;
use std::path::{Path, PathBuf};
use wengert_core::text::error_at;
use wengert_core::{Error, ErrorKind, Program, Var};

/// The two text forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    Stablehlo,
    Wengert,
}

impl TextForm {
    /// The other form.
    pub fn other(self) -> TextForm {
        match self {
            TextForm::Stablehlo => TextForm::Wengert,
            TextForm::Wengert => TextForm::Stablehlo,
        }
    }
}

impl ValueEnum for TextForm {
    fn value_variants<'a>() -> &'a [TextForm] {
        &[TextForm::Stablehlo, TextForm::Wengert]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            TextForm::Stablehlo => PossibleValue::new("stablehlo"),
            TextForm::Wengert => PossibleValue::new("wengert").alias("wg"),
        })
    }
}

/// A program with the text or the tape it was read from.
pub struct Source {
    pub program: Program,
    /// The names of its inputs, as the text has them.
    pub inputs: Vec<String>,
    /// The form of the text; a tape has none.
    pub form: Option<TextForm>,
    pub name: String,
    pub text: String,
    /// The run that the program is, if it is from a tape.
    pub recorded: Option<RecordedRun>,
}

impl Source {
    /// Reads a file, or the standard input for `-`.
    pub fn read(path: &Path) -> Result<Source, Failure> {
        Source::read_by(path, false)
    }

    /// The same: equations that say no place are at the one where they stand in the file.
    pub fn read_with_places(path: &Path) -> Result<Source, Failure> {
        Source::read_by(path, true)
    }

    fn read_by(path: &Path, has_places: bool) -> Result<Source, Failure> {
        if path.is_dir() {
            return Err(Failure::of_usage(folder(path)));
        }
        if RecordedRun::is_at(path) {
            let run = RecordedRun::open(path)?;
            let (program, inputs) = (run.straight.program(), run.input_names());
            let name = path.display().to_string();
            return Ok(Source { program, inputs, form: None, name, text: String::new(), recorded: Some(run) });
        }
        let (name, bytes) = match path.to_str() {
            Some("-") => {
                let mut bytes = Vec::new();
                ("<stdin>".into(), std::io::stdin().read_to_end(&mut bytes).map(|_| bytes))
            }
            _ => (path.display().to_string(), std::fs::read(path)),
        };
        let bytes = bytes.map_err(|e| Error::new(ErrorKind::File, format!("{name}: {e}")))?;
        foreign(&bytes).map_err(|e| e.within(&name))?;
        let mut text = String::from_utf8(bytes).map_err(|e| {
            let (valid, text) = (e.utf8_error().valid_up_to(), String::from_utf8_lossy(e.as_bytes()));
            let error = error_at(ErrorKind::Text, &text, valid, "this is not UTF-8");
            Failure::within(error, &name, &text)
        })?;
        if text.starts_with('\u{feff}') {
            // A byte order mark, as some editors write it.
            text.remove(0);
        }
        if text.trim().is_empty() {
            return Err(empty(&name).into());
        }
        let form = if is_ours(&text) { TextForm::Wengert } else { TextForm::Stablehlo };
        let program = match form {
            TextForm::Wengert => {
                wengert_stablehlo::import::register();
                let program = if has_places { Program::parse_file(&text, &name) } else { Program::parse(&text) };
                program.map(|program| {
                    let name = |&v: &Var| program.var_name(v).unwrap_or_default().to_string();
                    let inputs = program.inputs().iter().map(name).collect();
                    (program, inputs)
                })
            }
            TextForm::Stablehlo => {
                let read = if has_places {
                    wengert_stablehlo::read_file(&text, &name)
                } else {
                    wengert_stablehlo::read(&text)
                };
                read.map(|read| {
                    read.notes.iter().for_each(|note| eprintln!("{name}: {note}"));
                    (read.program, read.inputs)
                })
            }
        };
        match program.and_then(|(p, inputs)| p.verify().map(|()| (p, inputs))) {
            Ok((program, inputs)) => Ok(Source { program, inputs, form: Some(form), name, text, recorded: None }),
            Err(error) => Err(Failure::within(error, &name, &text)),
        }
    }
}

/// The error for a folder in the place of a file, with what it holds that may be meant.
fn folder(path: &Path) -> Error {
    let e = Error::new(ErrorKind::File, format!("`{}` is a folder, and a program or a tape is a file", path.display()));
    let files = std::fs::read_dir(path).into_iter().flatten().flatten().map(|f| f.path());
    let is_one = |f: &PathBuf| f.extension().is_some_and(|end| ["wg", "mlir", "tape"].iter().any(|e| end == *e));
    let mut files: Vec<String> = files.filter(is_one).map(|f| format!("`{}`", f.display())).collect();
    files.sort();
    files.truncate(4);
    e.note(match files.is_empty() {
        true => "what to do: name a file; none in the folder ends in `.wg`, `.mlir` or `.tape`".to_string(),
        false => format!("what to do: name a file in it, such as {}", files.join(", ")),
    })
}

/// An error for a program in a form that is not read, with the way to one that is.
fn foreign(bytes: &[u8]) -> Result<(), Error> {
    let (form, kind) = match bytes {
        _ if is_tape(bytes) => {
            let e = Error::new(ErrorKind::File, "this is a tape, which may have its arrays beside it");
            return Err(e.note("what to do: name the file instead of `-`"));
        }
        [b'M', b'L', 0xef, b'R', ..] => ("MLIR bytecode", ErrorKind::Unsupported),
        _ if bytes.trim_ascii_start().starts_with(b"HloModule") => ("HLO text", ErrorKind::Unsupported),
        _ if bytes.contains(&0) && str::from_utf8(bytes).is_err() => ("no text", ErrorKind::Text),
        _ => return Ok(()),
    };
    Err(Error::new(kind, format!("this is {form}, and StableHLO text is read"))
        .note("what to do: print it with `jax.jit(f).lower(*args).as_text()`, with `mlir_module()` of what")
        .note("`jax.export` gives, or with `get_stablehlo_text()` of PyTorch/XLA"))
}

/// The error for a file without a program.
fn empty(name: &str) -> Error {
    let e = Error::new(ErrorKind::Text, format!("{name} is empty: there is no program in it"));
    e.note("what to do: write one there with `jax.jit(f).lower(*args).as_text()`, or see whether what wrote it failed")
}

/// Whether a text is in our form: it begins with a program.
fn is_ours(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|l| !l.is_empty() && !l.starts_with("//"));
    first.is_some_and(|l| l.starts_with("program"))
}
