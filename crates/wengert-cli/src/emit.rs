//! `wengert emit`: a program or a recorded run as a file that stands alone.

use crate::arguments::{file, flag, given_file, given_list, number, option};
use crate::convert::written_out;
use crate::failure::{EXIT_CODES, Failure};
use crate::outputs::{Outputs, force};
use crate::progress::Running;
use crate::recorded::{RecordedRun, compared_by_tape, sound_tape};
use crate::screen::say;
use crate::source::Source;
use crate::values::Inputs;
use clap::builder::PossibleValue;
use clap::{ArgAction, ArgMatches, Command, ValueEnum, value_parser};
use std::path::{Path, PathBuf};
use wengert_core::{Error, ErrorKind, Op, Result, Tensor};
use wengert_emit::files::{MARK, arrays_beside, is_marked, name_of, named_inputs, save_arrays, save_text, sealed};
use wengert_emit::{CallTree, Does, Emitted, Options, RecordedError, RecordedTree, Run, Step, drawn};
use wengert_repro::files::{compared_by, run_of};

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
    unguarded: bool,
    force: bool,
}

/// The files that are written.
struct Places {
    /// Of a package.
    manifest: Option<PathBuf>,
    text: PathBuf,
    /// None beside what is no file.
    arrays: Option<PathBuf>,
}

const ANONYMOUS: &str = "Leave out all that is yours: names, places, words of error messages, and data. Inputs are drawn from a seed, and so are \
    constants that are data: arrays of fractions that are not all the same, and any of more than 32 elements. Results are not compared. \
    Where a failure may depend on values, these stay, and a message says so";

impl Emit {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Write a program, or what a recorded run did, as source that stands alone: it runs on the same inputs and \
                     compares what comes of it with what did then";
        let path = || value_parser!(PathBuf);
        Command::new("emit").about(about).after_help(EXIT_CODES).args([
            file().help("The tape of a run, or a program: StableHLO text or Wengert's own; `-` reads a program from the standard input"),
            option("to", "FORM", value_parser!(Target)).required(true).help(
                "What to write: Rust against this library, Python for pip's JAX, StableHLO text, or Wengert's own text",
            ),
            option("output", "FILE", path()).short('o').conflicts_with("package").help(
                "Write here instead of to the standard output; arrays too large for the text go to a safetensors file beside \
                 it, `t-rs.safetensors` for `t.rs`, and so do the inputs of `stablehlo` and `wg`, `t-mlir.safetensors` for `t.mlir`, \
                 `t.safetensors` for `t.wg`",
            ),
            option("package", "DIR", path()).help(
                "Write a cargo package, with `--to rust`: into a new folder, an empty one, or that of a package which was written so and not changed since",
            ),
            option("wengert", "DIR", path()).requires("package").conflicts_with("anonymous").help(
                "Where the package finds the library `wengert`, if not in a registry. An anonymous package does not say it: tell \
                 cargo, with `--config 'patch.crates-io.wengert.path=\"DIR\"'`",
            ),
            option("input", "FILE", path()).help("The inputs, as for `run`; without any, those of a tape are as recorded").num_args(0..).action(ArgAction::Append)
                .conflicts_with_all(["random", "ones"]),
            number("random", "SEED", value_parser!(i64)).help("Draw the inputs; a program gets those of seed 0 unless said")
                .conflicts_with("ones"),
            flag("ones").help("Every element of every input is 1"),
            number("fake-data", "SEED", value_parser!(u64)).help(
                "Large inputs are drawn anew where the Rust or Python runs, and nothing of theirs is written; results are not \
                 compared",
            ),
            flag("anonymous").help(ANONYMOUS),
            flag("unguarded").help(
                "Write a tape with the decisions of the host as they were, also where it would have read other values with these \
                 inputs; without this, that is an error, which names the read",
            ),
            force(),
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
            unguarded: given.get_flag("unguarded"),
            force: given.get_flag("force"),
        }
    }

