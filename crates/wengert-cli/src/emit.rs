//! `wengert emit`: a program or a recorded run as a file that stands alone.

use crate::arguments::{file, flag, given_file, given_list, option};
use crate::failure::Failure;
use crate::recorded::RecordedRun;
use crate::screen::say;
use crate::source::Source;
use crate::values::Inputs;
use clap::builder::PossibleValue;
use clap::{ArgAction, ArgMatches, Command, ValueEnum, value_parser};
use std::path::{Path, PathBuf};
use wengert::Tape;
use wengert_core::{Error, ErrorKind, Result, Tensor};
use wengert_emit::files::{named_inputs, save_arrays, save_text};
use wengert_emit::{CallTree, Emitted, Options, RecordedTree, Run};
use wengert_repro::files::run_of;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Rust,
    Jax,
    Stablehlo,
    Wengert,
}

impl ValueEnum for Target {
    fn value_variants<'a>() -> &'a [Target] {
        &[Target::Rust, Target::Jax, Target::Stablehlo, Target::Wengert]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Target::Rust => PossibleValue::new("rust"),
            Target::Jax => PossibleValue::new("jax"),
            Target::Stablehlo => PossibleValue::new("stablehlo"),
            Target::Wengert => PossibleValue::new("wg").alias("wengert"),
        })
    }
}

/// What `wengert emit` was asked for.
pub struct Emit {
    file: PathBuf,
    to: Target,
    output: Option<PathBuf>,
    package: Option<PathBuf>,
    dependency: Option<PathBuf>,
    input: Vec<PathBuf>,
    random: Option<i64>,
    ones: bool,
    fake_data: Option<u64>,
    anonymous: bool,
}

impl Emit {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Write a program, or what a recorded run did, as source that stands alone: it runs on the same inputs and \
                     compares what comes of it with what did then";
        let path = || value_parser!(PathBuf);
        Command::new("emit").about(about).args([
            file().help("The tape of a run, or a program: StableHLO text or Wengert's own"),
            option("to", "FORM", value_parser!(Target)).required(true).help("What to write"),
            option("output", "FILE", path()).short('o').conflicts_with("package").help(
                "Write here instead of to the standard output; arrays too large for the text go to a safetensors file of the \
                 same name beside it",
            ),
            option("package", "DIR", path()).help("Write a cargo package, with `--to rust`"),
            option("wengert", "DIR", path()).requires("package").help("Where the package finds the library `wengert`"),
            option("input", "FILE", path()).help("The inputs, as for `run`").num_args(0..).action(ArgAction::Append)
                .conflicts_with_all(["random", "ones"]),
            option("random", "SEED", value_parser!(i64)).help("Draw the inputs").allow_negative_numbers(true)
                .conflicts_with("ones"),
            flag("ones").help("Every element of every input is 1"),
            option("fake-data", "SEED", value_parser!(u64)).help(
                "Large inputs are drawn anew where the text runs, and nothing of theirs is written; results are not compared",
            ),
            flag("anonymous").help("No names and no places of the user's, and no values but those that stand in the program"),
        ])
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Emit {
        Emit {
            file: given_file(given),
            to: given.remove_one("to").expect("clap refuses a command without it"),
            output: given.remove_one("output"),
            package: given.remove_one("package"),
            dependency: given.remove_one("wengert"),
            input: given_list(given, "input"),
            random: given.remove_one("random"),
            ones: given.get_flag("ones"),
            fake_data: given.remove_one("fake-data"),
            anonymous: given.get_flag("anonymous"),
        }
    }

    /// Writes it.
    pub fn perform(&self) -> Result<(), Failure> {
        if self.package.is_some() && self.to != Target::Rust {
            return Err(Error::new(ErrorKind::Unsupported, "`--package` goes with `--to rust` alone").into());
        }
        let data_file = match (&self.package, &self.output) {
            (Some(_), _) => "data.safetensors".to_string(),
            (None, Some(path)) => name_of(&path.with_extension("safetensors")),
            (None, None) => "data.safetensors".to_string(),
        };
        let options = Options { fake_data: self.fake_data, data_file, anonymous: self.anonymous, ..Default::default() };
        if let Some(run) = self.recorded()? {
            let emitted = if self.to == Target::Rust { wengert_emit::rust } else { wengert_emit::jax };
            let emitted = emitted(&run, &options).map_err(|e| e.within(self.file.display()))?;
            return Ok(self.write(emitted)?);
        }
        let source = Source::read(&self.file)?;
        let here = |e: Error| Failure::within(e, &source.name, &source.text);
        let emitted = match self.to {
            Target::Rust => wengert_emit::rust(&self.run(&source).map_err(here)?, &options).map_err(here)?,
            Target::Jax => wengert_emit::jax(&self.run(&source).map_err(here)?, &options).map_err(here)?,
            Target::Stablehlo | Target::Wengert => {
                let (program, names) = named_inputs(&source.program, self.anonymous);
                let text = match self.to {
                    Target::Stablehlo => wengert_stablehlo::export(&program).map_err(here)?,
                    _ => program.to_text(),
                };
                let values = self.inputs(&source).map_err(here)?;
                Emitted { text, data: names.into_iter().zip(values).collect() }
            }
        };
        Ok(self.write(emitted)?)
    }