    /// Writes it.
    pub fn perform(&self) -> Result<(), Failure> {
        if self.package.is_some() && self.to != Target::Rust {
            let e = Error::new(ErrorKind::Run, "`--package` writes a cargo package, and goes with `--to rust` alone");
            return Err(Failure::of_usage(e.note("what to do: `-o FILE` writes the other forms")));
        }
        if self.fake_data.is_some() && matches!(self.to, Target::Stablehlo | Target::Wengert) {
            let e =
                Error::new(ErrorKind::Run, "`--fake-data` is for Rust and JAX: the text of a program draws nothing");
            return Err(Failure::of_usage(
                e.note("what to do: `--random SEED` draws the inputs that are written beside it"),
            ));
        }
        let places = self.places();
        let outputs = Outputs::new([&self.file].into_iter().chain(&self.input), self.force);
        self.check(&outputs, places.as_ref())?;
        let arrays = places.as_ref().and_then(|p| p.arrays.as_deref());
        let data_file = arrays.map_or_else(|| "data.safetensors".into(), name_of);
        let fake_data = self.fake_data.or(self.anonymous.then_some(0));
        let options = Options { fake_data, data_file, anonymous: self.anonymous, ..Default::default() };
        let write = if self.to == Target::Rust { wengert_emit::rust } else { wengert_emit::jax };
        if let Some((run, options)) = self.recorded(&options)? {
            let (run, options) = self.hidden(run, options);
            let emitted = write(&run, &options).map_err(|e| e.within(self.file.display()))?;
            return self.write(emitted, places, &outputs);
        }
        let source = Source::read(&self.file)?;
        let here = |e: Error| Failure::within(e, &source.name, &source.text);
        let emitted = match self.to {
            Target::Rust | Target::Jax => {
                let inputs = self.inputs(&source).map_err(here)?;
                // A loop that does not end is seen, and can be stopped.
                let running = Running::new();
                running.runs("eval", source.program.equation_count());
                let run = run_of(&source.program, inputs.clone());
                running.looks_how_far();
                let options = compared_by(&run, &source.program, &inputs, options);
                drop(running);
                let (run, options) = self.hidden(run, options);
                write(&run, &options).map_err(here)?
            }
            Target::Stablehlo | Target::Wengert => self.program(&source, arrays.is_some()).map_err(here)?,
        };
        self.write(emitted, places, &outputs)?;
        source.recorded.as_ref().map_or(Ok(()), |run| run.check_ended(&self.file))
    }

    /// Where it is written; none for the standard output.
    fn places(&self) -> Option<Places> {
        if let Some(folder) = &self.package {
            let (manifest, src) = (folder.join("Cargo.toml"), folder.join("src"));
            let arrays = Some(src.join("data.safetensors"));
            return Some(Places { manifest: Some(manifest), text: src.join("main.rs"), arrays });
        }
        let text = self.output.clone().filter(|path| path.as_os_str() != "-")?;
        let is_file = text.metadata().map_or(true, |there| there.is_file());
        let arrays = is_file.then(|| arrays_beside(&text));
        Some(Places { manifest: None, text, arrays })
    }

    /// An error if something may not be written, before anything is.
    fn check(&self, outputs: &Outputs, places: Option<&Places>) -> Result<(), Failure> {
        let Some(places) = places else { return Ok(()) };
        if let (Some(folder), Some(manifest)) = (&self.package, &places.manifest) {
            outputs.check_folder(folder, || is_marked(manifest).unwrap_or(false))?;
            let there = [manifest, &places.text].into_iter().chain(&places.arrays).filter(|path| path.exists());
            return there.into_iter().try_for_each(|path| outputs.check(path));
        }
        if places.text.extension().is_some_and(|end| end == "safetensors") {
            let e = Error::new(ErrorKind::File, format!("`{}` is a name for arrays", places.text.display()));
            return Err(Failure::of_usage(e.note("what to do: give the text another ending; its arrays go beside it")));
        }
        outputs.check(&places.text)
    }

    /// The run without data of the user's, if it is to be anonymous.
    fn hidden(&self, run: Run, mut options: Options) -> (Run, Options) {
        if !self.anonymous {
            return (run, options);
        }
        if run.needs_values() {
            eprintln!("values are kept: the failure may depend on them");
            options.fake_data = self.fake_data;
            return (run, options);
        }
        let is_while = |s: &Step| matches!(s.does, Does::Primitive(Op::While(_), _));
        if run.tree.functions.iter().flat_map(|f| &f.steps).any(is_while) {
            eprintln!("there is a loop that goes on until something holds: on drawn numbers that may be never");
        }
        let inputs = run.inputs.clone();
        let run = run.without_values();
        match self.is_drawn() {
            true => (Run { inputs, ..run }, options),
            false => (run, options),
        }
    }

    /// A program as text, with its inputs if there is a place for them.
    fn program(&self, source: &Source, has_place: bool) -> Result<Emitted> {
        let anonymous = self.anonymous.then(|| wengert_emit::anonymous(&source.program)).transpose()?;
        let (program, names) = named_inputs(anonymous.as_ref().unwrap_or(&source.program));
        let text = match self.to {
            Target::Stablehlo => wengert_stablehlo::export(&program)?,
            _ => written_out(&program)?,
        };
        let text = format!("// {MARK}\n{text}");
        if !has_place {
            if !names.is_empty() {
                eprintln!("the inputs are not written: `-o FILE` writes them beside it");
            }
            return Ok(Emitted { text, data: Vec::new(), notes: Vec::new() });
        }
        let values = match self.anonymous && !self.is_drawn() {
            true => program.input_types().iter().enumerate().map(|(i, ty)| drawn(i as u64, ty)).collect(),
            false => self.inputs(source)?,
        };
        Ok(Emitted { text, data: names.into_iter().zip(values).collect(), notes: Vec::new() })
    }

    /// Whether the inputs are none of the user's.
    fn is_drawn(&self) -> bool {
        self.random.is_some() || self.ones
    }

    /// Whether inputs are given.
    fn has_inputs(&self) -> bool {
        self.is_drawn() || !self.input.is_empty()
    }

    /// The run of a tape, as it was called. None if there is no tape, or it is to run on other inputs, or does not say enough: a
    /// run that came to its end is then written as the program that it was. With it, the options with how its
    /// results are compared.
    fn recorded(&self, options: &Options) -> Result<Option<(Run, Options)>, Failure> {
        let is_source = matches!(self.to, Target::Rust | Target::Jax);
        if !is_source || self.has_inputs() || !RecordedRun::is_at(&self.file) {
            return Ok(None);
        }
        let tape = sound_tape(&self.file)?;
        let running = Running::new();
        running.reads_calls();
        match CallTree::of_tape(&tape) {
            Ok(RecordedTree { tree, inputs, outcome, results }) => {
                let run = Run { tree, inputs, outcome };
                running.looks_how_far();
                let options = compared_by_tape(&run, &results, &tape, options.clone());
                Ok(Some((run, options)))
            }
            Err(e) if RecordedError::of_tape(&tape).is_some() => Err(e.within(self.file.display()).into()),
            Err(e) => {
                eprintln!("the calls of this run can't be written, and the ops that it ran are: {}", e.message());
                Ok(None)
            }
        }
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
        let values = inputs.values(source)?;
        if let Some(run) = source.recorded.as_ref().filter(|_| self.has_inputs() && !self.unguarded) {
            run.check_on(values.clone())?;
        }
        Ok(values)
    }

    fn write(&self, emitted: Emitted, places: Option<Places>, outputs: &Outputs) -> Result<(), Failure> {
        let arrays = places.as_ref().and_then(|p| p.arrays.as_deref()).filter(|_| !emitted.data.is_empty());
        if !emitted.data.is_empty() && arrays.is_none() {
            let m = "arrays that are too large for the text need a file of their own";
            let way = "what to do: `-o FILE` writes them beside it; `--fake-data SEED` leaves large inputs out";
            return Err(Error::new(ErrorKind::File, m).note(way).into());
        }
        emitted.notes.iter().for_each(|note| eprintln!("{note}"));
        let Some(Places { manifest, text, .. }) = &places else { return Ok(say(sealed(&emitted.text))?) };
        if let Some(arrays) = arrays.filter(|path| path.exists()) {
            outputs.check(arrays)?;
        }
        if let (Some(folder), Some(manifest)) = (&self.package, manifest) {
            let library = self.library()?;
            let src = folder.join("src");
            std::fs::create_dir_all(&src).map_err(|e| at(&src, e))?;
            save_text(manifest, &self.manifest(folder, &library))?;
        }
        if let Some(arrays) = arrays {
            save_arrays(arrays, emitted.data)?;
        }
        Ok(save_text(text, &emitted.text)?)
    }

    /// The manifest of a package, which finds the library so.
    fn manifest(&self, folder: &Path, library: &str) -> String {
        let wanted = match self.anonymous {
            true => "run".into(),
            false => name_of(&folder.canonicalize().unwrap_or(folder.into())).to_lowercase(),
        };
        let name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let name = if name.starts_with(|c: char| c.is_ascii_lowercase()) { name } else { format!("run-{name}") };
        format!(
            "# {MARK}\n\n[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\nwengert = {library}\n\n[workspace]\n\n\
             # Long functions are more than rustc can write debug information for.\n[profile.dev]\ndebug = false\n"
        )
    }

    /// Where a package finds the library.
    fn library(&self) -> Result<String> {
        let Some(path) = &self.dependency else { return Ok(format!("{:?}", env!("CARGO_PKG_VERSION"))) };
        let whole = std::fs::canonicalize(path).map_err(|e| at(path, e).within("--wengert"))?;
        let inside = whole.join("crates").join("wengert");
        let found = if inside.is_dir() { inside } else { whole };
        Ok(format!("{{ path = {:?} }}", found.display().to_string()))
    }
}

fn at(path: &Path, e: std::io::Error) -> Error {
    Error::new(ErrorKind::File, format!("{}: {e}", path.display()))
}