    /// Whether inputs are given.
    fn has_inputs(&self) -> bool {
        self.random.is_some() || self.ones || !self.input.is_empty()
    }

    /// The run of a tape, as it was called. None if there is no tape, or it is to run on other inputs, or does not say enough: a
    /// run that came to its end is then written as the program that it was.
    fn recorded(&self) -> Result<Option<Run>, Failure> {
        let is_source = matches!(self.to, Target::Rust | Target::Jax);
        if !is_source || self.has_inputs() || !RecordedRun::is_at(&self.file) {
            return Ok(None);
        }
        let tape = Tape::open(&self.file).map_err(Failure::of_tape)?;
        match CallTree::of_tape(&tape) {
            Ok(RecordedTree { tree, inputs, outcome }) => Ok(Some(Run { tree, inputs, outcome })),
            Err(e) if wengert_emit::failure(&tape).is_some() => Err(e.within(self.file.display()).into()),
            Err(e) => {
                eprintln!("the calls of this run can't be written, and the ops that it ran are: {}", e.message());
                Ok(None)
            }
        }
    }

    /// The program with the inputs it is given, and what comes of it.
    fn run(&self, source: &Source) -> Result<Run> {
        Ok(run_of(&source.program, self.inputs(source)?))
    }

    /// The values that the program is given.
    fn inputs(&self, source: &Source) -> Result<Vec<Tensor>> {
        let inputs = match (self.random, self.ones) {
            (Some(seed), _) => Inputs::Random(seed),
            (None, true) => Inputs::Ones,
            (None, false) if self.has_inputs() || source.recorded.is_some() => Inputs::Files(self.input.clone()),
            (None, false) => {
                if !source.program.inputs().is_empty() {
                    eprintln!("no inputs are given: they are drawn as by `--random 0`");
                }
                Inputs::Random(0)
            }
        };
        inputs.values(source)
    }

    fn write(&self, emitted: Emitted) -> Result<()> {
        let (text, data) = match (&self.package, &self.output) {
            (Some(folder), _) => {
                let src = folder.join("src");
                std::fs::create_dir_all(&src).map_err(|e| at(&src, e))?;
                let manifest = folder.join("Cargo.toml");
                save_text(&manifest, &self.manifest(folder)?)?;
                (src.join("main.rs"), src.join("data.safetensors"))
            }
            (None, Some(path)) => (path.clone(), path.with_extension("safetensors")),
            (None, None) => {
                if !emitted.data.is_empty() {
                    let m = "arrays that are too large for the text need a file of their own";
                    let way = "what to do: `-o FILE` writes them beside it; `--fake-data SEED` leaves them out";
                    return Err(Error::new(ErrorKind::File, m).note(way));
                }
                return say(emitted.text).map_err(|e| Error::new(ErrorKind::File, format!("the standard output: {e}")));
            }
        };
        if !emitted.data.is_empty() {
            save_arrays(&data, emitted.data)?;
        }
        save_text(&text, &emitted.text)
    }

    /// The manifest of a package.
    fn manifest(&self, folder: &Path) -> Result<String> {
        let wanted = folder.file_name().map_or_else(String::new, |n| n.to_string_lossy().to_lowercase());
        let name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let name = if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("run-{name}") };
        let version = env!("CARGO_PKG_VERSION");
        let library = match &self.dependency {
            None => format!("{version:?}"),
            Some(path) => {
                let whole = std::fs::canonicalize(path).map_err(|e| at(path, e))?;
                let inside = whole.join("crates").join("wengert");
                let found = if inside.is_dir() { inside } else { whole };
                format!("{{ path = {:?} }}", found.display().to_string())
            }
        };
        Ok(format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
             wengert = {library}\n\n[workspace]\n\n# Long functions are more than rustc can write debug information for.\n\
             [profile.dev]\ndebug = false\n"
        ))
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

fn at(path: &Path, e: std::io::Error) -> Error {
    Error::new(ErrorKind::File, format!("{}: {e}", path.display()))
}
